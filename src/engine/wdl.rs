//! From a score to the chances of the game.

use super::score::Score;

/// Chances of the side to move, per mille; the three add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// Chance to win.
    pub win: u32,
    /// Chance of a draw.
    pub draw: u32,
    /// Chance to lose.
    pub loss: u32,
}

/// Score of a position that is won as often as not: draws leave a little room between it and its mirror image.
const EVEN: f64 = 3.25;
/// Units of a score for each logit of the chance to win. In play the better side makes more of its score than the
/// 300 units suggest that a network was trained to.
const SCALE: f64 = 205.0;

impl Wdl {
    /// Chances of a score.
    ///
    /// A game is won with the chance `1 / (1 + exp((EVEN - cp) / SCALE))`, lost with that of the score negated. The
    /// two numbers are those of the greatest likelihood on 32,132 positions of 500 games that the network gen7 played
    /// against itself with 4,500 and 5,000 nodes a move; of these games 0.6 % were drawn. In each of ten equally large
    /// groups of positions the mean result lies within 0.021 of the prediction.
    pub fn of(score: Score) -> Self {
        match score {
            Score::Mate(moves) => Self::certain(moves > 0),
            Score::Cp(cp) => {
                let chance = |cp: f64| 1.0 / (1.0 + ((EVEN - cp) / SCALE).exp());
                let per_mille = |cp| (1000.0 * chance(cp)).round() as u32;
                let (win, loss) = (per_mille(f64::from(cp)), per_mille(-f64::from(cp)));
                // Both are below a half at an even score, and one is nothing where the other is nearly all.
                let draw = 1000_u32.saturating_sub(win + loss);
                Self {
                    win: win.min(1000 - loss.min(1000)),
                    draw,
                    loss,
                }
            }
        }
    }

    /// Nothing left to hope or to fear.
    const fn certain(win: bool) -> Self {
        let (win, loss) = if win { (1000, 0) } else { (0, 1000) };
        Self { win, draw: 0, loss }
    }

    /// Points to expect: 0 to 1.
    pub fn expectation(self) -> f64 {
        f64::from(2 * self.win + self.draw) / 2000.0
    }

    /// The same chances for the other side.
    pub const fn flipped(self) -> Self {
        Self {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_and_rise_with_the_score() {
        let mut last = 0.0;
        for cp in (-20_000..=20_000).step_by(7) {
            let wdl = Wdl::of(Score::Cp(cp));
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "{cp}");
            assert_eq!(wdl.flipped(), Wdl::of(Score::Cp(-cp)), "{cp}");
            assert!(wdl.expectation() >= last, "{cp}");
            last = wdl.expectation();
        }
        assert!(last > 0.999);
        let even = Wdl::of(Score::Cp(0));
        assert_eq!((even.win, even.loss), (496, 496));
    }

    #[test]
    fn mates_are_certain() {
        for (moves, expectation) in [(1, 1.0), (30, 1.0), (-1, 0.0), (0, 0.0)] {
            let wdl = Wdl::of(Score::Mate(moves));
            assert!((wdl.expectation() - expectation).abs() < 1e-9, "{moves}");
        }
    }
}
