//! Matches between two players within this process, which measure how much stronger one is than the other.
//!
//! Every opening is played twice with colours exchanged. Threads take pairs by their number, and results are added up
//! in the order of the numbers, so that a match by nodes gives the same report on any number of threads.

mod game;
mod openings;
mod player;
mod report;
mod statistics;
#[cfg(test)]
mod tests;

pub use game::{End, Fault, PLY_LIMIT, PlayedGame, Thought};
pub use openings::{Openings, OpeningsError};
pub use player::{Pace, Player, PlayerError, PlayerSpec, TimeControl, TimeControlError};
pub use report::{LONG_GAME, Pair, Report, Results, Totals};
pub use statistics::{Pentanomial, Sprt, Verdict};

use crate::engine::{SEARCH_STACK_BYTES, Searcher};
use crate::rules::Position;
use game::Seat;
use openings::Dealer;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

/// A match to play.
#[derive(Clone, Debug)]
pub struct Duel {
    /// A and B; all results are seen from A.
    pub players: [Player; 2],
    /// Where the games begin.
    pub openings: Openings,
    /// Most pairs of games.
    pub pairs: usize,
    /// Games at the same time, at least 1; each has a thread and two transposition tables.
    pub concurrency: usize,
    /// Ends the match as soon as it has decided.
    pub sprt: Option<Sprt>,
}

/// Why a match could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// The system gives no more threads.
    #[error("cannot start thread {0} of the match: {1}")]
    Thread(usize, std::io::Error),
    /// A thread ended before its time, which is a bug.
    #[error("a thread of the match panicked")]
    Panicked,
}

impl Duel {
    /// Whether the same match gives the same games again: both players think by nodes.
    pub fn is_deterministic(&self) -> bool {
        let by_nodes = |player: &Player| matches!(player.pace, Pace::Nodes(_));
        self.players.iter().all(by_nodes)
    }

    /// Plays until all pairs are played, the test has decided, `stop` is set, or `on_pair` breaks. `on_pair` sees
    /// every pair that counts, in order, with the report that includes it.
    ///
    /// Pairs begun when `stop` is set are left unfinished; those already finished count. Pairs that were finished
    /// beyond the one with which the test decided do not.
    ///
    /// # Errors
    /// If a thread cannot be started, or panics outside of a search.
    pub fn play(
        &self,
        stop: &AtomicBool,
        on_pair: &mut dyn FnMut(&Pair, &Report) -> ControlFlow<()>,
    ) -> Result<Report, DuelError> {
        let over = AtomicBool::new(false);
        let stopped = || over.load(Relaxed) || stop.load(Relaxed);
        let deal = Mutex::new(Deal {
            next: 0,
            pairs: self.pairs,
            openings: self.openings.dealer(),
        });
        let (sender, pairs) = channel();
        let mut fold = Fold {
            report: Report::new(self.sprt),
            began: Instant::now(),
            on_pair,
        };
        thread::scope(|scope| {
            let mut threads = Vec::new();
            let mut refused = None;
            for number in 1..=self.concurrency.clamp(1, self.pairs.max(1)) {
                let (deal, stopped, sender) = (&deal, &stopped, sender.clone());
                let spawned = thread::Builder::new()
                    .name(format!("duel-{number}"))
                    .stack_size(SEARCH_STACK_BYTES)
                    .spawn_scoped(scope, move || self.work(deal, stopped, &sender));
                match spawned {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        refused = Some(DuelError::Thread(number, error));
                        over.store(true, Relaxed);
                        break;
                    }
                }
            }
            // The channel ends when the last thread has dropped its end.
            drop(sender);
            fold.all(&pairs);
            over.store(true, Relaxed);
            let panicked = threads
                .into_iter()
                .filter_map(|thread| thread.join().err())
                .count();
            match refused {
                Some(error) => Err(error),
                None if panicked > 0 => Err(DuelError::Panicked),
                None => Ok(()),
            }
        })?;
        fold.report.elapsed = fold.began.elapsed();
        Ok(fold.report)
    }

    /// Plays pairs until there are no more.
    fn work(&self, deal: &Mutex<Deal<'_>>, stopped: &dyn Fn() -> bool, pairs: &Sender<Pair>) {
        let mut searchers = [0, 1].map(|i: usize| {
            let player = &self.players[i];
            let mut searcher = Searcher::new(player.hash_mib, player.evaluation.clone());
            searcher.set_params(player.params);
            searcher
        });
        while !stopped() {
            // The lock is poisoned only by a panic, after which the match is over.
            let Ok(Some((index, opening))) = deal.lock().map(|mut deal| deal.next()) else {
                return;
            };
            let Some(games) = self.play_pair(&mut searchers, opening, stopped) else {
                return;
            };
            if pairs.send(Pair { index, games }).is_err() {
                return;
            }
        }
    }

    fn play_pair(
        &self,
        searchers: &mut [Searcher; 2],
        opening: Position,
        stopped: &dyn Fn() -> bool,
    ) -> Option<[PlayedGame; 2]> {
        let mut play = |reversed: bool| {
            for searcher in &mut *searchers {
                searcher.clear();
            }
            let [a, b] = &mut *searchers;
            let a = Seat {
                pace: self.players[0].pace,
                strength: self.players[0].strength,
                lag: self.players[0].lag,
                thinker: a,
            };
            let b = Seat {
                pace: self.players[1].pace,
                strength: self.players[1].strength,
                lag: self.players[1].lag,
                thinker: b,
            };
            let seats = if reversed { [b, a] } else { [a, b] };
            game::play(seats, opening, stopped)
        };
        Some([play(false)?, play(true)?])
    }
}

/// Deals out the pairs.
struct Deal<'a> {
    next: usize,
    pairs: usize,
    openings: Dealer<'a>,
}

impl Deal<'_> {
    /// Number and opening of the next pair.
    fn next(&mut self) -> Option<(usize, Position)> {
        if self.next >= self.pairs {
            return None;
        }
        let opening = self.openings.next()?;
        self.next += 1;
        Some((self.next - 1, opening))
    }
}

/// Adds up the pairs in order.
struct Fold<'a> {
    report: Report,
    began: Instant,
    on_pair: &'a mut dyn FnMut(&Pair, &Report) -> ControlFlow<()>,
}

impl Fold<'_> {
    /// Takes pairs in until there are no more or enough.
    fn all(&mut self, pairs: &Receiver<Pair>) {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for pair in pairs {
            waiting.insert(pair.index, pair);
            while let Some(pair) = waiting.remove(&next) {
                next += 1;
                if self.add(&pair).is_break() {
                    return;
                }
            }
        }
        // Left behind a pair that was stopped.
        for pair in waiting.values() {
            if self.add(pair).is_break() {
                return;
            }
        }
    }

    fn add(&mut self, pair: &Pair) -> ControlFlow<()> {
        self.report.add(pair);
        self.report.elapsed = self.began.elapsed();
        let wish = (self.on_pair)(pair, &self.report);
        match self.report.verdict() {
            Verdict::Open => wish,
            Verdict::H0 | Verdict::H1 => ControlFlow::Break(()),
        }
    }
}
