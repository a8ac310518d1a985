//! Coordinate notation of moves, as UCI engines and the Lichess Bot API write it.

use super::excerpt::excerpt;
use super::mv::Move;
use super::piece::Role;
use super::position::Position;
use super::square::Square;
use thiserror::Error;

/// How castling is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CastlingStyle {
    /// `e1h1`: king takes own rook, as Lichess' Bot API sends it.
    #[default]
    KingTakesRook,
    /// `e1g1`. Chess960 castling is still written as king takes rook, since a move of two squares
    /// could mean something else there.
    TwoSquares,
}

/// Why a text is no move in a position. Values are cut to a few characters.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum UciError {
    /// Not written like a move.
    #[error("uci move {value:?}, expected a form such as e2e4, e7e8q or P@e4")]
    Syntax {
        /// The text.
        value: String,
    },
    /// A move, but not a legal one here.
    #[error("uci move {value:?} is not legal in this position")]
    Illegal {
        /// The text.
        value: String,
    },
}

impl Position {
    /// Legal move of a text.
    ///
    /// Castling is read as king takes rook (`e1h1`) and as a king's move of two squares or more to
    /// the g or c file (`e1g1`); drops and promotions in either case (`P@e4`, `p@e4`, `e7e8Q`). A
    /// promotion needs its letter.
    ///
    /// # Errors
    /// When the text is not written like a move or the move is not legal.
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciError> {
        let m = self.read_uci(text).ok_or_else(|| UciError::Syntax {
            value: excerpt(text),
        })?;
        if self.is_legal(m) {
            Ok(m)
        } else {
            Err(UciError::Illegal {
                value: excerpt(text),
            })
        }
    }

    /// Text of a move of this position: `e2e4`, `e7e8q`, `P@e4` (upper case for Black too).
    pub fn uci(&self, m: Move, style: CastlingStyle) -> String {
        if m.is_castle() && style == CastlingStyle::TwoSquares && !self.is_chess960() {
            let (king, rook) = (m.from_raw(), m.to());
            let file = if rook.file() > king.file() { 6 } else { 2 };
            return format!("{king}{}", Square::at(file, king.rank()));
        }
        m.to_string()
    }

    /// Move that the text means on this board, legal or not; `None` if it is not written like one.
    fn read_uci(&self, text: &str) -> Option<Move> {
        match *text.as_bytes() {
            [letter, b'@', file, rank] => {
                let role = Role::from_letter(letter as char).filter(|&role| role != Role::King)?;
                Some(Move::drop(role, Square::from_ascii(file, rank)?))
            }
            [a, b, c, d] => {
                Some(self.board_move(Square::from_ascii(a, b)?, Square::from_ascii(c, d)?))
            }
            [a, b, c, d, letter] => {
                let role = Role::from_letter(letter as char)
                    .filter(|role| Role::PROMOTABLE.contains(role))?;
                let (from, to) = (Square::from_ascii(a, b)?, Square::from_ascii(c, d)?);
                Some(Move::promotion(from, to, role))
            }
            _ => None,
        }
    }

    fn board_move(&self, from: Square, to: Square) -> Move {
        let turn = self.turn();
        match self.piece_at(from) {
            Some(piece) if piece.color == turn && piece.role == Role::King => self
                .castling_towards(from, to)
                .map_or(Move::normal(from, to), |rook| Move::castle(from, rook)),
            Some(piece) if piece.role == Role::Pawn && self.en_passant() == Some(to) => {
                Move::en_passant(from, to)
            }
            _ => Move::normal(from, to),
        }
    }

    /// Rook that the king on `from` castles with when a move to `to` is asked for.
    fn castling_towards(&self, from: Square, to: Square) -> Option<Square> {
        let rooks = [0, 1].map(|side| self.castling_rook(self.turn(), side));
        if rooks.contains(&Some(to)) {
            return Some(to);
        }
        if to.rank() != from.rank() || to.file().abs_diff(from.file()) < 2 {
            return None;
        }
        match to.file() {
            6 => rooks[0],
            2 => rooks[1],
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{FenStyle, Variant};

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, Variant::Crazyhouse).unwrap()
    }

    #[test]
    fn castling_is_read_in_both_forms_and_written_in_the_one_asked_for() {
        let position = position("r3k2r/8/8/8/8/8/8/R3K2R[] w KQkq - 0 1");
        for (rook, squares) in [("e1h1", "e1g1"), ("e1a1", "e1c1")] {
            let m = position.parse_uci(rook).unwrap();
            assert_eq!(position.parse_uci(squares).unwrap(), m);
            assert_eq!(position.uci(m, CastlingStyle::KingTakesRook), rook);
            assert_eq!(position.uci(m, CastlingStyle::TwoSquares), squares);
        }
    }

    #[test]
    fn chess960_castling_is_always_written_as_king_takes_rook() {
        let position = position("4k3/8/8/8/8/8/8/R5KR[] w HA - 0 1");
        let m = position.parse_uci("g1h1").unwrap();
        assert_eq!(position.uci(m, CastlingStyle::TwoSquares), "g1h1");
        assert_eq!(
            position.play(m).fen(FenStyle::Bracket),
            "4k3/8/8/8/8/8/8/R4RK1[] b - - 1 1"
        );
    }

    #[test]
    fn king_step_to_the_castling_square_stays_a_king_step() {
        let position = position("4k3/8/8/8/8/8/8/R4K1R[] w HA - 0 1");
        let step = position.parse_uci("f1g1").unwrap();
        assert_eq!(
            position.play(step).fen(FenStyle::Bracket),
            "4k3/8/8/8/8/8/8/R5KR[] b - - 1 1"
        );
    }

    #[test]
    fn drops_and_promotions_are_read_in_either_case() {
        let position = position("7k/4P3/8/8/8/8/8/4K3[PN] w - - 0 1");
        for (lower, upper) in [("p@e4", "P@e4"), ("n@e2", "N@e2"), ("e7e8q", "e7e8Q")] {
            assert_eq!(position.parse_uci(lower), position.parse_uci(upper));
        }
        let drop = position.parse_uci("p@e4").unwrap();
        assert_eq!(position.uci(drop, CastlingStyle::default()), "P@e4");
        let queen = position.parse_uci("e7e8Q").unwrap();
        assert_eq!(position.uci(queen, CastlingStyle::default()), "e7e8q");
    }

    #[test]
    fn promotion_without_its_letter_is_refused() {
        let position = position("7k/4P3/8/8/8/8/8/4K3[] w - - 0 1");
        assert!(matches!(
            position.parse_uci("e7e8"),
            Err(UciError::Illegal { .. })
        ));
    }

    #[test]
    fn messages_tell_bad_writing_from_an_illegal_move() {
        let position = position("4k3/8/8/8/8/8/8/4K3[] w - - 0 1");
        assert_eq!(
            position.parse_uci("e1e3").unwrap_err().to_string(),
            "uci move \"e1e3\" is not legal in this position"
        );
        assert_eq!(
            position.parse_uci("Ke2").unwrap_err().to_string(),
            "uci move \"Ke2\", expected a form such as e2e4, e7e8q or P@e4"
        );
    }
}
