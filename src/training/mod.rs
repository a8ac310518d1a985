//! Making of networks: self-play games, their files, the trainer, and matches that measure what came of it.
//!
//! Nothing here is used while the bot plays.

mod checkpoint;
mod curve;
mod datagen;
#[cfg(test)]
mod datagen_tests;
mod dataset;
pub mod duel;
mod export;
mod files;
mod filter;
mod game_file;
#[cfg(test)]
mod game_file_tests;
mod game_reader;
mod game_record;
mod game_writer;
mod goal;
mod gradient;
mod hash;
mod kernels;
mod linear;
mod model;
mod openings;
mod optimizer;
mod sample;
mod selfplay;
mod shuffle;
mod statistics;
mod trainer;
#[cfg(test)]
mod training_tests;
pub mod tune;
mod validation;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use curve::Curve;
pub use datagen::{DatagenOptions, Progress, Target, evaluation_id, generate};
pub use dataset::{Dataset, LoadError, Split, SplitError};
pub use export::{Difference, ExportError};
pub use files::{is_special, part_of, write_whole};
pub use filter::{Filter, Reason};
pub use game_file::{DataError, EXTENSION, GameFileHeader, game_files};
pub use game_reader::GameReader;
pub use game_record::{Ending, GameRecord, RecordError, Replay, ScoredMove};
pub use game_writer::GameWriter;
pub use goal::{Goal, fit_score_scale, sigmoid};
pub use linear::Linear;
pub use model::{Evaluator, Model};
pub use openings::{OpeningOptions, random_opening};
pub use sample::{Rows, Sample};
pub use selfplay::SelfPlayer;
pub use shuffle::shuffle;
pub use statistics::{FaultyData, Statistics, verify};
pub use trainer::{EpochProgress, Settings, Trainer};
pub use validation::{Figures, judge_constant, judge_network};
