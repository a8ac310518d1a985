//! Arithmetic of the tuning: how far constants are moved, and how the values follow the results.

use crate::engine::ParamInfo;

/// How quickly the distance of the two sets shrinks.
const GAMMA: f64 = 0.101;
/// How quickly the values settle.
const ALPHA: f64 = 0.602;
/// Part of the iterations after which values move half as fast, roughly.
const STABILITY: f64 = 0.1;

/// Length and speed of a tuning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schedule {
    /// Iterations of two games each, at least 1.
    pub iterations: u64,
    /// Part of a step by which one pair of games won 2-0 moves a value at the end, doubled.
    pub rate: f64,
}

impl Schedule {
    /// Rate at which pure chance moves a value by about half a step in all.
    pub fn usual_rate(iterations: u64) -> f64 {
        0.5 / (iterations.max(1) as f64).sqrt()
    }

    /// Distance of both sets from the values in an iteration (from 0), for a constant whose last step is `step`.
    pub(super) fn distance(&self, iteration: u64, step: f64) -> f64 {
        let passed = (iteration + 1) as f64 / self.iterations as f64;
        step / passed.powf(GAMMA)
    }

    /// How far one half point more than the other set moves a value.
    pub(super) fn gain(&self, iteration: u64, step: f64) -> f64 {
        let all = self.iterations as f64;
        let rest = STABILITY * all;
        let slowing = ((all + rest) / ((iteration + 1) as f64 + rest)).powf(ALPHA);
        self.rate * step * step * slowing / self.distance(iteration, step)
    }
}

/// One constant that is tuned.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// The constant.
    pub info: ParamInfo,
    /// Where the tuning began.
    pub start: f64,
    /// Where it is.
    pub value: f64,
}

impl Tuned {
    /// Brings a value into the range of the constant.
    pub(super) fn clamp(&self, value: f64) -> f64 {
        value.clamp(f64::from(self.info.least), f64::from(self.info.most))
    }

    /// The value as the search takes it.
    pub fn rounded(&self) -> i32 {
        self.clamp(self.value).round() as i32
    }

    /// Whole number for a value: the next one below or above by lot, so that small steps count too. `lot` is from
    /// 0 to 1.
    pub(super) fn drawn(&self, value: f64, lot: f64) -> i32 {
        (self.clamp(value) + lot)
            .floor()
            .min(f64::from(self.info.most)) as i32
    }
}
