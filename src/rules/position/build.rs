//! From a setup to a position and back.

use super::{EMPTY_SQUARE, NO_SQUARE, Position};
use crate::rules::attacks;
use crate::rules::bitboard::Bitboard;
use crate::rules::piece::{Color, Piece, Role, Variant};
use crate::rules::pocket::Pocket;
use crate::rules::setup::{Setup, SetupError};
use crate::rules::square::Square;
use crate::rules::zobrist;

impl Position {
    /// Start of a game.
    pub fn start(variant: Variant) -> Self {
        let mut setup = Setup::empty(variant);
        let back = [
            Role::Rook,
            Role::Knight,
            Role::Bishop,
            Role::Queen,
            Role::King,
            Role::Bishop,
            Role::Knight,
            Role::Rook,
        ];
        for (file, role) in back.into_iter().enumerate() {
            for (color, rank, pawns) in [(Color::White, 0, 1), (Color::Black, 7, 6)] {
                setup.board[rank * 8 + file] = Some(Piece { color, role });
                setup.board[pawns * 8 + file] = Some(Piece {
                    color,
                    role: Role::Pawn,
                });
            }
        }
        setup.castling = [[Some(7), Some(0)]; 2];
        Self::from_setup(&setup).expect("the array is a valid position")
    }

    /// Position of a setup. Castling rights without their king or rook, and an en-passant square without a legal
    /// capture, are dropped; promoted marks are dropped in variants that have none.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupError> {
        let mut position = Self {
            by_role: [Bitboard::EMPTY; 6],
            by_color: [Bitboard::EMPTY; 2],
            promoted: Bitboard::EMPTY,
            checkers: Bitboard::EMPTY,
            key: zobrist::variant(setup.variant),
            castling_squares: Bitboard::EMPTY,
            board: [EMPTY_SQUARE; 64],
            pockets: [Pocket::default(); 2],
            castling_rooks: [NO_SQUARE; 4],
            en_passant: NO_SQUARE,
            turn: setup.turn,
            variant: setup.variant,
            halfmoves: setup.halfmoves.min(u16::MAX as u32) as u16,
            fullmoves: setup.fullmoves.clamp(1, u16::MAX as u32) as u16,
        };
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()] {
                position.put(piece, square, &mut ());
            }
        }
        for color in Color::ALL {
            let count = position.pieces(color, Role::King).count();
            if count != 1 {
                return Err(SetupError::Kings { color, count });
            }
        }
        position.check_pawns()?;
        let officers = !(position.by_role(Role::Pawn) | position.by_role(Role::King));
        if let Some(square) = setup
            .promoted
            .without(officers & position.occupied())
            .first()
        {
            return Err(SetupError::Promoted { square });
        }
        check_material(setup, &position)?;
        if setup.variant.demotes_promoted() {
            position.promoted = setup.promoted;
            for square in setup.promoted {
                position.key ^= zobrist::promoted(square);
            }
        }
        for color in Color::ALL {
            position.pockets[color.index()] = setup.pockets[color.index()];
            for role in Role::DROPPABLE {
                let count = position.pockets[color.index()].count(role);
                position.key ^= zobrist::pocket(color, role, count);
            }
        }
        if position.turn == Color::Black {
            position.key ^= zobrist::black_to_move();
        }
        let waiting = !position.turn;
        if position
            .attackers_by(position.turn, position.king(waiting), position.occupied())
            .any()
        {
            return Err(SetupError::OppositeCheck { color: waiting });
        }
        position.checkers =
            position.attackers_by(waiting, position.king(position.turn), position.occupied());
        position.grant_castling(setup);
        if let Some(square) = setup.en_passant {
            position.allow_en_passant(square);
        }
        Ok(position)
    }

    /// Content of this position.
    #[expect(
        clippy::wrong_self_convention,
        reason = "a position is too large to pass by value"
    )]
    pub fn to_setup(&self) -> Setup {
        let mut setup = Setup::empty(self.variant);
        for square in Square::all() {
            setup.board[square.index()] = self.piece_at(square);
        }
        setup.promoted = self.promoted;
        setup.pockets = self.pockets;
        setup.turn = self.turn;
        for color in Color::ALL {
            for side in 0..2 {
                setup.castling[color.index()][side] =
                    self.castling_rook(color, side).map(Square::file);
            }
        }
        setup.en_passant = self.en_passant();
        setup.halfmoves = self.halfmoves();
        setup.fullmoves = self.fullmoves();
        setup
    }

    fn check_pawns(&self) -> Result<(), SetupError> {
        let mut wrong = self.by_role(Role::Pawn) & Bitboard::BACK_RANKS;
        if self.variant == Variant::Chessgi {
            wrong = wrong
                .without(self.by_color(Color::White) & Bitboard::rank(0))
                .without(self.by_color(Color::Black) & Bitboard::rank(7));
        }
        wrong
            .first()
            .map_or(Ok(()), |square| Err(SetupError::PawnRank { square }))
    }

    fn grant_castling(&mut self, setup: &Setup) {
        for color in Color::ALL {
            let king = self.king(color);
            let rank = color.relative_rank(0);
            for side in 0..2 {
                let Some(file) = setup.castling[color.index()][side] else {
                    continue;
                };
                let rook = Square::at(file, rank);
                let outward = if side == 0 {
                    file > king.file()
                } else {
                    file < king.file()
                };
                if king.rank() == rank && outward && self.pieces(color, Role::Rook).has(rook) {
                    let right = color.index() * 2 + side;
                    self.castling_rooks[right] = rook.index() as u8;
                    self.key ^= zobrist::castling(right);
                    self.castling_squares.insert(king);
                    self.castling_squares.insert(rook);
                }
            }
        }
    }

    /// Sets the en-passant square if it fits the board and a capture is fully legal.
    pub(super) fn allow_en_passant(&mut self, square: Square) {
        let us = self.turn;
        let victim = square.en_passant_victim();
        if square.rank() != us.relative_rank(5)
            || self.occupied().has(square)
            || !self.pieces(!us, Role::Pawn).has(victim)
        {
            return;
        }
        let behind = Square::at(square.file(), us.relative_rank(6));
        if self.occupied().has(behind) {
            return;
        }
        let mut capturers = attacks::pawn(!us, square) & self.pieces(us, Role::Pawn);
        if Iterator::any(&mut capturers, |from| {
            self.en_passant_keeps_king_safe(from, square)
        }) {
            self.en_passant = square.index() as u8;
            self.key ^= zobrist::en_passant(square);
        }
    }
}

/// Refuses more material than two full sets can turn into.
fn check_material(setup: &Setup, position: &Position) -> Result<(), SetupError> {
    let held = |role: Role| -> u32 {
        let counts = setup.pockets.iter().map(|p| u32::from(p.count(role)));
        counts.sum()
    };
    if !setup.variant.demotes_promoted() {
        // Captured promoted pieces keep their rank, so that only the number of pieces is conserved.
        let total = position.occupied().count() + Role::DROPPABLE.map(held).iter().sum::<u32>();
        if total > 32 {
            return Err(SetupError::Material {
                what: "more than 32 pieces",
            });
        }
        return Ok(());
    }
    for (role, most, what) in [
        (Role::Knight, 4, "more than 4 knights that are not promoted"),
        (Role::Bishop, 4, "more than 4 bishops that are not promoted"),
        (Role::Rook, 4, "more than 4 rooks that are not promoted"),
        (Role::Queen, 2, "more than 2 queens that are not promoted"),
    ] {
        let on_board = position.by_role(role).without(setup.promoted);
        if on_board.count() + held(role) > most {
            return Err(SetupError::Material { what });
        }
    }
    let pawns = position.by_role(Role::Pawn) | setup.promoted;
    if pawns.count() + held(Role::Pawn) > 16 {
        return Err(SetupError::Material {
            what: "more than 16 pawns and promoted pieces",
        });
    }
    Ok(())
}
