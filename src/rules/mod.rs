//! Crazyhouse as Lichess plays it, with Loop, Chessgi and Chess960 castling. Pure: no I/O, clock, logging or global state.

mod bitboard;
mod mv;
mod piece;
mod pocket;
mod square;

pub use bitboard::Bitboard;
pub use mv::{Move, MoveKind, MoveList};
pub use piece::{Color, Piece, Role, Variant};
pub use pocket::Pocket;
pub use square::Square;
