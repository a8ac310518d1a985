//! `pocketknight analyse`: positions and games for people, or as JSON for programs.

mod games;
mod judgement;
mod position;
mod search;
mod text;

use super::signals::Signals;
use super::{Failure, print};
use crate::cli::AnalyseArgs;
use anyhow::{Context, anyhow};
use games::Games;
use pocketknight::engine::{Engine, Evaluation, Limits, Score, Session, SessionOptions, Wdl};
use pocketknight::eval_file;
use pocketknight::rules::{Color, Position};
use search::{Line, Worth};
use serde::Serialize;
use std::io::{IsTerminal, stderr, stdout};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time for one position if nothing else is asked for.
const TIME: Duration = Duration::from_secs(5);
/// Nodes for each position of a game if nothing else is asked for.
const NODES: u64 = 100_000;

/// What all searches of the command have in common.
struct Analysis {
    session: Session,
    limits: Limits,
    json: bool,
    /// Somebody reads progress on standard error.
    progress: bool,
    /// Nobody reads standard output as it comes.
    silent: bool,
}

enum Subject {
    Position(Position),
    Games(Games),
}

pub(crate) async fn run(args: &AnalyseArgs) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let subject = subject(args)?;
    let evaluation = match &args.eval_file {
        Some(path) => {
            let network = eval_file::load(path)
                .context("--eval-file")
                .map_err(Failure::Usage)?;
            Evaluation::Network(network)
        }
        None => Evaluation::default(),
    };
    let threads = args.threads as usize;
    let engine = Engine::with_evaluation(threads, evaluation);
    let mut analysis = Analysis {
        session: engine.session(SessionOptions {
            hash_mib: args.hash as usize,
            threads,
        }),
        limits: limits(args),
        json: args.json,
        progress: stderr().is_terminal(),
        silent: !stdout().is_terminal(),
    };
    let board = args.board;
    let games = matches!(subject, Subject::Games(_));
    let work = move |stop: &AtomicBool| match &subject {
        Subject::Position(at) => position::analyse(&mut analysis, *at, board, stop),
        Subject::Games(games) => games::analyse(&mut analysis, games, stop),
    };
    let (done, signal) = signals
        .watch("analysis", "it was told what was found", |_| {}, work)
        .await?;
    done.map_err(Failure::Runtime)?;
    match signal {
        // One position has its answer; of the games some are missing.
        Some(signal) if games => Err(Failure::Runtime(anyhow!(
            "{signal} before all moves were analysed"
        ))),
        _ => Ok(()),
    }
}

fn subject(args: &AnalyseArgs) -> Result<Subject, Failure> {
    if let Some(path) = &args.pgn {
        let games = Games::read(path).map_err(Failure::Usage)?;
        return Ok(Subject::Games(games));
    }
    Ok(Subject::Position(match &args.fen {
        Some(fen) => Position::from_fen(fen, args.variant)
            .with_context(|| format!("--fen {fen:?}"))
            .map_err(Failure::Usage)?,
        None => Position::start(args.variant),
    }))
}

/// Everything that was asked for holds at once; the default comes only if nothing was.
fn limits(args: &AnalyseArgs) -> Limits {
    let mut limits = Limits {
        depth: args.depth,
        nodes: args.nodes,
        movetime: args.time,
        multipv: args.multipv as usize,
        ..Limits::default()
    };
    if (args.depth, args.nodes, args.time) == (None, None, None) {
        if args.pgn.is_some() {
            limits.nodes = Some(NODES);
        } else {
            limits.movetime = Some(TIME);
        }
    }
    limits
}

/// Score for White: centipawn-like units, or the moves to mate, negative if Black mates and 0 if it is on the board.
#[derive(Serialize)]
struct ScoreJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    cp: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    /// Games won, drawn and lost by White, of 1000.
    wdl: [u32; 3],
}

impl From<Worth> for ScoreJson {
    fn from(worth: Worth) -> Self {
        let sign = match worth.turn {
            Color::White => 1,
            Color::Black => -1,
        };
        let (cp, mate) = match worth.score {
            Score::Cp(cp) => (Some(sign * cp), None),
            Score::Mate(moves) => (None, Some(sign * moves)),
        };
        let Wdl { win, draw, loss } = worth.chances();
        Self {
            cp,
            mate,
            wdl: [win, draw, loss],
        }
    }
}

/// Line of moves with its score.
#[derive(Serialize)]
struct LineJson {
    #[serde(flatten)]
    score: ScoreJson,
    san: Vec<String>,
    uci: Vec<String>,
}

impl LineJson {
    /// Lines that start at `position`.
    fn all(position: &Position, lines: &[Line]) -> Vec<Self> {
        let json = |line: &Line| Self {
            score: line.worth.into(),
            san: text::sans(position, &line.moves)
                .into_iter()
                .map(|(_, san)| san)
                .collect(),
            uci: text::ucis(position, &line.moves),
        };
        lines.iter().map(json).collect()
    }
}

fn json_line(value: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

fn show(text: &str) -> anyhow::Result<()> {
    print(text).map_err(|failure| anyhow!("{:#}", failure.error()))
}
