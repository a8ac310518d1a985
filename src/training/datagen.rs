//! Many games of self-play on several threads, into one file for each.

use super::game_file::{DataError, EXTENSION, GameFileHeader, files_in};
use super::game_reader::GameReader;
use super::game_writer::GameWriter;
use super::openings::OpeningOptions;
use super::selfplay::SelfPlayer;
use crate::engine::{Evaluation, SEARCH_STACK_BYTES};
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How much to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// All games with indices below this.
    Games(u64),
    /// Until so many scored positions are there. Which thread plays the last games is a matter of chance, so only
    /// [`Target::Games`] gives the same set of games on every run.
    Positions(u64),
}

/// What to play, and where to put it.
#[derive(Clone, Debug)]
pub struct DatagenOptions {
    /// When to end, games of earlier runs included.
    pub target: Target,
    /// Nodes of a search, see [`SelfPlayer::new`].
    pub nodes: u32,
    /// Threads, at least 1. Game `i` is played by thread `i % threads`.
    pub threads: u32,
    /// Together with the index of a game this determines everything that is drawn by lot.
    pub seed: u64,
    /// Directory of the files; made if it is missing.
    pub dir: PathBuf,
    /// What positions are judged by.
    pub evaluation: Evaluation,
    /// How games begin.
    pub opening: OpeningOptions,
    /// Time between two reports.
    pub report_every: Duration,
}

/// State of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Games in the files.
    pub games: u64,
    /// Scored positions in the files.
    pub positions: u64,
    /// Games of this run.
    pub new_games: u64,
    /// Scored positions of this run.
    pub new_positions: u64,
    /// Time since this run began to play.
    pub elapsed: Duration,
    /// Estimate of the time until the target is reached, if there is something to go by.
    pub left: Option<Duration>,
}

impl Progress {
    /// Scored positions per second of this run.
    pub fn rate(&self) -> f64 {
        self.new_positions as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Number that stands for an evaluation in files of games.
pub fn evaluation_id(evaluation: &Evaluation) -> u32 {
    match evaluation {
        Evaluation::Material => GameFileHeader::MATERIAL,
        Evaluation::Network(network) => network.checksum(),
    }
}

impl DatagenOptions {
    /// File of the thread with this number, from 0.
    pub fn file(&self, thread: u32) -> PathBuf {
        let Self { seed, threads, .. } = self;
        self.dir
            .join(format!("seed{seed}-{thread}of{threads}.{EXTENSION}"))
    }

    /// Files of all threads.
    pub fn files(&self) -> Vec<PathBuf> {
        (0..self.threads).map(|thread| self.file(thread)).collect()
    }

    fn header(&self, thread: u32) -> GameFileHeader {
        GameFileHeader {
            evaluation: evaluation_id(&self.evaluation),
            nodes: self.nodes,
            seed: self.seed,
            first: thread,
            step: self.threads,
        }
    }
}

/// Counters that the threads share.
struct Counts {
    games: AtomicU64,
    positions: AtomicU64,
}

/// Plays until the target is reached or `stop` is set, and goes on where an earlier run with the same options ended.
/// After `stop` each thread finishes its game.
///
/// # Errors
/// If the directory cannot be used, or holds games of the same seed and other options.
pub fn generate(
    options: &DatagenOptions,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(&Progress),
) -> Result<Progress, DataError> {
    let writers = open(options)?;
    let sum = |of: &dyn Fn(&GameWriter) -> u64| writers.iter().map(of).sum::<u64>();
    let before = (sum(&GameWriter::games), sum(&GameWriter::positions));
    let counts = Counts {
        games: AtomicU64::new(before.0),
        positions: AtomicU64::new(before.1),
    };
    let began = Instant::now();
    let progress = || {
        let games = counts.games.load(Relaxed);
        let positions = counts.positions.load(Relaxed);
        let mut progress = Progress {
            games,
            positions,
            new_games: games - before.0,
            new_positions: positions - before.1,
            elapsed: began.elapsed(),
            left: None,
        };
        progress.left = left(options.target, &progress);
        progress
    };
    // A failed thread ends the others.
    let failed = AtomicBool::new(false);
    let (done, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (thread, writer) in (0..).zip(writers) {
            let (counts, failed, done) = (&counts, &failed, done.clone());
            let path = options.file(thread);
            let work = move || {
                // Dropped at the end of the thread, however it ends.
                let _done = done;
                let played = play(options, thread, writer, counts, stop, failed);
                failed.fetch_or(played.is_err(), Relaxed);
                played
            };
            let builder = thread::Builder::new().stack_size(SEARCH_STACK_BYTES);
            let spawned = builder.spawn_scoped(scope, work);
            match spawned {
                Ok(handle) => threads.push(handle),
                Err(source) => {
                    failed.store(true, Relaxed);
                    return Err(DataError::io("cannot start a thread for", &path)(source));
                }
            }
        }
        drop(done);
        while ended.recv_timeout(options.report_every) == Err(RecvTimeoutError::Timeout) {
            on_progress(&progress());
        }
        let mut result = Ok(());
        for handle in threads {
            let played = handle.join().unwrap_or_else(|panic| resume_unwind(panic));
            result = result.and(played);
        }
        result
    })?;
    Ok(progress())
}

/// Opens the file of each thread.
fn open(options: &DatagenOptions) -> Result<Vec<GameWriter>, DataError> {
    let dir = &options.dir;
    fs::create_dir_all(dir).map_err(DataError::io("cannot create", dir))?;
    let own = options.files();
    for path in files_in(dir)? {
        // The same games would be there twice.
        if !own.contains(&path) {
            refuse_same_seed(&path, options)?;
        }
    }
    let threads = 0..options.threads;
    threads
        .map(|thread| GameWriter::resume(&options.file(thread), options.header(thread)))
        .collect()
}

fn refuse_same_seed(path: &Path, options: &DatagenOptions) -> Result<(), DataError> {
    let header = *GameReader::open(path)?.header();
    if header.step == 0 || header.seed != options.seed {
        return Ok(());
    }
    Err(DataError::OtherSettings {
        path: path.to_owned(),
        field: "threads",
        found: format!("{} and the same seed", header.step),
        expected: options.threads.to_string(),
    })
}

/// Plays the games of one thread.
fn play(
    options: &DatagenOptions,
    thread: u32,
    mut writer: GameWriter,
    counts: &Counts,
    stop: &AtomicBool,
    failed: &AtomicBool,
) -> Result<(), DataError> {
    let mut player = SelfPlayer::new(
        options.evaluation.clone(),
        u64::from(options.nodes),
        options.opening,
    );
    loop {
        let index = u64::from(thread) + writer.games() * u64::from(options.threads);
        let reached = match options.target {
            Target::Games(games) => index >= games,
            Target::Positions(positions) => counts.positions.load(Relaxed) >= positions,
        };
        if reached || stop.load(Relaxed) || failed.load(Relaxed) {
            break;
        }
        let game = player.play(options.seed, index);
        writer.write(&game)?;
        counts.games.fetch_add(1, Relaxed);
        counts.positions.fetch_add(game.plies.len() as u64, Relaxed);
    }
    writer.sync()
}

fn left(target: Target, progress: &Progress) -> Option<Duration> {
    let (missing, done) = match target {
        Target::Games(games) => (games.saturating_sub(progress.games), progress.new_games),
        Target::Positions(positions) => (
            positions.saturating_sub(progress.positions),
            progress.new_positions,
        ),
    };
    if done == 0 {
        return None;
    }
    let seconds = progress.elapsed.as_secs_f64() * missing as f64 / done as f64;
    Duration::try_from_secs_f64(seconds).ok()
}
