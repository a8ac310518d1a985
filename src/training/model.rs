//! The network in floating point: what is trained, and what is rounded to integers in the end.

use super::kernels::{Block, Kernels};
use super::sample::{Rows, Sample};
use crate::engine::nnue::{
    Architecture, LANES, Network, OUTPUT_LIMIT, QA, QB,
    features::{MOST_ROWS, ROWS},
};
use std::ops::Range;

/// Largest weight of the hidden layer. With 70 of them and the largest bias an accumulator stays within 16 bits.
pub(crate) const HIDDEN_LIMIT: f32 = 1.7;
/// Largest bias of the hidden layer.
pub(crate) const BIAS_LIMIT: f32 = 8.0;
/// Largest weight of the output that the engine can hold.
pub(crate) const OUTPUT_WEIGHT_LIMIT: f32 = OUTPUT_LIMIT as f32 / QB as f32;

const _: () = {
    let row = (HIDDEN_LIMIT * QA as f32) as i32 + 1;
    let bias = (BIAS_LIMIT * QA as f32) as i32 + 1;
    assert!(row * MOST_ROWS as i32 + bias <= i16::MAX as i32);
};

/// Where the parts of a model stand among its blocks: biases and rows of the hidden layer, weights of the output (for
/// each head those of the own view, then those of the other), and one block with the biases of the heads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    pub(crate) architecture: Architecture,
}

/// The parts of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) biases: &'a [Block],
    pub(crate) rows: &'a [Block],
    pub(crate) outputs: &'a [Block],
    pub(crate) output_biases: &'a Block,
}

/// The same to be changed.
#[derive(Debug)]
pub(crate) struct PartsMut<'a> {
    pub(crate) biases: &'a mut [Block],
    pub(crate) rows: &'a mut [Block],
    pub(crate) outputs: &'a mut [Block],
    pub(crate) output_biases: &'a mut Block,
}

impl Layout {
    /// Blocks of a row.
    pub(crate) const fn width(self) -> usize {
        self.architecture.hidden / LANES
    }

    /// Blocks up to the end of each part.
    pub(crate) const fn ends(self) -> [usize; 4] {
        let width = self.width();
        let rows = width + self.architecture.rows() * width;
        let outputs = rows + 2 * self.architecture.heads * width;
        [width, rows, outputs, outputs + 1]
    }

    /// Which of `length` blocks from `start` on belong to each part.
    pub(crate) fn kinds(self, start: usize, length: usize) -> [Range<usize>; 4] {
        let mut from = 0;
        self.ends().map(|end| {
            let to = end.saturating_sub(start).clamp(from, length);
            std::mem::replace(&mut from, to)..to
        })
    }

    /// Blocks of the rows that all king buckets share; none with one bucket.
    pub(crate) const fn shared_blocks(self) -> usize {
        if self.architecture.king_buckets > 1 {
            ROWS * self.width()
        } else {
            0
        }
    }

    /// Blocks of a model.
    pub(crate) const fn blocks(self) -> usize {
        self.ends()[3]
    }

    /// Parts of [`Layout::blocks`] blocks.
    pub(crate) fn split(self, blocks: &[Block]) -> Parts<'_> {
        let [biases, rows, outputs, _] = self.ends();
        Parts {
            biases: &blocks[..biases],
            rows: &blocks[biases..rows],
            outputs: &blocks[rows..outputs],
            output_biases: &blocks[outputs],
        }
    }

    /// Parts of [`Layout::blocks`] blocks.
    pub(crate) fn split_mut(self, blocks: &mut [Block]) -> PartsMut<'_> {
        let [first, rows, outputs, _] = self.ends();
        let (hidden, rest) = blocks.split_at_mut(rows);
        let (biases, rows_part) = hidden.split_at_mut(first);
        let (outputs_part, last) = rest.split_at_mut(outputs - rows);
        PartsMut {
            biases,
            rows: rows_part,
            outputs: outputs_part,
            output_biases: &mut last[0],
        }
    }
}

/// Weights of a network, in units of 1.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    layout: Layout,
    blocks: Vec<Block>,
}

impl Model {
    /// Model whose weights are all zero.
    ///
    /// The architecture must be known ([`Architecture::is_known`]).
    pub(crate) fn zero(architecture: Architecture) -> Self {
        let layout = Layout { architecture };
        Self {
            layout,
            blocks: vec![Block::ZERO; layout.blocks()],
        }
    }

    /// Model to begin with: small random weights, and biases that leave all lanes active.
    pub fn random(architecture: Architecture, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut model = Self::zero(architecture);
        let output = 1.0 / (2.0 * architecture.hidden as f32).sqrt();
        let row_blocks = architecture.rows() * model.layout.width() / architecture.king_buckets;
        let parts = model.parts_mut();
        let mut fill = |blocks: &mut [Block], middle: f32, spread: f32| {
            for value in blocks.iter_mut().flat_map(|block| &mut block.0) {
                *value = middle + spread * (2.0 * random.f32() - 1.0);
            }
        };
        fill(parts.biases, 0.1, 0.05);
        // All king buckets begin alike.
        let (first, others) = parts.rows.split_at_mut(row_blocks);
        fill(first, 0.0, 0.08);
        for other in others.chunks_mut(row_blocks) {
            other.copy_from_slice(first);
        }
        fill(parts.outputs, 0.0, output);
        model
    }

    /// Model of a network's weights, to be trained further.
    pub fn from_network(network: &Network) -> Self {
        let mut model = Self::zero(network.architecture());
        let parts = model.parts_mut();
        let copy = |to: &mut [Block], from: &[crate::engine::nnue::Block], unit: i32| {
            for (to, from) in to.iter_mut().zip(from) {
                *to = Block(from.0.map(|weight| f32::from(weight) / unit as f32));
            }
        };
        copy(parts.biases, &network.biases, QA);
        copy(parts.rows, &network.rows, QA);
        copy(parts.outputs, &network.outputs, QB);
        let unit = (QA * QA * QB) as f32;
        for (to, &bias) in parts.output_biases.0.iter_mut().zip(&network.output_biases) {
            *to = bias as f32 / unit;
        }
        model
    }

    /// Sizes.
    pub const fn architecture(&self) -> Architecture {
        self.layout.architecture
    }

    pub(crate) const fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(crate) fn blocks_mut(&mut self) -> &mut [Block] {
        &mut self.blocks
    }

    pub(crate) fn parts(&self) -> Parts<'_> {
        self.layout.split(&self.blocks)
    }

    pub(crate) fn parts_mut(&mut self) -> PartsMut<'_> {
        self.layout.split_mut(&mut self.blocks)
    }
}

/// Room to evaluate one position after the other with models of one size.
#[derive(Clone, Debug)]
pub struct Evaluator {
    pub(crate) kernels: Kernels,
    pub(crate) own: Rows,
    pub(crate) other: Rows,
    pub(crate) head: usize,
    /// Of the own view, then of the other.
    pub(crate) activations: Vec<Block>,
}

impl Evaluator {
    /// Evaluator for models of an architecture.
    pub fn new(architecture: Architecture) -> Self {
        Self::with_kernels(architecture, Kernels::best())
    }

    pub(crate) fn with_kernels(architecture: Architecture, kernels: Kernels) -> Self {
        let width = Layout { architecture }.width();
        Self {
            kernels,
            own: Rows::new(),
            other: Rows::new(),
            head: 0,
            activations: vec![Block::ZERO; 2 * width],
        }
    }

    /// Logit of the chance to win for the side to move.
    #[inline]
    pub fn evaluate(&mut self, model: &Model, sample: &Sample) -> f32 {
        let architecture = model.architecture();
        let width = model.layout().width();
        sample.rows(architecture.king_buckets, &mut self.own, &mut self.other);
        self.head = sample.head(architecture.heads);
        let Parts {
            biases,
            rows,
            outputs,
            output_biases,
        } = model.parts();
        let outputs = &outputs[2 * self.head * width..][..2 * width];
        let (for_own, for_other) = outputs.split_at(width);
        let (of_own, of_other) = self.activations.split_at_mut(width);
        output_biases.0[self.head]
            + (self.kernels.forward)(biases, rows, for_own, &self.own, of_own)
            + (self.kernels.forward)(biases, rows, for_other, &self.other, of_other)
    }

    /// The same for a network of this architecture: units of the engine, with its integers.
    #[inline]
    pub fn evaluate_network(&mut self, network: &Network, sample: &Sample) -> i32 {
        let architecture = network.architecture();
        sample.rows(architecture.king_buckets, &mut self.own, &mut self.other);
        network.evaluate_rows(&self.own, &self.other, sample.head(architecture.heads))
    }
}
