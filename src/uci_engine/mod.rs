//! Client side of UCI: another engine as a process of its own, asked for moves of crazyhouse.
//!
//! [`Process`] is a running engine whose options were checked and set. [`Driver`] keeps one for a game: it starts it,
//! hands searches to it one after the other, and starts it anew a few times if it fails. Whatever the engine does or
//! says, a search ends with an answer or a [`Fault`]; what then is for the caller to say.

mod driver;
mod lines;
mod messages;
mod options;
mod process;

pub use driver::{Driver, Running};
pub use options::OptionProblem;
pub use process::{Process, StartError};

use crate::engine::Score;
use crate::rules::{CastlingStyle, Game, Move};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// Program to run and how to set it up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineSpec {
    /// Program.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Folder that it runs in, if not that of this process.
    pub working_dir: Option<PathBuf>,
    /// Options by name, in any case.
    pub options: BTreeMap<String, String>,
    /// Whether it is told that it may think on the opponent's time.
    pub ponder: bool,
}

impl EngineSpec {
    /// How castling is written to this engine: as king takes rook only if its options set `UCI_Chess960`.
    pub fn castling(&self) -> CastlingStyle {
        let chess960 = self.options.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("UCI_Chess960") && value.eq_ignore_ascii_case("true")
        });
        if chess960 {
            CastlingStyle::KingTakesRook
        } else {
            CastlingStyle::TwoSquares
        }
    }
}

/// What to search.
#[derive(Clone, Debug)]
pub struct Request {
    /// Game up to the position to find a move in.
    pub game: Game,
    /// What ends the search; at least one limit should be given, or [`Running::stop`] called.
    pub limits: Limits,
    /// Search on the opponent's time: goes on until [`Running::ponderhit`] or [`Running::stop`].
    pub ponder: bool,
}

/// Limits of a search; all that are given hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Time left of White and Black, and their increments.
    pub clock: Option<[(Duration, Duration); 2]>,
    /// Time of the search.
    pub movetime: Option<Duration>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Depth, plies.
    pub depth: Option<u32>,
}

/// Move that the engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Legal move.
    pub best: Move,
    /// Reply that the engine expects, legal after `best`.
    pub ponder: Option<Move>,
    /// Score for the side to move, if the engine told one.
    pub score: Option<Score>,
    /// Depth told last.
    pub depth: u32,
    /// Nodes told last.
    pub nodes: u64,
    /// Time from the command to the answer.
    pub elapsed: Duration,
}

/// Why a search has no answer. After any of them but the last two the process is ended.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// The process has ended, or closed its output.
    #[error("the engine has ended{}", .status.as_ref().map_or_else(String::new, |s| format!(" ({s})")))]
    Ended {
        /// How, if that is known.
        status: Option<String>,
    },
    /// It does not answer `stop`.
    #[error("the engine does not answer")]
    Silent,
    /// It plays something that is no legal move.
    #[error("the engine plays {text:?}, which is not legal")]
    Illegal {
        /// Its words, cut.
        text: String,
    },
    /// It could not be started again.
    #[error("the engine could not be started: {reason}")]
    Start {
        /// Why not.
        reason: String,
    },
    /// It failed too often and is not started any more.
    #[error("the engine failed too often")]
    GivenUp,
}
