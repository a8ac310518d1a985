//! What the search remembers of moves, apart from positions: which ones were good elsewhere in the tree.

use super::memory::Memory;
use super::params::Params;
use crate::rules::{Color, Move, Piece, Position, Role, Square};

/// Bound of every history value; an update pulls towards it.
pub(crate) const LIMIT: i32 = 8192;
/// 64 origins and one row for each role that can be dropped.
const ORIGINS: usize = 64 + 5;
/// 12 pieces on the board and 10 dropped pieces: a dropped knight is another mover than one that walks.
const MOVERS: usize = 22;
const MOVER_SQUARES: usize = MOVERS * 64;
/// Slots for the two hands.
const HANDS: usize = 512;

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

    /// Number of the step, below 2048.
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }
}

/// What the worth of a quiet move depends on, beside the move itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Before {
    /// Steps one, two and four plies before.
    pub(crate) steps: [Step; 3],
    /// Slot of the two hands.
    hands: usize,
}

impl Before {
    /// Nothing is known of what was before.
    #[cfg(test)]
    pub(crate) const NOTHING: Self = Self {
        steps: [Step::NONE; 3],
        hands: 0,
    };

    /// In `position`, after these steps.
    #[inline(always)]
    pub(crate) fn of(position: &Position, steps: [Step; 3]) -> Self {
        let hand = |color: Color| {
            let counts = position.pocket(color).0;
            counts
                .iter()
                .fold(0, |bits, &count| bits << 5 | u64::from(count))
        };
        let hash =
            (hand(Color::White) << 26 ^ hand(Color::Black)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            steps,
            hands: (hash >> 55) as usize,
        }
    }
}

/// Histories of one thread, about 6 MiB.
pub(crate) struct Histories {
    /// By side, origin or dropped role, and destination.
    butterfly: Box<[[[i16; 64]; ORIGINS]]>,
    /// By the step one or two plies before and the step itself.
    continuation: Memory<i16>,
    /// By both hands and the step.
    hands: Memory<i16>,
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
            continuation: zeroed((MOVER_SQUARES + 1) * MOVER_SQUARES),
            hands: zeroed(HANDS * MOVER_SQUARES),
            capture: Box::new([[[0; 6]; 64]; 12]),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.butterfly.as_flattened_mut().as_flattened_mut().fill(0);
        self.continuation.fill(0);
        self.hands.fill(0);
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

    /// Worth of a quiet move or drop, within 5 times [`LIMIT`] at the usual weights.
    #[inline(always)]
    pub(crate) fn quiet(
        &self,
        side: Color,
        m: Move,
        step: Step,
        before: &Before,
        params: &Params,
    ) -> i32 {
        let (side, origin, to) = Self::butterfly_slot(side, m);
        let mut worth = i32::from(self.butterfly[side][origin][to])
            + self.continuation_of(before.steps[0], step)
            + self.continuation_of(before.steps[1], step);
        if params.history_four != 0 {
            worth += self.continuation_of(before.steps[2], step) * params.history_four / 1024;
        }
        if params.history_hands != 0 {
            let by_hands = self.hands[before.hands * MOVER_SQUARES + step.index()];
            worth += i32::from(by_hands) * params.history_hands / 1024;
        }
        worth
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
        before: &Before,
        bonus: i32,
        params: &Params,
    ) {
        let (side, origin, to) = Self::butterfly_slot(side, m);
        pull(&mut self.butterfly[side][origin][to], bonus, LIMIT);
        let known = if params.history_four == 0 { 2 } else { 3 };
        for &earlier in &before.steps[..known] {
            if earlier != Step::NONE {
                let slot = earlier.index() * MOVER_SQUARES + step.index();
                pull(&mut self.continuation[slot], bonus, LIMIT);
            }
        }
        let slot = before.hands * MOVER_SQUARES + step.index();
        pull(&mut self.hands[slot], bonus, LIMIT);
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
            LIMIT,
        );
    }
}

fn zeroed(len: usize) -> Memory<i16> {
    Memory::zeroed(len).expect("a few MiB of memory are left")
}

/// Moves a value towards `limit` or `-limit`, the slower the nearer it is.
#[inline(always)]
pub(crate) fn pull(value: &mut i16, bonus: i32, limit: i32) {
    let old = i32::from(*value);
    let bonus = bonus.clamp(-limit, limit);
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
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
            pull(&mut value, 1700, LIMIT);
        }
        assert!(i32::from(value) <= LIMIT && value > 8000);
        for _ in 0..1000 {
            pull(&mut value, -100_000, LIMIT);
        }
        assert!(i32::from(value) >= -LIMIT);
    }

    #[test]
    fn a_dropped_piece_and_a_walking_one_do_not_share_a_slot() {
        let mut histories = Histories::new();
        let to = Square::at(4, 4);
        let drop = Move::drop(Role::Knight, to);
        let walk = Move::normal(Square::at(1, 0), to);
        let params = Params {
            history_hands: 0,
            history_four: 0,
            ..Params::default()
        };
        let before = Before {
            steps: [Step::of(walk, KNIGHT), Step::NONE, Step::NONE],
            ..Before::NOTHING
        };
        let drop_step = Step::of(drop, KNIGHT);
        histories.update_quiet(Color::White, drop, drop_step, &before, 1000, &params);
        let worth = |histories: &Histories, color, m, before: &Before| {
            histories.quiet(color, m, Step::of(m, KNIGHT), before, &params)
        };
        assert_eq!(worth(&histories, Color::White, drop, &before), 2000);
        assert_eq!(worth(&histories, Color::White, walk, &before), 0);
        assert_eq!(worth(&histories, Color::Black, drop, &Before::NOTHING), 0);
        let other = Move::drop(Role::Pawn, to);
        assert_eq!(worth(&histories, Color::White, other, &Before::NOTHING), 0);
        histories.clear();
        assert_eq!(worth(&histories, Color::White, drop, &before), 0);
    }
}
