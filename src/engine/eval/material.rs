//! Plain material: knows the worth of pieces on the board and in hand, and nothing of their places.

use crate::rules::{Color, Position, Role};

/// Worth of a piece on the board, by role; 300 units are odds of e to 1.
const BOARD: [i32; 6] = [100, 240, 240, 300, 570, 0];
/// Worth of a piece in hand.
const POCKET: [i32; 6] = [108, 285, 270, 315, 630, 0];
/// Worth of a promoted piece on the board: it goes to hand as a pawn.
const PROMOTED_PART: i32 = 2;
/// Worth of the right to move.
const TEMPO: i32 = 24;

/// Worth of a position for the side to move.
pub(crate) fn material(position: &Position) -> i32 {
    let side = |color: Color| -> i32 {
        Role::DROPPABLE
            .into_iter()
            .map(|role| {
                let pieces = position.pieces(color, role);
                let marked = (pieces & position.promoted()).count() as i32;
                let surplus = (BOARD[role.index()] - BOARD[0]) / PROMOTED_PART;
                pieces.count() as i32 * BOARD[role.index()] - marked * surplus
                    + i32::from(position.pocket(color).count(role)) * POCKET[role.index()]
            })
            .sum()
    };
    let turn = position.turn();
    side(turn) - side(!turn) + TEMPO
}
