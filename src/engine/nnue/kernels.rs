//! Integer arithmetic of the network on whole rows.
//!
//! The loops are written once. They are compiled twice, for the instructions that every CPU of the platform has and
//! for AVX2, and the better set that the CPU offers is chosen once. Integer sums do not depend on their order, so
//! both give the same bits.

use super::network::QA;
use std::sync::OnceLock;

/// Lanes of a block: one cache line.
pub const LANES: usize = 32;

/// Piece of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

impl Block {
    /// All zero.
    pub const ZERO: Self = Self([0; LANES]);
}

/// Most blocks that are kept in registers while rows are added to them.
const TILE: usize = 4;

/// See [`Kernels::update`]: rows, from, to, added, removed.
pub(crate) type Update = fn(&[Block], &[Block], &mut [Block], &[u32], &[u32]);

/// Functions for one set of instructions.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    /// `to = from + rows[added] - rows[removed]`, lane by lane, wrapping. `from` and `to` have the width of a row.
    pub(crate) update: Update,
    /// Sum of `clamp(v, 0, QA)^2 * w` over the lanes of both slices, which have the same length; wrapping.
    pub(crate) output: fn(values: &[Block], weights: &[Block]) -> i32,
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
    update: update_rows,
    output: output_sum,
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
fn update_rows(rows: &[Block], from: &[Block], to: &mut [Block], added: &[u32], removed: &[u32]) {
    let width = to.len();
    let mut start = 0;
    while start < width {
        let end = (start + TILE).min(width);
        if end - start == TILE {
            update_tile::<TILE>(rows, from, to, added, removed, start);
            start = end;
        } else {
            update_tile::<1>(rows, from, to, added, removed, start);
            start += 1;
        }
    }
}

#[inline(always)]
fn update_tile<const N: usize>(
    rows: &[Block],
    from: &[Block],
    to: &mut [Block],
    added: &[u32],
    removed: &[u32],
    start: usize,
) {
    let width = to.len();
    let part = |row: u32| {
        let at = row as usize * width + start;
        rows[at..].first_chunk::<N>()
    };
    let Some(mut sum) = from[start..].first_chunk::<N>().copied() else {
        return;
    };
    for row in added.iter().filter_map(|&row| part(row)) {
        for (sum, row) in sum.iter_mut().zip(row) {
            for (sum, weight) in sum.0.iter_mut().zip(row.0) {
                *sum = sum.wrapping_add(weight);
            }
        }
    }
    for row in removed.iter().filter_map(|&row| part(row)) {
        for (sum, row) in sum.iter_mut().zip(row) {
            for (sum, weight) in sum.0.iter_mut().zip(row.0) {
                *sum = sum.wrapping_sub(weight);
            }
        }
    }
    to[start..start + N].copy_from_slice(&sum);
}

#[inline(always)]
fn output_sum(values: &[Block], weights: &[Block]) -> i32 {
    let mut sums = [0i32; LANES / 2];
    for (values, weights) in values.iter().zip(weights) {
        for (i, sum) in sums.iter_mut().enumerate() {
            // Both products of a pair are added in one instruction.
            for lane in [2 * i, 2 * i + 1] {
                let value = values.0[lane].clamp(0, QA as i16);
                let product = value.wrapping_mul(weights.0[lane]);
                *sum = sum.wrapping_add(i32::from(product) * i32::from(value));
            }
        }
    }
    sums.iter().fold(0, |sum, &part| sum.wrapping_add(part))
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! The same loops for AVX2, and intrinsics where the compiler does not find the instructions.

    use super::{Block, Kernels, QA, update_rows};
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16,
        _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    };

    /// `None` on a CPU without AVX2.
    pub(super) fn kernels() -> Option<Kernels> {
        is_x86_feature_detected!("avx2").then_some(Kernels {
            update,
            output,
            name: "AVX2",
        })
    }

    #[target_feature(enable = "avx2")]
    fn update_avx2(
        rows: &[Block],
        from: &[Block],
        to: &mut [Block],
        added: &[u32],
        removed: &[u32],
    ) {
        update_rows(rows, from, to, added, removed);
    }

    fn update(rows: &[Block], from: &[Block], to: &mut [Block], added: &[u32], removed: &[u32]) {
        // SAFETY: only handed out after AVX2 was detected.
        #[expect(unsafe_code, reason = "call of a function that needs AVX2")]
        unsafe {
            update_avx2(rows, from, to, added, removed);
        }
    }

    #[target_feature(enable = "avx2")]
    fn output_avx2(values: &[Block], weights: &[Block]) -> i32 {
        let zero = _mm256_setzero_si256();
        let most = _mm256_set1_epi16(QA as i16);
        let mut sums = [zero; 2];
        for (values, weights) in values.iter().zip(weights) {
            for (half, sum) in sums.iter_mut().enumerate() {
                let value = load(values, half);
                let weight = load(weights, half);
                let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), most);
                let product = _mm256_mullo_epi16(value, weight);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(product, value));
            }
        }
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        #[expect(
            unsafe_code,
            reason = "there is no safe way from a register to its lanes"
        )]
        // SAFETY: both are 32 bytes without any that have no meaning.
        let parts = unsafe { std::mem::transmute::<__m256i, [i32; 8]>(sum) };
        parts.iter().fold(0, |sum, &part| sum.wrapping_add(part))
    }

    /// One half of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(block: &Block, half: usize) -> __m256i {
        let halves = std::ptr::from_ref(block).cast::<[__m256i; 2]>();
        // SAFETY: a block is as large as two registers, aligned to 64 bytes, and every lane has a meaning in both.
        #[expect(unsafe_code, reason = "load of a register")]
        let halves = unsafe { &*halves };
        halves[half]
    }

    fn output(values: &[Block], weights: &[Block]) -> i32 {
        // SAFETY: only handed out after AVX2 was detected.
        #[expect(unsafe_code, reason = "call of a function that needs AVX2")]
        unsafe {
            output_avx2(values, weights)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(random: &mut fastrand::Rng, count: usize, most: i16) -> Vec<Block> {
        let lanes = |random: &mut fastrand::Rng| std::array::from_fn(|_| random.i16(-most..=most));
        (0..count).map(|_| Block(lanes(random))).collect()
    }

    #[test]
    fn kernels_of_this_cpu_agree_with_the_portable_ones_bit_for_bit() {
        let best = Kernels::best();
        let mut random = fastrand::Rng::with_seed(5);
        for width in [1, 2, 3, 4, 5, 8, 12, 16, 32] {
            for _ in 0..20 {
                let rows = blocks(&mut random, 40 * width, 32_767);
                let from = blocks(&mut random, width, 32_767);
                let some: Vec<u32> = (0..9).map(|_| random.u32(0..40)).collect();
                let split = random.usize(0..=9);
                let mut results = [vec![Block::ZERO; width], vec![Block::ZERO; width]];
                for (kernels, to) in [PORTABLE, best].iter().zip(&mut results) {
                    (kernels.update)(&rows, &from, to, &some[..split], &some[split..]);
                }
                assert_eq!(results[0], results[1], "{best:?}");
                let lane = random.usize(0..LANES);
                let mut expected = from[width - 1].0[lane];
                for (i, &row) in some.iter().enumerate() {
                    let weight = rows[(row as usize + 1) * width - 1].0[lane];
                    expected = if i < split {
                        expected.wrapping_add(weight)
                    } else {
                        expected.wrapping_sub(weight)
                    };
                }
                assert_eq!(results[0][width - 1].0[lane], expected);

                let values = blocks(&mut random, width, 400);
                let weights = blocks(&mut random, width, 127);
                let sum = (best.output)(&values, &weights);
                assert_eq!(sum, (PORTABLE.output)(&values, &weights), "{best:?}");
                let plain = values
                    .iter()
                    .zip(&weights)
                    .flat_map(|(v, w)| v.0.into_iter().zip(w.0));
                let plain: i64 = plain
                    .map(|(v, w)| i64::from(v.clamp(0, 255)).pow(2) * i64::from(w))
                    .sum();
                assert_eq!(i64::from(sum), plain);
            }
        }
    }
}
