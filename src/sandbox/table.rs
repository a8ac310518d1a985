//! One game on the server: referee, seats, open streams, chat, and the messages that describe it.

use super::accounts::User;
use super::challenges::Challenge;
use super::feed::Feed;
use super::game::{Notice, Referee, Terms};
use super::opponents::Style;
use super::presence::Presence;
use super::request::Request;
use super::wire;
use crate::lichess::model::{
    ChatLine, ChatRoom, ClockSetup, Compat, GameEvent, GameFull, GameId, GameInfo, GameState,
    GameStatus, Opponent, PerfName, Player, Side, StatusId, TimeControl,
};
use crate::rules::{Color, FenStyle};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Clock shown in games without one, ms.
const UNLIMITED_MS: i64 = 2_147_483_647;

/// A player at the table.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    /// Id of the account.
    pub user: String,
    /// Player as `gameFull` shows him, with the rating at the start.
    pub player: Player,
    /// Private end of the full game id, 4 characters.
    pub secret: String,
    /// How the server plays for him, if it does.
    pub style: Option<Style>,
    /// Whether he is here.
    pub presence: Presence,
    /// The script says that he has left for good.
    pub left: bool,
    /// Change of his rating, after a rated game.
    pub rating_diff: Option<i32>,
}

/// Number that grows with each change of a game, and whether it is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Progress {
    /// Changes so far.
    pub changes: u64,
    /// Plies on the board.
    pub plies: usize,
    /// The game is over.
    pub over: bool,
}

#[derive(Debug)]
struct Stream {
    color: Color,
    agent: String,
    feed: Feed,
}

/// A game and everyone who follows it.
#[derive(Debug)]
pub(super) struct Table {
    /// Id.
    pub id: GameId,
    /// Players, by [`Color::index`].
    pub seats: [Seat; 2],
    /// What was asked for in the challenge.
    pub request: Request,
    /// Arena that it is part of.
    pub tournament: Option<String>,
    /// Start, ms since the epoch.
    pub created_at: i64,
    /// End, ms since the epoch.
    pub ended_at: Option<i64>,
    /// Rules and clock.
    pub referee: Referee,
    /// Chat so far, oldest first.
    pub chat: Vec<ChatLine>,
    /// Seed of the scripted players in this game.
    pub seed: u64,
    progress: watch::Sender<Progress>,
    streams: Vec<Stream>,
}

/// Wire form of a color.
pub(super) const fn side(color: Color) -> Side {
    match color {
        Color::White => Side::White,
        Color::Black => Side::Black,
    }
}

impl Table {
    /// Starts the game of an accepted challenge. `users` are White and Black, `secrets` the private ends of their
    /// game ids.
    pub(super) fn open(
        challenge: &Challenge,
        users: [&User; 2],
        secrets: [String; 2],
        seed: u64,
        countdown: Duration,
        now: Instant,
    ) -> Self {
        let request = challenge.request.clone();
        let terms = Terms {
            clock: request.clock(),
            with_bot: users.iter().any(|user| user.is_bot),
            takebacks: users.iter().all(|user| user.takebacks),
            rules: request.rules.clone(),
        };
        let [white_secret, black_secret] = secrets;
        let seat = |user: &User, secret: String| Seat {
            user: user.id.clone(),
            player: user.player(),
            secret,
            style: user.style,
            presence: Presence::absent(now, countdown),
            left: false,
            rating_diff: None,
        };
        Self {
            id: challenge.id.clone(),
            seats: [seat(users[0], white_secret), seat(users[1], black_secret)],
            request,
            tournament: None,
            created_at: jiff::Timestamp::now().as_millisecond(),
            ended_at: None,
            referee: Referee::new(terms),
            chat: Vec::new(),
            seed,
            progress: watch::Sender::default(),
            streams: Vec::new(),
        }
    }

    /// Color of an account in this game.
    pub(super) fn color_of(&self, user: &str) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|color| self.seats[color.index()].user == user)
    }

    /// Seat of a color.
    pub(super) const fn seat(&self, color: Color) -> &Seat {
        &self.seats[color.index()]
    }

    /// Follows the changes of the game.
    pub(super) fn watch(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Opens a stream for a player: one `gameFull`, then what happens. A stream of the same player with the same
    /// User-Agent ends; so does the new one, at once, when the game is over.
    pub(super) fn attach(&mut self, color: Color, agent: &str, feed: Feed, now: Instant) {
        self.streams
            .retain(|stream| stream.color != color || stream.agent != agent);
        feed.send(&self.full_json(now));
        if !self.referee.is_over() {
            self.streams.push(Stream {
                color,
                agent: agent.to_owned(),
                feed,
            });
            self.seats[color.index()].presence.set_here(true, now);
        }
    }

    /// Spreads what an action led to, and ends the streams with the game.
    pub(super) fn spread(&mut self, notices: &[Notice], now: Instant) {
        for notice in notices {
            match notice {
                Notice::State => self.send(&GameEvent::GameState(self.state(now))),
                Notice::System(text) => self.say(ChatRoom::Player, "lichess", text),
            }
        }
        let over = self.referee.is_over();
        if over {
            self.streams.clear();
        }
        if !notices.is_empty() {
            let plies = self.referee.plies();
            self.progress.send_modify(|progress| {
                *progress = Progress {
                    changes: progress.changes + 1,
                    plies,
                    over,
                };
            });
        }
    }

    /// Posts a line in a chat room.
    pub(super) fn say(&mut self, room: ChatRoom, author: &str, text: &str) {
        let line = ChatLine {
            room,
            username: author.to_owned(),
            text: text.to_owned(),
        };
        self.send(&GameEvent::ChatLine(line.clone()));
        self.chat.push(line);
    }

    /// Lets time pass: flags, closed streams, absent players. Returns whether the game ended just now.
    pub(super) fn tick(&mut self, now: Instant, grace: Duration) -> bool {
        if self.referee.is_over() {
            return false;
        }
        self.streams.retain(|stream| stream.feed.is_open());
        let notices = self.referee.check_flag(now, grace);
        self.spread(&notices, now);
        for color in Color::ALL {
            let here = self.is_here(color);
            let counts = self.referee.may_claim(!color);
            let presence = &mut self.seats[color.index()].presence;
            presence.set_here(here, now);
            if let Some(line) = presence.tick(counts, now) {
                self.send_to(!color, &GameEvent::OpponentGone(line));
            }
        }
        self.referee.is_over()
    }

    /// Breaks the open streams of a player, as a lost network does. Returns how many there were.
    pub(super) fn cut_streams(&mut self, color: Color) -> usize {
        let before = self.streams.len();
        self.streams.retain(|stream| {
            if stream.color == color {
                stream.feed.cut();
            }
            stream.color != color
        });
        before - self.streams.len()
    }

    /// First line of a game stream. The state in it names its own type.
    fn full_json(&self, now: Instant) -> Value {
        let mut line = wire::json_of(&GameEvent::GameFull(Box::new(self.full(now))));
        line["state"]["type"] = "gameState".into();
        line
    }

    fn full(&self, now: Instant) -> GameFull {
        GameFull {
            id: self.id.clone(),
            variant: self.request.variant.clone(),
            speed: self.request.speed(),
            perf: Some(PerfName {
                name: "Crazyhouse".to_owned(),
            }),
            rated: self.request.rated,
            created_at: self.created_at,
            white: self.seats[0].player.clone(),
            black: self.seats[1].player.clone(),
            initial_fen: "startpos".to_owned(),
            clock: self.request.clock().map(|clock| ClockSetup {
                initial: clock.limit.as_millis() as i64,
                increment: clock.increment.as_millis() as i64,
            }),
            days_per_turn: self.days_per_turn(),
            tournament_id: self.tournament.clone(),
            state: self.state(now),
        }
    }

    /// Current state as the game stream tells it.
    pub(super) fn state(&self, now: Instant) -> GameState {
        let referee = &self.referee;
        let increment = self
            .request
            .clock()
            .map_or(0, |clock| clock.increment.as_millis() as i64);
        GameState {
            moves: referee.moves().join(" "),
            wtime: self.millis_left(Color::White, now),
            btime: self.millis_left(Color::Black, now),
            winc: increment,
            binc: increment,
            status: referee.status(),
            winner: referee.winner().map(side),
            wdraw: referee.offers_draw(Color::White),
            bdraw: referee.offers_draw(Color::Black),
            wtakeback: referee.proposes_takeback(Color::White),
            btakeback: referee.proposes_takeback(Color::Black),
            rematch: None,
            expiration: None,
        }
    }

    /// Game as the event stream and the list of running games describe it to `color`.
    pub(super) fn info(&self, color: Color, now: Instant) -> GameInfo {
        let (own, other) = (self.seat(color), self.seat(!color));
        let referee = &self.referee;
        let status = referee.status();
        let title = other
            .player
            .title
            .as_ref()
            .map_or(String::new(), |title| format!("{title} "));
        let has_clock = self.request.clock().is_some();
        GameInfo {
            game_id: self.id.clone(),
            id: self.id.clone(),
            full_id: format!("{}{}", self.id, own.secret),
            fen: referee.game().position().fen(FenStyle::Lichess),
            color: Some(side(color)),
            last_move: self.last_move(),
            source: if self.tournament.is_some() {
                "arena"
            } else {
                "friend"
            }
            .to_owned(),
            status: Some(StatusId {
                id: status_number(status),
                name: status,
            }),
            variant: self.request.variant_without_short(),
            speed: self.request.speed(),
            perf: "crazyhouse".to_owned(),
            rated: self.request.rated,
            has_moved: referee.plies() > color.index(),
            opponent: Opponent {
                id: Some(other.user.clone()),
                username: format!("{title}{}", other.player.display_name()),
                rating: other.player.rating,
                rating_diff: other.rating_diff,
                ai: None,
            },
            is_my_turn: !referee.is_over() && referee.turn() == color,
            seconds_left: has_clock.then(|| self.millis_left(color, now) / 1000),
            tournament_id: self.tournament.clone(),
            winner: referee.winner().map(side),
            rating_diff: own.rating_diff,
            compat: Some(Compat {
                bot: true,
                board: true,
            }),
        }
    }

    fn is_here(&self, color: Color) -> bool {
        let seat = self.seat(color);
        (seat.style.is_some() && !seat.left)
            || self.streams.iter().any(|stream| stream.color == color)
    }

    fn send(&self, line: &GameEvent) {
        for stream in &self.streams {
            stream.feed.send(line);
        }
    }

    fn send_to(&self, color: Color, line: &GameEvent) {
        for stream in self.streams.iter().filter(|stream| stream.color == color) {
            stream.feed.send(line);
        }
    }

    const fn days_per_turn(&self) -> Option<u32> {
        match self.request.time_control {
            TimeControl::Correspondence { days_per_turn } => Some(days_per_turn),
            TimeControl::Clock { .. } | TimeControl::Unlimited | TimeControl::Unknown => None,
        }
    }

    /// Time left in ms, in whole hundredths of a second as the server keeps it.
    fn millis_left(&self, color: Color, now: Instant) -> i64 {
        match (self.referee.clock(), self.days_per_turn()) {
            (Some(clock), _) => clock.left(color, now).as_millis() as i64 / 10 * 10,
            // Correspondence games never run out of time here.
            (None, Some(days)) => i64::from(days) * 24 * 3600 * 1000,
            (None, None) => UNLIMITED_MS,
        }
    }

    /// Squares of the last move; a drop names its square twice.
    fn last_move(&self) -> String {
        let last = self.referee.moves().last().map_or("", String::as_str);
        match last.split_once('@') {
            Some((_, square)) => square.repeat(2),
            None => last.chars().take(4).collect(),
        }
    }
}

/// Number of a status on the wire.
const fn status_number(status: GameStatus) -> i32 {
    match status {
        GameStatus::Created => 10,
        GameStatus::Started => 20,
        GameStatus::Aborted => 25,
        GameStatus::Mate => 30,
        GameStatus::Resign => 31,
        GameStatus::Stalemate => 32,
        GameStatus::Timeout => 33,
        GameStatus::Draw => 34,
        GameStatus::OutOfTime => 35,
        GameStatus::Cheat => 36,
        GameStatus::NoStart => 37,
        GameStatus::UnknownFinish | GameStatus::Other => 38,
        GameStatus::InsufficientMaterialClaim => 39,
        GameStatus::VariantEnd => 60,
    }
}
