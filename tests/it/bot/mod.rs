//! The bot against a server that the test plays itself, request by request.

mod account;
mod chat;
mod conduct;
mod correspondence;
#[cfg(unix)]
mod engine;
mod games;
mod incoming;
mod lists;
mod openings;
mod outgoing;
mod ponder;
mod server;

use pocketknight::bot::{self, BotEvent, BotOptions, MoveSources, Series, Summary};
use pocketknight::engine::Engine;
use pocketknight::lichess::{Account, Client, ClientOptions};
use pocketknight::settings::Settings;
use serde_json::{Value, json};
use server::{DEADLINE, Request, Server, Stream};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A running bot and its server.
struct Bot {
    server: Server,
    /// Event stream as it was first opened.
    events: Stream,
    observed: mpsc::UnboundedReceiver<BotEvent>,
    /// Settings, which can be changed while the bot runs.
    settings: watch::Sender<Arc<Settings>>,
    draining: CancellationToken,
    stop: CancellationToken,
    task: JoinSet<Result<Summary, bot::Error>>,
    dir: TempDir,
}

impl Bot {
    /// Bot with quick moves and the settings that `change` makes.
    async fn start(change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_with(MoveSources::default(), change).await
    }

    /// The same with other sources of moves than the search.
    async fn start_with(sources: MoveSources, change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (mut bot, request) = Self::with(dir, None, sources, change).await;
        bot.events = request.stream();
        bot
    }

    /// Bot that plays a series.
    async fn playing(series: Series, change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (mut bot, request) =
            Self::with(dir, Some(series), MoveSources::default(), change).await;
        bot.events = request.stream();
        bot
    }

    /// Stops the bot and starts another one with the same data folder.
    async fn restarted(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        self.stopped().await;
        let (mut bot, request) = Self::with(self.dir, None, MoveSources::default(), change).await;
        bot.events = request.stream();
        bot
    }

    /// The same as `start` before its event stream is answered; `events` is a dead one.
    async fn connecting(change: impl FnOnce(&mut Settings)) -> (Self, Request) {
        let dir = tempfile::tempdir().unwrap();
        Self::with(dir, None, MoveSources::default(), change).await
    }

    async fn with(
        dir: TempDir,
        series: Option<Series>,
        sources: MoveSources,
        change: impl FnOnce(&mut Settings),
    ) -> (Self, Request) {
        let mut server = Server::start().await;
        let mut settings = Settings::defaults();
        settings.data.dir = dir.path().to_owned();
        settings.game.first_move_time = Duration::from_millis(20);
        settings.engine.hash_mib = 1;
        // Requests that most tests do not wait for.
        settings.chat.enabled = false;
        settings.book.explorer.url = server.url.clone();
        change(&mut settings);
        let options = ClientOptions {
            move_timeout: Duration::from_millis(500),
            ..ClientOptions::new(server.url.clone(), Some("lip_test".to_owned().into()))
        };
        let (observer, observed) = mpsc::unbounded_channel();
        let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
        let settings = Arc::new(settings);
        let (sender, reload) = watch::channel(Arc::clone(&settings));
        let options = BotOptions {
            client: Client::new(options).unwrap(),
            settings,
            engine: Engine::new(1),
            sources,
            account: Account {
                id: "ourbot".to_owned(),
                username: "OurBot".to_owned(),
                title: Some("BOT".to_owned()),
                ..Account::default()
            },
            draining: draining.clone(),
            stop: stop.clone(),
            observer: Some(observer),
            reload: Some(reload),
            series,
        };
        let mut task = JoinSet::new();
        task.spawn(bot::run(options));
        let request = server.expect("GET /api/stream/event").await;
        let events = Stream::closed();
        (
            Self {
                server,
                events,
                observed,
                settings: sender,
                draining,
                stop,
                task,
                dir,
            },
            request,
        )
    }

    async fn expect(&mut self, start: &str) -> Request {
        self.server.expect(start).await
    }

    /// Starts a game with our side `color` and opens its stream with the move list `moves`.
    async fn game(&mut self, id: &str, color: &str, moves: &str) -> Stream {
        self.events.line(&game_start(id, color));
        self.open(id, color, state(moves)).await
    }

    /// Answers the request of a game stream with a full state.
    async fn open(&mut self, id: &str, color: &str, state: Value) -> Stream {
        let stream = self
            .expect(&format!("GET /api/bot/game/stream/{id}"))
            .await
            .stream();
        stream.line(&full(id, color, state));
        stream
    }

    /// Waits for a move of ours and returns it unanswered.
    async fn a_move(&mut self, id: &str) -> Request {
        self.expect(&format!("POST /api/bot/game/{id}/move/")).await
    }

    /// Waits until the bot tells of the end of a game.
    async fn finished(&mut self) -> bot::GameRecord {
        let search = async {
            loop {
                if let BotEvent::GameFinished { record } = self.observed.recv().await.unwrap() {
                    return *record;
                }
            }
        };
        tokio::time::timeout(DEADLINE, search)
            .await
            .expect("a game should end")
    }

    /// Waits until the bot has ended by itself.
    async fn ended(&mut self) -> Result<Summary, bot::Error> {
        let ended = tokio::time::timeout(DEADLINE, self.task.join_next());
        ended.await.expect("the bot should end").unwrap().unwrap()
    }

    async fn stopped(&mut self) -> Summary {
        self.stop.cancel();
        self.ended().await.unwrap()
    }
}

fn game_start(id: &str, color: &str) -> Value {
    json!({"type": "gameStart", "game": game_info(id, color)})
}

fn game_info(id: &str, color: &str) -> Value {
    json!({
        "fullId": format!("{id}abcd"), "gameId": id, "id": id, "fen": "", "color": color,
        "lastMove": "", "source": "friend", "status": {"id": 20, "name": "started"},
        "variant": {"key": "crazyhouse", "name": "Crazyhouse"}, "speed": "blitz",
        "perf": "crazyhouse", "rated": false, "hasMoved": false,
        "opponent": {"id": "alice", "username": "Alice", "rating": 1834}, "isMyTurn": true,
        "secondsLeft": 180, "compat": {"bot": true, "board": true},
    })
}

fn full(id: &str, color: &str, state: impl Into<Value>) -> Value {
    let alice = json!({"id": "alice", "name": "Alice", "title": null, "rating": 1834});
    let bot = json!({"id": "ourbot", "name": "OurBot", "title": "BOT", "rating": 2000});
    let (white, black) = if color == "white" {
        (bot, alice)
    } else {
        (alice, bot)
    };
    json!({
        "type": "gameFull", "id": id, "speed": "blitz", "perf": {"name": "Crazyhouse"},
        "variant": {"key": "crazyhouse", "name": "Crazyhouse", "short": "Crazy"}, "rated": false,
        "createdAt": 1_780_000_000_000_u64, "white": white, "black": black,
        "initialFen": "startpos", "clock": {"initial": 180_000, "increment": 2000},
        "state": state.into(),
    })
}

/// Running state in which our clock allows only quick moves.
fn state(moves: &str) -> Value {
    json!({
        "type": "gameState", "moves": moves, "wtime": 2000, "btime": 2000, "winc": 0, "binc": 0,
        "status": "started",
    })
}

/// The same with more or other keys.
fn state_with(moves: &str, more: impl Into<Value>) -> Value {
    let mut state = state(moves);
    for (key, value) in more.into().as_object().unwrap() {
        state[key] = value.clone();
    }
    state
}

fn over(moves: &str, status: &str, winner: &str) -> Value {
    state_with(moves, json!({"status": status, "winner": winner}))
}

fn challenge(id: &str, from: &str) -> Value {
    json!({"type": "challenge", "challenge": {
        "id": id, "url": format!("https://lichess.org/{id}"), "status": "created",
        "challenger": {"id": from, "name": from, "title": null, "rating": 1834},
        "destUser": {"id": "ourbot", "name": "OurBot", "title": "BOT", "rating": 2000},
        "variant": {"key": "crazyhouse", "name": "Crazyhouse", "short": "Crazy"}, "rated": false,
        "speed": "blitz", "timeControl": {"type": "clock", "limit": 180, "increment": 2, "show": "3+2"},
        "color": "random", "finalColor": "white", "perf": {"icon": "x", "name": "Crazyhouse"},
    }, "compat": {"bot": true, "board": true}})
}

/// The same from a bot.
fn challenge_by_bot(id: &str, from: &str) -> Value {
    let mut event = challenge(id, from);
    event["challenge"]["challenger"]["title"] = json!("BOT");
    event
}
