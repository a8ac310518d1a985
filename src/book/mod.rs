//! Opening book: moves of played games by position, in a compact file of its own.
//!
//! A position is everything that crazyhouse knows of it: board, promoted marks, pockets, side to move, castling,
//! en passant, variant ([`key`]). Books of ordinary chess know no pockets, so their files are refused. The file is
//! described in [`mod@format`], and made from games by [`Builder`].

mod build;
mod choice;
pub mod format;
mod input;
mod key;
#[cfg(test)]
mod tests;

pub use build::{BuildError, BuildOptions, Builder, Skipped};
pub use choice::{Choice, Selection, pick, playable, roll};
pub use format::{Book, BookError, Flaw, load, save};
pub use input::{Games, InputError, InputGame, InputKind};
pub use key::key;

use crate::rules::Move;

/// What the weight of a move is, by which moves are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weighting {
    /// Games in which it was played.
    Games,
    /// Twice the wins plus the draws of the side that played it; a move that always lost is never chosen.
    #[default]
    Points,
}

impl Weighting {
    /// Lower-case word, as on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Points => "points",
        }
    }
}

/// Move of a position and how the games went in which it was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move; a damaged or foreign book may hold ones that are not legal.
    pub mv: Move,
    /// Games that the side which played it won.
    pub wins: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games that the side which played it lost.
    pub losses: u32,
}

impl BookMove {
    /// Games in which it was played.
    pub const fn count(&self) -> u64 {
        self.wins as u64 + self.draws as u64 + self.losses as u64
    }

    /// What it is chosen by; 0 for a move that is never chosen.
    pub const fn weight(&self, weighting: Weighting) -> u64 {
        match weighting {
            Weighting::Games => self.count(),
            Weighting::Points => 2 * self.wins as u64 + self.draws as u64,
        }
    }

    /// Share of the points that the side which played it took, 0 to 1; one half without games.
    pub fn score(&self) -> f64 {
        match self.count() {
            0 => 0.5,
            games => (f64::from(self.wins) + f64::from(self.draws) / 2.0) / games as f64,
        }
    }
}
