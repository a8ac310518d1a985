//! When to try again: pure state that is told the time.

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Growing, jittered delays between attempts: none before the first retry, then doubling.
///
/// With `first` = 250 ms the delays lie in the ranges 0, 125-250, 250-500, ... up to `cap`; the
/// jitter keeps bots that lost the server at the same moment from coming back at the same moment.
#[derive(Debug)]
pub struct Backoff {
    builder: ExponentialBuilder,
    delays: ExponentialBackoff,
    attempts: u32,
    cap: Duration,
    settled: Duration,
}

impl Backoff {
    /// Delays that start at `first` and stay below `cap`. [`Backoff::after`] resets when a
    /// connection lasted `settled`.
    pub fn new(first: Duration, cap: Duration, settled: Duration) -> Self {
        let builder = ExponentialBuilder::new()
            // backon adds up to the same amount again, so half of each bound goes in.
            .with_min_delay(first.min(cap) / 2)
            .with_max_delay(cap / 2)
            .with_factor(2.0)
            .with_jitter()
            .without_max_times();
        Self {
            delays: builder.build(),
            builder,
            attempts: 0,
            cap,
            settled,
        }
    }

    /// For the event stream: 0, 0.25, 0.5, ... 30 s.
    pub fn event_stream() -> Self {
        Self::new(
            Duration::from_millis(250),
            Duration::from_secs(30),
            Duration::from_mins(1),
        )
    }

    /// For the stream of a running game, whose clock may be ticking: 0, 0.25, 0.5, ... 3 s.
    pub fn game_stream() -> Self {
        Self::new(
            Duration::from_millis(250),
            Duration::from_secs(3),
            Duration::from_secs(30),
        )
    }

    /// The same with a fixed seed of the jitter.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.builder = self.builder.with_jitter_seed(seed);
        self.reset();
        self
    }

    /// Delay before the next attempt.
    pub fn next_delay(&mut self) -> Duration {
        self.attempts = self.attempts.saturating_add(1);
        if self.attempts == 1 {
            return Duration::ZERO;
        }
        self.delays.next().unwrap_or(self.cap)
    }

    /// Delay before the next attempt after a connection that lasted `lived`. A long-lived one
    /// counts as success and starts the sequence anew; a short-lived one does not, even if it
    /// ended cleanly: two clients of one account would else throw each other out in a tight loop.
    pub fn after(&mut self, lived: Duration) -> Duration {
        if lived >= self.settled {
            self.reset();
        }
        self.next_delay()
    }

    /// Starts the sequence anew.
    pub fn reset(&mut self) {
        self.delays = self.builder.build();
        self.attempts = 0;
    }

    /// Delays given since the last reset.
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }
}

/// Budget of event stream connects: at most so many in any window of time.
#[derive(Clone, Debug)]
pub struct ConnectBudget {
    window: Duration,
    limit: usize,
    connects: VecDeque<Instant>,
}

impl Default for ConnectBudget {
    /// Lichess' 30 connects in 10 minutes.
    fn default() -> Self {
        Self::new(30, Duration::from_mins(10))
    }
}

impl ConnectBudget {
    /// At most `limit` connects (at least 1) in any `window`.
    pub fn new(limit: usize, window: Duration) -> Self {
        Self {
            window,
            limit: limit.max(1),
            connects: VecDeque::new(),
        }
    }

    /// Time until a connect is within the budget; zero if it is now.
    pub fn wait(&self, now: Instant) -> Duration {
        let Some(blocking) = self.connects.len().checked_sub(self.limit) else {
            return Duration::ZERO;
        };
        let age = now.saturating_duration_since(self.connects[blocking]);
        self.window.saturating_sub(age)
    }

    /// Counts a connect made at `now`, successful or not: the server counts both.
    pub fn record(&mut self, now: Instant) {
        if self.connects.len() == self.limit {
            self.connects.pop_front();
        }
        self.connects.push_back(now);
    }
}

/// Closed after a 429 until the server will listen again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gate {
    until: Option<Instant>,
}

impl Gate {
    /// Wait after a 429 that names no time: Lichess asks for a full minute.
    pub const DEFAULT_WAIT: Duration = Duration::from_mins(1);

    /// An open gate.
    pub const fn new() -> Self {
        Self { until: None }
    }

    /// Closes the gate for `retry_after`, or a minute if the server named no time. A gate that is
    /// closed for longer stays so.
    pub fn close(&mut self, now: Instant, retry_after: Option<Duration>) {
        let wait = retry_after.unwrap_or(Self::DEFAULT_WAIT);
        // A time beyond the clock's range would never come; the longest wait of an error is far
        // from it.
        let until = now.checked_add(wait).unwrap_or(now);
        self.until = self.until.max(Some(until));
    }

    /// Time until the gate opens; zero if it is open.
    pub fn wait(&self, now: Instant) -> Duration {
        self.until
            .map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// Whether requests may pass.
    pub fn is_open(&self, now: Instant) -> bool {
        self.wait(now).is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn delays_start_at_none_and_double_up_to_the_cap() {
        for seed in 0..200 {
            let mut backoff = Backoff::event_stream().with_seed(seed);
            assert_eq!(backoff.next_delay(), Duration::ZERO);
            let mut bound = Duration::from_millis(250);
            for attempt in 2..40 {
                let delay = backoff.next_delay();
                assert!(bound / 2 <= delay && delay <= bound, "{attempt}: {delay:?}");
                bound = (bound * 2).min(Duration::from_secs(30));
            }
            assert_eq!(backoff.attempts(), 39);
        }
    }

    #[test]
    fn delays_differ_between_seeds() {
        let second = |seed| {
            let mut backoff = Backoff::event_stream().with_seed(seed);
            backoff.next_delay();
            backoff.next_delay()
        };
        assert_ne!(second(1), second(2));
        assert_eq!(second(1), second(1));
    }

    #[test]
    fn only_a_connection_that_lasted_starts_the_delays_anew() {
        let mut backoff = Backoff::event_stream();
        assert_eq!(backoff.after(Duration::from_millis(3)), Duration::ZERO);
        assert!(backoff.after(Duration::from_millis(3)) > Duration::ZERO);
        assert!(backoff.after(Duration::from_secs(59)) > Duration::ZERO);
        assert_eq!(backoff.after(MINUTE), Duration::ZERO);
        assert!(backoff.after(Duration::ZERO) > Duration::ZERO);
        backoff.reset();
        assert_eq!(backoff.next_delay(), Duration::ZERO);
    }

    #[test]
    fn a_cap_below_the_first_delay_holds() {
        let mut backoff = Backoff::new(MINUTE, Duration::from_secs(1), MINUTE);
        for _ in 0..5 {
            assert!(backoff.next_delay() <= Duration::from_secs(1));
        }
    }

    #[test]
    fn no_window_holds_more_connects_than_the_budget() {
        let start = Instant::now();
        let mut budget = ConnectBudget::default();
        let mut now = start;
        let mut made: Vec<Instant> = Vec::new();
        for i in 0..200 {
            now += budget.wait(now);
            assert!(budget.wait(now).is_zero());
            budget.record(now);
            made.push(now);
            now += Duration::from_secs(i % 7);
        }
        for (i, &first) in made.iter().enumerate() {
            let inside = made[i..]
                .iter()
                .filter(|&&t| t - first < 10 * MINUTE)
                .count();
            assert!(inside <= 30, "{inside} connects from number {i}");
        }
        assert!(made[199] - start < 70 * MINUTE, "slower than needed");
    }

    #[test]
    fn a_spent_budget_names_the_wait() {
        let start = Instant::now();
        let mut budget = ConnectBudget::new(2, MINUTE);
        budget.record(start);
        budget.record(start + Duration::from_secs(10));
        assert_eq!(
            budget.wait(start + Duration::from_secs(20)),
            Duration::from_secs(40)
        );
        assert_eq!(budget.wait(start + MINUTE), Duration::ZERO);
        budget.record(start + MINUTE);
        assert_eq!(budget.wait(start + MINUTE), Duration::from_secs(10));
        assert_eq!(ConnectBudget::new(0, MINUTE).wait(start), Duration::ZERO);
    }

    #[test]
    fn a_gate_stays_closed_for_the_longest_time_asked_for() {
        let start = Instant::now();
        let mut gate = Gate::new();
        assert!(gate.is_open(start));
        gate.close(start, None);
        assert_eq!(gate.wait(start), MINUTE);
        gate.close(start, Some(Duration::from_secs(5)));
        assert_eq!(
            gate.wait(start + Duration::from_secs(20)),
            Duration::from_secs(40)
        );
        gate.close(start, Some(Duration::from_hours(1)));
        assert!(!gate.is_open(start + Duration::from_mins(59)));
        assert!(gate.is_open(start + Duration::from_hours(1)));
        gate.close(start, Some(Duration::MAX));
        assert!(gate.is_open(start + Duration::from_hours(1)));
    }
}
