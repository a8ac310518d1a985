//! What the task of a game is given, what it is told, and how it ends.

use crate::bot::Observer;
use crate::bot::adaptive::Levels;
use crate::bot::chat::Post;
use crate::bot::explorer::Explorer;
use crate::bot::record::GameRecord;
use crate::bot::round_trip::RoundTrip;
use crate::bot::sources::MoveSources;
use crate::engine::Engine;
use crate::lichess::{Client, Error, GameId, Side};
use crate::settings::Settings;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What a game needs from the outside.
#[derive(Clone)]
pub(in crate::bot) struct GameContext {
    pub client: Client,
    pub settings: Arc<Settings>,
    pub engine: Engine,
    pub sources: MoveSources,
    pub explorer: Arc<Explorer>,
    /// Lower-case id of our account.
    pub account: Arc<str>,
    pub id: GameId,
    /// Our color as the event stream told it.
    pub color: Option<Side>,
    pub round_trip: Arc<Mutex<RoundTrip>>,
    pub memory: Arc<GameMemory>,
    /// Levels of the opponents who are played at one that keeps the games close.
    pub levels: Arc<Mutex<Levels>>,
    /// Names of the challengers who wait.
    pub queue: watch::Receiver<Vec<String>>,
    pub observer: Observer,
    pub stop: CancellationToken,
}

/// What outlives the task of a game, which is started anew after a failure.
#[derive(Debug, Default)]
pub(in crate::bot) struct GameMemory {
    /// Takebacks accepted.
    pub(super) takebacks: AtomicU32,
    /// The greeting was sent, or would come too late.
    pub(super) greeted: AtomicBool,
}

/// Request of the supervisor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bot) enum Command {
    /// Elsewhere the game seems to be over: make sure.
    Check,
}

/// How the task of a game ended.
#[derive(Debug)]
pub(in crate::bot) enum GameEnd {
    /// The game is over; what is still to be said comes with it.
    Finished(Box<GameRecord>, Vec<Post>),
    /// The server does not give us the game.
    Closed(Error),
    /// A game without a clock in which it is the opponent's turn for long: to be opened again when it is ours.
    Parked,
    /// A game that this program does not play; it was not touched.
    Foreign,
    /// We were told to stop.
    Left,
}
