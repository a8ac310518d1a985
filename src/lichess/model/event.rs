//! Lines of the event stream (`GET /api/stream/event`).

use super::{Challenge, GameId, Side, Speed, VariantKey, null_as_default};
use serde::{Deserialize, Serialize};

/// One line of the event stream.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Event {
    /// A game runs; repeated for all running games on connect.
    GameStart {
        /// Facts of the game.
        game: Box<GameInfo>,
    },
    /// A game is over.
    GameFinish {
        /// Facts of the game.
        game: Box<GameInfo>,
    },
    /// A challenge to us, by us, or a rematch offer.
    Challenge {
        /// The challenge.
        challenge: Box<Challenge>,
        /// Which APIs can play it; absent in the replay on connect.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        compat: Option<Compat>,
    },
    /// The challenger withdrew.
    ChallengeCanceled {
        /// The challenge.
        challenge: Box<Challenge>,
    },
    /// Declined by either side.
    ChallengeDeclined {
        /// The challenge.
        challenge: Box<Challenge>,
    },
    /// A kind of event this version does not know.
    #[serde(other)]
    Unknown,
}

/// Which APIs can play a game.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Compat {
    /// Bot API.
    #[serde(default)]
    pub bot: bool,
    /// Board API.
    #[serde(default)]
    pub board: bool,
}

/// Game as the event stream and `/api/account/playing` describe it.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct GameInfo {
    /// Game id; the same value comes under `id` too, and older servers send only that.
    #[serde(default)]
    pub game_id: GameId,
    /// Game id again.
    #[serde(default)]
    pub id: GameId,
    /// Private id of the player; never shown.
    #[serde(default, deserialize_with = "null_as_default")]
    pub full_id: String,
    /// Current position (slash form for crazyhouse).
    #[serde(default, deserialize_with = "null_as_default")]
    pub fen: String,
    /// Our color.
    #[serde(default)]
    pub color: Option<Side>,
    /// Last move, for display only.
    #[serde(default, deserialize_with = "null_as_default")]
    pub last_move: String,
    /// Where the game comes from, such as `friend` or `arena`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub source: String,
    /// Status, as an object here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusId>,
    /// Variant.
    #[serde(default, deserialize_with = "null_as_default")]
    pub variant: VariantKey,
    /// Speed class.
    #[serde(default, deserialize_with = "null_as_default")]
    pub speed: Speed,
    /// Rating category.
    #[serde(default, deserialize_with = "null_as_default")]
    pub perf: String,
    /// Rated or casual.
    #[serde(default, deserialize_with = "null_as_default")]
    pub rated: bool,
    /// Whether we have made a move.
    #[serde(default, deserialize_with = "null_as_default")]
    pub has_moved: bool,
    /// Opponent.
    #[serde(default, deserialize_with = "null_as_default")]
    pub opponent: Opponent,
    /// Whether we are to move.
    #[serde(default, deserialize_with = "null_as_default")]
    pub is_my_turn: bool,
    /// Our clock in seconds; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<i64>,
    /// Arena the game belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_id: Option<String>,
    /// Winner, in `gameFinish` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
    /// Change of our rating, in `gameFinish` of rated games only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating_diff: Option<i32>,
    /// Which APIs can play it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compat: Option<Compat>,
}

impl GameInfo {
    /// Id of the game, under whichever key it came.
    pub const fn game(&self) -> &GameId {
        if self.game_id.0.is_empty() {
            &self.id
        } else {
            &self.game_id
        }
    }
}

/// Opponent of a [`GameInfo`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Opponent {
    /// Lower-case id; `None` for the Lichess AI and anonymous players.
    pub id: Option<String>,
    /// Name as shown, perhaps with a title before it.
    #[serde(deserialize_with = "null_as_default")]
    pub username: String,
    /// Rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<i32>,
    /// Change of the opponent's rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_diff: Option<i32>,
    /// Level of the Lichess AI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai: Option<u8>,
}

/// Status as number and word.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct StatusId {
    /// Number, such as 20.
    pub id: i32,
    /// Word, such as `started`.
    pub name: super::GameStatus,
}
