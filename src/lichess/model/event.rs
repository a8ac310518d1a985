//! Lines of the event stream (`GET /api/stream/event`).

use super::{Challenge, GameId, Side, Speed, VariantKey, lenient};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// One line of the event stream.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Event {
    /// A game runs; repeated for all running games on connect.
    GameStart {
        /// Facts of the game.
        #[serde(deserialize_with = "identified")]
        game: Box<GameInfo>,
    },
    /// A game is over.
    GameFinish {
        /// Facts of the game.
        #[serde(deserialize_with = "identified")]
        game: Box<GameInfo>,
    },
    /// A challenge to us, by us, or a rematch offer.
    Challenge {
        /// The challenge.
        challenge: Box<Challenge>,
        /// Which APIs can play it; absent in the replay on connect.
        #[serde(
            default,
            deserialize_with = "lenient::known",
            skip_serializing_if = "Option::is_none"
        )]
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

/// A game that has an id; nothing can be done about one without.
fn identified<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<GameInfo>, D::Error> {
    let game = Box::<GameInfo>::deserialize(deserializer)?;
    if game.game().as_str().is_empty() {
        return Err(D::Error::missing_field("gameId"));
    }
    Ok(game)
}

/// Which APIs can play a game.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Compat {
    /// Bot API.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub bot: bool,
    /// Board API.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub board: bool,
}

/// Game as the event stream and `/api/account/playing` describe it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameInfo {
    /// Game id; the same value comes under `id` too, and older servers send only that.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub game_id: GameId,
    /// Game id again.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub id: GameId,
    /// Private id of the player; never shown.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub full_id: String,
    /// Current position (slash form for crazyhouse).
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub fen: String,
    /// Our color.
    #[serde(default, deserialize_with = "lenient::known")]
    pub color: Option<Side>,
    /// Last move, for display only.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub last_move: String,
    /// Where the game comes from, such as `friend` or `arena`.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub source: String,
    /// Status, as an object here.
    #[serde(
        default,
        deserialize_with = "lenient::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub status: Option<StatusId>,
    /// Variant.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub variant: VariantKey,
    /// Speed class.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub speed: Speed,
    /// Rating category.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub perf: String,
    /// Rated or casual.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub rated: bool,
    /// Whether we have made a move.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub has_moved: bool,
    /// Opponent.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub opponent: Opponent,
    /// Whether we are to move.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub is_my_turn: bool,
    /// Our clock in seconds; absent without a clock.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub seconds_left: Option<i64>,
    /// Arena the game belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_id: Option<String>,
    /// Winner, in `gameFinish` only.
    #[serde(
        default,
        deserialize_with = "lenient::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub winner: Option<Side>,
    /// Change of our rating, in `gameFinish` of rated games only.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub rating_diff: Option<i32>,
    /// Which APIs can play it.
    #[serde(
        default,
        deserialize_with = "lenient::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub compat: Option<Compat>,
}

impl fmt::Debug for GameInfo {
    /// Leaves the private id out, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameInfo")
            .field("game_id", self.game())
            .field("color", &self.color)
            .field("variant", &self.variant.key)
            .field("speed", &self.speed)
            .field("rated", &self.rated)
            .field("opponent", &self.opponent)
            .field("is_my_turn", &self.is_my_turn)
            .field("status", &self.status)
            .field("winner", &self.winner)
            .field("fen", &self.fen)
            .finish_non_exhaustive()
    }
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
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub username: String,
    /// Rating.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub rating: Option<i32>,
    /// Change of the opponent's rating.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub rating_diff: Option<i32>,
    /// Level of the Lichess AI.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub ai: Option<u8>,
}

/// Status as number and word.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct StatusId {
    /// Number, such as 20.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub id: i32,
    /// Word, such as `started`.
    pub name: super::GameStatus,
}
