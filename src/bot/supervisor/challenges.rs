//! Challenges: judged, answered, or kept waiting for a slot.

use super::{Done, Supervisor};
use crate::bot::challenge::{self, Cause, Decision, Facts, Pause};
use crate::bot::matchmaking::choose::OwnRating;
use crate::bot::slots::Seat;
use crate::lichess::model::{Challenge, ChallengeUser, Compat, DeclineReason, GameId};
use crate::lichess::{self, Kind};
use jiff::Timestamp;
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
        if challenge.variant.key == "crazyhouse"
            && let Some(own) = &challenge.dest_user
            && let Some(rating) = own.rating
            && own.id.eq_ignore_ascii_case(&self.account)
        {
            self.own_rating = Some(OwnRating {
                rating,
                provisional: own.provisional,
            });
        }
        let mut decision = self.judge(&challenge, compat);
        if decision == Decision::Accept && !self.gate.is_open(Instant::now()) {
            decision = Decision::Queue(Cause {
                setting: None,
                text: "the server asked for a pause".to_owned(),
            });
        }
        tell(&challenge, &decision);
        match decision {
            Decision::Ignore => {}
            Decision::Decline(reason, _) => self.decline(challenge.id, reason),
            Decision::Accept => self.accept(&challenge),
            Decision::Queue(_) => self.slots.enqueue(challenge),
        }
    }

    /// Judges a challenge that does not wait (any more).
    fn judge(&self, challenge: &Challenge, compat: Option<Compat>) -> Decision {
        let settings = &self.options.settings.challenge;
        let challenger = challenge.challenger.as_ref();
        let id = challenger.map(|user| user.id.to_ascii_lowercase());
        let series = self.matchmaker.series();
        let pause = match series {
            _ if self.draining => Some(Pause::Leaving),
            Some(series) if !series.accept_others => Some(Pause::Series),
            _ => None,
        };
        let (state, now) = (self.store.read(), Timestamp::now());
        let recent =
            |id: &String| state.recently_accepted(id, settings.recent_bot_challenge_age, now);
        let facts = Facts {
            account: &self.account,
            compat,
            pause,
            taken: self.taken(),
            taken_by_bots: self.slots.taken_by_bots(),
            queued: self.slots.queued(),
            with_opponent: self
                .slots
                .with_opponent(id.as_deref(), challenge.rematch_of.as_ref()),
            lists: &self.lists,
            recent: id.as_ref().map_or(0, recent),
            bot_games_wait: state.bot_games_wait(settings.max_bot_games_per_day, now),
        };
        challenge::decide(challenge, settings, &facts)
    }

    /// Slots that are not free, those that a series and an arena keep for themselves included.
    fn taken(&self) -> usize {
        let held = usize::from(self.matchmaker.holds_slot());
        self.slots.taken() + held + self.reserved_for_arena()
    }

    pub(super) fn accept(&mut self, challenge: &Challenge) {
        let id = challenge.id.clone();
        let challenger = challenge.challenger.as_ref();
        let opponent = challenger.map(|user| user.id.to_ascii_lowercase());
        if let Some(id) = &opponent {
            let now = Timestamp::now();
            self.store.change(|state| state.note_accepted(id, now));
        }
        let seat = Seat {
            opponent,
            is_bot: challenger.is_some_and(ChallengeUser::is_bot),
        };
        self.slots.reserve(id.clone(), seat, Instant::now());
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
        loop {
            let settings = &self.options.settings.challenge;
            let open_to_bots = self.slots.taken_by_bots() < settings.slots_for_bots();
            let is_open = !self.draining
                && self.taken() < settings.concurrency
                && self.gate.is_open(Instant::now());
            let place = is_open.then(|| {
                let waiting = self.slots.candidates();
                challenge::pick(
                    &waiting,
                    settings.preference,
                    settings.sort_by,
                    open_to_bots,
                )
            });
            let Some(challenge) = place
                .flatten()
                .and_then(|place| self.slots.take_waiting(place))
            else {
                return;
            };
            // Limits may have been reached, or lists changed, while it waited.
            match self.judge(&challenge, None) {
                Decision::Accept => {
                    info!(challenge = %challenge.id, "waiting challenge gets its slot");
                    self.accept(&challenge);
                }
                decision @ Decision::Decline(reason, _) => {
                    tell(&challenge, &decision);
                    self.decline(challenge.id, reason);
                }
                Decision::Ignore | Decision::Queue(_) => {}
            }
        }
    }

    /// A limit of games between bots: with 429 it is ours, with 400 the challenger's.
    fn on_limited_accept(&mut self, id: &GameId, error: &lichess::Error, wait: Duration) {
        let now = Timestamp::now();
        let opponent = self.slots.expected_opponent(id);
        let ours = matches!(error.kind(), Kind::RateLimited { .. });
        self.store.change(|state| match opponent {
            _ if ours => state.block_bot_games(wait, now),
            Some(opponent) => state.cap_opponent(&opponent, wait, now),
            None => {}
        });
        warn!(challenge = %id, ours, ?wait, "limit of games between bots is reached");
    }

    pub(super) fn on_refused_accept(&mut self, id: &GameId, error: &lichess::Error) {
        if let Some(limit) = error.api().and_then(|api| api.rate_limit.clone()) {
            self.on_limited_accept(id, error, limit.wait);
        } else {
            self.note_rate_limit(error);
        }
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

/// Says in the log who asked for what, and what is answered for what reason.
fn tell(challenge: &Challenge, decision: &Decision) {
    let challenger = challenge.challenger.as_ref();
    let from = challenger.map_or("an anonymous player", |user| user.name.as_str());
    let id = &challenge.id;
    let what = challenge::describe(challenge);
    match decision {
        Decision::Ignore => {}
        Decision::Accept => info!(challenge = %id, "accepted challenge of {from} ({what})"),
        Decision::Queue(cause) => info!(
            challenge = %id,
            setting = cause.setting,
            "queued challenge of {from} ({what}): {}",
            cause.text
        ),
        Decision::Decline(reason, cause) => info!(
            challenge = %id,
            setting = cause.setting,
            "declined challenge of {from} ({what}): {} -> {}",
            cause.text,
            reason.word()
        ),
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
