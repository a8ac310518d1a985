//! What a model learns to say: a chance to win, mixed from the score of a search and the result of the game.

use super::sample::Sample;

/// Chance to win for a logit.
#[inline]
pub fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// How scores and results become a chance to win.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Goal {
    /// Share of the score, 0 to 1; the rest is the result.
    pub lambda: f32,
    /// Units of the scores for one logit, greater than 0.
    pub score_scale: f32,
}

impl Goal {
    /// Chance to win by the score alone.
    #[inline]
    pub fn of_score(self, sample: &Sample) -> f32 {
        sigmoid(f32::from(sample.score()) / self.score_scale)
    }

    /// Chance to win that a model should give.
    #[inline]
    pub fn target(self, sample: &Sample) -> f32 {
        self.lambda * self.of_score(sample) + (1.0 - self.lambda) * sample.result()
    }
}

/// Scales that a fit can find.
const SCALES: [f64; 2] = [20.0, 20_000.0];

/// Units of the scores for one logit under which the scores tell the results best (least log-loss), and that
/// log-loss. `None` without samples.
pub fn fit_score_scale(samples: &[Sample]) -> Option<(f32, f64)> {
    // Few scores are possible: their counts say all.
    let mut counts = vec![(0.0f64, 0.0f64); 1 << 16];
    for sample in samples {
        let (count, points) = &mut counts[(i32::from(sample.score()) + 32_768) as usize];
        *count += 1.0;
        *points += f64::from(sample.result());
    }
    let counts: Vec<_> = (-32_768..)
        .zip(counts)
        .filter(|(_, (count, _))| *count > 0.0)
        .map(|(score, (count, points))| (f64::from(score), count, points))
        .collect();
    if counts.is_empty() {
        return None;
    }
    let loss = |log_scale: f64| {
        let losses = counts.iter().map(|&(score, count, points)| {
            let logit = score / log_scale.exp();
            points * softplus(-logit) + (count - points) * softplus(logit)
        });
        losses.sum::<f64>() / samples.len() as f64
    };
    // The loss is convex in 1 / scale and so has one valley: golden section.
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let [mut low, mut high] = SCALES.map(f64::ln);
    let mut left = high - ratio * (high - low);
    let mut right = low + ratio * (high - low);
    let (mut left_loss, mut right_loss) = (loss(left), loss(right));
    while high - low > 1e-4 {
        if left_loss <= right_loss {
            (high, right, right_loss) = (right, left, left_loss);
            left = high - ratio * (high - low);
            left_loss = loss(left);
        } else {
            (low, left, left_loss) = (left, right, right_loss);
            right = low + ratio * (high - low);
            right_loss = loss(right);
        }
    }
    let middle = low.midpoint(high);
    Some((middle.exp() as f32, loss(middle)))
}

/// `ln(1 + e^x)` without overflow.
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Color, Position, Variant};

    #[test]
    fn the_fit_finds_the_scale_that_made_the_results() {
        let position = Position::start(Variant::Crazyhouse);
        let mut random = fastrand::Rng::with_seed(1);
        for scale in [300.0, 650.0] {
            let samples: Vec<Sample> = (0..40_000)
                .map(|_| {
                    let score = random.i16(-1500..=1500);
                    let wins = random.f32() < sigmoid(f32::from(score) / scale);
                    let winner = if wins { Color::White } else { Color::Black };
                    Sample::new(&position, score, Some(winner))
                })
                .collect();
            let (fitted, log_loss) = fit_score_scale(&samples).unwrap();
            assert!((fitted / scale - 1.0).abs() < 0.05, "{fitted} for {scale}");
            assert!(log_loss < std::f64::consts::LN_2, "{log_loss}");
        }
        assert_eq!(fit_score_scale(&[]), None);
    }

    #[test]
    fn the_goal_lies_between_score_and_result() {
        let position = Position::start(Variant::Crazyhouse);
        let sample = Sample::new(&position, 300, Some(Color::Black));
        let target = |lambda| {
            let goal = Goal {
                lambda,
                score_scale: 300.0,
            };
            goal.target(&sample)
        };
        assert!((target(1.0) - 0.731_06).abs() < 1e-4);
        assert!(target(0.0).abs() < 1e-6);
        assert!((target(0.7) - 0.7 * 0.731_06).abs() < 1e-4);
    }
}
