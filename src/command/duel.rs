//! `pocketknight duel`.

use super::signals::Signals;
use super::{Failure, note, print, run};
use crate::cli::DuelArgs;
use anyhow::{Context, anyhow};
use pocketknight::training::duel::{Duel, DuelError, Openings, Pace, Pair, Player, Report};
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Nodes a move if nothing else is asked for.
const NODES: u64 = 5000;
/// Games if nothing else is asked for.
const GAMES: u32 = 400;
/// Most games of a test if nothing else is asked for.
const TEST_GAMES: u32 = 40_000;
/// A line of progress comes after so much time or so many pairs.
const PROGRESS: (Duration, u64) = (Duration::from_secs(10), 50);

pub(crate) async fn duel(args: &DuelArgs) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let duel = prepare(args)?;
    let record = Record::create(args.pgn.clone(), &duel)?;
    print(&heading(&duel))?;
    let work = move |stop: &AtomicBool| play(&duel, stop, record);
    let (played, signal) = signals
        .watch("match", "the last moves were made", |_| {}, work)
        .await?;
    let (report, written) = played.map_err(Failure::runtime)?;
    print(&format!("{report}\n"))?;
    written.map_err(Failure::Runtime)?;
    let faults = report.results.faults.len();
    if faults > 0 {
        return Err(Failure::Runtime(anyhow!(
            "{faults} games ended by a fault, see the report"
        )));
    }
    match signal {
        Some(signal) => Err(Failure::Runtime(anyhow!(
            "{signal} before the match was over"
        ))),
        None => Ok(()),
    }
}

/// The match that was asked for, with its files read.
fn prepare(args: &DuelArgs) -> Result<Duel, Failure> {
    let pace = match (args.tc, args.movetime) {
        (Some(control), _) => Pace::Clock(control),
        (_, Some(ms)) => Pace::MoveTime(Duration::from_millis(ms)),
        _ => Pace::Nodes(args.nodes.unwrap_or(NODES)),
    };
    let load = |spec: &pocketknight::training::duel::PlayerSpec, pace| {
        spec.load(args.hash as usize, pace).map_err(Failure::usage)
    };
    let players = [
        load(&args.a, pace)?,
        load(&args.b, args.nodes_b.map_or(pace, Pace::Nodes))?,
    ];
    let openings = match &args.openings {
        Some(path) => Openings::read(path, args.seed).map_err(Failure::usage)?,
        None => Openings::random(args.seed),
    };
    let default = if args.sprt.is_some() {
        TEST_GAMES
    } else {
        GAMES
    };
    let mut duel = Duel {
        players,
        openings,
        pairs: args.games.unwrap_or(default).div_ceil(2) as usize,
        concurrency: args.concurrency as usize,
        sprt: args.sprt,
    };
    if let Some(count) = duel.openings.count()
        && duel.is_deterministic()
        && duel.pairs > count
    {
        // The same opening would give the same games again, which say nothing new.
        if let Some(games) = args.games {
            return Err(Failure::Usage(anyhow!(
                "--games {games}: expected at most {}, two for each of the {count} openings of the file, since \
                 games by nodes from the same opening are the same",
                2 * count
            )));
        }
        duel.pairs = count;
    }
    Ok(duel)
}

/// What is going to be played.
fn heading(duel: &Duel) -> String {
    let [a, b] = &duel.players;
    let (games, together) = (2 * duel.pairs, duel.concurrency);
    let cores = run::cores(0);
    let note = if !duel.is_deterministic() && together > cores {
        format!("note       {together} games share {cores} cores, which distorts clocks\n")
    } else {
        String::new()
    };
    format!(
        "A          {a}\nB          {b}\nmatch      at most {games} games, {together} at a time\n{note}"
    )
}

/// Plays the match; tells its progress on standard error and writes the games down.
fn play(
    duel: &Duel,
    stop: &AtomicBool,
    mut record: Record,
) -> Result<(Report, anyhow::Result<()>), DuelError> {
    let mut written = Ok(());
    let (mut told_at, mut told_pairs) = (Instant::now(), 0);
    let report = duel.play(stop, &mut |pair, report| {
        let pairs = report.results.pairs.pairs();
        if told_at.elapsed() >= PROGRESS.0 || pairs >= told_pairs + PROGRESS.1 {
            (told_at, told_pairs) = (Instant::now(), pairs);
            note(&report.progress());
        }
        written = record.add(pair);
        if written.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    Ok((report, written))
}

/// File of games, if one is wanted.
struct Record {
    file: Option<(PathBuf, File)>,
    names: [String; 2],
    time_control: Option<String>,
}

impl Record {
    fn create(path: Option<PathBuf>, duel: &Duel) -> Result<Self, Failure> {
        let file = match path {
            Some(path) => {
                let file = File::create(&path)
                    .with_context(|| format!("cannot create --pgn {}", path.display()))
                    .map_err(Failure::Usage)?;
                Some((path, file))
            }
            None => None,
        };
        let [a, b] = &duel.players;
        let named = |player: &Player, letter| {
            if a.name == b.name {
                format!("{} ({letter})", player.name)
            } else {
                player.name.clone()
            }
        };
        let time_control = match (a.pace, b.pace) {
            (Pace::Clock(one), Pace::Clock(other)) if one == other => Some(one.to_string()),
            _ => None,
        };
        Ok(Self {
            file,
            names: [named(a, 'A'), named(b, 'B')],
            time_control,
        })
    }

    fn add(&mut self, pair: &Pair) -> anyhow::Result<()> {
        let Some((path, file)) = &mut self.file else {
            return Ok(());
        };
        let [a, b] = &self.names;
        file.write_all(pair.pgn([a, b], self.time_control.as_deref()).as_bytes())
            .with_context(|| format!("cannot write --pgn {}", path.display()))
    }
}
