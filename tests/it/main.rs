//! The one integration binary.

mod cli;
mod dockerfile;
mod layers;
mod program;
mod rules_data;
mod rules_laws;
mod rules_oracle;
mod rules_text;
mod rules_walk;
mod sandbox;
mod settings;
mod uci;
