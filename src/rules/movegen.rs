//! Legal move generation, the count that perft uses, and the test of one move.

use super::attacks;
use super::bitboard::Bitboard;
use super::mv::{Move, MoveKind, MoveList};
use super::piece::{Color, Role, Variant};
use super::position::{CheckInfo, Position};
use super::square::Square;

/// Receives generated moves set by set, so that counting needs no list.
trait Receiver {
    /// Moves of the piece on `from` to each target, no promotion.
    fn board(&mut self, from: Square, targets: Bitboard);
    /// Pawn moves to `targets`, each coming from `step` squares below (by index), no promotion.
    fn pawns(&mut self, targets: Bitboard, step: i8);
    /// Pawn moves to `targets` on the last rank.
    fn promotions(&mut self, targets: Bitboard, step: i8);
    /// Drops of `role` on each target.
    fn drops(&mut self, role: Role, targets: Bitboard);
    /// Castling or en passant.
    fn special(&mut self, m: Move);
}

#[inline(always)]
fn origin(to: Square, step: i8) -> Square {
    Square::new((to.index() as i8 - step) as u8)
}

impl Receiver for MoveList {
    #[inline(always)]
    fn board(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::normal(from, to));
        }
    }
    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, step: i8) {
        for to in targets {
            self.push(Move::normal(origin(to, step), to));
        }
    }
    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, step: i8) {
        for to in targets {
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                self.push(Move::promotion(origin(to, step), to, role));
            }
        }
    }
    #[inline(always)]
    fn drops(&mut self, role: Role, targets: Bitboard) {
        for to in targets {
            self.push(Move::drop(role, to));
        }
    }
    #[inline(always)]
    fn special(&mut self, m: Move) {
        self.push(m);
    }
}

struct Counter(u64);

impl Receiver for Counter {
    #[inline(always)]
    fn board(&mut self, _from: Square, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }
    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, _step: i8) {
        self.0 += u64::from(targets.count());
    }
    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _step: i8) {
        self.0 += 4 * u64::from(targets.count());
    }
    #[inline(always)]
    fn drops(&mut self, _role: Role, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }
    #[inline(always)]
    fn special(&mut self, _m: Move) {
        self.0 += 1;
    }
}

/// Set moved by `step` squares (index); the caller keeps it from wrapping around the files.
#[inline(always)]
const fn shifted(set: Bitboard, step: i8) -> Bitboard {
    if step >= 0 {
        Bitboard(set.0 << step)
    } else {
        Bitboard(set.0 >> -step)
    }
}

/// Squares where a pawn of `color` may be dropped.
#[inline(always)]
pub(super) const fn pawn_drop_zone(variant: Variant, color: Color) -> Bitboard {
    let last = Bitboard::rank(color.relative_rank(7));
    match variant {
        Variant::Chessgi => Bitboard(!last.0),
        Variant::Crazyhouse | Variant::Loop => Bitboard(!Bitboard::BACK_RANKS.0),
    }
}

impl Position {
    /// Squares on which a move that is not a king move may end: everything, or what answers the single check,
    /// or nothing in double check.
    #[inline(always)]
    fn check_mask(&self) -> Bitboard {
        let checkers = self.checkers();
        match checkers.first() {
            None => Bitboard::FULL,
            Some(checker) if !checkers.more_than_one() => {
                attacks::between(self.king(self.turn()), checker) | checkers
            }
            Some(_) => Bitboard::EMPTY,
        }
    }

    /// Squares a king may step to, among `targets`.
    #[inline(always)]
    fn safe_king_targets(&self, targets: Bitboard) -> Bitboard {
        let us = self.turn();
        let king = self.king(us);
        let without_king = self.occupied() ^ Bitboard::of(king);
        let mut safe = Bitboard::EMPTY;
        for to in targets {
            if !self.is_attacked(!us, to, without_king) {
                safe.insert(to);
            }
        }
        safe
    }

    /// Castling move on a side (0 king side, 1 queen side), if legal now.
    fn castling_move(&self, side: usize) -> Option<Move> {
        let us = self.turn();
        let rook = self.castling_rook(us, side)?;
        if self.is_check() {
            return None;
        }
        let king = self.king(us);
        let king_to = Square::at(if side == 0 { 6 } else { 2 }, king.rank());
        let rook_to = Square::at(if side == 0 { 5 } else { 3 }, king.rank());
        let movers = Bitboard::of(king) | Bitboard::of(rook);
        let others = self.occupied().without(movers);
        let king_path = attacks::between(king, king_to) | Bitboard::of(king_to);
        let rook_path = attacks::between(rook, rook_to) | Bitboard::of(rook_to);
        if ((king_path | rook_path) & others).any() {
            return None;
        }
        let without_king = self.occupied() ^ Bitboard::of(king);
        for square in king_path {
            if self.is_attacked(!us, square, without_king) {
                return None;
            }
        }
        // In Chess960 the rook may have covered the king's new square along the first rank.
        let after = others | Bitboard::of(king_to) | Bitboard::of(rook_to);
        if self.is_attacked(!us, king_to, after) {
            return None;
        }
        Some(Move::castle(king, rook))
    }

    /// Pawn moves of `pawns` (own pawns) to squares in `allowed`, en passant left out.
    #[inline(always)]
    fn pawn_moves<const NOISY: bool, const QUIET: bool, R: Receiver>(
        &self,
        pawns: Bitboard,
        allowed: Bitboard,
        out: &mut R,
    ) {
        let us = self.turn();
        let up: i8 = if us == Color::White { 8 } else { -8 };
        let empty = !self.occupied();
        let last = Bitboard::rank(us.relative_rank(7));
        let single = shifted(pawns, up) & empty;
        if QUIET {
            let third = Bitboard::rank(us.relative_rank(2));
            let double = shifted(single & third, up) & empty;
            out.pawns((single & allowed).without(last), up);
            out.pawns(double & allowed, 2 * up);
        }
        if NOISY {
            out.promotions(single & allowed & last, up);
            let targets = self.by_color(!us) & allowed;
            for (side, edge) in [(-1, Bitboard::FILE_A), (1, Bitboard::FILE_H)] {
                let captures = shifted(pawns.without(edge), up + side) & targets;
                out.pawns(captures.without(last), up + side);
                out.promotions(captures & last, up + side);
            }
        }
    }

    #[inline(always)]
    fn generate<const NOISY: bool, const QUIET: bool, const DROPS: bool, R: Receiver>(
        &self,
        out: &mut R,
    ) {
        let us = self.turn();
        let king = self.king(us);
        let occupied = self.occupied();
        let check_mask = self.check_mask();

        if DROPS && !self.pocket(us).is_empty() {
            let targets = check_mask.without(occupied);
            if targets.any() {
                let pocket = self.pocket(us);
                if pocket.has(Role::Pawn) {
                    out.drops(Role::Pawn, targets & pawn_drop_zone(self.variant(), us));
                }
                for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                    if pocket.has(role) {
                        out.drops(role, targets);
                    }
                }
            }
        }
        if !NOISY && !QUIET {
            return;
        }

        let mut kinds = Bitboard::EMPTY;
        if NOISY {
            kinds |= self.by_color(!us);
        }
        if QUIET {
            kinds |= !occupied;
        }
        out.board(king, self.safe_king_targets(attacks::king(king) & kinds));
        if check_mask.is_empty() {
            return;
        }
        let pinned = self.pinned(us);
        let targets = kinds & check_mask;

        let pawns = self.pieces(us, Role::Pawn);
        self.pawn_moves::<NOISY, QUIET, R>(pawns.without(pinned), check_mask, out);
        for from in pawns & pinned {
            let line = attacks::line(king, from);
            self.pawn_moves::<NOISY, QUIET, R>(Bitboard::of(from), check_mask & line, out);
        }
        if NOISY && let Some(to) = self.en_passant() {
            for from in attacks::pawn(!us, to) & pawns {
                if self.en_passant_keeps_king_safe(from, to) {
                    out.special(Move::en_passant(from, to));
                }
            }
        }
        for from in self.pieces(us, Role::Knight).without(pinned) {
            out.board(from, attacks::knight(from) & targets);
        }
        let diagonal = self.diagonal_sliders(us);
        let straight = self.straight_sliders(us);
        for from in diagonal.without(pinned) {
            out.board(from, attacks::bishop(from, occupied) & targets);
        }
        for from in straight.without(pinned) {
            out.board(from, attacks::rook(from, occupied) & targets);
        }
        for from in diagonal & pinned {
            let line = attacks::line(king, from);
            out.board(from, attacks::bishop(from, occupied) & targets & line);
        }
        for from in straight & pinned {
            let line = attacks::line(king, from);
            out.board(from, attacks::rook(from, occupied) & targets & line);
        }
        if QUIET {
            for side in 0..2 {
                if let Some(m) = self.castling_move(side) {
                    out.special(m);
                }
            }
        }
    }

    /// Appends all legal moves.
    pub fn legal_moves(&self, list: &mut MoveList) {
        self.generate::<true, true, true, _>(list);
    }

    /// Appends the legal captures, en-passant captures and promotions.
    pub fn noisy_moves(&self, list: &mut MoveList) {
        self.generate::<true, false, false, _>(list);
    }

    /// Appends the other legal moves on the board, castling included.
    pub fn quiet_moves(&self, list: &mut MoveList) {
        self.generate::<false, true, false, _>(list);
    }

    /// Appends the legal drops.
    pub fn drop_moves(&self, list: &mut MoveList) {
        self.generate::<false, false, true, _>(list);
    }

    /// Squares on which a piece of `role` may be dropped now; empty if none is in hand.
    #[inline]
    pub fn drop_targets(&self, role: Role) -> Bitboard {
        let us = self.turn();
        if !self.pocket(us).has(role) {
            return Bitboard::EMPTY;
        }
        let targets = self.check_mask().without(self.occupied());
        if role == Role::Pawn {
            targets & pawn_drop_zone(self.variant(), us)
        } else {
            targets
        }
    }

    /// Legal drops that give check; `info` is that of this position.
    #[inline]
    pub fn checking_drops(&self, info: &CheckInfo) -> impl Iterator<Item = Move> {
        Role::DROPPABLE.into_iter().flat_map(move |role| {
            let squares = self.drop_targets(role) & info.squares[role.index()];
            squares.into_iter().map(move |to| Move::drop(role, to))
        })
    }

    /// Number of legal moves.
    pub fn legal_count(&self) -> u64 {
        let mut counter = Counter(0);
        self.generate::<true, true, true, _>(&mut counter);
        counter.0
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.legal_count() > 0
    }

    /// Whether a move is legal here. Any bits may be asked about, such as a move from a hash table.
    pub fn is_legal(&self, m: Move) -> bool {
        if !m.is_well_formed() {
            return false;
        }
        let us = self.turn();
        let to = m.to();
        let kind = m.kind();
        if kind == MoveKind::Drop {
            // Bits of a dropped role run from 0 to 63; only 0 to 4 mean one.
            return m.from_raw().index() < 5
                && m.dropped()
                    .is_some_and(|role| self.drop_targets(role).has(to));
        }
        let from = m.from_raw();
        let Some(piece) = self.piece_at(from) else {
            return false;
        };
        if piece.color != us {
            return false;
        }
        let king = self.king(us);
        match kind {
            MoveKind::Castle => {
                return piece.role == Role::King
                    && (0..2).any(|side| {
                        self.castling_rook(us, side) == Some(to)
                            && self.castling_move(side) == Some(m)
                    });
            }
            MoveKind::EnPassant => {
                return piece.role == Role::Pawn
                    && self.en_passant() == Some(to)
                    && attacks::pawn(us, from).has(to)
                    && self.en_passant_keeps_king_safe(from, to);
            }
            _ => {}
        }
        if self.by_color(us).has(to) {
            return false;
        }
        let occupied = self.occupied();
        if piece.role == Role::King {
            return kind == MoveKind::Normal
                && attacks::king(from).has(to)
                && self.safe_king_targets(Bitboard::of(to)).any();
        }
        let reaches = match piece.role {
            Role::Pawn => {
                let last = to.rank() == us.relative_rank(7);
                if last == (kind == MoveKind::Normal) {
                    return false;
                }
                self.pawn_reaches(from, to)
            }
            _ if kind != MoveKind::Normal => return false,
            Role::Knight => attacks::knight(from).has(to),
            Role::Bishop => attacks::bishop(from, occupied).has(to),
            Role::Rook => attacks::rook(from, occupied).has(to),
            Role::Queen | Role::King => attacks::queen(from, occupied).has(to),
        };
        reaches
            && self.check_mask().has(to)
            && (attacks::line(king, from).has(to) || !self.pinned(us).has(from))
    }

    /// Whether the own pawn on `from` moves or captures to `to`, en passant left out.
    fn pawn_reaches(&self, from: Square, to: Square) -> bool {
        let us = self.turn();
        if self.by_color(!us).has(to) {
            return attacks::pawn(us, from).has(to);
        }
        let empty = !self.occupied();
        let up: i8 = if us == Color::White { 8 } else { -8 };
        let single = shifted(Bitboard::of(from), up) & empty;
        let third = Bitboard::rank(us.relative_rank(2));
        let double = shifted(single & third, up) & empty;
        (single | double).has(to)
    }
}
