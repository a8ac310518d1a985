//! Making of networks: self-play games, their files, the trainer, and matches that measure what came of it.
//!
//! Nothing here is used while the bot plays.

mod export;
mod goal;
mod gradient;
mod hash;
mod kernels;
mod model;
mod optimizer;
mod sample;
mod trainer;
mod validation;

pub use export::{Difference, ExportError};
pub use goal::{Goal, fit_score_scale, sigmoid};
pub use model::{Evaluator, Model};
pub use sample::Sample;
pub use trainer::{Progress, Settings, Trainer};
pub use validation::{Figures, judge_constant, judge_network};
