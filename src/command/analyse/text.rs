//! How scores, lines and boards are written for people.

use super::search::Worth;
use pocketknight::engine::Score;
use pocketknight::rules::{CastlingStyle, Color, FenStyle, Move, Piece, Position, Role, Square};
use std::fmt::Write;

/// Score for White: `+1.35`, `mate 3`, `mate -3`; `mated` if it is on the board.
pub(super) fn score(worth: Worth) -> String {
    let sign = match worth.turn {
        Color::White => 1,
        Color::Black => -1,
    };
    match worth.score {
        Score::Cp(0) => "0.00".to_owned(),
        Score::Cp(cp) => format!("{:+.2}", f64::from(sign * cp) / 100.0),
        Score::Mate(0) => "mated".to_owned(),
        Score::Mate(moves) => format!("mate {}", sign * moves),
    }
}

/// Number before a move: `12.` or `12...`.
pub(super) fn number(position: &Position) -> String {
    let dots = match position.turn() {
        Color::White => ".",
        Color::Black => "...",
    };
    format!("{}{dots}", position.fullmoves())
}

/// At most `most` moves with their numbers, as in `12... Nf6 13. N@f7+ Kg8`.
pub(super) fn line(from: &Position, moves: &[Move], most: usize) -> String {
    let mut words = Vec::new();
    for (ply, (position, san)) in sans(from, moves).into_iter().take(most).enumerate() {
        if ply == 0 || position.turn() == Color::White {
            words.push(number(&position));
        }
        words.push(san);
    }
    words.join(" ")
}

/// Each move with the position before it, up to the first that cannot be played.
pub(super) fn sans(from: &Position, moves: &[Move]) -> Vec<(Position, String)> {
    let mut position = *from;
    let mut found = Vec::with_capacity(moves.len());
    for &m in moves {
        // A line out of a shared table can end in a move of another position.
        if !position.is_legal(m) {
            break;
        }
        found.push((position, position.san(m)));
        position = position.play(m);
    }
    found
}

/// The same moves in coordinate notation, castling as the king onto its rook only where files demand it.
pub(super) fn ucis(from: &Position, moves: &[Move]) -> Vec<String> {
    let style = if from.is_chess960() {
        CastlingStyle::KingTakesRook
    } else {
        CastlingStyle::TwoSquares
    };
    let played = sans(from, moves).into_iter().zip(moves);
    played
        .map(|((before, _), &m)| before.uci(m, style))
        .collect()
}

/// Board with White below, what each side has in hand, and the FEN.
pub(super) fn board(position: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        write!(text, "  {}", rank + 1).ok();
        for file in 0..8 {
            let piece = position.piece_at(Square::at(file, rank));
            text.push(' ');
            text.push(piece.map_or('.', Piece::letter));
        }
        match rank {
            7 => text += &pocket(position, Color::Black),
            0 => text += &pocket(position, Color::White),
            _ => {}
        }
        text.push('\n');
    }
    text + "    a b c d e f g h\n"
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
    format!("  [{letters}]")
}

/// FEN as it is written in the lines of an analysis.
pub(super) fn fen(position: &Position) -> String {
    position.fen(FenStyle::Bracket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketknight::rules::Variant;

    #[test]
    fn scores_are_those_of_white() {
        let text = |score, turn| super::score(Worth { score, turn });
        assert_eq!(text(Score::Cp(135), Color::White), "+1.35");
        assert_eq!(text(Score::Cp(135), Color::Black), "-1.35");
        assert_eq!(text(Score::Cp(0), Color::Black), "0.00");
        assert_eq!(text(Score::Mate(3), Color::Black), "mate -3");
        assert_eq!(text(Score::Mate(-2), Color::Black), "mate 2");
    }

    #[test]
    fn lines_are_numbered_and_drops_are_written_with_an_at() {
        let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/5N2/PPPP1PPP/R1BQKB1R[N] b KQkq - 4 3";
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let mut last = position;
        let moves: Vec<Move> = ["f8c5", "N@d5", "e8g8"]
            .iter()
            .map(|text| {
                let m = last.parse_uci(text).unwrap();
                last = last.play(m);
                m
            })
            .collect();
        assert_eq!(line(&position, &moves, 9), "3... Bc5 4. N@d5 O-O");
        assert_eq!(line(&position, &moves, 1), "3... Bc5");
        assert_eq!(ucis(&position, &moves), ["f8c5", "N@d5", "e8g8"]);
        assert!(board(&position).ends_with("R . B Q K B . R  [N]\n    a b c d e f g h\n"));
    }
}
