//! Search for the best move: alpha-beta over [`crate::rules`], on plain threads within a budget of cores.

mod bench;
mod control;
mod correction;
mod eval;
mod history;
mod limits;
mod mate;
mod memory;
mod movepick;
pub mod nnue;
mod params;
mod pool;
mod qsearch;
mod root;
mod score;
mod search;
mod searcher;
mod see;
mod session;
mod stability;
mod strength;
#[cfg(test)]
mod tests;
mod time;
mod tt;
mod vote;
mod wdl;
mod worker;

pub use bench::{BenchResult, bench};
pub use eval::Evaluation;
pub use limits::Limits;
pub use params::{ParamError, ParamInfo, Params};
pub use score::{Bound, Score};
pub use searcher::{SEARCH_STACK_BYTES, Searcher};
pub use session::{SearchHandle, Session};
pub use strength::Strength;
pub use time::{Budget, Clock, budget};
pub use wdl::Wdl;

use crate::rules::{Move, Position};
use pool::Pool;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Called with every finished or bounded line of a search.
pub type OnInfo = Box<dyn FnMut(&SearchInfo) + Send>;
/// Called once with the result of a search.
pub type OnDone = Box<dyn FnOnce(SearchResult) + Send>;

/// Search threads behind a budget of cores; cheap to clone.
#[derive(Clone, Debug)]
pub struct Engine {
    pool: Arc<Pool>,
    evaluation: Evaluation,
}

impl Engine {
    /// Engine that never searches on more than `cores` cores (at least 1) at once.
    pub fn new(cores: usize) -> Self {
        Self::with_evaluation(cores, Evaluation::default())
    }

    /// The same, with sessions that judge positions by `evaluation` until they are told something else.
    pub fn with_evaluation(cores: usize, evaluation: Evaluation) -> Self {
        Self {
            pool: Arc::new(Pool::new(cores)),
            evaluation,
        }
    }

    /// Most cores used at once.
    pub fn cores(&self) -> usize {
        self.pool.cores()
    }

    /// New session, usually one per game.
    pub fn session(&self, options: SessionOptions) -> Session {
        Session::new(Arc::clone(&self.pool), self.evaluation.clone(), options)
    }
}

/// Size of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionOptions {
    /// Transposition table, MiB, 1 to 65536.
    pub hash_mib: usize,
    /// Threads of one search, 1 to 256; never more than the cores of the engine.
    pub threads: usize,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            hash_mib: 16,
            threads: 1,
        }
    }
}

/// What to search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// Position to find a move in.
    pub position: Position,
    /// Keys of earlier positions of the game that can still be repeated, oldest first, the current one not included.
    pub earlier: Vec<u64>,
    /// What ends the search.
    pub limits: Limits,
    /// When the clock started to run: the arrival of the line that told the opponent's move.
    pub received: Instant,
}

/// Progress of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchInfo {
    /// Finished depth, plies.
    pub depth: u32,
    /// Deepest ply visited.
    pub seldepth: u32,
    /// Rank of the line, from 1.
    pub multipv: usize,
    /// Score for the side to move.
    pub score: Score,
    /// Set if the score is only a bound.
    pub bound: Option<Bound>,
    /// Nodes so far, all threads.
    pub nodes: u64,
    /// Nodes per second so far.
    pub nps: u64,
    /// Filling of the transposition table, per mille.
    pub hashfull: u32,
    /// Time since the search started.
    pub elapsed: Duration,
    /// Expected line, best move first.
    pub pv: Vec<Move>,
}

/// Outcome of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchResult {
    /// Best move; `None` only without a legal move.
    pub best: Option<Move>,
    /// Expected answer.
    pub ponder: Option<Move>,
    /// Score for the side to move.
    pub score: Score,
    /// Last finished depth.
    pub depth: u32,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// Expected line, best move first.
    pub pv: Vec<Move>,
    /// Time since the search started.
    pub elapsed: Duration,
}
