//! The one integration binary.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails best by panicking"
)]

mod analyse;
mod arena;
mod book;
mod bot;
mod cli;
mod config_import;
mod dockerfile;
mod doctor;
mod duel;
mod fixture;
mod layers;
mod lichess;
mod manners;
mod matches;
mod people;
mod program;
mod rules_data;
mod rules_laws;
mod rules_oracle;
mod rules_text;
mod rules_walk;
mod sandbox;
mod settings;
mod startup;
mod train;
mod uci;
#[cfg(unix)]
mod uci_engine;
mod wire;
mod xboard;
