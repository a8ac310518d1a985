//! Search of one move seen from a task: its result is awaited, and it cannot hang the game.

use super::think::Plan;
use crate::engine::{Score, SearchHandle, SearchRequest, SearchResult, Session};
use crate::rules::{Game, Move, Position};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Time between stopping a search from outside and going on without it.
const STOP_GRACE: Duration = Duration::from_millis(250);
/// How often it is looked whether a search that gives way to others has got its turn.
const LOOK: Duration = Duration::from_millis(250);
/// Longest that such a search may wait and think, for each move.
const LONGEST_GENTLE: Duration = Duration::from_mins(30);

/// What a search found, or that there was none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub best: Option<Move>,
    /// Reply that the search expects.
    pub reply: Option<Move>,
    /// From our side; `None` if the move does not come from a finished search.
    pub score: Option<Score>,
    pub depth: u32,
    pub nodes: u64,
    pub elapsed: Duration,
}

impl Found {
    /// Move that no finished search stands behind.
    pub(super) const fn without_search(best: Option<Move>) -> Self {
        Self {
            best,
            reply: None,
            score: None,
            depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
        }
    }
}

impl From<SearchResult> for Found {
    fn from(result: SearchResult) -> Self {
        Self {
            best: result.best,
            reply: result.ponder,
            score: (result.depth > 0).then_some(result.score),
            depth: result.depth,
            nodes: result.nodes,
            elapsed: result.elapsed,
        }
    }
}

impl Gentle {
    /// When to look again instead of stopping now.
    fn later(&self, now: Instant) -> Option<Instant> {
        let enough = match self.began.get() {
            Some(began) => *began + self.think,
            None => now + LOOK,
        };
        (now < enough && now < self.latest).then(|| enough.min(self.latest))
    }
}

/// What a search thinks, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Thought {
    /// Position that it is about, we being on move.
    pub position: Position,
    /// From our side.
    pub score: Score,
    pub depth: u32,
    pub nodes: u64,
    /// Expected line, our move first.
    pub pv: Vec<Move>,
}

/// Running search. Dropping it stops it.
#[derive(Debug)]
pub(super) struct Search {
    handle: SearchHandle,
    done: oneshot::Receiver<SearchResult>,
    best: Arc<AtomicU16>,
    thought: Arc<Mutex<Option<Thought>>>,
    deadline: Instant,
    stopped: bool,
    gentle: Option<Gentle>,
    /// When our clock began to run, if the search began before.
    hit_at: Option<Instant>,
}

/// Search that thinks only while no game with a clock wants its cores: for the engine it ponders.
#[derive(Debug)]
struct Gentle {
    think: Duration,
    /// When it began to think.
    began: Arc<OnceLock<Instant>>,
    latest: Instant,
}

impl Search {
    /// Starts a search in the current position of a game. `received`: arrival of the line with the clocks.
    pub(super) fn start(session: &mut Session, game: &Game, plan: Plan, received: Instant) -> Self {
        let start = if plan.on_clock {
            received
        } else {
            Instant::now()
        };
        let mut limits = plan.limits;
        limits.ponder |= plan.gentle;
        let request = SearchRequest {
            position: *game.position(),
            earlier: game.earlier_keys().to_vec(),
            limits,
            received: start,
        };
        let began = Arc::new(OnceLock::new());
        let gentle = plan.gentle.then(|| Gentle {
            think: plan.patience,
            began: Arc::clone(&began),
            latest: start + LONGEST_GENTLE,
        });
        let best = Arc::new(AtomicU16::new(Move::NONE.to_bits()));
        let (done, result) = oneshot::channel();
        let seen = Arc::clone(&best);
        let thought = Arc::new(Mutex::new(None));
        let told = Arc::clone(&thought);
        let position = *game.position();
        let handle = session.search(
            request,
            Box::new(move |info| {
                began.get_or_init(Instant::now);
                if let Some(mv) = info.pv.first() {
                    seen.store(mv.to_bits(), Ordering::Relaxed);
                    if info.bound.is_none() && info.multipv == 1 {
                        *lock(&told) = Some(Thought {
                            position,
                            score: info.score,
                            depth: info.depth,
                            nodes: info.nodes,
                            pv: info.pv.clone(),
                        });
                    }
                }
            }),
            Box::new(move |result| {
                // Nobody listens when the game has changed meanwhile.
                done.send(result).ok();
            }),
        );
        Self {
            handle,
            done: result,
            best,
            thought,
            deadline: start + plan.patience,
            stopped: false,
            gentle,
            hit_at: None,
        }
    }

    /// Turns a search that was started with `ponder` into one on the clock of `plan`. `None`, and the search is
    /// stopped, if it has ended or `plan` has no clock.
    pub(super) fn hit(mut self, plan: &Plan, received: Instant) -> Option<Self> {
        let clock = plan.limits.clock?;
        if !self.handle.ponderhit_on(clock, received) {
            return None;
        }
        self.deadline = received + plan.patience;
        self.hit_at = Some(received);
        Some(self)
    }

    /// Waits for the end of the search; forever if there is none. A search that died without a result yields the
    /// best move it had reported, if any.
    pub(super) async fn finished(search: &mut Option<Self>) -> Found {
        match search {
            Some(search) => match (&mut search.done).await {
                Ok(result) => {
                    let mut found = Found::from(result);
                    if let Some(hit_at) = search.hit_at {
                        found.elapsed = hit_at.elapsed();
                    }
                    found
                }
                Err(_) => Found::without_search(search.best_so_far()),
            },
            None => std::future::pending().await,
        }
    }

    /// Whether a search that gives way had to do so before it had thought for half of its time.
    pub(super) fn gave_way(&self, now: Instant) -> bool {
        self.gentle.as_ref().is_some_and(|gentle| {
            let began = gentle.began.get();
            let enough = began.is_some_and(|began| {
                self.stopped || now.saturating_duration_since(*began) >= gentle.think / 2
            });
            !enough
        })
    }

    /// Whether it was ended from outside.
    pub(super) const fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// What it thinks so far.
    pub(super) fn thought(&self) -> Option<Thought> {
        lock(&self.thought).clone()
    }

    /// Best move reported so far.
    pub(super) fn best_so_far(&self) -> Option<Move> {
        let mv = Move::from_bits(self.best.load(Ordering::Relaxed));
        (!mv.is_none()).then_some(mv)
    }

    /// When [`Search::lost_patience`] must be asked.
    pub(super) const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Stops a search that is overdue; true once it does not even end then.
    pub(super) fn lost_patience(&mut self, now: Instant) -> bool {
        if now < self.deadline {
            return false;
        }
        if self.stopped {
            return true;
        }
        if let Some(later) = self.gentle.as_ref().and_then(|gentle| gentle.later(now)) {
            self.deadline = later;
            return false;
        }
        self.stopped = true;
        self.deadline = now + STOP_GRACE;
        self.handle.stop();
        false
    }
}

/// The value is set as a whole, so a panic elsewhere leaves nothing half done in it.
fn lock(thought: &Mutex<Option<Thought>>) -> MutexGuard<'_, Option<Thought>> {
    thought.lock().unwrap_or_else(PoisonError::into_inner)
}
