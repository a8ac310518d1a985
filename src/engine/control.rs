//! Signals between a running search and its owner.

use super::pool::lock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

#[derive(Debug)]
struct Phase {
    pondering: bool,
    stopped: bool,
    hit_at: Option<Instant>,
    done: bool,
}

/// Stop flag, ponder state and end of one search.
#[derive(Debug)]
pub(crate) struct Control {
    /// Read in every node.
    stop: AtomicBool,
    /// Set by a ponder hit; the moment is in `phase`.
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
                hit_at: None,
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

    /// The expected move was played.
    pub(crate) fn ponderhit(&self) {
        let mut phase = lock(&self.phase);
        if phase.pondering {
            phase.pondering = false;
            phase.hit_at = Some(Instant::now());
            drop(phase);
            self.hit.store(true, Relaxed);
            self.changed.notify_all();
        }
    }

    /// When the expected move was played, if it was.
    #[inline(always)]
    pub(crate) fn hit_at(&self) -> Option<Instant> {
        if self.hit.load(Relaxed) {
            lock(&self.phase).hit_at
        } else {
            None
        }
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
