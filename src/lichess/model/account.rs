//! Accounts and tokens.

use super::event::GameInfo;
use super::lenient;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// User object of `/api/account`, `/api/user/{name}` and `/api/bot/online`.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Account {
    /// Lower-case id.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub id: String,
    /// Name as shown.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub username: String,
    /// `BOT` for a bot account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Ratings by perf key; `crazyhouse` is absent before the first game.
    #[serde(deserialize_with = "lenient::known_entries")]
    pub perfs: BTreeMap<String, Perf>,
    /// Profile texts such as `bio`; a bot without a bio is not listed online.
    #[serde(
        default,
        deserialize_with = "lenient::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub profile: Option<BTreeMap<String, serde_json::Value>>,
    /// Closed account.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "super::is_false"
    )]
    pub disabled: bool,
}

impl Account {
    /// Whether the account carries the title `BOT`.
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }
}

/// Rating in one category.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Perf {
    /// Rated games played.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub games: u32,
    /// Rating.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub rating: i32,
    /// Rating deviation.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub rd: f64,
    /// Change over the last games.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub prog: i32,
    /// Rating not settled yet.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "super::is_false"
    )]
    pub prov: bool,
}

/// Answer of `POST /api/token/test` for one token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenInfo {
    /// Owner.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub user_id: String,
    /// Scopes joined by commas, empty if none.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub scopes: String,
    /// Expiry, ms since the epoch.
    #[serde(default, deserialize_with = "lenient::optional_integer")]
    pub expires: Option<i64>,
}

impl TokenInfo {
    /// Whether the token has a scope such as `bot:play`.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.split(',').any(|s| s.trim() == scope)
    }
}

/// Answer of `GET /api/account/playing`.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct PlayingList {
    /// Running games, most urgent first.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub now_playing: Vec<GameInfo>,
}
