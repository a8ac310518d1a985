//! Which positions of a game are worth learning from.

use super::game_record::ScoredMove;
use crate::rules::Position;
use std::fmt;

/// Leaves positions out that a static evaluation cannot judge. Files hold all positions; the filter works on reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Scored plies at the start of each game to leave out.
    pub skip_plies: usize,
    /// Largest score of either side, units of the engine.
    pub most_score: i16,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            skip_plies: 0,
            most_score: 3_000,
        }
    }
}

/// Why a position is left out: the first of these that applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Too near to the random opening.
    Early,
    /// The game is decided.
    Decided,
    /// The side to move is in check.
    InCheck,
    /// The move promotes.
    Promotion,
    /// The move captures.
    Capture,
}

impl Reason {
    /// All reasons, in the order in which they are looked at.
    pub const ALL: [Self; 5] = [
        Self::Early,
        Self::Decided,
        Self::InCheck,
        Self::Promotion,
        Self::Capture,
    ];

    /// Place in [`Reason::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Early => "early",
            Self::Decided => "decided",
            Self::InCheck => "in check",
            Self::Promotion => "promotion",
            Self::Capture => "capture",
        })
    }
}

impl Filter {
    /// Whether to learn from `position`, in which `played` was chosen; `ply` counts the scored plies of the game
    /// from 0.
    ///
    /// # Errors
    /// The reason to leave it out.
    #[inline]
    pub fn keeps(&self, position: &Position, played: ScoredMove, ply: usize) -> Result<(), Reason> {
        if ply < self.skip_plies {
            return Err(Reason::Early);
        }
        if played.score.unsigned_abs() > self.most_score.unsigned_abs() {
            return Err(Reason::Decided);
        }
        if position.is_check() {
            return Err(Reason::InCheck);
        }
        if played.mv.is_promotion() {
            return Err(Reason::Promotion);
        }
        if position.captured_role(played.mv).is_some() {
            return Err(Reason::Capture);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn judge(fen: &str, mv: &str, score: i16, ply: usize) -> Result<(), Reason> {
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let mv = position.parse_uci(mv).unwrap();
        let filter = Filter {
            skip_plies: 2,
            ..Filter::default()
        };
        filter.keeps(&position, ScoredMove { mv, score }, ply)
    }

    #[test]
    fn only_quiet_positions_that_are_still_open_are_kept() {
        let fen = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R[Pn] w KQkq d6 0 20";
        for quiet in ["e5e6", "P@e7", "e1h1", "a1b1"] {
            assert_eq!(judge(fen, quiet, 0, 2), Ok(()), "{quiet}");
        }
        for taking in ["e5d6", "a1a8", "h1h8"] {
            assert_eq!(judge(fen, taking, 0, 2), Err(Reason::Capture), "{taking}");
        }
        for promoting in ["b7b8q", "b7a8n"] {
            assert_eq!(judge(fen, promoting, 0, 2), Err(Reason::Promotion));
        }
        assert_eq!(judge(fen, "e5e6", 0, 1), Err(Reason::Early));
        for score in [-3_000, 3_000] {
            assert_eq!(judge(fen, "e5e6", score, 2), Ok(()));
        }
        for score in [-3_001, 3_001, i16::MIN, i16::MAX] {
            assert_eq!(judge(fen, "e5e6", score, 2), Err(Reason::Decided));
        }
        let check = "4k3/8/8/8/8/8/4r3/4K3[Q] w - - 0 20";
        assert_eq!(judge(check, "e1d1", 0, 2), Err(Reason::InCheck));
    }

    #[test]
    fn reasons_are_numbered_in_their_order() {
        for (index, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason.index(), index);
        }
    }
}
