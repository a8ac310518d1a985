//! List of what was spent, by time: how much in a window, and when there is room again.

use super::{after, is_within, left};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Spendings, the oldest first.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
#[serde(transparent)]
pub(super) struct Ledger(Vec<Spending>);

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
struct Spending {
    at: Timestamp,
    #[serde(default = "one")]
    cost: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
}

const fn one() -> u32 {
    1
}

impl Ledger {
    pub(super) fn add(&mut self, cost: u32, at: Timestamp) {
        self.0.push(Spending {
            at,
            cost,
            id: String::new(),
        });
    }

    /// Counts one under a name, unless the name is there.
    pub(super) fn add_once(&mut self, id: &str, at: Timestamp) {
        if !self.0.iter().any(|spending| spending.id == id) {
            self.0.push(Spending {
                at,
                cost: 1,
                id: id.to_owned(),
            });
        }
    }

    /// Drops what lies outside the window.
    pub(super) fn prune(&mut self, now: Timestamp, window: Duration) {
        self.0
            .retain(|spending| is_within(spending.at, window, now));
    }

    /// Spent within the window.
    pub(super) fn sum(&self, now: Timestamp, window: Duration) -> u32 {
        self.within(now, window)
            .fold(0, |sum, spending| sum.saturating_add(spending.cost))
    }

    /// How long `cost` cannot be spent if at most `most` may be spent in any window; `None` if it can be now. A cost
    /// above `most` waits for an empty window.
    pub(super) fn wait(
        &self,
        cost: u32,
        most: u32,
        window: Duration,
        now: Timestamp,
    ) -> Option<Duration> {
        let mut over = self
            .sum(now, window)
            .saturating_add(cost)
            .saturating_sub(most);
        let mut wait = None;
        for spending in self.within(now, window) {
            if over == 0 {
                return wait;
            }
            over = over.saturating_sub(spending.cost);
            wait = left(Some(after(spending.at, window)), now);
        }
        // Nothing was spent, and still it is too much.
        if over > 0 {
            wait.or(Some(window))
        } else {
            wait
        }
    }

    fn within(&self, now: Timestamp, window: Duration) -> impl Iterator<Item = &Spending> {
        self.0
            .iter()
            .filter(move |spending| is_within(spending.at, window, now))
    }
}
