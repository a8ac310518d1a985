//! Pauses that grow while something goes on failing.

use std::time::Duration;

/// Pause after `times` earlier failures in a row: `first`, doubled with each of them, and `most` at most.
pub(super) fn doubled(first: Duration, times: u32, most: Duration) -> Duration {
    let factor = 2_u32.checked_pow(times).unwrap_or(u32::MAX);
    first.saturating_mul(factor).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_up_to_its_limit_whatever_the_number_of_failures() {
        let pause = |times| doubled(Duration::from_secs(15), times, Duration::from_mins(10));
        assert_eq!(
            [0, 1, 2, 5].map(|times| pause(times).as_secs()),
            [15, 30, 60, 480]
        );
        assert_eq!(
            [6, 31, 32, u32::MAX].map(|times| pause(times).as_secs()),
            [600; 4]
        );
    }
}
