//! Making of networks: self-play games, their files, the trainer, and matches that measure what came of it.
//!
//! Nothing here is used while the bot plays.

mod dataset;
mod export;
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
mod model;
mod optimizer;
mod sample;
mod trainer;
mod validation;

pub use dataset::{Dataset, Split, load};
pub use export::{Difference, ExportError};
pub use game_file::{DataError, EXTENSION, GameFileHeader, game_files};
pub use game_reader::GameReader;
pub use game_record::{Ending, GameRecord, RecordError, Replay, ScoredMove};
pub use game_writer::GameWriter;
pub use goal::{Goal, fit_score_scale, sigmoid};
pub use model::{Evaluator, Model};
pub use sample::{Rows, Sample};
pub use trainer::{Progress, Settings, Trainer};
pub use validation::{Figures, judge_constant, judge_network};
