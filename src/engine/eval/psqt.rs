//! Linear evaluation: material on board by square, material in hand, and the right to move.
//!
//! Values are logits times 300 of the winning chance.

use crate::rules::{Color, Position, Role};

/// Worth of the right to move.
const TEMPO: i32 = 84;

/// Worth of the first, second, ... piece in hand, by role.
const HAND: [[i32; 5]; 5] = [
    [70, 44, 25, 20, 20],
    [124, 85, 54, 40, 40],
    [117, 68, 49, 40, 40],
    [157, 77, 59, 50, 50],
    [201, 140, 120, 100, 100],
];

/// Worth of a piece by role and rank (from the own side).
const RANK: [[i32; 8]; 6] = [
    [20, 34, 38, 42, 64, 122, 106, 0],
    [30, 66, 84, 112, 170, 180, 130, 100],
    [100, 125, 122, 125, 145, 150, 130, 120],
    [115, 110, 115, 120, 130, 150, 175, 165],
    [175, 180, 185, 190, 205, 225, 230, 215],
    [56, -14, -141, -191, -210, -210, -210, -210],
];

/// Added by role and distance of the file from the edge (0 to 3).
const FILE: [[i32; 4]; 6] = [
    [-6, -2, 2, 6],
    [-25, -5, 8, 14],
    [-8, 2, 4, 2],
    [0, 0, 2, 4],
    [-6, 0, 4, 4],
    [14, 16, -10, -18],
];

/// Worth for the side to move.
pub(super) fn evaluate(position: &Position) -> i32 {
    let us = position.turn();
    side(position, us) - side(position, !us) + TEMPO
}

fn side(position: &Position, color: Color) -> i32 {
    let mut sum = 0;
    for role in Role::ALL {
        for square in position.pieces(color, role) {
            let rank = color.relative_rank(square.rank()) as usize;
            let file = square.file().min(7 - square.file()) as usize;
            sum += RANK[role.index()][rank] + FILE[role.index()][file];
        }
    }
    let pocket = position.pocket(color);
    for role in Role::DROPPABLE {
        for index in 0..pocket.count(role) as usize {
            sum += HAND[role.index()][index.min(4)];
        }
    }
    sum
}
