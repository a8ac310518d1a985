//! The bot: accepts challenges and plays the games of one Lichess account.
//!
//! A supervisor owns the event stream, the slots and the tasks of the games; each game is one task that owns its
//! stream, its position, its search and its requests. What to do is decided by pure functions (`challenge`,
//! `turn`, `offers`, `draw`, `resign`, `think`, `tracker`), which the tasks ask after every event.

mod account_feed;
mod adaptive;
mod archive;
mod arena;
mod challenge;
mod chat;
mod draw;
mod explorer;
mod feed;
mod game;
mod lists;
mod matchmaking;
mod offers;
mod opening;
mod pauses;
mod ponder;
mod record;
mod resign;
mod round_trip;
mod search;
mod slots;
mod sources;
mod standing;
mod state;
mod supervisor;
mod think;
mod tracker;
mod turn;

pub use archive::ArchiveError;
pub use challenge::{Cause, Decision, Facts, Pause, decide};
pub use lists::Lists;
pub use matchmaking::{Colors, Series, SeriesEnd, SeriesScore};
pub use record::{GameRecord, Verdict};
pub use sources::MoveSources;

use crate::engine::{Engine, Score};
use crate::lichess::model::{Account, GameId, Side};
use crate::lichess::{self, Client};
use crate::settings::Settings;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

/// How long the last records may take to be written.
const WRITER_GRACE: Duration = Duration::from_secs(5);

/// What the bot runs on.
#[derive(Debug)]
pub struct BotOptions {
    /// Client with the token of the account.
    pub client: Client,
    /// All settings; `engine`, `challenge`, `matchmaking`, `tournament`, `game`, `chat` and `data` are read here.
    pub settings: Arc<Settings>,
    /// New settings while the bot runs: they hold for challenges at once and for games that start later. Those of the
    /// server, the engine's cores and the data folder stay as they were.
    pub reload: Option<watch::Receiver<Arc<Settings>>>,
    /// Games against one opponent to be played instead of anything else; then the bot ends.
    pub series: Option<Series>,
    /// Search threads that all games share.
    pub engine: Engine,
    /// Where moves come from besides this engine.
    pub sources: MoveSources,
    /// Owner of the token.
    pub account: Account,
    /// When cancelled: accept nothing new, finish the running games, then return.
    pub draining: CancellationToken,
    /// When cancelled: return at once. Running games are left as they are; a restart takes them up again.
    pub stop: CancellationToken,
    /// Told about the progress of the games, if somebody wants to know.
    pub observer: Option<mpsc::UnboundedSender<BotEvent>>,
}

/// Progress for observers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BotEvent {
    /// A game is being played. Repeated if its task had to be started again.
    GameStarted {
        /// Game.
        id: GameId,
        /// Opponent's name.
        opponent: String,
        /// Our color, if the server told it.
        color: Option<Side>,
    },
    /// A move of either side stands in the server's list.
    MovePlayed {
        /// Game.
        id: GameId,
        /// Ply, counted from 1.
        ply: u32,
        /// Move in UCI, castling as king takes rook.
        uci: String,
        /// Score of our search from our side; own moves only.
        score: Option<Score>,
    },
    /// A game is over.
    GameFinished {
        /// What it was.
        record: Box<GameRecord>,
    },
    /// Progress of the series.
    Series(SeriesNews),
}

/// Progress of a series.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeriesNews {
    /// A challenge did not become a game, and why.
    Refused(String),
    /// A game is over.
    Game {
        /// Game.
        id: GameId,
        /// Outcome from our side; an aborted game does not count.
        verdict: Verdict,
        /// Score so far.
        score: SeriesScore,
    },
    /// The series is over; the bot ends.
    Ended(SeriesEnd),
}

/// What a run of the bot did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Games that ended while the bot watched.
    pub finished: u32,
    /// Won ones.
    pub wins: u32,
    /// Lost ones.
    pub losses: u32,
    /// Drawn ones.
    pub draws: u32,
    /// Aborted ones.
    pub aborted: u32,
    /// Games still running when the bot left.
    pub left: u32,
}

impl Summary {
    fn count(&mut self, verdict: Verdict) {
        self.finished += 1;
        match verdict {
            Verdict::Win => self.wins += 1,
            Verdict::Loss => self.losses += 1,
            Verdict::Draw => self.draws += 1,
            Verdict::Aborted => self.aborted += 1,
            Verdict::Unknown => {}
        }
    }
}

/// Why the bot cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The data folder cannot be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The server refuses the token.
    #[error("the server refuses the token")]
    Refused(#[source] lichess::Error),
}

/// Plays until told to leave. Connection losses, server restarts and failing games are lived through.
///
/// # Errors
/// When the data folder cannot be used or the server refuses the token.
pub async fn run(options: BotOptions) -> Result<Summary, Error> {
    let (archive, writer) = archive::open(&options.settings.data).await?;
    let (store, keeper) = state::open(&options.settings.data.dir).await;
    let mut writers = JoinSet::new();
    writers.spawn(writer.run());
    writers.spawn(keeper.run());
    let (held, fixed) = watch::channel(Arc::clone(&options.settings));
    let settings = options.reload.clone().unwrap_or(fixed);
    let mut keeper = lists::Keeper::new(&options.settings.data.dir);
    // Nothing is accepted before it is known who is not welcome; the web is asked later.
    let first = keeper.read(&options.settings.challenge).await;
    let (sender, lists) = mpsc::unbounded_channel();
    let end_lists = CancellationToken::new();
    let mut readers = JoinSet::new();
    readers.spawn(keeper.run(options.client.clone(), settings, sender, end_lists.clone()));
    let result = supervisor::run(options, archive, store, (first, lists)).await;
    drop(held);
    end_lists.cancel();
    if let Some(Err(error)) = readers.join_next().await {
        let error = &error as &dyn std::error::Error;
        error!(error, "reader of the lists of names failed");
    }
    // The supervisor and its games held all the senders, so the writers end with the last record and state.
    let all = async {
        while let Some(ended) = writers.join_next().await {
            if let Err(error) = ended {
                error!(
                    error = &error as &dyn std::error::Error,
                    "writer of game records or state failed"
                );
            }
        }
    };
    if tokio::time::timeout(WRITER_GRACE, all).await.is_err() {
        warn!("game records or state could not be written in time");
    }
    if let Ok(summary) = &result {
        info!(
            finished = summary.finished,
            wins = summary.wins,
            losses = summary.losses,
            draws = summary.draws,
            aborted = summary.aborted,
            left = summary.left,
            "bot has ended"
        );
    }
    result
}

/// Where progress is told.
#[derive(Clone, Debug, Default)]
struct Observer(Option<mpsc::UnboundedSender<BotEvent>>);

impl Observer {
    /// Tells an event, which is made only if somebody listens.
    fn emit(&self, make: impl FnOnce() -> BotEvent) {
        if let Some(sender) = &self.0 {
            // An observer may lose interest.
            sender.send(make()).ok();
        }
    }
}
