//! Which move of a book is played. Pure: the lot is drawn outside.

use super::key::{key, mix};
use super::{Book, BookMove, Weighting};
use crate::rules::{Game, Move};

/// Occurrences of a position that draw a game.
const DRAWN: usize = 3;

/// How one of several moves is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selection {
    /// By lot, in proportion to the weights.
    #[default]
    Weighted,
    /// By lot, all with the same chance.
    Uniform,
    /// The one of the greatest weight.
    Best,
}

/// When a book is used, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Plies from the start of the game in which it is used.
    pub max_ply: u32,
    /// Fewest games in which a move was played.
    pub min_count: u32,
    /// How one of several moves is taken.
    pub selection: Selection,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            max_ply: u32::MAX,
            min_count: 1,
            selection: Selection::Weighted,
        }
    }
}

impl Book {
    /// Moves of the current position that can be played: legal, played often enough, with a weight, and not such that
    /// the position afterwards stands for the third time.
    pub fn candidates(&self, game: &Game, min_count: u32) -> Vec<BookMove> {
        let listed = self.moves(key(game.position()));
        playable(listed, game, self.weighting(), min_count).collect()
    }

    /// Move for the current position, `None` if the book has none. `random` is a number drawn by lot.
    pub fn choose(&self, game: &Game, choice: &Choice, random: u64) -> Option<BookMove> {
        if game.position().ply() >= choice.max_ply {
            return None;
        }
        let candidates = self.candidates(game, choice.min_count);
        pick(&candidates, choice.selection, self.weighting(), random)
    }
}

/// Those of some moves that can be played, see [`Book::candidates`].
pub fn playable(
    moves: impl Iterator<Item = BookMove>,
    game: &Game,
    weighting: Weighting,
    min_count: u32,
) -> impl Iterator<Item = BookMove> {
    moves.filter(move |found| {
        found.count() >= u64::from(min_count)
            && found.weight(weighting) > 0
            && found.mv.is_well_formed()
            && game.position().is_legal(found.mv)
            && !repeats(game, found.mv)
    })
}

/// Whether a legal move makes a position that stood twice before.
fn repeats(game: &Game, mv: Move) -> bool {
    if mv.is_castle() {
        return false;
    }
    let after = game.position().play(mv).key();
    let possible = &game.keys()[game.irreversible()..];
    possible.iter().filter(|&&key| key == after).count() + 1 >= DRAWN
}

/// Takes one of some moves. `random` is a number drawn by lot; [`Selection::Best`] does not look at it.
pub fn pick(
    moves: &[BookMove],
    selection: Selection,
    weighting: Weighting,
    random: u64,
) -> Option<BookMove> {
    match selection {
        Selection::Best => moves
            .iter()
            .rev()
            .max_by_key(|found| found.weight(weighting))
            .copied(),
        Selection::Uniform => {
            let index = share(random, moves.len() as u64)?;
            moves.get(usize::try_from(index).ok()?).copied()
        }
        Selection::Weighted => {
            let total = moves.iter().map(|found| found.weight(weighting)).sum();
            let mut left = share(random, total)?;
            moves.iter().copied().find(|found| {
                let weight = found.weight(weighting);
                let here = left < weight;
                left = left.saturating_sub(weight);
                here
            })
        }
    }
}

/// Number below `total` in proportion to a lot; `None` if there is none.
fn share(random: u64, total: u64) -> Option<u64> {
    (total > 0).then(|| ((u128::from(random) * u128::from(total)) >> 64) as u64)
}

/// Lot that depends on a seed and on the position, so that the same seed always plays the same book moves.
pub fn roll(seed: u64, game: &Game) -> u64 {
    mix(seed ^ key(game.position()))
}
