//! Analysis of one position.

use super::search::{Line, Thought, Worth, think};
use super::text;
use super::{Analysis, LineJson, json_line, show};
use crate::command::note;
use pocketknight::engine::SearchInfo;
use pocketknight::rules::{Game, Outcome, Position};
use serde::Serialize;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// Most plies of a line that are shown.
const SHOWN: usize = 16;

#[derive(Serialize)]
struct PositionJson {
    fen: String,
    variant: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    depth: u32,
    nodes: u64,
    time_ms: u64,
    lines: Vec<LineJson>,
}

/// Thinks about a position and prints what was found.
pub(super) fn analyse(
    analysis: &mut Analysis,
    position: Position,
    board: bool,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let game = Game::from_position(position);
    let outcome = game.outcome();
    let thought = if outcome.is_none() {
        let terminal = analysis.progress;
        let tell = &mut |info: &SearchInfo| {
            if terminal && info.bound.is_none() {
                note(&progress(&position, info));
            }
        };
        let (session, limits) = (&mut analysis.session, &analysis.limits);
        Some(think(session, &game, limits, stop, tell)?)
    } else {
        None
    };
    if analysis.json {
        return show(&json_line(&json(&position, outcome, thought.as_ref()))?);
    }
    if board {
        let (board, fen) = (text::board(&position), text::fen(&position));
        show(&format!("{board}\n{fen}\n\n"))?;
    }
    show(&match thought {
        Some(thought) => describe(&position, &thought),
        None => format!("the game is over: {}\n", outcome_name(outcome)),
    })
}

/// Depth and line, while the search goes on.
fn progress(position: &Position, info: &SearchInfo) -> String {
    let worth = Worth {
        score: info.score,
        turn: position.turn(),
    };
    let (score, line) = (text::score(worth), text::line(position, &info.pv, SHOWN));
    let rank = if info.multipv > 1 {
        format!(" line {}", info.multipv)
    } else {
        String::new()
    };
    format!("depth {:>3}{rank} {score:>8}  {line}", info.depth)
}

fn describe(position: &Position, thought: &Thought) -> String {
    let seconds = thought.elapsed.as_secs_f64();
    let mut text = format!(
        "depth {}, {} nodes, {seconds:.1} s\n   score  White wins\n",
        thought.depth, thought.nodes
    );
    for Line { worth, moves } in &thought.lines {
        let (score, line) = (text::score(*worth), text::line(position, moves, SHOWN));
        let chance = 100.0 * worth.chances().expectation();
        writeln!(text, "{score:>8}  {chance:>8.1} %  {line}").ok();
    }
    text
}

fn json(position: &Position, outcome: Option<Outcome>, thought: Option<&Thought>) -> PositionJson {
    let lines = thought.map_or(&[][..], |thought| &thought.lines);
    PositionJson {
        fen: text::fen(position),
        variant: position.variant().name(),
        outcome: outcome.map(|outcome| outcome_name(Some(outcome))),
        depth: thought.map_or(0, |thought| thought.depth),
        nodes: thought.map_or(0, |thought| thought.nodes),
        time_ms: thought.map_or(0, |thought| thought.elapsed.as_millis() as u64),
        lines: LineJson::all(position, lines),
    }
}

const fn outcome_name(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Checkmate { .. }) => "checkmate",
        Some(Outcome::Stalemate) => "stalemate",
        Some(Outcome::FivefoldRepetition) | None => "repetition",
    }
}
