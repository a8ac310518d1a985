//! Keeps an engine running for a game.

use super::process::{Control, Process};
use super::{Answer, EngineSpec, Fault, Request};
use crate::rules::Move;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tracing::{Instrument as _, info, warn};

/// Failures of one game after which the engine is not started any more.
const MOST_FAILURES: u32 = 5;
/// Pause before it is started again after it could not be started.
const PAUSE: Duration = Duration::from_secs(1);
/// Time for the engine to end when its game does.
const CLOSE: Duration = Duration::from_millis(1500);

const STARTING: u8 = 0;
const READY: u8 = 1;
const READY_TO_PONDER: u8 = 2;
const LOST: u8 = 3;

/// Hears the first move of each best line.
type OnBest = Box<dyn FnMut(Move) + Send>;

/// Engine of one game, on a task of its own. Dropping it kills the engine; [`Driver::close`] ends it politely.
#[derive(Debug)]
pub struct Driver {
    jobs: mpsc::UnboundedSender<Job>,
    state: Arc<AtomicU8>,
    task: JoinSet<()>,
}

struct Job {
    request: Request,
    control: mpsc::UnboundedReceiver<Control>,
    on_best: OnBest,
    done: oneshot::Sender<Result<Answer, Fault>>,
    progress: Arc<Progress>,
}

/// What is known of a search without waiting for it.
#[derive(Debug, Default)]
struct Progress {
    began: OnceLock<Instant>,
    over: AtomicBool,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

impl Job {
    fn end(self, answer: Result<Answer, Fault>) {
        self.progress.over.store(true, Relaxed);
        // Nobody listens when the game has changed meanwhile.
        self.done.send(answer).ok();
    }
}

/// Search under way. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    control: mpsc::UnboundedSender<Control>,
    done: oneshot::Receiver<Result<Answer, Fault>>,
    progress: Arc<Progress>,
}

impl Driver {
    /// Starts an engine in the background.
    pub fn start(spec: Arc<EngineSpec>) -> Self {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let state = Arc::new(AtomicU8::new(STARTING));
        let mut task = JoinSet::new();
        task.spawn(drive(spec, inbox, Arc::clone(&state)).in_current_span());
        Self { jobs, state, task }
    }

    /// Whether the engine can begin a search at once, or after the one under way.
    pub fn is_ready(&self) -> bool {
        [READY, READY_TO_PONDER].contains(&self.state.load(Relaxed))
    }

    /// Whether the engine is ready and thinks on the opponent's time too.
    pub fn can_ponder(&self) -> bool {
        self.state.load(Relaxed) == READY_TO_PONDER
    }

    /// Whether the engine has failed too often.
    pub fn is_lost(&self) -> bool {
        self.state.load(Relaxed) == LOST
    }

    /// Begins a search as soon as the engine is ready. `on_best` hears the first move of each best line.
    pub fn search(&self, request: Request, on_best: OnBest) -> Running {
        let (control, controlled) = mpsc::unbounded_channel();
        let (done, answer) = oneshot::channel();
        let progress = Arc::new(Progress::default());
        let job = Job {
            request,
            control: controlled,
            on_best,
            done,
            progress: Arc::clone(&progress),
        };
        if let Err(unsent) = self.jobs.send(job) {
            unsent.0.end(Err(Fault::GivenUp));
        }
        Running {
            control,
            done: answer,
            progress,
        }
    }

    /// Ends the engine: `quit`, and if that does not help, by force.
    pub async fn close(self) {
        let Self { jobs, mut task, .. } = self;
        drop(jobs);
        if tokio::time::timeout(CLOSE, task.join_next()).await.is_err() {
            // Ends the task, and with it the process.
            task.shutdown().await;
        }
    }
}

impl Running {
    /// Asks for the best move now.
    pub fn stop(&self) {
        // The task may have ended with its answer.
        self.control.send(Control::Stop).ok();
    }

    /// Tells that the expected move was played. False if the search is over.
    pub fn ponderhit(&self) -> bool {
        !self.progress.over.load(Relaxed) && self.control.send(Control::PonderHit).is_ok()
    }

    /// When the engine began with it; `None` while it still starts.
    pub fn began(&self) -> Option<Instant> {
        self.progress.began.get().copied()
    }

    /// Waits for the answer. Cancel safe; to be called until it has returned once.
    ///
    /// # Errors
    /// What befell the engine.
    pub async fn answer(&mut self) -> Result<Answer, Fault> {
        (&mut self.done).await.unwrap_or(Err(Fault::GivenUp))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn drive(
    spec: Arc<EngineSpec>,
    mut jobs: mpsc::UnboundedReceiver<Job>,
    state: Arc<AtomicU8>,
) {
    let mut failures = 0;
    while failures < MOST_FAILURES {
        let process = match Process::start(&spec).await {
            Ok(process) => process,
            Err(error) => {
                failures += 1;
                warn!(
                    error = &error as &dyn std::error::Error,
                    failures, "the engine cannot be started"
                );
                if failures < MOST_FAILURES && !refuse_for(PAUSE, &mut jobs).await {
                    return;
                }
                continue;
            }
        };
        info!(engine = process.name(), "engine started");
        let ready = if process.ponders() {
            READY_TO_PONDER
        } else {
            READY
        };
        state.store(ready, Relaxed);
        let Some(fault) = serve(process, &mut jobs, &state).await else {
            return;
        };
        failures += 1;
        warn!(%fault, failures, "the engine has failed");
    }
    warn!("the engine is not started again in this game");
    state.store(LOST, Relaxed);
    while let Some(job) = jobs.recv().await {
        job.end(Err(Fault::GivenUp));
    }
}

/// Hands searches to an engine until it fails; `None` when there will be no more of them.
async fn serve(
    mut process: Process,
    jobs: &mut mpsc::UnboundedReceiver<Job>,
    state: &AtomicU8,
) -> Option<Fault> {
    loop {
        let job = tokio::select! {
            job = jobs.recv() => job,
            fault = process.idle() => {
                state.store(STARTING, Relaxed);
                process.kill().await;
                return Some(fault);
            }
        };
        let Some(mut job) = job else {
            process.quit().await;
            return None;
        };
        if job.done.is_closed() {
            continue;
        }
        // Set once, by this task alone.
        job.progress.began.get_or_init(Instant::now);
        let answer = process
            .search(&job.request, &mut job.control, &mut job.on_best)
            .await;
        match answer {
            Ok(answer) => job.end(Ok(answer)),
            Err(fault) => {
                // Before the answer, so that nobody hands in the next search here.
                state.store(STARTING, Relaxed);
                job.end(Err(fault.clone()));
                process.kill().await;
                return Some(fault);
            }
        }
    }
}

/// Answers searches with a fault for some time. False when there will be no more of them.
async fn refuse_for(pause: Duration, jobs: &mut mpsc::UnboundedReceiver<Job>) -> bool {
    let refuse = async {
        while let Some(job) = jobs.recv().await {
            let reason = "see the log".to_owned();
            job.end(Err(Fault::Start { reason }));
        }
    };
    tokio::time::timeout(pause, refuse).await.is_err()
}
