//! Key of a position, fixed by the file format: a book that is made today is found by tomorrow's program. The keys of
//! `rules` are not used, since they may change with any build.

use crate::rules::{Color, Position, Role, Square, Variant};

/// Words of eight bytes that a position is written as: 8 of board, 3 of the rest.
const WORDS: usize = 11;

/// Key of a position: a hash of 88 bytes that describe it.
///
/// Bytes 0 to 63: squares a1, b1 to h8; 0 empty, 1 to 6 pawn, knight, bishop, rook, queen, king of White, 7 to 12 of
/// Black, plus 16 for a promoted piece that turns into a pawn when captured. 64 to 68: pawns to queens in White's hand,
/// 69 to 73 in Black's. 74 to 77: squares of the rooks with a castling right, White's king side, White's queen
/// side, Black's, 64 for none. 78: target of a legal en-passant capture, 64 for none. 79: 0 if White is to move, 1 if
/// Black. 80: 0 crazyhouse, 1 loop, 2 chessgi. The rest is 0. Move counters are left out.
///
/// Hash: from 0, for each eight bytes as a little-endian number, exclusive or with that number, then the finalizer of
/// `SplitMix64` after adding its increment.
pub fn key(position: &Position) -> u64 {
    let mut bytes = [0; WORDS * 8];
    for square in Square::all() {
        let code = position.piece_at(square).map_or(0, |piece| {
            let side = match piece.color {
                Color::White => 0,
                Color::Black => 6,
            };
            side + role_code(piece.role)
        });
        let promoted = if position.promoted().has(square) {
            16
        } else {
            0
        };
        bytes[square.index()] = code + promoted;
    }
    let square = |square: Option<Square>| square.map_or(64, |square| square.index() as u8);
    for (side, color) in [Color::White, Color::Black].into_iter().enumerate() {
        for role in Role::DROPPABLE {
            let at = 64 + side * 5 + usize::from(role_code(role)) - 1;
            bytes[at] = position.pocket(color).count(role);
        }
        for wing in 0..2 {
            bytes[74 + side * 2 + wing] = square(position.castling_rook(color, wing));
        }
    }
    bytes[78] = square(position.en_passant());
    bytes[79] = u8::from(position.turn() == Color::Black);
    bytes[80] = match position.variant() {
        Variant::Crazyhouse => 0,
        Variant::Loop => 1,
        Variant::Chessgi => 2,
    };
    let (words, _) = bytes.as_chunks::<8>();
    words
        .iter()
        .fold(0, |hash, word| mix(hash ^ u64::from_le_bytes(*word)))
}

const fn role_code(role: Role) -> u8 {
    match role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    }
}

/// One step of `SplitMix64`.
pub(super) const fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
