//! Challenges of our own: when, to whom, with what. [`Matchmaker`] decides and is pure (time, lots and facts are passed
//! in); [`attempt`] carries out one challenge.

pub(super) mod attempt;
pub(super) mod choose;
mod offer;
mod series;

pub(super) use offer::{Offer, Refusal};
pub use series::{Colors, Series, SeriesEnd, SeriesScore};

use super::pauses::doubled;
use super::record::Verdict;
use super::state::State;
use crate::lichess::model::{GameId, Side};
use crate::settings::{Clock, MatchmakingSettings, Mode};
use jiff::Timestamp;
use series::Play;
use std::time::{Duration, Instant};

/// Cost of challenges in a minute that Lichess allows.
const A_MINUTE: u32 = 25;
/// Cost of challenges in a day that Lichess allows; a series goes up to it.
const A_DAY: u32 = 200;
/// Longest pause after failures.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// What to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Nothing, until something happens or the time comes.
    Rest(Option<Instant>),
    /// Look for somebody to challenge to this.
    Find(Terms),
    /// Challenge.
    Challenge(Offer),
    /// The series is over.
    End(SeriesEnd),
}

/// Game to be offered to whoever is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Terms {
    /// Clock.
    pub clock: Clock,
    /// Rated or casual.
    pub rated: bool,
    /// Our color; `None` leaves it to chance.
    pub color: Option<Side>,
}

/// What else is going on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now<'a> {
    /// Clock of the timers.
    pub at: Instant,
    /// Clock of the state.
    pub time: Timestamp,
    /// Settings in force.
    pub settings: &'a MatchmakingSettings,
    /// Most games with bots in a day.
    pub max_bot_games: u32,
    /// What is kept.
    pub state: &'a State,
    /// Nothing new is begun, as the bot is about to leave.
    pub draining: bool,
    /// When the server wants to be asked again, if it wants to be left alone.
    pub gate: Option<Instant>,
    /// Running and expected games.
    pub taken: usize,
    /// A slot is free.
    pub is_open: bool,
    /// A slot is free for a game with a bot.
    pub is_open_to_bots: bool,
    /// Challenges that wait for a slot.
    pub waiting: usize,
}

/// Decides about challenges of our own.
#[derive(Debug)]
pub(super) struct Matchmaker {
    rng: fastrand::Rng,
    series: Option<Play>,
    /// When a game last started or ended.
    active: Instant,
    /// No challenge before this.
    not_before: Instant,
    /// Failures in a row.
    failures: u32,
    /// A search or a challenge is under way.
    busy: bool,
    /// First game of a pair that is being played, with what was offered.
    first: Option<(GameId, Offer)>,
    /// Second game that is owed.
    second: Option<Offer>,
}

impl Matchmaker {
    pub(super) fn new(series: Option<Series>, now: Instant, rng: fastrand::Rng) -> Self {
        Self {
            rng,
            series: series.map(Play::new),
            active: now,
            not_before: now,
            failures: 0,
            busy: false,
            first: None,
            second: None,
        }
    }

    /// The series that is played.
    pub(super) fn series(&self) -> Option<&Series> {
        self.series.as_ref().map(Play::series)
    }

    /// Whether a series keeps a slot for itself now: none of its games takes one.
    pub(super) fn holds_slot(&self) -> bool {
        !self.busy && self.series.as_ref().is_some_and(Play::is_between_games)
    }

    /// What to do now. After [`Step::Find`] and [`Step::Challenge`] nothing else comes until the end of that is told.
    pub(super) fn next(&mut self, facts: &Now<'_>) -> Step {
        if self.busy || facts.draining {
            return Step::Rest(None);
        }
        let step = if self.series.is_some() {
            self.next_of_series(facts)
        } else {
            self.next_of_matchmaking(facts)
        };
        self.busy = matches!(step, Step::Find(_) | Step::Challenge(_));
        step
    }

    fn next_of_series(&mut self, facts: &Now<'_>) -> Step {
        let Some(play) = &self.series else {
            return Step::Rest(None);
        };
        if !play.is_between_games() {
            return Step::Rest(None);
        }
        if let Some(end) = play.end() {
            return Step::End(end);
        }
        if !facts.is_open {
            return Step::Rest(None);
        }
        let cost = play.cost();
        let wait = facts
            .state
            .challenge_wait(cost, [A_DAY, A_MINUTE], facts.time);
        let capped =
            (cost == 1).then(|| facts.state.bot_games_wait(facts.max_bot_games, facts.time));
        if let Some(wait) = capped.flatten() {
            let reason = format!(
                "the limit of games with bots is reached for another {} min",
                wait.as_secs().div_ceil(60)
            );
            return Step::End(play.give_up(reason));
        }
        let until = [
            Some(self.not_before),
            facts.gate,
            wait.and_then(|wait| facts.at.checked_add(wait)),
        ];
        match later_than(facts.at, until) {
            Some(until) => Step::Rest(Some(until)),
            None => Step::Challenge(play.offer()),
        }
    }

    fn next_of_matchmaking(&mut self, facts: &Now<'_>) -> Step {
        let settings = facts.settings;
        let is_busy = facts.taken > 0 && !settings.allow_during_games;
        if !settings.enabled || !facts.is_open_to_bots || facts.waiting > 0 || is_busy {
            return Step::Rest(None);
        }
        let idle = match &self.second {
            Some(_) => facts.at,
            None => self.active + settings.idle_delay,
        };
        let [games, all_games, credit] = [
            facts
                .state
                .bot_games_wait(settings.games_per_day, facts.time),
            facts.state.bot_games_wait(facts.max_bot_games, facts.time),
            facts
                .state
                .challenge_wait(1, [settings.challenges_per_day, A_MINUTE], facts.time),
        ]
        .map(|wait| wait.and_then(|wait| facts.at.checked_add(wait)));
        let until = [
            Some(idle),
            Some(self.not_before),
            facts.gate,
            games,
            all_games,
            credit,
        ];
        if let Some(until) = later_than(facts.at, until) {
            return Step::Rest(Some(until));
        }
        match self.second.take() {
            Some(offer) => Step::Challenge(offer),
            None => Step::Find(self.terms(settings)),
        }
    }

    fn terms(&mut self, settings: &MatchmakingSettings) -> Terms {
        let rated = match settings.mode {
            Mode::Rated => true,
            Mode::Casual => false,
            Mode::Random => self.rng.bool(),
        };
        let color = settings.pairs.then(|| {
            if self.rng.bool() {
                Side::White
            } else {
                Side::Black
            }
        });
        Terms {
            clock: choose::clock(&settings.clocks, &mut self.rng),
            rated,
            color,
        }
    }

    /// Lots for whoever needs some.
    pub(super) fn lots(&mut self) -> fastrand::Rng {
        self.rng.fork()
    }

    /// The search is over. What was found is challenged at once by whoever asked; nothing found means a pause.
    pub(super) fn on_search(&mut self, found: bool, now: Instant, settings: &MatchmakingSettings) {
        if !found {
            self.busy = false;
            self.pause(now, settings);
        }
    }

    /// The challenge was not sent after all.
    pub(super) fn on_unsent(&mut self) {
        self.busy = false;
    }

    /// The challenge became a game.
    pub(super) fn on_accepted(&mut self, id: &GameId, offer: &Offer, pairs: bool, now: Instant) {
        self.busy = false;
        self.failures = 0;
        self.active = now;
        match &mut self.series {
            Some(play) => play.on_start(id),
            // A second game does not ask for a third.
            None if pairs && !offer.is_second => self.first = Some((id.clone(), offer.clone())),
            None => {}
        }
    }

    /// The challenge did not become a game.
    pub(super) fn on_refused(
        &mut self,
        refusal: &Refusal,
        now: Instant,
        settings: &MatchmakingSettings,
    ) -> Duration {
        self.busy = false;
        if let Some(play) = &mut self.series {
            play.on_refused(refusal);
        }
        self.pause(now, settings)
    }

    /// The server has no time for challenges.
    pub(super) fn on_server_busy(
        &mut self,
        now: Instant,
        settings: &MatchmakingSettings,
    ) -> Duration {
        self.busy = false;
        if let Some(play) = &mut self.series {
            play.on_refused(&Refusal::Unanswered);
        }
        self.pause(now, settings)
    }

    fn pause(&mut self, now: Instant, settings: &MatchmakingSettings) -> Duration {
        let first = settings.retry_pause;
        let pause = doubled(first, self.failures, LONGEST_PAUSE.max(first));
        // Matchmaking asks another bot each time, a series always the same.
        if self.series.is_some() {
            self.failures = self.failures.saturating_add(1);
        }
        self.not_before = now + pause;
        pause
    }

    /// Any game has started.
    pub(super) fn on_game(&mut self, now: Instant) {
        self.active = now;
    }

    /// A game is over. The score of the series, if the game belongs to one.
    pub(super) fn on_game_over(
        &mut self,
        id: &GameId,
        verdict: Verdict,
        now: Instant,
        settings: &MatchmakingSettings,
    ) -> Option<SeriesScore> {
        self.active = now;
        if let Some(play) = &mut self.series {
            let score = play.on_end(id, verdict)?;
            if verdict == Verdict::Aborted {
                self.pause(now, settings);
            }
            return Some(score);
        }
        if let Some((_, offer)) = self.first.take_if(|(first, _)| first == id)
            && verdict != Verdict::Aborted
        {
            self.second = Some(offer.second());
        }
        None
    }
}

/// The latest of some moments, if it lies ahead.
fn later_than<const N: usize>(now: Instant, moments: [Option<Instant>; N]) -> Option<Instant> {
    moments.into_iter().flatten().max().filter(|at| *at > now)
}

#[cfg(test)]
mod tests;
