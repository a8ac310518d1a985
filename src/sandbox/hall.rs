//! State of the whole server: accounts, event streams, challenges and games. Every operation is short and never
//! waits; [`SharedHall`] puts it behind one lock that is never held across an await.

mod arena;
mod matchmaking;
mod play;

pub(super) use matchmaking::Sent;
pub(super) use play::Action;

use super::accounts::Accounts;
use super::answer::ApiError;
use super::challenges::Challenge;
use super::feed::Feed;
use super::limits::Limiter;
use super::opponents::ScriptedAnswer;
use super::server::ServerOptions;
use super::table::Table;
use super::wire;
use crate::lichess::model::{Compat, Event, GameId, GameStatus, PlayingList};
use crate::rules::Color;
use axum::body::Body;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Most running games that `/api/account/playing` lists.
const MOST_LISTED: usize = 50;

/// Work for the scripted opponents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Errand {
    /// Answer a challenge to a scripted opponent.
    Answer(GameId),
    /// Play a game for one side.
    Play(GameId, Color),
}

/// Everything the server knows.
#[derive(Debug)]
pub(super) struct Hall {
    /// Accounts and tokens.
    pub accounts: Accounts,
    /// Counts of requests that are limited.
    pub limiter: Limiter,
    options: ServerOptions,
    challenges: BTreeMap<GameId, Challenge>,
    tables: BTreeMap<GameId, Table>,
    arenas: BTreeMap<String, arena::Arena>,
    events: HashMap<String, Feed>,
    errands: mpsc::UnboundedSender<Errand>,
    rng: fastrand::Rng,
    /// Ids differ from run to run even with one seed: a client that keeps records by id must not take a new game for
    /// one it knows.
    ids: fastrand::Rng,
    games_of_scripted: HashMap<String, u64>,
    /// How scripted opponents answer, if not by accepting.
    pub answers: HashMap<String, ScriptedAnswer>,
    stop: CancellationToken,
}

/// The hall behind its lock.
#[derive(Clone, Debug)]
pub(super) struct SharedHall(Arc<Mutex<Hall>>);

impl SharedHall {
    /// Locks the hall. Hold the guard for one operation only, never across an await.
    pub(super) fn lock(&self) -> MutexGuard<'_, Hall> {
        // An operation that panicked left at worst one game in a strange state; the others go on.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hall {
    /// Hall without accounts or games, and the work for its scripted opponents. Streams end when `stop` is
    /// cancelled.
    pub(super) fn open(
        options: ServerOptions,
        stop: CancellationToken,
    ) -> (SharedHall, mpsc::UnboundedReceiver<Errand>) {
        let (errands, receiver) = mpsc::unbounded_channel();
        let hall = Self {
            accounts: Accounts::default(),
            limiter: Limiter::new(options.rate_limits),
            rng: fastrand::Rng::with_seed(options.seed),
            ids: fastrand::Rng::new(),
            options,
            challenges: BTreeMap::new(),
            tables: BTreeMap::new(),
            arenas: BTreeMap::new(),
            events: HashMap::new(),
            errands,
            games_of_scripted: HashMap::new(),
            answers: HashMap::new(),
            stop,
        };
        (SharedHall(Arc::new(Mutex::new(hall))), receiver)
    }

    /// Opens the event stream of an account. It replaces an earlier one and starts with the running games and the
    /// waiting challenges to the account.
    pub(super) fn open_events(&mut self, user: &str, now: Instant) -> Body {
        let (feed, body) = Feed::open(self.options.keep_alive, self.stop.clone());
        for table in self.running_of(user) {
            if let Some(color) = table.color_of(user) {
                feed.send(&Event::GameStart {
                    game: Box::new(table.info(color, now)),
                });
            }
        }
        for challenge in self.challenges.values() {
            if challenge.dest == user && challenge.status.borrow().word() == "created" {
                let challenge = self.challenge_json(challenge, None);
                feed.send(&json!({"type": "challenge", "challenge": challenge}));
            }
        }
        self.events.insert(user.to_owned(), feed);
        body
    }

    /// Opens a game stream of a player.
    ///
    /// # Errors
    /// 404 for a game that does not exist or is not the player's, 400 for accounts that are no bots.
    pub(super) fn open_game(
        &mut self,
        user: &str,
        id: &GameId,
        agent: &str,
        now: Instant,
    ) -> Result<Body, ApiError> {
        let (feed, body) = Feed::open(self.options.keep_alive, self.stop.clone());
        let (table, color) = self.seat_at(user, id)?;
        table.attach(color, agent, feed, now);
        Ok(body)
    }

    /// Running games of an account, those where it is to move first.
    pub(super) fn playing(&self, user: &str, most: usize, now: Instant) -> Value {
        let mut games: Vec<_> = self
            .running_of(user)
            .filter_map(|table| Some(table.info(table.color_of(user)?, now)))
            .collect();
        games.sort_by_key(|game| (!game.is_my_turn, game.seconds_left));
        let my_turn = games.iter().filter(|game| game.is_my_turn).count();
        games.truncate(most.clamp(1, MOST_LISTED));
        let mut value = wire::json_of(&PlayingList { now_playing: games });
        value["nbMyTurn"] = my_turn.into();
        value
    }

    /// Game of an id, running or finished.
    pub(super) fn table(&self, id: &GameId) -> Option<&Table> {
        self.tables.get(id)
    }

    /// Id of a game that an account is playing.
    pub(super) fn current_game(&self, user: &str) -> Option<&str> {
        self.running_of(user).next().map(|table| table.id.as_str())
    }

    /// Whether an account is connected; scripted opponents always are.
    pub(super) fn is_online(&self, user: &str) -> bool {
        self.events.get(user).is_some_and(Feed::is_open)
            || self
                .accounts
                .get(user)
                .is_some_and(|user| user.style.is_some())
    }

    /// Breaks the event stream of an account, as a lost network does. Says whether there was one.
    pub(super) fn cut_events(&mut self, user: &str) -> bool {
        let feed = self.events.remove(user);
        if let Some(feed) = &feed {
            feed.cut();
        }
        feed.is_some()
    }

    /// Breaks the streams of one player in a game. Returns how many there were.
    pub(super) fn cut_game(&mut self, user: &str, id: &GameId) -> usize {
        let Some(table) = self.tables.get_mut(id) else {
            return 0;
        };
        table
            .color_of(user)
            .map_or(0, |color| table.cut_streams(color))
    }

    /// Breaks the game streams of an account.
    pub(crate) fn cut_games(&mut self, user: &str) {
        for table in self.tables.values_mut() {
            if let Some(color) = table.color_of(user) {
                table.cut_streams(color);
            }
        }
    }

    /// Lets time pass everywhere. To be called several times a second.
    pub(super) fn sweep(&mut self, now: Instant) {
        self.events.retain(|_, feed| feed.is_open());
        self.challenges.retain(|_, challenge| challenge.tick(now));
        let grace = self.options.flag_grace;
        let ended: Vec<GameId> = self
            .tables
            .values_mut()
            .filter_map(|table| table.tick(now, grace).then(|| table.id.clone()))
            .collect();
        for id in ended {
            self.conclude(&id, now);
        }
        self.pair_arenas(now);
    }

    /// Table and color of a bot in one of its games.
    fn seat_at(&mut self, user: &str, id: &GameId) -> Result<(&mut Table, Color), ApiError> {
        if !self.accounts.get(user).is_some_and(|user| user.is_bot) {
            return Err(ApiError::bad_request(
                "This endpoint can only be used with a Bot account.",
            ));
        }
        let table = self
            .tables
            .get_mut(id)
            .ok_or_else(|| ApiError::not_found("No such game"))?;
        let color = table
            .color_of(user)
            .ok_or_else(|| ApiError::not_found("Not your game"))?;
        Ok((table, color))
    }

    fn running_of(&self, user: &str) -> impl Iterator<Item = &Table> {
        self.tables
            .values()
            .filter(move |table| !table.referee.is_over() && table.color_of(user).is_some())
    }

    fn tell(&self, user: &str, line: &impl Serialize) {
        if let Some(feed) = self.events.get(user) {
            feed.send(line);
        }
    }

    fn challenge_json(&self, challenge: &Challenge, direction: Option<&str>) -> Value {
        wire::challenge(
            challenge,
            &self.accounts,
            |id| self.is_online(id),
            direction,
        )
    }

    /// Tells both sides of a challenge what became of it.
    fn tell_about(&self, challenge: &Challenge, kind: &str) {
        let mut line = json!({"type": kind, "challenge": self.challenge_json(challenge, None)});
        if kind == "challenge" {
            line["compat"] = wire::json_of(&Compat {
                bot: challenge.request.is_playable(),
                board: challenge.request.is_playable(),
            });
        }
        self.tell(&challenge.challenger, &line);
        self.tell(&challenge.dest, &line);
    }

    /// Books the result of a game that has just ended and tells the event streams.
    fn conclude(&mut self, id: &GameId, now: Instant) {
        let Some(table) = self.tables.get_mut(id) else {
            return;
        };
        table.ended_at = Some(jiff::Timestamp::now().as_millisecond());
        let status = table.referee.status();
        let counts = status != GameStatus::Aborted;
        let score = match table.referee.winner() {
            Some(Color::White) => 1.0,
            Some(Color::Black) => 0.0,
            None => 0.5,
        };
        let [white, black] =
            [Color::White, Color::Black].map(|color| table.seat(color).user.clone());
        let loser = match table.referee.winner() {
            Some(Color::White) => Some(black.clone()),
            Some(Color::Black) => Some(white.clone()),
            None => None,
        };
        let tournament = table.tournament.clone();
        let rating = |id: &str| self.accounts.get(id).map_or(0, |user| user.rating);
        let diff = rating_change(rating(&white), rating(&black), score);
        let rated = counts && table.request.rated;
        for (color, user, diff) in [(Color::White, &white, diff), (Color::Black, &black, -diff)] {
            if rated {
                table.seats[color.index()].rating_diff = Some(diff);
            }
            if let Some(user) = self.accounts.get_mut(user) {
                user.games += u32::from(counts);
                user.rated_games += u32::from(rated);
                user.rating += if rated { diff } else { 0 };
            }
        }
        if let Some(arena) = tournament {
            self.note_in_arena(&arena, loser.as_deref(), status);
        }
        if let Some(table) = self.tables.get(id) {
            for (color, user) in [(Color::White, &white), (Color::Black, &black)] {
                self.tell(
                    user,
                    &Event::GameFinish {
                        game: Box::new(table.info(color, now)),
                    },
                );
            }
        }
    }

    /// Eight letters and digits that no game or challenge has yet.
    fn new_id(&mut self) -> GameId {
        loop {
            let id = GameId(
                std::iter::repeat_with(|| self.ids.alphanumeric())
                    .take(8)
                    .collect(),
            );
            if !self.tables.contains_key(&id) && !self.challenges.contains_key(&id) {
                return id;
            }
        }
    }
}

/// Change of White's rating by the usual formula with a factor of 20; Black's is the opposite.
fn rating_change(white: i32, black: i32, score: f64) -> i32 {
    let expected = 1.0 / (1.0 + 10f64.powf(f64::from(black - white) / 400.0));
    (20.0 * (score - expected)).round() as i32
}
