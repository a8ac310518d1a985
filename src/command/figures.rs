//! Table of losses, as `train` and `network loss` print it, and the samples they are worked out on.

use super::Failure;
use pocketknight::training::{Dataset, Figures, Filter, game_files};
use std::path::PathBuf;

/// Reads all games at some paths.
pub(crate) fn load(paths: &[PathBuf], filter: Filter, threads: usize) -> Result<Dataset, Failure> {
    let files = game_files(paths).map_err(Failure::usage)?;
    Dataset::load(&files, threads, filter).map_err(Failure::usage)
}

/// What was read.
pub(crate) fn summary(dataset: &Dataset) -> String {
    format!(
        "{} games, {} positions, of which {} are quiet and open",
        dataset.games(),
        dataset.positions(),
        dataset.samples().len()
    )
}

/// First line of the table.
pub(crate) fn head() -> String {
    let names = ["loss", "score", "result", "log-loss"];
    let columns = names.map(|name| format!("{name:>10}"));
    format!("{:20}{}\n", "", columns.concat())
}

/// Line of the table.
pub(crate) fn row(name: &str, figures: &Figures) -> String {
    let values = [
        figures.loss,
        figures.score,
        figures.result,
        figures.log_loss,
    ];
    let columns = values.map(|value| format!("{value:>10.6}"));
    format!("{name:20}{}\n", columns.concat())
}
