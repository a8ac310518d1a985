//! The one place where moves change a position.

use super::{EMPTY_SQUARE, NO_SQUARE, Position};
use crate::rules::attacks;
use crate::rules::bitboard::Bitboard;
use crate::rules::mv::Move;
use crate::rules::piece::{Color, Piece, Role};
use crate::rules::pocket::Pocket;
use crate::rules::square::Square;
use crate::rules::zobrist;

/// Receives every change that [`Position::play_with`] makes, for evaluation inputs that are kept up to date.
///
/// A promoted mark comes and goes in addition to its piece. `count` of a pocket change is the number of pieces of
/// that role after an addition, or before a removal: the number of the slot that is filled or emptied, from 1.
pub trait Changes {
    /// A piece appears on a square.
    fn piece_added(&mut self, _piece: Piece, _square: Square) {}
    /// A piece leaves a square.
    fn piece_removed(&mut self, _piece: Piece, _square: Square) {}
    /// The piece on a square gets the promoted mark.
    fn mark_added(&mut self, _piece: Piece, _square: Square) {}
    /// The piece on a square loses the promoted mark.
    fn mark_removed(&mut self, _piece: Piece, _square: Square) {}
    /// A piece goes into a pocket.
    fn pocket_added(&mut self, _color: Color, _role: Role, _count: u8) {}
    /// A piece leaves a pocket.
    fn pocket_removed(&mut self, _color: Color, _role: Role, _count: u8) {}
}

impl Changes for () {}

impl Position {
    #[inline(always)]
    pub(super) fn put<C: Changes>(&mut self, piece: Piece, square: Square, changes: &mut C) {
        self.board[square.index()] = piece.index() as u8;
        self.by_role[piece.role.index()].insert(square);
        self.by_color[piece.color.index()].insert(square);
        self.key ^= zobrist::piece(piece, square);
        changes.piece_added(piece, square);
    }

    #[inline(always)]
    fn take<C: Changes>(&mut self, piece: Piece, square: Square, changes: &mut C) {
        self.board[square.index()] = EMPTY_SQUARE;
        self.by_role[piece.role.index()].remove(square);
        self.by_color[piece.color.index()].remove(square);
        self.key ^= zobrist::piece(piece, square);
        changes.piece_removed(piece, square);
    }

    /// Captures the enemy piece on `square` and credits the mover's pocket.
    #[inline(always)]
    fn capture<C: Changes>(&mut self, piece: Piece, square: Square, changes: &mut C) {
        let mut role = piece.role;
        self.take(piece, square, changes);
        if self.promoted.has(square) {
            self.promoted.remove(square);
            self.key ^= zobrist::promoted(square);
            changes.mark_removed(piece, square);
            role = Role::Pawn;
        }
        let count = &mut self.pockets[self.turn.index()].0[role.index().min(4)];
        // Material is conserved, so a valid position never exceeds the largest count.
        let after = (*count + 1).min(Pocket::MAX as u8);
        self.key ^=
            zobrist::pocket(self.turn, role, *count) ^ zobrist::pocket(self.turn, role, after);
        *count = after;
        changes.pocket_added(self.turn, role, after);
    }

    fn end_castling_right(&mut self, right: usize) {
        if self.castling_rooks[right] != NO_SQUARE {
            self.castling_rooks[right] = NO_SQUARE;
            self.key ^= zobrist::castling(right);
        }
    }

    /// Ends the castling rights of kings and rooks that stood on `touched`. Called before pieces move.
    fn update_castling(&mut self, touched: Bitboard) {
        for color in Color::ALL {
            if touched.has(self.king(color)) {
                self.end_castling_right(color.index() * 2);
                self.end_castling_right(color.index() * 2 + 1);
            }
        }
        for right in 0..4 {
            let rook = self.castling_rooks[right];
            if rook != NO_SQUARE && touched.has(Square::new(rook)) {
                self.end_castling_right(right);
            }
        }
        self.castling_squares = Bitboard::EMPTY;
        for color in Color::ALL {
            for side in 0..2 {
                if let Some(rook) = self.castling_rook(color, side) {
                    self.castling_squares.insert(rook);
                    self.castling_squares.insert(self.king(color));
                }
            }
        }
    }

    /// Position after a legal move.
    #[inline]
    pub fn play(&self, m: Move) -> Self {
        self.play_with(m, &mut ())
    }

    /// Position after a legal move, each change being told to `changes`. The move must be legal
    /// ([`Position::is_legal`]): any other gives a position without meaning, or panics.
    pub fn play_with<C: Changes>(&self, m: Move, changes: &mut C) -> Self {
        let mut next = *self;
        let us = self.turn;
        let to = m.to();
        if let Some(square) = self.en_passant() {
            next.en_passant = NO_SQUARE;
            next.key ^= zobrist::en_passant(square);
        }
        next.halfmoves = next.halfmoves.saturating_add(1);
        let mut double_push = None;
        if let Some(role) = m.dropped() {
            let count = &mut next.pockets[us.index()].0[role.index().min(4)];
            let after = count.saturating_sub(1);
            next.key ^= zobrist::pocket(us, role, *count) ^ zobrist::pocket(us, role, after);
            changes.pocket_removed(us, role, *count);
            *count = after;
            next.put(Piece { color: us, role }, to, changes);
            if role == Role::Pawn {
                next.halfmoves = 0;
            }
        } else {
            let from = m.from_raw();
            let touched = Bitboard::of(from) | Bitboard::of(to);
            if (next.castling_squares & touched).any() {
                next.update_castling(touched);
            }
            let piece = self.moved_piece(m);
            if m.is_castle() {
                let side = usize::from(to.file() < from.file());
                let rank = from.rank();
                let king_to = Square::at(if side == 0 { 6 } else { 2 }, rank);
                let rook_to = Square::at(if side == 0 { 5 } else { 3 }, rank);
                let rook = Piece {
                    color: us,
                    role: Role::Rook,
                };
                let marked = self.promoted.has(to);
                next.take(piece, from, changes);
                next.take(rook, to, changes);
                next.put(piece, king_to, changes);
                next.put(rook, rook_to, changes);
                if marked {
                    // Only a FEN can claim a right with a marked rook; its mark travels.
                    next.move_mark(rook, to, rook_to, changes);
                }
            } else {
                let victim_square = if m.is_en_passant() {
                    to.en_passant_victim()
                } else {
                    to
                };
                if let Some(victim) = self.piece_at(victim_square) {
                    next.capture(victim, victim_square, changes);
                    next.halfmoves = 0;
                }
                next.take(piece, from, changes);
                if let Some(role) = m.promoted_to() {
                    let promoted = Piece { color: us, role };
                    next.put(promoted, to, changes);
                    if self.variant.demotes_promoted() {
                        next.promoted.insert(to);
                        next.key ^= zobrist::promoted(to);
                        changes.mark_added(promoted, to);
                    }
                } else {
                    next.put(piece, to, changes);
                    if self.promoted.has(from) {
                        next.move_mark(piece, from, to, changes);
                    }
                }
                if piece.role == Role::Pawn {
                    next.halfmoves = 0;
                    // A pawn dropped on its second rank may advance two squares too; one on the first may not.
                    if from.index().abs_diff(to.index()) == 16 {
                        double_push =
                            Some(Square::new(usize::midpoint(from.index(), to.index()) as u8));
                    }
                }
            }
        }
        next.turn = !us;
        next.key ^= zobrist::black_to_move();
        if us == Color::Black {
            next.fullmoves = next.fullmoves.saturating_add(1);
        }
        next.checkers = next.attackers_by(us, next.king(!us), next.occupied());
        if let Some(square) = double_push
            && (attacks::pawn(us, square) & next.pieces(!us, Role::Pawn)).any()
        {
            next.allow_en_passant(square);
        }
        next
    }

    fn move_mark<C: Changes>(&mut self, piece: Piece, from: Square, to: Square, changes: &mut C) {
        self.promoted.remove(from);
        self.promoted.insert(to);
        self.key ^= zobrist::promoted(from) ^ zobrist::promoted(to);
        changes.mark_removed(piece, from);
        changes.mark_added(piece, to);
    }

    /// Position after passing the turn. Only for positions that are not in check.
    pub fn play_null(&self) -> Self {
        let mut next = *self;
        if let Some(square) = self.en_passant() {
            next.en_passant = NO_SQUARE;
            next.key ^= zobrist::en_passant(square);
        }
        next.turn = !self.turn;
        next.key ^= zobrist::black_to_move();
        next.checkers = Bitboard::EMPTY;
        next
    }
}
