//! Static evaluation: the one door through which the search asks what a position is worth.

mod psqt;

use super::score::EVAL_LIMIT;
use crate::rules::Position;

/// Worth of a position for the side to move, 300 for odds of e to 1, within -20,000 to 20,000.
#[inline]
pub(crate) fn evaluate(position: &Position) -> i32 {
    psqt::evaluate(position).clamp(-EVAL_LIMIT, EVAL_LIMIT)
}
