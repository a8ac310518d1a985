//! Inputs that depend on several pieces at once, worked out anew for every position that is evaluated: how safe the
//! squares around a king are, what can be dropped with check, and which pieces hang.
//!
//! They are what a network of piece-square inputs learns last, and what decides crazyhouse games. Like features they
//! belong to a view: the king and the pieces are those of its side, the threats those of the other.

use super::features::View;
use crate::rules::{Bitboard, Color, Position, Role, attacks};

/// States of a square beside the king: 3 numbers of attackers x guarded or not x empty, own or enemy piece.
const STATES: usize = 3 * 2 * 3;
/// First input of the drops with check, after 9 places (the king's own is never used).
const CHECKS: usize = 9 * STATES;
/// First input of the hanging pieces, after 5 roles x 1, 2, or more squares.
const HANGING: usize = CHECKS + 5 * 3;
/// First input of the pieces that a pawn attacks, after 5 roles x 1 or more.
const PAWN_PREY: usize = HANGING + 5 * 2;
/// Number of inputs.
pub const THREATS: usize = PAWN_PREY + 4 * 2;
/// Most of them that one view can have at once.
pub const MOST_THREATS: usize = 8 + 5 + 5 + 4;

/// What one side attacks.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// By pawns.
    pawns: Bitboard,
    /// By anything but the king, at least once.
    once: Bitboard,
    /// By anything but the king, at least twice.
    twice: Bitboard,
    /// By anything.
    all: Bitboard,
}

impl Reach {
    #[inline(always)]
    fn of(position: &Position, color: Color) -> Self {
        let occupied = position.occupied();
        let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        let mut add = |reach: Bitboard| {
            twice |= once & reach;
            once |= reach;
        };
        for pawn in position.pieces(color, Role::Pawn) {
            add(attacks::pawn(color, pawn));
        }
        let pawns = once;
        let mut add = |reach: Bitboard| {
            twice |= once & reach;
            once |= reach;
        };
        for knight in position.pieces(color, Role::Knight) {
            add(attacks::knight(knight));
        }
        for bishop in position.diagonal_sliders(color) {
            add(attacks::bishop(bishop, occupied));
        }
        for rook in position.straight_sliders(color) {
            add(attacks::rook(rook, occupied));
        }
        Self {
            pawns,
            once,
            twice,
            all: once | attacks::king(position.king(color)),
        }
    }
}

/// What both sides of a position attack.
#[derive(Clone, Copy, Debug)]
pub struct Threats {
    reach: [Reach; 2],
}

impl Threats {
    /// Attacks of a position.
    #[inline(always)]
    pub fn of(position: &Position) -> Self {
        Self {
            reach: Color::ALL.map(|color| Reach::of(position, color)),
        }
    }

    /// Tells the inputs of the view of `color`, at most [`MOST_THREATS`] numbers below [`THREATS`].
    #[inline(always)]
    pub fn each(&self, position: &Position, color: Color, view: View, mut tell: impl FnMut(usize)) {
        let ours = &self.reach[color.index()];
        let theirs = &self.reach[color.other().index()];
        let occupied = position.occupied();
        let own = position.by_color(color);
        let king = position.king(color);
        let ring = attacks::king(king);
        let seen_king = view.place(king);
        for square in ring {
            let seen = view.place(square);
            let place =
                (seen.rank() + 1 - seen_king.rank()) * 3 + seen.file() + 1 - seen_king.file();
            let attackers =
                usize::from(theirs.once.has(square)) + usize::from(theirs.twice.has(square));
            let guarded = usize::from(ours.once.has(square));
            let piece = if !occupied.has(square) {
                0
            } else if own.has(square) {
                1
            } else {
                2
            };
            tell(usize::from(place) * STATES + (piece * 2 + guarded) * 3 + attackers);
        }

        let pocket = position.pocket(!color);
        if !pocket.is_empty() {
            // Nothing takes the dropped piece, or only the king could and may not.
            let weak = ring.without(ours.once);
            let safe = (!(occupied | ours.all)) | (weak & theirs.all).without(occupied);
            let diagonal = attacks::bishop(king, occupied);
            let straight = attacks::rook(king, occupied);
            for role in Role::DROPPABLE {
                if !pocket.has(role) {
                    continue;
                }
                let from = match role {
                    Role::Pawn | Role::King => {
                        attacks::pawn(color, king).without(Bitboard::BACK_RANKS)
                    }
                    Role::Knight => attacks::knight(king),
                    Role::Bishop => diagonal,
                    Role::Rook => straight,
                    Role::Queen => diagonal | straight,
                };
                let count = (from & safe).count() as usize;
                if count > 0 {
                    tell(CHECKS + role.index() * 3 + count.min(3) - 1);
                }
            }
        }

        let attacked = own & theirs.all;
        let hanging = attacked.without(ours.all);
        if hanging.any() {
            for role in Role::DROPPABLE {
                let count = (hanging & position.by_role(role)).count() as usize;
                if count > 0 {
                    tell(HANGING + role.index() * 2 + count.min(2) - 1);
                }
            }
        }
        let prey = (own & theirs.pawns).without(position.by_role(Role::Pawn));
        if prey.any() {
            for role in Role::PROMOTABLE {
                let count = (prey & position.by_role(role)).count() as usize;
                if count > 0 {
                    tell(PAWN_PREY + (role.index() - 1) * 2 + count.min(2) - 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{MoveList, Variant};

    /// Inputs of the view of `color`.
    fn threats(fen: &str, color: Color) -> Vec<usize> {
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let mut found = Vec::new();
        let view = View::of(&position, color, 1);
        Threats::of(&position).each(&position, color, view, |threat| found.push(threat));
        found
    }

    /// Those from `first` on, counted from there, below `count`.
    fn part(threats: &[usize], first: usize, count: usize) -> Vec<usize> {
        let inside = threats
            .iter()
            .filter(|&&t| (first..first + count).contains(&t));
        inside.map(|t| t - first).collect()
    }

    #[test]
    fn each_square_beside_the_king_has_one_state() {
        // The rook guards g1, the enemy's rook attacks the pawn on g2, and his queen the empty h2.
        let fen = "6rk/8/8/7q/8/8/6P1/4R2K[] w - - 0 1";
        let ring = part(&threats(fen, Color::White), 0, CHECKS);
        assert_eq!(ring.len(), 3);
        // The board is mirrored, since the king stands on the h-file: g becomes the next file to the right.
        let (g1, h2, g2) = (5, 7, 8);
        let state = |place: usize, piece: usize, guarded: usize, attackers: usize| {
            place * STATES + (piece * 2 + guarded) * 3 + attackers
        };
        assert!(ring.contains(&state(g1, 0, 1, 0)), "{ring:?}");
        assert!(ring.contains(&state(g2, 1, 0, 1)), "{ring:?}");
        assert!(ring.contains(&state(h2, 0, 0, 1)), "{ring:?}");
    }

    #[test]
    fn drops_with_check_are_those_that_nothing_takes() {
        // White holds a knight and a rook. Of the knight's squares e7, f6 and h6, the last two are guarded by a pawn.
        // A rook on h8 would be taken; a8 to e8 are safe, and f8 is not.
        let fen = "6k1/5ppp/8/8/8/8/8/6K1[RN] b - - 0 1";
        let found = part(&threats(fen, Color::Black), CHECKS, HANGING - CHECKS);
        assert_eq!(
            found,
            [Role::Knight.index() * 3, Role::Rook.index() * 3 + 2]
        );
        assert!(part(&threats(fen, Color::White), CHECKS, HANGING - CHECKS).is_empty());
    }

    #[test]
    fn hanging_pieces_and_prey_of_pawns_are_seen() {
        // A pawn attacks the knight, which is guarded; a rook each attacks the bishops, which are not.
        let fen = "1r4rk/8/4p3/3N2B1/4P3/1B6/8/7K[] w - - 0 1";
        let found = threats(fen, Color::White);
        assert_eq!(
            part(&found, HANGING, PAWN_PREY - HANGING),
            [Role::Bishop.index() * 2 + 1]
        );
        assert_eq!(part(&found, PAWN_PREY, THREATS - PAWN_PREY), [0]);
        assert!(part(&threats(fen, Color::Black), HANGING, THREATS - HANGING).is_empty());
    }

    #[test]
    fn no_view_has_more_threats_than_there_is_room_for() {
        let mut random = fastrand::Rng::with_seed(9);
        for variant in Variant::ALL {
            for _ in 0..20 {
                let mut position = Position::start(variant);
                for _ in 0..150 {
                    let mut moves = MoveList::new();
                    position.legal_moves(&mut moves);
                    if moves.is_empty() {
                        break;
                    }
                    position = position.play(moves[random.usize(0..moves.len())]);
                    for color in Color::ALL {
                        let mut count = 0;
                        let view = View::of(&position, color, 4);
                        Threats::of(&position).each(&position, color, view, |threat| {
                            assert!(threat < THREATS);
                            count += 1;
                        });
                        assert!(count <= MOST_THREATS);
                    }
                }
            }
        }
    }
}
