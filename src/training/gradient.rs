//! Gradient of the loss on a batch, shared out among threads.

use super::goal::{Goal, sigmoid};
use super::kernels::{Block, Kernels, ViewGradient};
use super::model::{Evaluator, Layout, Model, PartsMut};
use super::sample::Sample;

/// One thread's part of the work on a batch.
#[derive(Debug)]
pub(crate) struct Worker {
    layout: Layout,
    evaluator: Evaluator,
    /// Gradient of its samples.
    pub(crate) gradient: Vec<Block>,
    /// Sum of the losses of its samples.
    pub(crate) loss: f64,
    /// Its samples, fetched together so that the waits for memory overlap.
    samples: Vec<Sample>,
}

impl Worker {
    pub(crate) fn new(layout: Layout, kernels: Kernels) -> Self {
        Self {
            layout,
            evaluator: Evaluator::with_kernels(layout.architecture, kernels),
            gradient: vec![Block::ZERO; layout.blocks()],
            loss: 0.0,
            samples: Vec::new(),
        }
    }

    /// Works out loss and gradient on the samples that `numbers` names; each counts `weight` in the gradient.
    pub(crate) fn work(
        &mut self,
        model: &Model,
        samples: &[Sample],
        numbers: &[u32],
        goal: Goal,
        weight: f32,
    ) {
        self.gradient.fill(Block::ZERO);
        self.loss = 0.0;
        self.samples.clear();
        let chosen = numbers.iter().map(|&number| samples[number as usize]);
        self.samples.extend(chosen);
        for at in 0..self.samples.len() {
            let sample = self.samples[at];
            self.learn(model, &sample, goal, weight);
        }
    }

    fn learn(&mut self, model: &Model, sample: &Sample, goal: Goal, weight: f32) {
        let evaluator = &mut self.evaluator;
        let chance = sigmoid(evaluator.evaluate(model, sample));
        let error = chance - goal.target(sample);
        self.loss += f64::from(error * error);
        let slope = weight * 2.0 * error * chance * (1.0 - chance);
        let width = self.layout.width();
        let first = 2 * evaluator.head * width;
        let PartsMut {
            biases,
            rows,
            outputs,
            output_biases,
        } = self.layout.split_mut(&mut self.gradient);
        output_biases.0[evaluator.head] += slope;
        let weights = &model.parts().outputs[first..][..2 * width];
        let outputs = &mut outputs[first..][..2 * width];
        let views = evaluator
            .activations
            .chunks(width)
            .zip(weights.chunks(width))
            .zip(outputs.chunks_mut(width))
            .zip([&evaluator.own, &evaluator.other]);
        for (((activations, weights), outputs), active) in views {
            let gradient = ViewGradient {
                biases: &mut *biases,
                rows: &mut *rows,
                outputs,
            };
            (evaluator.kernels.backward)(activations, weights, active, slope, gradient);
        }
    }
}

/// Loss (sum over the samples) of a batch. The workers run at the same time, each on its own share; their gradients
/// are left to the optimiser, which adds them up.
pub(crate) fn work_together(
    workers: &mut [Worker],
    model: &Model,
    samples: &[Sample],
    numbers: &[u32],
    goal: Goal,
) -> f64 {
    let weight = 1.0 / numbers.len() as f32;
    let share = numbers.len().div_ceil(workers.len()).max(1);
    let mut shares = numbers.chunks(share);
    let mut tasks = workers
        .iter_mut()
        .map(|worker| (worker, shares.next().unwrap_or_default()));
    // This thread does the first share.
    let first = tasks.next();
    std::thread::scope(|scope| {
        for (worker, numbers) in tasks {
            scope.spawn(move || worker.work(model, samples, numbers, goal, weight));
        }
        if let Some((worker, numbers)) = first {
            worker.work(model, samples, numbers, goal, weight);
        }
    });
    workers.iter().map(|worker| worker.loss).sum()
}

#[cfg(test)]
mod tests {
    use super::super::sample::tests::random_positions;
    use super::*;
    use crate::engine::nnue::Architecture;
    use crate::rules::Color;

    const GOAL: Goal = Goal {
        lambda: 0.7,
        score_scale: 300.0,
    };

    fn samples() -> Vec<Sample> {
        let mut random = fastrand::Rng::with_seed(2);
        let positions = random_positions(2, 60, 5);
        let label = |position| {
            let winner = [Some(Color::White), Some(Color::Black), None][random.usize(0..3)];
            Sample::new(position, random.i16(-900..900), winner)
        };
        positions.iter().map(label).collect()
    }

    fn loss(model: &Model, samples: &[Sample]) -> f64 {
        let mut evaluator = Evaluator::new(model.architecture());
        let squares = samples.iter().map(|sample| {
            let logit = f64::from(evaluator.evaluate(model, sample));
            (1.0 / (1.0 + (-logit).exp()) - f64::from(GOAL.target(sample))).powi(2)
        });
        squares.sum::<f64>() / samples.len() as f64
    }

    /// The gradient says how the loss changes when a parameter is changed a little.
    #[test]
    fn gradient_equals_the_change_of_the_loss() {
        let samples = samples();
        let numbers: Vec<u32> = (0..samples.len() as u32).collect();
        for (king_buckets, heads) in [(1, 1), (4, 9)] {
            let architecture = Architecture {
                hidden: 32,
                king_buckets,
                heads,
            };
            let mut model = Model::random(architecture, 3);
            // Some lanes far above 1, where the activation is cut off; no lane close to that bend.
            for block in model.parts_mut().biases {
                block.0[..8].fill(2.5);
            }
            let layout = model.layout();
            let mut workers: Vec<Worker> = (0..3)
                .map(|_| Worker::new(layout, Kernels::best()))
                .collect();
            let sum = work_together(&mut workers, &model, &samples, &numbers, GOAL);
            let mean = sum / samples.len() as f64;
            assert!((mean - loss(&model, &samples)).abs() < 1e-5);
            let gradient: Vec<f64> = (0..layout.blocks() * 32)
                .map(|at| {
                    let part = |worker: &Worker| f64::from(worker.gradient[at / 32].0[at % 32]);
                    workers.iter().map(part).sum()
                })
                .collect();
            // The largest of each part, and some others.
            let mut random = fastrand::Rng::with_seed(9);
            let mut chosen = Vec::new();
            let mut start = 0;
            for end in layout.ends().map(|end| end * 32) {
                let largest =
                    (start..end).max_by(|&a, &b| gradient[a].abs().total_cmp(&gradient[b].abs()));
                chosen.extend(largest);
                chosen.extend((0..40).map(|_| random.usize(start..end)));
                start = end;
            }
            let scale = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
            assert!(scale > 1e-3, "{scale}");
            let mut active = 0;
            for at in chosen {
                let mut shifted = |by: f32| {
                    let value = &mut model.blocks_mut()[at / 32].0[at % 32];
                    let before = *value;
                    *value = before + by;
                    let result = loss(&model, &samples);
                    model.blocks_mut()[at / 32].0[at % 32] = before;
                    result
                };
                let step = 1e-3;
                let numeric = (shifted(step) - shifted(-step)) / (2.0 * f64::from(step));
                let error = (numeric - gradient[at]).abs();
                assert!(
                    error < 2e-2 * gradient[at].abs() + 1e-3 * scale,
                    "parameter {at}: {} but the loss changes by {numeric}",
                    gradient[at]
                );
                active += u32::from(gradient[at].abs() > 1e-2 * scale);
            }
            assert!(active > 20, "{active} parameters with a gradient");
        }
    }
}
