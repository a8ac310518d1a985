//! The simplest model that sees what a network sees: one weight for each row of the own view. What a network gains
//! over it is what the hidden layer is good for.

use super::goal::{Goal, sigmoid};
use super::hash::mix;
use super::kernels::{Block, Kernels, Moments, Rule};
use super::optimizer::{Trained, corrections};
use super::sample::{Rows, Sample};
use super::trainer::Schedule;
use super::validation::{Figures, judge};
use crate::engine::nnue::{LANES, features::ROWS};

/// More samples than this teach so few weights nothing new.
const MOST_SAMPLES: usize = 2_000_000;
const BATCH: usize = 1_024;
/// Steps that are enough, if the samples need not be seen too often for that.
const STEPS: usize = 2_000;
const RATE: f32 = 0.02;

/// Lane of the bias, behind the weights.
const BIAS: usize = ROWS;
const BLOCKS: usize = (ROWS + 1).div_ceil(LANES);

/// Linear model.
#[derive(Clone, PartialEq, Debug)]
pub struct Linear {
    blocks: Vec<Block>,
}

impl Linear {
    /// Trains on the calling thread.
    pub fn train(samples: &[Sample], goal: Goal, seed: u64) -> Self {
        let kernels = Kernels::best();
        let mut trained = Trained::new(vec![Block::ZERO; BLOCKS]);
        let stride = samples.len().div_ceil(MOST_SAMPLES).max(1);
        let mut order: Vec<u32> = (0..samples.len().min(u32::MAX as usize) as u32)
            .step_by(stride)
            .collect();
        let batches = order.len().div_ceil(BATCH).max(1);
        let epochs = (STEPS / batches).clamp(4, 32) as u64;
        let schedule = Schedule {
            rate: RATE,
            warmup: 0,
            steps: epochs * batches as u64,
        };
        let mut rows = [Rows::new(), Rows::new()];
        let mut steps = 0;
        for epoch in 0..epochs {
            fastrand::Rng::with_seed(mix(seed, epoch)).shuffle(&mut order);
            for numbers in order.chunks(BATCH) {
                let mut gradient = vec![Block::ZERO; BLOCKS];
                for &number in numbers {
                    let sample = &samples[number as usize];
                    let chance = sigmoid(logit(&trained.values, &mut rows, sample));
                    let error = chance - goal.target(sample);
                    let slope = 2.0 * error * chance * (1.0 - chance) / numbers.len() as f32;
                    for &row in &rows[0] {
                        gradient[row as usize / LANES].0[row as usize % LANES] += slope;
                    }
                    gradient[BIAS / LANES].0[BIAS % LANES] += slope;
                }
                let rule = Rule {
                    rate: schedule.rate_of(steps),
                    decay: 0.0,
                    limit: f32::INFINITY,
                    corrections: corrections(steps + 1),
                };
                let parameters = Moments {
                    values: &mut trained.values,
                    means: &mut trained.means,
                    squares: &mut trained.squares,
                };
                (kernels.step)(parameters, &gradient, rule);
                steps += 1;
            }
        }
        Self {
            blocks: trained.values,
        }
    }

    /// Figures of the model on samples.
    pub fn judge(&self, samples: &[Sample], goal: Goal, threads: usize) -> Figures {
        judge(samples, goal, threads, || {
            let mut rows = [Rows::new(), Rows::new()];
            move |sample: &Sample| logit(&self.blocks, &mut rows, sample)
        })
    }
}

/// Logit of the chance to win; leaves the rows of both views in `rows`.
fn logit(blocks: &[Block], rows: &mut [Rows; 2], sample: &Sample) -> f32 {
    let [own, other] = rows;
    sample.rows(1, own, other);
    let weight = |row: usize| blocks[row / LANES].0[row % LANES];
    own.iter()
        .fold(weight(BIAS), |sum, &row| sum + weight(row as usize))
}

#[cfg(test)]
mod tests {
    use super::super::training_tests::material_samples;
    use super::super::validation::judge_constant;
    use super::*;

    #[test]
    fn material_is_learned() {
        let goal = Goal {
            lambda: 1.0,
            score_scale: 300.0,
        };
        let samples = material_samples(150);
        let (learn, check) = samples.split_at(samples.len() * 9 / 10);
        let loss = Linear::train(learn, goal, 1).judge(check, goal, 1).loss;
        let constant = judge_constant(check, goal, 1).loss;
        assert!(loss < constant / 5.0, "{loss}, constant {constant}");
    }
}
