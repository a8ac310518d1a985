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
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

const REPORT_EVERY: Duration = Duration::from_secs(10);

pub(crate) async fn run(args: &DatagenArgs) -> Result<(), Failure> {
    let mut signals = Signals::register()?;
    let options = Arc::new(options(args)?);
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut end) = oneshot::channel();
    // The games have threads of their own, so that a second signal can leave them behind.
    let (told, wanted) = (Arc::clone(&stop), Arc::clone(&options));
    thread::Builder::new()
        .name("datagen".to_owned())
        .spawn(move || {
            // Nobody waits any more after a second signal.
            sender.send(generate(&wanted, &told, &mut tell)).ok();
        })
        .map_err(Failure::runtime)?;
    let panicked = |_| Failure::Runtime(anyhow!("the games panicked"));
    let (end, signal) = tokio::select! {
        end = &mut end => (end.map_err(panicked)?, None),
        signal = signals.next() => {
            note(&format!("{signal}: finishing the games that are running"));
            stop.store(true, Relaxed);
            let end = tokio::select! {
                end = &mut end => end.map_err(panicked)?,
                signal = signals.next() => return Err(stopped(&signal)),
            };
            (end, Some(signal))
        }
    };
    tell(&end.map_err(Failure::runtime)?);
    let statistics =
        Statistics::of_files(&options.files(), &Filter::default()).map_err(Failure::runtime)?;
    print(&statistics.to_string())?;
    signal.map_or(Ok(()), |signal| Err(stopped(&signal)))
}

fn stopped(signal: &impl Display) -> Failure {
    Failure::Runtime(anyhow!(
        "{signal} before the end; the same command goes on from here"
    ))
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
