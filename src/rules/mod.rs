//! Crazyhouse as Lichess plays it, with Loop, Chessgi and Chess960 castling. Pure: no I/O, clock, logging or global state.

pub mod attacks;
mod bitboard;
mod excerpt;
mod fen;
mod movegen;
mod mv;
mod outcome;
mod perft;
mod perft_suite;
pub mod pgn;
mod piece;
mod pocket;
mod position;
mod san;
mod setup;
mod square;
mod uci;
mod zobrist;

#[cfg(test)]
mod playout_tests;

pub use bitboard::Bitboard;
pub use fen::{FenError, FenStyle, START_FEN};
pub use mv::{Move, MoveKind, MoveList};
pub use outcome::{Game, IllegalMove, LICHESS_PLY_LIMIT, Outcome, Repetition, Rule};
pub use perft::{perft, perft_divide};
pub use perft_suite::{SuiteError, SuiteRow, SuiteSummary, run_suite};
pub use piece::{Color, Piece, Role, Variant};
pub use pocket::Pocket;
pub use position::{Changes, CheckInfo, Position};
pub use san::SanError;
pub use setup::{Setup, SetupError};
pub use square::Square;
pub use uci::{CastlingStyle, UciError};
