//! Floating-point arithmetic of the trainer on whole rows.
//!
//! As in the engine, the loops are written once and compiled twice: for the instructions that every CPU of the
//! platform has, and for AVX2. Sums are made in the same fixed order in both and no product is fused with a sum, so
//! both give the same bits.

use crate::engine::nnue::LANES;
use std::sync::OnceLock;

/// Piece of a row: as many lanes as the engine keeps in a block.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [f32; LANES]);

impl Block {
    /// All zero.
    pub(crate) const ZERO: Self = Self([0.0; LANES]);
}

/// Blocks that are kept in registers while rows are added to them or they are added to rows.
const TILE: usize = 2;

/// What an AdamW step does to the parameters of one kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rule {
    /// Learning rate.
    pub(crate) rate: f32,
    /// Share of a parameter that a step takes away: learning rate times weight decay.
    pub(crate) decay: f32,
    /// Parameters are kept within -limit to limit.
    pub(crate) limit: f32,
    /// `1 / (1 - beta^step)` of the first and the second moment, which start at zero.
    pub(crate) corrections: [f32; 2],
}

/// Decay of the running mean of the gradient and of its square.
pub(crate) const BETAS: [f32; 2] = [0.9, 0.999];
/// Keeps the division finite where there was no gradient yet.
const EPSILON: f32 = 1e-8;

/// Parameters, and what AdamW knows about each: running means of its gradient and of the square of its gradient.
pub(crate) struct Moments<'a> {
    pub(crate) values: &'a mut [Block],
    pub(crate) means: &'a mut [Block],
    pub(crate) squares: &'a mut [Block],
}

/// Gradient of one view's part of the model.
pub(crate) struct ViewGradient<'a> {
    pub(crate) biases: &'a mut [Block],
    pub(crate) rows: &'a mut [Block],
    pub(crate) outputs: &'a mut [Block],
}

/// Functions for one set of instructions.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    /// One view of a position: writes the activations (0 to 1) of `biases` plus the rows `active` and returns the sum
    /// of their squares times `outputs`.
    pub(crate) forward: fn(
        biases: &[Block],
        rows: &[Block],
        outputs: &[Block],
        active: &[u32],
        activations: &mut [Block],
    ) -> f32,
    /// Adds the gradient of one view, `slope` being that of the loss by the output.
    pub(crate) backward: fn(
        activations: &[Block],
        outputs: &[Block],
        active: &[u32],
        slope: f32,
        gradient: ViewGradient<'_>,
    ),
    /// `to += from`.
    pub(crate) add: fn(to: &mut [Block], from: &[Block]),
    /// One step of AdamW.
    pub(crate) step: fn(parameters: Moments<'_>, gradient: &[Block], rule: Rule),
    /// Rounds to whole multiples of `1 / unit`; values times `unit` must be less than 2^22.
    pub(crate) round: fn(blocks: &mut [Block], unit: f32),
    /// `sum = own + shared`, kept within -limit to limit; where that cuts something off, `own` is cut as well.
    pub(crate) join: fn(own: &mut [Block], shared: &[Block], sum: &mut [Block], limit: f32),
    /// For reports.
    pub(crate) name: &'static str,
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// For every CPU.
pub(crate) const PORTABLE: Kernels = Kernels {
    forward: forward_view,
    backward: backward_view,
    add: add_blocks,
    step: adam_step,
    round: round_blocks,
    join: join_blocks,
    name: "portable",
};

impl Kernels {
    /// The best that this CPU can run.
    pub(crate) fn best() -> Self {
        static BEST: OnceLock<Kernels> = OnceLock::new();
        *BEST.get_or_init(|| {
            #[cfg(target_arch = "x86_64")]
            if let Some(kernels) = avx2::kernels() {
                return kernels;
            }
            PORTABLE
        })
    }
}

#[inline(always)]
fn forward_view(
    biases: &[Block],
    rows: &[Block],
    outputs: &[Block],
    active: &[u32],
    activations: &mut [Block],
) -> f32 {
    let mut sums = [0.0; LANES];
    let width = biases.len();
    let mut start = 0;
    while start + TILE <= width {
        forward_tile::<TILE>(biases, rows, outputs, active, activations, start, &mut sums);
        start += TILE;
    }
    while start < width {
        forward_tile::<1>(biases, rows, outputs, active, activations, start, &mut sums);
        start += 1;
    }
    sums.iter().sum()
}

#[inline(always)]
fn forward_tile<const N: usize>(
    biases: &[Block],
    rows: &[Block],
    outputs: &[Block],
    active: &[u32],
    activations: &mut [Block],
    start: usize,
    sums: &mut [f32; LANES],
) {
    let width = biases.len();
    let (Some(biases), Some(outputs), Some(activations)) = (
        biases[start..].first_chunk::<N>(),
        outputs[start..].first_chunk::<N>(),
        activations[start..].first_chunk_mut::<N>(),
    ) else {
        return;
    };
    let mut lanes = *biases;
    for &row in active {
        let Some(row) = rows[row as usize * width + start..].first_chunk::<N>() else {
            continue;
        };
        for (lanes, row) in lanes.iter_mut().zip(row) {
            for (lane, weight) in lanes.0.iter_mut().zip(row.0) {
                *lane += weight;
            }
        }
    }
    for ((lanes, outputs), activations) in lanes.iter().zip(outputs).zip(activations) {
        for i in 0..LANES {
            let value = lanes.0[i];
            let value = if value > 0.0 { value } else { 0.0 };
            let value = if value < 1.0 { value } else { 1.0 };
            activations.0[i] = value;
            sums[i] += value * value * outputs.0[i];
        }
    }
}

#[inline(always)]
fn backward_view(
    activations: &[Block],
    outputs: &[Block],
    active: &[u32],
    slope: f32,
    gradient: ViewGradient<'_>,
) {
    let width = activations.len();
    let ViewGradient {
        biases,
        rows,
        outputs: output_gradient,
    } = gradient;
    let mut start = 0;
    while start < width {
        let tile = if start + TILE <= width { TILE } else { 1 };
        let inputs = Inputs {
            activations,
            outputs,
            active,
            slope,
        };
        let gradient = ViewGradient {
            biases,
            rows,
            outputs: output_gradient,
        };
        if tile == TILE {
            backward_tile::<TILE>(&inputs, gradient, start);
        } else {
            backward_tile::<1>(&inputs, gradient, start);
        }
        start += tile;
    }
}

/// What a step back through one view starts from.
struct Inputs<'a> {
    activations: &'a [Block],
    outputs: &'a [Block],
    active: &'a [u32],
    slope: f32,
}

#[inline(always)]
fn backward_tile<const N: usize>(inputs: &Inputs<'_>, gradient: ViewGradient<'_>, start: usize) {
    let width = inputs.activations.len();
    let (Some(activations), Some(outputs), Some(biases), Some(output_gradient)) = (
        inputs.activations[start..].first_chunk::<N>(),
        inputs.outputs[start..].first_chunk::<N>(),
        gradient.biases[start..].first_chunk_mut::<N>(),
        gradient.outputs[start..].first_chunk_mut::<N>(),
    ) else {
        return;
    };
    let slope = inputs.slope;
    let mut changes = [Block::ZERO; N];
    for n in 0..N {
        for i in 0..LANES {
            let value = activations[n].0[i];
            output_gradient[n].0[i] += slope * (value * value);
            // The square is flat below 0, where the activation is 0, and cut off from 1 on.
            let slope = if value < 1.0 { 2.0 * slope } else { 0.0 };
            let change = slope * outputs[n].0[i] * value;
            changes[n].0[i] = change;
            biases[n].0[i] += change;
        }
    }
    for &row in inputs.active {
        let at = row as usize * width + start;
        let Some(row) = gradient.rows[at..].first_chunk_mut::<N>() else {
            continue;
        };
        for (row, changes) in row.iter_mut().zip(&changes) {
            for (sum, change) in row.0.iter_mut().zip(changes.0) {
                *sum += change;
            }
        }
    }
}

#[inline(always)]
fn add_blocks(to: &mut [Block], from: &[Block]) {
    for (to, from) in to.iter_mut().zip(from) {
        for (to, from) in to.0.iter_mut().zip(from.0) {
            *to += from;
        }
    }
}

#[inline(always)]
fn adam_step(parameters: Moments<'_>, gradient: &[Block], rule: Rule) {
    let keep = 1.0 - rule.decay;
    let parts = parameters
        .values
        .iter_mut()
        .zip(parameters.means)
        .zip(parameters.squares)
        .zip(gradient);
    for (((values, means), squares), gradient) in parts {
        for i in 0..LANES {
            let slope = gradient.0[i];
            let mean = BETAS[0] * means.0[i] + (1.0 - BETAS[0]) * slope;
            let square = BETAS[1] * squares.0[i] + (1.0 - BETAS[1]) * (slope * slope);
            means.0[i] = mean;
            squares.0[i] = square;
            let spread = (square * rule.corrections[1]).sqrt() + EPSILON;
            let value = values.0[i] * keep - rule.rate * (mean * rule.corrections[0]) / spread;
            let value = if value > -rule.limit {
                value
            } else {
                -rule.limit
            };
            values.0[i] = if value < rule.limit {
                value
            } else {
                rule.limit
            };
        }
    }
}

/// A sum with this number has no digits behind the point left, whatever the smaller number had.
const NO_FRACTION: f32 = (3 << 22) as f32;

#[inline(always)]
fn round_blocks(blocks: &mut [Block], unit: f32) {
    for block in blocks {
        for value in &mut block.0 {
            *value = ((*value * unit + NO_FRACTION) - NO_FRACTION) / unit;
        }
    }
}

#[inline(always)]
fn join_blocks(own: &mut [Block], shared: &[Block], sum: &mut [Block], limit: f32) {
    for ((own, shared), sum) in own.iter_mut().zip(shared).zip(sum) {
        for i in 0..LANES {
            let whole = own.0[i] + shared.0[i];
            let cut = if whole > -limit { whole } else { -limit };
            let cut = if cut < limit { cut } else { limit };
            own.0[i] += cut - whole;
            sum.0[i] = cut;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! The same loops for AVX2.

    use super::{
        Block, Kernels, Moments, Rule, ViewGradient, adam_step, add_blocks, backward_view,
        forward_view, join_blocks, round_blocks,
    };

    /// `None` on a CPU without AVX2.
    pub(super) fn kernels() -> Option<Kernels> {
        is_x86_feature_detected!("avx2").then_some(Kernels {
            forward,
            backward,
            add,
            step,
            round,
            join,
            name: "AVX2",
        })
    }

    /// Defines `$name`, which runs `$loops` compiled for AVX2.
    macro_rules! for_avx2 {
        ($name:ident = $loops:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
            fn $name($($argument: $type),*) $(-> $result)? {
                #[target_feature(enable = "avx2")]
                fn compiled($($argument: $type),*) $(-> $result)? {
                    $loops($($argument),*)
                }
                // SAFETY: only handed out after AVX2 was detected.
                #[expect(unsafe_code, reason = "call of a function that needs AVX2")]
                unsafe {
                    compiled($($argument),*)
                }
            }
        };
    }

    for_avx2!(forward = forward_view(
        biases: &[Block],
        rows: &[Block],
        outputs: &[Block],
        active: &[u32],
        activations: &mut [Block]
    ) -> f32);
    for_avx2!(backward = backward_view(
        activations: &[Block],
        outputs: &[Block],
        active: &[u32],
        slope: f32,
        gradient: ViewGradient<'_>
    ));
    for_avx2!(add = add_blocks(to: &mut [Block], from: &[Block]));
    for_avx2!(step = adam_step(parameters: Moments<'_>, gradient: &[Block], rule: Rule));
    for_avx2!(round = round_blocks(blocks: &mut [Block], unit: f32));
    for_avx2!(join = join_blocks(
        own: &mut [Block],
        shared: &[Block],
        sum: &mut [Block],
        limit: f32
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(random: &mut fastrand::Rng, count: usize) -> Vec<Block> {
        let lanes = |random: &mut fastrand::Rng| std::array::from_fn(|_| random.f32() - 0.5);
        (0..count).map(|_| Block(lanes(random))).collect()
    }

    /// Everything that one position and one step leave behind.
    fn run(kernels: Kernels, width: usize) -> (f32, Vec<Block>) {
        let mut random = fastrand::Rng::with_seed(width as u64);
        let rows = blocks(&mut random, 50 * width);
        let biases = blocks(&mut random, width);
        let outputs = blocks(&mut random, width);
        let active: Vec<u32> = (0..30).map(|_| random.u32(0..50)).collect();
        let mut activations = vec![Block::ZERO; width];
        let output = (kernels.forward)(&biases, &rows, &outputs, &active, &mut activations);
        let mut gradient = blocks(&mut random, 52 * width);
        let (for_biases, rest) = gradient.split_at_mut(width);
        let (for_outputs, for_rows) = rest.split_at_mut(width);
        let parts = ViewGradient {
            biases: for_biases,
            rows: for_rows,
            outputs: for_outputs,
        };
        (kernels.backward)(&activations, &outputs, &active, 0.3, parts);
        let (mut values, mut means) = (rows.clone(), vec![Block::ZERO; 50 * width]);
        let mut squares = means.clone();
        let parameters = Moments {
            values: &mut values,
            means: &mut means,
            squares: &mut squares,
        };
        let rule = Rule {
            rate: 0.01,
            decay: 0.001,
            limit: 0.4,
            corrections: [10.0, 1000.0],
        };
        (kernels.step)(parameters, &gradient, rule);
        let mut sums = rows.clone();
        (kernels.join)(&mut values, &rows, &mut sums, 0.7);
        let mut rounded = rows.clone();
        (kernels.round)(&mut rounded, 255.0);
        (kernels.add)(&mut gradient, &activations);
        let left = [gradient, values, means, squares, activations, sums, rounded];
        (output, left.concat())
    }

    #[test]
    fn kernels_of_this_cpu_agree_with_the_portable_ones_bit_for_bit() {
        for width in [1, 2, 3, 4, 8, 32] {
            let best = Kernels::best();
            assert_eq!(run(best, width), run(PORTABLE, width), "{best:?} {width}");
        }
    }

    #[test]
    fn rounding_gives_the_nearest_multiple() {
        let mut block = Block::ZERO;
        block.0[..6].copy_from_slice(&[0.3, -0.3, 1.0, -1.126, 0.124, 1000.01]);
        let mut blocks = [block];
        (Kernels::best().round)(&mut blocks, 4.0);
        assert_eq!(blocks[0].0[..6], [0.25, -0.25, 1.0, -1.25, 0.0, 1000.0]);
    }

    #[test]
    fn a_step_moves_each_value_by_the_rate_and_keeps_it_within_its_limit() {
        let mut values = vec![Block([0.1; LANES])];
        values[0].0[2] = -0.095;
        let (mut means, mut squares) = (vec![Block::ZERO], vec![Block::ZERO]);
        let mut gradient = Block::ZERO;
        gradient.0[..3].copy_from_slice(&[5.0, -0.001, 7.0]);
        let parameters = Moments {
            values: &mut values,
            means: &mut means,
            squares: &mut squares,
        };
        let rule = Rule {
            rate: 0.01,
            decay: 0.0,
            limit: 0.1,
            corrections: [10.0, 1000.0],
        };
        (Kernels::best().step)(parameters, &[gradient], rule);
        let expected = [0.09, 0.1, -0.1, 0.1];
        for (value, expected) in values[0].0.into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-5, "{value} {expected}");
        }
    }
}
