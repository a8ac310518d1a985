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
/// Most for one move, per mille of what is left after two overheads: at the soft and at the hard limit.
const MOST: (u64, u64) = (350, 450);
/// The same for the last move before time is added.
const MOST_LAST: (u64, u64) = (750, 850);
/// Own moves whose overhead is kept back: a game of so many moves is lived through,
const LIVED_THROUGH: u64 = 90;
/// and at any time so many more.
const KEPT_BACK: u64 = 40;

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros())
        .unwrap_or(LONGEST)
        .min(LONGEST)
}

/// Own moves that the clock is shared out to. Games between equals last 40 own moves, and what is decided in the last
/// ones was decided before; so the first moves plan for 23 more and later ones for fewer, at least 10. Without an
/// increment nothing comes back, and a game that has become long must be expected to become longer.
fn horizon(own_moves: u64, increment: u64) -> u64 {
    let planned = 46_u64.saturating_sub(own_moves).max(20) / 2;
    if increment > 0 {
        planned
    } else {
        planned + 6 + own_moves.clamp(30, 90) - 30
    }
}

/// Shares out the clock: the time left, with the increments to come and without the overheads to come, in equal parts
/// over the moves planned for.
///
/// Both limits stay below `remaining - overhead`; both are zero if that is nothing.
pub fn budget(clock: &Clock) -> Budget {
    let left = micros(clock.remaining);
    let increment = micros(clock.increment);
    let overhead = micros(clock.overhead);
    // What one answer may use in the worst case, and a second overhead kept for the next.
    let usable = left.saturating_sub(overhead);
    let safe = usable.saturating_sub(overhead).max(usable / 4);

    let own_moves = u64::from(clock.own_moves);
    let to_go = clock.moves_to_go.map_or(u64::MAX, |n| u64::from(n.max(1)));
    let planned = horizon(own_moves, increment).min(to_go);
    let lived_through = LIVED_THROUGH
        .saturating_sub(own_moves)
        .max(KEPT_BACK)
        .min(to_go);
    // What a move loses for good; an overhead is told with a margin, so it must not take all of the clock in advance.
    let loss = overhead.saturating_sub(increment);
    let kept_back = loss.saturating_mul(lived_through).min(left / 2);
    let pool = left - kept_back + increment * (planned - 1);
    let (most_soft, most_hard) = if to_go == 1 { MOST_LAST } else { MOST };
    let mut soft = (pool / planned).min(safe * most_soft / 1000);
    if left < loss.saturating_mul(KEPT_BACK.min(to_go)) {
        // Emergency: the overheads alone will empty the clock, and moves must take less than these.
        soft = soft.min(overhead * 2 / 5);
    }
    let mut hard = (soft * 4).min(safe * most_hard / 1000);
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

    /// Plays a game of so many moves: each costs nearly the soft limit, now and then the hard one, and a lag on top.
    /// Returns the clock after each move, or the number of the move on which the flag fell.
    fn game(initial: u64, increment: u64, lag: u64, moves: u32) -> Result<Vec<Duration>, u32> {
        let lag = Duration::from_millis(lag);
        let mut left = Duration::from_millis(initial);
        let mut clocks = Vec::new();
        for own_moves in 0..moves {
            let now = Clock {
                remaining: left,
                own_moves,
                overhead: lag + Duration::from_millis(10),
                ..clock(0, increment)
            };
            let budget = budget(&now);
            let used = if own_moves % 20 == 3 {
                budget.hard
            } else {
                budget.soft * 4 / 5
            };
            let rest = left.checked_sub(used + lag).ok_or(own_moves)?;
            left = rest + now.increment;
            clocks.push(left);
        }
        Ok(clocks)
    }

    #[test]
    fn the_longest_games_are_lived_through() {
        for (initial, increment, lag, moves) in [
            (1000, 0, 0, 200),
            (15_000, 0, 30, 100),
            (30_000, 1000, 150, 200),
            (60_000, 0, 30, 150),
            (60_000, 0, 150, 95),
            (180_000, 2000, 150, 200),
            (180_000, 2000, 1500, 200),
            (600_000, 0, 150, 200),
        ] {
            let played = game(initial, increment, lag, moves);
            assert!(
                played.is_ok(),
                "{initial}+{increment}, lag {lag}: {played:?}"
            );
        }
    }

    #[test]
    fn most_of_the_clock_is_used_by_the_time_most_games_are_decided() {
        for (initial, increment, lag) in [
            (60_000, 0, 30),
            (60_000, 0, 150),
            (180_000, 0, 30),
            (180_000, 2000, 150),
            (600_000, 5000, 150),
            (6000, 0, 0),
            (2000, 20, 0),
        ] {
            let clocks = game(initial, increment, lag, 36).unwrap();
            let given = Duration::from_millis(initial + 36 * increment);
            let left = clocks[35].as_secs_f64() / given.as_secs_f64();
            assert!(left < 0.3, "{initial}+{increment}, lag {lag}: {left}");
            // And not all of it before the fight begins.
            let early = clocks[9].as_secs_f64() / given.as_secs_f64();
            assert!(early > 0.4, "{initial}+{increment}, lag {lag}: {early}");
        }
    }

    #[test]
    fn a_period_is_used_up_by_its_last_move_and_never_overstepped() {
        for moves in [1, 5, 20, 40] {
            let mut left = Duration::from_mins(1);
            for to_go in (1..=moves).rev() {
                let now = Clock {
                    remaining: left,
                    moves_to_go: Some(to_go),
                    own_moves: 40 + moves - to_go,
                    ..clock(0, 0)
                };
                let budget = budget(&now);
                left = left
                    .checked_sub(budget.soft + now.overhead)
                    .expect("the flag should stay up");
            }
            assert!(
                left < Duration::from_secs(20),
                "{moves} moves: {left:?} left"
            );
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
