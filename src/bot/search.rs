//! Search of one move seen from a task: its result is awaited, and it cannot hang the game.

use super::sources::Source;
use super::think::Plan;
use crate::engine::{Clock, Score, SearchHandle, SearchRequest, SearchResult, Session};
use crate::rules::{Color, Game, Move, Position};
use crate::uci_engine::{self, Answer, Driver, Running};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tracing::warn;

/// Time between stopping a search from outside and going on without it.
const STOP_GRACE: Duration = Duration::from_millis(250);
/// How often it is looked whether a search that gives way to others has got its turn.
const LOOK: Duration = Duration::from_millis(250);
/// Longest that such a search may wait and think, for each move.
const LONGEST_GENTLE: Duration = Duration::from_mins(30);
/// Longest wait for the start of another engine, where no clock runs.
const START_GRACE: Duration = Duration::from_secs(10);
/// How often it is looked whether it has started.
const START_LOOK: Duration = Duration::from_millis(50);
/// Least time on the clock that another engine is told.
const LEAST_CLOCK: Duration = Duration::from_millis(10);

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
    /// What the move comes from.
    pub source: Source,
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
            source: Source::Search,
        }
    }

    /// The same of another source than the search inside.
    pub(super) const fn of(source: Source, best: Option<Move>) -> Self {
        let mut found = Self::without_search(best);
        found.source = source;
        found
    }

    /// Whether another engine owes us a move that it has not given.
    pub(super) const fn is_owed(&self) -> bool {
        matches!(self.source, Source::Engine) && self.best.is_none()
    }
}

impl From<Answer> for Found {
    fn from(answer: Answer) -> Self {
        Self {
            best: Some(answer.best),
            reply: answer.ponder,
            score: answer.score,
            depth: answer.depth,
            nodes: answer.nodes,
            elapsed: answer.elapsed,
            source: Source::Engine,
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
            source: Source::Search,
        }
    }
}

/// Who searches.
#[derive(Debug)]
enum Worker {
    Inside {
        handle: SearchHandle,
        done: oneshot::Receiver<SearchResult>,
    },
    Other {
        running: Running,
        root: Position,
    },
}

impl Worker {
    fn stop(&self) {
        match self {
            Self::Inside { handle, .. } => handle.stop(),
            Self::Other { running, .. } => running.stop(),
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
    worker: Worker,
    best: Arc<AtomicU16>,
    thought: Arc<Mutex<Option<Thought>>>,
    deadline: Instant,
    stopped: bool,
    gentle: Option<Gentle>,
    /// Time from the start of another engine to the deadline, which is set when it has started.
    patience: Option<Duration>,
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
            worker: Worker::Inside {
                handle,
                done: result,
            },
            best,
            thought,
            deadline: start + plan.patience,
            stopped: false,
            gentle,
            patience: None,
            hit_at: None,
        }
    }

    /// Starts a search of another engine. `opponent`: time left and increment of the opponent, if there is a clock.
    pub(super) fn start_other(
        driver: &Driver,
        game: &Game,
        plan: &Plan,
        received: Instant,
        opponent: (Duration, Duration),
    ) -> Self {
        let now = Instant::now();
        let turn = game.position().turn();
        let limits = &plan.limits;
        let clock = limits.clock.map(|clock| {
            let own = told_clock(&clock, now.saturating_duration_since(received));
            match turn {
                Color::White => [own, opponent],
                Color::Black => [opponent, own],
            }
        });
        let request = uci_engine::Request {
            game: game.clone(),
            limits: uci_engine::Limits {
                clock,
                movetime: limits.movetime,
                nodes: limits.nodes,
                depth: limits.depth,
            },
            ponder: limits.ponder,
        };
        let best = Arc::new(AtomicU16::new(Move::NONE.to_bits()));
        let seen = Arc::clone(&best);
        let on_best = move |mv: Move| seen.store(mv.to_bits(), Ordering::Relaxed);
        let waits = !plan.on_clock && !driver.is_ready();
        let deadline = match plan.on_clock {
            true => received + plan.patience,
            false if waits => now + START_GRACE,
            false => now + plan.patience,
        };
        Self {
            worker: Worker::Other {
                running: driver.search(request, Box::new(on_best)),
                root: *game.position(),
            },
            best,
            thought: Arc::default(),
            deadline,
            stopped: false,
            gentle: None,
            patience: waits.then_some(plan.patience),
            hit_at: None,
        }
    }

    /// Turns a search that was started with `ponder` into one on the clock of `plan`. `None`, and the search is
    /// stopped, if it has ended or `plan` has no clock.
    pub(super) fn hit(mut self, plan: &Plan, received: Instant) -> Option<Self> {
        let clock = plan.limits.clock?;
        let goes_on = match &self.worker {
            Worker::Inside { handle, .. } => handle.ponderhit_on(clock, received),
            Worker::Other { running, .. } => running.ponderhit(),
        };
        if !goes_on {
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
            Some(search) => {
                let mut found = match &mut search.worker {
                    Worker::Inside { done, .. } => match done.await {
                        Ok(result) => Found::from(result),
                        Err(_) => return Found::without_search(search.best_so_far()),
                    },
                    Worker::Other { running, root } => match running.answer().await {
                        Ok(answer) => {
                            *lock(&search.thought) = thought_of(&answer, *root);
                            Found::from(answer)
                        }
                        Err(fault) => {
                            warn!(%fault, "no move of the other engine");
                            return Found::of(Source::Engine, None);
                        }
                    },
                };
                if let Some(hit_at) = search.hit_at {
                    found.elapsed = hit_at.elapsed();
                }
                found
            }
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

    /// What is left of a search that does not end: the best move that it has reported.
    pub(super) fn overdue(&self) -> Found {
        match self.worker {
            Worker::Inside { .. } => Found::without_search(self.best_so_far()),
            Worker::Other { .. } => Found::of(Source::Engine, self.best_so_far()),
        }
    }

    /// Best move reported so far.
    pub(super) fn best_so_far(&self) -> Option<Move> {
        let mv = Move::from_bits(self.best.load(Ordering::Relaxed));
        (!mv.is_none()).then_some(mv)
    }

    /// When [`Search::lost_patience`] must be asked.
    pub(super) fn deadline(&self) -> Instant {
        match self.patience {
            Some(_) => Instant::now() + START_LOOK,
            None => self.deadline,
        }
    }

    /// Stops a search that is overdue; true once it does not even end then.
    pub(super) fn lost_patience(&mut self, now: Instant) -> bool {
        if let (Worker::Other { running, .. }, Some(patience)) = (&self.worker, self.patience)
            && let Some(began) = running.began()
        {
            self.patience = None;
            self.deadline = began + patience;
        }
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
        self.patience = None;
        self.deadline = now + STOP_GRACE;
        self.worker.stop();
        false
    }
}

/// The value is set as a whole, so a panic elsewhere leaves nothing half done in it.
fn lock(thought: &Mutex<Option<Thought>>) -> MutexGuard<'_, Option<Thought>> {
    thought.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What another engine thinks, as far as its answer tells.
fn thought_of(answer: &Answer, position: Position) -> Option<Thought> {
    Some(Thought {
        position,
        score: answer.score?,
        depth: answer.depth,
        nodes: answer.nodes,
        pv: std::iter::once(answer.best).chain(answer.ponder).collect(),
    })
}

/// Time and increment that another engine is told: what is left now, without what the way of the move will take.
fn told_clock(clock: &Clock, gone: Duration) -> (Duration, Duration) {
    let left = clock.remaining.saturating_sub(gone);
    let told = left.saturating_sub(clock.overhead).max(left / 4);
    (told.max(LEAST_CLOCK), clock.increment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_engine_is_told_less_than_the_clock_shows() {
        let ms = Duration::from_millis;
        let clock = |remaining| Clock {
            remaining: ms(remaining),
            increment: ms(2000),
            moves_to_go: None,
            overhead: ms(100),
            own_moves: 5,
        };
        for (remaining, gone, told) in [
            (60_000, 50, 59_850),
            (120, 0, 30),
            (100, 100, 10),
            (0, 500, 10),
        ] {
            let (time, increment) = told_clock(&clock(remaining), ms(gone));
            assert_eq!((time, increment), (ms(told), ms(2000)), "{remaining}");
        }
    }
}
