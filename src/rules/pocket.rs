//! Pieces in hand.

use super::piece::Role;

/// Pieces held by one side: a count for each droppable role, indexed pawn 0 to queen 4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Pocket(pub [u8; 5]);

impl Pocket {
    /// Most pieces of one role that a valid position can have in hand: in loop and chessgi all but the kings.
    pub const MAX: usize = 30;

    /// Number of pieces of `role`; 0 for a king.
    #[inline(always)]
    pub const fn count(self, role: Role) -> u8 {
        if matches!(role, Role::King) {
            0
        } else {
            self.0[role.index()]
        }
    }

    /// Whether a piece of `role` is held.
    #[inline(always)]
    pub const fn has(self, role: Role) -> bool {
        self.count(role) > 0
    }

    /// Whether nothing is held.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] | self.0[4] == 0
    }

    /// Number of pieces held.
    #[inline(always)]
    pub const fn total(self) -> u32 {
        self.0[0] as u32 + self.0[1] as u32 + self.0[2] as u32 + self.0[3] as u32 + self.0[4] as u32
    }
}
