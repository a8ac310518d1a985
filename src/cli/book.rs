//! Arguments of `book`.

use super::variant;
use clap::{Args, Subcommand, ValueEnum};
use pocketknight::book::Weighting;
use pocketknight::rules::Variant;
use std::path::PathBuf;

#[derive(Subcommand, Debug)]
pub(crate) enum BookCommand {
    /// Make a book from games
    Build(BookBuildArgs),
    /// Check a book and print what it is
    Info {
        /// Book
        file: PathBuf,
    },
    /// Print the moves of a position
    Show(BookShowArgs),
}

#[derive(Args, Debug)]
#[command(
    after_help = "A book from games of the engine against itself, in two commands:\n  \
    pocketknight datagen --games 20000 --seed 1 --out selfplay\n  \
    pocketknight book build selfplay --min-count 20 --margin 5 -o own.book\n\
    Their first moves are drawn by lot, so it is --margin that keeps the bad ones out.\n\
    To play it: set book.path = \"own.book\" in the settings."
)]
pub(crate) struct BookBuildArgs {
    /// Files of games: PGN, JSON lines (results.jsonl of the bot, or Lichess' export), or those of `datagen` or
    /// folders of them
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// New book
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Plies (moves of either side) of a game that are taken in
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) max_ply: u16,
    /// Fewest games in which a move was played
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_count: u32,
    /// Lowest rating of both players; 0 takes games without ratings too
    #[arg(long, value_name = "R", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=4000))]
    pub(crate) min_rating: u32,
    /// What moves are weighted by: points of their games, or games
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Weights::Points)]
    pub(crate) weights: Weights,
    /// Leave moves out that score so many percent worse than the best one of their position
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) margin: u8,
}

#[derive(Args, Debug)]
pub(crate) struct BookShowArgs {
    /// Book
    pub(crate) file: PathBuf,
    /// Position; default: the start position
    #[arg(long)]
    pub(crate) fen: Option<String>,
    /// crazyhouse, loop or chessgi
    #[arg(long, default_value = "crazyhouse", value_parser = variant)]
    pub(crate) variant: Variant,
    /// Moves to play first, in UCI or SAN
    #[arg(long, value_name = "MOVES", num_args = 1.., allow_hyphen_values = false)]
    pub(crate) moves: Vec<String>,
}

/// Weighting on the command line.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Weights {
    /// Games in which it was played
    Games,
    /// Twice the wins plus the draws; a move that always lost is never played
    Points,
}

impl From<Weights> for Weighting {
    fn from(weights: Weights) -> Self {
        match weights {
            Weights::Games => Self::Games,
            Weights::Points => Self::Points,
        }
    }
}
