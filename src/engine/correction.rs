//! Correction of the static evaluation: how far searches of alike positions ended above or below it.
//!
//! Positions are alike if they share their pawns, both hands, the places of minor pieces and kings, or the two moves
//! that led to them.

use super::history::{Before, pull};
use super::params::Params;
use crate::rules::{Color, Position, Role};

/// Slots of each table and side.
const SLOTS: usize = 1 << 14;
/// Bound of every entry.
const LIMIT: i32 = 1024;
/// Greatest change of an entry at once.
const MOST_CHANGE: i32 = 256;
/// Entries times weights of 1024 are worth this many to a unit of evaluation.
const SCALE: i32 = 1 << 14;

/// Slots of one position, worked out once for reading and learning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots([usize; KINDS]);

/// Kinds of likeness: pawns, hands, minor pieces and kings, moves.
const KINDS: usize = 4;

impl Slots {
    /// Slots of `position`, after the last two steps of `before`.
    #[inline(always)]
    pub(crate) fn of(position: &Position, before: &Before) -> Self {
        let board = |color: Color, role: Role| position.pieces(color, role).0;
        let pawns = mix(
            board(Color::White, Role::Pawn),
            board(Color::Black, Role::Pawn),
        );
        let hand = |color: Color| {
            let counts = position.pocket(color).0;
            counts
                .iter()
                .fold(0, |bits, &count| bits << 5 | u64::from(count))
        };
        let hands = mix(hand(Color::White), hand(Color::Black));
        let minors = |color: Color| {
            board(color, Role::King)
                ^ board(color, Role::Knight).rotate_left(21)
                ^ board(color, Role::Bishop).rotate_left(42)
        };
        let minors = mix(minors(Color::White), minors(Color::Black));
        let moves = mix(
            u64::from(before.steps[0].bits()),
            u64::from(before.steps[1].bits()),
        );
        let side = position.turn().index();
        let mut at = 0;
        Self([pawns, hands, minors, moves].map(|hash| {
            let slot = (at * 2 + side) * SLOTS + (hash >> 50) as usize;
            at += 1;
            slot
        }))
    }
}

/// Spreads two words over the high bits of one.
#[inline(always)]
const fn mix(a: u64, b: u64) -> u64 {
    let a = a.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let b = b.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(31);
    (a ^ a >> 32 ^ b).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Corrections of one thread, 256 KiB.
pub(crate) struct Corrections(Box<[i16]>);

impl std::fmt::Debug for Corrections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Corrections").finish_non_exhaustive()
    }
}

impl Corrections {
    pub(crate) fn new() -> Self {
        Self(vec![0; KINDS * 2 * SLOTS].into_boxed_slice())
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// What is to be added to the static evaluation.
    #[inline(always)]
    pub(crate) fn of(&self, slots: Slots, params: &Params) -> i32 {
        let weights = [
            params.correct_pawns,
            params.correct_hands,
            params.correct_minors,
            params.correct_moves,
        ];
        let sum: i32 = slots
            .0
            .iter()
            .zip(weights)
            .map(|(&slot, weight)| i32::from(self.0[slot]) * weight)
            .sum();
        sum / SCALE
    }

    /// Learns that a search of `depth` plies ended `difference` above the corrected evaluation.
    pub(crate) fn learn(&mut self, slots: Slots, difference: i32, depth: i32) {
        let change = (difference * depth / 8).clamp(-MOST_CHANGE, MOST_CHANGE);
        for slot in slots.0 {
            pull(&mut self.0[slot], change, LIMIT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn what_was_learned_of_a_hand_holds_for_other_boards_with_it() {
        let slots = |fen: &str| {
            let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
            Slots::of(&position, &Before::NOTHING)
        };
        let mut corrections = Corrections::new();
        let mut params = Params::default();
        (
            params.correct_pawns,
            params.correct_minors,
            params.correct_moves,
        ) = (0, 0, 0);
        params.correct_hands = 1024;
        let learned = slots("4k3/8/8/8/8/8/3P4/4K3[Nq] w - - 0 1");
        for _ in 0..20 {
            corrections.learn(learned, 100, 8);
        }
        let value = corrections.of(learned, &params);
        assert!((20..=64).contains(&value), "{value}");
        assert_eq!(
            corrections.of(slots("r3k3/8/8/8/8/8/3P4/3RK3[Nq] w - - 0 1"), &params),
            value
        );
        assert_eq!(
            corrections.of(slots("4k3/8/8/8/8/8/3P4/4K3[NNq] w - - 0 1"), &params),
            0
        );
        assert_eq!(
            corrections.of(slots("4k3/8/8/8/8/8/3P4/4K3[Nq] b - - 0 1"), &params),
            0
        );
        corrections.clear();
        assert_eq!(corrections.of(learned, &params), 0);
    }
}
