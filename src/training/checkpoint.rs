//! A training put aside after an epoch, to be taken up again as if nothing had happened.
//!
//! ```text
//! magic "PKTC", format version 1, CRC-32 of all that follows
//! settings, hash of the definition of the inputs, number and checksum of the samples, epochs and steps done
//! losses so far: two lists of pairs
//! parameters with both running means, the rows shared by all king buckets with theirs
//! ```
//!
//! All numbers are little-endian.

use super::curve::Curve;
use super::files::{is_special, write_whole};
use super::goal::Goal;
use super::kernels::{Block, Kernels};
use super::model::Layout;
use super::optimizer::{Optimizer, Trained};
use super::sample::Sample;
use super::trainer::{Settings, Trainer};
use crate::engine::nnue::features::definition_hash;
use crate::engine::nnue::{Architecture, LANES};
use std::fs;
use std::io;
use std::path::Path;

const MAGIC: &[u8; 4] = b"PKTC";
const VERSION: u32 = 1;
/// Magic, version and checksum.
const HEADER: usize = 12;
/// Most points of a list of losses that are believed.
const MOST_POINTS: u64 = 1 << 24;

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Something else than a checkpoint.
    #[error("not a checkpoint: it does not begin with \"PKTC\"")]
    NoCheckpoint,
    /// File of a later or earlier program.
    #[error("format version {0}, expected {VERSION}")]
    Version(u32),
    /// Damaged.
    #[error("damaged: checksum {0:08x}, expected {1:08x}")]
    Checksum(u32, u32),
    /// Cut off, or a number that no training writes.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// The inputs have changed since.
    #[error("trained on other inputs: hash {0:08x}, expected {1:08x}")]
    Inputs(u32, u32),
    /// Other samples than those that the training was started with.
    #[error(
        "belongs to a training on {expected} samples with checksum {expected_sum:016x}, not on these {found} with \
         {found_sum:016x}"
    )]
    Samples {
        /// Number of samples given.
        found: u64,
        /// Their checksum.
        found_sum: u64,
        /// Number of samples of the training.
        expected: u64,
        /// Their checksum.
        expected_sum: u64,
    },
}

/// A training between two epochs, without its samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    settings: Settings,
    samples: u64,
    samples_sum: u64,
    epochs: u32,
    steps: u64,
    curve: Curve,
    own: Trained,
    shared: Trained,
}

impl Checkpoint {
    /// Takes down where a training stands.
    pub fn of(trainer: &Trainer<'_>, curve: &Curve) -> Self {
        let optimizer = trainer.optimizer();
        Self {
            settings: *trainer.settings(),
            samples: trainer.samples().len() as u64,
            samples_sum: trainer.samples_sum(),
            epochs: trainer.epochs(),
            steps: optimizer.steps,
            curve: curve.clone(),
            own: optimizer.own.clone(),
            shared: optimizer.shared.clone(),
        }
    }

    /// Settings of the training.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Goes on, with the losses so far.
    ///
    /// # Errors
    /// If the samples are not those of the training.
    pub fn resume(self, samples: &[Sample]) -> Result<(Trainer<'_>, Curve), CheckpointError> {
        let layout = Layout {
            architecture: self.settings.architecture,
        };
        let kernels = Kernels::best();
        let optimizer = Optimizer::resume(layout, self.own, self.shared, self.steps, kernels);
        let trainer = Trainer::resume(self.settings, samples, optimizer, self.epochs);
        let (found, found_sum) = (trainer.samples().len() as u64, trainer.samples_sum());
        if (found, found_sum) != (self.samples, self.samples_sum) {
            return Err(CheckpointError::Samples {
                found,
                found_sum,
                expected: self.samples,
                expected_sum: self.samples_sum,
            });
        }
        Ok((trainer, self.curve))
    }

    /// Writes a file; the one that was there stays whole until the new one is.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &self.to_bytes())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is anything but a whole checkpoint of this version.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        if is_special(path) {
            return Err(io::Error::other("it is not a file").into());
        }
        Self::from_bytes(&fs::read(path)?)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let Settings {
            architecture,
            goal,
            rate,
            weight_decay,
            epochs,
            batch,
            warmup,
            seed,
            threads,
        } = self.settings;
        let mut bytes = Vec::new();
        let sizes = [
            architecture.hidden as u32,
            architecture.king_buckets as u32,
            architecture.heads as u32,
            goal.lambda.to_bits(),
            goal.score_scale.to_bits(),
            rate.to_bits(),
            weight_decay.to_bits(),
            epochs,
            batch,
            warmup,
            threads,
            definition_hash(),
            self.epochs,
        ];
        for number in sizes {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [seed, self.samples, self.samples_sum, self.steps] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for points in [&self.curve.training, &self.curve.validation] {
            bytes.extend_from_slice(&(points.len() as u64).to_le_bytes());
            for number in points.iter().flat_map(|&(epoch, loss)| [epoch, loss]) {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        for trained in [&self.own, &self.shared] {
            for blocks in [&trained.values, &trained.means, &trained.squares] {
                for number in blocks.iter().flat_map(|block| block.0) {
                    bytes.extend_from_slice(&number.to_le_bytes());
                }
            }
        }
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        file.append(&mut bytes);
        file
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        if !bytes.starts_with(MAGIC) {
            return Err(CheckpointError::NoCheckpoint);
        }
        let mut input = Input(&bytes[MAGIC.len()..]);
        let version = input.u32()?;
        if version != VERSION {
            return Err(CheckpointError::Version(version));
        }
        let expected = input.u32()?;
        let actual = crc32fast::hash(&bytes[HEADER..]);
        if actual != expected {
            return Err(CheckpointError::Checksum(actual, expected));
        }
        let architecture = Architecture {
            hidden: input.u32()? as usize,
            king_buckets: input.u32()? as usize,
            heads: input.u32()? as usize,
        };
        if !architecture.is_known() {
            return Err(CheckpointError::Damaged("unknown architecture"));
        }
        let goal = Goal {
            lambda: f32::from_bits(input.u32()?),
            score_scale: f32::from_bits(input.u32()?),
        };
        let rate = f32::from_bits(input.u32()?);
        let weight_decay = f32::from_bits(input.u32()?);
        let [epochs, batch, warmup, threads] = input.u32s()?;
        let inputs = input.u32()?;
        if inputs != definition_hash() {
            return Err(CheckpointError::Inputs(inputs, definition_hash()));
        }
        let done = input.u32()?;
        let seed = input.u64()?;
        let (samples, samples_sum, steps) = (input.u64()?, input.u64()?, input.u64()?);
        let curve = Curve {
            training: input.points()?,
            validation: input.points()?,
        };
        let layout = Layout { architecture };
        let checkpoint = Self {
            settings: Settings {
                architecture,
                goal,
                rate,
                weight_decay,
                epochs,
                batch,
                warmup,
                seed,
                threads,
            },
            samples,
            samples_sum,
            epochs: done,
            steps,
            curve,
            own: input.trained(layout.blocks())?,
            shared: input.trained(layout.shared_blocks())?,
        };
        if input.0.is_empty() {
            Ok(checkpoint)
        } else {
            Err(CheckpointError::Damaged("something behind the end"))
        }
    }
}

/// Rest of a file.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], CheckpointError> {
        let (first, rest) = self
            .0
            .split_first_chunk()
            .ok_or(CheckpointError::Damaged("cut off"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn u32(&mut self) -> Result<u32, CheckpointError> {
        self.take().map(u32::from_le_bytes)
    }

    fn u32s<const N: usize>(&mut self) -> Result<[u32; N], CheckpointError> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.u32()?;
        }
        Ok(numbers)
    }

    fn u64(&mut self) -> Result<u64, CheckpointError> {
        self.take().map(u64::from_le_bytes)
    }

    fn points(&mut self) -> Result<Vec<(f64, f64)>, CheckpointError> {
        let count = self.u64()?;
        if count > MOST_POINTS {
            return Err(CheckpointError::Damaged("too many losses"));
        }
        let mut number = || self.take().map(f64::from_le_bytes);
        (0..count).map(|_| Ok((number()?, number()?))).collect()
    }

    fn trained(&mut self, blocks: usize) -> Result<Trained, CheckpointError> {
        Ok(Trained {
            values: self.blocks(blocks)?,
            means: self.blocks(blocks)?,
            squares: self.blocks(blocks)?,
        })
    }

    fn blocks(&mut self, count: usize) -> Result<Vec<Block>, CheckpointError> {
        let (these, rest) = self
            .0
            .split_at_checked(count * LANES * 4)
            .ok_or(CheckpointError::Damaged("cut off"))?;
        self.0 = rest;
        let lanes = |bytes: &[u8]| {
            let mut block = Block::ZERO;
            for (lane, bytes) in block.0.iter_mut().zip(bytes.chunks_exact(4)) {
                *lane = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
            block
        };
        Ok(these.chunks_exact(LANES * 4).map(lanes).collect())
    }
}
