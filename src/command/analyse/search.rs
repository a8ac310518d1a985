//! Searches of an analysis, which can be broken off.

use anyhow::anyhow;
use pocketknight::engine::{
    Limits, OnDone, OnInfo, Score, SearchInfo, SearchRequest, SearchResult, Session, Wdl,
};
use pocketknight::rules::{Color, Game, Move, Outcome};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How soon a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// Score of a position, with the side to move that it is seen from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Worth {
    pub(super) score: Score,
    pub(super) turn: Color,
}

impl Worth {
    /// Worth of a position in which the game is over.
    pub(super) fn of_outcome(outcome: Outcome, turn: Color) -> Self {
        let score = match outcome {
            Outcome::Checkmate { .. } => Score::Mate(0),
            Outcome::Stalemate | Outcome::FivefoldRepetition => Score::Cp(0),
        };
        Self { score, turn }
    }

    /// Chances of White.
    pub(super) fn chances(self) -> Wdl {
        let own = Wdl::of(self.score);
        match self.turn {
            Color::White => own,
            Color::Black => own.flipped(),
        }
    }

    /// Points that a side can expect, 0 to 1.
    pub(super) fn expectation(self, color: Color) -> f64 {
        let white = self.chances().expectation();
        match color {
            Color::White => white,
            Color::Black => 1.0 - white,
        }
    }
}

/// Expected line with its worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) worth: Worth,
    pub(super) moves: Vec<Move>,
}

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Thought {
    /// Best first, at least one.
    pub(super) lines: Vec<Line>,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    pub(super) elapsed: Duration,
}

enum Event {
    Info(SearchInfo),
    Done(SearchResult),
}

/// Thinks about the last position of `game` until a limit or `stop` ends it. The position must have a legal move.
///
/// # Errors
/// If the engine gives no move, which is a bug.
pub(super) fn think(
    session: &mut Session,
    game: &Game,
    limits: &Limits,
    stop: &AtomicBool,
    on_info: &mut dyn FnMut(&SearchInfo),
) -> anyhow::Result<Thought> {
    let turn = game.position().turn();
    let request = SearchRequest {
        position: *game.position(),
        earlier: game.earlier_keys().to_vec(),
        limits: limits.clone(),
        received: Instant::now(),
    };
    let (sender, events) = channel();
    let last = sender.clone();
    // Nobody listens any more only after the result.
    let tell: OnInfo = Box::new(move |info| drop(sender.send(Event::Info(info.clone()))));
    let end: OnDone = Box::new(move |result| drop(last.send(Event::Done(result))));
    let handle = session.search(request, tell, end);
    let mut infos: Vec<SearchInfo> = Vec::new();
    let result = loop {
        match events.recv_timeout(PATIENCE) {
            Ok(Event::Info(info)) => {
                on_info(&info);
                if info.bound.is_none() {
                    infos.truncate(info.multipv - 1);
                    infos.push(info);
                }
            }
            Ok(Event::Done(result)) => break result,
            Err(RecvTimeoutError::Timeout) if stop.load(Relaxed) => handle.stop(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("the search panicked")),
        }
    };
    let best = result
        .best
        .ok_or_else(|| anyhow!("the search gives no move"))?;
    let line = |score, moves| Line {
        worth: Worth { score, turn },
        moves,
    };
    let lines = if infos.len() > 1 {
        let lines = infos.into_iter().map(|info| line(info.score, info.pv));
        lines.collect()
    } else if result.pv.is_empty() {
        vec![line(result.score, vec![best])]
    } else {
        vec![line(result.score, result.pv)]
    };
    Ok(Thought {
        lines,
        depth: result.depth,
        nodes: result.nodes,
        elapsed: result.elapsed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketknight::engine::{Engine, SessionOptions};
    use pocketknight::rules::Variant;

    #[test]
    fn search_without_limits_ends_with_the_best_so_far_when_told() {
        let mut session = Engine::new(1).session(SessionOptions::default());
        let game = Game::new(Variant::Crazyhouse);
        for multipv in [1, 4] {
            let limits = Limits {
                multipv,
                ..Limits::default()
            };
            let stop = AtomicBool::new(false);
            let tell = &mut |_: &SearchInfo| stop.store(true, Relaxed);
            let thought = think(&mut session, &game, &limits, &stop, tell).unwrap();
            assert_eq!(thought.lines.len(), multipv);
            for line in &thought.lines {
                assert!(game.position().is_legal(line.moves[0]), "{line:?}");
            }
        }
    }
}
