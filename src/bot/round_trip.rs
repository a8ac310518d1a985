//! Measured time of a move POST, which is thinking time: bots get no lag compensation.

use std::time::Duration;

/// Longest sample that counts; a stuck server says nothing about the next move.
const LONGEST_SAMPLE: Duration = Duration::from_secs(2);
/// What the server and the timer add to the network.
const MARGIN: Duration = Duration::from_millis(20);

/// Smoothed round trip and its mean deviation, with the weights of TCP (1/8 and 1/4; RFC 6298). Shared by all games
/// of a run, so that a new game knows the network from its first move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundTrip {
    smoothed: Option<Duration>,
    deviation: Duration,
}

impl RoundTrip {
    /// Takes in the time of one answered POST.
    pub(super) fn sample(&mut self, elapsed: Duration) {
        let elapsed = elapsed.min(LONGEST_SAMPLE);
        let Some(smoothed) = self.smoothed else {
            self.smoothed = Some(elapsed);
            self.deviation = elapsed / 2;
            return;
        };
        self.deviation = self.deviation * 3 / 4 + smoothed.abs_diff(elapsed) / 4;
        self.smoothed = Some(smoothed * 7 / 8 + elapsed / 8);
    }

    /// Smoothed time; `None` before the first sample.
    pub(super) const fn usual(&self) -> Option<Duration> {
        self.smoothed
    }

    /// Time kept back from each move: the setting, or more when the measured round trip asks for it.
    pub(super) fn overhead(&self, setting: Duration) -> Duration {
        self.smoothed.map_or(setting, |smoothed| {
            setting.max(smoothed + self.deviation * 2 + MARGIN)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_setting_holds_until_something_was_measured() {
        assert_eq!(RoundTrip::default().overhead(100 * MS), 100 * MS);
    }

    #[test]
    fn a_fast_network_keeps_the_setting_and_a_slow_one_raises_it() {
        let (mut near, mut far) = (RoundTrip::default(), RoundTrip::default());
        for _ in 0..20 {
            near.sample(15 * MS);
            far.sample(300 * MS);
        }
        assert_eq!(near.overhead(100 * MS), 100 * MS);
        let overhead = far.overhead(100 * MS);
        assert!((320 * MS..340 * MS).contains(&overhead), "{overhead:?}");
    }

    #[test]
    fn one_stuck_request_does_not_eat_the_clock_for_long() {
        let mut trip = RoundTrip::default();
        for _ in 0..10 {
            trip.sample(50 * MS);
        }
        trip.sample(Duration::from_hours(1));
        assert!(trip.overhead(100 * MS) < Duration::from_millis(1500));
        for _ in 0..30 {
            trip.sample(50 * MS);
        }
        assert!(trip.overhead(100 * MS) < 120 * MS);
    }
}
