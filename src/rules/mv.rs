//! Packed moves and the list that move generation fills.

use super::piece::Role;
use super::square::Square;
use std::mem::MaybeUninit;

/// Move in 16 bits: destination in bits 0-5, origin square (or dropped role, 0 to 4) in bits 6-11,
/// kind in bits 12-15 (0 normal, 1 castling, 2 en passant, 3 drop, 4-7 promotion to N B R Q).
///
/// Castling is stored as king takes own rook, for ordinary chess too. 0 is never a legal move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

/// What a [`Move`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    /// Board move or capture without promotion.
    Normal,
    /// King takes own rook.
    Castle,
    /// Pawn takes en passant.
    EnPassant,
    /// A piece from the pocket is put on an empty square.
    Drop,
    /// Pawn move or capture to the last rank, with the role it turns into.
    Promotion(Role),
}

const CASTLE: u16 = 1 << 12;
const EN_PASSANT: u16 = 2 << 12;
const DROP: u16 = 3 << 12;
const PROMOTION: u16 = 4 << 12;

impl Move {
    /// Stands for "no move" in packed tables; never legal.
    pub const NONE: Self = Self(0);

    /// Board move without promotion.
    #[inline(always)]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self((from.index() as u16) << 6 | to.index() as u16)
    }

    /// Castling of the king on `king` with the own rook on `rook`.
    #[inline(always)]
    pub const fn castle(king: Square, rook: Square) -> Self {
        Self(CASTLE | Self::normal(king, rook).0)
    }

    /// En-passant capture.
    #[inline(always)]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self(EN_PASSANT | Self::normal(from, to).0)
    }

    /// Drop of `role` (not a king) on `to`.
    #[inline(always)]
    pub const fn drop(role: Role, to: Square) -> Self {
        Self(DROP | (role.index() as u16) << 6 | to.index() as u16)
    }

    /// Promotion to `role` (knight, bishop, rook or queen).
    #[inline(always)]
    pub const fn promotion(from: Square, to: Square, role: Role) -> Self {
        Self(
            (PROMOTION + (((role.index() as u16).wrapping_sub(1) & 3) << 12))
                | Self::normal(from, to).0,
        )
    }

    /// Packed bits, as stored in tables.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Move of packed bits; legal only if [`super::Position::is_legal`] says so.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Whether the bits are ones that a constructor makes: a known kind, and for drops a role that can be held.
    #[inline(always)]
    pub const fn is_well_formed(self) -> bool {
        self.0 < 8 << 12 && (!self.is_drop() || self.from_raw().index() < 5)
    }

    /// Whether this is [`Move::NONE`].
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Destination. For castling this is the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::new(self.0 as u8 & 63)
    }

    /// Bits of the origin. A square for board moves only; see [`Move::from`].
    #[expect(
        clippy::wrong_self_convention,
        reason = "the origin of a move is its from-square"
    )]
    #[inline(always)]
    pub const fn from_raw(self) -> Square {
        Square::new((self.0 >> 6) as u8 & 63)
    }

    /// Origin square, `None` for a drop.
    #[inline(always)]
    pub const fn from(self) -> Option<Square> {
        if self.is_drop() {
            None
        } else {
            Some(self.from_raw())
        }
    }

    /// Dropped role, `None` for a board move.
    #[inline(always)]
    pub const fn dropped(self) -> Option<Role> {
        if self.is_drop() {
            Some(Role::from_index((self.0 >> 6) as usize & 63))
        } else {
            None
        }
    }

    /// Whether a piece comes from the pocket.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.0 & 0xf000 == DROP
    }

    /// Whether this is castling.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.0 & 0xf000 == CASTLE
    }

    /// Whether this is an en-passant capture.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0 & 0xf000 == EN_PASSANT
    }

    /// Whether a pawn promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 >= PROMOTION
    }

    /// Role promoted to, if any.
    #[inline(always)]
    pub const fn promoted_to(self) -> Option<Role> {
        if self.0 >= PROMOTION {
            Some(Role::from_index((self.0 >> 12 & 3) as usize + 1))
        } else {
            None
        }
    }

    /// Kind of the move.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        match self.0 >> 12 {
            0 => MoveKind::Normal,
            1 => MoveKind::Castle,
            2 => MoveKind::EnPassant,
            3 => MoveKind::Drop,
            n => MoveKind::Promotion(Role::from_index((n & 3) as usize + 1)),
        }
    }
}

/// Coordinate form with castling as king takes rook (`e1h1`) and drops in upper case (`P@e4`).
impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        if let Some(role) = self.dropped() {
            return write!(f, "{}@{}", role.upper_letter(), self.to());
        }
        write!(f, "{}{}", self.from_raw(), self.to())?;
        match self.promoted_to() {
            Some(role) => write!(f, "{}", role.letter()),
            None => Ok(()),
        }
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Fixed list of at most 512 moves, on the stack. A position has at most about 420 (rules: 419 known).
pub struct MoveList {
    // Left uninitialised: zeroing a kilobyte in every node shows in profiles.
    moves: [MaybeUninit<Move>; Self::CAPACITY],
    len: usize,
}

impl MoveList {
    /// Most moves that a list can hold.
    pub const CAPACITY: usize = 512;

    /// Empty list.
    #[inline(always)]
    pub const fn new() -> Self {
        Self {
            moves: [MaybeUninit::uninit(); Self::CAPACITY],
            len: 0,
        }
    }

    /// Appends a move. A move beyond the capacity is left out; no legal position has that many.
    #[inline(always)]
    pub fn push(&mut self, m: Move) {
        if self.len < Self::CAPACITY {
            self.moves[self.len] = MaybeUninit::new(m);
            self.len += 1;
        }
    }

    /// Removes all moves.
    #[inline(always)]
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// Filled part.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Move] {
        #[expect(unsafe_code, reason = "the one read of the uninitialised buffer")]
        // SAFETY: `push` wrote every element below `len`, and `MaybeUninit<Move>` has the layout of `Move`.
        unsafe {
            std::slice::from_raw_parts(self.moves.as_ptr().cast::<Move>(), self.len)
        }
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];
    #[inline(always)]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;
    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl std::fmt::Debug for MoveList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}
