//! Lines of a game stream (`GET /api/bot/game/stream/{id}`).

use super::{GameId, Side, Speed, VariantKey, is_false, lenient};
use serde::{Deserialize, Serialize};

/// One line of a game stream.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum GameEvent {
    /// First line; a later one is a full resync.
    GameFull(Box<GameFull>),
    /// Moves, clocks or offers changed.
    GameState(GameState),
    /// Somebody wrote in the chat.
    ChatLine(ChatLine),
    /// The opponent left or came back.
    OpponentGone(OpponentGone),
    /// A kind of line this version does not know.
    #[serde(other)]
    Unknown,
}

/// Whole game.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct GameFull {
    /// Game id.
    pub id: GameId,
    /// Variant.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub variant: VariantKey,
    /// Speed class.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub speed: Speed,
    /// Rating category with a translated name.
    #[serde(default, deserialize_with = "lenient::known")]
    pub perf: Option<PerfName>,
    /// Rated or casual.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub rated: bool,
    /// Start, ms since the epoch.
    #[serde(default, deserialize_with = "lenient::integer_or_zero")]
    pub created_at: i64,
    /// White player.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub white: Player,
    /// Black player.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub black: Player,
    /// `startpos` or a FEN.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub initial_fen: String,
    /// Clock; absent for correspondence and unlimited games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockSetup>,
    /// Days a move.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub days_per_turn: Option<u32>,
    /// Arena the game belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_id: Option<String>,
    /// Current state.
    pub state: GameState,
}

/// Translated name of a rating category.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct PerfName {
    /// Name.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub name: String,
}

/// Clock of a game, ms.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct ClockSetup {
    /// Initial time, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub initial: i64,
    /// Increment, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub increment: i64,
}

/// Player of a game. All fields are absent for an anonymous player.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Player {
    /// Lower-case id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name as shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Title; `null` for untitled users.
    pub title: Option<String>,
    /// Rating.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub rating: Option<i32>,
    /// Rating not settled yet.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "is_false"
    )]
    pub provisional: bool,
    /// Level of the Lichess AI.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub ai_level: Option<u8>,
}

impl Player {
    /// Whether the player carries the title `BOT` or is the Lichess AI.
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT") || self.ai_level.is_some()
    }

    /// Name for people and PGN: the name, else `Stockfish level N`, else `Anonymous`.
    pub fn display_name(&self) -> String {
        match (&self.name, &self.id, self.ai_level) {
            (Some(name), ..) => name.clone(),
            (None, Some(id), _) => id.clone(),
            (None, None, Some(level)) => format!("Stockfish level {level}"),
            (None, None, None) => "Anonymous".to_owned(),
        }
    }
}

/// State of a game; `moves` is always the complete list.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct GameState {
    /// All moves in UCI from the start position, separated by spaces.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub moves: String,
    /// White's clock, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub wtime: i64,
    /// Black's clock, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub btime: i64,
    /// White's increment, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub winc: i64,
    /// Black's increment, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub binc: i64,
    /// Status.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub status: GameStatus,
    /// Winner, once decided.
    #[serde(
        default,
        deserialize_with = "lenient::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub winner: Option<Side>,
    /// White offers a draw.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "is_false"
    )]
    pub wdraw: bool,
    /// Black offers a draw.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "is_false"
    )]
    pub bdraw: bool,
    /// White proposes a takeback.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "is_false"
    )]
    pub wtakeback: bool,
    /// Black proposes a takeback.
    #[serde(
        deserialize_with = "lenient::null_as_default",
        skip_serializing_if = "is_false"
    )]
    pub btakeback: bool,
    /// Accepted rematch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rematch: Option<String>,
    /// First-move timer of arena games.
    #[serde(
        default,
        deserialize_with = "lenient::known",
        skip_serializing_if = "Option::is_none"
    )]
    pub expiration: Option<Expiration>,
}

/// First-move timer.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Expiration {
    /// Time already gone, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub idle_millis: i64,
    /// Time allowed, ms.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub millis_to_move: i64,
}

/// Status of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub enum GameStatus {
    /// Not started yet.
    Created,
    /// Running.
    #[default]
    Started,
    /// Aborted before it counted.
    Aborted,
    /// Checkmate.
    Mate,
    /// Resignation.
    Resign,
    /// Stalemate.
    Stalemate,
    /// A player left and the other claimed.
    Timeout,
    /// Draw by agreement, repetition or length.
    Draw,
    /// Flag fall.
    #[serde(rename = "outoftime")]
    OutOfTime,
    /// Cheat detected.
    Cheat,
    /// First move missed in an arena.
    NoStart,
    /// Ended in an unknown way.
    UnknownFinish,
    /// Cannot occur in crazyhouse.
    InsufficientMaterialClaim,
    /// Cannot occur in crazyhouse.
    VariantEnd,
    /// A word this version does not know; the game is over.
    #[serde(other)]
    Other,
}

impl GameStatus {
    /// Whether the game is over: everything except created and started.
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Created | Self::Started)
    }

    /// Word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Started => "started",
            Self::Aborted => "aborted",
            Self::Mate => "mate",
            Self::Resign => "resign",
            Self::Stalemate => "stalemate",
            Self::Timeout => "timeout",
            Self::Draw => "draw",
            Self::OutOfTime => "outoftime",
            Self::Cheat => "cheat",
            Self::NoStart => "noStart",
            Self::UnknownFinish => "unknownFinish",
            Self::InsufficientMaterialClaim => "insufficientMaterialClaim",
            Self::VariantEnd => "variantEnd",
            Self::Other => "other",
        }
    }
}

/// Line of the chat.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct ChatLine {
    /// Room.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub room: ChatRoom,
    /// Author; `lichess` for system lines.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub username: String,
    /// Text, possibly empty.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub text: String,
}

/// Chat room.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug, Default)]
#[serde(rename_all = "lowercase")]
pub enum ChatRoom {
    /// Both players.
    #[default]
    Player,
    /// Spectators.
    #[serde(other)]
    Spectator,
}

impl ChatRoom {
    /// Word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Spectator => "spectator",
        }
    }
}

/// The opponent left or came back.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct OpponentGone {
    /// Gone or back.
    #[serde(default, deserialize_with = "lenient::null_as_default")]
    pub gone: bool,
    /// Seconds until the win can be claimed; 0 means now.
    #[serde(
        default,
        deserialize_with = "lenient::optional_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub claim_win_in_seconds: Option<i64>,
}
