//! Who is there, and what became of a challenge of ours.

use super::{Challenge, lenient};
use serde::{Deserialize, Serialize};

/// Entry of `GET /api/users/status`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct UserStatus {
    /// Lower-case id.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub id: String,
    /// Name as shown.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub name: String,
    /// Title, `BOT` for a bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Connected now.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "super::is_false"
    )]
    pub online: bool,
    /// In a game now.
    #[serde(
        deserialize_with = "lenient::known",
        skip_serializing_if = "super::is_false"
    )]
    pub playing: bool,
}

/// Line of the stream that follows a challenge made with `keepAliveStream`.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(untagged)]
pub enum ChallengeLine {
    /// What became of it; the last line.
    Done {
        /// `accepted`, `declined` or `canceled`.
        done: String,
    },
    /// The challenge; the first line.
    Made(Box<Challenge>),
    /// The same as older servers wrap it.
    Wrapped {
        /// The challenge.
        challenge: Box<Challenge>,
    },
}
