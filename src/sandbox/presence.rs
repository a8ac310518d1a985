//! Who is at the board: a player whose stream has been closed for a while counts as gone, and after a countdown
//! his opponent may claim the win. Pure: the caller says what time it is.

use crate::lichess::model::{OpponentGone, Speed};
use std::time::{Duration, Instant};

/// Time after which a closed stream counts as gone.
const ABSENT_AFTER: Duration = Duration::from_secs(1);

/// Pause between two `opponentGone` lines.
const REPEAT: Duration = Duration::from_secs(5);

/// Countdown before a win can be claimed, by speed.
pub(super) const fn countdown(speed: Speed) -> Duration {
    Duration::from_secs(match speed {
        Speed::UltraBullet | Speed::Bullet | Speed::Blitz | Speed::Unknown => 40,
        Speed::Rapid => 80,
        Speed::Classical | Speed::Correspondence => 120,
    })
}

/// Presence of one player in one game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presence {
    /// When the player left; `None` while he is here.
    left: Option<Instant>,
    /// When the opponent was last told that the player is gone.
    told: Option<Instant>,
    countdown: Duration,
}

impl Presence {
    /// A player who has not been seen yet.
    pub(super) const fn absent(now: Instant, countdown: Duration) -> Self {
        Self {
            left: Some(now),
            told: None,
            countdown,
        }
    }

    /// Says whether the player is here now.
    pub(super) fn set_here(&mut self, here: bool, now: Instant) {
        self.left = if here {
            None
        } else {
            Some(self.left.unwrap_or(now))
        };
    }

    /// Line that the opponent should get now, if any. `counts` says whether the absence matters at the moment
    /// (it is the absent player's turn, and so on).
    pub(super) fn tick(&mut self, counts: bool, now: Instant) -> Option<OpponentGone> {
        let gone_for = self.gone_for(now).filter(|_| counts);
        match (gone_for, self.told) {
            (Some(_), Some(told)) if now.saturating_duration_since(told) < REPEAT => None,
            (Some(gone_for), _) => {
                self.told = Some(now);
                let rest = self.countdown.saturating_sub(gone_for);
                let seconds = rest.as_millis().div_ceil(1000) as i64;
                Some(OpponentGone {
                    gone: true,
                    claim_win_in_seconds: Some(seconds),
                })
            }
            (None, Some(_)) if self.left.is_none() => {
                self.told = None;
                Some(OpponentGone {
                    gone: false,
                    claim_win_in_seconds: None,
                })
            }
            (None, _) => None,
        }
    }

    /// Whether the opponent may claim the win now.
    pub(super) fn is_claimable(&self, now: Instant) -> bool {
        self.gone_for(now)
            .is_some_and(|gone_for| gone_for >= self.countdown)
    }

    /// How long the player has counted as gone.
    fn gone_for(&self, now: Instant) -> Option<Duration> {
        now.saturating_duration_since(self.left?)
            .checked_sub(ABSENT_AFTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    fn seconds(line: Option<OpponentGone>) -> Option<i64> {
        line.and_then(|line| line.claim_win_in_seconds)
    }

    #[test]
    fn a_short_absence_is_invisible() {
        let start = Instant::now();
        let mut presence = Presence::absent(start, Duration::from_secs(40));
        presence.set_here(true, start);
        presence.set_here(false, after(start, 10));
        assert_eq!(presence.tick(true, after(start, 10)), None);
        presence.set_here(true, after(start, 11));
        assert_eq!(presence.tick(true, after(start, 99)), None);
    }

    #[test]
    fn the_countdown_is_told_every_five_seconds_until_the_win_can_be_claimed() {
        let start = Instant::now();
        let mut presence = Presence::absent(start, Duration::from_secs(12));
        assert_eq!(seconds(presence.tick(true, after(start, 1))), Some(12));
        assert_eq!(presence.tick(true, after(start, 4)), None);
        assert_eq!(seconds(presence.tick(true, after(start, 6))), Some(7));
        assert!(!presence.is_claimable(after(start, 12)));
        assert_eq!(seconds(presence.tick(true, after(start, 14))), Some(0));
        assert!(presence.is_claimable(after(start, 13)));
    }

    #[test]
    fn a_return_is_told_once() {
        let start = Instant::now();
        let mut presence = Presence::absent(start, Duration::from_secs(40));
        presence.tick(true, after(start, 2));
        presence.set_here(true, after(start, 3));
        assert_eq!(
            presence.tick(true, after(start, 3)).map(|line| line.gone),
            Some(false)
        );
        assert_eq!(presence.tick(true, after(start, 9)), None);
        assert!(!presence.is_claimable(after(start, 99)));
    }

    #[test]
    fn an_absence_that_does_not_count_is_not_told() {
        let start = Instant::now();
        let mut presence = Presence::absent(start, Duration::from_secs(40));
        assert_eq!(presence.tick(false, after(start, 50)), None);
    }
}
