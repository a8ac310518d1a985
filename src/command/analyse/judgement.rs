//! Which moves were bad, and how bad.

use super::search::Worth;
use pocketknight::rules::Color;
use serde::Serialize;

/// What is said of a move that threw something away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Judgement {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Judgement {
    /// Names, the least bad first.
    pub(super) const ALL: [(Self, &'static str); 3] = [
        (Self::Inaccuracy, "inaccuracy"),
        (Self::Mistake, "mistake"),
        (Self::Blunder, "blunder"),
    ];

    /// Judgement of a loss on the scale of [`loss`]; `None` for one that is not worth a word. The bounds are those
    /// of Lichess.
    pub(super) fn of(loss: f64) -> Option<Self> {
        match loss {
            loss if loss >= 0.3 => Some(Self::Blunder),
            loss if loss >= 0.2 => Some(Self::Mistake),
            loss if loss >= 0.1 => Some(Self::Inaccuracy),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// What the side that moved lost, where -1 is a lost game and 1 a won one; never below 0.
pub(super) fn loss(before: Worth, after: Worth, mover: Color) -> f64 {
    // Points go from 0 to 1, winning chances from -1 to 1.
    let lost = 2.0 * (before.expectation(mover) - after.expectation(mover));
    lost.max(0.0)
}

/// Moves of one side, added up.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub(super) struct Tally {
    pub(super) moves: u32,
    pub(super) inaccuracies: u32,
    pub(super) mistakes: u32,
    pub(super) blunders: u32,
    /// Mean loss of a move on the scale of [`loss`].
    pub(super) average_loss: f64,
}

impl Tally {
    pub(super) fn add(&mut self, loss: f64, judgement: Option<Judgement>) {
        self.moves += 1;
        let weight = 1.0 / f64::from(self.moves);
        self.average_loss += (loss - self.average_loss) * weight;
        match judgement {
            Some(Judgement::Inaccuracy) => self.inaccuracies += 1,
            Some(Judgement::Mistake) => self.mistakes += 1,
            Some(Judgement::Blunder) => self.blunders += 1,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketknight::engine::Score;

    #[test]
    fn losses_are_seen_from_the_side_that_moved() {
        let worth = |score, turn| Worth { score, turn };
        let even = worth(Score::Cp(0), Color::White);
        let mated = worth(Score::Mate(-1), Color::White);
        assert!((loss(even, mated, Color::White) - 1.0).abs() < 1e-9);
        assert!(loss(even, mated, Color::Black).abs() < 1e-9);
        let same = worth(Score::Cp(-80), Color::Black);
        assert!(loss(worth(Score::Cp(80), Color::White), same, Color::White).abs() < 1e-9);
    }

    #[test]
    fn judgements_begin_at_the_bounds_of_lichess() {
        for (loss, expected) in [
            (0.0, None),
            (0.099, None),
            (0.1, Some("inaccuracy")),
            (0.2, Some("mistake")),
            (0.3, Some("blunder")),
            (2.0, Some("blunder")),
        ] {
            assert_eq!(Judgement::of(loss).map(Judgement::name), expected, "{loss}");
        }
    }

    #[test]
    fn tally_counts_and_averages() {
        let mut tally = Tally::default();
        for loss in [0.0, 0.15, 0.25, 0.4] {
            tally.add(loss, Judgement::of(loss));
        }
        assert_eq!(
            (
                tally.moves,
                tally.inaccuracies,
                tally.mistakes,
                tally.blunders
            ),
            (4, 1, 1, 1)
        );
        assert!((tally.average_loss - 0.2).abs() < 1e-9);
    }
}
