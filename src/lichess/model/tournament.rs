//! Arena tournaments.

use super::lenient;
use serde::{Deserialize, Serialize};

/// Arena as `GET /api/tournament/{id}` shows it, and as the list of tournaments does; what neither names is left out.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Tournament {
    /// Id, the last part of its address.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub id: String,
    /// Name for people.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub full_name: String,
    /// Key of the variant. One tournament names it as text, the list as an object with a key.
    #[serde(deserialize_with = "variant_key")]
    pub variant: String,
    /// Clock of the games.
    #[serde(deserialize_with = "lenient::known")]
    pub clock: TournamentClock,
    /// Whether its creator lets bots in.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub bots_allowed: bool,
    /// Seconds until it starts, if it has not.
    #[serde(
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub seconds_to_start: Option<i64>,
    /// Seconds until it ends, if it has started.
    #[serde(
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub seconds_to_finish: Option<i64>,
    /// Whether it is over.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub is_finished: bool,
}

impl Tournament {
    /// Why a bot that plays crazyhouse can never join, if that is so.
    pub fn closed_to_bot(&self) -> Option<&'static str> {
        if self.variant != "crazyhouse" {
            Some("its variant is not crazyhouse")
        } else if !self.bots_allowed {
            Some("it lets no bots in")
        } else {
            None
        }
    }
}

/// Clock of an arena's games.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct TournamentClock {
    /// Initial time, seconds.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub limit: u32,
    /// Increment, seconds.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub increment: u32,
}

/// Answer of `GET /api/tournament`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct TournamentList {
    /// Not yet started.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub created: Vec<Tournament>,
    /// Running.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub started: Vec<Tournament>,
}

fn variant_key<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Variant {
        Key(String),
        Object { key: String },
        Other(serde::de::IgnoredAny),
    }
    Ok(match Variant::deserialize(deserializer)? {
        Variant::Key(key) | Variant::Object { key } => key,
        Variant::Other(_) => String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variant_is_a_text_or_an_object() {
        for json in [
            r#"{"id":"abcd1234","variant":"crazyhouse","clock":{"limit":180,"increment":2},"botsAllowed":true,
                "secondsToStart":90,"startsAt":"2026-11-30T10:00:00Z","verdicts":{"list":[]}}"#,
            r#"{"id":"abcd1234","variant":{"key":"crazyhouse","name":"Crazyhouse"},"startsAt":1764500000000,
                "clock":{"limit":180,"increment":2},"botsAllowed":true,"secondsToStart":90}"#,
        ] {
            let arena: Tournament = serde_json::from_str(json).unwrap();
            assert_eq!(arena.variant, "crazyhouse");
            assert_eq!(arena.seconds_to_start, Some(90));
            assert!(arena.bots_allowed && !arena.is_finished);
            assert_eq!((arena.clock.limit, arena.clock.increment), (180, 2));
        }
        let odd: Tournament =
            serde_json::from_str(r#"{"variant":7,"clock":null,"botsAllowed":null}"#).unwrap();
        assert_eq!(odd, Tournament::default());
    }
}
