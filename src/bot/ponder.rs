//! Thinking on the opponent's time: after our move the reply that we expect is searched as if it had been played.

use super::search::{Found, Search};
use super::think::Plan;
use crate::rules::{Game, Move};
use std::time::Instant;

/// What a move list says about a guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The opponent has not moved yet.
    Open,
    /// The expected reply was played.
    Hit,
    /// Anything else happened.
    Miss,
}

/// Our move and the reply that we expect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Guess {
    /// Plies played before our move.
    plies: usize,
    line: [Move; 2],
}

impl Guess {
    /// Guess after `found` was played in the current position of `game`, and the game as it would be then. `None` if
    /// no reply is expected, or if it would end the game.
    pub(super) fn new(game: &Game, found: &Found) -> Option<(Self, Game)> {
        let line = [found.best?, found.reply?];
        let plies = game.moves().len();
        let mut game = game.clone();
        for mv in line {
            game.push(mv).ok()?;
        }
        let goes_on = game.position().has_legal_move();
        goes_on.then_some((Self { plies, line }, game))
    }

    /// Compares with the moves of the game.
    pub(super) fn outcome(&self, moves: &[Move]) -> Outcome {
        match moves.get(self.plies..) {
            Some([]) => Outcome::Open,
            Some([ours]) if *ours == self.line[0] => Outcome::Open,
            Some(line) if line == self.line => Outcome::Hit,
            _ => Outcome::Miss,
        }
    }
}

/// How often the opponent played what was expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    /// Guesses that the opponent's move has decided.
    pub guesses: u32,
    /// Those that were right.
    pub hits: u32,
}

/// Search on the opponent's time. Dropping it stops it.
#[derive(Debug)]
pub(super) struct Ponder {
    guess: Guess,
    search: Search,
}

impl Ponder {
    /// `search` is one of the game as `guess` expects it, on the opponent's time.
    pub(super) const fn new(guess: Guess, search: Search) -> Self {
        Self { guess, search }
    }

    /// What it waits for.
    pub(super) const fn guess(&self) -> Guess {
        self.guess
    }

    /// Goes on as the search of our move, on the clock of `plan` that began to run at `received`. `None` if another
    /// search is needed: its cores were given to another game, or the move is not on the clock.
    pub(super) fn into_search(self, plan: &Plan, received: Instant) -> Option<Search> {
        self.search.hit(plan, received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Variant::Crazyhouse);
        for text in moves.split_whitespace() {
            game.push_uci(text).unwrap();
        }
        game
    }

    fn guess(before: &str, ours: &str, reply: Option<&str>) -> Option<(Guess, Game)> {
        let game = game(before);
        let best = game.position().parse_uci(ours).unwrap();
        let next = game.position().play(best);
        let mut found = Found::without_search(Some(best));
        found.reply = reply.map(|text| next.parse_uci(text).unwrap());
        Guess::new(&game, &found)
    }

    #[test]
    fn a_guess_waits_for_the_opponent_and_is_then_right_or_wrong() {
        let (guess, expected) = guess("e2e4", "e7e5", Some("g1f3")).unwrap();
        assert_eq!(expected.moves().len(), 3);
        for (moves, outcome) in [
            ("e2e4", Outcome::Open),
            ("e2e4 e7e5", Outcome::Open),
            ("e2e4 e7e5 g1f3", Outcome::Hit),
            ("e2e4 e7e5 f1c4", Outcome::Miss),
            ("e2e4 c7c5", Outcome::Miss),
            ("e2e4 e7e5 g1f3 b8c6", Outcome::Miss),
            ("", Outcome::Miss),
        ] {
            assert_eq!(guess.outcome(game(moves).moves()), outcome, "{moves}");
        }
    }

    #[test]
    fn nothing_is_guessed_without_a_reply_or_beyond_the_end() {
        assert_eq!(guess("e2e4", "e7e5", None).map(|(guess, _)| guess), None);
        let mate = guess("g2g4 e7e5", "f2f3", Some("d8h4"));
        assert_eq!(mate.map(|(guess, _)| guess), None);
    }
}
