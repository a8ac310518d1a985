//! Challenges between accounts, and the games that come of them.

use super::{Errand, Hall};
use crate::lichess::model::{DeclineReason, Event, GameId};
use crate::rules::Color;
use crate::sandbox::answer::ApiError;
use crate::sandbox::challenges::{Challenge, ChallengeStatus};
use crate::sandbox::fields::Fields;
use crate::sandbox::opponents::ScriptedAnswer;
use crate::sandbox::presence;
use crate::sandbox::request::Request;
use crate::sandbox::table::Table;
use crate::sandbox::wire;
use serde_json::{Value, json};
use std::time::Instant;
use tokio::sync::watch;

/// Open challenges that one account may have sent.
const MOST_OUTGOING: usize = 100;

/// A challenge that has been sent: its JSON, and what becomes of it.
#[derive(Debug)]
pub(crate) struct Sent {
    /// Id, and id of the game to come.
    pub id: GameId,
    /// Challenge object for the challenger.
    pub json: Value,
    /// State. The challenge does not go offline while this is kept.
    pub status: watch::Receiver<ChallengeStatus>,
}

impl Hall {
    /// Sends the challenge of a form from one account to another.
    ///
    /// # Errors
    /// 400 with the reason, as `POST /api/challenge/{user}` answers.
    pub(crate) fn challenge_by_form(
        &mut self,
        challenger: &str,
        dest: &str,
        fields: &Fields,
        now: Instant,
    ) -> Result<Sent, ApiError> {
        let by_bot = self
            .accounts
            .get(challenger)
            .is_some_and(|user| user.is_bot);
        let Some(user) = self.accounts.find(dest) else {
            return Err(ApiError::bad_request(&format!("No such user: {dest}")));
        };
        let to_bot = user.is_bot;
        let request = Request::of_form(fields, by_bot, to_bot)?;
        self.challenge(challenger, dest, request, now)
    }

    /// Sends a challenge from one account to another. An earlier open one between the same two is cancelled.
    ///
    /// # Errors
    /// 400 when there is no such user, he is the challenger himself, or he blocks the challenger.
    pub(crate) fn challenge(
        &mut self,
        challenger: &str,
        dest: &str,
        request: Request,
        now: Instant,
    ) -> Result<Sent, ApiError> {
        let Some(user) = self.accounts.find(dest) else {
            return Err(ApiError::bad_request(&format!("No such user: {dest}")));
        };
        let (dest, is_scripted) = (user.id.clone(), user.style.is_some());
        if dest == challenger {
            return Err(ApiError::bad_request("You cannot challenge yourself"));
        }
        if user.blocks.iter().any(|id| id == challenger) {
            return Err(ApiError::bad_request(&format!(
                "You cannot challenge {}",
                user.name
            )));
        }
        self.withdraw_earlier(challenger, &dest);
        let final_color = request.color.resolve(self.rng.bool());
        let (status, watcher) = watch::channel(ChallengeStatus::Created);
        let id = self.new_id();
        let challenge = Challenge {
            id: id.clone(),
            challenger: challenger.to_owned(),
            dest,
            request,
            final_color,
            status,
            declined: None,
            seen: now,
        };
        self.tell_about(&challenge, "challenge");
        let json = self.challenge_json(&challenge, Some("out"));
        self.challenges.insert(id.clone(), challenge);
        if is_scripted {
            self.run_errand(Errand::Answer(id.clone()));
        }
        Ok(Sent {
            id,
            json,
            status: watcher,
        })
    }

    /// Accepts a challenge to `user`: the game starts.
    ///
    /// # Errors
    /// 404 when there is none, 400 when it was withdrawn or declined or cannot be played.
    pub(crate) fn accept(&mut self, user: &str, id: &GameId, now: Instant) -> Result<(), ApiError> {
        let challenge = self
            .challenges
            .get(id)
            .filter(|challenge| challenge.dest == user);
        let challenge = challenge.ok_or_else(|| ApiError::not_found("Not found"))?;
        let status = *challenge.status.borrow();
        if !status.is_open() {
            let text = format!("This challenge has been {}", status.word());
            return Err(ApiError::bad_request(&text));
        }
        if !challenge.request.is_playable() {
            return Err(ApiError::bad_request(
                "Game incompatible with a BOT account",
            ));
        }
        let Some(challenge) = self.challenges.remove(id) else {
            return Err(ApiError::not_found("Not found"));
        };
        let opened = self.open_table(&challenge, None, now);
        if opened.is_ok() {
            challenge.status.send_replace(ChallengeStatus::Accepted);
        }
        self.challenges.insert(id.clone(), challenge);
        opened
    }

    /// Starts the game of a challenge, perhaps as one of an arena.
    ///
    /// # Errors
    /// 400 when one of the two accounts is gone.
    pub(super) fn open_table(
        &mut self,
        challenge: &Challenge,
        tournament: Option<String>,
        now: Instant,
    ) -> Result<(), ApiError> {
        let seats = match challenge.final_color {
            Color::White => [&challenge.challenger, &challenge.dest],
            Color::Black => [&challenge.dest, &challenge.challenger],
        };
        let [Some(white), Some(black)] = seats.map(|id| self.accounts.get(id)) else {
            return Err(ApiError::bad_request("Challenge not created"));
        };
        let secrets = [0, 1].map(|_| {
            std::iter::repeat_with(|| self.rng.alphanumeric())
                .take(4)
                .collect::<String>()
        });
        let scripted = [white, black].into_iter().find(|user| user.style.is_some());
        let seed = scripted.map_or(0, |user| {
            let games = self.games_of_scripted.entry(user.id.clone()).or_default();
            *games += 1;
            script_seed(self.options.seed, &user.id, *games)
        });
        let speed = challenge.request.speed();
        let countdown = self
            .options
            .countdown
            .unwrap_or_else(|| presence::countdown(speed));
        let mut table = Table::open(challenge, [white, black], secrets, seed, countdown, now);
        table.tournament = tournament;
        for color in Color::ALL {
            let game = Box::new(table.info(color, now));
            self.tell(&table.seat(color).user, &Event::GameStart { game });
            if table.seat(color).style.is_some() {
                self.run_errand(Errand::Play(table.id.clone(), color));
            }
        }
        self.tables.insert(table.id.clone(), table);
        Ok(())
    }

    /// Declines a challenge to `user`.
    ///
    /// # Errors
    /// 404 when there is none that waits for an answer.
    pub(crate) fn decline(
        &mut self,
        user: &str,
        id: &GameId,
        reason: DeclineReason,
    ) -> Result<(), ApiError> {
        let open = |challenge: &&mut Challenge| challenge.dest == user && challenge.is_open();
        let challenge = self.challenges.get_mut(id).filter(open);
        let challenge = challenge.ok_or_else(|| ApiError::not_found("Not found"))?;
        challenge.declined = Some(reason);
        challenge.status.send_replace(ChallengeStatus::Declined);
        self.tell_about(&self.challenges[id], "challengeDeclined");
        Ok(())
    }

    /// Cancels a challenge of `user`, declines one sent to him, or aborts the game that came of it.
    ///
    /// # Errors
    /// 404 when nothing of this applies.
    pub(crate) fn cancel(&mut self, user: &str, id: &GameId, now: Instant) -> Result<(), ApiError> {
        match self.challenges.get(id) {
            Some(challenge) if challenge.is_open() && challenge.challenger == user => {
                challenge.status.send_replace(ChallengeStatus::Canceled);
                self.tell_about(challenge, "challengeCanceled");
                Ok(())
            }
            Some(challenge) if challenge.is_open() => {
                self.decline(user, id, DeclineReason::Generic)
            }
            _ => self.abort_by_cancel(user, id, now),
        }
    }

    /// Open challenges of an account, `{"in": [...], "out": [...]}`.
    pub(crate) fn open_challenges(&self, user: &str) -> Value {
        let list = |direction: &str, is_mine: fn(&Challenge) -> &str| -> Vec<Value> {
            self.challenges
                .values()
                .filter(|challenge| challenge.is_open() && is_mine(challenge) == user)
                .map(|challenge| self.challenge_json(challenge, Some(direction)))
                .collect()
        };
        let (incoming, outgoing) = (
            list("in", |challenge| &challenge.dest),
            list("out", |challenge| &challenge.challenger),
        );
        json!({"in": incoming, "out": outgoing})
    }

    /// A challenge of an account, whatever became of it.
    ///
    /// # Errors
    /// 404 when there is none.
    pub(crate) fn show_challenge(&self, user: &str, id: &GameId) -> Result<Value, ApiError> {
        let mine = |c: &&Challenge| c.dest == user || c.challenger == user;
        let challenge = self.challenges.get(id).filter(mine);
        let challenge = challenge.ok_or_else(|| ApiError::not_found("Not found"))?;
        let direction = if challenge.dest == user { "in" } else { "out" };
        Ok(self.challenge_json(challenge, Some(direction)))
    }

    /// Account for which the server answers a challenge, and whether it should accept: `None` when the challenge
    /// is not for a scripted opponent, or for one that does not answer.
    pub(crate) fn scripted_answer(
        &self,
        id: &GameId,
    ) -> Option<(String, Result<(), DeclineReason>)> {
        let challenge = self.challenges.get(id)?;
        let dest = self
            .accounts
            .get(&challenge.dest)
            .filter(|user| user.style.is_some())?;
        let answer = match self.answers.get(&dest.id) {
            Some(ScriptedAnswer::Silent) => return None,
            Some(ScriptedAnswer::Decline(reason)) => Err(*reason),
            _ if challenge.request.is_playable() => Ok(()),
            _ => Err(DeclineReason::Variant),
        };
        Some((dest.id.clone(), answer))
    }

    /// Bots that are online and have a profile text; scripted opponents are among them.
    pub(crate) fn online_bots(&self, most: usize) -> Vec<Value> {
        self.accounts
            .iter()
            .filter(|user| user.is_bot && user.bio.is_some() && self.is_online(&user.id))
            .take(most)
            .map(|user| wire::account(user, self.current_game(&user.id)))
            .collect()
    }

    fn withdraw_earlier(&self, challenger: &str, dest: &str) {
        let open: Vec<_> = self
            .challenges
            .values()
            .filter(|challenge| challenge.is_open() && challenge.challenger == challenger)
            .collect();
        let surplus = open.len().saturating_sub(MOST_OUTGOING - 1);
        for (index, challenge) in open.into_iter().enumerate() {
            if challenge.dest == dest || index < surplus {
                challenge.status.send_replace(ChallengeStatus::Canceled);
                self.tell_about(challenge, "challengeCanceled");
            }
        }
    }

    fn abort_by_cancel(&mut self, user: &str, id: &GameId, now: Instant) -> Result<(), ApiError> {
        let table = self
            .tables
            .get_mut(id)
            .filter(|table| table.color_of(user).is_some());
        let table = table.ok_or_else(|| ApiError::not_found("Not found"))?;
        let notices = table.referee.abort(now);
        let notices = notices.map_err(|_| ApiError::bad_request("Missing opponentToken"))?;
        table.spread(&notices, now);
        self.conclude(id, now);
        Ok(())
    }

    fn run_errand(&self, errand: Errand) {
        // The receiver is gone only when the server stops.
        drop(self.errands.send(errand));
    }
}

/// Seed of a scripted player in his n-th game.
fn script_seed(seed: u64, user: &str, game: u64) -> u64 {
    let name = user.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    fastrand::Rng::with_seed(seed ^ name.wrapping_add(game.rotate_left(32))).u64(..)
}
