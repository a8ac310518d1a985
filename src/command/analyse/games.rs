//! Analysis of the games of a file: what each move was worth, and where something was thrown away.

use super::judgement::{Judgement, Tally, loss};
use super::search::{Line, Worth, think};
use super::text;
use super::{Analysis, LineJson, ScoreJson, json_line, show};
use crate::command::note;
use anyhow::Context;
use pocketknight::rules::pgn::{self, PgnGame};
use pocketknight::rules::{Game, Move, Position};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Most plies of a better line that are shown.
const SHOWN: usize = 7;

/// File of games that was read to its end once, so that nothing is found wrong after an hour.
pub(super) struct Games {
    path: PathBuf,
    text: String,
    count: usize,
}

impl Games {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, holds no game, or one that is not understood; that names the file, line and move.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let named = || format!("cannot read --pgn {}", path.display());
        if pocketknight::training::is_special(path) {
            return Err(anyhow::anyhow!("it is not a file")).with_context(named);
        }
        let bytes = std::fs::read(path).with_context(named)?;
        // Old files spell names in one of many encodings; moves are plain in all of them.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut count = 0;
        for game in pgn::games(&text) {
            game.with_context(|| format!("--pgn {}", path.display()))?;
            count += 1;
        }
        if count == 0 {
            return Err(anyhow::anyhow!("there is no game in it"))
                .with_context(|| format!("--pgn {}", path.display()));
        }
        let path = path.to_owned();
        Ok(Self { path, text, count })
    }
}

#[derive(Serialize)]
struct MoveJson {
    game: usize,
    ply: usize,
    san: String,
    uci: String,
    fen: String,
    before: ScoreJson,
    after: ScoreJson,
    best_san: Vec<String>,
    best_uci: Vec<String>,
    loss: f64,
    judgement: Option<Judgement>,
    /// All lines of the position before, if more than one was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<LineJson>,
}

#[derive(Serialize)]
struct SummaryJson<'a> {
    game: usize,
    white: &'a str,
    black: &'a str,
    result: &'static str,
    moves: usize,
    /// Counts of White and Black.
    summary: SidesJson,
}

#[derive(Serialize)]
struct SidesJson {
    white: Tally,
    black: Tally,
}

/// Move of a game with what was found.
struct Judged<'a> {
    before: &'a Position,
    played: Move,
    best: &'a Line,
    /// Other lines than the best one.
    others: &'a [Line],
    worth: Worth,
    loss: f64,
    judgement: Option<Judgement>,
}

/// Analyses every game and prints each move when both positions around it are known, and a summary behind each game.
pub(super) fn analyse(
    analysis: &mut Analysis,
    games: &Games,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    for (index, game) in pgn::games(&games.text).enumerate() {
        if stop.load(Relaxed) {
            break;
        }
        let game = game.with_context(|| format!("--pgn {}", games.path.display()))?;
        let number = index + 1;
        if !analysis.json {
            show(&heading(number, games.count, &game))?;
        }
        let tallies = analyse_game(analysis, number, &game, stop)?;
        show(&if analysis.json {
            let [white, black] = tallies;
            json_line(&SummaryJson {
                game: number,
                white: name(&game, "White"),
                black: name(&game, "Black"),
                result: game.result.token(),
                moves: game.game.moves().len(),
                summary: SidesJson { white, black },
            })?
        } else {
            summary(&tallies)
        })?;
    }
    Ok(())
}

fn analyse_game(
    analysis: &mut Analysis,
    number: usize,
    game: &PgnGame,
    stop: &AtomicBool,
) -> anyhow::Result<[Tally; 2]> {
    let mut tallies = [Tally::default(); 2];
    let mut replayed = Game::from_position(*game.game.start());
    analysis.session.clear();
    let mut lines = best_lines(analysis, &replayed, stop)?;
    for (ply, &played) in game.game.moves().iter().enumerate() {
        let before = *replayed.position();
        let mover = before.turn();
        // The moves of a game that was read are legal.
        replayed.push(played)?;
        if analysis.progress && analysis.silent {
            let moves = game.game.moves().len();
            note(&format!("game {number}: move {} of {moves}", ply + 1));
        }
        let next_lines = best_lines(analysis, &replayed, stop)?;
        let (Some((best, others)), Some(next)) = (lines.split_first(), next_lines.first()) else {
            break;
        };
        if stop.load(Relaxed) {
            // What was found in a search that was broken off says too little to blame a move.
            break;
        }
        let is_best = best.moves.first() == Some(&played);
        let lost = if is_best {
            0.0
        } else {
            loss(best.worth, next.worth, mover)
        };
        let judged = Judged {
            before: &before,
            played,
            best,
            others,
            worth: next.worth,
            loss: lost,
            judgement: Judgement::of(lost),
        };
        tallies[mover.index()].add(lost, judged.judgement);
        show(&if analysis.json {
            json_line(&move_json(number, ply + 1, &judged))?
        } else {
            row(&judged)
        })?;
        lines = next_lines;
    }
    Ok(tallies)
}

/// Best lines of the last position, at least one; without moves where the game is over.
fn best_lines(
    analysis: &mut Analysis,
    game: &Game,
    stop: &AtomicBool,
) -> anyhow::Result<Vec<Line>> {
    if let Some(outcome) = game.outcome() {
        return Ok(vec![Line {
            worth: Worth::of_outcome(outcome, game.position().turn()),
            moves: Vec::new(),
        }]);
    }
    let (session, limits) = (&mut analysis.session, &analysis.limits);
    Ok(think(session, game, limits, stop, &mut |_| {})?.lines)
}

fn name<'a>(game: &'a PgnGame, tag: &str) -> &'a str {
    game.tags
        .get(tag)
        .filter(|name| !name.is_empty())
        .unwrap_or("?")
}

fn heading(number: usize, count: usize, game: &PgnGame) -> String {
    let blank = if number > 1 { "\n" } else { "" };
    format!(
        "{blank}game {number} of {count}: {} - {}, {}\n  move              score  White wins\n",
        name(game, "White"),
        name(game, "Black"),
        game.result.token()
    )
}

fn row(judged: &Judged<'_>) -> String {
    let before = judged.before;
    let (number, san) = (text::number(before), before.san(judged.played));
    let score = text::score(judged.worth);
    let chance = 100.0 * judged.worth.chances().expectation();
    let mut text = format!("{number:>6} {san:<8} {score:>8}  {chance:>8.1} %");
    if let Some(judgement) = judged.judgement {
        let better = text::line(before, &judged.best.moves, SHOWN);
        let score = text::score(judged.best.worth);
        let name = judgement.name();
        write!(text, "  {name}; {score} was {better}").ok();
    }
    text.push('\n');
    if !judged.others.is_empty() {
        for line in std::iter::once(judged.best).chain(judged.others) {
            let score = text::score(line.worth);
            let moves = text::line(before, &line.moves, SHOWN);
            writeln!(text, "{score:>24}  {moves}").ok();
        }
    }
    text
}

fn summary(tallies: &[Tally; 2]) -> String {
    let mut text = format!(
        "\n        {:>6} {:>12} {:>9} {:>9}  winning chance lost a move\n",
        "moves", "inaccuracies", "mistakes", "blunders"
    );
    for (tally, name) in tallies.iter().zip(["White", "Black"]) {
        writeln!(
            text,
            "{name:<8}{:>6} {:>12} {:>9} {:>9}  {:.1} %",
            tally.moves,
            tally.inaccuracies,
            tally.mistakes,
            tally.blunders,
            // Of the chance from 0 to 1, as in the column above.
            50.0 * tally.average_loss
        )
        .ok();
    }
    text
}

fn move_json(game: usize, ply: usize, judged: &Judged<'_>) -> MoveJson {
    let before = judged.before;
    let best = text::sans(before, &judged.best.moves);
    MoveJson {
        game,
        ply,
        san: before.san(judged.played),
        uci: text::ucis(before, &[judged.played]).concat(),
        fen: text::fen(before),
        before: judged.best.worth.into(),
        after: judged.worth.into(),
        best_san: best.into_iter().map(|(_, san)| san).collect(),
        best_uci: text::ucis(before, &judged.best.moves),
        loss: judged.loss,
        judgement: judged.judgement,
        lines: if judged.others.is_empty() {
            Vec::new()
        } else {
            let mut lines = LineJson::all(before, std::slice::from_ref(judged.best));
            lines.extend(LineJson::all(before, judged.others));
            lines
        },
    }
}
