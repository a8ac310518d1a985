//! Content of a FEN, not yet known to be a position that can be played.

use super::bitboard::Bitboard;
use super::piece::{Color, Piece, Variant};
use super::pocket::Pocket;
use super::square::Square;
use thiserror::Error;

/// Anything that a FEN can say. [`super::Position::from_setup`] checks it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Variant that gives the content its meaning.
    pub variant: Variant,
    /// Pieces by square index.
    pub board: [Option<Piece>; 64],
    /// Squares of promoted pieces.
    pub promoted: Bitboard,
    /// Pockets by color index.
    pub pockets: [Pocket; 2],
    /// Side to move.
    pub turn: Color,
    /// File 0 to 7 of the rook that may castle: by color index, then king side 0 and queen side 1.
    pub castling: [[Option<u8>; 2]; 2],
    /// Square behind a pawn that has just advanced two squares.
    pub en_passant: Option<Square>,
    /// Plies since the last capture, pawn move or pawn drop.
    pub halfmoves: u32,
    /// Number of the move, from 1.
    pub fullmoves: u32,
}

impl Setup {
    /// Empty board, White to move.
    pub const fn empty(variant: Variant) -> Self {
        Self {
            variant,
            board: [None; 64],
            promoted: Bitboard::EMPTY,
            pockets: [Pocket([0; 5]); 2],
            turn: Color::White,
            castling: [[None; 2]; 2],
            en_passant: None,
            halfmoves: 0,
            fullmoves: 1,
        }
    }
}

/// Why a [`Setup`] cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SetupError {
    /// Not exactly one king of a side.
    #[error("{color} has {count} kings, expected one")]
    Kings {
        /// Side.
        color: Color,
        /// Kings found.
        count: u32,
    },
    /// Pawn where none can stand.
    #[error("pawn on {square}, where no pawn can stand")]
    PawnRank {
        /// Its square.
        square: Square,
    },
    /// The side that has just moved is in check.
    #[error("{color} is in check but it is not {color}'s turn")]
    OppositeCheck {
        /// Side in check.
        color: Color,
    },
    /// Promoted mark on an empty square, a pawn or a king.
    #[error("promoted mark on {square}, which holds no knight, bishop, rook or queen")]
    Promoted {
        /// Its square.
        square: Square,
    },
    /// More material than two full sets can turn into.
    #[error("impossible material: {what}")]
    Material {
        /// What there is too much of.
        what: &'static str,
    },
}
