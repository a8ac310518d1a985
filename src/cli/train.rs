//! What `train` and `network loss` can be told.

use clap::Args;
use pocketknight::engine::nnue::Architecture;
use pocketknight::training::{Filter, Split};
use std::path::PathBuf;

/// Settings that a checkpoint holds.
const HELD: [&str; 14] = [
    "hidden",
    "king_buckets",
    "heads",
    "init",
    "lambda",
    "score_scale",
    "lr",
    "epochs",
    "batch",
    "warmup",
    "weight_decay",
    "seed",
    "threads",
    "baseline",
];

#[derive(Args, Debug)]
pub(crate) struct TrainArgs {
    /// Files of games, or directories with files whose names end in .games
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) data: Vec<PathBuf>,
    /// Network file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What the network file says about itself; default: its sizes and the number of positions
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,

    /// Lanes of the hidden layer for each side: a multiple of 32 from 32 to 1024
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = hidden, help_heading = "Network")]
    pub(crate) hidden: usize,
    /// Sets of weights, chosen by the place of the own king: 1 or 4
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = king_buckets, help_heading = "Network")]
    pub(crate) king_buckets: usize,
    /// Outputs, chosen by the number of pieces in hand: 1 or 9
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = heads, help_heading = "Network")]
    pub(crate) heads: usize,
    /// Begin with the weights of this network, and with its sizes
    #[arg(
        long,
        value_name = "NET",
        conflicts_with_all = ["hidden", "king_buckets", "heads"],
        help_heading = "Network"
    )]
    pub(crate) init: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Learning")]
    pub(crate) goal: GoalArgs,
    /// Learning rate after the warm-up
    #[arg(long, value_name = "RATE", default_value_t = 0.001, value_parser = rate, help_heading = "Learning")]
    pub(crate) lr: f32,
    /// Times that every position is seen
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Learning")]
    pub(crate) epochs: u32,
    /// Positions of a step; default: 1024 to 16384, the more positions the more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24), help_heading = "Learning")]
    pub(crate) batch: Option<u32>,
    /// Steps in which the learning rate rises
    #[arg(
        long,
        value_name = "STEPS",
        default_value_t = 100,
        help_heading = "Learning"
    )]
    pub(crate) warmup: u32,
    /// Share of each weight that a step takes away, in units of the learning rate
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share, help_heading = "Learning")]
    pub(crate) weight_decay: f32,
    /// Decides the first weights and the order of the positions
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Learning")]
    pub(crate) seed: u64,
    /// Threads; default: one for each core. Another number changes the last bits of the result
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=256), help_heading = "Learning")]
    pub(crate) threads: Option<u32>,

    #[command(flatten, next_help_heading = "Positions")]
    pub(crate) filter: FilterArgs,
    /// Games that are kept back to check with: a share below 1, or a number
    #[arg(
        long,
        value_name = "SHARE|N",
        default_value = "0.05",
        help_heading = "Positions"
    )]
    pub(crate) validation: Split,
    /// Check with the games of these files instead, and learn from all of --data
    #[arg(
        long,
        value_name = "PATH",
        num_args = 1..,
        conflicts_with = "validation",
        help_heading = "Positions"
    )]
    pub(crate) validation_data: Vec<PathBuf>,

    /// Also train a linear model on the same inputs, and print its losses
    #[arg(long, help_heading = "Reports")]
    pub(crate) baseline: bool,
    /// Draw the losses over the epochs, SVG
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    pub(crate) curve: Option<PathBuf>,

    /// Write the state of the training to this file after each epoch
    #[arg(long, value_name = "FILE", help_heading = "Interruptions")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from a checkpoint: its settings hold, and the options that choose positions must be the same again
    #[arg(long, value_name = "FILE", conflicts_with_all = HELD, help_heading = "Interruptions")]
    pub(crate) resume: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct GoalArgs {
    /// Share of the score in what is learned, 0 to 1; the rest is the result of the game
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, value_parser = share)]
    pub(crate) lambda: f32,
    /// Units of the scores for odds of e to 1; fit: those that tell the results of the games best
    #[arg(long, value_name = "UNITS|fit", default_value = "300", value_parser = score_scale)]
    pub(crate) score_scale: ScoreScale,
}

/// Units of the scores for one logit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ScoreScale {
    /// So many.
    Units(f32),
    /// To be found out.
    Fit,
}

#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    /// Scored positions at the start of each game to leave out
    #[arg(long, value_name = "N", default_value_t = Filter::default().skip_plies)]
    pub(crate) skip_plies: usize,
    /// Leave out positions with a larger score for either side
    #[arg(long, value_name = "UNITS", default_value_t = Filter::default().most_score, value_parser = clap::value_parser!(i16).range(1..))]
    pub(crate) max_score: i16,
}

impl FilterArgs {
    pub(crate) const fn filter(&self) -> Filter {
        Filter {
            skip_plies: self.skip_plies,
            most_score: self.max_score,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct LossArgs {
    /// Network file
    #[arg(value_name = "NET")]
    pub(crate) file: PathBuf,
    /// Files of games, or directories with files whose names end in .games
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Only the games that `train` keeps back with this setting
    #[arg(long, value_name = "SHARE|N")]
    pub(crate) validation: Option<Split>,
    /// Threads; default: one for each core
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: Option<u32>,
}

/// Sizes of which one is tried.
const SMALL: Architecture = Architecture {
    hidden: 32,
    king_buckets: 1,
    heads: 1,
};

fn size(text: &str, of: fn(usize) -> Architecture, expected: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if of(number).is_known() => Ok(number),
        _ => Err(format!("expected {expected}")),
    }
}

fn hidden(text: &str) -> Result<usize, String> {
    let of = |hidden| Architecture { hidden, ..SMALL };
    size(text, of, "a multiple of 32 from 32 to 1024")
}

fn king_buckets(text: &str) -> Result<usize, String> {
    let of = |king_buckets| Architecture {
        king_buckets,
        ..SMALL
    };
    size(text, of, "1 or 4")
}

fn heads(text: &str) -> Result<usize, String> {
    let of = |heads| Architecture { heads, ..SMALL };
    size(text, of, "1 or 9")
}

fn number(text: &str, low: f32, high: f32) -> Result<f32, String> {
    match text.parse() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from {low} to {high}")),
    }
}

fn share(text: &str) -> Result<f32, String> {
    number(text, 0.0, 1.0)
}

fn rate(text: &str) -> Result<f32, String> {
    number(text, 1e-7, 1.0)
}

fn score_scale(text: &str) -> Result<ScoreScale, String> {
    if text == "fit" {
        return Ok(ScoreScale::Fit);
    }
    let units = number(text, 10.0, 100_000.0);
    units
        .map(ScoreScale::Units)
        .map_err(|expected| format!("{expected}, or fit"))
}
