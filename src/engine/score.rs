//! Scores as the outside sees them, and their packed form inside the search.

use std::fmt;

/// Value of a mate on the board; a mate in `n` plies is worth `MATE - n`.
pub(crate) const MATE: i32 = 32_000;
/// Larger than any value.
pub(crate) const INFINITE: i32 = 32_001;
/// Deepest ply that the search visits.
pub(crate) const MAX_PLY: usize = 120;
/// Values from here on are mates that were found by search.
pub(crate) const MATE_FOUND: i32 = MATE - MAX_PLY as i32 - 1;
/// Largest evaluation that is not a mate.
pub(crate) const EVAL_LIMIT: i32 = 20_000;
/// Value of a drawn position.
pub(crate) const DRAW: i32 = 0;

/// Result of a search for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Worth in centipawn-like units: 300 stand for odds of e to 1 (a winning chance of 73 %).
    Cp(i32),
    /// Mate in that many own moves; negative: being mated in that many moves of the opponent; 0: mated now.
    Mate(i32),
}

impl Score {
    /// Score of a value of the search.
    pub(crate) const fn of(value: i32) -> Self {
        if value >= MATE_FOUND {
            Self::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_FOUND {
            Self::Mate(-i32::midpoint(MATE, value))
        } else {
            Self::Cp(value)
        }
    }

    /// Single number for comparisons and limits: centipawns, with mates beyond every evaluation
    /// (a mate in `n` is `32_000 - n`).
    pub const fn as_cp(self) -> i32 {
        match self {
            Self::Cp(cp) => cp,
            Self::Mate(moves) if moves > 0 => MATE - moves,
            Self::Mate(moves) => -MATE - moves,
        }
    }
}

impl Default for Score {
    fn default() -> Self {
        Self::Cp(0)
    }
}

/// As in a UCI info line: `cp 35`, `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(cp) => write!(f, "cp {cp}"),
            Self::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// Which side of the true value a reported score lies on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The true value is at least the score.
    Lower,
    /// The true value is at most the score.
    Upper,
}

/// Value as seen from `ply`, for the transposition table: mates count from the stored position.
pub(crate) const fn to_table(value: i32, ply: usize) -> i32 {
    if value >= MATE_FOUND {
        value + ply as i32
    } else if value <= -MATE_FOUND {
        value - ply as i32
    } else {
        value
    }
}

/// Inverse of [`to_table`].
pub(crate) const fn from_table(value: i32, ply: usize) -> i32 {
    if value >= MATE_FOUND {
        value - ply as i32
    } else if value <= -MATE_FOUND {
        value + ply as i32
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(Score::of(MATE - 1), Score::Mate(1));
        assert_eq!(Score::of(MATE - 3), Score::Mate(2));
        assert_eq!(Score::of(-MATE), Score::Mate(0));
        assert_eq!(Score::of(-MATE + 2), Score::Mate(-1));
        assert_eq!(Score::of(-MATE + 4), Score::Mate(-2));
        assert_eq!(Score::of(-EVAL_LIMIT), Score::Cp(-EVAL_LIMIT));
    }

    #[test]
    fn mates_are_stored_relative_to_their_position() {
        let value = MATE - 9;
        assert_eq!(to_table(value, 4), MATE - 5);
        assert_eq!(from_table(to_table(value, 4), 4), value);
        assert_eq!(from_table(to_table(-value, 4), 2), -(MATE - 7));
        assert_eq!(to_table(123, 40), 123);
    }

    #[test]
    fn a_shorter_mate_compares_as_better() {
        assert!(Score::Mate(1).as_cp() > Score::Mate(4).as_cp());
        assert!(Score::Mate(-1).as_cp() < Score::Mate(-4).as_cp());
        assert!(Score::Mate(40).as_cp() > Score::Cp(EVAL_LIMIT).as_cp());
    }
}
