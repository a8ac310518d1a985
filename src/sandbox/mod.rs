//! A server on loopback that speaks the Lichess Bot API, with scripted opponents to play against.
//!
//! It is meant for trying and testing bots without Lichess: `pocketknight sandbox` plays the real bot against it
//! over real HTTP, and `pocketknight sandbox --serve` leaves it running for any client. It speaks the wire types of
//! [`crate::lichess::model`], judges games by [`crate::rules`], and knows nothing of the bot. Only crazyhouse is
//! played; challenges to other variants can be made, so that a client can decline them.

mod accounts;
mod answer;
mod auth;
mod challenges;
mod clock;
mod faults;
mod feed;
mod fields;
mod game;
mod hall;
mod limits;
mod match_runner;
mod opponents;
mod players;
mod presence;
mod record;
mod report;
mod request;
mod routes;
mod serve;
mod server;
mod table;
mod wire;

pub use faults::{Fault, FaultKind};
pub use match_runner::{MatchClock, MatchOptions, UnknownClock, play_match};
pub use opponents::{Manner, ScriptedAnswer, Style, UnknownStyle};
pub use report::{Report, Row};
pub use serve::welcome;
pub use server::{Server, ServerOptions};
