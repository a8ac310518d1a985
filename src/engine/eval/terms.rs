//! What the evaluation looks at: one description, summed up in play and listed for fitting.
//!
//! A term is a number of times that something is there for the side to move, less the times that it is there for the
//! other side. Everything but the fitting of the weights is symmetrical between the sides.

use crate::rules::{Bitboard, Color, Pocket, Position, Role, Square, attacks};

/// Receives terms.
pub(crate) trait Sink {
    /// `term` is there `count` times.
    fn add(&mut self, term: usize, count: i32);
}

/// Right to move.
pub(crate) const TEMPO: usize = 0;
/// Piece on a square, by role and square seen from its side.
pub(crate) const SQUARE: usize = TEMPO + 1;
/// Piece in hand, by role and how many there already are.
pub(crate) const HAND: usize = SQUARE + 6 * 64;
/// Mark of a promoted piece, by role.
pub(crate) const PROMOTED: usize = HAND + 5 * 16;
/// Piece by role and distance to the enemy king (1 to 7).
pub(crate) const NEAR_ENEMY: usize = PROMOTED + 6;
/// Piece by role and distance to the own king (1 to 7).
pub(crate) const NEAR_OWN: usize = NEAR_ENEMY + 5 * 8;
/// Square beside the enemy king that a piece attacks, by role.
pub(crate) const RING: usize = NEAR_OWN + 5 * 8;
/// Sum of those attacks, up to 15.
pub(crate) const RING_SUM: usize = RING + 6;
/// Squares beside the enemy king that only the king guards (0 to 8), by what is in hand against it (0 to 5).
pub(crate) const WEAK: usize = RING_SUM + 16;
/// Those of them that are attacked (0 to 4), by what is in hand.
pub(crate) const WEAK_ATTACKED: usize = WEAK + 9 * 6;
/// Drops in hand that would give check where nothing takes: by side to move or not, role, and number up to 3.
pub(crate) const DROP_CHECK: usize = WEAK_ATTACKED + 5 * 6;
/// Squares that a knight, bishop, rook or queen attacks, own pieces and enemy pawns' reach left out.
pub(crate) const MOBILITY: usize = DROP_CHECK + 2 * 5 * 4;
/// Enemy piece that a pawn attacks, by side to move or not, and role.
pub(crate) const PAWN_THREAT: usize = MOBILITY + 4 * 28;
/// Enemy piece that is attacked and not guarded, by side to move or not, and role.
pub(crate) const HANGING: usize = PAWN_THREAT + 2 * 6;
/// Number of terms.
pub(crate) const COUNT: usize = HANGING + 2 * 6;

/// Attacks of one side.
struct Attacks {
    /// By pawns.
    pawns: Bitboard,
    /// By everything but the king.
    pieces: Bitboard,
    /// By anything.
    all: Bitboard,
}

/// Tells all terms of a position.
#[inline]
pub(crate) fn tell<S: Sink>(position: &Position, sink: &mut S) {
    let us = position.turn();
    sink.add(TEMPO, 1);
    let pawns = [pawn_reach(position, us), pawn_reach(position, !us)];
    let mut ours = Attacks {
        pawns: pawns[0],
        pieces: pawns[0],
        all: Bitboard::EMPTY,
    };
    let mut theirs = Attacks {
        pawns: pawns[1],
        pieces: pawns[1],
        all: Bitboard::EMPTY,
    };
    tell_pieces(position, us, &mut ours, pawns[1], 1, sink);
    tell_pieces(position, !us, &mut theirs, pawns[0], -1, sink);
    tell_relations(position, us, &ours, &theirs, 1, 0, sink);
    tell_relations(position, !us, &theirs, &ours, -1, 1, sink);
}

/// Squares that the pawns of a side attack.
fn pawn_reach(position: &Position, color: Color) -> Bitboard {
    let pawns = position.pieces(color, Role::Pawn);
    pawns.fold(Bitboard::EMPTY, |reach, pawn| {
        reach | attacks::pawn(color, pawn)
    })
}

/// Larger of the distances by rank and by file.
fn distance(a: Square, b: Square) -> usize {
    usize::from(a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank())))
}

/// What each piece and each hand is worth by itself and by its distance to the kings; collects the attacks.
#[inline]
fn tell_pieces<S: Sink>(
    position: &Position,
    color: Color,
    attacked: &mut Attacks,
    enemy_pawns: Bitboard,
    sign: i32,
    sink: &mut S,
) {
    let occupied = position.occupied();
    let own = position.by_color(color);
    let (king, enemy_king) = (position.king(color), position.king(!color));
    let ring = attacks::king(enemy_king);
    let mut ring_sum = 0;
    for role in Role::ALL {
        for square in position.pieces(color, role) {
            let seen = if color == Color::White {
                square
            } else {
                square.flip()
            };
            sink.add(SQUARE + role.index() * 64 + seen.index(), sign);
            if role == Role::King {
                continue;
            }
            sink.add(
                NEAR_ENEMY + role.index() * 8 + distance(square, enemy_king),
                sign,
            );
            sink.add(NEAR_OWN + role.index() * 8 + distance(square, king), sign);
            let reach = match role {
                Role::Pawn | Role::King => attacks::pawn(color, square),
                Role::Knight => attacks::knight(square),
                Role::Bishop => attacks::bishop(square, occupied),
                Role::Rook => attacks::rook(square, occupied),
                Role::Queen => attacks::queen(square, occupied),
            };
            attacked.pieces |= reach;
            let on_ring = (reach & ring).count() as i32;
            if on_ring > 0 {
                sink.add(RING + role.index(), sign * on_ring);
                ring_sum += on_ring;
            }
            if role != Role::Pawn {
                let free = reach.without(own | enemy_pawns).count() as usize;
                sink.add(MOBILITY + (role.index() - 1) * 28 + free.min(27), sign);
            }
        }
    }
    sink.add(RING_SUM + ring_sum.min(15) as usize, sign);
    attacked.all = attacked.pieces | attacks::king(king);
    let pocket = position.pocket(color);
    for role in Role::DROPPABLE {
        for index in 0..usize::from(pocket.count(role)) {
            sink.add(HAND + role.index() * 16 + index.min(15), sign);
        }
    }
    for square in position.promoted() & own {
        if let Some(role) = position.role_at(square) {
            sink.add(PROMOTED + role.index(), sign);
        }
    }
}

/// Strength of a hand for an attack, 0 to 5: its pieces, pawns together counting as one.
fn strength(pocket: Pocket) -> usize {
    let pawns = pocket.count(Role::Pawn);
    let pieces = pocket.total() - u32::from(pawns);
    (pieces as usize + usize::from(pawns > 0)).min(5)
}

/// What the pieces and hand of `color` do to those of the other side. `waits`: 0 if `color` is to move, else 1.
#[inline]
fn tell_relations<S: Sink>(
    position: &Position,
    color: Color,
    ours: &Attacks,
    theirs: &Attacks,
    sign: i32,
    waits: usize,
    sink: &mut S,
) {
    let occupied = position.occupied();
    let king = position.king(!color);
    let ring = attacks::king(king);
    let pocket = position.pocket(color);
    let strength = strength(pocket);
    let weak = ring.without(theirs.pieces);
    sink.add(WEAK + weak.count() as usize * 6 + strength, sign);
    let attacked = (weak & ours.all).count().min(4) as usize;
    sink.add(WEAK_ATTACKED + attacked * 6 + strength, sign);

    if !pocket.is_empty() {
        let safe = !(occupied | theirs.all) | (weak & ours.all).without(occupied);
        let diagonal = attacks::bishop(king, occupied);
        let straight = attacks::rook(king, occupied);
        for role in Role::DROPPABLE {
            if !pocket.has(role) {
                continue;
            }
            let from = match role {
                Role::Pawn | Role::King => {
                    attacks::pawn(!color, king).without(Bitboard::BACK_RANKS)
                }
                Role::Knight => attacks::knight(king),
                Role::Bishop => diagonal,
                Role::Rook => straight,
                Role::Queen => diagonal | straight,
            };
            let checks = (from & safe).count().min(3) as usize;
            sink.add(DROP_CHECK + (waits * 5 + role.index()) * 4 + checks, sign);
        }
    }
    let enemies = position.by_color(!color);
    let hanging = (enemies & ours.all).without(theirs.all);
    for square in enemies & (ours.pawns | hanging) {
        let Some(role) = position.role_at(square) else {
            continue;
        };
        if ours.pawns.has(square) {
            sink.add(PAWN_THREAT + waits * 6 + role.index(), sign);
        }
        if hanging.has(square) {
            sink.add(HANGING + waits * 6 + role.index(), sign);
        }
    }
}
