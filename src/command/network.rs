//! `pocketknight network`: what network files hold.

use super::figures::{head, load, row, summary};
use super::run::cores;
use super::{Failure, print};
use crate::cli::{LossArgs, NetworkCommand, ScoreScale};
use anyhow::anyhow;
use pocketknight::eval_file;
use pocketknight::training::{Goal, fit_score_scale, judge_constant, judge_network};
use std::path::Path;

pub(crate) fn run(command: &NetworkCommand) -> Result<(), Failure> {
    match command {
        NetworkCommand::Info { file } => info(file),
        NetworkCommand::Loss(args) => loss(args),
    }
}

fn info(file: &Path) -> Result<(), Failure> {
    let network = eval_file::load(file).map_err(Failure::usage)?;
    let architecture = network.architecture();
    print(&format!(
        "architecture  {architecture}\n\
         label         {}\n\
         checksum      {:08x}\n\
         parameters    {}\n\
         king buckets  {}\n\
         heads         {}\n",
        network.label(),
        network.checksum(),
        architecture.parameters(),
        architecture.king_buckets,
        architecture.heads,
    ))
}

fn loss(args: &LossArgs) -> Result<(), Failure> {
    let network = eval_file::load(&args.file).map_err(Failure::usage)?;
    let threads = args.threads.map_or(cores(0), |threads| threads as usize);
    let dataset = load(&args.data, args.filter.filter(), threads)?;
    print(&format!("data: {}\n", summary(&dataset)))?;
    let samples = match args.validation {
        Some(split) => dataset.split(split).1,
        None => dataset.into_samples(),
    };
    let Some((fitted, log_loss)) = fit_score_scale(&samples) else {
        return Err(Failure::Usage(anyhow!("--data: no positions to judge")));
    };
    let goal = Goal {
        lambda: args.goal.lambda,
        score_scale: match args.goal.score_scale {
            ScoreScale::Units(units) => units,
            ScoreScale::Fit => fitted,
        },
    };
    let table = [
        head(),
        row("constant", &judge_constant(&samples, goal, threads)),
        row("network", &judge_network(&network, &samples, goal, threads)),
    ];
    print(&format!(
        "score scale that tells the results best: {fitted:.0} (log-loss {log_loss:.4})\n\
         {} positions, lambda {}, score scale {:.0}\n{}",
        samples.len(),
        goal.lambda,
        goal.score_scale,
        table.concat()
    ))
}
