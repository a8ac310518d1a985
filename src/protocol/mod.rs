//! Text front ends over the engine: lines in, lines out, no network.

pub mod uci;
