//! Wire types of the Lichess API: what the server sends, tolerant of unknown fields, events, nulls and absent keys.
//!
//! They are serialisable too, so that the sandbox server speaks with the very same types.

mod account;
mod challenge;
mod event;
mod explorer;
mod game;
mod lenient;
mod presence;
mod tournament;

pub use account::{Account, Perf, PlayingList, TokenInfo};
pub use challenge::{
    Challenge, ChallengeClock, ChallengeRequest, ChallengeUser, DeclineReason, TimeControl,
    VariantKey,
};
pub use event::{Compat, Event, GameInfo, Opponent, StatusId};
pub use explorer::{ExplorerAnswer, ExplorerMove};
pub use game::{
    ChatLine, ChatRoom, ClockSetup, Expiration, GameEvent, GameFull, GameState, GameStatus,
    OpponentGone, PerfName, Player,
};
pub use presence::{ChallengeLine, UserStatus};
pub use tournament::{Tournament, TournamentClock, TournamentList};

use serde::{Deserialize, Serialize};
use std::fmt;

/// Identifier of a game or challenge, 8 characters on Lichess. The same id names a challenge and the game it becomes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Debug, Default)]
#[serde(transparent)]
pub struct GameId(pub String);

impl GameId {
    /// Text of the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for GameId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Side on the wire: `white` or `black`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "white",
            Self::Black => "black",
        })
    }
}

/// Speed class of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub enum Speed {
    /// Estimated duration (initial + 40 increments) below 30 s; closed to bots.
    UltraBullet,
    /// Below 180 s.
    Bullet,
    /// Below 480 s.
    Blitz,
    /// Below 1500 s.
    Rapid,
    /// Longer.
    Classical,
    /// Days a move, or no clock.
    Correspondence,
    /// A word this version does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Speed {
    /// Speed of a real-time clock, both values in seconds.
    pub const fn of_clock(limit_s: u32, increment_s: u32) -> Self {
        match limit_s.saturating_add(increment_s.saturating_mul(40)) {
            0..30 => Self::UltraBullet,
            30..180 => Self::Bullet,
            180..480 => Self::Blitz,
            480..1500 => Self::Rapid,
            _ => Self::Classical,
        }
    }

    /// Word on the wire, such as `blitz`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::UltraBullet => "ultraBullet",
            Self::Bullet => "bullet",
            Self::Blitz => "blitz",
            Self::Rapid => "rapid",
            Self::Classical => "classical",
            Self::Correspondence => "correspondence",
            Self::Unknown => "unknown",
        }
    }
}

/// For `skip_serializing_if`: Lichess leaves `false` out.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature that serde wants"
)]
pub(crate) const fn is_false(value: &bool) -> bool {
    !*value
}
