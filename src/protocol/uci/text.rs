//! Texts that the engine says: info lines, best moves, the board.

use crate::engine::{Bound, Score, SearchInfo, SearchResult, Wdl};
use crate::rules::{CastlingStyle, Color, FenStyle, Move, Piece, Position, Role, Square};
use std::fmt::Write as _;

/// `info depth ...` of a search in `root`, with the chances of the game if `chances` is set.
pub(super) fn info(
    root: &Position,
    info: &SearchInfo,
    style: CastlingStyle,
    chances: bool,
) -> String {
    let bound = match info.bound {
        Some(Bound::Lower) => " lowerbound",
        Some(Bound::Upper) => " upperbound",
        None => "",
    };
    let chances = if chances {
        let Wdl { win, draw, loss } = Wdl::of(info.score);
        format!(" wdl {win} {draw} {loss}")
    } else {
        String::new()
    };
    format!(
        "info depth {} seldepth {} multipv {} score {}{bound}{chances} nodes {} nps {} hashfull {} time {} pv{}",
        info.depth,
        info.seldepth,
        info.multipv,
        info.score,
        info.nodes,
        info.nps,
        info.hashfull,
        info.elapsed.as_millis(),
        line(root, &info.pv, style),
    )
}

/// `bestmove ...`, after a line that tells why if there is no move.
pub(super) fn best(root: &Position, result: &SearchResult, style: CastlingStyle) -> String {
    let Some(best) = result.best.filter(|&m| root.is_legal(m)) else {
        let score = if root.is_check() { "mate 0" } else { "cp 0" };
        return format!("info depth 0 score {score}\nbestmove (none)");
    };
    let mut text = format!("bestmove {}", root.uci(best, style));
    let next = root.play(best);
    if let Some(ponder) = result.ponder.filter(|&m| next.is_legal(m)) {
        text.push_str(" ponder ");
        text.push_str(&next.uci(ponder, style));
    }
    text
}

/// Moves played one after the other, each with a space before it.
fn line(root: &Position, moves: &[Move], style: CastlingStyle) -> String {
    let mut text = String::new();
    let mut position = *root;
    for &m in moves {
        // A line out of a shared table can end in a move of another position.
        if !position.is_legal(m) {
            break;
        }
        text.push(' ');
        text.push_str(&position.uci(m, style));
        position = position.play(m);
    }
    text
}

/// What a position is worth without any search.
pub(super) fn evaluation(position: &Position, worth: i32) -> String {
    if position.is_check() {
        // A search never judges such a position, and the networks have not learned to.
        return "Evaluation: none, in check".to_owned();
    }
    let (side, of_white) = match position.turn() {
        Color::White => ("White", worth),
        Color::Black => ("Black", -worth),
    };
    let Wdl { win, draw, loss } = Wdl::of(Score::Cp(worth));
    format!(
        "Evaluation: {:+.2} for White, cp {worth} wdl {win} {draw} {loss} for {side}, who is to move",
        f64::from(of_white) / 100.0
    )
}

/// Board, FEN and key of a position.
pub(super) fn board(position: &Position) -> String {
    let edge = " +---+---+---+---+---+---+---+---+\n";
    let mut text = format!("\n{edge}");
    for rank in (0..8).rev() {
        for file in 0..8 {
            let letter = position
                .piece_at(Square::at(file, rank))
                .map_or(' ', Piece::letter);
            text.push_str(" | ");
            text.push(letter);
        }
        let pocket = match rank {
            7 => pocket(position, Color::Black),
            0 => pocket(position, Color::White),
            _ => String::new(),
        };
        writeln!(text, " | {}{pocket}\n{edge}", rank + 1).ok();
        text.pop();
    }
    let checkers: Vec<String> = position
        .checkers()
        .map(|square| square.to_string())
        .collect();
    write!(
        text,
        "   a   b   c   d   e   f   g   h\n\nFen: {}\nKey: {:016X}\nCheckers: {}",
        position.fen(FenStyle::Bracket),
        position.key(),
        checkers.join(" ")
    )
    .ok();
    text
}

fn pocket(position: &Position, color: Color) -> String {
    let pocket = position.pocket(color);
    let letters: String = Role::DROPPABLE
        .iter()
        .rev()
        .flat_map(|&role| {
            let letter = Piece { color, role }.letter();
            std::iter::repeat_n(letter, pocket.count(role) as usize)
        })
        .collect();
    format!(" [{letters}]")
}
