//! Text front ends over the engine: lines in, lines out, no network.

mod lines;
mod output;
pub mod uci;
pub mod xboard;
