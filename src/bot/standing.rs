//! How a running game stands, as far as draws, resignation and gifts of time depend on it. Pure.

use crate::engine::Score;
use std::time::Duration;

/// Both clocks as the server last told them. A berserked clock is simply a short one: the server tells what is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Clocks {
    pub own: Duration,
    pub theirs: Duration,
    /// Increment of both.
    pub increment: Duration,
}

impl Clocks {
    /// Whether one of the two clocks is nearly over, and will be so before the other.
    fn runs_out(&self, one: Duration, other: Duration, limit: Duration) -> bool {
        self.increment.is_zero() && one < limit && one < other
    }
}

/// Running game as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    /// Plies played.
    pub ply: u32,
    /// Whether the opponent is a bot.
    pub opponent_is_bot: bool,
    /// Opponent's rating, if any.
    pub opponent_rating: Option<i32>,
    /// `None` in a game without clocks.
    pub clocks: Option<Clocks>,
}

impl Standing {
    /// Whether the opponent is about to lose on time: less time than `limit` and than us, and none is added.
    pub(super) fn is_opponent_flagging(&self, limit: Duration) -> bool {
        self.clocks
            .is_some_and(|clocks| clocks.runs_out(clocks.theirs, clocks.own, limit))
    }

    /// Whether we are about to lose on time, in the same sense.
    pub(super) fn are_we_flagging(&self, limit: Duration) -> bool {
        self.clocks
            .is_some_and(|clocks| clocks.runs_out(clocks.own, clocks.theirs, limit))
    }

    /// Whether the opponent is of a kind and strength that a policy is meant for. A player without a rating passes
    /// only where none is asked for.
    pub(super) fn is_opponent_meant(&self, humans: bool, bots: bool, min_rating: i32) -> bool {
        let kind = if self.opponent_is_bot { bots } else { humans };
        kind && self
            .opponent_rating
            .map_or(min_rating <= 0, |rating| rating >= min_rating)
    }
}

/// Whether the last `moves` scores of our own moves in a row, the newest last, all satisfy `holds`.
pub(super) fn in_a_row(scores: &[Score], moves: usize, holds: impl Fn(Score) -> bool) -> bool {
    let start = scores.len().checked_sub(moves);
    start.is_some_and(|start| scores[start..].iter().all(|score| holds(*score)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    /// Late in a game without increment against a human, both with enough time.
    pub(in crate::bot) fn standing() -> Standing {
        Standing {
            ply: 120,
            opponent_is_bot: false,
            opponent_rating: Some(1500),
            clocks: Some(Clocks {
                own: 60 * S,
                theirs: 60 * S,
                increment: Duration::ZERO,
            }),
        }
    }

    /// The same with clocks of so many seconds.
    pub(in crate::bot) fn with_clocks(own: u32, theirs: u32, increment: u32) -> Standing {
        Standing {
            clocks: Some(Clocks {
                own: own * S,
                theirs: theirs * S,
                increment: increment * S,
            }),
            ..standing()
        }
    }

    #[test]
    fn who_has_less_than_the_limit_and_than_the_other_is_about_to_flag() {
        for (own, theirs, increment, they, we) in [
            (60, 9, 0, true, false),
            (60, 10, 0, false, false),
            (60, 9, 1, false, false),
            (8, 9, 0, false, true),
            (9, 9, 0, false, false),
        ] {
            let standing = with_clocks(own, theirs, increment);
            let seen = (
                standing.is_opponent_flagging(10 * S),
                standing.are_we_flagging(10 * S),
            );
            assert_eq!(seen, (they, we), "{standing:?}");
        }
        let clockless = Standing {
            clocks: None,
            ..standing()
        };
        assert!(!clockless.is_opponent_flagging(10 * S));
    }

    #[test]
    fn opponents_are_told_apart_by_kind_and_rating() {
        let human = standing();
        assert!(human.is_opponent_meant(true, false, 1500));
        assert!(!human.is_opponent_meant(true, true, 1501));
        assert!(!human.is_opponent_meant(false, true, 0));
        let unrated = Standing {
            opponent_rating: None,
            ..human
        };
        assert!(unrated.is_opponent_meant(true, false, 0));
        assert!(!unrated.is_opponent_meant(true, false, 1));
    }

    #[test]
    fn only_whole_rows_count() {
        let scores = [Score::Cp(300), Score::Cp(1), Score::Cp(2)];
        let small = |score: Score| score.as_cp() < 10;
        assert!(in_a_row(&scores, 2, small));
        assert!(!in_a_row(&scores, 3, small));
        assert!(!in_a_row(&scores[1..], 3, small));
    }
}
