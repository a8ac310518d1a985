//! Signals between a running search and its owner.

use super::pool::lock;
use super::time::Clock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// The expected move was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hit {
    /// When the clock began to run.
    pub(crate) at: Instant,
    /// The clock at that moment, if it differs from that of the request.
    pub(crate) clock: Option<Clock>,
}

#[derive(Debug)]
struct Phase {
    pondering: bool,
    stopped: bool,
    hit: Option<Hit>,
    done: bool,
}

/// Stop flag, ponder state and end of one search.
#[derive(Debug)]
pub(crate) struct Control {
    /// Read in every node.
    stop: AtomicBool,
    /// Set by a ponder hit; the rest is in `phase`.
    hit: AtomicBool,
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl Control {
    pub(crate) fn new(pondering: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            hit: AtomicBool::new(false),
            phase: Mutex::new(Phase {
                pondering,
                stopped: false,
                hit: None,
                done: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Whether the search has to end now.
    #[inline(always)]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends the search, also one that waits to be told.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Relaxed);
        lock(&self.phase).stopped = true;
        self.changed.notify_all();
    }

    /// Ends the threads of a search that has its result, without releasing one that waits to be told.
    pub(crate) fn end_threads(&self) {
        self.stop.store(true, Relaxed);
    }

    /// The expected move was played. False if the search does not ponder any more: it was hit before, or has been
    /// stopped.
    pub(crate) fn ponderhit(&self, hit: Hit) -> bool {
        let mut phase = lock(&self.phase);
        if !phase.pondering || phase.stopped {
            return false;
        }
        phase.pondering = false;
        phase.hit = Some(hit);
        drop(phase);
        self.hit.store(true, Relaxed);
        self.changed.notify_all();
        true
    }

    /// How the expected move was played, if it was.
    #[inline(always)]
    pub(crate) fn hit(&self) -> Option<Hit> {
        if self.hit.load(Relaxed) {
            lock(&self.phase).hit
        } else {
            None
        }
    }

    /// Whether the search still waits for the expected move.
    pub(crate) fn is_pondering(&self) -> bool {
        let phase = lock(&self.phase);
        phase.pondering && !phase.stopped && !phase.done
    }

    /// Ends a search that still waits for the expected move, and says whether it did.
    pub(crate) fn stop_pondering(&self) -> bool {
        let mut phase = lock(&self.phase);
        if !phase.pondering || phase.stopped || phase.done {
            return false;
        }
        phase.stopped = true;
        drop(phase);
        self.stop.store(true, Relaxed);
        self.changed.notify_all();
        true
    }

    /// Waits until a result may be told: at once, after the ponder hit, or after `stop`.
    pub(crate) fn wait_for_leave(&self, infinite: bool) {
        let mut phase = lock(&self.phase);
        while !phase.stopped && (infinite || phase.pondering) {
            phase = self
                .changed
                .wait(phase)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The result was told.
    pub(crate) fn finish(&self) {
        lock(&self.phase).done = true;
        self.changed.notify_all();
    }

    /// Waits until the result was told.
    pub(crate) fn wait_until_done(&self) {
        let mut phase = lock(&self.phase);
        while !phase.done {
            phase = self
                .changed
                .wait(phase)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
