//! `pocketknight datagen`: games for training.

use super::signals::Signals;
use super::{Failure, note, print};
use crate::cli::DatagenArgs;
use anyhow::{Context, anyhow};
use pocketknight::engine::Evaluation;
use pocketknight::eval_file;
use pocketknight::training::{
    DatagenOptions, Filter, OpeningOptions, Progress, Statistics, Target, generate,
};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a signal comes before.
const UNFINISHED: &str = "the end; the same command goes on from here";
const REPORT_EVERY: Duration = Duration::from_secs(10);

pub(crate) async fn run(args: &DatagenArgs) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let options = options(args)?;
    let files = options.files();
    let heard = |signal: &str| note(&format!("{signal}: finishing the games that are running"));
    let work = move |stop: &AtomicBool| generate(&options, stop, &mut tell);
    let (end, signal) = signals.watch("games", UNFINISHED, heard, work).await?;
    tell(&end.map_err(Failure::runtime)?);
    let statistics = Statistics::of_files(&files, &Filter::default()).map_err(Failure::runtime)?;
    print(&statistics.to_string())?;
    match signal {
        Some(signal) => Err(Failure::Runtime(anyhow!("{signal} before {UNFINISHED}"))),
        None => Ok(()),
    }
}

fn options(args: &DatagenArgs) -> Result<DatagenOptions, Failure> {
    Ok(DatagenOptions {
        target: match (args.games, args.positions) {
            (Some(games), _) => Target::Games(games),
            (None, positions) => Target::Positions(positions.unwrap_or_default()),
        },
        nodes: args.nodes,
        threads: args.threads,
        seed: args.seed,
        dir: args.out.clone(),
        evaluation: evaluation(&args.network)?,
        opening: OpeningOptions::default(),
        report_every: REPORT_EVERY,
    })
}

/// Evaluation of a word or a file.
fn evaluation(network: &Path) -> Result<Evaluation, Failure> {
    match network.to_str() {
        Some("default") => return Ok(Evaluation::default()),
        Some("material") => return Ok(Evaluation::Material),
        _ => {}
    }
    let network = eval_file::load(network)
        .context("--network")
        .map_err(Failure::Usage)?;
    Ok(Evaluation::Network(network))
}

fn tell(progress: &Progress) {
    let left = progress
        .left
        .map_or_else(String::new, |left| format!(", {} left", duration(left)));
    note(&format!(
        "{} games, {} positions, {:.0} positions/s{left}",
        progress.games,
        progress.positions,
        progress.rate()
    ));
}

/// As in `2 h 05 min`, `3 min 07 s`, `12 s`.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    let minutes = seconds / 60;
    if minutes >= 60 {
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    } else if minutes > 0 {
        format!("{minutes} min {:02} s", seconds % 60)
    } else {
        format!("{seconds} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_two_units() {
        for (seconds, text) in [
            (0.4, "0 s"),
            (59.6, "1 min 00 s"),
            (187.0, "3 min 07 s"),
            (7_500.0, "2 h 05 min"),
        ] {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
    }
}
