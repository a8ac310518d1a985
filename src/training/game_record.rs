//! A finished self-play game: how it began, every move with its score, and how it ended.

use crate::rules::{Color, Move, Position, Variant};
use std::fmt;

/// Game from the start position of crazyhouse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// Moves from the start position to the first scored one. They were drawn by lot and teach nothing.
    pub opening: Vec<Move>,
    /// Moves played after the opening, each with a score.
    pub plies: Vec<ScoredMove>,
    /// How it ended after the last of them.
    pub ending: Ending,
}

/// Move that was played, and what it was thought to be worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Move,
    /// Its score for the side that played it, in units of the engine as [`crate::engine::Score::as_cp`] gives
    /// them: 300 for odds of e to 1, a mate in `n` moves 32,000 - n.
    pub score: i16,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Mate on the board.
    Checkmate {
        /// Side that gave it.
        winner: Color,
    },
    /// No legal move, not in check.
    Stalemate,
    /// Third occurrence of a position.
    Repetition,
    /// Too long; counted as a draw.
    PlyLimit,
    /// Given up: both sides' scores agreed for some moves that it is lost.
    Resignation {
        /// Side that did not resign.
        winner: Color,
    },
    /// The search proved a mate, which was not played out.
    MateFound {
        /// Side that would have given it.
        winner: Color,
    },
}

impl Ending {
    /// Number of different [`Ending::reason`]s.
    pub const REASONS: usize = 6;

    /// Side that won, `None` for a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Checkmate { winner }
            | Self::Resignation { winner }
            | Self::MateFound { winner } => Some(winner),
            Self::Stalemate | Self::Repetition | Self::PlyLimit => None,
        }
    }

    /// 1 if `color` won, 0.5 for a draw, 0 if it lost.
    pub fn result_for(self, color: Color) -> f32 {
        match self.winner() {
            None => 0.5,
            Some(winner) if winner == color => 1.0,
            Some(_) => 0.0,
        }
    }

    /// Index of the reason, without the winner, below [`Ending::REASONS`].
    pub const fn reason(self) -> usize {
        match self {
            Self::Checkmate { .. } => 0,
            Self::Stalemate => 1,
            Self::Repetition => 2,
            Self::PlyLimit => 3,
            Self::Resignation { .. } => 4,
            Self::MateFound { .. } => 5,
        }
    }

    /// Name of a reason by its index.
    pub const fn reason_name(reason: usize) -> &'static str {
        match reason {
            0 => "checkmate",
            1 => "stalemate",
            2 => "repetition",
            3 => "ply limit",
            4 => "resignation",
            5 => "mate found",
            _ => "unknown",
        }
    }

    /// Byte of a file: twice the reason, plus one if Black won.
    pub(crate) const fn to_byte(self) -> u8 {
        let black = matches!(self.winner(), Some(Color::Black));
        self.reason() as u8 * 2 + black as u8
    }

    /// Inverse of [`Ending::to_byte`], `None` for bytes that it never gives.
    pub(crate) const fn from_byte(byte: u8) -> Option<Self> {
        let winner = if byte & 1 == 0 {
            Color::White
        } else {
            Color::Black
        };
        Some(match (byte / 2, winner) {
            (0, winner) => Self::Checkmate { winner },
            (1, Color::White) => Self::Stalemate,
            (2, Color::White) => Self::Repetition,
            (3, Color::White) => Self::PlyLimit,
            (4, winner) => Self::Resignation { winner },
            (5, winner) => Self::MateFound { winner },
            _ => return None,
        })
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::reason_name(self.reason()))?;
        match self.winner() {
            Some(winner) => write!(f, ", {winner} wins"),
            None => Ok(()),
        }
    }
}

/// Why a record is not a game that can have been played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// A move that its position does not allow.
    #[error("ply {ply}: {mv} is not legal")]
    IllegalMove {
        /// Number of the ply from the start of the game, opening included, from 1.
        ply: usize,
        /// The move.
        mv: Move,
    },
    /// The last position contradicts the ending.
    #[error("recorded as \"{ending}\", which the last position is not")]
    Ending {
        /// Ending of the record.
        ending: Ending,
    },
}

impl GameRecord {
    /// 1 if `color` won, 0.5 for a draw, 0 if it lost.
    pub fn result_for(&self, color: Color) -> f32 {
        self.ending.result_for(color)
    }

    /// Walks the scored positions in order, each with the move that was played in it. A move that is not legal comes
    /// as an error and ends the walk.
    pub fn replay(&self) -> Replay<'_> {
        Replay {
            record: self,
            position: Position::start(Variant::Crazyhouse),
            next: 0,
        }
    }

    /// Replays all of the game.
    ///
    /// # Errors
    /// If a move is not legal, or the record ends with a mate or stalemate that is not there.
    pub fn check(&self) -> Result<(), RecordError> {
        let mut replay = self.replay();
        if let Some(error) = replay.by_ref().find_map(Result::err) {
            return Err(error);
        }
        // A game without scored moves has its opening still to be played.
        replay.play_opening()?;
        let last = replay.position;
        let agrees = match self.ending {
            Ending::Checkmate { winner } => last.is_checkmate() && last.turn() != winner,
            Ending::Stalemate => last.is_stalemate(),
            _ => last.has_legal_move(),
        };
        if agrees {
            Ok(())
        } else {
            Err(RecordError::Ending {
                ending: self.ending,
            })
        }
    }
}

/// Walk over the scored positions of a game, see [`GameRecord::replay`].
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    record: &'a GameRecord,
    position: Position,
    /// Next ply from the start of the game.
    next: usize,
}

impl Replay<'_> {
    fn play(&mut self, mv: Move) -> Result<(), RecordError> {
        if !self.position.is_legal(mv) {
            let ply = self.next + 1;
            // Nothing can follow an illegal move.
            self.next = usize::MAX;
            return Err(RecordError::IllegalMove { ply, mv });
        }
        self.position = self.position.play(mv);
        self.next += 1;
        Ok(())
    }

    fn play_opening(&mut self) -> Result<(), RecordError> {
        let record = self.record;
        while let Some(&mv) = record.opening.get(self.next) {
            self.play(mv)?;
        }
        Ok(())
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<(Position, ScoredMove), RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.play_opening() {
            return Some(Err(error));
        }
        let index = self.next.checked_sub(self.record.opening.len())?;
        let scored = *self.record.plies.get(index)?;
        let before = self.position;
        Some(self.play(scored.mv).map(|()| (before, scored)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rules::MoveList;

    /// Game of random legal moves with random scores and an ending that fits.
    pub(crate) fn random_game(random: &mut fastrand::Rng) -> GameRecord {
        let mut position = Position::start(Variant::Crazyhouse);
        let mut moves = Vec::new();
        let opening = random.usize(0..10);
        let plies = random.usize(0..120);
        while moves.len() < opening + plies {
            let mut list = MoveList::new();
            position.legal_moves(&mut list);
            let Some(mv) = random.choice(list.as_slice()).copied() else {
                break;
            };
            position = position.play(mv);
            moves.push(mv);
        }
        let winner = random.choice(Color::ALL).unwrap();
        let ending = if position.is_checkmate() {
            Ending::Checkmate {
                winner: !position.turn(),
            }
        } else if position.is_stalemate() {
            Ending::Stalemate
        } else {
            *random
                .choice(&[
                    Ending::Repetition,
                    Ending::PlyLimit,
                    Ending::Resignation { winner },
                    Ending::MateFound { winner },
                ])
                .unwrap()
        };
        let rest = moves.split_off(opening.min(moves.len()));
        GameRecord {
            opening: moves,
            plies: rest
                .into_iter()
                .map(|mv| ScoredMove {
                    mv,
                    score: random.i16(-32_000..=32_000),
                })
                .collect(),
            ending,
        }
    }

    fn record(opening: &str, plies: &str, ending: Ending) -> GameRecord {
        let mut position = Position::start(Variant::Crazyhouse);
        let mut parse = |text: &str| -> Vec<Move> {
            text.split_whitespace()
                .map(|word| {
                    let mv = position.parse_uci(word).unwrap();
                    position = position.play(mv);
                    mv
                })
                .collect()
        };
        GameRecord {
            opening: parse(opening),
            plies: parse(plies)
                .into_iter()
                .map(|mv| ScoredMove { mv, score: 7 })
                .collect(),
            ending,
        }
    }

    #[test]
    fn replay_gives_each_scored_position_before_its_move() {
        let game = record("e2e4 d7d5", "e4d5 d8d5 b1c3", Ending::Repetition);
        let walked: Vec<_> = game.replay().map(Result::unwrap).collect();
        assert_eq!(walked.len(), 3);
        assert_eq!(walked[0].0.ply(), 2);
        assert_eq!(walked[2].0.turn(), Color::White);
        assert_eq!(walked[2].1, game.plies[2]);
        let after: Vec<_> = walked.iter().map(|(at, it)| at.play(it.mv)).collect();
        assert_eq!(after[0], walked[1].0);
    }

    #[test]
    fn an_illegal_move_is_named_and_ends_the_walk() {
        let mut game = record("e2e4 d7d5", "e4d5 d8d5 b1c3", Ending::Repetition);
        game.plies[1].mv = game.plies[0].mv;
        let walked: Vec<_> = game.replay().collect();
        assert_eq!(walked.len(), 2);
        assert!(walked[0].is_ok());
        let error = walked[1].unwrap_err();
        assert_eq!(error.to_string(), "ply 4: e4d5 is not legal");
        assert_eq!(game.check(), Err(error));
        game.opening[0] = Move::NONE;
        let walked: Vec<_> = game.replay().collect();
        assert_eq!(walked.len(), 1);
        let error = walked[0].unwrap_err();
        assert_eq!(error.to_string(), "ply 1: none is not legal");
    }

    #[test]
    fn a_mate_must_be_on_the_board_and_won_by_the_side_that_gave_it() {
        let mate = |winner| record("f2f3 e7e5", "g2g4 d8h4", Ending::Checkmate { winner });
        assert_eq!(mate(Color::Black).check(), Ok(()));
        assert!(mate(Color::White).check().is_err());
        let mut other = mate(Color::Black);
        other.ending = Ending::PlyLimit;
        assert!(other.check().is_err());
        other.plies.pop();
        assert_eq!(other.check(), Ok(()));
        other.ending = Ending::Stalemate;
        assert!(other.check().is_err());
    }

    #[test]
    fn results_are_those_of_the_winner() {
        let won = Ending::MateFound {
            winner: Color::Black,
        };
        let halves = |ending: Ending, color| (ending.result_for(color) * 2.0) as i32;
        assert_eq!(halves(won, Color::White), 0);
        assert_eq!(halves(won, Color::Black), 2);
        assert_eq!(halves(Ending::Repetition, Color::White), 1);
        assert_eq!(won.to_string(), "mate found, black wins");
    }

    #[test]
    fn every_byte_of_an_ending_is_read_back_or_refused() {
        let mut known = 0;
        for byte in 0..=u8::MAX {
            if let Some(ending) = Ending::from_byte(byte) {
                assert_eq!(ending.to_byte(), byte);
                known += 1;
            }
        }
        assert_eq!(known, 3 * 2 + 3);
    }

    #[test]
    fn random_games_replay() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..50 {
            let game = random_game(&mut random);
            assert_eq!(game.check(), Ok(()));
            assert_eq!(game.replay().count(), game.plies.len());
        }
    }
}
