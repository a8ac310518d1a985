//! Tuning of the constants of the search by games (SPSA: simultaneous perturbation stochastic approximation).
//!
//! Each iteration moves all constants a step up or down at once, by lot, plays a pair of games between this set and
//! the mirrored one, and moves the values towards the side that won. Iterations are played in rounds from the same
//! values and added up in order, so that a run gives the same values on any number of threads, and one that was
//! interrupted ends as if it had not been.

mod spsa;
mod state;
#[cfg(test)]
mod tests;

pub use spsa::{Schedule, Tuned};
pub use state::{State, StateError};

use super::duel::{Duel, DuelError, Openings, Pace, Player};
use crate::engine::{Evaluation, Params};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Iterations that are played from the same values.
const ROUND: u64 = 16;

/// A tuning to be run.
#[derive(Clone, Debug)]
pub struct Tune {
    /// What is tuned and how far it has come.
    pub state: State,
    /// Games at the same time, at least 1.
    pub concurrency: usize,
    /// What the players judge positions by.
    pub evaluation: Evaluation,
}

/// Why a tuning could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// A pair of games could not be played.
    #[error(transparent)]
    Duel(#[from] DuelError),
    /// A thread ended before its time, which is a bug.
    #[error("a thread of the tuning panicked")]
    Panicked,
}

impl Tune {
    /// Runs until all iterations are done, `stop` is set, or `on_round` breaks. `on_round` sees the state after each
    /// round of up to 16 iterations; a round begun when `stop` is set does not count.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn run(
        &mut self,
        stop: &AtomicBool,
        on_round: &mut dyn FnMut(&State) -> ControlFlow<()>,
    ) -> Result<(), TuneError> {
        while !stop.load(Relaxed) && self.state.done < self.state.schedule.iterations {
            let count = ROUND.min(self.state.schedule.iterations - self.state.done);
            let Some(results) = self.play_round(count, stop)? else {
                return Ok(());
            };
            self.state.learn(&results);
            if on_round(&self.state).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Half points that the raised sets won more than the lowered ones, for each iteration of a round; `None` if it
    /// was stopped.
    fn play_round(&self, count: u64, stop: &AtomicBool) -> Result<Option<Vec<i32>>, TuneError> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Ok(vec![None; count as usize]));
        let work = || {
            loop {
                let index = next.fetch_add(1, Relaxed);
                if index >= count as usize || stop.load(Relaxed) {
                    return;
                }
                let played = self.play_pair(self.state.done + index as u64, stop);
                // The lock is poisoned only by a panic, which is reported below.
                let Ok(mut results) = results.lock() else {
                    return;
                };
                match (played, &mut *results) {
                    (Ok(result), Ok(list)) => list[index] = result,
                    (Err(error), results) => *results = Err(error),
                    _ => return,
                }
            }
        };
        let panicked = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.concurrency.clamp(1, count as usize))
                .map(|_| scope.spawn(work))
                .collect();
            threads.into_iter().any(|thread| thread.join().is_err())
        });
        match results.into_inner() {
            Ok(results) if !panicked => Ok(results?.into_iter().collect()),
            _ => Err(TuneError::Panicked),
        }
    }

    fn play_pair(&self, iteration: u64, stop: &AtomicBool) -> Result<Option<i32>, DuelError> {
        let state = &self.state;
        let player = |params: Params| Player {
            name: String::new(),
            details: None,
            evaluation: self.evaluation.clone(),
            hash_mib: state.hash_mib,
            strength: None,
            pace: Pace::Nodes(state.nodes),
            params,
            lag: Duration::ZERO,
        };
        let [raised, lowered] = state.pair_of(iteration);
        let duel = Duel {
            players: [player(raised), player(lowered)],
            openings: Openings::random(state.seed_of(iteration)),
            pairs: 1,
            concurrency: 1,
            sprt: None,
        };
        let report = duel.play(stop, &mut |_, _| ControlFlow::Continue(()))?;
        let results = &report.results;
        let games = results.wins + results.draws + results.losses;
        Ok((games == 2).then_some(results.wins as i32 - results.losses as i32))
    }
}
