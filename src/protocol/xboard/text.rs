//! Texts that the engine says: thinking lines, moves, variants.

use crate::engine::{Bound, Score, SearchInfo};
use crate::rules::{CastlingStyle, Move, Position, Variant};
use std::fmt::Write as _;

/// Worth of a mate in no moves.
const MATE: i32 = 100_000;

/// `ply score time nodes seldepth speed tbhits<tab>line` of a search in `root`.
pub(super) fn thinking(root: &Position, info: &SearchInfo) -> String {
    let mut text = format!(
        "{} {} {} {} {} {} 0\t",
        info.depth,
        score(info.score),
        info.elapsed.as_millis() / 10,
        info.nodes,
        info.seldepth,
        info.nps,
    );
    text.push_str(&line(root, &info.pv));
    match info.bound {
        Some(Bound::Lower) => text.push('!'),
        Some(Bound::Upper) => text.push('?'),
        None => {}
    }
    text
}

/// Centipawns, with a mate in `n` as `100000 + n` and being mated in `n` as `-100000 - n`.
const fn score(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(moves) if moves > 0 => MATE + moves,
        Score::Mate(moves) => moves - MATE,
    }
}

/// Moves played one after the other, as people read them.
fn line(root: &Position, moves: &[Move]) -> String {
    let mut text = String::new();
    let mut position = *root;
    for &m in moves {
        // A line out of a shared table can end in a move of another position.
        if !position.is_legal(m) {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&position.san(m));
        position = position.play(m);
    }
    text
}

/// Move in coordinates: `e2e4`, `e7e8q`, `P@e4`, `e1g1`; castling of Chess960 as `O-O`.
pub(super) fn coordinates(position: &Position, m: Move) -> String {
    if m.is_castle() && position.is_chess960() {
        let kingside = m.to().file() > m.from_raw().file();
        return (if kingside { "O-O" } else { "O-O-O" }).to_owned();
    }
    position.uci(m, CastlingStyle::TwoSquares)
}

/// What XBoard has to be told of a variant that it does not know by name; `None` for crazyhouse itself.
///
/// It takes loop and chessgi for crazyhouse, except for the drops of pawns and for what becomes of promoted pieces:
/// `piece` lines tell the first, and nothing can tell the second.
pub(super) fn setup(variant: Variant) -> Option<String> {
    let pawn = match variant {
        Variant::Crazyhouse => return None,
        Variant::Loop => "fmWfceFifmnDj@7",
        Variant::Chessgi => "fmWfceFifmnD@7",
    };
    let mut text = format!(
        "setup (PNBRQ................Kpnbrq................k) 8x8+5_crazyhouse {}",
        crate::rules::START_FEN
    );
    for (piece, moves) in [
        ("P", pawn),
        ("N", "N@8"),
        ("B", "B@8"),
        ("R", "R@8"),
        ("Q", "RB@8"),
        ("K", "KO2"),
    ] {
        write!(text, "\npiece {piece}& {moves}").ok();
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, Variant::Crazyhouse).unwrap()
    }

    #[test]
    fn thinking_line_has_the_order_of_the_protocol() {
        let root = position("6k1/5ppp/8/8/8/8/8/4K3[Rp] w - - 0 1");
        let m = root.parse_uci("R@e8").unwrap();
        let mut info = SearchInfo {
            depth: 3,
            seldepth: 5,
            multipv: 1,
            score: Score::Mate(1),
            bound: None,
            nodes: 48_000,
            nps: 1_000_000,
            hashfull: 0,
            elapsed: Duration::from_millis(10_849),
            pv: vec![m],
        };
        assert_eq!(
            thinking(&root, &info),
            "3 100001 1084 48000 5 1000000 0\tR@e8#"
        );
        info.score = Score::Cp(-31);
        info.bound = Some(Bound::Upper);
        assert_eq!(
            thinking(&root, &info),
            "3 -31 1084 48000 5 1000000 0\tR@e8#?"
        );
    }

    #[test]
    fn being_mated_is_as_far_below_as_mating_is_above() {
        assert_eq!(score(Score::Mate(4)), 100_004);
        assert_eq!(score(Score::Mate(-4)), -100_004);
        assert_eq!(score(Score::Mate(0)), -100_000);
    }

    #[test]
    fn castling_is_a_step_of_two_squares_or_in_chess960_its_name() {
        let text = |fen, m| {
            let position = position(fen);
            coordinates(&position, position.parse_uci(m).unwrap())
        };
        assert_eq!(
            text("r3k2r/8/8/8/8/8/8/R3K2R[] w KQkq - 0 1", "e1h1"),
            "e1g1"
        );
        assert_eq!(text("4k3/8/8/8/8/8/8/R5KR[] w HA - 0 1", "g1h1"), "O-O");
        assert_eq!(text("4k3/8/8/8/8/8/8/R5KR[] w HA - 0 1", "g1a1"), "O-O-O");
    }
}
