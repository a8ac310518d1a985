//! Limits on how often some endpoints can be called, in fixed windows that start with the first call. Pure: the
//! caller says what time it is.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A limited kind of call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Limited {
    /// Opening the event stream: 30 in 10 minutes.
    EventStream,
    /// `GET /api/account`: 30 in 5 minutes.
    Account,
}

impl Limited {
    const fn most(self) -> (u32, Duration) {
        match self {
            Self::EventStream => (30, Duration::from_mins(10)),
            Self::Account => (30, Duration::from_mins(5)),
        }
    }
}

/// Counts of limited calls.
#[derive(Clone, Debug)]
pub(super) struct Limiter {
    is_on: bool,
    windows: HashMap<(Limited, String), (Instant, u32)>,
}

impl Limiter {
    /// Limiter that refuses nothing unless `is_on`.
    pub(super) fn new(is_on: bool) -> Self {
        Self {
            is_on,
            windows: HashMap::new(),
        }
    }

    /// Counts a call of `who` and says whether it is within the limit. A refused call does not prolong the window.
    pub(super) fn admit(&mut self, kind: Limited, who: &str, now: Instant) -> bool {
        if !self.is_on {
            return true;
        }
        let (most, length) = kind.most();
        let window = self
            .windows
            .entry((kind, who.to_owned()))
            .or_insert((now, 0));
        if now.saturating_duration_since(window.0) >= length {
            *window = (now, 0);
        }
        let admitted = window.1 < most;
        window.1 += u32::from(admitted);
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thirty_first_connection_waits_for_the_next_window() {
        let start = Instant::now();
        let mut limiter = Limiter::new(true);
        assert!((0..30).all(|_| limiter.admit(Limited::EventStream, "a", start)));
        assert!(!limiter.admit(Limited::EventStream, "a", start + Duration::from_secs(599)));
        assert!(limiter.admit(Limited::EventStream, "b", start));
        assert!(limiter.admit(Limited::Account, "a", start));
        assert!(limiter.admit(Limited::EventStream, "a", start + Duration::from_mins(10)));
    }

    #[test]
    fn a_limiter_that_is_off_refuses_nothing() {
        let mut limiter = Limiter::new(false);
        assert!((0..99).all(|_| limiter.admit(Limited::Account, "a", Instant::now())));
    }
}
