//! Challenges.

use super::{GameId, Side, Speed, null_as_default};
use serde::{Deserialize, Serialize};

/// Challenge object of the event stream and of the REST answers.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    /// Id, and id of the game to come.
    pub id: GameId,
    /// Page of the challenge.
    #[serde(default, deserialize_with = "null_as_default")]
    pub url: String,
    /// `created`, `offline`, `canceled`, `declined` or `accepted`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub status: String,
    /// Who challenges; `None` for an anonymous player or an open challenge.
    #[serde(default)]
    pub challenger: Option<ChallengeUser>,
    /// Who is challenged.
    #[serde(default)]
    pub dest_user: Option<ChallengeUser>,
    /// Variant.
    pub variant: VariantKey,
    /// Rated or casual.
    #[serde(default, deserialize_with = "null_as_default")]
    pub rated: bool,
    /// Speed class.
    #[serde(default, deserialize_with = "null_as_default")]
    pub speed: Speed,
    /// Clock.
    #[serde(default, deserialize_with = "null_as_default")]
    pub time_control: TimeControl,
    /// What the challenger chose for himself: `white`, `black` or `random`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub color: String,
    /// Color of the challenger, drawn when the challenge was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_color: Option<Side>,
    /// `in` or `out`; absent on the event stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// Start position, absent for crazyhouse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_fen: Option<String>,
    /// Game of which this is a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
    /// Extra rules such as `noAbort`.
    #[serde(
        default,
        deserialize_with = "null_as_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub rules: Vec<String>,
    /// Translated reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decline_reason: Option<String>,
    /// Reason word in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decline_reason_key: Option<String>,
}

/// Player named in a challenge.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct ChallengeUser {
    /// Lower-case id.
    pub id: String,
    /// Name as shown.
    pub name: String,
    /// Title, `BOT` for a bot.
    pub title: Option<String>,
    /// Rating in the perf of the challenge.
    pub rating: Option<i32>,
    /// Rating not settled yet.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "super::is_false"
    )]
    pub provisional: bool,
    /// Connected now.
    #[serde(
        deserialize_with = "null_as_default",
        skip_serializing_if = "super::is_false"
    )]
    pub online: bool,
}

impl ChallengeUser {
    /// Whether the player carries the title `BOT`.
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }
}

/// Variant as the server names it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct VariantKey {
    /// Key such as `crazyhouse`.
    pub key: String,
    /// Name such as `Crazyhouse`.
    #[serde(deserialize_with = "null_as_default")]
    pub name: String,
    /// Short name such as `Crazy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
}

impl VariantKey {
    /// The variant crazyhouse.
    pub fn crazyhouse() -> Self {
        Self {
            key: "crazyhouse".into(),
            name: "Crazyhouse".into(),
            short: Some("Crazy".into()),
        }
    }
}

/// Clock of a challenge.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum TimeControl {
    /// Real-time clock, both values in seconds.
    Clock {
        /// Initial time, s.
        limit: u32,
        /// Increment, s.
        increment: u32,
        /// Text such as `3+2`.
        #[serde(default, deserialize_with = "null_as_default")]
        show: String,
    },
    /// Days a move.
    #[serde(rename_all = "camelCase")]
    Correspondence {
        /// Days for each move.
        #[serde(default, deserialize_with = "null_as_default")]
        days_per_turn: u32,
    },
    /// No clock.
    Unlimited,
    /// A word this version does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Reasons that `POST /api/challenge/{id}/decline` knows. `Rated` asks for a rated game, `Casual` for a casual one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeclineReason {
    /// No particular reason.
    Generic,
    /// Ask again later.
    Later,
    /// Clock too fast.
    TooFast,
    /// Clock too slow.
    TooSlow,
    /// Not this kind of clock.
    TimeControl,
    /// Send a rated challenge instead.
    Rated,
    /// Send a casual challenge instead.
    Casual,
    /// Send a standard game instead.
    Standard,
    /// Not this variant.
    Variant,
    /// No bots.
    NoBot,
    /// Bots only.
    OnlyBot,
}

impl DeclineReason {
    /// Word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Later => "later",
            Self::TooFast => "tooFast",
            Self::TooSlow => "tooSlow",
            Self::TimeControl => "timeControl",
            Self::Rated => "rated",
            Self::Casual => "casual",
            Self::Standard => "standard",
            Self::Variant => "variant",
            Self::NoBot => "noBot",
            Self::OnlyBot => "onlyBot",
        }
    }
}
