//! Constants of the search.
//!
//! Unit of values, unless another one is named: 300 stand for odds of e to 1. Depths are plies. Most figures are
//! starting points from duels of a few hundred games at 1,500 to 5,000 nodes a move; where a comment names a
//! measurement, it is of this search.

/// First half width of the aspiration window.
pub(crate) const ASPIRATION: i32 = 25;
/// First depth that is searched with a window.
pub(crate) const ASPIRATION_DEPTH: i32 = 4;

/// Reverse futility: deepest depth, and the margin of each ply.
pub(crate) const REVERSE_FUTILITY_DEPTH: i32 = 7;
pub(crate) const REVERSE_FUTILITY: i32 = 45;

/// Razoring: deepest depth, and the margin of each ply below alpha.
pub(crate) const RAZOR_DEPTH: i32 = 2;
pub(crate) const RAZOR: i32 = 350;

/// Null move: least depth, and how far the evaluation must be above beta (0 measured 24 Elo worse).
pub(crate) const NULL_DEPTH: i32 = 3;
pub(crate) const NULL_MARGIN: i32 = 60;
/// Null move: from this depth on a fail high is verified.
pub(crate) const NULL_VERIFY_DEPTH: i32 = 14;

/// Internal iterative reduction: least depth.
pub(crate) const IIR_DEPTH: i32 = 5;

/// Late-move pruning: quiet moves tried at depth 0, before the square of the depth is added.
pub(crate) const LATE_MOVES: i32 = 4;
/// Late-move pruning: deepest depth.
pub(crate) const LATE_MOVES_DEPTH: i32 = 8;

/// Futility of a quiet move: deepest reduced depth, base and margin of each ply.
pub(crate) const FUTILITY_DEPTH: i32 = 6;
pub(crate) const FUTILITY: i32 = 100;
pub(crate) const FUTILITY_PLY: i32 = 80;

/// History pruning: deepest reduced depth, and the history of each ply of depth.
pub(crate) const HISTORY_PRUNE_DEPTH: i32 = 3;
pub(crate) const HISTORY_PRUNE: i32 = -3500;

/// Exchange pruning: loss of each ply, quiet and noisy moves.
pub(crate) const SEE_QUIET: i32 = -60;
pub(crate) const SEE_NOISY: i32 = -120;
/// Exchange pruning: deepest depth.
pub(crate) const SEE_DEPTH: i32 = 8;

/// Late-move reduction: `LMR_BASE + ln(depth) ln(move) / LMR_DIVISOR`, plies.
pub(crate) const LMR_BASE: f64 = 0.5;
pub(crate) const LMR_DIVISOR: f64 = 2.25;
/// Late-move reduction in 1/1024 plies: more at cut nodes and without improvement, less for expected lines, checks
/// and noisy moves.
pub(crate) const LMR_CUT: i32 = 1024;
pub(crate) const LMR_NOT_IMPROVING: i32 = 400;
pub(crate) const LMR_PV: i32 = 700;
pub(crate) const LMR_CHECK: i32 = 600;
pub(crate) const LMR_NOISY: i32 = 800;
/// Late-move reduction: history worth one ply less.
pub(crate) const LMR_HISTORY: i32 = 6144;

/// Delta pruning in quiescence: what a capture may gain beyond its victim.
pub(crate) const DELTA: i32 = 150;
/// Quiet evasions tried in quiescence while the score is not lost.
pub(crate) const QUIET_EVASIONS: i32 = 2;

/// Ordering: worth of a check that loses nothing.
pub(crate) const CHECK_BONUS: i32 = 10_000;
/// Ordering: cost of landing where an enemy pawn can take a better piece.
pub(crate) const PAWN_ATTACK_MALUS: i32 = 3_000;
