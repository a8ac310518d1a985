//! Attack sets of pieces on a board, from tables that the compiler evaluates: no start-up call.
//!
//! Sliders use fancy magics (one multiply, one shift, one load). The multipliers were found by trial with sparse
//! random numbers; any multiplier without a harmful collision serves, and the table test shows that these do.

use super::bitboard::Bitboard;
use super::piece::Color;
use super::square::Square;

#[rustfmt::skip]
const ROOK_MAGICS: [u64; 64] = [
    0x1080019040028821, 0x0440002004421002, 0x1080088010002000, 0x2500051000090021,
    0x660008a010020004, 0x1080040080010200, 0x2200208802000401, 0x0900004081000022,
    0x0910800040002083, 0x0801804000600084, 0x0088801000802000, 0x0402001040220008,
    0x4080808004000800, 0x0304800400220080, 0x410200a408410200, 0x010200106100840a,
    0x0080208000400080, 0x0001050040008020, 0x0820004040100800, 0x0850808008001000,
    0x4002050008010011, 0x2004008080020004, 0xc090808002000100, 0xa0000200004100a4,
    0x0480388080004002, 0x1020002040005001, 0x0000401100200900, 0x02020022000c1040,
    0x8042100500480100, 0x0000040080020080, 0x9205010080800200, 0x0800208200004104,
    0x02f0400028800080, 0x0000802000804000, 0x2140801000802000, 0x4080210209001000,
    0x1025000801000410, 0x4002800200800401, 0x1142028804000110, 0x0401040246000981,
    0x011c208040008000, 0xc030102000404003, 0x5a10306003030041, 0xa00010010021000c,
    0x2168001100090004, 0x0884020004008080, 0x0000081001840002, 0x000100208c410002,
    0x000a288001104300, 0x0040062000408480, 0x2010900420048380, 0x0001080010018280,
    0x3804000480080080, 0xa003020004008080, 0x8091000a00040500, 0x1023110344048200,
    0x0004831106402202, 0x2860420880201102, 0x0409094100200011, 0x2085001000452009,
    0x10020009a0041002, 0x8529000204000801, 0x3099611008008224, 0x0400040040810022,
];
#[rustfmt::skip]
const BISHOP_MAGICS: [u64; 64] = [
    0x50c0020208510100, 0x0110210101021181, 0x0384182202420302, 0x2414240480006014,
    0x0004050450002000, 0x288202110400280b, 0x0010480211104000, 0x0102148404024020,
    0x0401101042808400, 0x0200250400860a01, 0x9040100102002800, 0x0400880681011000,
    0x0800020210842421, 0xac180904a0040880, 0x9400010801104880, 0x800040410410034a,
    0x8420008404440800, 0x0010610821410401, 0x0810041824801010, 0x0400802802004020,
    0x0a14004201210008, 0x0040408600422083, 0x0000a0034c100800, 0x0001208446080420,
    0x0044401404100406, 0x0044200024980088, 0x2080300002040041, 0x0016002018008020,
    0x00a2002002008058, 0x2041041002020080, 0x00145080084a1008, 0x4504244003010090,
    0x0008040402c0084a, 0x0104411801049000, 0x0003240108100110, 0x0002a008000a8820,
    0x0001100400708020, 0x1010100040002400, 0x8004084208088080, 0x0011004109020108,
    0x4021042104012000, 0x0002880402403111, 0x1202002024208800, 0x0010114010402a00,
    0x2000010212000400, 0x800142080a000041, 0x2020084200404084, 0x8004088404500101,
    0x0800885808040012, 0x4004404208a01042, 0x0220105208040248, 0x1344100822881001,
    0x80000090021a0400, 0x0411400802042009, 0x0804105a08030100, 0x60041102320e0400,
    0x0041010110028205, 0x4500020052280400, 0x0001028100880480, 0x0100000000e18821,
    0x80010c0091020200, 0x00a0080504082203, 0x0400401041022880, 0x0040108421004010,
];

const ROOK_TABLE_LEN: usize = 102_400;
const BISHOP_TABLE_LEN: usize = 5_248;

/// Magic of one square: index = `((occupied & mask) * factor >> shift) + offset`.
#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    factor: u64,
    offset: u32,
    shift: u32,
}

const fn diagonal(square: usize) -> u64 {
    ray_pair(square, 1, 1)
}

const fn antidiagonal(square: usize) -> u64 {
    ray_pair(square, -1, 1)
}

/// Squares in direction (file step, rank step) and its opposite, the square itself left out.
const fn ray_pair(square: usize, file_step: i32, rank_step: i32) -> u64 {
    let mut set = 0;
    let mut sign = -1;
    while sign <= 1 {
        let mut file = (square % 8) as i32 + sign * file_step;
        let mut rank = (square / 8) as i32 + sign * rank_step;
        while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            set |= 1 << (rank * 8 + file);
            file += sign * file_step;
            rank += sign * rank_step;
        }
        sign += 2;
    }
    set
}

/// Squares that a slider on `square` reaches along one line, by the subtraction trick (o ^ (o - 2r)).
const fn along(line: u64, square: usize, occupied: u64) -> u64 {
    let bit = 1u64 << square;
    let blockers = occupied & line;
    let forward = blockers.wrapping_sub(bit << 1);
    let backward = blockers
        .reverse_bits()
        .wrapping_sub(bit.reverse_bits() << 1)
        .reverse_bits();
    (forward ^ backward) & line
}

const fn slow_attacks(square: usize, occupied: u64, lines: [u64; 2]) -> u64 {
    along(lines[0], square, occupied) | along(lines[1], square, occupied)
}

const fn lines_of(square: usize, rook: bool) -> [u64; 2] {
    if rook {
        [ray_pair(square, 1, 0), ray_pair(square, 0, 1)]
    } else {
        [diagonal(square), antidiagonal(square)]
    }
}

const fn magics(rook: bool) -> [Magic; 64] {
    let mut all = [Magic {
        mask: 0,
        factor: 0,
        offset: 0,
        shift: 0,
    }; 64];
    let mut offset = 0;
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        let lines = lines_of(square, rook);
        let mut edges = 0u64;
        if rank != 0 {
            edges |= 0xff;
        }
        if rank != 7 {
            edges |= 0xff << 56;
        }
        if file != 0 {
            edges |= Bitboard::FILE_A.0;
        }
        if file != 7 {
            edges |= Bitboard::FILE_H.0;
        }
        let mask = (lines[0] | lines[1]) & !edges;
        let factor = if rook {
            ROOK_MAGICS[square]
        } else {
            BISHOP_MAGICS[square]
        };
        all[square] = Magic {
            mask,
            factor,
            offset,
            shift: 64 - mask.count_ones(),
        };
        offset += 1 << mask.count_ones();
        square += 1;
    }
    all
}

const fn fill<const LEN: usize>(magics: &[Magic; 64], rook: bool) -> [u64; LEN] {
    let mut table = [0; LEN];
    let mut square = 0;
    while square < 64 {
        let entry = magics[square];
        let lines = lines_of(square, rook);
        let mut occupied = 0u64;
        loop {
            let index = (occupied.wrapping_mul(entry.factor) >> entry.shift) as usize
                + entry.offset as usize;
            table[index] = slow_attacks(square, occupied, lines);
            occupied = occupied.wrapping_sub(entry.mask) & entry.mask;
            if occupied == 0 {
                break;
            }
        }
        square += 1;
    }
    table
}

static ROOK: [Magic; 64] = magics(true);
static BISHOP: [Magic; 64] = magics(false);
#[expect(
    long_running_const_eval,
    reason = "the table has 102,400 entries; about a second per build"
)]
static ROOK_TABLE: [u64; ROOK_TABLE_LEN] = fill(&magics(true), true);
static BISHOP_TABLE: [u64; BISHOP_TABLE_LEN] = fill(&magics(false), false);

const fn leaper(steps: &[(i32, i32)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            let file = (square % 8) as i32 + steps[i].0;
            let rank = (square / 8) as i32 + steps[i].1;
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square].0 |= 1 << (rank * 8 + file);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] = leaper(&[
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
]);
static KING: [Bitboard; 64] = leaper(&[
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
]);
static PAWN: [[Bitboard; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];

#[expect(clippy::large_stack_arrays, reason = "evaluated by the compiler only")]
const fn pair_table(between: bool) -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut kind = 0;
        while kind < 4 {
            let line = lines_of(a, kind < 2)[kind % 2];
            let mut rest = line;
            while rest != 0 {
                let b = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                table[a][b] = Bitboard(if between {
                    along(line, a, 1 << b) & along(line | 1 << a, b, 1 << a) & line
                } else {
                    line | 1 << a
                });
            }
            kind += 1;
        }
        a += 1;
    }
    table
}

static BETWEEN: [[Bitboard; 64]; 64] = pair_table(true);
static LINE: [[Bitboard; 64]; 64] = pair_table(false);

/// Squares that a knight attacks.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Squares that a king attacks.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Squares that a pawn of `color` attacks.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

#[inline(always)]
fn index(entry: Magic, occupied: Bitboard) -> usize {
    ((occupied.0 & entry.mask).wrapping_mul(entry.factor) >> entry.shift) as usize
        + entry.offset as usize
}

/// Squares that a bishop attacks on a board with these squares occupied.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(BISHOP_TABLE[index(BISHOP[square.index()], occupied)])
}

/// Squares that a rook attacks on a board with these squares occupied.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(ROOK_TABLE[index(ROOK[square.index()], occupied)])
}

/// Squares that a queen attacks on a board with these squares occupied.
#[inline(always)]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// Squares strictly between two squares on one rank, file or diagonal; empty otherwise.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// Whole rank, file or diagonal through two different squares, both included; empty if they share none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks each ray square by square: slow and obvious.
    fn walked(square: Square, occupied: Bitboard, steps: &[(i8, i8)]) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &(df, dr) in steps {
            let (mut f, mut r) = (square.file() as i8 + df, square.rank() as i8 + dr);
            while (0..8).contains(&f) && (0..8).contains(&r) {
                let at = Square::at(f as u8, r as u8);
                set.insert(at);
                if occupied.has(at) {
                    break;
                }
                (f, r) = (f + df, r + dr);
            }
        }
        set
    }

    #[test]
    fn slider_tables_agree_with_walked_rays() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let occupied = Bitboard(random.u64(..) & random.u64(..));
            for square in Square::all() {
                let orthogonal = walked(square, occupied, &[(1, 0), (-1, 0), (0, 1), (0, -1)]);
                let diagonal = walked(square, occupied, &[(1, 1), (-1, 1), (1, -1), (-1, -1)]);
                assert_eq!(rook(square, occupied), orthogonal);
                assert_eq!(bishop(square, occupied), diagonal);
            }
        }
    }

    #[test]
    fn between_and_line_follow_the_board() {
        let at = |text: &str| {
            let bytes = text.as_bytes();
            Square::from_ascii(bytes[0], bytes[1]).unwrap()
        };
        assert_eq!(between(at("a1"), at("d4")).count(), 2);
        assert!(between(at("a1"), at("d4")).has(at("c3")));
        assert_eq!(between(at("e1"), at("e2")), Bitboard::EMPTY);
        assert_eq!(between(at("h8"), at("h1")).count(), 6);
        assert_eq!(between(at("a1"), at("b3")), Bitboard::EMPTY);
        assert_eq!(line(at("a1"), at("d4")).count(), 8);
        assert_eq!(line(at("b1"), at("a2")).count(), 2);
        assert_eq!(line(at("a1"), at("b3")), Bitboard::EMPTY);
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(between(a, b), between(b, a));
                assert!(!between(a, b).has(a) && !between(a, b).has(b));
            }
        }
    }
}
