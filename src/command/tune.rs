//! `pocketknight tune`.

use super::signals::Signals;
use super::{Failure, note, print};
use crate::cli::TuneArgs;
use anyhow::{Context, anyhow};
use pocketknight::engine::{Evaluation, Params};
use pocketknight::training::tune::{Schedule, State, Tune};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What a signal comes before.
const UNFINISHED: &str = "the end; the same command goes on from here";
/// Time between two lines of progress, and two writes of the state.
const PROGRESS: Duration = Duration::from_secs(10);

pub(crate) async fn run(args: &TuneArgs) -> Result<(), Failure> {
    if args.list {
        return print(&list());
    }
    let Some(path) = args.state.clone() else {
        return Err(Failure::Usage(anyhow!(
            "--state is missing, expected a file to keep the state in"
        )));
    };
    let signals = Signals::register()?;
    let state = state(args, &path)?;
    let mut tune = Tune {
        state,
        concurrency: args.concurrency as usize,
        evaluation: Evaluation::default(),
    };
    let heard = |signal: &str| note(&format!("{signal}: leaving the games that are running"));
    let work = move |stop: &AtomicBool| {
        let played = play(&mut tune, stop, &path);
        played.map(|()| tune.state)
    };
    let (state, signal) = signals.watch("tuning", UNFINISHED, heard, work).await?;
    let state = state.map_err(Failure::Runtime)?;
    print(&report(&state))?;
    match signal {
        Some(signal) => Err(Failure::Runtime(anyhow!("{signal} before {UNFINISHED}"))),
        None => Ok(()),
    }
}

/// The tuning that was asked for, as far as it has come.
fn state(args: &TuneArgs, path: &Path) -> Result<State, Failure> {
    let iterations = u64::from(args.games.div_ceil(2));
    let schedule = Schedule {
        iterations,
        rate: args
            .rate
            .unwrap_or_else(|| Schedule::usual_rate(iterations)),
    };
    let usual = Params::LIST.iter().filter(|info| info.usual);
    let names: Vec<&str> = if args.names.is_empty() {
        usual.map(|info| info.name).collect()
    } else {
        args.names.iter().map(String::as_str).collect()
    };
    let wanted = State::new(names, schedule, args.nodes, args.hash as usize, args.seed);
    let wanted = wanted.map_err(Failure::usage)?;
    if !path.exists() {
        wanted
            .write(path)
            .with_context(|| format!("cannot write --state {}", path.display()))
            .map_err(Failure::Usage)?;
        return Ok(wanted);
    }
    let found = State::read(path)
        .with_context(|| format!("--state {}", path.display()))
        .map_err(Failure::Usage)?;
    if !found.is_same_tuning(&wanted) {
        return Err(Failure::Usage(anyhow!(
            "--state {} belongs to another tuning (constants, their values in the program, games, nodes, hash, seed \
             or rate differ); expected the command that began it, or another file",
            path.display()
        )));
    }
    Ok(found)
}

fn play(tune: &mut Tune, stop: &AtomicBool, path: &Path) -> anyhow::Result<()> {
    let write = |state: &State| {
        state
            .write(path)
            .with_context(|| format!("cannot write --state {}", path.display()))
    };
    let begun = (Instant::now(), tune.state.done);
    let mut told = Instant::now();
    let mut written = Ok(());
    tune.run(stop, &mut |state| {
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            note(&progress(state, begun));
            written = write(state);
        }
        if written.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    written?;
    write(&tune.state)
}

fn progress(state: &State, (began, before): (Instant, u64)) -> String {
    let all = state.schedule.iterations;
    let mut text = format!("{} of {} games", 2 * state.done, 2 * all);
    let rate = (state.done - before) as f64 / began.elapsed().as_secs_f64();
    if rate > 0.0 {
        let left = (all - state.done) as f64 / rate;
        write!(text, ", {:.0} min left", left / 60.0).ok();
    }
    for tuned in &state.tuned {
        write!(text, ", {} {:.1}", tuned.info.name, tuned.value).ok();
    }
    text
}

fn report(state: &State) -> String {
    let mut text = format!(
        "{} of {} games of {} nodes a move\n",
        2 * state.done,
        2 * state.schedule.iterations,
        state.nodes
    );
    let mut player = "default".to_owned();
    for tuned in &state.tuned {
        let steps = (tuned.value - tuned.start) / tuned.info.step();
        let (name, value) = (tuned.info.name, tuned.rounded());
        writeln!(
            text,
            "{name:24} {:>6} -> {value:>6}  {steps:+5.1} steps",
            tuned.start
        )
        .ok();
        if value != tuned.info.default {
            write!(player, ",{name}={value}").ok();
        }
    }
    writeln!(
        text,
        "try it: pocketknight duel {player} default --sprt 0,10"
    )
    .ok();
    text
}

fn list() -> String {
    let mut text = format!(
        "{:24} {:>6} {:>7} {:>6} {:>6}\n",
        "name", "value", "least", "most", "step"
    );
    for info in Params::LIST {
        let usual = if info.usual { "" } else { "  only if named" };
        let (name, value, step) = (info.name, info.default, info.step());
        writeln!(
            text,
            "{name:24} {value:>6} {:>7} {:>6} {step:>6}{usual}",
            info.least, info.most
        )
        .ok();
    }
    text
}
