//! What the search remembers of moves, apart from positions: which ones were good elsewhere in the tree.

use crate::rules::{Color, Move, Piece, Position, Role, Square};

/// Bound of every history value; an update pulls towards it.
pub(crate) const LIMIT: i32 = 8192;
/// 64 origins and one row for each role that can be dropped.
const ORIGINS: usize = 64 + 5;
/// 12 pieces on the board and 10 dropped pieces: a dropped knight is another mover than one that walks.
const MOVERS: usize = 22;
const MOVER_SQUARES: usize = MOVERS * 64;

/// Mover and destination of a move: row or column of the continuation history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step(u16);

impl Step {
    /// Before the first move and after a null move: a row of its own.
    pub(crate) const NONE: Self = Self(MOVER_SQUARES as u16);

    /// Step of `m`, played by `mover` (the piece on the board, or the dropped one).
    #[inline(always)]
    pub(crate) const fn of(m: Move, mover: Piece) -> Self {
        let mover = if m.is_drop() {
            12 + mover.color.index() * 5 + mover.role.index()
        } else {
            mover.index()
        };
        Self((mover * 64 + m.to().index()) as u16)
    }

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Histories of one thread, about 4 MiB.
pub(crate) struct Histories {
    /// By side, origin or dropped role, and destination.
    butterfly: Box<[[[i16; 64]; ORIGINS]]>,
    /// By the step one or two plies before and the step itself.
    continuation: Box<[i16]>,
    /// By moving piece, destination and captured role (king: none, a promotion).
    capture: Box<[[[i16; 6]; 64]; 12]>,
}

impl std::fmt::Debug for Histories {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Histories").finish_non_exhaustive()
    }
}

impl Histories {
    pub(crate) fn new() -> Self {
        Self {
            butterfly: vec![[[0; 64]; ORIGINS]; 2].into_boxed_slice(),
            continuation: vec![0; (MOVER_SQUARES + 1) * MOVER_SQUARES].into_boxed_slice(),
            capture: Box::new([[[0; 6]; 64]; 12]),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.butterfly.as_flattened_mut().as_flattened_mut().fill(0);
        self.continuation.fill(0);
        self.capture.as_flattened_mut().as_flattened_mut().fill(0);
    }

    #[inline(always)]
    fn butterfly_slot(side: Color, m: Move) -> (usize, usize, usize) {
        let origin = match m.dropped() {
            Some(role) => 64 + role.index().min(4),
            None => m.from_raw().index(),
        };
        (side.index(), origin, m.to().index())
    }

    /// Worth of a quiet move or drop; `before` holds the steps one and two plies earlier.
    /// Between -3 and 3 times [`LIMIT`].
    #[inline(always)]
    pub(crate) fn quiet(&self, side: Color, m: Move, step: Step, before: [Step; 2]) -> i32 {
        let (side, origin, to) = Self::butterfly_slot(side, m);
        i32::from(self.butterfly[side][origin][to])
            + self.continuation_of(before[0], step)
            + self.continuation_of(before[1], step)
    }

    #[inline(always)]
    fn continuation_of(&self, before: Step, step: Step) -> i32 {
        i32::from(self.continuation[before.index() * MOVER_SQUARES + step.index()])
    }

    /// Rewards (or with a negative bonus punishes) a quiet move or drop.
    pub(crate) fn update_quiet(
        &mut self,
        side: Color,
        m: Move,
        step: Step,
        before: [Step; 2],
        bonus: i32,
    ) {
        let (side, origin, to) = Self::butterfly_slot(side, m);
        pull(&mut self.butterfly[side][origin][to], bonus);
        for earlier in before {
            if earlier != Step::NONE {
                pull(
                    &mut self.continuation[earlier.index() * MOVER_SQUARES + step.index()],
                    bonus,
                );
            }
        }
    }

    /// Worth of a capture or promotion, between -[`LIMIT`] and [`LIMIT`].
    #[inline(always)]
    pub(crate) fn capture(&self, mover: Piece, to: Square, victim: Option<Role>) -> i32 {
        i32::from(self.capture[mover.index()][to.index()][victim.unwrap_or(Role::King).index()])
    }

    /// Rewards or punishes a capture or promotion.
    pub(crate) fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        let victim = position.captured_role(m).unwrap_or(Role::King);
        let mover = position.moved_piece(m);
        pull(
            &mut self.capture[mover.index()][m.to().index()][victim.index()],
            bonus,
        );
    }
}

/// Moves a value towards `LIMIT` or `-LIMIT`, the slower the nearer it is.
#[inline(always)]
fn pull(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNIGHT: Piece = Piece {
        color: Color::White,
        role: Role::Knight,
    };

    #[test]
    fn values_stay_within_their_limit() {
        let mut value = 0;
        for _ in 0..1000 {
            pull(&mut value, 1700);
        }
        assert!(i32::from(value) <= LIMIT && value > 8000);
        for _ in 0..1000 {
            pull(&mut value, -100_000);
        }
        assert!(i32::from(value) >= -LIMIT);
    }

    #[test]
    fn a_dropped_piece_and_a_walking_one_do_not_share_a_slot() {
        let mut histories = Histories::new();
        let to = Square::at(4, 4);
        let drop = Move::drop(Role::Knight, to);
        let walk = Move::normal(Square::at(1, 0), to);
        let before = [Step::of(walk, KNIGHT), Step::NONE];
        histories.update_quiet(Color::White, drop, Step::of(drop, KNIGHT), before, 1000);
        assert_eq!(
            histories.quiet(Color::White, drop, Step::of(drop, KNIGHT), before),
            2000
        );
        assert_eq!(
            histories.quiet(Color::White, walk, Step::of(walk, KNIGHT), before),
            0
        );
        assert_eq!(
            histories.quiet(Color::Black, drop, Step::of(drop, KNIGHT), [Step::NONE; 2]),
            0
        );
        let other = Move::drop(Role::Pawn, to);
        assert_eq!(
            histories.quiet(
                Color::White,
                other,
                Step::of(other, KNIGHT),
                [Step::NONE; 2]
            ),
            0
        );
        histories.clear();
        assert_eq!(
            histories.quiet(Color::White, drop, Step::of(drop, KNIGHT), before),
            0
        );
    }
}
