//! One position to learn from, packed so that tens of millions fit into memory.

use crate::engine::nnue::features::{self, Feature, HEADS, KING_BUCKETS, ROWS, View};
use crate::engine::nnue::threats::{MOST_THREATS, THREATS, Threats};
use crate::rules::{Bitboard, Color, Piece, Pocket, Position, Role};
use arrayvec::ArrayVec;

/// Most rows of one view: 32 pieces on the board and 60 pocket features, all pieces promoted.
const MOST_ROWS: usize = 32 + 60 + 32 + MOST_THREATS;

/// Rows of the first layer that are active in one view.
pub type Rows = ArrayVec<u32, MOST_ROWS>;

/// Position with the score a search gave it and the result of its game. 88 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Sample {
    occupied: Bitboard,
    /// `color * 6 + role` of the pieces on the occupied squares in their order, four bits each.
    pieces: [u8; 16],
    /// Bit n: the n-th of these pieces is promoted.
    promoted: u32,
    /// White's and Black's pieces in hand, [`POCKET_BITS`] each.
    pockets: [u16; 2],
    score: i16,
    /// Views of the side to move and of the other side, with the finest king buckets.
    views: [View; 2],
    /// Threats of both views, filled up with [`NO_THREAT`].
    threats: [[u8; MOST_THREATS]; 2],
    head: u8,
    /// Half points of the side to move.
    result: u8,
}

const _: () = assert!(size_of::<Sample>() == 88, "samples are many");
const _: () = assert!(THREATS <= NO_THREAT as usize, "a threat is a byte");

/// Fills up the lists of threats.
const NO_THREAT: u8 = u8::MAX;

/// Bits for the number of pieces of each role in hand; a crazyhouse pocket never holds more.
const POCKET_BITS: [u32; 5] = [5, 3, 3, 3, 2];

impl Sample {
    /// Sample of a crazyhouse position. `score` is for the side to move.
    pub fn new(position: &Position, score: i16, winner: Option<Color>) -> Self {
        let turn = position.turn();
        let mut sample = Self {
            occupied: Bitboard::EMPTY,
            pieces: [0; 16],
            promoted: 0,
            pockets: Color::ALL.map(|color| pack_pocket(position.pocket(color))),
            score,
            views: [turn, !turn].map(|color| View::of(position, color, KING_BUCKETS[1])),
            threats: [[NO_THREAT; MOST_THREATS]; 2],
            head: features::head(position, HEADS[1]) as u8,
            result: winner.map_or(1, |winner| 2 * u8::from(winner == turn)),
        };
        for (n, square) in position.occupied().take(32).enumerate() {
            if let Some(piece) = position.piece_at(square) {
                sample.occupied.insert(square);
                sample.pieces[n / 2] |= (piece.index() as u8) << (4 * (n % 2));
                sample.promoted |= u32::from(position.promoted().has(square)) << n;
            }
        }
        let threats = Threats::of(position);
        for (color, list) in [turn, !turn].into_iter().zip(&mut sample.threats) {
            let view = View::of(position, color, KING_BUCKETS[1]);
            let mut rest = list.iter_mut();
            threats.each(position, color, view, |threat| {
                if let Some(place) = rest.next() {
                    *place = threat as u8;
                }
            });
        }
        sample
    }

    /// Score of the search for the side to move, in units of the engine.
    pub const fn score(&self) -> i16 {
        self.score
    }

    /// Points of the side to move at the end of the game: 0, 0.5 or 1.
    pub fn result(&self) -> f32 {
        f32::from(self.result) / 2.0
    }

    /// Output head of a network with so many.
    pub fn head(&self, heads: usize) -> usize {
        if heads == 1 { 0 } else { self.head.into() }
    }

    /// Tells every feature of the position.
    #[inline(always)]
    pub fn features(&self, mut tell: impl FnMut(Feature)) {
        let mut pieces = u128::from_le_bytes(self.pieces);
        let mut promoted = self.promoted;
        for square in self.occupied {
            let index = (pieces & 15) as usize;
            let piece = PIECES[index];
            tell(Feature::piece(piece, square));
            if promoted & 1 != 0 {
                Feature::mark(piece, square).map(&mut tell);
            }
            pieces >>= 4;
            promoted >>= 1;
        }
        for color in Color::ALL {
            let mut pocket = u32::from(self.pockets[color.index()]);
            for (role, bits) in Role::DROPPABLE.into_iter().zip(POCKET_BITS) {
                if pocket == 0 {
                    break;
                }
                for count in 1..=pocket & ((1 << bits) - 1) {
                    Feature::pocket(color, role, count as u8).map(&mut tell);
                }
                pocket >>= bits;
            }
        }
    }

    /// Active rows of the first layer, as the side to move and as the other side sees them.
    #[inline(always)]
    pub fn rows(&self, king_buckets: usize, own: &mut Rows, other: &mut Rows) {
        own.clear();
        other.clear();
        // With one bucket the rows of all buckets are the same.
        let first = self.views.map(|view| {
            if king_buckets == 1 {
                (view.index() >> 2) * ROWS
            } else {
                0
            }
        });
        self.features(|feature| {
            own.try_push((self.views[0].row(feature) - first[0]) as u32)
                .ok();
            other
                .try_push((self.views[1].row(feature) - first[1]) as u32)
                .ok();
        });
        for (side, rows) in [own, other].into_iter().enumerate() {
            let threats = self.threats[side].iter();
            rows.extend(
                threats
                    .take_while(|&&threat| threat != NO_THREAT)
                    .map(|&threat| {
                        (self.views[side].threat_row(threat.into()) - first[side]) as u32
                    }),
            );
        }
    }

    /// Mixes the sample into a checksum that depends on the order.
    pub(crate) fn mix(&self, sum: u64) -> u64 {
        let words = [
            self.occupied.0,
            u64::from(self.promoted) << 32
                | u64::from(self.pockets[0]) << 16
                | u64::from(self.pockets[1]),
            u128::from_le_bytes(self.pieces) as u64,
            (u128::from_le_bytes(self.pieces) >> 64) as u64,
            u64::from(self.score as u16) << 16
                | u64::from(self.result) << 8
                | self.views[0].index() as u64,
        ];
        words.into_iter().fold(sum, super::hash::mix)
    }
}

/// Piece of each number of four bits; the last four numbers are never used.
const PIECES: [Piece; 16] = {
    let mut pieces = [Piece {
        color: Color::White,
        role: Role::Pawn,
    }; 16];
    let mut index = 0;
    while index < 12 {
        pieces[index] = Piece {
            color: if index < 6 {
                Color::White
            } else {
                Color::Black
            },
            role: Role::from_index(index % 6),
        };
        index += 1;
    }
    pieces
};

fn pack_pocket(pocket: Pocket) -> u16 {
    let (mut packed, mut shift) = (0, 0);
    for (role, bits) in Role::DROPPABLE.into_iter().zip(POCKET_BITS) {
        let most = (1 << bits) - 1;
        packed |= u16::from(pocket.count(role)).min(most) << shift;
        shift += bits;
    }
    packed
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rules::{MoveList, Variant};

    /// Positions of games of random moves, at most so many plies each.
    pub(crate) fn random_positions(games: usize, plies: usize, seed: u64) -> Vec<Position> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut positions = Vec::new();
        for _ in 0..games {
            let mut position = Position::start(Variant::Crazyhouse);
            for _ in 0..plies {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[random.usize(0..moves.len())]);
                positions.push(position);
            }
        }
        positions
    }

    #[test]
    fn a_packed_position_shows_the_network_what_the_position_itself_shows() {
        let mut promoted = false;
        for position in random_positions(20, 200, 3) {
            promoted |= position.promoted().any();
            let sample = Sample::new(&position, -17, Some(Color::Black));
            assert_eq!(sample.score(), -17);
            let points = f32::from(position.turn() == Color::Black);
            assert!((sample.result() - points).abs() < 1e-9);
            for heads in HEADS {
                assert_eq!(sample.head(heads), features::head(&position, heads));
            }
            for king_buckets in KING_BUCKETS {
                let [own, other] = [position.turn(), !position.turn()].map(|color| {
                    let mut rows = Vec::new();
                    features::each_row(&position, color, king_buckets, |row| rows.push(row));
                    rows.sort_unstable();
                    rows
                });
                let mut packed = [Rows::new(), Rows::new()];
                let [first, second] = &mut packed;
                sample.rows(king_buckets, first, second);
                for rows in &mut packed {
                    rows.sort_unstable();
                }
                assert_eq!(packed[0].as_slice(), own, "{position:?}");
                assert_eq!(packed[1].as_slice(), other, "{position:?}");
            }
        }
        assert!(promoted, "no promotion in all these games");
    }

    #[test]
    fn a_draw_is_half_a_point() {
        let sample = Sample::new(&Position::start(Variant::Crazyhouse), 0, None);
        assert!((sample.result() - 0.5).abs() < 1e-9);
    }
}
