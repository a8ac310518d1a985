//! Lichess Bot API: wire types and HTTP client. Knows no chess and no policy; moves and FENs are
//! handed on as text.

pub mod model;
pub mod pacing;

mod answer;
mod client;
mod endpoints;
mod error;
mod explorer;
mod pages;
mod stream;
mod token;

pub use client::{Client, ClientOptions, user_agent};
pub use endpoints::{MAX_CHAT, MoveOutcome, Pong};
pub use error::{ApiError, Error, Kind, RateLimit, StreamError};
pub use explorer::ExplorerQuery;
pub use model::*;
pub use pacing::{Backoff, ConnectBudget, Gate};
pub use pages::{Page, Validators};
pub use stream::{ChallengeStream, EventStream, GameStream, LineStream, StreamItem};
