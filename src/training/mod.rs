//! Making of networks: self-play games, their files, the trainer, and matches that measure what came of it.
//!
//! Nothing here is used while the bot plays.

mod game_file;
#[cfg(test)]
mod game_file_tests;
mod game_reader;
mod game_record;
mod game_writer;

pub use game_file::{DataError, EXTENSION, GameFileHeader, game_files};
pub use game_reader::GameReader;
pub use game_record::{Ending, GameRecord, RecordError, Replay, ScoredMove};
pub use game_writer::GameWriter;
