//! Portable game notation: written with the tags of Lichess' exports, and read back.
//!
//! Reading takes files of any number of games, written here or by Lichess: comments, numeric
//! glyphs and variations (skipped), clocks and evaluations, starting positions. It looks at each
//! byte once, so that a megabyte of garbage costs no more than a megabyte of games.

mod read;
mod write;

pub use read::{Games, PgnError, PgnErrorKind, games, read};
pub use write::write;

use super::outcome::{Game, Outcome};
use super::piece::{Color, Variant};
use std::time::Duration;

/// One game of a file.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// All tags as found, `Result`, `Variant` and `FEN` included.
    pub tags: Tags,
    /// Starting position and moves of the main line.
    pub game: Game,
    /// What stands behind each move: as many as moves.
    pub notes: Vec<Note>,
    /// Result behind the moves, or else of the `Result` tag.
    pub result: GameResult,
}

/// Tag pairs in the order in which they were set or read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// No tags.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Value of a tag, whose name is compared without regard to case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Sets a tag, replacing an earlier value. Letters, digits and `_` make a name.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self
            .0
            .iter_mut()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
        {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Number of tags.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no tag.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Comment behind a move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Note {
    /// Time left to the side that moved, after its move (`[%clk 0:02:59]`; written in whole seconds).
    pub clock: Option<Duration>,
    /// Evaluation of the position after the move (`[%eval 0.17]`).
    pub eval: Option<Eval>,
    /// Everything else.
    pub text: String,
}

impl Note {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.clock.is_none() && self.eval.is_none() && self.text.trim().is_empty()
    }
}

/// Evaluation from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eval {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate, negative when Black mates.
    Mate(i32),
}

/// How a game ended, as PGN writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GameResult {
    /// `1-0`.
    WhiteWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
    /// `*`: goes on, was aborted, or is not known.
    #[default]
    Unfinished,
}

impl GameResult {
    /// Result of a game that `winner` won, or that was drawn.
    pub const fn from_winner(winner: Option<Color>) -> Self {
        match winner {
            Some(Color::White) => Self::WhiteWins,
            Some(Color::Black) => Self::BlackWins,
            None => Self::Draw,
        }
    }

    /// Result of a game that ended by the rules.
    pub const fn from_outcome(outcome: Outcome) -> Self {
        Self::from_winner(outcome.winner())
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub const fn token(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unfinished => "*",
        }
    }

    /// Result of its token.
    pub fn from_token(token: &str) -> Option<Self> {
        [
            Self::WhiteWins,
            Self::BlackWins,
            Self::Draw,
            Self::Unfinished,
        ]
        .into_iter()
        .find(|result| result.token() == token)
    }
}

/// Name of a variant in the `Variant` tag.
const fn variant_name(variant: Variant) -> &'static str {
    match variant {
        Variant::Crazyhouse => "Crazyhouse",
        Variant::Loop => "Loop",
        Variant::Chessgi => "Chessgi",
    }
}

#[cfg(test)]
mod tests;
