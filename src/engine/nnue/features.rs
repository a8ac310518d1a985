//! Inputs of the network: the one definition, used by the search and by the trainer.
//!
//! A position is a set of *features*: a piece on a square, the promoted mark of a piece on a square, and the n-th
//! piece of a role in a pocket (somebody with three knights in hand has the first, the second and the third). Each
//! side looks at them in a *view*: its own pieces first, its own first rank at the bottom, and the board mirrored so
//! that its king stands on the files a to d. In a view, a feature is a *row* of the first layer.

use super::threats::{MOST_THREATS, THREATS, Threats};
use crate::rules::{Changes, Color, Piece, Position, Role, Square, Variant};
use arrayvec::ArrayVec;

/// Rows of one king bucket: one for each feature, then one for each threat.
pub const ROWS: usize = FEATURES + THREATS;
/// Most rows that a view of a position adds up.
pub const MOST_ROWS: usize = MOST_FEATURES + MOST_THREATS;
/// Features of a side and its opponent.
pub const FEATURES: usize = MARKS + 2 * 4 * 64;
/// First pocket feature, after 2 sides x 6 roles x 64 squares.
const POCKETS: usize = 2 * 6 * 64;
/// First feature of a promoted mark, after the pockets.
const MARKS: usize = POCKETS + 2 * SLOTS;
/// Pocket features of one side.
const SLOTS: usize = 30;
/// First slot of each role, and the end of the last: at most 16 pawns, 4 knights, 4 bishops, 4 rooks, 2 queens are
/// seen. Crazyhouse cannot have more of them in one pocket; in Loop and Chessgi the rest is not seen.
const SLOT: [usize; 6] = [0, 16, 20, 24, 28, 30];
/// Most features of a position: 32 pieces on the board or in hand, 16 of them promoted.
pub const MOST_FEATURES: usize = 48;

/// King buckets that an architecture can have.
pub const KING_BUCKETS: [usize; 2] = [1, 4];
/// Numbers of output heads that an architecture can have.
pub const HEADS: [usize; 2] = [1, 9];

/// Something that is so in a position, as White sees it without mirroring: 0 to [`FEATURES`] - 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Feature(u16);

impl Feature {
    /// `piece` stands on `square`.
    #[inline(always)]
    pub const fn piece(piece: Piece, square: Square) -> Self {
        Self((piece.index() * 64 + square.index()) as u16)
    }

    /// The piece on `square` is promoted; `None` for pawns and kings, which never are.
    #[inline(always)]
    pub const fn mark(piece: Piece, square: Square) -> Option<Self> {
        let role = piece.role.index();
        if role == 0 || role > 4 {
            return None;
        }
        let plane = piece.color.index() * 4 + role - 1;
        Some(Self((MARKS + plane * 64 + square.index()) as u16))
    }

    /// `color` has at least `count` (from 1) pieces of `role` in hand; `None` for more than are seen.
    #[inline(always)]
    pub const fn pocket(color: Color, role: Role, count: u8) -> Option<Self> {
        let role = role.index();
        if role > 4 || count == 0 || count as usize > SLOT[role + 1] - SLOT[role] {
            return None;
        }
        let slot = color.index() * SLOTS + SLOT[role] + count as usize - 1;
        Some(Self((POCKETS + slot) as u16))
    }

    /// Number of the feature.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Tells every feature of a position.
pub fn each(position: &Position, mut tell: impl FnMut(Feature)) {
    for square in position.occupied() {
        if let Some(piece) = position.piece_at(square) {
            tell(Feature::piece(piece, square));
            if position.promoted().has(square) {
                Feature::mark(piece, square).map(&mut tell);
            }
        }
    }
    for color in Color::ALL {
        for role in Role::DROPPABLE {
            for count in 1..=position.pocket(color).count(role) {
                Feature::pocket(color, role, count).map(&mut tell);
            }
        }
    }
}

/// Tells every row that the view of `color` adds up.
pub fn each_row(position: &Position, color: Color, king_buckets: usize, mut tell: impl FnMut(u32)) {
    let view = View::of(position, color, king_buckets);
    each(position, |feature| tell(view.row(feature) as u32));
    Threats::of(position).each(position, color, view, |threat| {
        tell(view.threat_row(threat) as u32);
    });
}

/// How a side looks at a position: bit 0 the side, bit 1 whether the board is mirrored, from bit 2 its king bucket.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct View(u8);

impl View {
    /// View of `color` on a position, with 1 or 4 king buckets.
    #[inline(always)]
    pub const fn of(position: &Position, color: Color, king_buckets: usize) -> Self {
        let king = position.king(color);
        let mirrored = king.file() >= 4;
        let bucket = if king_buckets == 1 {
            0
        } else {
            let file = if mirrored {
                7 - king.file()
            } else {
                king.file()
            };
            king_bucket(file, color.relative_rank(king.rank()))
        };
        Self(color as u8 | (mirrored as u8) << 1 | bucket << 2)
    }

    /// Row of a feature: king bucket times [`ROWS`] plus the feature as it looks from here.
    #[inline(always)]
    pub const fn row(self, feature: Feature) -> usize {
        (self.0 >> 2) as usize * ROWS
            + SEEN[(self.0 & 3) as usize][feature.index() % FEATURES] as usize
    }

    /// Row of an input of [`Threats::each`].
    #[inline(always)]
    pub const fn threat_row(self, threat: usize) -> usize {
        (self.0 >> 2) as usize * ROWS + FEATURES + threat
    }

    /// Square as it looks from here.
    #[inline(always)]
    pub const fn place(self, square: Square) -> Square {
        Square::new((square.index() ^ flip(self.index())) as u8)
    }

    /// Number of the view, less than 4 times the number of king buckets.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Bits in which a square differs from what the view with this number sees: rank for Black, file if mirrored.
#[inline(always)]
const fn flip(view: usize) -> usize {
    (if view & 1 != 0 { 0b11_1000 } else { 0 }) ^ (if view & 2 != 0 { 0b111 } else { 0 })
}

/// Bucket of a king on `file` (0 to 3, mirrored) and `rank` (0 to 7, from its own side): castled, in the middle of
/// the first rank, on the second rank, further up.
const fn king_bucket(file: u8, rank: u8) -> u8 {
    match rank {
        0 if file < 2 => 0,
        0 => 1,
        1 => 2,
        _ => 3,
    }
}

/// Each feature as it looks from the views of bucket 0.
static SEEN: [[u16; FEATURES]; 4] = {
    let mut seen = [[0; FEATURES]; 4];
    let mut view = 0;
    while view < 4 {
        let black = view & 1 != 0;
        let mut feature = 0;
        while feature < FEATURES {
            // Half of each block belongs to White, the other half to Black.
            let (first, half) = if feature < POCKETS {
                (0, POCKETS / 2)
            } else if feature < MARKS {
                (POCKETS, SLOTS)
            } else {
                (MARKS, 4 * 64)
            };
            let inside = feature - first;
            let sided = if black {
                (inside + half) % (2 * half)
            } else {
                inside
            };
            let placed = if half == SLOTS {
                sided
            } else {
                sided ^ flip(view)
            };
            seen[view][feature] = (first + placed) as u16;
            feature += 1;
        }
        view += 1;
    }
    seen
};

/// Checksum of the definition above: a network that was trained on other inputs has another.
pub fn definition_hash() -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for row in &SEEN {
        for seen in row {
            hasher.update(&seen.to_le_bytes());
        }
    }
    for rank in 0..8 {
        for file in 0..4 {
            hasher.update(&[king_bucket(file, rank)]);
        }
    }
    for total in 0..=u8::MAX {
        hasher.update(&[head_of_total(u32::from(total)) as u8]);
    }
    for slot in SLOT {
        hasher.update(&[slot as u8]);
    }
    // Threats are too many to list; that they look the same in a few positions must do.
    for fen in SHOWN {
        let Ok(position) = Position::from_fen(fen, Variant::Crazyhouse) else {
            continue;
        };
        for color in Color::ALL {
            each_row(&position, color, 1, |row| hasher.update(&row.to_le_bytes()));
        }
    }
    hasher.finalize()
}

/// Positions with many kinds of threats.
const SHOWN: [&str; 3] = [
    "r1b1k2r/pp3ppp/2n1q3/3N4/1b1Pn3/2N5/PPP2PPP/R2QK2R[BNPbnp] w KQkq - 0 12",
    "2b2N1R/1pb1ppPp/r1k2n1p/p1P5/8/Pn1P1P1P/3QPP2/2R1KB1R[Ppnbq] w K - 2 29",
    "N1b4r/Pp2bk1p/n1p1pp2/2p5/Q2n4/P7/1PP1PPPP/R1B1KB1R[PRpnq] b KQ - 0 17",
];

/// Output head for a position: with 9 heads by the pieces in both hands, so that each gets about as many positions.
#[inline(always)]
pub const fn head(position: &Position, heads: usize) -> usize {
    if heads == 1 {
        return 0;
    }
    head_of_total(position.pocket(Color::White).total() + position.pocket(Color::Black).total())
}

const fn head_of_total(total: u32) -> usize {
    match total {
        0..=4 => total as usize,
        5..=6 => 5,
        7..=8 => 6,
        9..=10 => 7,
        _ => 8,
    }
}

/// Most features that one move adds or removes: a promoted piece that takes a promoted piece removes four.
const MOST_CHANGES: usize = 6;

/// Features that a move adds and removes.
#[derive(Clone, Debug, Default)]
pub struct Delta {
    /// New features.
    pub added: ArrayVec<Feature, MOST_CHANGES>,
    /// Features that are gone.
    pub removed: ArrayVec<Feature, MOST_CHANGES>,
}

impl Delta {
    /// Forgets all changes.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.added.clear();
        self.removed.clear();
    }
}

impl Changes for Delta {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.added.push(Feature::piece(piece, square));
    }
    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.removed.push(Feature::piece(piece, square));
    }
    #[inline(always)]
    fn mark_added(&mut self, piece: Piece, square: Square) {
        self.added.extend(Feature::mark(piece, square));
    }
    #[inline(always)]
    fn mark_removed(&mut self, piece: Piece, square: Square) {
        self.removed.extend(Feature::mark(piece, square));
    }
    #[inline(always)]
    fn pocket_added(&mut self, color: Color, role: Role, count: u8) {
        self.added.extend(Feature::pocket(color, role, count));
    }
    #[inline(always)]
    fn pocket_removed(&mut self, color: Color, role: Role, count: u8) {
        self.removed.extend(Feature::pocket(color, role, count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn rows(fen: &str, color: Color) -> Vec<u32> {
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let mut rows = Vec::new();
        each_row(&position, color, 4, |row| rows.push(row));
        rows.sort_unstable();
        rows
    }

    #[test]
    fn both_sides_see_the_same_in_a_position_with_sides_exchanged() {
        let white = "r3k2r/pp1n1ppp/8/3Q~4/8/2N5/PPP2PPP/R3KB1R[QPPnb] w KQkq - 0 1";
        let black = "r3kb1r/ppp2ppp/2n5/8/3q~4/8/PP1N1PPP/R3K2R[qppNB] b KQkq - 0 1";
        assert_eq!(rows(white, Color::White), rows(black, Color::Black));
        assert_eq!(rows(white, Color::Black), rows(black, Color::White));
        assert_ne!(rows(white, Color::White), rows(white, Color::Black));
    }

    #[test]
    fn a_mirrored_position_looks_the_same() {
        let one = "1k6/2p5/8/4q~3/8/8/P7/1K1N4[Rp] w - - 0 1";
        let other = "6k1/5p2/8/3q~4/8/8/7P/4N1K1[Rp] w - - 0 1";
        for color in Color::ALL {
            assert_eq!(rows(one, color), rows(other, color));
        }
    }

    #[test]
    fn every_view_sees_every_feature_once() {
        for row in &SEEN {
            let mut seen = *row;
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(i, &s)| i == s as usize));
        }
    }

    #[test]
    fn more_pieces_in_hand_than_are_seen_are_left_out() {
        assert!(Feature::pocket(Color::White, Role::Queen, 2).is_some());
        assert!(Feature::pocket(Color::White, Role::Queen, 3).is_none());
        assert!(Feature::pocket(Color::Black, Role::Pawn, 16).is_some());
        assert!(Feature::pocket(Color::Black, Role::Pawn, 17).is_none());
        assert!(Feature::pocket(Color::Black, Role::King, 1).is_none());
    }
}
