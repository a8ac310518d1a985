//! Clocks as people write them: minutes, plus sign, seconds added a move.

use std::fmt;
use std::str::FromStr;

/// Longest initial time, s.
const LONGEST: u32 = 10_800;
/// Largest increment, s.
const LARGEST: u32 = 180;

/// Real-time clock of a game, one that Lichess has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Clock {
    /// Initial time, s: 0, 15, 30, 45, 60, 90, or a multiple of 60 up to 10800.
    pub limit_s: u32,
    /// Increment, s, 0 to 180.
    pub increment_s: u32,
}

/// A text that is no clock.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("clock {text:?} cannot be read; expected {}", Clock::EXPECTED)]
pub struct UnknownClock {
    text: String,
}

impl Clock {
    /// What a text should be.
    pub const EXPECTED: &'static str = "MINUTES+INCREMENT such as 3+2 or 0.5+1, with 0, 0.25, 0.5, 0.75, 1, 1.5 or \
        2 to 180 minutes and 0 to 180 seconds";

    /// Estimated duration of a game, s: initial time and 40 increments.
    pub const fn estimated_s(self) -> u32 {
        self.limit_s + 40 * self.increment_s
    }

    /// Whether Lichess lets bots challenge with it: at least 30 s by estimate, at most 60 s of increment.
    pub const fn is_for_bots(self) -> bool {
        self.estimated_s() >= 30 && self.increment_s <= 60
    }
}

impl FromStr for Clock {
    type Err = UnknownClock;

    fn from_str(text: &str) -> Result<Self, UnknownClock> {
        let unknown = || UnknownClock {
            text: text.to_owned(),
        };
        let (minutes, increment) = text.trim().split_once('+').ok_or_else(unknown)?;
        let limit_s = match minutes.trim() {
            "0.25" | "¼" | "1/4" => 15,
            "0.5" | "½" | "1/2" => 30,
            "0.75" | "¾" | "3/4" => 45,
            "1.5" => 90,
            whole => whole
                .parse()
                .ok()
                .and_then(|minutes: u32| minutes.checked_mul(60))
                .ok_or_else(unknown)?,
        };
        let increment_s: u32 = increment.trim().parse().map_err(|_| unknown())?;
        if limit_s > LONGEST || increment_s > LARGEST || limit_s + increment_s == 0 {
            return Err(unknown());
        }
        Ok(Self {
            limit_s,
            increment_s,
        })
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit_s {
            15 => f.write_str("0.25")?,
            30 => f.write_str("0.5")?,
            45 => f.write_str("0.75")?,
            90 => f.write_str("1.5")?,
            seconds => write!(f, "{}", seconds / 60)?,
        }
        write!(f, "+{}", self.increment_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_written_in_minutes() {
        for (text, limit_s, increment_s) in [
            ("3+2", 180, 2),
            ("0+1", 0, 1),
            ("0.5+0", 30, 0),
            ("1.5+10", 90, 10),
            ("180+180", 10_800, 180),
        ] {
            let clock = Clock {
                limit_s,
                increment_s,
            };
            assert_eq!(text.parse(), Ok(clock));
            assert_eq!(clock.to_string(), text);
        }
        assert_eq!(" ½ + 1 ".parse::<Clock>().unwrap().to_string(), "0.5+1");
        for bad in [
            "", "3", "3+", "+2", "0+0", "2.5+0", "-1+2", "181+0", "3+181", "3+2+1", "3+x",
        ] {
            assert!(bad.parse::<Clock>().is_err(), "{bad}");
        }
    }

    #[test]
    fn bots_play_nothing_faster_than_half_a_minute() {
        let is_for_bots = |text: &str| text.parse::<Clock>().unwrap().is_for_bots();
        assert!(is_for_bots("0+1") && is_for_bots("0.5+0") && is_for_bots("180+60"));
        assert!(!is_for_bots("0.25+0") && !is_for_bots("3+61"));
    }
}
