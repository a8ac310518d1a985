//! How a game ends by itself: mate, stalemate, repetition. Crazyhouse has no fifty-move rule and
//! no draw by insufficient material.

use super::mv::Move;
use super::piece::{Color, Role, Variant};
use super::position::Position;
use super::uci::UciError;
use std::collections::HashMap;
use thiserror::Error;

/// Plies after which Lichess draws a game: a move tried beyond is not played.
pub const LICHESS_PLY_LIMIT: usize = 600;

/// Occurrences of one position that draw a game on Lichess without a claim.
const AUTOMATIC_DRAW: u32 = 5;

/// End of a game by the rules of play. Flag fall, resignation and agreement are not seen here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// In check without a legal move or drop.
    Checkmate {
        /// Side that gave mate.
        winner: Color,
    },
    /// Not in check, no legal move and nothing in hand that could be dropped.
    Stalemate,
    /// Fifth occurrence of a position under [`Rule::Lichess`].
    FivefoldRepetition,
}

impl Outcome {
    /// Side that won, `None` for a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Checkmate { winner } => Some(winner),
            Self::Stalemate | Self::FivefoldRepetition => None,
        }
    }
}

/// Which positions count as equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rule {
    /// Pieces, promoted marks, hands, side to move, castling rights and legal en passant agree.
    /// Only castling cuts the history.
    #[default]
    Lichess,
    /// Pieces and side to move agree. Every pawn move, capture and drop cuts the history.
    Fics,
}

/// Occurrences of positions, a stack that grows and shrinks with the moves of a game.
#[derive(Clone, Debug)]
pub struct Repetition {
    rule: Rule,
    entries: Vec<Entry>,
    /// Latest entry of each key. Counting through it keeps a game of any length linear.
    latest: HashMap<u64, usize>,
}

#[derive(Clone, Debug)]
struct Entry {
    key: u64,
    /// Entry before this one with the same key.
    previous: Option<usize>,
    /// First entry that could be equal to this one.
    first: usize,
    count: u32,
}

impl Repetition {
    /// Empty history.
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            entries: Vec::new(),
            latest: HashMap::new(),
        }
    }

    /// Rule that positions are compared by.
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Adds a position. `irreversible` says that the move that led to it cuts the history, which
    /// [`Repetition::cuts`] tells.
    pub fn push(&mut self, position: &Position, irreversible: bool) {
        let key = match self.rule {
            Rule::Lichess => position.key(),
            Rule::Fics => position.board_key(),
        };
        let index = self.entries.len();
        let first = if irreversible { index } else { self.first() };
        let previous = self.latest.insert(key, index);
        let count = match previous {
            Some(previous) if previous >= first => self.entries[previous].count + 1,
            _ => 1,
        };
        self.entries.push(Entry {
            key,
            previous,
            first,
            count,
        });
    }

    /// Keeps the first `len` positions.
    pub fn truncate(&mut self, len: usize) {
        while self.entries.len() > len
            && let Some(entry) = self.entries.pop()
        {
            match entry.previous {
                Some(previous) => self.latest.insert(entry.key, previous),
                None => self.latest.remove(&entry.key),
            };
        }
    }

    /// How often the last position has occurred, itself included; 0 for an empty history.
    pub fn count(&self) -> u32 {
        self.entries.last().map_or(0, |entry| entry.count)
    }

    /// Index of the first position that could be equal to the last one.
    pub fn first(&self) -> usize {
        self.entries.last().map_or(0, |entry| entry.first)
    }

    /// Whether `m`, played in `before`, cuts the history.
    pub fn cuts(&self, before: &Position, m: Move) -> bool {
        match self.rule {
            Rule::Lichess => m.is_castle(),
            Rule::Fics => {
                m.is_drop()
                    || before.captured_role(m).is_some()
                    || before.moved_piece(m).role == Role::Pawn
            }
        }
    }
}

/// Move that is not legal in the position it was meant for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("move {0:?} is not legal in this position")]
pub struct IllegalMove(pub Move);

/// Moves played from a position on, with every position between them and their repetition.
#[derive(Clone, Debug)]
pub struct Game {
    /// Never empty: the first one is the start.
    positions: Vec<Position>,
    moves: Vec<Move>,
    /// [`Position::key`] of each position.
    keys: Vec<u64>,
    repetition: Repetition,
}

impl Game {
    /// Game from the initial array under [`Rule::Lichess`].
    pub fn new(variant: Variant) -> Self {
        Self::from_position(Position::start(variant))
    }

    /// Game from `start` under [`Rule::Lichess`].
    pub fn from_position(start: Position) -> Self {
        Self::with_rule(start, Rule::Lichess)
    }

    /// Game from `start` whose repetitions are counted by `rule`.
    pub fn with_rule(start: Position, rule: Rule) -> Self {
        let mut repetition = Repetition::new(rule);
        repetition.push(&start, false);
        Self {
            positions: vec![start],
            moves: Vec::new(),
            keys: vec![start.key()],
            repetition,
        }
    }

    /// Position that the game started from.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// Current position.
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// All positions, the start first and the current one last: one more than moves.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move given in UCI, and returns it.
    ///
    /// # Errors
    /// When the text is no move that is legal here; the game is then unchanged.
    pub fn push_uci(&mut self, text: &str) -> Result<Move, UciError> {
        let m = self.position().parse_uci(text)?;
        self.push(m).map_err(|_| UciError::Illegal {
            value: text.to_owned(),
        })?;
        Ok(m)
    }

    /// Plays a move.
    ///
    /// # Errors
    /// When the move is not legal; the game is then unchanged.
    pub fn push(&mut self, m: Move) -> Result<(), IllegalMove> {
        let before = self.position();
        if !before.is_legal(m) {
            return Err(IllegalMove(m));
        }
        let after = before.play(m);
        let cuts = self.repetition.cuts(before, m);
        self.repetition.push(&after, cuts);
        self.positions.push(after);
        self.keys.push(after.key());
        self.moves.push(m);
        Ok(())
    }

    /// Takes the last move back and returns it; `None` at the start.
    pub fn pop(&mut self) -> Option<Move> {
        let m = self.moves.pop()?;
        self.truncate(self.moves.len());
        Some(m)
    }

    /// Takes moves back until `plies` are left; nothing happens if there are no more than that.
    pub fn truncate(&mut self, plies: usize) {
        self.moves.truncate(plies);
        let positions = self.moves.len() + 1;
        self.positions.truncate(positions);
        self.keys.truncate(positions);
        self.repetition.truncate(positions);
    }

    /// Occurrences of the current position so far, itself included.
    pub fn repetitions(&self) -> u32 {
        self.repetition.count()
    }

    /// [`Position::key`] of every position from the start to the current one.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Index into [`Game::keys`] before which nothing can be equal to a later position.
    pub fn irreversible(&self) -> usize {
        self.repetition.first()
    }

    /// Keys of the positions before the current one that can still be repeated, oldest first: what a search has to
    /// know of the game.
    pub fn earlier_keys(&self) -> &[u64] {
        let past = self.moves.len();
        &self.keys[self.irreversible().min(past)..past]
    }

    /// End of the game, if the current position is one. Mate goes before repetition, and under
    /// [`Rule::Fics`] repetition only gives a right to claim, so it ends nothing.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        if !position.has_legal_move() {
            return Some(if position.is_check() {
                Outcome::Checkmate {
                    winner: !position.turn(),
                }
            } else {
                Outcome::Stalemate
            });
        }
        let fivefold =
            self.repetition.rule() == Rule::Lichess && self.repetitions() >= AUTOMATIC_DRAW;
        fivefold.then_some(Outcome::FivefoldRepetition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(game: &mut Game, moves: &str) {
        for text in moves.split_whitespace() {
            game.push_uci(text).unwrap();
        }
    }

    const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8";

    #[test]
    fn fifth_occurrence_draws_and_taking_it_back_undoes_that() {
        let mut game = Game::new(Variant::Crazyhouse);
        for round in 1..=4 {
            assert_eq!((game.repetitions(), game.outcome()), (round, None));
            play(&mut game, SHUFFLE);
        }
        assert_eq!(game.outcome(), Some(Outcome::FivefoldRepetition));
        let last = game.pop().unwrap();
        assert_eq!((game.repetitions(), game.outcome()), (4, None));
        game.push(last).unwrap();
        assert_eq!(game.repetitions(), 5);
        game.truncate(0);
        assert_eq!((game.repetitions(), game.pop()), (1, None));
        assert_eq!(game.keys(), [game.start().key()]);
    }

    #[test]
    fn mate_names_the_side_that_gave_it() {
        let mut game = Game::new(Variant::Crazyhouse);
        play(&mut game, "f2f3 e7e5 g2g4 d8h4");
        assert_eq!(
            game.outcome(),
            Some(Outcome::Checkmate {
                winner: Color::Black
            })
        );
        assert_eq!(game.outcome().unwrap().winner(), Some(Color::Black));
    }

    #[test]
    fn castling_cuts_the_lichess_history_and_a_pawn_move_does_not() {
        let mut game = Game::new(Variant::Crazyhouse);
        play(&mut game, "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7");
        assert_eq!(game.irreversible(), 0);
        play(&mut game, "e1h1");
        assert_eq!(game.irreversible(), 7);
        assert!(game.earlier_keys().is_empty());
        play(&mut game, "a7a6 a2a3");
        assert_eq!(game.irreversible(), 7);
        assert_eq!(game.earlier_keys(), &game.keys()[7..9]);
        game.pop();
        game.truncate(6);
        assert_eq!(game.irreversible(), 0);
    }

    #[test]
    fn fics_rule_restarts_at_pawn_moves_and_never_ends_a_game_by_itself() {
        let mut game = Game::with_rule(Position::start(Variant::Crazyhouse), Rule::Fics);
        for _ in 0..5 {
            play(&mut game, SHUFFLE);
        }
        assert_eq!((game.repetitions(), game.outcome()), (6, None));
        play(&mut game, "e2e4");
        assert_eq!(game.repetitions(), 1);
        assert_eq!(game.irreversible(), 21);
    }

    #[test]
    fn illegal_move_is_refused_and_changes_nothing() {
        let mut game = Game::new(Variant::Crazyhouse);
        let e4 = game.position().parse_uci("e2e4").unwrap();
        game.push(e4).unwrap();
        assert_eq!(game.push(e4), Err(IllegalMove(e4)));
        assert_eq!(game.moves(), [e4]);
        assert_eq!(game.positions().len(), 2);
        assert_eq!(
            IllegalMove(e4).to_string(),
            "move e2e4 is not legal in this position"
        );
    }
}
