//! State of a tuning, and its file.

use super::spsa::{Schedule, Tuned};
use crate::engine::{ParamInfo, Params};
use crate::training::files::{is_special, write_whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Version of the file.
const FORMAT: u32 = 1;

/// A tuning: what is tuned, by which games, and how far it has come.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Length and speed.
    pub schedule: Schedule,
    /// Nodes a move.
    pub nodes: u64,
    /// Transposition table of each player, MiB.
    pub hash_mib: usize,
    /// Seed of all that is drawn by lot.
    pub seed: u64,
    /// Finished iterations.
    pub done: u64,
    /// The constants.
    pub tuned: Vec<Tuned>,
}

/// Why a state cannot be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// No constant has this name.
    #[error("search constant {0:?}, expected a name that `pocketknight tune --list` shows")]
    Unknown(String),
    /// The same name again.
    #[error("search constant {0:?} is named twice")]
    Twice(String),
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A directory or a device.
    #[error("expected a plain file")]
    NoFile,
    /// No state of a tuning.
    #[error("not the state of a tuning: {0}")]
    Text(#[from] serde_json::Error),
    /// File of another version, or values that no tuning writes.
    #[error("state of a tuning: {name} is {value}, expected {expected}")]
    Value {
        /// Name in the file.
        name: String,
        /// Value.
        value: String,
        /// What was expected.
        expected: String,
    },
}

/// The file: JSON.
#[derive(Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    iterations: u64,
    rate: f64,
    nodes: u64,
    hash_mib: usize,
    seed: u64,
    done: u64,
    /// By name: start and value.
    constants: BTreeMap<String, [f64; 2]>,
}

impl State {
    /// Tuning of the constants `names` that has not begun.
    ///
    /// # Errors
    /// If a name is unknown or comes twice.
    pub fn new<'a>(
        names: impl IntoIterator<Item = &'a str>,
        schedule: Schedule,
        nodes: u64,
        hash_mib: usize,
        seed: u64,
    ) -> Result<Self, StateError> {
        let mut tuned: Vec<Tuned> = Vec::new();
        for name in names {
            let info = info(name)?;
            if tuned.iter().any(|other| other.info == info) {
                return Err(StateError::Twice(name.to_owned()));
            }
            let start = f64::from(info.default);
            tuned.push(Tuned {
                info,
                start,
                value: start,
            });
        }
        tuned.sort_by_key(|one| one.info.name);
        Ok(Self {
            schedule,
            nodes,
            hash_mib,
            seed,
            done: 0,
            tuned,
        })
    }

    /// Whether `other` is the same tuning, no matter how far it has come.
    pub fn is_same_tuning(&self, other: &Self) -> bool {
        let begun = |state: &Self| {
            let mut state = state.clone();
            state.done = 0;
            for tuned in &mut state.tuned {
                tuned.value = tuned.start;
            }
            state
        };
        begun(self) == begun(other)
    }

    /// Seed of one iteration.
    pub(super) fn seed_of(&self, iteration: u64) -> u64 {
        self.seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(iteration.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    /// Whether each constant goes up in the first set of an iteration, and the lot for whole numbers.
    fn lots(&self, iteration: u64) -> impl Iterator<Item = (f64, f64)> + use<> {
        let mut random = fastrand::Rng::with_seed(self.seed_of(iteration) ^ 1);
        std::iter::repeat_with(move || {
            let up = if random.bool() { 1.0 } else { -1.0 };
            (up, random.f64())
        })
    }

    /// Both sets of an iteration, to be played against each other.
    pub(super) fn pair_of(&self, iteration: u64) -> [Params; 2] {
        let mut pair = [self.params(), self.params()];
        for (tuned, (up, lot)) in self.tuned.iter().zip(self.lots(iteration)) {
            let distance = self.schedule.distance(iteration, tuned.info.step());
            for (params, side) in pair.iter_mut().zip([up, -up]) {
                let value = tuned.drawn(tuned.value + side * distance, lot);
                // The value lies in the range of the constant.
                params.set(tuned.info.name, value).ok();
            }
        }
        pair
    }

    /// Takes the results of the next iterations in, in order: half points that the first set won more.
    pub(super) fn learn(&mut self, results: &[i32]) {
        for &result in results {
            let lots = self.lots(self.done);
            for (tuned, (up, _)) in self.tuned.iter_mut().zip(lots) {
                let gain = self.schedule.gain(self.done, tuned.info.step());
                tuned.value = tuned.clamp(tuned.value + gain * up * f64::from(result));
            }
            self.done += 1;
        }
    }

    /// The values as the search takes them.
    pub fn params(&self) -> Params {
        let mut params = Params::default();
        for tuned in &self.tuned {
            // The value lies in the range of the constant.
            params.set(tuned.info.name, tuned.rounded()).ok();
        }
        params
    }

    /// Reads the state that [`State::write`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read or does not hold the state of a tuning.
    pub fn read(path: &Path) -> Result<Self, StateError> {
        if is_special(path) {
            return Err(StateError::NoFile);
        }
        let stored: Stored = serde_json::from_str(&fs::read_to_string(path)?)?;
        let check = |name: &str, value: String, fits: bool, expected: &str| {
            fits.then_some(()).ok_or_else(|| StateError::Value {
                name: name.to_owned(),
                value,
                expected: expected.to_owned(),
            })
        };
        let format = stored.format;
        check(
            "format",
            format.to_string(),
            format == FORMAT,
            &FORMAT.to_string(),
        )?;
        let iterations = stored.iterations;
        check(
            "iterations",
            iterations.to_string(),
            iterations > 0,
            "at least 1",
        )?;
        let done = stored.done;
        check(
            "done",
            done.to_string(),
            done <= iterations,
            "at most the iterations",
        )?;
        let rate = stored.rate;
        check(
            "rate",
            rate.to_string(),
            rate > 0.0 && rate <= 1.0,
            "above 0, at most 1",
        )?;
        check(
            "nodes",
            stored.nodes.to_string(),
            stored.nodes > 0,
            "at least 1",
        )?;
        let mib = stored.hash_mib;
        check(
            "hash_mib",
            mib.to_string(),
            (1..=65_536).contains(&mib),
            "1 to 65536",
        )?;
        let mut tuned = Vec::new();
        for (name, [start, value]) in stored.constants {
            let info = info(&name)?;
            let range = f64::from(info.least)..=f64::from(info.most);
            let expected = format!("{} to {}", info.least, info.most);
            for number in [start, value] {
                check(
                    &name,
                    number.to_string(),
                    range.contains(&number),
                    &expected,
                )?;
            }
            tuned.push(Tuned { info, start, value });
        }
        Ok(Self {
            schedule: Schedule { iterations, rate },
            nodes: stored.nodes,
            hash_mib: mib,
            seed: stored.seed,
            done,
            tuned,
        })
    }

    /// Writes the state, whole or not at all.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), StateError> {
        let constants = self
            .tuned
            .iter()
            .map(|tuned| (tuned.info.name.to_owned(), [tuned.start, tuned.value]));
        let stored = Stored {
            format: FORMAT,
            iterations: self.schedule.iterations,
            rate: self.schedule.rate,
            nodes: self.nodes,
            hash_mib: self.hash_mib,
            seed: self.seed,
            done: self.done,
            constants: constants.collect(),
        };
        let mut text = serde_json::to_string_pretty(&stored)?;
        text.push('\n');
        Ok(write_whole(path, text.as_bytes())?)
    }
}

fn info(name: &str) -> Result<ParamInfo, StateError> {
    let found = Params::LIST.iter().find(|info| info.name == name);
    found
        .copied()
        .ok_or_else(|| StateError::Unknown(name.to_owned()))
}
