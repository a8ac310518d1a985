//! The one integration binary.

mod bot;
mod cli;
mod dockerfile;
mod layers;
mod lichess;
mod program;
mod rules_data;
mod rules_laws;
mod rules_oracle;
mod rules_text;
mod rules_walk;
mod settings;
mod uci;
mod wire;
