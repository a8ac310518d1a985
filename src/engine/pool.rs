//! Search threads and the budget of cores that all games share.
//!
//! There are as many threads (`search-0`, `search-1`, ...) as cores, parked until a job comes. A job asks for some
//! permits, one for each thread that it runs on, and waits in line: the longest waiting job is served first, and
//! nobody overtakes it. A job gets at most its fair share of the cores, which is the cores divided by the sessions,
//! so it never waits for more than one thread to become free.
//!
//! Searches that ponder get what is left: they are served when nobody else waits, and are stopped when somebody does.

use super::control::Control;
use super::searcher::SEARCH_STACK_BYTES;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Work of one thread.
pub(crate) type Task = Box<dyn FnOnce() + Send>;
/// Makes the tasks of a job, one for each granted permit. With no permit it must make none and give an answer itself.
pub(crate) type Start = Box<dyn FnOnce(usize) -> Vec<Task> + Send>;

/// Most threads of one engine.
const MOST_CORES: usize = 512;

/// Locks, and goes on with what a panicking thread left: every user of these locks leaves whole data behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Number of a job, to take it back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket(u64);

struct Job {
    ticket: Ticket,
    wanted: usize,
    /// Set for a search that was asked to ponder.
    ponder: Option<Arc<Control>>,
    start: Start,
}

impl Job {
    fn is_pondering(&self) -> bool {
        self.ponder
            .as_ref()
            .is_some_and(|control| control.is_pondering())
    }
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Searches that were started pondering and may still do so, with their permits.
    pondering: VecDeque<(Arc<Control>, usize)>,
    ready: VecDeque<Task>,
    /// Threads that exist.
    threads: usize,
    /// Permits not given out, at most `threads`.
    free: usize,
    sessions: usize,
    next_ticket: u64,
    closed: bool,
}

impl State {
    /// Starts waiting jobs, those on move first and the older ones first, as long as permits are left.
    fn serve(&mut self) {
        let share = (self.threads / self.sessions.max(1)).max(1);
        while let Some((index, on_move)) = self.next() {
            let wanted = self.waiting[index].wanted.clamp(1, share);
            if on_move {
                self.call_back(wanted.saturating_sub(self.free));
            }
            if self.free == 0 {
                return;
            }
            let Some(job) = self.waiting.remove(index) else {
                return;
            };
            let tasks = (job.start)(wanted.min(self.free));
            // The job decides how many of its permits it uses.
            self.free = self.free.saturating_sub(tasks.len());
            self.pondering.retain(|(control, _)| control.is_pondering());
            self.pondering
                .extend(job.ponder.map(|control| (control, tasks.len())));
            self.ready.extend(tasks);
        }
    }

    /// Stops pondering searches until so many permits are on their way back, or none is left.
    fn call_back(&mut self, mut missing: usize) {
        while missing > 0
            && let Some((control, permits)) = self.pondering.pop_front()
        {
            if control.stop_pondering() {
                missing = missing.saturating_sub(permits);
            }
        }
    }

    /// Place in line of the job to be served next, and whether it is on move.
    fn next(&self) -> Option<(usize, bool)> {
        let on_move = self.waiting.iter().position(|job| !job.is_pondering());
        match on_move {
            Some(index) => Some((index, true)),
            None => (!self.waiting.is_empty()).then_some((0, false)),
        }
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

impl Shared {
    fn run(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(task) = state.ready.pop_front() {
                drop(state);
                // A task has its own fence; this one only keeps the thread for the next game.
                let _outcome = catch_unwind(AssertUnwindSafe(task));
                state = lock(&self.state);
                state.free += 1;
                state.serve();
                if !state.ready.is_empty() {
                    self.work.notify_all();
                }
            } else if state.closed {
                return;
            } else {
                state = self
                    .work
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Threads and permits of one engine. Dropping it lets the threads end after their present work.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    cores: usize,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool")
            .field("cores", &self.cores)
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// Starts `cores` threads (at least 1, at most 512), or as many of them as the system allows.
    pub(crate) fn new(cores: usize) -> Self {
        let cores = cores.clamp(1, MOST_CORES);
        let shared = Arc::<Shared>::default();
        let started = (0..cores)
            .take_while(|index| {
                let worker = Arc::clone(&shared);
                std::thread::Builder::new()
                    .name(format!("search-{index}"))
                    .stack_size(SEARCH_STACK_BYTES)
                    .spawn(move || worker.run())
                    .is_ok()
            })
            .count();
        let mut state = lock(&shared.state);
        state.threads = started;
        state.free = started;
        drop(state);
        Self { shared, cores }
    }

    /// Size of the budget.
    pub(crate) const fn cores(&self) -> usize {
        self.cores
    }

    /// Counts a session in: from now on the cores are shared with it.
    pub(crate) fn add_session(&self) {
        lock(&self.shared.state).sessions += 1;
    }

    /// Counts a session out.
    pub(crate) fn remove_session(&self) {
        let mut state = lock(&self.shared.state);
        state.sessions = state.sessions.saturating_sub(1);
    }

    /// Starts what can be started, after a waiting search has turned from pondering to being on move.
    pub(crate) fn serve(&self) {
        lock(&self.shared.state).serve();
        self.shared.work.notify_all();
    }

    /// Puts a job in line that runs on at most `wanted` threads. `ponder` is set for a search that ponders.
    pub(crate) fn submit(
        &self,
        wanted: usize,
        ponder: Option<Arc<Control>>,
        start: Start,
    ) -> Ticket {
        let mut state = lock(&self.shared.state);
        let ticket = Ticket(state.next_ticket);
        state.next_ticket += 1;
        if state.threads == 0 {
            drop(state);
            // The system gave no thread at all: the job answers without a search.
            let none = start(0);
            debug_assert!(none.is_empty(), "a job without permits has no tasks");
            return ticket;
        }
        state.waiting.push_back(Job {
            ticket,
            wanted,
            ponder,
            start,
        });
        state.serve();
        drop(state);
        self.shared.work.notify_all();
        ticket
    }

    /// Takes a job back that has not started; it then answers without a search, on this thread.
    pub(crate) fn withdraw(&self, ticket: Ticket) {
        let mut state = lock(&self.shared.state);
        let Some(index) = state.waiting.iter().position(|job| job.ticket == ticket) else {
            return;
        };
        let job = state.waiting.remove(index);
        drop(state);
        if let Some(job) = job {
            let none = (job.start)(0);
            debug_assert!(none.is_empty(), "a job without permits has no tasks");
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.state).closed = true;
        self.shared.work.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::Hit;
    use super::*;
    use std::sync::mpsc::{Sender, channel};
    use std::time::Instant;

    fn job(name: usize, log: &Sender<(usize, usize)>, hold: Option<Arc<Mutex<()>>>) -> Start {
        let log = log.clone();
        Box::new(move |permits| {
            log.send((name, permits)).unwrap();
            let task = move || {
                if let Some(hold) = hold {
                    drop(lock(&hold));
                }
            };
            if permits == 0 {
                Vec::new()
            } else {
                vec![Box::new(task) as Task]
            }
        })
    }

    #[test]
    fn jobs_are_served_in_the_order_they_came() {
        let pool = Pool::new(1);
        let (log, started) = channel();
        let hold = Arc::new(Mutex::new(()));
        let held = lock(&hold);
        pool.submit(1, None, job(0, &log, Some(Arc::clone(&hold))));
        for name in 1..6 {
            pool.submit(1, None, job(name, &log, None));
        }
        assert_eq!(started.recv().unwrap(), (0, 1));
        assert!(
            started.try_recv().is_err(),
            "one core serves one job at a time"
        );
        drop(held);
        for name in 1..6 {
            assert_eq!(started.recv().unwrap(), (name, 1));
        }
    }

    #[test]
    fn a_job_gets_its_share_of_the_cores() {
        let pool = Pool::new(4);
        let (log, started) = channel();
        pool.add_session();
        pool.submit(3, None, job(0, &log, None));
        assert_eq!(started.recv().unwrap(), (0, 3));
        pool.add_session();
        pool.submit(4, None, job(1, &log, None));
        assert_eq!(started.recv().unwrap().0, 1);
        pool.remove_session();
        assert_eq!(pool.cores(), 4);
    }

    #[test]
    fn a_withdrawn_job_answers_at_once() {
        let pool = Pool::new(1);
        let (log, started) = channel();
        let hold = Arc::new(Mutex::new(()));
        let held = lock(&hold);
        pool.submit(1, None, job(0, &log, Some(Arc::clone(&hold))));
        let ticket = pool.submit(1, None, job(1, &log, None));
        assert_eq!(started.recv().unwrap(), (0, 1));
        pool.withdraw(ticket);
        assert_eq!(started.recv().unwrap(), (1, 0));
        pool.withdraw(ticket);
        drop(held);
        assert!(started.try_recv().is_err(), "a job answers once");
    }

    #[test]
    fn a_thread_survives_a_panic_of_its_task() {
        let pool = Pool::new(1);
        let (log, started) = channel();
        pool.submit(
            1,
            None,
            Box::new(|_| vec![Box::new(|| panic!("on purpose"))]),
        );
        pool.submit(1, None, job(7, &log, None));
        assert_eq!(started.recv().unwrap(), (7, 1));
    }

    /// Job that holds its permit until its search is stopped.
    fn pondering(name: usize, log: &Sender<(usize, usize)>, control: &Arc<Control>) -> Start {
        let (log, control) = (log.clone(), Arc::clone(control));
        Box::new(move |permits| {
            log.send((name, permits)).unwrap();
            vec![Box::new(move || control.wait_for_leave(false)) as Task]
        })
    }

    #[test]
    fn who_is_on_move_takes_the_core_from_who_ponders() {
        let pool = Pool::new(1);
        let (log, started) = channel();
        let control = Arc::new(Control::new(true));
        pool.submit(1, Some(Arc::clone(&control)), pondering(0, &log, &control));
        pool.submit(1, None, job(1, &log, None));
        assert_eq!(started.recv().unwrap(), (0, 1));
        assert_eq!(started.recv().unwrap(), (1, 1));
        let hit = Hit {
            at: Instant::now(),
            clock: None,
        };
        assert!(!control.ponderhit(hit), "it was stopped");
    }

    #[test]
    fn a_hit_search_keeps_its_core() {
        let pool = Pool::new(1);
        let (log, started) = channel();
        let hold = Arc::new(Mutex::new(()));
        let held = lock(&hold);
        let control = Arc::new(Control::new(true));
        let work = job(0, &log, Some(Arc::clone(&hold)));
        pool.submit(1, Some(Arc::clone(&control)), work);
        let hit = Hit {
            at: Instant::now(),
            clock: None,
        };
        assert!(control.ponderhit(hit));
        pool.submit(1, None, job(1, &log, None));
        assert_eq!(started.recv().unwrap(), (0, 1));
        assert!(!control.is_stopped());
        assert!(started.try_recv().is_err());
        drop(held);
        assert_eq!(started.recv().unwrap(), (1, 1));
    }

    #[test]
    fn who_ponders_waits_for_all_who_are_on_move() {
        let pool = Pool::new(1);
        let (log, started) = channel();
        let hold = Arc::new(Mutex::new(()));
        let held = lock(&hold);
        pool.submit(1, None, job(0, &log, Some(Arc::clone(&hold))));
        let controls = [0, 1].map(|_| Arc::new(Control::new(true)));
        for (name, control) in controls.iter().enumerate() {
            let work = job(1 + name, &log, None);
            pool.submit(1, Some(Arc::clone(control)), work);
        }
        pool.submit(1, None, job(3, &log, None));
        // The expected move was played before a core became free.
        let hit = Hit {
            at: Instant::now(),
            clock: None,
        };
        assert!(controls[1].ponderhit(hit));
        pool.serve();
        drop(held);
        let order: Vec<_> = (0..4).map(|_| started.recv().unwrap().0).collect();
        assert_eq!(order, [0, 2, 3, 1]);
    }
}
