//! Game clock with the start rule of Lichess: the first move of each side is free and earns no increment, and
//! White's time starts to run when Black's first move has been processed. Pure: the caller says what time it is.

use crate::rules::Color;
use std::time::{Duration, Instant};

/// Shortest initial time; `0+1` gives this much.
const SHORTEST_INITIAL: Duration = Duration::from_secs(3);

/// Initial time and increment of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClockTerms {
    /// Time at the start, as configured (0 is allowed, see [`ClockTerms::initial`]).
    pub limit: Duration,
    /// Time earned with each move after the first.
    pub increment: Duration,
}

impl ClockTerms {
    /// Terms in whole seconds.
    pub(super) const fn of_seconds(limit: u32, increment: u32) -> Self {
        Self {
            limit: Duration::from_secs(limit as u64),
            increment: Duration::from_secs(increment as u64),
        }
    }

    /// Time each side starts with. Without initial time this is the increment, at least 3 s.
    pub(super) fn initial(self) -> Duration {
        if self.limit.is_zero() {
            self.increment.max(SHORTEST_INITIAL)
        } else {
            self.limit
        }
    }
}

/// The side to move had no time left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FlagFell;

/// Clock of one game.
#[derive(Clone, Debug)]
pub(super) struct GameClock {
    terms: ClockTerms,
    /// Time left when the side last stopped thinking, by [`Color::index`].
    left: [Duration; 2],
    /// Time left after each own move, oldest first; takebacks go back in it.
    history: [Vec<Duration>; 2],
    /// Whose time runs, and since when.
    running: Option<(Color, Instant)>,
}

impl GameClock {
    /// Clock that stands still with full time on both sides.
    pub(super) fn new(terms: ClockTerms) -> Self {
        let initial = terms.initial();
        Self {
            terms,
            left: [initial; 2],
            history: [Vec::new(), Vec::new()],
            running: None,
        }
    }

    /// Time that `color` has left at `now`, zero once it is used up.
    pub(super) fn left(&self, color: Color, now: Instant) -> Duration {
        let stored = self.left[color.index()];
        match self.running {
            Some((side, since)) if side == color => {
                stored.saturating_sub(now.saturating_duration_since(since))
            }
            _ => stored,
        }
    }

    /// Side whose time ran out at least `grace` ago.
    pub(super) fn flagged(&self, now: Instant, grace: Duration) -> Option<Color> {
        let (side, since) = self.running?;
        let used = now.saturating_duration_since(since);
        (used >= self.left[side.index()] + grace).then_some(side)
    }

    /// Books a move of `color` that was processed at `now`. The other side's time runs from here on, if both
    /// sides have moved.
    ///
    /// # Errors
    /// [`FlagFell`] when the time was used up; the move must not count.
    pub(super) fn press(&mut self, color: Color, now: Instant) -> Result<(), FlagFell> {
        let own = color.index();
        if let Some((side, since)) = self.running
            && side == color
        {
            let used = now.saturating_duration_since(since);
            let rest = self.left[own]
                .checked_sub(used)
                .filter(|rest| !rest.is_zero());
            self.left[own] = rest.ok_or(FlagFell)? + self.terms.increment;
        }
        self.history[own].push(self.left[own]);
        let other = !color;
        self.running = self.both_moved().then_some((other, now));
        Ok(())
    }

    /// Gives `color` more time.
    pub(super) fn add(&mut self, color: Color, time: Duration) {
        self.left[color.index()] += time;
    }

    /// Stops the clock for good, with the time used so far deducted.
    pub(super) fn stop(&mut self, now: Instant) {
        if let Some((side, _)) = self.running {
            self.left[side.index()] = self.left(side, now);
            self.running = None;
        }
    }

    /// Takes back the last move, which was `color`'s: he is to move again with the time he had before it.
    pub(super) fn take_back(&mut self, color: Color, now: Instant) {
        for side in [color, !color] {
            let history = &mut self.history[side.index()];
            if side == color {
                history.pop();
            }
            self.left[side.index()] = history.last().copied().unwrap_or(self.terms.initial());
        }
        self.running = self.both_moved().then_some((color, now));
    }

    /// Time left after each own move of `color`, oldest first.
    pub(super) fn history(&self, color: Color) -> &[Duration] {
        &self.history[color.index()]
    }

    fn both_moved(&self) -> bool {
        self.history.iter().all(|moves| !moves.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn first_moves_are_free_and_earn_no_increment() {
        let start = Instant::now();
        let mut clock = GameClock::new(ClockTerms::of_seconds(60, 2));
        clock.press(Color::White, after(start, 100)).unwrap();
        clock.press(Color::Black, after(start, 300)).unwrap();
        assert_eq!(clock.left(Color::White, after(start, 300)), 60 * SECOND);
        assert_eq!(clock.left(Color::Black, after(start, 300)), 60 * SECOND);
    }

    #[test]
    fn white_pays_from_the_moment_black_has_moved_and_then_earns_the_increment() {
        let start = Instant::now();
        let mut clock = GameClock::new(ClockTerms::of_seconds(60, 2));
        clock.press(Color::White, start).unwrap();
        clock.press(Color::Black, after(start, 10)).unwrap();
        assert_eq!(clock.left(Color::White, after(start, 15)), 55 * SECOND);
        clock.press(Color::White, after(start, 17)).unwrap();
        assert_eq!(clock.left(Color::White, after(start, 30)), 55 * SECOND);
        assert_eq!(clock.left(Color::Black, after(start, 30)), 47 * SECOND);
    }

    #[test]
    fn a_move_without_time_left_is_refused_even_in_the_grace_of_the_flag() {
        let start = Instant::now();
        let mut clock = GameClock::new(ClockTerms::of_seconds(15, 0));
        clock.press(Color::White, start).unwrap();
        clock.press(Color::Black, start).unwrap();
        assert_eq!(clock.flagged(after(start, 16), 2 * SECOND), None);
        assert_eq!(
            clock.flagged(after(start, 17), 2 * SECOND),
            Some(Color::White)
        );
        assert_eq!(clock.press(Color::White, after(start, 15)), Err(FlagFell));
        assert_eq!(clock.left(Color::White, after(start, 20)), Duration::ZERO);
    }

    #[test]
    fn a_clock_without_initial_time_starts_with_its_increment_but_three_seconds_at_least() {
        assert_eq!(ClockTerms::of_seconds(0, 1).initial(), 3 * SECOND);
        assert_eq!(ClockTerms::of_seconds(0, 10).initial(), 10 * SECOND);
    }

    #[test]
    fn taking_back_returns_the_time_of_the_move_and_stops_before_both_have_moved() {
        let start = Instant::now();
        let mut clock = GameClock::new(ClockTerms::of_seconds(60, 0));
        for (color, at) in [(Color::White, 0), (Color::Black, 0), (Color::White, 10)] {
            clock.press(color, after(start, at)).unwrap();
        }
        clock.take_back(Color::White, after(start, 12));
        assert_eq!(clock.left(Color::White, after(start, 12)), 60 * SECOND);
        assert_eq!(clock.left(Color::White, after(start, 13)), 59 * SECOND);
        clock.take_back(Color::Black, after(start, 14));
        assert_eq!(clock.left(Color::Black, after(start, 99)), 60 * SECOND);
        assert_eq!(clock.flagged(after(start, 999), Duration::ZERO), None);
    }

    #[test]
    fn a_stopped_clock_keeps_what_was_left() {
        let start = Instant::now();
        let mut clock = GameClock::new(ClockTerms::of_seconds(60, 0));
        clock.press(Color::White, start).unwrap();
        clock.press(Color::Black, start).unwrap();
        clock.stop(after(start, 7));
        assert_eq!(clock.left(Color::White, after(start, 70)), 53 * SECOND);
    }
}
