//! What survives a restart: budgets, back-offs, and what is known of each opponent. Pure; the time is passed in.
//!
//! [`store`] keeps it in `DIR/state.json`. All times are wall-clock times, since they must mean something to the next
//! process; a clock that was set wrong must not block anything for long, so entries from the future are dropped.

mod backoff;
mod ledger;
mod store;

pub(super) use backoff::Topic;
pub(super) use store::{Store, open, replace, set_aside};

use super::record::Verdict;
use crate::lichess::model::GameId;
use backoff::Backoff;
use jiff::{SignedDuration, Timestamp};
use ledger::Ledger;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Number in the file; a file with another one is set aside.
const VERSION: u32 = 1;
/// Window of Lichess' daily limits.
const DAY: Duration = Duration::from_hours(24);
/// Window of the limit of challenges a minute.
const MINUTE: Duration = Duration::from_mins(1);
/// Longest block that is believed; longer ones come from a wrong clock.
const LONGEST_BLOCK: Duration = Duration::from_hours(31 * 24);
/// Opponents that are remembered. Those not seen for longest are forgotten first.
const MOST_OPPONENTS: usize = 2000;
/// Accepted challenges that are remembered of each opponent.
const MOST_ACCEPTED: usize = 100;

/// Everything that is kept.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(super) struct State {
    version: u32,
    /// Games against bots, by their start.
    #[serde(default)]
    bot_games: Ledger,
    /// Challenges that we sent, with what each cost of Lichess' credit.
    #[serde(default)]
    challenges: Ledger,
    /// Until when Lichess starts no game of ours with a bot.
    #[serde(default)]
    bot_games_blocked: Option<Timestamp>,
    /// Until when Lichess takes no challenge of ours.
    #[serde(default)]
    challenges_blocked: Option<Timestamp>,
    /// By lower-case id.
    #[serde(default)]
    opponents: BTreeMap<String, Opponent>,
}

/// What is known of one opponent.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct Opponent {
    /// Finished games, from our side.
    pub wins: u32,
    /// Lost ones.
    pub losses: u32,
    /// Drawn ones.
    pub draws: u32,
    /// Aborted ones.
    pub aborted: u32,
    /// When we last had to do with each other.
    pub seen: Option<Timestamp>,
    /// When challenges of this opponent were accepted, the newest last.
    accepted: Vec<Timestamp>,
    /// Until when the opponent may start no game with a bot.
    capped: Option<Timestamp>,
    /// Kinds of challenges that were declined.
    backoffs: BTreeMap<Topic, Backoff>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            version: VERSION,
            bot_games: Ledger::default(),
            challenges: Ledger::default(),
            bot_games_blocked: None,
            challenges_blocked: None,
            opponents: BTreeMap::new(),
        }
    }
}

impl State {
    /// Counts the start of a game with a bot, once however often it is told.
    pub(super) fn note_bot_game(&mut self, id: &GameId, now: Timestamp) {
        self.bot_games.prune(now, DAY);
        self.bot_games.add_once(id.as_str(), now);
    }

    /// Games with bots that were started in the last day.
    pub(super) fn bot_games(&self, now: Timestamp) -> u32 {
        self.bot_games.sum(now, DAY)
    }

    /// How long no game with a bot can be started, if `most` are allowed a day; `None` if one can be now.
    pub(super) fn bot_games_wait(&self, most: u32, now: Timestamp) -> Option<Duration> {
        longer(
            left(self.bot_games_blocked, now),
            self.bot_games.wait(1, most, DAY, now),
        )
    }

    /// Lichess starts no game of ours with a bot for so long.
    pub(super) fn block_bot_games(&mut self, wait: Duration, now: Timestamp) {
        extend(&mut self.bot_games_blocked, wait, now);
    }

    /// Counts a challenge that we sent.
    pub(super) fn note_challenge(&mut self, cost: u32, now: Timestamp) {
        self.challenges.prune(now, DAY);
        self.challenges.add(cost, now);
    }

    /// What the challenges of the last day cost.
    pub(super) fn challenge_costs(&self, now: Timestamp) -> u32 {
        self.challenges.sum(now, DAY)
    }

    /// How long a challenge of this cost cannot be sent, if so much is allowed a day and a minute; `None` if it can
    /// be now.
    pub(super) fn challenge_wait(
        &self,
        cost: u32,
        [a_day, a_minute]: [u32; 2],
        now: Timestamp,
    ) -> Option<Duration> {
        let ledger = longer(
            self.challenges.wait(cost, a_day, DAY, now),
            self.challenges.wait(cost, a_minute, MINUTE, now),
        );
        longer(left(self.challenges_blocked, now), ledger)
    }

    /// Lichess takes no challenge of ours for so long.
    pub(super) fn block_challenges(&mut self, wait: Duration, now: Timestamp) {
        extend(&mut self.challenges_blocked, wait, now);
    }

    /// What is known of an opponent.
    pub(super) fn opponent(&self, id: &str) -> Option<&Opponent> {
        self.opponents.get(id)
    }

    /// Counts a finished game.
    pub(super) fn note_result(&mut self, id: &str, verdict: Verdict, now: Timestamp) {
        let opponent = self.meet(id, now);
        match verdict {
            Verdict::Win => opponent.wins += 1,
            Verdict::Loss => opponent.losses += 1,
            Verdict::Draw => opponent.draws += 1,
            Verdict::Aborted => opponent.aborted += 1,
            Verdict::Unknown => {}
        }
    }

    /// Notes that a challenge of this opponent is accepted.
    pub(super) fn note_accepted(&mut self, id: &str, now: Timestamp) {
        let accepted = &mut self.meet(id, now).accepted;
        if accepted.len() >= MOST_ACCEPTED {
            accepted.remove(0);
        }
        accepted.push(now);
    }

    /// Challenges of this opponent that were accepted within `age`.
    pub(super) fn recently_accepted(&self, id: &str, age: Duration, now: Timestamp) -> usize {
        let recent = |at: &&Timestamp| is_within(**at, age, now);
        self.opponent(id).map_or(0, |opponent| {
            opponent.accepted.iter().filter(recent).count()
        })
    }

    /// The opponent has reached the daily limit of games with bots.
    pub(super) fn cap_opponent(&mut self, id: &str, wait: Duration, now: Timestamp) {
        extend(&mut self.meet(id, now).capped, wait, now);
    }

    /// The opponent has declined a challenge: the same kind waits, each time twice as long, `first` at first and
    /// `most` at most.
    pub(super) fn note_refusal(
        &mut self,
        id: &str,
        topic: Topic,
        [first, most]: [Duration; 2],
        now: Timestamp,
    ) -> Duration {
        let backoffs = &mut self.meet(id, now).backoffs;
        backoffs.entry(topic).or_default().refuse(first, most, now)
    }

    /// The opponent has accepted a challenge: what was declined before is forgotten.
    pub(super) fn forgive(&mut self, id: &str, now: Timestamp) {
        self.meet(id, now).backoffs.clear();
    }

    fn meet(&mut self, id: &str, now: Timestamp) -> &mut Opponent {
        if self.opponents.len() >= MOST_OPPONENTS && !self.opponents.contains_key(id) {
            self.forget_oldest();
        }
        let opponent = self.opponents.entry(id.to_owned()).or_default();
        opponent.seen = Some(now);
        opponent
    }

    fn forget_oldest(&mut self) {
        let mut seen: Vec<(Option<Timestamp>, String)> = self
            .opponents
            .iter()
            .map(|(id, opponent)| (opponent.seen, id.clone()))
            .collect();
        seen.sort_unstable();
        for (_, id) in seen.iter().take(MOST_OPPONENTS / 10) {
            self.opponents.remove(id);
        }
    }
}

impl Opponent {
    /// Whether a challenge about these topics would only annoy: declined lately, or capped.
    pub(super) fn is_resting(&self, topics: &[Topic], now: Timestamp) -> bool {
        let declined = |topic: &Topic| {
            let backoff = self.backoffs.get(topic);
            backoff.is_some_and(|backoff| left(Some(backoff.until()), now).is_some())
        };
        left(self.capped, now).is_some() || topics.iter().any(declined)
    }
}

fn span(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

/// Moment so long after `now`, or the last one that there is.
fn after(now: Timestamp, wait: Duration) -> Timestamp {
    now.saturating_add(span(wait)).unwrap_or(Timestamp::MAX)
}

/// Whether something happened within `age` before `now`. What lies in the future never happened.
fn is_within(at: Timestamp, age: Duration, now: Timestamp) -> bool {
    let ago = now.duration_since(at);
    ago >= SignedDuration::ZERO && ago < span(age)
}

/// Time until a moment; `None` if it has come, or lies too far ahead to be believed.
fn left(until: Option<Timestamp>, now: Timestamp) -> Option<Duration> {
    let wait = Duration::try_from(until?.duration_since(now)).ok()?;
    (!wait.is_zero() && wait <= LONGEST_BLOCK).then_some(wait)
}

fn extend(until: &mut Option<Timestamp>, wait: Duration, now: Timestamp) {
    let new = after(now, wait.min(LONGEST_BLOCK));
    let stands = left(*until, now).and(*until);
    *until = stands.max(Some(new));
}

fn longer(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    a.max(b)
}

#[cfg(test)]
mod tests;
