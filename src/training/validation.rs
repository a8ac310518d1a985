//! How well a model tells what it was not shown.

use super::goal::{Goal, sigmoid, softplus};
use super::model::{Evaluator, Model};
use super::sample::Sample;
use crate::engine::nnue::{Network, SCALE};

/// Means over a set of samples. `p` stands for the chance to win that was told.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Figures {
    /// Number of samples.
    pub samples: usize,
    /// Squared difference of `p` and the goal: what training makes small.
    pub loss: f64,
    /// Squared difference of `p` and the chance to win by the score alone.
    pub score: f64,
    /// Squared difference of `p` and the result.
    pub result: f64,
    /// Log-loss of `p` for the result.
    pub log_loss: f64,
}

impl Figures {
    fn add(&mut self, sample: &Sample, goal: Goal, logit: f32) {
        let chance = f64::from(sigmoid(logit));
        let square = |expected: f32| (chance - f64::from(expected)).powi(2);
        let result = f64::from(sample.result());
        let logit = f64::from(logit);
        self.samples += 1;
        self.loss += square(goal.target(sample));
        self.score += square(goal.of_score(sample));
        self.result += square(sample.result());
        self.log_loss += result * softplus(-logit) + (1.0 - result) * softplus(logit);
    }

    fn join(mut self, other: &Self) -> Self {
        self.samples += other.samples;
        self.loss += other.loss;
        self.score += other.score;
        self.result += other.result;
        self.log_loss += other.log_loss;
        self
    }

    /// Sums become means.
    fn mean(mut self) -> Self {
        let count = self.samples.max(1) as f64;
        self.loss /= count;
        self.score /= count;
        self.result /= count;
        self.log_loss /= count;
        self
    }
}

/// Figures of something that gives logits; `start` is called once for each thread.
pub(crate) fn judge<F: FnMut(&Sample) -> f32>(
    samples: &[Sample],
    goal: Goal,
    threads: usize,
    start: impl Fn() -> F + Sync,
) -> Figures {
    let share = samples.len().div_ceil(threads.max(1)).max(1);
    let run = |part: &[Sample]| {
        let mut logit = start();
        let mut figures = Figures::default();
        for sample in part {
            figures.add(sample, goal, logit(sample));
        }
        figures
    };
    let run = &run;
    let parts: Vec<Figures> = std::thread::scope(|scope| {
        let threads: Vec<_> = samples
            .chunks(share)
            .map(|part| scope.spawn(move || run(part)))
            .collect();
        threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(figures) => figures,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    parts.iter().fold(Figures::default(), Figures::join).mean()
}

impl Model {
    /// Figures of the model on samples.
    pub fn judge(&self, samples: &[Sample], goal: Goal, threads: usize) -> Figures {
        judge(samples, goal, threads, || {
            let mut evaluator = Evaluator::new(self.architecture());
            move |sample: &Sample| evaluator.evaluate(self, sample)
        })
    }
}

/// Figures of a network on samples, with the integers that the engine uses.
pub fn judge_network(network: &Network, samples: &[Sample], goal: Goal, threads: usize) -> Figures {
    judge(samples, goal, threads, || {
        let mut evaluator = Evaluator::new(network.architecture());
        move |sample: &Sample| evaluator.evaluate_network(network, sample) as f32 / SCALE as f32
    })
}

/// Figures of the one answer for all positions that is right on average.
pub fn judge_constant(samples: &[Sample], goal: Goal, threads: usize) -> Figures {
    let sum: f64 = samples.iter().map(|s| f64::from(goal.target(s))).sum();
    let mean = (sum / samples.len().max(1) as f64).clamp(1e-6, 1.0 - 1e-6);
    let logit = (mean / (1.0 - mean)).ln() as f32;
    judge(samples, goal, threads, || move |_: &Sample| logit)
}

#[cfg(test)]
mod tests {
    use super::super::sample::tests::random_positions;
    use super::*;
    use crate::rules::Color;

    const GOAL: Goal = Goal {
        lambda: 0.5,
        score_scale: 300.0,
    };

    #[test]
    fn figures_are_the_means_they_say_whatever_the_threads() {
        let positions = random_positions(1, 2, 1);
        let samples = [
            Sample::new(&positions[0], 300, Some(positions[0].turn())),
            Sample::new(&positions[1], 0, Some(!positions[1].turn())),
        ];
        for threads in [1, 2, 5] {
            let figures = judge(&samples, GOAL, threads, || |_: &Sample| 0.0);
            assert_eq!(figures.samples, 2);
            // sigmoid(1) = 0.7311: the first target is 0.8655, the second 0.25.
            let expected = [
                f64::midpoint(0.3655f64.powi(2), 0.0625),
                f64::midpoint(0.2311f64.powi(2), 0.0),
                0.25,
                std::f64::consts::LN_2,
            ];
            let actual = [
                figures.loss,
                figures.score,
                figures.result,
                figures.log_loss,
            ];
            for (actual, expected) in actual.into_iter().zip(expected) {
                assert!((actual - expected).abs() < 1e-4, "{actual} {expected}");
            }
        }
        assert_eq!(judge(&[], GOAL, 3, || |_: &Sample| 0.0), Figures::default());
    }

    #[test]
    fn the_best_constant_is_right_on_average() {
        let position = random_positions(1, 1, 1)[0];
        let sample = |winner| Sample::new(&position, 0, winner);
        let samples = [
            sample(Some(Color::White)),
            sample(Some(Color::White)),
            sample(Some(Color::White)),
            sample(Some(Color::Black)),
        ];
        let goal = Goal {
            lambda: 0.0,
            ..GOAL
        };
        let figures = judge_constant(&samples, goal, 1);
        assert!((figures.loss - 3.0 / 16.0).abs() < 1e-6, "{figures:?}");
    }
}
