//! A series of games against one opponent.

use super::offer::{Offer, Refusal};
use crate::bot::record::Verdict;
use crate::lichess::model::{GameId, Side};
use crate::settings::Clock;
use std::fmt;

/// Refusals, aborted games among them, in a row after which a series is given up.
const MOST_REFUSALS: u32 = 5;

/// Our colors in a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colors {
    /// White in every game.
    White,
    /// Black in every game.
    Black,
    /// Drawn by the server.
    Random,
    /// White and Black in turn.
    Pairs,
}

/// A series to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    /// Id of the opponent (lower case).
    pub opponent: String,
    /// Whether that is a bot; challenges to humans cost five times as much of Lichess' credit.
    pub is_bot: bool,
    /// Games to be played, at least 1; aborted ones do not count.
    pub games: u32,
    /// Clock.
    pub clock: Clock,
    /// Rated or casual.
    pub rated: bool,
    /// Our colors.
    pub colors: Colors,
    /// Accept challenges of others meanwhile, in the other slots.
    pub accept_others: bool,
}

/// Score of a series, from our side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SeriesScore {
    /// Games won.
    pub wins: u32,
    /// Games lost.
    pub losses: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games that ended in a way this program does not know.
    pub unknown: u32,
}

impl SeriesScore {
    /// Games that count.
    pub const fn games(&self) -> u32 {
        self.wins + self.losses + self.draws + self.unknown
    }
}

impl fmt::Display for SeriesScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = |games: u32, draws: u32| {
            let fraction = if draws.is_multiple_of(2) { "" } else { ".5" };
            format!("{}{fraction}", games + draws / 2)
        };
        write!(
            f,
            "{}:{} (won {}, drawn {}, lost {})",
            half(self.wins, self.draws),
            half(self.losses, self.draws),
            self.wins,
            self.draws,
            self.losses
        )
    }
}

/// How a series ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesEnd {
    /// Score.
    pub score: SeriesScore,
    /// Why not all games were played; `None` if they were.
    pub gave_up: Option<String>,
}

/// A series that is being played.
#[derive(Debug)]
pub(super) struct Play {
    series: Series,
    score: SeriesScore,
    running: Option<GameId>,
    refusals: u32,
    gave_up: Option<String>,
}

impl Play {
    pub(super) fn new(series: Series) -> Self {
        Self {
            series,
            score: SeriesScore::default(),
            running: None,
            refusals: 0,
            gave_up: None,
        }
    }

    pub(super) const fn series(&self) -> &Series {
        &self.series
    }

    pub(super) const fn is_between_games(&self) -> bool {
        self.running.is_none()
    }

    pub(super) const fn cost(&self) -> u32 {
        if self.series.is_bot { 1 } else { 5 }
    }

    /// Next challenge.
    pub(super) fn offer(&self) -> Offer {
        let color = match self.series.colors {
            Colors::Random => None,
            Colors::White => Some(Side::White),
            Colors::Pairs if self.score.games().is_multiple_of(2) => Some(Side::White),
            Colors::Black | Colors::Pairs => Some(Side::Black),
        };
        Offer {
            opponent: self.series.opponent.clone(),
            is_bot: self.series.is_bot,
            clock: self.series.clock,
            rated: self.series.rated,
            color,
            is_second: false,
        }
    }

    pub(super) fn on_start(&mut self, id: &GameId) {
        self.running = Some(id.clone());
    }

    pub(super) fn on_refused(&mut self, refusal: &Refusal) {
        self.refusals += 1;
        if refusal.is_final() {
            self.gave_up = Some(refusal.to_string());
        } else if self.refusals >= MOST_REFUSALS {
            self.gave_up = Some(format!(
                "refused {} times in a row, last: {refusal}",
                self.refusals
            ));
        }
    }

    /// Score after a game of the series; `None` if it is not the one.
    pub(super) fn on_end(&mut self, id: &GameId, verdict: Verdict) -> Option<SeriesScore> {
        self.running.take_if(|running| running == id)?;
        match verdict {
            Verdict::Win => self.score.wins += 1,
            Verdict::Loss => self.score.losses += 1,
            Verdict::Draw => self.score.draws += 1,
            Verdict::Unknown => self.score.unknown += 1,
            Verdict::Aborted => {
                self.refusals += 1;
                if self.refusals >= MOST_REFUSALS {
                    self.gave_up = Some(format!(
                        "{} games aborted or challenges refused in a row",
                        self.refusals
                    ));
                }
                return Some(self.score);
            }
        }
        self.refusals = 0;
        Some(self.score)
    }

    /// The end, if it has come.
    pub(super) fn end(&self) -> Option<SeriesEnd> {
        let is_done = self.score.games() >= self.series.games;
        (is_done || self.gave_up.is_some()).then(|| SeriesEnd {
            score: self.score,
            gave_up: self.gave_up.clone().filter(|_| !is_done),
        })
    }

    pub(super) const fn give_up(&self, reason: String) -> SeriesEnd {
        SeriesEnd {
            score: self.score,
            gave_up: Some(reason),
        }
    }
}
