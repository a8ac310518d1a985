//! From games to a book.

use super::format::{MOST_RECORDS, Record};
use super::input::InputGame;
use super::key::key;
use super::{Book, BookMove, Weighting};
use crate::rules::pgn::GameResult;
use crate::rules::{Color, Move};
use std::collections::HashMap;
use thiserror::Error;

/// Games of one half that a move is thought to have had besides those seen, when scores are compared: a move that won
/// its only game is not the best one.
const PRIOR_GAMES: f64 = 10.0;

/// What goes into a book.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BuildOptions {
    /// Plies from the start of a game that are taken in.
    pub max_ply: u16,
    /// Fewest games in which a move was played.
    pub min_count: u32,
    /// Lowest rating of both players; games that do not tell both are left out if it is above 0.
    pub min_rating: u32,
    /// What moves are weighted by.
    pub weighting: Weighting,
    /// Moves that score worse than the best one of their position by more than this are left out; 1 leaves all in.
    pub margin: f64,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            max_ply: 24,
            min_count: 2,
            min_rating: 0,
            weighting: Weighting::Points,
            margin: 1.0,
        }
    }
}

/// Why a game was left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skipped {
    /// It has no result.
    Unfinished,
    /// A player is rated too low, or has no rating.
    Rating,
}

/// The book would become too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum BuildError {
    /// Too many different moves.
    #[error(
        "more than {MOST_RECORDS} different moves, expected a smaller --max-ply or fewer games"
    )]
    TooLarge,
}

/// Collects the moves of games.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: BuildOptions,
    /// Won, drawn, lost by the side that played the move.
    moves: HashMap<(u64, u16), [u32; 3]>,
    games: u32,
    max_ply: u16,
}

impl Builder {
    /// Builder of an empty book.
    pub fn new(options: BuildOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Takes a game in. Moves from the first illegal one on are left out. Tells if the game is not for this book.
    ///
    /// # Errors
    /// When there are too many different moves.
    pub fn add(&mut self, game: &InputGame) -> Result<Option<Skipped>, BuildError> {
        let winner = match game.result {
            GameResult::WhiteWins => Some(Color::White),
            GameResult::BlackWins => Some(Color::Black),
            GameResult::Draw => None,
            GameResult::Unfinished => return Ok(Some(Skipped::Unfinished)),
        };
        let strong = |rating: &Option<u32>| rating.unwrap_or(0) >= self.options.min_rating;
        if !game.ratings.iter().all(strong) {
            return Ok(Some(Skipped::Rating));
        }
        let mut position = game.start;
        for &mv in &game.moves {
            let ply = u16::try_from(position.ply()).unwrap_or(u16::MAX);
            if ply >= self.options.max_ply || !position.is_legal(mv) {
                break;
            }
            let column = match winner {
                None => 1,
                Some(winner) if winner == position.turn() => 0,
                Some(_) => 2,
            };
            let counts = self
                .moves
                .entry((key(&position), mv.to_bits()))
                .or_default();
            counts[column] = counts[column].saturating_add(1);
            self.max_ply = self.max_ply.max(ply + 1);
            position = position.play(mv);
        }
        if self.moves.len() > MOST_RECORDS {
            return Err(BuildError::TooLarge);
        }
        self.games = self.games.saturating_add(1);
        Ok(None)
    }

    /// Games taken in so far.
    pub const fn games(&self) -> u32 {
        self.games
    }

    /// Book of the games so far.
    pub fn finish(self) -> Book {
        let options = self.options;
        let enough = |record: &Record| record.found.count() >= u64::from(options.min_count.max(1));
        let mut records: Vec<Record> = self
            .moves
            .into_iter()
            .map(|((key, mv), [wins, draws, losses])| Record {
                key,
                found: BookMove {
                    mv: Move::from_bits(mv),
                    wins,
                    draws,
                    losses,
                },
            })
            .filter(enough)
            .collect();
        let mut best: HashMap<u64, f64> = HashMap::new();
        for record in &records {
            let best = best.entry(record.key).or_default();
            *best = best.max(cautious_score(&record.found));
        }
        records.retain(|record| {
            let best = best.get(&record.key).copied().unwrap_or_default();
            cautious_score(&record.found) >= best - options.margin
        });
        Book::new(records, options.weighting, self.max_ply, self.games)
    }
}

/// Score of a move, drawn towards one half if it was played in few games.
fn cautious_score(found: &BookMove) -> f64 {
    let games = found.count() as f64;
    (found.score() * games + PRIOR_GAMES / 2.0) / (games + PRIOR_GAMES)
}
