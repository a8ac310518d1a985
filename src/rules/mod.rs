//! Crazyhouse as Lichess plays it, with Loop, Chessgi and Chess960 castling. Pure: no I/O, clock, logging or global state.

pub mod attacks;
mod bitboard;
mod movegen;
mod mv;
mod perft;
mod piece;
mod pocket;
mod position;
mod setup;
mod square;
mod zobrist;

#[cfg(test)]
mod playout_tests;

pub use bitboard::Bitboard;
pub use mv::{Move, MoveKind, MoveList};
pub use perft::{perft, perft_divide};
pub use piece::{Color, Piece, Role, Variant};
pub use pocket::Pocket;
pub use position::{Changes, CheckInfo, Position};
pub use setup::{Setup, SetupError};
pub use square::Square;
