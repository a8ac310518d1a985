//! Forsyth-Edwards notation with hands, in the dialects that crazyhouse programs write.
//!
//! | dialect | hand | empty hand | promoted pieces |
//! |---|---|---|---|
//! | bracket | `...RNBQKBNR[Pp] w` | `[]` | `Q~` |
//! | Lichess | `...RNBQKBNR/Pp w` | trailing `/` | `Q~` |
//! | XBoard | `...RNBQKBNR[Pp] w` | `[-]` | `Q~` |
//! | Chess.com | seventh field: `... 0 26 NNBRpr h1` | field absent | squares in an eighth field |
//!
//! Reading takes all of them without being told which one it is.

mod read;
mod write;

use super::piece::{Color, Piece, Role, Variant};
use super::position::Position;
use super::setup::{Setup, SetupError};
use super::square::Square;
use read::MAX_LENGTH;
use thiserror::Error;

/// FEN of the initial array, which every Lichess game of crazyhouse starts from.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";

/// Index of the king side in [`Setup::castling`].
const KING_SIDE: usize = 0;
/// Index of the queen side in [`Setup::castling`].
const QUEEN_SIDE: usize = 1;

/// Dialect to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FenStyle {
    /// `[Pp]`, `[]` when empty: UCI engines and rule libraries.
    #[default]
    Bracket,
    /// Ninth rank section, a trailing `/` when empty: what Lichess writes.
    Lichess,
    /// Hand and promoted squares as seventh and eighth field.
    ChessCom,
    /// `[Pp]`, `[-]` when empty: `XBoard` and Cute Chess.
    XBoard,
}

/// Why a text is no position. Values are cut to a few characters.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// Nothing but white space.
    #[error("fen is empty")]
    Empty,
    /// Longer than any position can be.
    #[error("fen is {length} bytes long, expected at most {MAX_LENGTH}")]
    TooLong {
        /// Bytes of the text.
        length: usize,
    },
    /// Board part is not eight ranks of eight squares.
    #[error("fen board {value:?}: {problem}")]
    Board {
        /// Board part.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A `~` that does not follow a piece that a pawn can turn into.
    #[error("fen board {value:?}: expected ~ only directly after a queen, rook, bishop or knight")]
    PromotedMark {
        /// Board part.
        value: String,
    },
    /// Hand with anything but pieces, or not properly closed, or given twice.
    #[error("fen hand {value:?}: {problem}")]
    Hand {
        /// Hand part.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Side to move.
    #[error("fen side to move {value:?}, expected w or b")]
    Turn {
        /// Second field.
        value: String,
    },
    /// Castling rights that are badly written or have no king and rook to castle with.
    #[error("fen castling {value:?}: {problem}")]
    Castling {
        /// Third field.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// En-passant square.
    #[error("fen en passant {value:?}, expected - or a square that the last double step passed")]
    EnPassant {
        /// Fourth field.
        value: String,
    },
    /// Half-move clock or move number.
    #[error("fen {field} {value:?}, expected a number of digits only")]
    Counter {
        /// Which of the two.
        field: &'static str,
        /// Fifth or sixth field.
        value: String,
    },
    /// Something after the move number that is no hand of the Chess.com form.
    #[error("fen field {value:?} after the move number, expected nothing or a hand such as NNBRpr")]
    ExtraField {
        /// First field that is too much.
        value: String,
    },
    /// List of promoted squares of the Chess.com form.
    #[error("fen promoted squares {value:?}: {problem}")]
    ChessCom {
        /// Eighth field.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Well written, but no legal position.
    #[error(transparent)]
    Position(#[from] SetupError),
}

impl Position {
    /// Position of a FEN in any dialect.
    ///
    /// Fields after the board may be missing from the end: White to move, no castling, no en
    /// passant, counters 0 and 1. An en-passant square without a legal capture is dropped.
    ///
    /// # Errors
    /// When the text is badly written or stands for no legal position.
    pub fn from_fen(fen: &str, variant: Variant) -> Result<Self, FenError> {
        Ok(Self::from_setup(&Setup::parse_fen(fen, variant)?)?)
    }

    /// FEN in the given dialect. The en-passant square is written only if a capture is legal,
    /// castling as X-FEN, hands in the order `PNBRQpnbrq`.
    pub fn fen(&self, style: FenStyle) -> String {
        self.to_setup().fen(style)
    }
}

impl Setup {
    fn king_file(&self, color: Color) -> Option<u8> {
        let king = Piece {
            color,
            role: Role::King,
        };
        let mut files = (0..8).filter(|&file| self.back_rank(color, file) == Some(king));
        let file = files.next()?;
        files.next().is_none().then_some(file)
    }

    fn back_rank(&self, color: Color, file: u8) -> Option<Piece> {
        self.board[Square::at(file, color.relative_rank(0)).index()]
    }

    /// File of the rook that is furthest from the king on one side of it.
    fn outermost_rook(&self, color: Color, side: usize) -> Option<u8> {
        let king = self.king_file(color)?;
        let rook = Some(Piece {
            color,
            role: Role::Rook,
        });
        let is_rook = |file: &u8| self.back_rank(color, *file) == rook;
        if side == KING_SIDE {
            (king + 1..8).rev().find(is_rook)
        } else {
            (0..king).find(is_rook)
        }
    }
}

#[cfg(test)]
mod tests;
