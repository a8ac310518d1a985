//! The loop over epochs and batches.

use super::dataset::checksum;
use super::goal::Goal;
use super::gradient::{Worker, work_together};
use super::hash::mix;
use super::kernels::Kernels;
use super::model::Model;
use super::optimizer::{Optimizer, Pace};
use super::sample::Sample;
use crate::engine::nnue::Architecture;
use std::cell::OnceCell;
use std::f64::consts::PI;

/// Everything that decides what comes out of a training, besides the samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Sizes of the network.
    pub architecture: Architecture,
    /// What is learned.
    pub goal: Goal,
    /// Learning rate after the warm-up.
    pub rate: f32,
    /// Share of a weight that is taken away in a step, in units of the learning rate.
    pub weight_decay: f32,
    /// Times that every sample is seen.
    pub epochs: u32,
    /// Samples of a step.
    pub batch: u32,
    /// Steps in which the learning rate rises.
    pub warmup: u32,
    /// Decides the first weights and the order of the samples.
    pub seed: u64,
    /// Threads. With another number the sums are made in another order, so the last bits differ.
    pub threads: u32,
}

/// Learning rate over the steps of a training: it rises evenly, then falls along half a wave of the cosine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Schedule {
    /// Highest rate.
    pub(crate) rate: f32,
    /// Steps of the rise.
    pub(crate) warmup: u64,
    /// All steps.
    pub(crate) steps: u64,
}

/// Learning rate at the end, as a share of the highest.
const LAST_RATE: f64 = 0.02;

impl Schedule {
    /// Learning rate of a step, the first being number 0.
    pub(crate) fn rate_of(&self, step: u64) -> f32 {
        let warmup = self.warmup.min(self.steps);
        let factor = if step < warmup {
            (step + 1) as f64 / warmup as f64
        } else {
            let falling = (self.steps - warmup).max(1);
            let way = ((step - warmup) as f64 / falling as f64).min(1.0);
            LAST_RATE + (1.0 - LAST_RATE) * f64::midpoint(1.0, (PI * way).cos())
        };
        (f64::from(self.rate) * factor) as f32
    }
}

/// How far a training is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EpochProgress {
    /// Current epoch, from 1.
    pub epoch: u32,
    /// Samples seen in this epoch.
    pub seen: usize,
    /// Samples of an epoch.
    pub of: usize,
    /// Mean loss since the last report.
    pub loss: f64,
}

/// A training in progress.
#[derive(Debug)]
pub struct Trainer<'a> {
    settings: Settings,
    samples: &'a [Sample],
    samples_sum: OnceCell<u64>,
    optimizer: Optimizer,
    workers: Vec<Worker>,
    /// Numbers of the samples in the order of the epoch.
    order: Vec<u32>,
    /// Epochs done.
    epochs: u32,
}

/// After a hundredth and after every tenth of an epoch somebody wants to know.
fn is_report(before: usize, now: usize, of: usize) -> bool {
    let mark = |seen: usize| seen * 10 / of + usize::from(seen * 100 >= of);
    mark(before) != mark(now)
}

impl<'a> Trainer<'a> {
    /// Begins with the weights of `first`, or with random ones. Its architecture replaces that of the settings.
    ///
    /// At most 2^32 - 1 samples are used.
    pub fn new(mut settings: Settings, samples: &'a [Sample], first: Option<Model>) -> Self {
        let first = first.unwrap_or_else(|| Model::random(settings.architecture, settings.seed));
        settings.architecture = first.architecture();
        let optimizer = Optimizer::new(&first, Kernels::best());
        Self::resume(settings, samples, optimizer, 0)
    }

    pub(crate) fn resume(
        settings: Settings,
        samples: &'a [Sample],
        optimizer: Optimizer,
        epochs: u32,
    ) -> Self {
        let layout = optimizer.model().layout();
        let samples = &samples[..samples.len().min(u32::MAX as usize)];
        Self {
            workers: (0..settings.threads.max(1))
                .map(|_| Worker::new(layout, Kernels::best()))
                .collect(),
            settings,
            samples,
            samples_sum: OnceCell::new(),
            optimizer,
            order: Vec::new(),
            epochs,
        }
    }

    /// Settings of the training.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Epochs done.
    pub const fn epochs(&self) -> u32 {
        self.epochs
    }

    /// The model as it is now.
    pub const fn model(&self) -> &Model {
        self.optimizer.model()
    }

    pub(crate) const fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// What is learned from.
    pub const fn samples(&self) -> &[Sample] {
        self.samples
    }

    /// Checksum of the samples.
    pub(crate) fn samples_sum(&self) -> u64 {
        *self.samples_sum.get_or_init(|| checksum(self.samples))
    }

    /// Shows every sample to the model once more; without samples nothing happens. Returns the mean loss, each sample
    /// judged before the model has learned from it in this epoch.
    pub fn epoch(&mut self, report: &mut dyn FnMut(EpochProgress)) -> f64 {
        let of = self.samples.len();
        self.epochs += 1;
        if of == 0 {
            return 0.0;
        }
        self.shuffle();
        let batch = self.settings.batch.max(1) as usize;
        let schedule = Schedule {
            rate: self.settings.rate,
            warmup: self.settings.warmup.into(),
            steps: of.div_ceil(batch) as u64 * u64::from(self.settings.epochs),
        };
        let (mut total, mut part, mut reported) = (0.0, 0.0, 0);
        let mut seen = 0;
        for numbers in self.order.chunks(batch) {
            let model = self.optimizer.model();
            let goal = self.settings.goal;
            part += work_together(&mut self.workers, model, self.samples, numbers, goal);
            let pace = Pace {
                rate: schedule.rate_of(self.optimizer.steps),
                weight_decay: self.settings.weight_decay,
            };
            self.optimizer.step(&mut self.workers, pace);
            let before = seen;
            seen += numbers.len();
            if is_report(before, seen, of) {
                report(EpochProgress {
                    epoch: self.epochs,
                    seen,
                    of,
                    loss: part / (seen - reported) as f64,
                });
                total += part;
                (part, reported) = (0.0, seen);
            }
        }
        (total + part) / of as f64
    }

    /// Order of this epoch. It depends on nothing but seed and epoch, so that a resumed training has the same.
    fn shuffle(&mut self) {
        self.order.clear();
        self.order.extend(0..self.samples.len() as u32);
        let seed = mix(self.settings.seed, self.epochs.into());
        fastrand::Rng::with_seed(seed).shuffle(&mut self.order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_rises_and_falls() {
        let schedule = Schedule {
            rate: 0.01,
            warmup: 10,
            steps: 110,
        };
        let near = |step, expected: f32| {
            let rate = schedule.rate_of(step);
            assert!((rate - expected).abs() < 1e-6, "step {step}: {rate}");
        };
        near(0, 0.001);
        near(9, 0.01);
        near(10, 0.01);
        near(60, 0.0051);
        near(110, 0.0002);
        // A training shorter than the warm-up, and one longer than planned.
        near(1_000, 0.0002);
        let short = Schedule {
            steps: 4,
            ..schedule
        };
        assert!((short.rate_of(3) - 0.01).abs() < 1e-6);
    }

    #[test]
    fn reports_come_after_a_hundredth_and_after_every_tenth() {
        let reports = |of: usize, batch: usize| {
            let ends = (0..of)
                .step_by(batch)
                .map(|seen| (seen, (seen + batch).min(of)));
            ends.filter(|&(before, now)| is_report(before, now, of))
                .count()
        };
        assert_eq!(reports(1_000, 10), 11);
        assert_eq!(reports(1_000, 1_000), 1);
        assert_eq!(reports(100_000, 7), 11);
        assert_eq!(reports(3, 1), 3);
    }
}
