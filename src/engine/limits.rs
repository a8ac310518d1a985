//! What ends a search: the limits of a request, and the deadlines that come from them.

use super::control::Hit;
use super::strength::Strength;
use super::time::{Clock, budget};
use crate::rules::Move;
use std::time::{Duration, Instant};

/// Limits of one search. All given limits hold at once; without any the search runs to the greatest depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Deepest iteration, plies, at least 1.
    pub depth: Option<u32>,
    /// Most nodes, quiescence included.
    pub nodes: Option<u64>,
    /// Begin no iteration after so many nodes.
    pub soft_nodes: Option<u64>,
    /// Time from [`super::SearchRequest::received`] on.
    pub movetime: Option<Duration>,
    /// Clock to share out.
    pub clock: Option<Clock>,
    /// Stop when a mate in at most this many own moves is found.
    pub mate: Option<u32>,
    /// Report the result only after `stop`.
    pub infinite: bool,
    /// The clock runs only from `ponderhit` on; the result is reported only after it or after `stop`.
    pub ponder: bool,
    /// Root moves to choose from; empty: all legal ones. Moves that are not legal are ignored.
    pub search_moves: Vec<Move>,
    /// Number of best lines to report, at least 1.
    pub multipv: usize,
    /// Play no better than this; `None` for as well as possible. Such a search runs on one thread and without what
    /// earlier ones have learned.
    pub strength: Option<Strength>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: None,
            nodes: None,
            soft_nodes: None,
            movetime: None,
            clock: None,
            mate: None,
            infinite: false,
            ponder: false,
            search_moves: Vec::new(),
            multipv: 1,
            strength: None,
        }
    }
}

impl Limits {
    /// Most nodes by all limits together.
    pub(crate) fn most_nodes(&self) -> u64 {
        let asked = self.nodes.unwrap_or(u64::MAX);
        // Each line costs about as much as one alone, and the level is that of a search for one.
        let lines = self.multipv.max(1) as u64;
        let level = self
            .strength
            .map(|strength| strength.nodes().saturating_mul(lines));
        asked.min(level.unwrap_or(u64::MAX))
    }
}

/// Moments at which a search ends, `None` for never.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Deadlines {
    /// When the time started to run.
    pub(crate) start: Option<Instant>,
    /// Target length of the move, before it is stretched or shortened.
    pub(crate) soft: Option<Duration>,
    /// End in any case.
    pub(crate) hard: Option<Instant>,
}

impl Deadlines {
    /// Deadlines of limits whose time started to run at `start`.
    pub(crate) fn new(limits: &Limits, start: Instant) -> Self {
        Self::of(limits.clock.as_ref(), limits.movetime, start)
    }

    /// Deadlines of limits after the expected move was played.
    pub(crate) fn after_hit(limits: &Limits, hit: Hit) -> Self {
        Self::of(
            hit.clock.as_ref().or(limits.clock.as_ref()),
            limits.movetime,
            hit.at,
        )
    }

    fn of(clock: Option<&Clock>, movetime: Option<Duration>, start: Instant) -> Self {
        let budget = clock.map(budget);
        let hard = match (budget.map(|b| b.hard), movetime) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            start: Some(start),
            soft: budget.map(|b| b.soft),
            // A moment too far away to be told is never reached.
            hard: hard.and_then(|time| start.checked_add(time)),
        }
    }
}
