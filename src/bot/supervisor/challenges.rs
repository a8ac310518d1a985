//! Challenges: judged, answered, or kept waiting for a slot.

use super::{Done, Supervisor};
use crate::bot::challenge::{self, Decision, Facts};
use crate::lichess::model::{Challenge, Compat, DeclineReason, GameId};
use crate::lichess::{self, Kind};
use std::time::{Duration, Instant};
use tracing::{debug, info, warn};

/// Pause before an accept whose fate is unknown is repeated. The challenge stays open for about 20 s.
const ACCEPT_AGAIN: Duration = Duration::from_secs(1);

impl Supervisor {
    pub(super) fn end_replay(&mut self) {
        let Some(replay) = self.replay.take() else {
            return;
        };
        for id in replay.missing {
            if self.slots.forget_waiting(&id) {
                info!(challenge = %id, "waiting challenge is gone");
            }
        }
    }

    pub(super) fn on_challenge(&mut self, challenge: Challenge, compat: Option<Compat>) {
        if let Some(replay) = &mut self.replay {
            replay.missing.remove(&challenge.id);
        }
        if self.slots.knows(&challenge.id) {
            return;
        }
        let challenger = challenge.challenger.as_ref();
        let facts = Facts {
            account: &self.account,
            compat,
            draining: self.draining,
            taken: self.slots.taken(),
            queued: self.slots.queued(),
            with_opponent: self.slots.with_opponent(
                challenger.map(|user| user.id.as_str()),
                challenge.rematch_of.as_ref(),
            ),
        };
        let decision = challenge::decide(&challenge, &self.options.settings.challenge, &facts);
        if decision != Decision::Ignore {
            info!(
                challenge = %challenge.id,
                from = challenger.map_or("anonymous", |user| user.name.as_str()),
                rating = challenger.and_then(|user| user.rating),
                variant = challenge.variant.key,
                clock = ?challenge.time_control,
                rated = challenge.rated,
                ?decision,
                "challenge"
            );
        }
        match decision {
            Decision::Ignore => {}
            Decision::Decline(reason) => self.decline(challenge.id, reason),
            Decision::Accept if self.gate.is_open(Instant::now()) => self.accept(&challenge),
            Decision::Accept | Decision::Queue => self.slots.enqueue(challenge),
        }
    }

    pub(super) fn accept(&mut self, challenge: &Challenge) {
        let id = challenge.id.clone();
        let opponent = challenge.challenger.as_ref().map(|user| user.id.clone());
        self.slots.reserve(id.clone(), opponent, Instant::now());
        let client = self.options.client.clone();
        self.pending += 1;
        self.tasks.spawn(async move {
            let mut result = client.accept_challenge(&id).await;
            if result.as_ref().is_err_and(may_have_counted) {
                tokio::time::sleep(ACCEPT_AGAIN).await;
                // A refusal now proves nothing: it is also the answer if the first one counted.
                if client.accept_challenge(&id).await.is_ok() {
                    result = Ok(());
                }
            }
            Done::Accepted(id, result)
        });
    }

    pub(super) fn decline(&mut self, id: GameId, reason: DeclineReason) {
        if !self.gate.is_open(Instant::now()) {
            debug!(challenge = %id, "not declined: the server asked for a pause");
            return;
        }
        let client = self.options.client.clone();
        self.pending += 1;
        self.tasks.spawn(async move {
            let result = client.decline_challenge(&id, reason).await;
            Done::Declined(id, result)
        });
    }

    /// Accepts waiting challenges while there are free slots.
    pub(super) fn fill_slots(&mut self) {
        while !self.draining
            && self.slots.taken() < self.options.settings.challenge.concurrency
            && self.gate.is_open(Instant::now())
        {
            let Some(challenge) = self.slots.dequeue() else {
                return;
            };
            info!(challenge = %challenge.id, "waiting challenge gets its slot");
            self.accept(&challenge);
        }
    }

    pub(super) fn on_refused_accept(&mut self, id: &GameId, error: &lichess::Error) {
        self.note_rate_limit(error);
        let uncertain = may_have_counted(error);
        let error = error as &dyn std::error::Error;
        if uncertain {
            // It may have counted: the slot is kept until the game starts or the time is over.
            warn!(challenge = %id, error, "accept not answered");
            self.reconcile_at = Instant::now();
        } else {
            info!(challenge = %id, error, "challenge could not be accepted");
            self.slots.release(id);
        }
    }
}

/// Whether the server may have done what was asked though it did not say so.
fn may_have_counted(error: &lichess::Error) -> bool {
    let silent = matches!(
        error.kind(),
        Kind::Transport | Kind::Timeout | Kind::Server | Kind::Decode
    );
    silent && !error.is_unsent()
}
