//! Static exchange evaluation on swing values.
//!
//! A capture changes the material twice: the victim leaves the board, and a piece comes into the hand of the
//! capturer. So an exchange is counted in swings: worth on the board plus worth in the hand of the other side. A
//! promoted piece comes into hand as a pawn. Drops that recapture or interpose are not seen here; quiescence is.

use crate::rules::{Bitboard, Move, Position, Role, Square, attacks};

/// Worth of a piece on the board, by role, in exchanges.
const BOARD: [i32; 6] = [60, 170, 165, 235, 370, 0];
/// Worth of a piece in hand, by role, in exchanges.
const HAND: [i32; 6] = [70, 180, 180, 245, 380, 0];

/// Swing of a captured piece of `role` that is not promoted.
pub(crate) const fn swing(role: Role) -> i32 {
    BOARD[role.index()] + HAND[role.index()]
}

/// Swing of a captured promoted piece of `role`.
const fn promoted_swing(role: Role) -> i32 {
    BOARD[role.index()] + HAND[Role::Pawn.index()]
}

/// Swing of the piece on a square if it were captured.
#[inline]
fn swing_on(position: &Position, square: Square) -> i32 {
    match position.role_at(square) {
        Some(role) if position.promoted().has(square) => promoted_swing(role),
        Some(role) => swing(role),
        None => 0,
    }
}

/// What a move wins before the answer: the swing of its victim, and the rise of a promoted pawn.
#[inline]
pub(crate) fn gain(position: &Position, m: Move) -> i32 {
    let victim = match (position.captured_role(m), position.captured_to_pocket(m)) {
        (Some(taken), Some(held)) => BOARD[taken.index()] + HAND[held.index()],
        _ => 0,
    };
    match m.promoted_to() {
        Some(role) => victim + BOARD[role.index()] - BOARD[Role::Pawn.index()],
        None => victim,
    }
}

/// Whether the exchange that `m` begins on its destination wins at least `threshold` for the mover.
pub(crate) fn see(position: &Position, m: Move, threshold: i32) -> bool {
    if m.is_castle() {
        return threshold <= 0;
    }
    let to = m.to();
    let mut balance = gain(position, m) - threshold;
    if balance < 0 {
        return false;
    }
    let mover = position.moved_piece(m);
    let mut occupied = position.occupied() | Bitboard::of(to);
    // Now the mover may be lost.
    balance -= match (m.promoted_to(), m.from()) {
        (Some(role), _) => promoted_swing(role),
        (None, Some(from)) => {
            occupied.remove(from);
            swing_on(position, from)
        }
        (None, None) => swing(mover.role),
    };
    if balance >= 0 {
        return true;
    }
    if let Some(from) = m.from() {
        occupied.remove(from);
    }
    if m.is_en_passant() {
        occupied.remove(to.en_passant_victim());
    }

    let diagonal = position.by_role(Role::Bishop) | position.by_role(Role::Queen);
    let straight = position.by_role(Role::Rook) | position.by_role(Role::Queen);
    let mut attackers = position.attackers_to(to, occupied) & occupied;
    let mut side = !mover.color;
    loop {
        let own = attackers & position.by_color(side);
        let Some((role, square)) = cheapest(position, own) else {
            break;
        };
        if role == Role::King && (attackers & position.by_color(!side)).any() {
            // The king cannot take a guarded piece.
            break;
        }
        occupied.remove(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook(to, occupied) & straight;
        }
        attackers &= occupied;
        side = !side;
        balance = -balance - 1 - swing_on(position, square);
        if balance >= 0 {
            break;
        }
    }
    // The side that cannot go on has lost the exchange.
    side != mover.color
}

/// Least valuable piece of a set, if any.
fn cheapest(position: &Position, set: Bitboard) -> Option<(Role, Square)> {
    Role::ALL.into_iter().find_map(|role| {
        (set & position.by_role(role))
            .first()
            .map(|square| (role, square))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    /// Largest threshold that the exchange reaches.
    fn worth(fen: &str, m: &str) -> i32 {
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let m = position.parse_uci(m).unwrap();
        let reached = (-2000..2000)
            .filter(|&t| see(&position, m, t))
            .max()
            .unwrap();
        assert!(
            (-2000..=reached).all(|t| see(&position, m, t)),
            "monotone: {fen}"
        );
        reached
    }

    const P: i32 = swing(Role::Pawn);
    const N: i32 = swing(Role::Knight);
    const B: i32 = swing(Role::Bishop);
    const R: i32 = swing(Role::Rook);
    const Q: i32 = swing(Role::Queen);

    #[test]
    fn an_exchange_ends_where_it_would_lose() {
        assert_eq!(
            worth("4k3/8/2p5/3n4/4P3/8/8/4K3[] w - - 0 1", "e4d5"),
            N - P
        );
        assert_eq!(worth("4k3/8/2p5/3p4/8/8/8/3QK3[] w - - 0 1", "d1d5"), P - Q);
        assert_eq!(worth("4k3/8/8/3n4/4P3/8/8/4K3[] w - - 0 1", "e4d5"), N);
        assert_eq!(worth("4k3/8/8/8/8/8/8/3QK3[] w - - 0 1", "d1d5"), 0);
    }

    #[test]
    fn a_piece_behind_another_joins_in() {
        let single = worth("3rk3/8/8/3p4/8/8/8/3RK3[] w - - 0 1", "d1d5");
        assert_eq!(single, P - R);
        let doubled = worth("3rk3/8/8/3p4/8/8/3R4/3RK3[] w - - 0 1", "d2d5");
        assert_eq!(doubled, P);
        assert_eq!(worth("4k3/2b5/8/4p3/5P2/6B1/8/4K3[] w - - 0 1", "f4e5"), P);
        assert_eq!(
            worth("1q2k3/2b5/8/4p3/8/6B1/8/4K3[] w - - 0 1", "g3e5"),
            P - B
        );
    }

    #[test]
    fn a_promoted_piece_swings_as_a_pawn_in_hand() {
        let promoted = BOARD[Role::Queen.index()] + HAND[Role::Pawn.index()];
        assert_eq!(worth("4k3/8/2p5/3q4/8/8/8/3RK3[] w - - 0 1", "d1d5"), Q - R);
        assert_eq!(
            worth("4k3/8/2p5/3q~4/8/8/8/3RK3[] w - - 0 1", "d1d5"),
            promoted - R
        );
        assert_eq!(
            worth("4k3/8/2p5/3p4/8/8/8/3Q~K3[] w - - 0 1", "d1d5"),
            P - promoted
        );
    }

    #[test]
    fn a_promotion_risks_the_new_piece_and_not_the_pawn() {
        let rise = BOARD[Role::Queen.index()] - BOARD[Role::Pawn.index()];
        let promoted = BOARD[Role::Queen.index()] + HAND[Role::Pawn.index()];
        assert_eq!(worth("8/3P4/8/8/8/8/k7/4K3[] w - - 0 1", "d7d8q"), rise);
        assert_eq!(
            worth("5r2/3P4/8/8/8/8/k7/4K3[] w - - 0 1", "d7d8q"),
            rise - promoted
        );
    }

    #[test]
    fn a_drop_risks_the_dropped_piece() {
        assert_eq!(worth("4k3/8/2p5/8/8/8/8/4K3[N] w - - 0 1", "N@d5"), -N);
        assert_eq!(worth("4k3/8/2p5/8/4P3/8/8/4K3[N] w - - 0 1", "N@d5"), P - N);
        assert_eq!(worth("3qk3/8/8/8/4P3/8/8/4K3[N] w - - 0 1", "N@d5"), 0);
        assert_eq!(worth("4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1", "Q@e7"), -Q);
    }

    #[test]
    fn en_passant_takes_a_pawn_and_a_king_takes_nothing_guarded() {
        assert_eq!(worth("4k3/2p5/8/3pP3/8/8/8/4K3[] w - d6 0 1", "e5d6"), 0);
        assert_eq!(worth("4k3/8/8/3pP3/8/8/8/4K3[] w - d6 0 1", "e5d6"), P);
        assert_eq!(worth("8/8/3kp3/8/4P3/8/8/4K2B[] w - - 0 1", "e4e5"), -P);
        assert_eq!(worth("8/8/3k4/3p4/4P3/8/8/4K2B[] w - - 0 1", "e4d5"), P);
    }
}
