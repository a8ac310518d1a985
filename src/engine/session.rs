//! One game's table and histories, and the running search on them.

use super::control::{Control, Hit};
use super::eval::Evaluation;
use super::pool::{Pool, Task, Ticket, lock};
use super::root::per_second;
use super::score::{DRAW, Score};
use super::time::Clock;
use super::tt::Table;
use super::vote::speaker;
use super::worker::{Finding, Job, Worker, mated};
use super::{OnDone, OnInfo, SearchInfo, SearchRequest, SearchResult, SessionOptions};
use crate::rules::{MoveList, Position};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Most threads of one search.
const MOST_THREADS: usize = 256;

/// Transposition table and histories of one game.
///
/// One search at a time runs in a session. Starting another, changing a size or clearing stops it first and waits
/// until its result was reported, so `on_done` must not wait for the owner of the session.
#[derive(Debug)]
pub struct Session {
    pool: Arc<Pool>,
    options: SessionOptions,
    table: Arc<Table>,
    evaluation: Evaluation,
    workers: Vec<Arc<Mutex<Worker>>>,
    current: Option<(Arc<Control>, Ticket)>,
}

impl Session {
    pub(super) fn new(pool: Arc<Pool>, evaluation: Evaluation, options: SessionOptions) -> Self {
        pool.add_session();
        let table = Arc::new(Table::new(options.hash_mib));
        let mut session = Self {
            pool,
            options,
            table,
            evaluation,
            workers: Vec::new(),
            current: None,
        };
        session.set_threads(options.threads);
        session
    }

    /// Sets the size of the transposition table (MiB, 1 to 65536) and empties it. Where memory does not allow it,
    /// the table gets half of that, a quarter, and so on.
    pub fn set_hash(&mut self, mib: usize) {
        self.options.hash_mib = mib.clamp(1, Table::MAX_MIB);
        self.renew_table();
    }

    /// Size of the transposition table that memory allowed, MiB.
    pub fn hash_mib(&self) -> usize {
        self.table.mib()
    }

    /// Sets the number of threads of one search, 1 to 256; at most the cores of the engine are used.
    pub fn set_threads(&mut self, threads: usize) {
        self.halt();
        self.options.threads = threads.clamp(1, MOST_THREADS);
        let wanted = self.options.threads.min(self.pool.cores());
        self.workers.truncate(wanted);
        for index in self.workers.len()..wanted {
            self.workers.push(Arc::new(Mutex::new(Worker::new(index))));
        }
    }

    /// Sets what positions are judged by. If that is something new, everything is forgotten.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        if !self.evaluation.is_same(&evaluation) {
            self.evaluation = evaluation;
            self.clear();
        }
    }

    /// What positions are judged by.
    pub const fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Forgets everything, as for a new game.
    pub fn clear(&mut self) {
        self.renew_table();
        for worker in &self.workers {
            lock(worker).clear();
        }
    }

    fn renew_table(&mut self) {
        self.halt();
        // The old table goes first, so that both never need memory at once.
        self.table = Table::tiny();
        self.table = Arc::new(Table::new(self.options.hash_mib));
    }

    /// Stops the running search, if any, and waits for its end.
    fn halt(&mut self) {
        if let Some((control, ticket)) = self.current.take() {
            control.stop();
            self.pool.withdraw(ticket);
            control.wait_until_done();
        }
    }

    /// Starts a search. It runs on threads of the engine, waits there for free cores, and ends by its limits, by
    /// [`SearchHandle::stop`], or when the handle is dropped. The callbacks run on a search thread; `on_done` is called
    /// exactly once, and on the thread that calls `stop` if the search had not started by then.
    ///
    /// A search with [`super::Limits::ponder`] uses only cores that no session on move wants, and is stopped when one
    /// comes to want them.
    pub fn search(
        &mut self,
        request: SearchRequest,
        on_info: OnInfo,
        on_done: OnDone,
    ) -> SearchHandle {
        self.halt();
        let control = Arc::new(Control::new(request.limits.ponder));
        let run = Run {
            request,
            control: Arc::clone(&control),
            table: Arc::clone(&self.table),
            evaluation: self.evaluation.clone(),
            workers: self.workers.clone(),
            on_info,
            on_done,
        };
        let pondering = run.request.limits.ponder.then(|| Arc::clone(&control));
        let ticket = self.pool.submit(
            self.workers.len(),
            pondering,
            Box::new(move |permits| run.start(permits)),
        );
        self.current = Some((Arc::clone(&control), ticket));
        SearchHandle {
            control,
            pool: Arc::clone(&self.pool),
            ticket,
        }
    }

    /// Searches and waits for the result; `on_info` is called on this thread. `infinite` and `ponder` are ignored,
    /// since nobody could end such a search.
    pub fn search_blocking(
        &mut self,
        mut request: SearchRequest,
        on_info: &mut dyn FnMut(&SearchInfo),
    ) -> SearchResult {
        enum Event {
            Info(SearchInfo),
            Done(SearchResult),
        }
        request.limits.infinite = false;
        request.limits.ponder = false;
        let position = request.position;
        let (sender, events) = channel();
        let last = sender.clone();
        let handle = self.search(
            request,
            Box::new(move |info| {
                // Nobody listens only after the result.
                let _closed = sender.send(Event::Info(info.clone()));
            }),
            Box::new(move |result| {
                let _closed = last.send(Event::Done(result));
            }),
        );
        for event in events {
            match event {
                Event::Info(info) => on_info(&info),
                Event::Done(result) => return result,
            }
        }
        drop(handle);
        answer(&position, &Finding::default(), 0, Duration::ZERO, None)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.pool.remove_session();
    }
}

/// Running search. Dropping it stops the search; the result is still reported once.
#[derive(Debug)]
pub struct SearchHandle {
    control: Arc<Control>,
    pool: Arc<Pool>,
    ticket: Ticket,
}

impl SearchHandle {
    /// Ends the search within about 2 ms; the result is then reported.
    pub fn stop(&self) {
        self.control.stop();
        self.pool.withdraw(self.ticket);
    }

    /// Tells that the expected move was played: from now on the clock of the request runs. Has an effect once, and
    /// only on a search that was started with [`super::Limits::ponder`].
    pub fn ponderhit(&self) {
        self.hit(Hit {
            at: Instant::now(),
            clock: None,
        });
    }

    /// The same with the clock as it stood at `received`, when it began to run. False if the search does not ponder
    /// any more, perhaps because its cores were needed elsewhere: then another search must be started.
    pub fn ponderhit_on(&self, clock: Clock, received: Instant) -> bool {
        self.hit(Hit {
            at: received,
            clock: Some(clock),
        })
    }

    fn hit(&self, hit: Hit) -> bool {
        let pondered = self.control.ponderhit(hit);
        if pondered {
            // If it still waits for a core, it is now in the line of those who are on move.
            self.pool.serve();
        }
        pondered
    }
}

impl Drop for SearchHandle {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Search that waits for its permits.
struct Run {
    request: SearchRequest,
    control: Arc<Control>,
    table: Arc<Table>,
    evaluation: Evaluation,
    workers: Vec<Arc<Mutex<Worker>>>,
    on_info: OnInfo,
    on_done: OnDone,
}

/// Marks a search as done even if a callback panics.
struct Finish(Arc<Control>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl Run {
    /// Tasks of the search for that many threads; without any the first legal move is the answer.
    fn start(self, permits: usize) -> Vec<Task> {
        let Self {
            request,
            control,
            table,
            evaluation,
            workers,
            on_info,
            on_done,
        } = self;
        let finish = Finish(Arc::clone(&control));
        if permits == 0 {
            let none = Finding::default();
            on_done(answer(&request.position, &none, 0, Duration::ZERO, None));
            return Vec::new();
        }
        // Threads race each other, and a level has to play the same everywhere.
        let threads = match request.limits.strength {
            Some(_) => 1,
            None => permits.min(workers.len()),
        };
        let job = Arc::new(Job::new(request, control, table, evaluation, threads));
        let (sender, findings) = channel();
        let mut tasks: Vec<Task> = Vec::with_capacity(threads);
        for (index, worker) in workers.into_iter().take(threads).enumerate().rev() {
            let job = Arc::clone(&job);
            if index > 0 {
                let sender = sender.clone();
                tasks.push(Box::new(move || help(&worker, &job, &sender)));
            } else {
                drop(sender);
                tasks.push(Box::new(move || {
                    lead(&worker, &job, &findings, on_info, on_done, &finish);
                }));
                break;
            }
        }
        tasks
    }
}

/// Work of the threads beside the first: the same search, out of step.
fn help(worker: &Mutex<Worker>, job: &Arc<Job>, findings: &Sender<Finding>) {
    let mut worker = lock(worker);
    let _fence = catch_unwind(AssertUnwindSafe(|| {
        worker.prepare(job);
        worker.think(job, &mut |_| {});
    }));
    let finding = worker.release();
    drop(worker);
    // The first thread counts the threads that are through by their messages.
    let _closed = findings.send(finding);
}

/// Work of the first thread: searches, waits for the others, and reports the result.
fn lead(
    worker: &Mutex<Worker>,
    job: &Arc<Job>,
    findings: &Receiver<Finding>,
    mut on_info: OnInfo,
    on_done: OnDone,
    _finish: &Finish,
) {
    let mut worker = lock(worker);
    let mut told = None;
    // Panic fence: the best move of the last finished depth is kept outside.
    let _fence = catch_unwind(AssertUnwindSafe(|| {
        worker.prepare(job);
        worker.think(job, &mut |info| {
            if info.multipv == 1 {
                told = Some(info.clone());
            }
            on_info(info);
        });
    }));
    let best = worker.release();
    drop(worker);
    job.control.wait_for_leave(job.limits.infinite);
    job.control.end_threads();
    // Waits for the other threads, which hold the table.
    let others: Vec<_> = findings.iter().collect();
    let best = if job.limits.multipv <= 1 {
        speaker(best, others)
    } else {
        best
    };
    let result = answer(
        &job.position,
        &best,
        job.nodes(),
        job.began.elapsed(),
        Some(&job.table),
    );
    if job.limits.multipv <= 1
        && let Some(info) = correction(told, &result)
    {
        on_info(&info);
    }
    on_done(result);
}

/// What is still to be told if the last report was of another move than the result, or no more than a bound.
fn correction(told: Option<SearchInfo>, result: &SearchResult) -> Option<SearchInfo> {
    let last = told?;
    let holds = last.bound.is_none() && last.pv.first() == result.pv.first();
    (!holds && result.depth > 0 && !result.pv.is_empty()).then(|| SearchInfo {
        depth: result.depth,
        score: result.score,
        bound: None,
        nodes: result.nodes,
        nps: per_second(result.nodes, result.elapsed),
        elapsed: result.elapsed,
        pv: result.pv.clone(),
        ..last
    })
}

/// Result of a finding: its move if it is legal, else the first legal move.
pub(super) fn answer(
    position: &Position,
    finding: &Finding,
    nodes: u64,
    elapsed: Duration,
    table: Option<&Table>,
) -> SearchResult {
    let mut result = SearchResult {
        nodes,
        elapsed,
        ..SearchResult::default()
    };
    if let Some(&best) = finding.line.first()
        && position.is_legal(best)
    {
        result.best = Some(best);
        result.score = Score::of(finding.value);
        result.depth = finding.depth.max(0) as u32;
        result.pv = finding.line.to_vec();
        let child = position.play(best);
        result.ponder = finding.line.get(1).copied().or_else(|| {
            let known = table?.probe(child.key())?.mv;
            (!known.is_none() && child.is_legal(known)).then_some(known)
        });
        return result;
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    result.best = moves.first().copied();
    result.pv = result.best.into_iter().collect();
    if result.best.is_none() {
        result.score = Score::of(if position.is_check() { mated(0) } else { DRAW });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Bound;
    use crate::rules::Move;

    #[test]
    fn the_last_report_is_of_the_move_that_is_played() {
        let (first, second) = (Move::from_bits(0x31c), Move::from_bits(0x30c));
        let told = SearchInfo {
            depth: 9,
            seldepth: 14,
            multipv: 1,
            score: Score::Cp(30),
            bound: None,
            nodes: 100,
            nps: 1,
            hashfull: 7,
            elapsed: Duration::from_secs(1),
            pv: vec![first],
        };
        let result = |mv| SearchResult {
            best: Some(mv),
            score: Score::Cp(44),
            depth: 10,
            nodes: 500,
            pv: vec![mv],
            ..SearchResult::default()
        };
        assert_eq!(correction(Some(told.clone()), &result(first)), None);
        let other = correction(Some(told.clone()), &result(second)).unwrap();
        assert_eq!((other.pv, other.depth), (vec![second], 10));
        assert_eq!((other.score, other.nodes), (Score::Cp(44), 500));
        let bound = SearchInfo {
            bound: Some(Bound::Lower),
            ..told
        };
        let settled = correction(Some(bound), &result(first)).unwrap();
        assert_eq!((settled.bound, settled.score), (None, Score::Cp(44)));
        // Nothing was ever told: the search ended before its first depth.
        assert_eq!(correction(None, &result(first)), None);
    }
}
