//! Time controls of the XBoard protocol, and the limits of a search under them.

use super::command::seconds;
use crate::engine::{Clock, Limits};
use crate::rules::Position;
use std::time::Duration;

/// Time for a move when nobody has said anything about time.
const UNTOLD: Duration = Duration::from_secs(5);

/// `level MPS BASE INC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Level {
    /// Moves of one period; 0: the whole game is one.
    pub(super) moves: u32,
    /// Time on the clock.
    pub(super) base: Duration,
    /// Added after every own move.
    pub(super) increment: Duration,
}

impl Level {
    /// # Errors
    /// What was expected.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let [moves, base, increment] = words[..] else {
            return Err(format!(
                "{} words, expected moves, base and increment",
                words.len()
            ));
        };
        Ok(Self {
            moves: moves
                .parse()
                .map_err(|_| "expected a number of moves".to_owned())?,
            base: base_time(base).ok_or("expected a base in minutes or minutes:seconds")?,
            increment: seconds(increment)?,
        })
    }
}

/// `5`, `0:30`, `2.5`; signs behind that are kept for later versions of the protocol and ignored.
fn base_time(text: &str) -> Option<Duration> {
    let (minutes, rest) = leading_number(text)?;
    let seconds = match rest.strip_prefix(':') {
        Some(rest) => leading_number(rest)?.0,
        None => 0.0,
    };
    Duration::try_from_secs_f64(minutes * 60.0 + seconds).ok()
}

fn leading_number(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    Some((number.parse().ok()?, rest))
}

/// What the GUI has said about time. The own clock is kept here too, for GUIs that do not send it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TimeControl {
    level: Option<Level>,
    /// Ply of the game when the level was told: periods count from there.
    level_ply: usize,
    /// Time for each move instead of a clock.
    movetime: Option<Duration>,
    depth: Option<u32>,
    /// Own clock.
    own: Option<Duration>,
}

impl TimeControl {
    pub(super) fn set_level(&mut self, level: Level, ply: usize) {
        self.level = Some(level);
        self.level_ply = ply;
        self.movetime = None;
        self.own = Some(level.base);
    }

    pub(super) const fn set_movetime(&mut self, time: Duration) {
        self.movetime = Some(time);
    }

    pub(super) const fn set_depth(&mut self, depth: u32) {
        self.depth = Some(depth);
    }

    pub(super) const fn set_own(&mut self, left: Duration) {
        self.own = Some(left);
    }

    /// Clocks as at the start of a game, and no limit of the depth.
    pub(super) fn restart(&mut self) {
        self.depth = None;
        self.level_ply = 0;
        self.own = self.level.map(|level| level.base);
    }

    /// Takes the time of an own move off the clock; `ply` is that of the position before the move.
    pub(super) fn spend(&mut self, used: Duration, ply: usize) {
        let (Some(own), Some(level)) = (self.own, self.level) else {
            return;
        };
        let mut left = own.saturating_sub(used).saturating_add(level.increment);
        if self.moves_to_go(ply) == Some(1) {
            left = left.saturating_add(level.base);
        }
        self.own = Some(left);
    }

    /// Own moves until time is added, when the move at `ply` is ours.
    fn moves_to_go(&self, ply: usize) -> Option<u32> {
        let level = self.level.filter(|level| level.moves > 0)?;
        // Moves may have been taken back to before the level was told.
        let since = (ply as i64 - self.level_ply as i64).div_euclid(2);
        let done = since.rem_euclid(i64::from(level.moves)) as u32;
        Some(level.moves - done)
    }

    /// Limits of the search for a move in `position`, which stands after `ply` plies of the game.
    pub(super) fn limits(&self, position: &Position, ply: usize, overhead: Duration) -> Limits {
        let mut limits = Limits {
            depth: self.depth,
            ..Limits::default()
        };
        let level = self.level;
        if let Some(time) = self.movetime {
            limits.movetime = Some(time.saturating_sub(overhead).max(time / 2));
        } else if let Some(remaining) = self.own {
            limits.clock = Some(Clock {
                remaining,
                increment: level.map_or(Duration::ZERO, |level| level.increment),
                moves_to_go: self.moves_to_go(ply),
                overhead,
                own_moves: position.fullmoves().saturating_sub(1),
            });
        } else if self.depth.is_none() {
            limits.movetime = Some(UNTOLD);
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn level(text: &str) -> Level {
        Level::parse(text).unwrap()
    }

    fn limits(control: &TimeControl, ply: usize) -> Limits {
        let overhead = Duration::from_millis(30);
        control.limits(&Position::start(Variant::Crazyhouse), ply, overhead)
    }

    #[test]
    fn every_form_of_a_level_is_read() {
        for (text, moves, base, increment) in [
            ("40 5 0", 40, 300_000, 0),
            ("40 0:30 0", 40, 30_000, 0),
            ("0 2 12", 0, 120_000, 12_000),
            ("0 2:30 0.5", 0, 150_000, 500),
            ("40 25+5 0", 40, 1_500_000, 0),
            ("0 1:00 0.1", 0, 60_000, 100),
            ("0 0 1", 0, 0, 1000),
        ] {
            let expected = Level {
                moves,
                base: Duration::from_millis(base),
                increment: Duration::from_millis(increment),
            };
            assert_eq!(level(text), expected, "{text}");
        }
    }

    #[test]
    fn a_level_that_is_none_is_refused() {
        for text in [
            "",
            "40",
            "40 5",
            "40 5 0 1",
            "x 5 0",
            "-1 5 0",
            "40 :30 0",
            "40 x 0",
            "40 5 -1",
            "40 5 x",
            "40 1:x 0",
            "40 1.2.3 0",
        ] {
            assert!(Level::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn moves_of_a_period_count_from_where_it_was_told() {
        let mut control = TimeControl::default();
        control.set_level(level("40 5 0"), 0);
        let to_go = |control: &TimeControl, ply| limits(control, ply).clock.unwrap().moves_to_go;
        assert_eq!(to_go(&control, 0), Some(40));
        assert_eq!(to_go(&control, 1), Some(40));
        assert_eq!(to_go(&control, 78), Some(1));
        assert_eq!(to_go(&control, 80), Some(40));
        control.set_level(level("20 22 0"), 80);
        assert_eq!(to_go(&control, 80), Some(20));
        assert_eq!(to_go(&control, 83), Some(19));
        assert_eq!(to_go(&control, 40), Some(20));
        control.set_level(level("0 5 3"), 0);
        assert_eq!(to_go(&control, 10), None);
    }

    #[test]
    fn own_clock_goes_on_without_a_word_of_the_gui() {
        let mut control = TimeControl::default();
        control.set_level(level("2 1 5"), 0);
        let left = |control: &TimeControl| limits(control, 0).clock.unwrap().remaining;
        control.spend(Duration::from_secs(10), 0);
        assert_eq!(left(&control), Duration::from_secs(55));
        control.spend(Duration::from_secs(10), 2);
        assert_eq!(left(&control), Duration::from_secs(110));
        control.set_own(Duration::from_secs(7));
        assert_eq!(left(&control), Duration::from_secs(7));
        control.restart();
        assert_eq!(left(&control), Duration::from_mins(1));
    }

    #[test]
    fn time_for_each_move_replaces_the_clock_until_the_next_level() {
        let mut control = TimeControl::default();
        control.set_level(level("0 5 0"), 0);
        control.set_movetime(Duration::from_secs(1));
        let now = limits(&control, 0);
        assert_eq!(
            (now.movetime, now.clock),
            (Some(Duration::from_millis(970)), None)
        );
        control.set_movetime(Duration::from_millis(10));
        assert_eq!(limits(&control, 0).movetime, Some(Duration::from_millis(5)));
        control.set_level(level("0 5 0"), 0);
        assert_eq!(limits(&control, 0).movetime, None);
    }

    #[test]
    fn depth_holds_beside_the_clock_until_the_next_game() {
        let mut control = TimeControl::default();
        assert!(limits(&control, 0).movetime.is_some());
        control.set_depth(3);
        let now = limits(&control, 0);
        assert_eq!((now.depth, now.movetime, now.clock), (Some(3), None, None));
        control.set_level(level("0 5 0"), 0);
        assert!(limits(&control, 0).clock.is_some());
        assert_eq!(limits(&control, 0).depth, Some(3));
        control.restart();
        assert_eq!(limits(&control, 0).depth, None);
    }
}
