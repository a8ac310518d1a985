//! Static evaluation: what a search can be told to judge positions by.

mod material;
mod terms;
mod weights;

pub(crate) use material::material;

use super::nnue::Network;
use super::score::EVAL_LIMIT;
use crate::rules::Position;
use std::sync::Arc;
use terms::Sink;
use weights::WEIGHTS;

/// What a search judges positions by.
#[derive(Clone, Debug, Default)]
pub enum Evaluation {
    /// Material on the board and in hand, and nothing else: where the first network learns from.
    Material,
    /// Linear terms.
    #[default]
    Linear,
    /// A network.
    Network(Arc<Network>),
}

impl Evaluation {
    /// Whether both are the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Material, Self::Material) | (Self::Linear, Self::Linear) => true,
            (Self::Network(a), Self::Network(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// Adds up the weights of the terms it is told.
struct Sum(i32);

impl Sink for Sum {
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.0 += i32::from(WEIGHTS[term]) * count;
    }
}

/// Worth of a position for the side to move, 300 for odds of e to 1, within -20,000 to 20,000.
#[inline]
pub(crate) fn evaluate(position: &Position) -> i32 {
    let mut sum = Sum(0);
    terms::tell(position, &mut sum);
    sum.0.clamp(-EVAL_LIMIT, EVAL_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Color, MoveList, Setup, Variant};

    /// The same position with the sides exchanged.
    fn mirrored(position: &Position) -> Position {
        let from = position.to_setup();
        let mut setup = Setup::empty(from.variant);
        for square in crate::rules::Square::all() {
            let piece = from.board[square.index()];
            setup.board[square.flip().index()] = piece.map(|mut piece| {
                piece.color = !piece.color;
                piece
            });
        }
        setup.promoted = crate::rules::Bitboard(from.promoted.0.swap_bytes());
        setup.pockets = [from.pockets[1], from.pockets[0]];
        setup.castling = [from.castling[1], from.castling[0]];
        setup.turn = !from.turn;
        Position::from_setup(&setup).unwrap()
    }

    #[test]
    fn both_sides_are_judged_alike_and_within_limits() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..40 {
            let mut position = Position::start(Variant::Crazyhouse);
            for _ in 0..100 {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[random.usize(0..moves.len())]);
                let value = evaluate(&position);
                assert!(value.abs() <= EVAL_LIMIT);
                assert_eq!(value, evaluate(&mirrored(&position)), "{position:?}");
            }
        }
    }

    #[test]
    fn a_piece_more_in_hand_is_worth_something() {
        let fen = |pocket| format!("4k3/ppppppp1/8/8/8/8/PPPPPPP1/4K3[{pocket}] w - - 0 1");
        let value = |pocket| {
            let position = Position::from_fen(&fen(pocket), Variant::Crazyhouse).unwrap();
            assert_eq!(position.turn(), Color::White);
            evaluate(&position)
        };
        for (less, more) in [
            ("", "P"),
            ("P", "N"),
            ("P", "B"),
            ("B", "R"),
            ("R", "Q"),
            ("n", ""),
        ] {
            assert!(value(less) < value(more), "{less} {more}");
        }
    }
}
