//! One game, from `gameFull` to its final status, as one task that owns everything about it.
//!
//! Inputs are the search's result, answers of requests, lines of the stream, commands of the supervisor and a timer;
//! after each of them [`Play::settle`] asks what is owed. No request is awaited in the loop.

use super::feed::{Feed, FeedEvent};
use super::offers::{Action, OfferFacts, Offers};
use super::record::{GameRecord, Played};
use super::round_trip::RoundTrip;
use super::search::{Found, Search};
use super::think::{self, ThinkFacts};
use super::tracker::{Change, Tracker};
use super::turn::{Posted, Step, Turn};
use super::{BotEvent, Observer};
use crate::engine::{Engine, Score, Session, SessionOptions};
use crate::lichess::{
    Client, Error, GameEvent, GameFull, GameId, GameState, GameStatus, Kind, MoveOutcome, Player,
    Side,
};
use crate::rules::{CastlingStyle, Color, Move, MoveList};
use crate::settings::Settings;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

/// The owed move is looked for at least this often.
const TICK: Duration = Duration::from_secs(5);
/// Move lists in a row that our rules cannot follow before the game is resigned.
const MAX_CONFUSED: u32 = 3;
/// Pause between attempts to resign.
const RESIGN_PAUSE: Duration = Duration::from_secs(5);
/// Time left to the stream to tell what the supervisor heard elsewhere.
const CHECK_PAUSE: Duration = Duration::from_secs(2);

/// What a game needs from the outside.
#[derive(Clone)]
pub(super) struct GameContext {
    pub client: Client,
    pub settings: Arc<Settings>,
    pub engine: Engine,
    /// Lower-case id of our account.
    pub account: Arc<str>,
    pub id: GameId,
    /// Our color as the event stream told it.
    pub color: Option<Side>,
    pub round_trip: Arc<Mutex<RoundTrip>>,
    pub observer: Observer,
    pub stop: CancellationToken,
}

/// Request of the supervisor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    /// Elsewhere the game seems to be over: make sure.
    Check,
}

/// How the task of a game ended.
#[derive(Debug)]
pub(super) enum GameEnd {
    /// The game is over.
    Finished(Box<GameRecord>),
    /// The server does not give us the game.
    Closed(Error),
    /// A game that this program does not play; it was not touched.
    Foreign,
    /// We were told to stop.
    Left,
}

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
    loop {
        if let Some(end) = game.settle() {
            return end;
        }
        let wake = game.wake();
        tokio::select! {
            biased;
            () = game.context.stop.cancelled() => return GameEnd::Left,
            found = Search::finished(&mut game.search) => game.on_found(found),
            Some(answer) = game.requests.join_next(), if !game.requests.is_empty() => {
                game.on_answer(answer);
            }
            event = game.feed.next() => {
                if let Some(end) = game.on_feed(event) {
                    return end;
                }
            }
            Some(command) = commands.recv() => game.on_command(command),
            () = tokio::time::sleep_until(wake.into()) => game.on_timer(),
        }
    }
}

/// Answer of a request.
#[derive(Debug)]
enum Answer {
    Move {
        ticket: u64,
        found: Found,
        result: Result<MoveOutcome, Error>,
        took: Duration,
    },
    Action(Action, Result<(), Error>),
    Resign(Result<(), Error>),
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
    search: Option<Search>,
    requests: JoinSet<Answer>,
    offers: Offers,
    /// What our last search found in the position it was made for.
    found: Option<Found>,
    score: Option<Score>,
    played: Vec<Played>,
    /// Move lists in a row that could not be followed.
    confused: u32,
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
            _ => match context.color {
                Some(color) => color,
                None => {
                    warn!("game without this account left alone");
                    return Err(GameEnd::Foreign);
                }
            },
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
        let mut game = Self {
            session: context.engine.session(options),
            context,
            feed,
            color,
            tracker,
            state: GameState::default(),
            received,
            turn: Turn::new(),
            search: None,
            requests: JoinSet::new(),
            offers: Offers::new(Instant::now()),
            found: None,
            score: None,
            played: Vec::new(),
            confused: 0,
            resign_at,
            check_at: None,
            over: false,
            full,
        };
        let state = game.full.state.clone();
        info!(
            opponent = game.opponent().display_name(),
            color = %game.color,
            rated = game.full.rated,
            plies = state.moves.split_whitespace().count(),
            "game opened"
        );
        game.on_state(state, received, None);
        Ok(game)
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

    fn offer_facts(&self, now: Instant) -> OfferFacts {
        let state = &self.state;
        let (draw_offered, takeback_proposed) = match self.color {
            Side::White => (state.bdraw, state.btakeback),
            Side::Black => (state.wdraw, state.wtakeback),
        };
        OfferFacts {
            now,
            ply: self.ply(),
            my_turn: self.is_my_turn(),
            committed: self.turn.is_committed(),
            draw_offered,
            takeback_proposed,
            score: self.score,
            opponent_is_bot: self.opponent().is_bot(),
            tournament: self.full.tournament_id.is_some(),
        }
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
        while let Some(action) = self
            .offers
            .step(&self.offer_facts(now), &self.context.settings.game)
        {
            self.act(action, now);
        }
        if let Some(search) = &mut self.search
            && search.lost_patience(now)
        {
            warn!("search does not end, a move is played without it");
            let found = Found::without_search(search.best_so_far());
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

    fn on_feed(&mut self, event: FeedEvent) -> Option<GameEnd> {
        match event {
            FeedEvent::Alive => {}
            FeedEvent::Closed(error) => return Some(GameEnd::Closed(error)),
            FeedEvent::Line {
                value,
                received,
                opened,
            } => match value {
                GameEvent::GameFull(full) => {
                    debug!(moves = full.state.moves, "full state");
                    self.check_at = None;
                    self.full = *full;
                    let state = self.full.state.clone();
                    self.on_state(state, received, Some(opened));
                }
                GameEvent::GameState(state) => {
                    debug!(moves = state.moves, status = state.status.word(), "state");
                    self.on_state(state, received, None);
                }
                GameEvent::OpponentGone(line) => {
                    info!(
                        gone = line.gone,
                        claim_in_s = line.claim_win_in_seconds,
                        "presence"
                    );
                    self.offers.opponent_gone(line, received);
                }
                GameEvent::ChatLine(line) => {
                    debug!(room = ?line.room, from = line.username, text = line.text, "chat");
                }
                GameEvent::Unknown => debug!("line of unknown kind"),
            },
        }
        None
    }

    /// Takes over a state. `opened`: when its stream was asked for, if it begins a stream.
    fn on_state(&mut self, state: GameState, received: Instant, opened: Option<Instant>) {
        match self.tracker.apply(&state.moves) {
            Ok(change) => {
                self.confused = 0;
                self.on_change(change, &state, opened);
            }
            Err(error) => {
                self.confused += 1;
                self.search = None;
                self.turn.position_changed();
                let error = &error as &dyn std::error::Error;
                if self.confused < MAX_CONFUSED {
                    warn!(error, "move list not understood, asking again");
                    self.feed.reopen();
                } else if !state.status.is_over() {
                    error!(error, "move list not understood, resigning");
                    self.give_up(Instant::now());
                }
            }
        }
        self.over = state.status.is_over();
        if state.status == GameStatus::Created {
            // Nothing promises a line when it starts.
            self.check_at
                .get_or_insert_with(|| Instant::now() + CHECK_PAUSE);
        }
        self.state = state;
        self.received = received;
    }

    fn on_change(&mut self, change: Change, state: &GameState, opened: Option<Instant>) {
        let keep = match change {
            Change::Unchanged => {
                if opened.is_some_and(|opened| self.turn.confirmed(opened)) {
                    warn!("an accepted move is not in the list");
                }
                return;
            }
            Change::Extended(new) => self.tracker.plies() - new,
            Change::Rebuilt(plies) => {
                info!(plies, "moves were taken back");
                plies
            }
        };
        // Dropping a running search stops it.
        self.search = None;
        let found = self.found.take();
        self.turn.position_changed();
        self.offers.moved(Instant::now());
        self.played.truncate(keep);
        let moves = self.tracker.game().moves();
        for ply in self.played.len()..moves.len() {
            let position = &self.tracker.game().positions()[ply];
            let last = ply + 1 == moves.len();
            let clock = match position.turn() {
                Color::White => state.wtime,
                Color::Black => state.btime,
            };
            let clock = self.full.clock.filter(|_| last).map(|_| millis(clock));
            let uci = position.uci(moves[ply], CastlingStyle::KingTakesRook);
            let found = found
                .as_ref()
                .filter(|found| last && found.best == Some(moves[ply]));
            let score = found.and_then(|found| found.score);
            self.context.observer.emit(|| BotEvent::MovePlayed {
                id: self.context.id.clone(),
                ply: u32::try_from(ply + 1).unwrap_or(u32::MAX),
                uci,
                score,
            });
            self.played.push(Played {
                clock,
                score,
                depth: found.map_or(0, |found| found.depth),
            });
        }
    }

    fn start_search(&mut self, now: Instant) {
        let position = *self.tracker.position();
        let mut choices = Vec::new();
        if !self.turn.refused().is_empty() {
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            choices.extend(
                legal
                    .iter()
                    .copied()
                    .filter(|mv| !self.turn.refused().contains(mv)),
            );
            if choices.is_empty() {
                error!("server refuses all moves that are legal by our rules, resigning");
                self.give_up(now);
                return;
            }
        }
        let (time, increment) = match self.color {
            Side::White => (self.state.wtime, self.state.winc),
            Side::Black => (self.state.btime, self.state.binc),
        };
        let facts = ThinkFacts {
            clock: self.full.clock.map(|_| (millis(time), millis(increment))),
            own_moves: self.ply() / 2,
            overhead: lock(&self.context.round_trip)
                .overhead(self.context.settings.engine.move_overhead),
            first_move_left: self
                .state
                .expiration
                .map(|timer| millis(timer.millis_to_move - timer.idle_millis)),
        };
        let plan = think::plan(&facts, &self.context.settings, choices);
        debug!(ply = self.ply(), ?plan, "search");
        let game = self.tracker.game();
        self.search = Some(Search::start(&mut self.session, game, plan, self.received));
        self.turn.searching();
    }

    fn on_found(&mut self, found: Found) {
        self.search = None;
        let mut found = found;
        let position = self.tracker.position();
        let usable = |mv: Move| position.is_legal(mv) && !self.turn.refused().contains(&mv);
        let best = found.best.filter(|mv| usable(*mv)).or_else(|| {
            warn!("search without a usable move, any legal one is played");
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            legal.iter().copied().find(|mv| usable(*mv))
        });
        let Some(mv) = best else {
            error!("server refuses all moves that are legal by our rules, resigning");
            self.give_up(Instant::now());
            return;
        };
        found.best = Some(mv);
        if found.score.is_some() {
            self.score = found.score;
        }
        self.found = Some(found.clone());
        self.post(mv, found);
    }

    /// Sends a move. A draw offer that we like is accepted with it, in the same request.
    fn post(&mut self, mv: Move, found: Found) {
        let facts = OfferFacts {
            my_turn: false,
            ..self.offer_facts(Instant::now())
        };
        let draw = facts.draw_offered
            && super::draw::accepts(
                super::draw::DrawFacts {
                    score: found.score,
                    ply: facts.ply,
                },
                &self.context.settings.game,
            );
        let ticket = self.turn.posting(mv);
        let uci = self
            .tracker
            .position()
            .uci(mv, CastlingStyle::KingTakesRook);
        self.request(move |client, id| async move {
            let start = Instant::now();
            let result = client.make_move(&id, &uci, draw).await;
            Answer::Move {
                ticket,
                found,
                result,
                took: start.elapsed(),
            }
        });
    }

    fn act(&mut self, action: Action, now: Instant) {
        match action {
            Action::Draw(accept) => info!(accept, "draw offer answered"),
            Action::Takeback(accept) => {
                info!(accept, "takeback proposal answered");
                if accept && self.is_my_turn() {
                    // A move found meanwhile must not be played in the position after the takeback.
                    self.search = None;
                    self.turn.yielded(now);
                }
            }
            Action::ClaimVictory => info!("claiming the win, the opponent has left"),
            Action::Abort => info!("aborting, the opponent does not begin"),
        }
        self.request(move |client, id| async move {
            let result = match action {
                Action::Draw(yes) => client.draw(&id, yes).await,
                Action::Takeback(yes) => client.takeback(&id, yes).await,
                Action::ClaimVictory => client.claim_victory(&id).await,
                Action::Abort => client.abort(&id).await,
            };
            Answer::Action(action, result)
        });
    }

    fn request<F>(&mut self, make: impl FnOnce(Client, GameId) -> F)
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let future = make(self.context.client.clone(), self.context.id.clone());
        self.requests
            .spawn(tracing::Instrument::in_current_span(future));
    }

    fn give_up(&mut self, now: Instant) {
        self.search = None;
        self.resign_at = Some(now);
    }

    fn on_answer(&mut self, answer: Result<Answer, JoinError>) {
        match answer {
            Ok(Answer::Move {
                ticket,
                found,
                result,
                took,
            }) => {
                self.on_move_answer(ticket, &found, result, took);
            }
            Ok(Answer::Action(action, Err(error))) => {
                if action == Action::Abort && error.kind() == Kind::Rejected {
                    self.offers.abort_refused();
                }
                info!(
                    ?action,
                    error = &error as &dyn std::error::Error,
                    "request failed"
                );
            }
            Ok(Answer::Resign(Err(error))) => {
                warn!(
                    error = &error as &dyn std::error::Error,
                    "resignation failed"
                );
            }
            Ok(Answer::Action(_, Ok(())) | Answer::Resign(Ok(()))) => {}
            Err(error) => {
                error!(
                    error = &error as &dyn std::error::Error,
                    "request task failed"
                );
                self.turn
                    .posted(self.turn.ticket(), Posted::Unknown, Instant::now());
            }
        }
    }

    fn on_move_answer(
        &mut self,
        ticket: u64,
        found: &Found,
        result: Result<MoveOutcome, Error>,
        took: Duration,
    ) {
        let uci = found.best.map(|mv| format!("{mv:?}")).unwrap_or_default();
        let posted = match &result {
            Ok(MoveOutcome::Accepted) => {
                lock(&self.context.round_trip).sample(took);
                info!(
                    uci,
                    eval = found.score.map(|score| score.to_string()),
                    depth = found.depth,
                    nodes = found.nodes,
                    took_ms = found.elapsed.as_millis(),
                    post_ms = took.as_millis(),
                    "move played"
                );
                Posted::Accepted
            }
            Ok(MoveOutcome::Rejected { reason }) => {
                info!(uci, reason, "move rejected");
                Posted::Rejected
            }
            Err(error) => {
                warn!(
                    uci,
                    error = error as &dyn std::error::Error,
                    "move not answered"
                );
                match error.kind() {
                    Kind::RateLimited { retry_after } => Posted::RateLimited(retry_after),
                    _ if error.is_unsent() => Posted::Unsent,
                    Kind::Rejected => Posted::Rejected,
                    _ => Posted::Unknown,
                }
            }
        };
        if !self.turn.posted(ticket, posted, Instant::now()) {
            debug!(uci, "answer belongs to an earlier position");
        }
    }

    fn finish(&mut self) -> GameEnd {
        self.search = None;
        let record = GameRecord::new(
            self.context.client.url(),
            &self.full,
            &self.state,
            self.color,
            self.tracker.game(),
            &self.played,
        );
        info!(
            status = record.status.word(),
            winner = record.winner.map(|side| side.to_string()),
            result = record.verdict.word(),
            plies = record.plies,
            "game over"
        );
        GameEnd::Finished(Box::new(record))
    }
}

fn millis(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

/// The value is plain numbers, so a panic elsewhere leaves nothing half done in it.
fn lock(round_trip: &Mutex<RoundTrip>) -> std::sync::MutexGuard<'_, RoundTrip> {
    round_trip.lock().unwrap_or_else(PoisonError::into_inner)
}
