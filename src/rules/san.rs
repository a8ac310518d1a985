//! Standard algebraic notation with drops (`P@e4`).

use super::bitboard::Bitboard;
use super::excerpt::excerpt;
use super::mv::{Move, MoveKind};
use super::piece::Role;
use super::position::Position;
use super::square::Square;
use thiserror::Error;

/// Longest text that can be a move, with room for signs such as `!?` behind it.
const MAX_LENGTH: usize = 16;

/// Why a text is no move in a position. Values are cut to a few characters.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SanError {
    /// Not written like a move.
    #[error("san move {value:?}, expected a form such as e4, Nbd2, exd8=Q, O-O or N@f7")]
    Syntax {
        /// The text.
        value: String,
    },
    /// A move, but no legal one here.
    #[error("san move {value:?} is not legal in this position")]
    Illegal {
        /// The text.
        value: String,
    },
    /// Several legal moves fit.
    #[error("san move {value:?} fits several legal moves, expected its origin too")]
    Ambiguous {
        /// The text.
        value: String,
    },
}

/// What a text says, before the board is asked.
#[derive(Clone, Copy)]
enum Reading {
    Castle { side: usize },
    Drop { role: Role, to: Square },
    Board(BoardReading),
}

#[derive(Clone, Copy)]
struct BoardReading {
    role: Role,
    file: Option<u8>,
    rank: Option<u8>,
    capture: bool,
    to: Square,
    promotion: Option<Role>,
}

impl Position {
    /// Text of a legal move: `e4`, `Nbd2`, `exd8=Q+`, `O-O`, `P@e4#`.
    ///
    /// The origin is added where another piece of the same role has a legal move there; drops
    /// neither need nor cause that. `#` is written only if no drop helps either.
    pub fn san(&self, m: Move) -> String {
        let mut text = match m.kind() {
            MoveKind::Castle if m.to().file() > m.from_raw().file() => "O-O".to_owned(),
            MoveKind::Castle => "O-O-O".to_owned(),
            MoveKind::Drop => format!("{}@{}", self.moved_piece(m).role.upper_letter(), m.to()),
            MoveKind::Normal | MoveKind::EnPassant | MoveKind::Promotion(_) => self.san_on_board(m),
        };
        let after = self.play(m);
        if after.is_check() {
            text.push(if after.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    /// Legal move of a text, as this crate and other programs write it.
    ///
    /// Read as well: `@e4` for a pawn's drop, drops in lower case, `0-0`, long forms (`Ng1-f3`),
    /// a missing `x` or `=`, and any signs of check or comment at the end, right or wrong.
    ///
    /// # Errors
    /// When the text is not written like a move, or not exactly one legal move fits.
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let reading = read(text).ok_or_else(|| SanError::Syntax {
            value: excerpt(text),
        })?;
        let illegal = || SanError::Illegal {
            value: excerpt(text),
        };
        match reading {
            Reading::Castle { side } => self
                .castling_rook(self.turn(), side)
                .map(|rook| Move::castle(self.king(self.turn()), rook))
                .filter(|&m| self.is_legal(m))
                .ok_or_else(illegal),
            Reading::Drop { role, to } => Some(Move::drop(role, to))
                .filter(|&m| self.is_legal(m))
                .ok_or_else(illegal),
            Reading::Board(reading) => {
                let mut fitting = self.fitting_moves(reading);
                let m = fitting.next().ok_or_else(illegal)?;
                if fitting.next().is_some() {
                    return Err(SanError::Ambiguous {
                        value: excerpt(text),
                    });
                }
                Ok(m)
            }
        }
    }

    fn san_on_board(&self, m: Move) -> String {
        let (from, to) = (m.from_raw(), m.to());
        let role = self.moved_piece(m).role;
        let capture = m.is_en_passant() || self.occupied().has(to);
        let mut text = String::with_capacity(8);
        if role == Role::Pawn {
            if capture {
                text.push(from.file_char());
            }
        } else {
            text.push(role.upper_letter());
            self.push_origin(&mut text, role, m);
        }
        if capture {
            text.push('x');
        }
        text.push(to.file_char());
        text.push(to.rank_char());
        if let Some(role) = m.promoted_to() {
            text.push('=');
            text.push(role.upper_letter());
        }
        text
    }

    /// File, else rank, else both of the origin, as far as needed to tell it from other pieces.
    fn push_origin(&self, text: &mut String, role: Role, m: Move) {
        let (from, to) = (m.from_raw(), m.to());
        let mut others = self.attackers_to(to, self.occupied()) & self.pieces(self.turn(), role);
        others.remove(from);
        let (mut any, mut same_file, mut same_rank) = (false, false, false);
        for other in others {
            if self.is_legal(Move::normal(other, to)) {
                any = true;
                same_file |= other.file() == from.file();
                same_rank |= other.rank() == from.rank();
            }
        }
        if any && (!same_file || same_rank) {
            text.push(from.file_char());
        }
        if same_file {
            text.push(from.rank_char());
        }
    }

    fn fitting_moves(&self, reading: BoardReading) -> impl Iterator<Item = Move> {
        let BoardReading {
            role,
            file,
            rank,
            capture,
            to,
            promotion,
        } = reading;
        let mut origins = self.pieces(self.turn(), role);
        match file {
            Some(file) => origins &= Bitboard::file(file),
            // A pawn's move without a file and without `x` goes straight ahead.
            None if role == Role::Pawn && !capture => origins &= Bitboard::file(to.file()),
            None => {}
        }
        if let Some(rank) = rank {
            origins &= Bitboard::rank(rank);
        }
        let en_passant = role == Role::Pawn && self.en_passant() == Some(to);
        origins
            .map(move |from| match promotion {
                Some(role) => Move::promotion(from, to, role),
                None if en_passant => Move::en_passant(from, to),
                None => Move::normal(from, to),
            })
            .filter(|&m| self.is_legal(m))
    }
}

fn read(text: &str) -> Option<Reading> {
    let text = text.trim_ascii();
    if text.len() > MAX_LENGTH || !text.is_ascii() {
        return None;
    }
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    match text {
        "O-O" | "0-0" | "o-o" => return Some(Reading::Castle { side: 0 }),
        "O-O-O" | "0-0-0" | "o-o-o" => return Some(Reading::Castle { side: 1 }),
        _ => {}
    }
    if let Some((role, to)) = text.split_once('@') {
        let role = match *role.as_bytes() {
            [] => Role::Pawn,
            [letter] => Role::from_letter(letter as char).filter(|&role| role != Role::King)?,
            _ => return None,
        };
        let &[file, rank] = to.as_bytes() else {
            return None;
        };
        return Some(Reading::Drop {
            role,
            to: Square::from_ascii(file, rank)?,
        });
    }
    read_board_move(text.as_bytes()).map(Reading::Board)
}

/// Takes the parts off from both ends: role, promotion, destination, `x`, origin.
fn read_board_move(mut text: &[u8]) -> Option<BoardReading> {
    let mut role = Role::Pawn;
    // Lower case would make a bishop of the b file.
    if let [
        letter @ (b'P' | b'N' | b'B' | b'R' | b'Q' | b'K'),
        rest @ ..,
    ] = text
    {
        role = Role::from_letter(*letter as char)?;
        text = rest;
    }
    let mut promotion = None;
    if let [rest @ .., letter] = text
        && letter.is_ascii_alphabetic()
    {
        promotion = Role::from_letter(*letter as char);
        if role != Role::Pawn || !promotion.is_some_and(|to| Role::PROMOTABLE.contains(&to)) {
            return None;
        }
        text = rest.strip_suffix(b"=").unwrap_or(rest);
    }
    let [rest @ .., file, rank] = text else {
        return None;
    };
    let to = Square::from_ascii(*file, *rank)?;
    let (rest, capture) = match rest {
        [rest @ .., b'x' | b':'] => (rest, true),
        [rest @ .., b'-'] => (rest, false),
        _ => (rest, false),
    };
    let (file, rank) = match *rest {
        [] => (None, None),
        [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
        [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
        _ => return None,
    };
    Some(BoardReading {
        role,
        file,
        rank,
        capture,
        to,
        promotion,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, Variant::Crazyhouse).unwrap()
    }

    fn rewritten(fen: &str, text: &str) -> String {
        let position = position(fen);
        position.san(position.parse_san(text).unwrap())
    }

    #[test]
    fn a_check_that_only_a_drop_can_meet_is_no_mate() {
        let fen = "6k1/5ppp/8/8/8/8/8/R5K1";
        assert_eq!(rewritten(&format!("{fen}[] w - - 0 1"), "Ra8"), "Ra8#");
        assert_eq!(rewritten(&format!("{fen}[p] w - - 0 1"), "Ra8"), "Ra8#");
        assert_eq!(rewritten(&format!("{fen}[n] w - - 0 1"), "Ra8"), "Ra8+");
    }

    #[test]
    fn pinned_pieces_and_pieces_in_hand_cause_no_origin() {
        let pinned = "4k3/4r3/8/8/8/8/4N3/1N2K3[N] w - - 0 1";
        assert_eq!(rewritten(pinned, "Nc3"), "Nc3");
        assert_eq!(rewritten(pinned, "N@c3"), "N@c3");
        let free = "4k3/8/8/8/8/8/4N3/1N2K3[N] w - - 0 1";
        assert_eq!(rewritten(free, "Nbc3"), "Nbc3");
    }

    #[test]
    fn origin_is_file_then_rank_then_both() {
        let fen = "6k1/8/8/Q~6Q/8/8/8/Q3K3[] w - - 0 1";
        assert_eq!(rewritten(fen, "Qa5c3"), "Q5c3");
        assert_eq!(rewritten(fen, "Qa1-c3"), "Q1c3");
        assert_eq!(rewritten(fen, "Qhe5"), "Qhe5");
        assert_eq!(rewritten(fen, "Qa5e5"), "Qa5e5");
    }

    #[test]
    fn pawn_drops_are_read_with_or_without_their_letter_in_either_case() {
        let fen = "4k3/8/8/8/8/8/8/4K3[PN] w - - 0 1";
        for text in ["P@d7", "@d7", "p@d7+", " @d7#!? "] {
            assert_eq!(rewritten(fen, text), "P@d7+");
        }
        assert_eq!(rewritten(fen, "n@a1"), "N@a1");
    }

    #[test]
    fn castling_is_read_with_letters_and_with_zeros() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R[] w KQkq - 0 1";
        assert_eq!(rewritten(fen, "0-0"), "O-O");
        assert_eq!(rewritten(fen, "0-0-0+"), "O-O-O");
        assert_eq!(rewritten(fen, "o-o"), "O-O");
    }

    #[test]
    fn a_pawn_move_without_file_goes_straight_even_where_a_capture_exists() {
        let fen = "4k3/8/8/8/8/3P4/4P3/4K3[] w - - 0 1";
        assert_eq!(rewritten(fen, "e4"), "e4");
        let capture = "4k3/8/8/8/4p3/3P4/8/4K3[] w - - 0 1";
        assert!(matches!(
            position(capture).parse_san("e4"),
            Err(SanError::Illegal { .. })
        ));
        for text in ["dxe4", "de4", "xe4", "d3xe4", "d:e4"] {
            assert_eq!(rewritten(capture, text), "dxe4", "{text}");
        }
    }

    #[test]
    fn promotions_are_read_with_and_without_the_equals_sign_but_not_without_a_role() {
        let fen = "3r2k1/4P3/8/8/8/8/8/4K3[] w - - 0 1";
        assert_eq!(rewritten(fen, "e8Q"), "e8=Q+");
        assert_eq!(rewritten(fen, "exd8=n"), "exd8=N");
        for text in ["e8", "e8=K", "e8=P"] {
            assert!(position(fen).parse_san(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ambiguous_text_is_refused_with_a_message_that_says_so() {
        let fen = "4k3/8/8/8/8/8/8/RN2KN2[] w - - 0 1";
        assert_eq!(
            position(fen).parse_san("Nd2").unwrap_err().to_string(),
            "san move \"Nd2\" fits several legal moves, expected its origin too"
        );
    }
}
