//! Squares, files and ranks of the board.

use std::fmt;

/// Square of the board: 0 is a1, 1 is b1, ... 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 64;

    /// Square with the given index. Only the low six bits count, so that no index can leave the board.
    #[inline(always)]
    pub const fn new(index: u8) -> Self {
        Self(index & 63)
    }

    /// Square on `file` and `rank`, both 0 to 7 (file 0 is a, rank 0 is the first).
    #[inline(always)]
    pub const fn at(file: u8, rank: u8) -> Self {
        Self::new(rank * 8 + (file & 7))
    }

    /// Index 0 to 63.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// File 0 (a) to 7 (h).
    #[inline(always)]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Rank 0 (first) to 7 (eighth).
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Same square seen from the other side of the board (a1 becomes a8).
    #[inline(always)]
    pub const fn flip(self) -> Self {
        Self(self.0 ^ 0b11_1000)
    }

    /// Square of the pawn that an en-passant capture removes.
    #[inline(always)]
    pub const fn en_passant_victim(self) -> Self {
        Self(self.0 ^ 0b1000)
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// Square of two ASCII characters such as `e4`; `None` for anything else.
    pub const fn from_ascii(file: u8, rank: u8) -> Option<Self> {
        if file >= b'a' && file <= b'h' && rank >= b'1' && rank <= b'8' {
            Some(Self::at(file - b'a', rank - b'1'))
        } else {
            None
        }
    }

    /// File letter `a` to `h`.
    pub const fn file_char(self) -> char {
        (b'a' + self.file()) as char
    }

    /// Rank digit `1` to `8`.
    pub const fn rank_char(self) -> char {
        (b'1' + self.rank()) as char
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file_char(), self.rank_char())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
