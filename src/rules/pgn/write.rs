//! Writing games.

use super::{Eval, GameResult, Note, Tags, variant_name};
use crate::rules::fen::FenStyle;
use crate::rules::outcome::Game;
use crate::rules::piece::Color;
use crate::rules::position::Position;
use std::fmt::Write as _;
use std::time::Duration;

/// Tags that every game has, with the value that stands for "unknown".
const ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "-"),
    ("White", "?"),
    ("Black", "?"),
];

/// Further tags in the order of Lichess' exports. Other tags come behind them as they were set.
const BEFORE_VARIANT: [&str; 9] = [
    "GameId",
    "UTCDate",
    "UTCTime",
    "WhiteElo",
    "BlackElo",
    "WhiteRatingDiff",
    "BlackRatingDiff",
    "WhiteTitle",
    "BlackTitle",
];
const AFTER_VARIANT: [&str; 4] = ["TimeControl", "ECO", "Opening", "Termination"];

/// Tags that are told by the game and the result themselves.
const DERIVED: [&str; 4] = ["Result", "Variant", "FEN", "SetUp"];

/// PGN of one game, with an empty line at its end so that games can be put one behind the other.
///
/// `Result`, `Variant`, and `FEN` with `SetUp` for another start than the array are written from
/// the game and `result`, whatever `tags` says. `notes` may be shorter than the moves.
pub fn write(tags: &Tags, game: &Game, notes: &[Note], result: GameResult) -> String {
    let mut pgn = String::with_capacity(512 + 8 * game.moves().len() + 32 * notes.len());
    write_tags(&mut pgn, tags, game.start(), result);
    pgn.push('\n');
    let mut needs_number = true;
    for (ply, &m) in game.moves().iter().enumerate() {
        let position = &game.positions()[ply];
        if position.turn() == Color::White {
            push(&mut pgn, format_args!("{}. ", position.fullmoves()));
        } else if needs_number {
            push(&mut pgn, format_args!("{}... ", position.fullmoves()));
        }
        pgn.push_str(&position.san(m));
        pgn.push(' ');
        let note = notes.get(ply).filter(|note| !note.is_empty());
        needs_number = note.is_some();
        if let Some(note) = note {
            write_note(&mut pgn, note);
        }
    }
    pgn.push_str(result.token());
    pgn.push_str("\n\n");
    pgn
}

fn write_tags(pgn: &mut String, tags: &Tags, start: &Position, result: GameResult) {
    for (name, unknown) in ROSTER {
        write_tag(pgn, name, tags.get(name).unwrap_or(unknown));
    }
    write_tag(pgn, "Result", result.token());
    let write_known = |pgn: &mut String, names: &[&str]| {
        for name in names {
            if let Some(value) = tags.get(name) {
                write_tag(pgn, name, value);
            }
        }
    };
    write_known(pgn, &BEFORE_VARIANT);
    write_tag(pgn, "Variant", variant_name(start.variant()));
    if *start != Position::start(start.variant()) {
        // The slash form is the one that Lichess' own studies and old exports carry.
        write_tag(pgn, "FEN", &start.fen(FenStyle::Lichess));
        write_tag(pgn, "SetUp", "1");
    }
    write_known(pgn, &AFTER_VARIANT);
    let known = |name: &str| {
        let mut names = ROSTER.iter().map(|(name, _)| name);
        names.any(|known| known.eq_ignore_ascii_case(name))
            || [&BEFORE_VARIANT[..], &AFTER_VARIANT, &DERIVED]
                .concat()
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name))
    };
    for (name, value) in tags.iter().filter(|(name, _)| !known(name)) {
        write_tag(pgn, name, value);
    }
}

fn write_tag(pgn: &mut String, name: &str, value: &str) {
    pgn.push('[');
    pgn.extend(
        name.chars()
            .filter(|&c| c.is_ascii_alphanumeric() || c == '_'),
    );
    pgn.push_str(" \"");
    for c in value.chars() {
        match c {
            '"' | '\\' => pgn.extend(['\\', c]),
            _ if c.is_control() => pgn.push(' '),
            _ => pgn.push(c),
        }
    }
    pgn.push_str("\"]\n");
}

fn write_note(pgn: &mut String, note: &Note) {
    pgn.push_str("{ ");
    match note.eval {
        Some(Eval::Cp(cp)) => {
            let sign = if cp < 0 { "-" } else { "" };
            let cp = cp.unsigned_abs();
            push(
                pgn,
                format_args!("[%eval {sign}{}.{:02}] ", cp / 100, cp % 100),
            );
        }
        Some(Eval::Mate(moves)) => push(pgn, format_args!("[%eval #{moves}] ")),
        None => {}
    }
    if let Some(clock) = note.clock {
        push(pgn, format_args!("[%clk {}] ", clock_text(clock)));
    }
    for word in note.text.split_whitespace() {
        // Nothing in a comment may end it or look like one of its commands.
        for c in word.chars() {
            match c {
                '{' | '[' => pgn.push('('),
                '}' | ']' => pgn.push(')'),
                _ if c.is_control() => {}
                _ => pgn.push(c),
            }
        }
        pgn.push(' ');
    }
    pgn.push_str("} ");
}

fn clock_text(clock: Duration) -> String {
    let seconds = clock.as_secs();
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn push(pgn: &mut String, part: std::fmt::Arguments<'_>) {
    pgn.write_fmt(part)
        .expect("writing to a string does not fail");
}
