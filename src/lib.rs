//! Pocketknight: a Lichess bot that plays crazyhouse, with its own search engine inside.

pub mod book;
pub mod bot;
pub mod engine;
pub mod eval_file;
pub mod lichess;
pub mod protocol;
pub mod rules;
pub mod sandbox;
pub mod settings;
pub mod training;
pub mod uci_engine;
