//! How long an opponent is left alone after declining.

use super::after;
use crate::bot::pauses::doubled;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What about a challenge was declined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(in crate::bot) enum Topic {
    /// Any challenge of ours.
    Any,
    /// Rated games.
    Rated,
    /// Casual games.
    Casual,
    /// Bullet games.
    Bullet,
    /// Blitz games.
    Blitz,
    /// Rapid games.
    Rapid,
    /// Classical games.
    Classical,
}

/// One kind of challenge and how often it was declined in a row.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct Backoff {
    refusals: u32,
    until: Timestamp,
}

impl Backoff {
    /// Counts a refusal and says how long to wait now.
    pub(super) fn refuse(&mut self, first: Duration, most: Duration, now: Timestamp) -> Duration {
        let wait = doubled(first, self.refusals, most);
        self.refusals = self.refusals.saturating_add(1);
        self.until = after(now, wait);
        wait
    }

    pub(super) const fn until(&self) -> Timestamp {
        self.until
    }
}
