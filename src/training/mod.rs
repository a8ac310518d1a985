//! Making of networks: self-play games, their files, the trainer, and matches that measure what came of it.
//!
//! Nothing here is used while the bot plays.

mod datagen;
#[cfg(test)]
mod datagen_tests;
pub mod duel;
mod filter;
mod game_file;
#[cfg(test)]
mod game_file_tests;
mod game_reader;
mod game_record;
mod game_writer;
mod openings;
mod selfplay;
mod shuffle;
mod statistics;

pub use datagen::{DatagenOptions, Progress, Target, evaluation_id, generate};
pub use filter::{Filter, Reason};
pub use game_file::{DataError, EXTENSION, GameFileHeader, game_files};
pub use game_reader::GameReader;
pub use game_record::{Ending, GameRecord, RecordError, Replay, ScoredMove};
pub use game_writer::GameWriter;
pub use openings::{OpeningOptions, random_opening};
pub use selfplay::SelfPlayer;
pub use shuffle::shuffle;
pub use statistics::{FaultyData, Statistics, verify};
