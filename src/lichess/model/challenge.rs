//! Challenges.

use super::{GameId, Side, Speed, lenient};
use serde::{Deserialize, Serialize};

/// Challenge object of the event stream and of the REST answers.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    /// Id, and id of the game to come.
    pub id: GameId,
    /// Page of the challenge.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub url: String,
    /// `created`, `offline`, `canceled`, `declined` or `accepted`.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub status: String,
    /// Who challenges; `None` for an anonymous player or an open challenge.
    #[serde(default)]
    pub challenger: Option<ChallengeUser>,
    /// Who is challenged.
    #[serde(default)]
    pub dest_user: Option<ChallengeUser>,
    /// Variant.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub variant: VariantKey,
    /// Rated or casual.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub rated: bool,
    /// Speed class.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub speed: Speed,
    /// Clock.
    #[serde(default, deserialize_with = "lenient::known")]
    pub time_control: TimeControl,
    /// What the challenger chose for himself: `white`, `black` or `random`.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub color: String,
    /// Color of the challenger, drawn when the challenge was made.
    #[serde(
        default,
        deserialize_with = "lenient::known",
        skip_serializing_if = "Option::is_none"
    )]
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
        deserialize_with = "lenient::null_as_default",
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
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub id: String,
    /// Name as shown.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub name: String,
    /// Title, `BOT` for a bot.
    pub title: Option<String>,
    /// Rating in the perf of the challenge.
    #[serde(default, deserialize_with = "lenient::optional_integer")]
    pub rating: Option<i32>,
    /// Rating not settled yet.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "super::is_false"
    )]
    pub provisional: bool,
    /// Connected now.
    #[serde(
        deserialize_with = "lenient::null_as_default",
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
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub key: String,
    /// Name such as `Crazyhouse`.
    #[serde(deserialize_with = "lenient::null_as_default")]
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
        #[serde(deserialize_with = "lenient::integer")]
        limit: u32,
        /// Increment, s.
        #[serde(deserialize_with = "lenient::integer")]
        increment: u32,
        /// Text such as `3+2`.
        #[serde(default, deserialize_with = "lenient::null_as_default")]
        show: String,
    },
    /// Days a move.
    #[serde(rename_all = "camelCase")]
    Correspondence {
        /// Days for each move.
        #[serde(default, deserialize_with = "lenient::integer_or_zero")]
        days_per_turn: u32,
    },
    /// No clock.
    Unlimited,
    /// A word this version does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A challenge to make; the default is a casual crazyhouse game without a clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChallengeRequest {
    /// Key of the variant.
    pub variant: String,
    /// Rated or casual.
    pub rated: bool,
    /// Clock.
    pub clock: ChallengeClock,
    /// Our color; `None` leaves it to chance.
    pub color: Option<Side>,
    /// Extra rules such as `noAbort`. Must be empty when a bot is challenged.
    pub rules: Vec<String>,
}

/// Clock of a challenge to make.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ChallengeClock {
    /// Real-time clock.
    RealTime {
        /// Initial time, s: 0, 15, 30, 45, 60, 90, or a multiple of 60 from 120 to 10800.
        limit_s: u32,
        /// Increment, s: 0 to 60.
        increment_s: u32,
    },
    /// Days a move.
    Correspondence {
        /// Days for each move: 1, 2, 3, 5, 7, 10 or 14.
        days: u32,
    },
    /// No clock.
    #[default]
    Unlimited,
}

impl Default for ChallengeRequest {
    fn default() -> Self {
        Self {
            variant: VariantKey::crazyhouse().key,
            rated: false,
            clock: ChallengeClock::default(),
            color: None,
            rules: Vec::new(),
        }
    }
}

impl ChallengeRequest {
    /// Fields of the form that is posted.
    pub fn form(&self) -> Vec<(&'static str, String)> {
        let color = self
            .color
            .map_or("random".to_owned(), |side| side.to_string());
        let mut form = vec![
            ("variant", self.variant.clone()),
            ("rated", self.rated.to_string()),
            ("color", color),
        ];
        match self.clock {
            ChallengeClock::RealTime {
                limit_s,
                increment_s,
            } => {
                form.push(("clock.limit", limit_s.to_string()));
                form.push(("clock.increment", increment_s.to_string()));
            }
            ChallengeClock::Correspondence { days } => form.push(("days", days.to_string())),
            ChallengeClock::Unlimited => {}
        }
        if !self.rules.is_empty() {
            form.push(("rules", self.rules.join(",")));
        }
        form
    }
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
    /// All reasons.
    pub const ALL: [Self; 11] = [
        Self::Generic,
        Self::Later,
        Self::TooFast,
        Self::TooSlow,
        Self::TimeControl,
        Self::Rated,
        Self::Casual,
        Self::Standard,
        Self::Variant,
        Self::NoBot,
        Self::OnlyBot,
    ];

    /// Reason of a word in any case, as the server reads it: unknown words are generic.
    pub fn from_word(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|reason| reason.word().eq_ignore_ascii_case(word))
            .unwrap_or(Self::Generic)
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decline_words_are_read_in_any_case() {
        assert_eq!(DeclineReason::from_word("toofast"), DeclineReason::TooFast);
        assert_eq!(DeclineReason::from_word("onlyBot"), DeclineReason::OnlyBot);
        assert_eq!(DeclineReason::from_word("because"), DeclineReason::Generic);
    }
}
