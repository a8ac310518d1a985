//! One game, from `gameFull` to its final status, as one task that owns everything about it.
//!
//! Inputs are the search's result, answers of requests, lines of the stream, commands of the supervisor and a timer;
//! after each of them [`Play::settle`] asks what is owed. No request is awaited in the loop.

mod chat;
mod conduct;
mod context;
mod lines;
mod moves;
mod sources;

pub(super) use context::{Command, GameContext, GameEnd, GameMemory};

use super::adaptive::Level;
use super::chat::{Answered, Outbox};
use super::feed::{Feed, FeedEvent};
use super::offers::Offers;
use super::ponder::{Ponder, Tally};
use super::record::Played;
use super::search::{Found, Search, Thought};
use super::tracker::Tracker;
use super::turn::{Step, Turn};
use crate::engine::{Score, Session, SessionOptions};
use crate::lichess::{GameEvent, GameFull, GameState, GameStatus, Player, Side};
use crate::rules::Color;
use crate::uci_engine::Driver;
use moves::Answer;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tracing::{error, info, warn};

/// The owed move is looked for at least this often.
const TICK: Duration = Duration::from_secs(5);
/// Pause between attempts to resign.
const RESIGN_PAUSE: Duration = Duration::from_secs(5);
/// Time left to the stream to tell what the supervisor heard elsewhere.
const CHECK_PAUSE: Duration = Duration::from_secs(2);

/// Plays one game to its end.
pub(super) async fn play(
    context: GameContext,
    mut commands: mpsc::UnboundedReceiver<Command>,
) -> GameEnd {
    let mut feed = Feed::new(context.client.clone(), context.id.clone());
    let (full, received) = loop {
        let event = tokio::select! {
            biased;
            () = context.stop.cancelled() => return GameEnd::Left,
            event = feed.next() => event,
        };
        match event {
            FeedEvent::Line {
                value: GameEvent::GameFull(full),
                received,
                ..
            } => {
                break (*full, received);
            }
            FeedEvent::Line { .. } | FeedEvent::Alive => {}
            FeedEvent::Closed(error) => return GameEnd::Closed(error),
        }
    };
    if !matches!(full.variant.key.as_str(), "crazyhouse" | "") {
        warn!(
            variant = full.variant.key,
            "game of another variant left alone"
        );
        return GameEnd::Foreign;
    }
    let mut game = match Play::new(context, feed, full, received) {
        Ok(game) => game,
        Err(end) => return end,
    };
    let end = loop {
        if let Some(end) = game.settle() {
            break end;
        }
        let wake = game.wake();
        tokio::select! {
            biased;
            () = game.context.stop.cancelled() => break GameEnd::Left,
            found = Search::finished(&mut game.search) => game.on_search_end(found),
            Some(answer) = game.requests.join_next(), if !game.requests.is_empty() => {
                game.on_answer(answer);
            }
            event = game.feed.next() => {
                if let Some(end) = game.on_feed(event) {
                    break end;
                }
            }
            Some(command) = commands.recv() => game.on_command(command),
            () = tokio::time::sleep_until(wake.into()) => game.on_timer(),
        }
    };
    game.close().await;
    end
}

struct Play {
    context: GameContext,
    feed: Feed,
    full: GameFull,
    color: Side,
    tracker: Tracker,
    state: GameState,
    /// When the line with `state` arrived.
    received: Instant,
    turn: Turn,
    session: Session,
    /// Engine that searches in place of the session's.
    other_engine: Option<Driver>,
    search: Option<Search>,
    /// Search on the opponent's time; never of a position on the board.
    ponder: Option<Ponder>,
    pondered: Tally,
    requests: JoinSet<Answer>,
    offers: Offers,
    /// What our last search found in the position it was made for.
    found: Option<Found>,
    score: Option<Score>,
    /// What our last search thought.
    thought: Option<Thought>,
    outbox: Outbox,
    answered: Answered,
    /// Level against this opponent, if there is one that follows the results.
    level: Option<Level>,
    /// Whether the game was over when it was opened.
    was_over: bool,
    played: Vec<Played>,
    /// Move lists in a row that could not be followed.
    confused: u32,
    /// Searches in this position that had to give way to games with a clock.
    gave_way: u32,
    /// When the move list last changed, or the game was opened.
    changed_at: Instant,
    /// Positions that the opening explorer had no move for.
    explorer_misses: u32,
    resign_at: Option<Instant>,
    check_at: Option<Instant>,
    over: bool,
}

impl Play {
    fn new(
        context: GameContext,
        feed: Feed,
        full: GameFull,
        received: Instant,
    ) -> Result<Self, GameEnd> {
        let is_us = |player: &Player| {
            player
                .id
                .as_deref()
                .is_some_and(|id| id.eq_ignore_ascii_case(&context.account))
        };
        let color = match (is_us(&full.white), is_us(&full.black)) {
            (true, false) => Side::White,
            (false, true) => Side::Black,
            _ => {
                let Some(color) = context.color else {
                    warn!("game without this account left alone");
                    return Err(GameEnd::Foreign);
                };
                color
            }
        };
        let mut resign_at = None;
        let tracker = Tracker::new(&full.initial_fen).or_else(|error| {
            error!(
                error = &error as &dyn std::error::Error,
                "start position not understood, resigning"
            );
            resign_at = Some(Instant::now());
            Tracker::new("startpos")
        });
        // The start position of chess is always understood.
        let Ok(tracker) = tracker else {
            return Err(GameEnd::Foreign);
        };
        let engine = &context.settings.engine;
        let options = SessionOptions {
            hash_mib: engine.hash_mib,
            threads: engine.threads,
        };
        let has_player_room = full.tournament_id.is_none()
            && full.white.ai_level.is_none()
            && full.black.ai_level.is_none();
        let takebacks = context.memory.takebacks.load(Ordering::Relaxed);
        let mut game = Self {
            session: context.engine.session(options),
            other_engine: context.sources.engine.clone().map(Driver::start),
            context,
            feed,
            color,
            tracker,
            state: GameState::default(),
            received,
            turn: Turn::new(),
            search: None,
            ponder: None,
            pondered: Tally::default(),
            requests: JoinSet::new(),
            offers: Offers::new(Instant::now(), takebacks),
            found: None,
            score: None,
            thought: None,
            outbox: Outbox::new(has_player_room, Instant::now()),
            answered: Answered::default(),
            level: None,
            was_over: full.state.status.is_over(),
            played: Vec::new(),
            confused: 0,
            gave_way: 0,
            changed_at: Instant::now(),
            explorer_misses: 0,
            resign_at,
            check_at: None,
            over: false,
            full,
        };
        game.level = game.first_level();
        let state = game.full.state.clone();
        info!(
            opponent = game.opponent().display_name(),
            color = %game.color,
            rated = game.full.rated,
            plies = state.moves.split_whitespace().count(),
            "game opened"
        );
        game.on_state(state, received, None);
        if game.ply() >= 2 {
            // The game was taken up in its middle; the greeting was said or is not missed.
            game.context.memory.greeted.store(true, Ordering::Relaxed);
        }
        Ok(game)
    }

    fn me(&self) -> &Player {
        match self.color {
            Side::White => &self.full.white,
            Side::Black => &self.full.black,
        }
    }

    fn opponent(&self) -> &Player {
        match self.color {
            Side::White => &self.full.black,
            Side::Black => &self.full.white,
        }
    }

    /// Whether we are to move in a position that we understand and that has moves.
    fn is_my_turn(&self) -> bool {
        let ours = match self.tracker.position().turn() {
            Color::White => Side::White,
            Color::Black => Side::Black,
        };
        ours == self.color
            && self.state.status == GameStatus::Started
            && self.confused == 0
            && self.resign_at.is_none()
            && self.tracker.position().has_legal_move()
    }

    fn ply(&self) -> u32 {
        u32::try_from(self.tracker.plies()).unwrap_or(u32::MAX)
    }

    /// Does what is owed in the present state. Returns the end of a finished game.
    fn settle(&mut self) -> Option<GameEnd> {
        if self.over {
            return Some(self.finish());
        }
        let now = Instant::now();
        if self.check_at.is_some_and(|at| now >= at) {
            self.check_at = None;
            self.feed.reopen();
        }
        if let Some(at) = self.resign_at {
            if now >= at {
                self.resign_at = Some(now + RESIGN_PAUSE);
                self.request(|client, id| async move { Answer::Resign(client.resign(&id).await) });
            }
            return None;
        }
        if self.parks_at().is_some_and(|at| now >= at) {
            return Some(GameEnd::Parked);
        }
        while let Some(action) = self
            .offers
            .step(&self.offer_facts(now), &self.context.settings.game)
        {
            self.act(action, now);
        }
        self.send_chat(now);
        if let Some(search) = &mut self.search
            && search.lost_patience(now)
        {
            warn!("search does not end, a move is played without it");
            let found = search.overdue();
            self.search = None;
            self.on_found(found);
        }
        let my_turn = self.is_my_turn();
        match self.turn.step(now, my_turn, self.feed.heard()) {
            Step::Wait => {}
            Step::Search => self.start_search(now),
            Step::Post(mv) => {
                let found = self
                    .found
                    .clone()
                    .filter(|found| found.best == Some(mv))
                    .unwrap_or_else(|| Found::without_search(Some(mv)));
                info!(mv = ?mv, "move is not in the list, sending it again");
                self.post(mv, found);
            }
            Step::Reopen => self.feed.reopen(),
            Step::Resign => {
                error!(
                    refused = ?self.turn.refused(),
                    "server refuses moves that are legal by our rules, resigning"
                );
                self.give_up(now);
            }
        }
        None
    }

    /// When a game without a clock is left alone until the opponent has moved.
    fn parks_at(&self) -> Option<Instant> {
        let waits = self.full.clock.is_none()
            && self.state.status == GameStatus::Started
            && self.confused == 0
            && !self.is_my_turn()
            && self.requests.is_empty();
        let stay = self.context.settings.game.correspondence.stay;
        waits.then(|| self.changed_at + stay)
    }

    /// Ends what the game has started outside.
    async fn close(&mut self) {
        self.search = None;
        self.ponder = None;
        if let Some(driver) = self.other_engine.take() {
            driver.close().await;
        }
    }

    /// When the loop must wake up without an event.
    fn wake(&self) -> Instant {
        let now = Instant::now();
        let facts = self.offer_facts(now);
        [
            self.turn.deadline().filter(|_| facts.my_turn),
            self.search.as_ref().map(Search::deadline),
            self.offers
                .abort_deadline(&facts, &self.context.settings.game),
            self.check_at,
            self.resign_at,
            self.parks_at(),
            self.outbox.deadline(),
        ]
        .into_iter()
        .flatten()
        .fold(now + TICK, Instant::min)
    }

    fn on_timer(&mut self) {
        if self.is_my_turn() && self.turn.is_idle() {
            warn!(
                ply = self.ply(),
                "a move was owed and nothing was under way"
            );
        }
    }

    fn on_command(&mut self, command: Command) {
        match command {
            Command::Check => {
                self.check_at
                    .get_or_insert_with(|| Instant::now() + CHECK_PAUSE);
            }
        }
    }
}

fn millis(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}
