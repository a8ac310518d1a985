//! Writing positions.

use super::{FenStyle, KING_SIDE};
use crate::rules::bitboard::Bitboard;
use crate::rules::piece::{Color, Piece, Role};
use crate::rules::setup::Setup;
use crate::rules::square::Square;
use std::fmt::Write as _;

impl Setup {
    /// FEN of this content in the given dialect; see [`crate::rules::Position::fen`].
    pub fn fen(&self, style: FenStyle) -> String {
        let mut fen = String::with_capacity(96);
        let marks = if style == FenStyle::ChessCom {
            Bitboard::EMPTY
        } else {
            self.promoted
        };
        self.write_board(&mut fen, marks);
        let hand = self.hand_letters();
        match (style, hand.as_str()) {
            (FenStyle::Lichess, hand) => {
                fen.push('/');
                fen.push_str(hand);
            }
            (FenStyle::XBoard, "") => fen.push_str("[-]"),
            (FenStyle::Bracket | FenStyle::XBoard, hand) => {
                fen.push('[');
                fen.push_str(hand);
                fen.push(']');
            }
            (FenStyle::ChessCom, _) => {}
        }
        fen.push_str(if self.turn == Color::White {
            " w "
        } else {
            " b "
        });
        self.write_castling(&mut fen);
        fen.push(' ');
        push(
            &mut fen,
            self.en_passant
                .map_or_else(|| "-".to_owned(), |square| square.to_string()),
        );
        push(
            &mut fen,
            format_args!(" {} {}", self.halfmoves, self.fullmoves),
        );
        if style == FenStyle::ChessCom {
            self.write_chess_com(&mut fen, &hand);
        }
        fen
    }

    fn write_board(&self, fen: &mut String, marks: Bitboard) {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let square = Square::at(file, rank);
                let Some(piece) = self.board[square.index()] else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    push(fen, empty);
                    empty = 0;
                }
                fen.push(piece.letter());
                if marks.has(square) {
                    fen.push('~');
                }
            }
            if empty > 0 {
                push(fen, empty);
            }
            if rank > 0 {
                fen.push('/');
            }
        }
    }

    fn hand_letters(&self) -> String {
        let mut letters = String::new();
        for color in Color::ALL {
            for role in Role::DROPPABLE {
                for _ in 0..self.pockets[color.index()].count(role) {
                    letters.push(Piece { color, role }.letter());
                }
            }
        }
        letters
    }

    /// X-FEN: `K` and `Q` for the outermost rooks, file letters for rooks further inside.
    fn write_castling(&self, fen: &mut String) {
        let start = fen.len();
        for color in Color::ALL {
            for side in 0..2 {
                let Some(file) = self.castling[color.index()][side] else {
                    continue;
                };
                let letter = if self.outermost_rook(color, side) == Some(file) {
                    if side == KING_SIDE { 'k' } else { 'q' }
                } else {
                    (b'a' + (file & 7)) as char
                };
                fen.push(if color == Color::White {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                });
            }
        }
        if fen.len() == start {
            fen.push('-');
        }
    }

    fn write_chess_com(&self, fen: &mut String, hand: &str) {
        let promoted: Vec<String> = self.promoted.map(|square| square.to_string()).collect();
        if hand.is_empty() && promoted.is_empty() {
            return;
        }
        // How the site writes promoted pieces beside empty hands, or several of them, is not known.
        push(
            fen,
            format_args!(" {}", if hand.is_empty() { "-" } else { hand }),
        );
        if !promoted.is_empty() {
            push(fen, format_args!(" {}", promoted.join(",")));
        }
    }
}

fn push(fen: &mut String, part: impl std::fmt::Display) {
    write!(fen, "{part}").expect("writing to a string does not fail");
}
