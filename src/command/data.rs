//! `pocketknight data`: what files of games hold.

use super::{Failure, print};
use crate::cli::{DataCommand, DataPaths};
use pocketknight::training::{self, Filter, Statistics, game_files};
use std::path::PathBuf;

pub(crate) fn run(command: &DataCommand) -> Result<(), Failure> {
    match command {
        DataCommand::Stat(from) => {
            let statistics = Statistics::of_files(&files(from)?, &Filter::default())
                .map_err(Failure::runtime)?;
            print(&statistics.to_string())
        }
        DataCommand::Verify(from) => {
            let files = files(from)?;
            let (games, positions) = training::verify(&files).map_err(Failure::runtime)?;
            print(&format!(
                "{} files, {games} games, {positions} positions, all in order\n",
                files.len()
            ))
        }
        DataCommand::Shuffle { from, out, seed } => {
            let (games, positions) =
                training::shuffle(&files(from)?, out, *seed).map_err(Failure::runtime)?;
            let out = out.display();
            print(&format!("{games} games, {positions} positions in {out}\n"))
        }
    }
}

fn files(from: &DataPaths) -> Result<Vec<PathBuf>, Failure> {
    game_files(&from.paths).map_err(Failure::usage)
}
