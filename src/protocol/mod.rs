//! Text front ends over the engine: lines in, lines out, no network.

mod lines;
mod output;
#[cfg(test)]
mod test_book;
pub mod uci;
pub mod xboard;
