//! Value of a single position, without the accumulators of a search.

use super::super::score::EVAL_LIMIT;
use super::features::{self, MOST_ROWS};
use super::kernels::{Block, Kernels, LANES};
use super::network::{MOST_LANES, Network, QA, QB, SCALE};
use crate::rules::Position;
use arrayvec::ArrayVec;

impl Network {
    /// Worth of a position for the side to move: 300 for odds of e to 1, within -20,000 to 20,000.
    ///
    /// Sums up all rows; a search uses accumulators instead, which give the same value.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let architecture = self.architecture();
        let turn = position.turn();
        let rows = [turn, !turn].map(|color| {
            let mut rows = ArrayVec::<u32, { 2 * MOST_ROWS }>::new();
            features::each_row(position, color, architecture.king_buckets, |row| {
                rows.try_push(row).ok();
            });
            rows
        });
        let head = features::head(position, architecture.heads);
        self.evaluate_rows(&rows[0], &rows[1], head)
    }

    /// The same for a position given as the rows of its features, as the side to move and as the other side sees
    /// them, and its output head. Rows and heads beyond those of the network count nothing.
    pub fn evaluate_rows(&self, own: &[u32], other: &[u32], head: usize) -> i32 {
        let kernels = Kernels::best();
        let width = self.width();
        let mut lanes = [[Block::ZERO; MOST_LANES / LANES]; 2];
        for (lanes, rows) in lanes.iter_mut().zip([own, other]) {
            (kernels.update)(&self.rows, &self.biases, &mut lanes[..width], rows, &[]);
        }
        if head >= self.output_biases.len() {
            return 0;
        }
        self.output(kernels, &lanes[0][..width], &lanes[1][..width], head)
    }

    /// Value for the two accumulators of a position, the one of the side to move first.
    #[inline(always)]
    pub(super) fn output(
        &self,
        kernels: Kernels,
        own: &[Block],
        other: &[Block],
        head: usize,
    ) -> i32 {
        let width = self.width();
        let weights = &self.outputs[head * 2 * width..][..2 * width];
        let (for_own, for_other) = weights.split_at(width);
        let sum = (kernels.output)(own, for_own)
            .wrapping_add((kernels.output)(other, for_other))
            .wrapping_add(self.output_biases[head]);
        let value = i64::from(sum) * i64::from(SCALE) / i64::from(QA * QA * QB);
        (value as i32).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}
