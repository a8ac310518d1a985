//! From a clock to the time for one move: a pure function.

use std::time::Duration;

/// Clock of the side to move, as it stood when its turn began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after every own move.
    pub increment: Duration,
    /// Own moves until time is added, if the time control has such periods.
    pub moves_to_go: Option<u32>,
    /// Part of every move that is lost between the clock and the search (network, server, scheduling).
    pub overhead: Duration,
    /// Own moves played so far in the game.
    pub own_moves: u32,
}

/// Time for one move, counted from the moment when the clock started to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// No new iteration is started after this time; stretched or shortened by how settled the best move is.
    pub soft: Duration,
    /// The search is stopped here in any case.
    pub hard: Duration,
}

/// Longest clock that is told apart, in microseconds (about 31 years): keeps every product below 2^63.
const LONGEST: u64 = 1_000_000_000_000_000;
/// A clock below this without increment is played from hand to mouth.
const SCRAMBLE: u64 = 10_000_000;
/// Most time for one move in a scramble.
const SCRAMBLE_MOVE: u64 = 100_000;

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros())
        .unwrap_or(LONGEST)
        .min(LONGEST)
}

/// Shares out the clock: half of all games are over by the 24th own move and hardly one in twenty goes beyond
/// the 43rd, so the first moves plan for 36 more and later ones for fewer, at least 16.
///
/// Both limits stay below `remaining - overhead`; both are zero if that is nothing.
pub fn budget(clock: &Clock) -> Budget {
    let left = micros(clock.remaining);
    let increment = micros(clock.increment);
    let overhead = micros(clock.overhead);
    // What one answer may use in the worst case, and a second overhead kept for the moves to come.
    let usable = left.saturating_sub(overhead);
    let safe = usable.saturating_sub(overhead).max(usable / 4);

    let half_moves = u64::from(clock.own_moves.min(40));
    let mut horizon = (72 - half_moves).clamp(32, 72) / 2;
    if increment == 0 && left <= 90_000_000 {
        // Bullet without increment: nothing comes back, and long games must be lived through.
        horizon += 9;
    }
    let mut most = 350;
    if let Some(moves) = clock.moves_to_go {
        horizon = horizon.min(u64::from(moves.max(1)));
        if horizon == 1 {
            most = 750;
        }
    }
    let mut soft = (safe / horizon + increment * 4 / 5).min(safe * most / 1000);
    let mut hard = (soft * 4).min(safe * (most + 100) / 1000);
    if increment == 0 && left < SCRAMBLE && clock.moves_to_go.is_none() {
        soft = (safe / 40).min(SCRAMBLE_MOVE);
        hard = (soft * 3).min(safe * 3 / 10);
    }
    if clock.own_moves == 0 {
        // The first move is a matter of taste; the time is worth more later.
        soft /= 2;
        hard /= 2;
    }
    Budget {
        soft: Duration::from_micros(soft),
        hard: Duration::from_micros(hard.max(soft)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining_ms: u64, increment_ms: u64) -> Clock {
        Clock {
            remaining: Duration::from_millis(remaining_ms),
            increment: Duration::from_millis(increment_ms),
            moves_to_go: None,
            overhead: Duration::from_millis(100),
            own_moves: 12,
        }
    }

    #[test]
    fn no_clock_is_overspent() {
        for remaining in [
            0, 1, 50, 99, 100, 101, 150, 300, 1000, 9_999, 10_000, 60_000, 10_800_000,
        ] {
            for increment in [0, 20, 1000, 180_000] {
                for own_moves in [0, 1, 10, 31, 80, 300, u32::MAX] {
                    for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                        let clock = Clock {
                            moves_to_go,
                            own_moves,
                            ..clock(remaining, increment)
                        };
                        let budget = budget(&clock);
                        let usable = clock.remaining.saturating_sub(clock.overhead);
                        assert!(budget.soft <= budget.hard, "{clock:?} {budget:?}");
                        assert!(budget.hard <= usable, "{clock:?} {budget:?}");
                        if remaining > 200 {
                            assert!(budget.hard > Duration::ZERO, "{clock:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_whole_game_at_the_soft_limit_never_flags() {
        for (initial, increment) in [
            (15_000, 0),
            (60_000, 0),
            (30_000, 1000),
            (180_000, 2000),
            (1000, 0),
        ] {
            let mut left = Duration::from_millis(initial);
            for own_moves in 0..150 {
                let now = Clock {
                    remaining: left,
                    own_moves,
                    ..clock(0, increment)
                };
                // The real cost of a move is the hard limit now and then, plus the overhead.
                let budget = budget(&now);
                let used = if own_moves % 7 == 3 {
                    budget.hard
                } else {
                    budget.soft
                };
                let lag = now.overhead.min(left / 20);
                assert!(
                    used + lag <= left,
                    "{initial}+{increment} at move {own_moves}"
                );
                left = left.saturating_sub(used + lag) + now.increment;
            }
        }
    }

    #[test]
    fn absurd_values_are_answered() {
        let huge = Clock {
            remaining: Duration::MAX,
            increment: Duration::MAX,
            moves_to_go: Some(1),
            overhead: Duration::MAX,
            own_moves: u32::MAX,
        };
        assert_eq!(budget(&huge).hard, Duration::ZERO);
        let free = Clock {
            overhead: Duration::ZERO,
            ..huge
        };
        assert!(budget(&free).soft > Duration::from_hours(24));
    }

    #[test]
    fn more_time_buys_more_thinking_and_an_increment_is_used() {
        assert!(budget(&clock(180_000, 0)).soft > budget(&clock(60_000, 0)).soft);
        assert!(budget(&clock(60_000, 2000)).soft > budget(&clock(60_000, 0)).soft);
        let first = Clock {
            own_moves: 0,
            ..clock(60_000, 1000)
        };
        assert!(budget(&first).soft < budget(&clock(60_000, 1000)).soft);
    }
}
