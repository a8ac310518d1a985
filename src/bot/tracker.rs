//! From the server's move list to a position. The full list is the truth: the known part is compared, only the new
//! moves are played, and anything else (a takeback, a resync) rebuilds the game from its start.

use crate::rules::{FenError, Game, Move, Position, UciError, Variant};

/// How a move list relates to the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// The same moves, perhaps with castling written in the other form.
    Unchanged,
    /// So many new moves at the end.
    Extended(usize),
    /// Another game: so many plies are the same, what followed them is not. A takeback is the usual case.
    Rebuilt(usize),
}

/// The server sent something that our rules cannot follow. The game is left as it was.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// Start position.
    #[error("unusable start position `{fen}`")]
    Start {
        /// FEN, cut to 100 characters.
        fen: String,
        source: FenError,
    },
    /// A move that is no move or not legal here.
    #[error("move {ply} of the list, `{text}`, cannot be played")]
    Move {
        /// Ply, counted from 1.
        ply: usize,
        /// Text of the move, cut to 20 characters.
        text: String,
        source: UciError,
    },
}

/// Position of one game as its server tells it.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
    game: Game,
    /// Move list as last applied, without blanks at the ends.
    list: String,
}

impl Tracker {
    /// Game from `initial`: `startpos`, an empty text, or a FEN.
    pub(super) fn new(initial: &str) -> Result<Self, Error> {
        let start = match initial.trim() {
            "" | "startpos" => Position::start(Variant::Crazyhouse),
            fen => Position::from_fen(fen, Variant::Crazyhouse).map_err(|source| Error::Start {
                fen: fen.chars().take(100).collect(),
                source,
            })?,
        };
        Ok(Self {
            game: Game::from_position(start),
            list: String::new(),
        })
    }

    /// Moves and positions of the game.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// Current position.
    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    /// Plies played since the start position.
    pub(super) fn plies(&self) -> usize {
        self.game.moves().len()
    }

    /// Takes over a complete move list in UCI, separated by blanks.
    ///
    /// # Errors
    /// [`Error::Move`] for a move that is not legal; the game then stays as it was.
    pub(super) fn apply(&mut self, list: &str) -> Result<Change, Error> {
        let list = list.trim();
        if list == self.list {
            return Ok(Change::Unchanged);
        }
        let suffix = list
            .strip_prefix(self.list.as_str())
            .filter(|rest| self.list.is_empty() || rest.starts_with(char::is_whitespace));
        if let Some(suffix) = suffix {
            let before = self.plies();
            if let Err(error) = play(&mut self.game, suffix) {
                self.game.truncate(before);
                return Err(error);
            }
            list.clone_into(&mut self.list);
            return Ok(match self.plies() - before {
                0 => Change::Unchanged,
                new => Change::Extended(new),
            });
        }
        let mut game = Game::from_position(*self.game.start());
        play(&mut game, list)?;
        let old = std::mem::replace(&mut self.game, game);
        list.clone_into(&mut self.list);
        Ok(compare(old.moves(), self.game.moves()))
    }
}

fn play(game: &mut Game, list: &str) -> Result<(), Error> {
    for text in list.split_whitespace() {
        game.push_uci(text).map_err(|source| Error::Move {
            ply: game.moves().len() + 1,
            text: text.chars().take(20).collect(),
            source,
        })?;
    }
    Ok(())
}

fn compare(old: &[Move], new: &[Move]) -> Change {
    let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    match (common == old.len(), common == new.len()) {
        (true, true) => Change::Unchanged,
        (true, false) => Change::Extended(new.len() - common),
        _ => Change::Rebuilt(common),
    }
}

#[cfg(test)]
mod tests;
