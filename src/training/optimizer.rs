//! AdamW: the parameters, what is remembered of their gradients, and the steps.

use super::gradient::Worker;
use super::kernels::{BETAS, Block, Kernels, Moments, Rule};
use super::model::{BIAS_LIMIT, HIDDEN_LIMIT, Layout, Model, OUTPUT_WEIGHT_LIMIT};
use crate::engine::nnue::{QA, QB};

/// Parameters with the running means of AdamW.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Trained {
    pub(crate) values: Vec<Block>,
    pub(crate) means: Vec<Block>,
    pub(crate) squares: Vec<Block>,
}

impl Trained {
    pub(crate) fn new(values: Vec<Block>) -> Self {
        let zero = vec![Block::ZERO; values.len()];
        Self {
            means: zero.clone(),
            squares: zero,
            values,
        }
    }
}

/// A model in training.
///
/// The model itself is always rounded to the integers of the engine: losses and gradients are those of the network
/// that it will be, and what one rounding does wrong others make up for. The parameters behind it are not rounded, so
/// that small steps add up. Rounding only in the end moved values by 5 to 15 units.
///
/// With several king buckets, a row of a bucket is the sum of a row of its own and a row that all buckets share, so
/// that what is true of a feature everywhere need not be learned for each bucket. Only the sum is part of the model.
#[derive(Debug)]
pub(crate) struct Optimizer {
    /// Parameters in the layout of the model; with several king buckets their rows are only the own parts.
    pub(crate) own: Trained,
    /// Rows shared by all king buckets; empty with one.
    pub(crate) shared: Trained,
    /// Steps done.
    pub(crate) steps: u64,
    model: Model,
    kernels: Kernels,
}

/// Learning rate and weight decay of one step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pace {
    pub(crate) rate: f32,
    pub(crate) weight_decay: f32,
}

/// Factors that make up for running means which started at zero, at a step from 1 on.
pub(crate) fn corrections(step: u64) -> [f32; 2] {
    BETAS.map(|beta| (1.0 / (1.0 - f64::from(beta).powf(step as f64))) as f32)
}

/// Rounds `blocks`, the first of which is number `start` of a model, to what the integers of the engine can hold.
fn round(layout: Layout, start: usize, blocks: &mut [Block], kernels: Kernels) {
    // The unit of the biases of the output is too fine to matter.
    let units = [QA, QA, QB];
    for (kind, unit) in layout.kinds(start, blocks.len()).into_iter().zip(units) {
        (kernels.round)(&mut blocks[kind], unit as f32);
    }
}

impl Optimizer {
    /// Begins with the weights of `model`.
    pub(crate) fn new(model: &Model, kernels: Kernels) -> Self {
        let layout = model.layout();
        let mut own = model.blocks().to_vec();
        let size = layout.shared_blocks();
        let mut shared = vec![Block::ZERO; size];
        if size > 0 {
            // What all buckets have in common to begin with: their mean.
            let rows = layout.split_mut(&mut own).rows;
            let share = 1.0 / layout.architecture.king_buckets as f32;
            for bucket in rows.chunks(size) {
                for (sum, row) in shared.iter_mut().zip(bucket) {
                    for (sum, weight) in sum.0.iter_mut().zip(row.0) {
                        *sum += share * weight;
                    }
                }
            }
            for bucket in rows.chunks_mut(size) {
                for (row, shared) in bucket.iter_mut().zip(&shared) {
                    for (weight, shared) in row.0.iter_mut().zip(shared.0) {
                        *weight -= shared;
                    }
                }
            }
        }
        Self::resume(layout, Trained::new(own), Trained::new(shared), 0, kernels)
    }

    /// Goes on after so many steps.
    pub(crate) fn resume(
        layout: Layout,
        own: Trained,
        shared: Trained,
        steps: u64,
        kernels: Kernels,
    ) -> Self {
        let mut optimizer = Self {
            model: Model::zero(layout.architecture),
            own,
            shared,
            steps,
            kernels,
        };
        let model = optimizer.model.blocks_mut();
        model.copy_from_slice(&optimizer.own.values);
        round(layout, 0, model, kernels);
        optimizer.join_rows(1);
        optimizer
    }

    /// The model as it is now.
    pub(crate) const fn model(&self) -> &Model {
        &self.model
    }

    /// Takes one step along the sum of the workers' gradients, on as many threads as there are workers.
    pub(crate) fn step(&mut self, workers: &mut [Worker], pace: Pace) {
        self.steps += 1;
        let threads = workers.len();
        let layout = self.model.layout();
        let corrections = corrections(self.steps);
        let rule = move |decays: bool, limit: f32| Rule {
            rate: pace.rate,
            decay: if decays {
                pace.rate * pace.weight_decay
            } else {
                0.0
            },
            limit,
            corrections,
        };
        let rules = [
            rule(false, BIAS_LIMIT),
            rule(true, HIDDEN_LIMIT),
            rule(true, OUTPUT_WEIGHT_LIMIT),
            rule(false, f32::INFINITY),
        ];
        let kernels = self.kernels;
        let Some((first, others)) = workers.split_first_mut() else {
            return;
        };
        let share = layout.blocks().div_ceil(threads);
        let pieces = self
            .own
            .values
            .chunks_mut(share)
            .zip(self.own.means.chunks_mut(share))
            .zip(self.own.squares.chunks_mut(share))
            .zip(self.model.blocks_mut().chunks_mut(share))
            .zip(first.gradient.chunks_mut(share))
            .enumerate();
        let others = &*others;
        std::thread::scope(|scope| {
            for (number, ((((values, means), squares), model), gradient)) in pieces {
                scope.spawn(move || {
                    let start = number * share;
                    for other in others {
                        (kernels.add)(gradient, &other.gradient[start..][..gradient.len()]);
                    }
                    for (kind, rule) in layout.kinds(start, values.len()).into_iter().zip(rules) {
                        let parameters = Moments {
                            values: &mut values[kind.clone()],
                            means: &mut means[kind.clone()],
                            squares: &mut squares[kind.clone()],
                        };
                        (kernels.step)(parameters, &gradient[kind], rule);
                    }
                    model.copy_from_slice(values);
                    round(layout, start, model, kernels);
                });
            }
        });
        if !self.shared.values.is_empty() {
            self.step_shared(&first.gradient, rules[1], threads);
            self.join_rows(threads);
        }
    }

    /// Takes a step with the shared rows. Their gradient is the sum of those of all buckets.
    fn step_shared(&mut self, gradient: &[Block], rule: Rule, threads: usize) {
        let kernels = self.kernels;
        let layout = self.model.layout();
        let rows = layout.split(gradient).rows;
        let size = self.shared.values.len();
        let share = size.div_ceil(threads);
        let pieces = self
            .shared
            .values
            .chunks_mut(share)
            .zip(self.shared.means.chunks_mut(share))
            .zip(self.shared.squares.chunks_mut(share))
            .enumerate();
        std::thread::scope(|scope| {
            for (number, ((values, means), squares)) in pieces {
                scope.spawn(move || {
                    let mut sum = vec![Block::ZERO; values.len()];
                    for bucket in rows.chunks(size) {
                        (kernels.add)(&mut sum, &bucket[number * share..][..values.len()]);
                    }
                    let parameters = Moments {
                        values,
                        means,
                        squares,
                    };
                    (kernels.step)(parameters, &sum, rule);
                });
            }
        });
    }

    /// Makes the rows of the model from the own and the shared rows.
    fn join_rows(&mut self, threads: usize) {
        let size = self.shared.values.len();
        if size == 0 {
            return;
        }
        let layout = self.model.layout();
        let (shared, kernels) = (&self.shared.values, self.kernels);
        let own = layout.split_mut(&mut self.own.values).rows;
        let rows = self.model.parts_mut().rows;
        let share = size.div_ceil(threads);
        let mut tasks: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
        for (own, rows) in own.chunks_mut(size).zip(rows.chunks_mut(size)) {
            let pieces = own
                .chunks_mut(share)
                .zip(rows.chunks_mut(share))
                .zip(shared.chunks(share));
            for (task, piece) in tasks.iter_mut().zip(pieces) {
                task.push(piece);
            }
        }
        std::thread::scope(|scope| {
            for task in tasks {
                scope.spawn(move || {
                    for ((own, rows), shared) in task {
                        (kernels.join)(own, shared, rows, HIDDEN_LIMIT);
                        (kernels.round)(rows, QA as f32);
                    }
                });
            }
        });
    }
}
