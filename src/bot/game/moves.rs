//! What the game sends: moves and answers to offers; and what becomes of them.

use super::{Play, millis};
use crate::book::BookMove;
use crate::bot::offers::Action;
use crate::bot::ponder::{Guess, Outcome, Ponder};
use crate::bot::round_trip::RoundTrip;
use crate::bot::search::{Found, Search};
use crate::bot::think::{self, ThinkFacts};
use crate::bot::turn::Posted;
use crate::lichess::{Client, Error, GameId, Kind, MoveOutcome, Side};
use crate::rules::{CastlingStyle, Move, MoveList};
use crate::uci_engine::Driver;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinError;
use tracing::{Instrument as _, debug, error, info, warn};

/// How often the search of one move may have to give way before its result counts all the same.
const MOST_GIVEN_WAY: u32 = 100;

/// Answer of a request.
#[derive(Debug)]
pub(super) enum Answer {
    Move {
        ticket: u64,
        found: Found,
        result: Result<MoveOutcome, Error>,
        took: Duration,
    },
    Action(Action, Result<(), Error>),
    Chat(Result<(), Error>),
    Resign(Result<(), Error>),
    /// What the explorer knows of the position with that key.
    Explorer(u64, Result<Arc<[BookMove]>, Error>),
}

impl Play {
    pub(super) fn start_search(&mut self, now: Instant) {
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
        let fresh = choices.is_empty();
        if fresh && let Some(found) = self.known_move() {
            self.ponder = None;
            self.turn.searching();
            self.on_found(found);
            return;
        }
        let facts = self.think_facts();
        let mut plan = think::plan(&facts, &self.context.settings, choices);
        if plan.gentle && self.gave_way >= MOST_GIVEN_WAY {
            plan = plan.without_giving_way();
        }
        debug!(ply = self.ply(), ?plan, "search");
        let game = self.tracker.game();
        let ponder = self
            .ponder
            .take()
            .filter(|ponder| fresh && ponder.guess().outcome(game.moves()) == Outcome::Hit);
        let continued = ponder.and_then(|ponder| ponder.into_search(&plan, self.received));
        let search = match continued {
            Some(search) => search,
            None => self.begin(None, plan, self.received, fresh),
        };
        self.search = Some(search);
        self.turn.searching();
        if fresh {
            self.ask_explorer(facts.clock.map(|(left, _)| left), now);
        }
    }

    /// Clock of the present state.
    pub(super) fn think_facts(&self) -> ThinkFacts {
        let (time, increment) = match self.color {
            Side::White => (self.state.wtime, self.state.winc),
            Side::Black => (self.state.btime, self.state.binc),
        };
        ThinkFacts {
            clock: self.full.clock.map(|_| (millis(time), millis(increment))),
            own_moves: self.ply() / 2,
            overhead: lock(&self.context.round_trip)
                .overhead(self.context.settings.engine.move_overhead),
            first_move_left: self
                .state
                .expiration
                .map(|timer| millis(timer.millis_to_move - timer.idle_millis)),
            limit: self.limit(),
            seed: self.seed(),
        }
    }

    /// Begins to search the reply that `found` expects. The POST of our move is under way by now.
    fn start_ponder(&mut self, found: &Found) {
        let facts = ThinkFacts {
            own_moves: self.ply() / 2 + 1,
            ..self.think_facts()
        };
        if !self.context.settings.engine.ponder || facts.clock.is_none() {
            return;
        }
        let silent = |driver: &Driver| !driver.is_lost() && !driver.can_ponder();
        if self.other_engine.as_ref().is_some_and(silent) {
            return;
        }
        let Some((guess, game)) = Guess::new(self.tracker.game(), found) else {
            return;
        };
        if self.ponder.as_ref().is_some_and(|p| p.guess() == guess) {
            return;
        }
        // The clock is told again, as it then is, when the reply comes.
        let mut plan = think::plan(&facts, &self.context.settings, Vec::new());
        plan.limits.ponder = true;
        let search = self.begin(Some(&game), plan, Instant::now(), true);
        self.ponder = Some(Ponder::new(guess, search));
    }

    /// The move list has grown: ends pondering on what was not played.
    pub(super) fn check_ponder(&mut self) {
        let Some(ponder) = &self.ponder else {
            return;
        };
        match ponder.guess().outcome(self.tracker.game().moves()) {
            Outcome::Open => return,
            Outcome::Hit => self.pondered.hits += 1,
            Outcome::Miss => self.ponder = None,
        }
        self.pondered.guesses += 1;
    }

    /// A search has ended. One that had to give way early goes on later, with what it has learned so far; in the end
    /// one that does not give way decides.
    pub(super) fn on_search_end(&mut self, found: Found) {
        let thought = self.search.as_ref().and_then(Search::thought);
        self.keep_thought(thought);
        match &self.search {
            Some(search) if search.gave_way(Instant::now()) => {
                self.gave_way = if search.was_stopped() {
                    MOST_GIVEN_WAY
                } else {
                    self.gave_way + 1
                };
                self.search = None;
                self.turn.search_again();
            }
            _ => self.on_found(found),
        }
    }

    pub(super) fn on_found(&mut self, found: Found) {
        self.search = None;
        if found.is_owed() {
            self.stand_in();
            return;
        }
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
        if self.resigns(&found) {
            info!(
                eval = found.score.map(|score| score.to_string()),
                "the game is lost, resigning"
            );
            self.give_up(Instant::now());
            return;
        }
        self.found = Some(found.clone());
        self.post(mv, found);
    }

    /// Sends a move. A draw offer that we like is accepted with it, or one is made, in the same request.
    pub(super) fn post(&mut self, mv: Move, found: Found) {
        let accept = self.accepts_draw(&found);
        let offer = !accept && self.offers_draw(&found);
        if accept {
            info!("accepting the draw offer");
        } else if offer {
            info!("offering a draw");
            self.offers.draw_offered(self.ply());
        }
        let draw = accept || offer;
        let ticket = self.turn.posting(mv);
        let guess = found.clone();
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
        self.start_ponder(&guess);
    }

    pub(super) fn act(&mut self, action: Action, now: Instant) {
        match action {
            Action::Draw(accept) => info!(accept, "draw offer answered"),
            Action::Takeback(accept) => {
                info!(accept, "takeback proposal answered");
                let accepted = self.offers.takebacks();
                self.context
                    .memory
                    .takebacks
                    .store(accepted, Ordering::Relaxed);
                if accept && self.is_my_turn() {
                    // A move found meanwhile must not be played in the position after the takeback.
                    self.search = None;
                    self.turn.yielded(now);
                }
            }
            Action::ClaimVictory => info!("claiming the win, the opponent has left"),
            Action::Abort => info!("aborting, the opponent does not begin"),
            Action::GiveTime(seconds) => info!(seconds, "giving time"),
        }
        self.request(move |client, id| async move {
            let result = match action {
                Action::Draw(yes) => client.draw(&id, yes).await,
                Action::Takeback(yes) => client.takeback(&id, yes).await,
                Action::ClaimVictory => client.claim_victory(&id).await,
                Action::Abort => client.abort(&id).await,
                Action::GiveTime(seconds) => client.add_time(&id, seconds).await,
            };
            Answer::Action(action, result)
        });
    }

    pub(super) fn request<F>(&mut self, make: impl FnOnce(Client, GameId) -> F)
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let future = make(self.context.client.clone(), self.context.id.clone());
        self.requests.spawn(future.in_current_span());
    }

    pub(super) fn give_up(&mut self, now: Instant) {
        self.search = None;
        self.ponder = None;
        self.resign_at = Some(now);
    }

    pub(super) fn on_answer(&mut self, answer: Result<Answer, JoinError>) {
        match answer {
            Ok(Answer::Move {
                ticket,
                found,
                result,
                took,
            }) => {
                self.on_move_answer(ticket, &found, &result, took);
            }
            Ok(Answer::Chat(result)) => self.on_chat_answer(result),
            Ok(Answer::Action(action, Err(error))) => {
                match action {
                    Action::Abort if error.kind() == Kind::Rejected => self.offers.abort_refused(),
                    Action::GiveTime(_) => self.offers.time_refused(),
                    _ => {}
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
            Ok(Answer::Explorer(key, known)) => self.on_explorer(key, known),
            Err(error) => {
                error!(
                    error = &error as &dyn std::error::Error,
                    "request task failed"
                );
                let now = Instant::now();
                self.turn.posted(self.turn.ticket(), Posted::Unknown, now);
                self.outbox.sent(false, now);
            }
        }
    }

    fn on_move_answer(
        &mut self,
        ticket: u64,
        found: &Found,
        result: &Result<MoveOutcome, Error>,
        took: Duration,
    ) {
        let uci = found.best.map(|mv| format!("{mv:?}")).unwrap_or_default();
        let posted = match result {
            Ok(MoveOutcome::Accepted) => {
                lock(&self.context.round_trip).sample(took);
                info!(
                    uci,
                    source = found.source.word(),
                    eval = found.score.map(|score| score.to_string()),
                    depth = found.depth,
                    nodes = found.nodes,
                    took_ms = found.elapsed.as_millis(),
                    post_ms = took.as_millis(),
                    "move played"
                );
                self.greet();
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
                if error.kind() == Kind::Timeout {
                    // The clock ran all the while: a network that does this needs a larger margin.
                    lock(&self.context.round_trip).sample(took);
                }
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
}

/// The value is plain numbers, so a panic elsewhere leaves nothing half done in it.
pub(super) fn lock(round_trip: &Mutex<RoundTrip>) -> MutexGuard<'_, RoundTrip> {
    round_trip.lock().unwrap_or_else(PoisonError::into_inner)
}
