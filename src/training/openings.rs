//! Random openings: a few random moves that leave neither side lost.

use crate::engine::{Limits, SearchRequest, Searcher};
use crate::rules::{Game, Move, MoveList, Variant};
use std::time::Instant;

/// Which random openings will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningOptions {
    /// Fewest random plies.
    pub fewest: usize,
    /// Most random plies, at least `fewest`; all numbers between are equally likely.
    pub most: usize,
    /// Largest score of either side, units of the engine.
    pub balance: i32,
    /// Nodes after which the search that judges the balance begins no new iteration; it ends after twice as many.
    pub nodes: u64,
}

impl Default for OpeningOptions {
    /// As games for training need them.
    fn default() -> Self {
        Self {
            fewest: 4,
            most: 10,
            balance: 600,
            nodes: 2_000,
        }
    }
}

/// Game from the start position of crazyhouse after random moves, not over and balanced enough. The searcher judges
/// the balance, so that the opening depends on the generator, the options, its evaluation and what it remembers.
pub fn random_opening(
    random: &mut fastrand::Rng,
    searcher: &mut Searcher,
    options: &OpeningOptions,
) -> Game {
    loop {
        let plies = random.usize(options.fewest..=options.most.max(options.fewest));
        let game = wander(random, plies);
        if game.outcome().is_none() && is_balanced(searcher, &game, options) {
            return game;
        }
    }
}

/// Game of so many random moves from the start position of crazyhouse, or of fewer if it is over before.
pub(super) fn wander(random: &mut fastrand::Rng, plies: usize) -> Game {
    let mut game = Game::new(Variant::Crazyhouse);
    while game.moves().len() < plies
        && let Some(mv) = random_move(random, &game)
        && game.push(mv).is_ok()
    {}
    game
}

/// Legal move, all equally likely; `None` if the game is over.
fn random_move(random: &mut fastrand::Rng, game: &Game) -> Option<Move> {
    let mut moves = MoveList::new();
    game.position().legal_moves(&mut moves);
    random.choice(moves.as_slice()).copied()
}

fn is_balanced(searcher: &mut Searcher, game: &Game, options: &OpeningOptions) -> bool {
    let result = searcher.search(SearchRequest {
        position: *game.position(),
        earlier: game.earlier_keys().to_vec(),
        limits: Limits {
            soft_nodes: Some(options.nodes),
            nodes: Some(2 * options.nodes),
            ..Limits::default()
        },
        received: Instant::now(),
    });
    result.score.as_cp().abs() <= options.balance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Evaluation;

    /// Openings, and how many of them a search on its own finds far from even.
    fn openings(options: &OpeningOptions) -> (Vec<Game>, usize) {
        let mut random = fastrand::Rng::with_seed(1);
        let mut searcher = Searcher::new(1, Evaluation::Material);
        let games: Vec<_> = (0..40)
            .map(|_| random_opening(&mut random, &mut searcher, options))
            .collect();
        let loose = OpeningOptions {
            balance: 400,
            ..*options
        };
        let mut lost = 0;
        for game in &games {
            searcher.clear();
            lost += usize::from(!is_balanced(&mut searcher, game, &loose));
        }
        (games, lost)
    }

    #[test]
    fn openings_differ_have_the_wanted_length_and_are_balanced() {
        let options = OpeningOptions {
            nodes: 200,
            balance: 150,
            ..OpeningOptions::default()
        };
        let (games, lost) = openings(&options);
        assert_eq!(lost, 0);
        let mut keys = Vec::new();
        for game in games {
            assert!((4..=10).contains(&game.moves().len()));
            assert_eq!(game.outcome(), None);
            keys.push(game.position().key());
        }
        keys.sort_unstable();
        keys.dedup();
        assert!(keys.len() > 35, "{} different", keys.len());
        let (_, lost) = openings(&OpeningOptions {
            balance: i32::MAX,
            ..options
        });
        assert!(lost > 0);
    }
}
