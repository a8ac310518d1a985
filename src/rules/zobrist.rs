//! Random keys for the incremental position key. Fixed seed: keys are the same in every build.

use super::piece::{Color, Piece, Role, Variant};
use super::pocket::Pocket;
use super::square::Square;

struct Keys {
    piece: [[u64; 64]; 12],
    promoted: [u64; 64],
    /// One number for each (color, role, count), so that equal counts give equal keys; count 0 is 0.
    pocket: [[[u64; Pocket::MAX + 1]; 5]; 2],
    castling: [u64; 4],
    en_passant: [u64; 8],
    black: u64,
    variant: [u64; 3],
}

/// `SplitMix64`, a mixing function of full period.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn keys() -> Keys {
    let mut state = 0x706f_636b_6574_6b6e;
    let mut keys = Keys {
        piece: [[0; 64]; 12],
        promoted: [0; 64],
        pocket: [[[0; Pocket::MAX + 1]; 5]; 2],
        castling: [0; 4],
        en_passant: [0; 8],
        black: next(&mut state),
        variant: [0, next(&mut state), next(&mut state)],
    };
    let mut i = 0;
    while i < 12 * 64 {
        keys.piece[i / 64][i % 64] = next(&mut state);
        i += 1;
    }
    i = 0;
    while i < 64 {
        keys.promoted[i] = next(&mut state);
        i += 1;
    }
    i = 0;
    while i < 2 * 5 * Pocket::MAX {
        keys.pocket[i / (5 * Pocket::MAX)][i / Pocket::MAX % 5][i % Pocket::MAX + 1] =
            next(&mut state);
        i += 1;
    }
    i = 0;
    while i < 4 {
        keys.castling[i] = next(&mut state);
        i += 1;
    }
    i = 0;
    while i < 8 {
        keys.en_passant[i] = next(&mut state);
        i += 1;
    }
    keys
}

static KEYS: Keys = keys();

#[inline(always)]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.piece[piece.index()][square.index()]
}

#[inline(always)]
pub(super) fn promoted(square: Square) -> u64 {
    KEYS.promoted[square.index()]
}

#[inline(always)]
pub(super) fn pocket(color: Color, role: Role, count: u8) -> u64 {
    KEYS.pocket[color.index()][role.index()][count as usize]
}

/// Key of the castling right `color * 2 + side`, side 0 for the king side.
#[inline(always)]
pub(super) fn castling(right: usize) -> u64 {
    KEYS.castling[right]
}

#[inline(always)]
pub(super) fn en_passant(square: Square) -> u64 {
    KEYS.en_passant[square.file() as usize]
}

#[inline(always)]
pub(super) fn black_to_move() -> u64 {
    KEYS.black
}

#[inline(always)]
pub(super) fn variant(variant: Variant) -> u64 {
    KEYS.variant[variant as usize]
}
