//! Static evaluation: what a search can be told to judge positions by.

mod material;

pub(crate) use material::material;

use super::nnue::Network;
use crate::rules::Position;
use std::sync::Arc;

/// What a search judges positions by.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// Material on the board and in hand, and nothing else: where the first network learns from.
    Material,
    /// A network.
    Network(Arc<Network>),
}

impl Evaluation {
    /// Worth of `position` for the side to move without any search, in units of [`super::Score`].
    pub fn evaluate(&self, position: &Position) -> i32 {
        match self {
            Self::Material => material(position),
            Self::Network(network) => network.evaluate(position),
        }
    }

    /// Whether both are the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Material, Self::Material) => true,
            (Self::Network(a), Self::Network(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The network that the program brings.
impl Default for Evaluation {
    fn default() -> Self {
        Self::Network(Network::embedded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::score::EVAL_LIMIT;
    use crate::rules::{Color, MoveList, Setup, Variant};

    /// Worth of a position by every evaluation that needs no file.
    fn values(position: &Position) -> [i32; 2] {
        [Evaluation::Material, Evaluation::default()]
            .map(|evaluation| evaluation.evaluate(position))
    }

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
                let here = values(&position);
                assert!(here.iter().all(|value| value.abs() <= EVAL_LIMIT));
                assert_eq!(here, values(&mirrored(&position)), "{position:?}");
            }
        }
    }

    #[test]
    fn a_piece_more_in_hand_is_worth_something() {
        let board = "r3kb2/pp1p1ppp/2n5/4p3/4P3/2N5/PPP2PPP/R3KB2";
        let fen = |pocket| format!("{board}[{pocket}] w Qq - 0 7");
        let value = |pocket| {
            let position = Position::from_fen(&fen(pocket), Variant::Crazyhouse).unwrap();
            assert_eq!(position.turn(), Color::White);
            values(&position)
        };
        for (less, more) in [
            ("", "P"),
            ("", "N"),
            ("", "B"),
            ("", "R"),
            ("", "Q"),
            ("n", ""),
        ] {
            for (less_value, more_value) in value(less).into_iter().zip(value(more)) {
                assert!(less_value < more_value, "{less:?} {more:?}");
            }
        }
    }
}
