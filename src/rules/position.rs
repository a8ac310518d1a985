//! Validated position, and the one place where moves change it.

use super::attacks;
use super::bitboard::Bitboard;
use super::mv::{Move, MoveKind};
use super::piece::{Color, Piece, Role, Variant};
use super::pocket::Pocket;
use super::setup::{Setup, SetupError};
use super::square::Square;
use super::zobrist;

const EMPTY_SQUARE: u8 = 12;
const NO_SQUARE: u8 = 64;

/// Position that can be played. 184 bytes, `Copy`.
///
/// Copy-make: [`Position::play`] returns a new position. The copy costs about a fifth of a make-and-generate step
/// and buys an undo that cannot be wrong.
///
/// Equality compares everything, the move counters included; [`Position::key`] compares what repetition compares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Position {
    by_role: [Bitboard; 6],
    by_color: [Bitboard; 2],
    promoted: Bitboard,
    checkers: Bitboard,
    key: u64,
    /// Squares whose change may end a castling right: kings and rooks that still have one.
    castling_squares: Bitboard,
    /// `Piece::index`, or 12 for an empty square.
    board: [u8; 64],
    pockets: [Pocket; 2],
    /// Rook square of the right `color * 2 + side`, or 64.
    castling_rooks: [u8; 4],
    /// Target of a legal en-passant capture, or 64.
    en_passant: u8,
    turn: Color,
    variant: Variant,
    halfmoves: u16,
    fullmoves: u16,
}

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

/// Facts about the king of the side not to move, shared by all moves of a position.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// Squares from which a piece of each role would attack that king.
    pub squares: [Bitboard; 6],
    /// Own pieces that uncover an attack on that king when they leave its line.
    pub discoverers: Bitboard,
    /// That king.
    pub king: Square,
}

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
    fn allow_en_passant(&mut self, square: Square) {
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

    /// Whether the own king is safe after the en-passant capture `from` takes `to`.
    pub(super) fn en_passant_keeps_king_safe(&self, from: Square, to: Square) -> bool {
        let (us, them) = (self.turn, !self.turn);
        let victim = to.en_passant_victim();
        let mut occupied = self.occupied();
        occupied.remove(from);
        occupied.remove(victim);
        occupied.insert(to);
        self.attackers_by(them, self.king(us), occupied)
            .without(Bitboard::of(victim))
            .is_empty()
    }

    /// Variant that is played.
    #[inline(always)]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Side to move.
    #[inline(always)]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Piece on a square.
    #[inline(always)]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        let code = self.board[square.index()] as usize;
        if code >= EMPTY_SQUARE as usize {
            return None;
        }
        let color = if code < 6 { Color::White } else { Color::Black };
        Some(Piece {
            color,
            role: Role::from_index(code % 6),
        })
    }

    /// Role of the piece on a square.
    #[inline(always)]
    pub const fn role_at(&self, square: Square) -> Option<Role> {
        match self.piece_at(square) {
            Some(piece) => Some(piece.role),
            None => None,
        }
    }

    /// Pieces in hand of a side.
    #[inline(always)]
    pub const fn pocket(&self, color: Color) -> Pocket {
        self.pockets[color.index()]
    }

    /// Squares of promoted pieces; always empty in variants where they keep their rank.
    #[inline(always)]
    pub const fn promoted(&self) -> Bitboard {
        self.promoted
    }

    /// Occupied squares.
    #[inline(always)]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.by_color[0].0 | self.by_color[1].0)
    }

    /// Squares of one side.
    #[inline(always)]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// Squares of one role, both sides.
    #[inline(always)]
    pub const fn by_role(&self, role: Role) -> Bitboard {
        self.by_role[role.index()]
    }

    /// Squares of one role of one side.
    #[inline(always)]
    pub const fn pieces(&self, color: Color, role: Role) -> Bitboard {
        Bitboard(self.by_color[color.index()].0 & self.by_role[role.index()].0)
    }

    /// Bishops and queens of a side.
    #[inline(always)]
    pub const fn diagonal_sliders(&self, color: Color) -> Bitboard {
        Bitboard(self.by_color[color.index()].0 & (self.by_role[2].0 | self.by_role[4].0))
    }

    /// Rooks and queens of a side.
    #[inline(always)]
    pub const fn straight_sliders(&self, color: Color) -> Bitboard {
        Bitboard(self.by_color[color.index()].0 & (self.by_role[3].0 | self.by_role[4].0))
    }

    /// Square of a side's king.
    #[inline(always)]
    pub const fn king(&self, color: Color) -> Square {
        Square::new(self.pieces(color, Role::King).0.trailing_zeros() as u8)
    }

    /// Rook with which a side may still castle, side 0 for the king side and 1 for the queen side.
    #[inline(always)]
    pub const fn castling_rook(&self, color: Color, side: usize) -> Option<Square> {
        let rook = self.castling_rooks[color.index() * 2 + (side & 1)];
        if rook == NO_SQUARE {
            None
        } else {
            Some(Square::new(rook))
        }
    }

    /// Whether a castling right exists that ordinary chess does not have (king or rook elsewhere).
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            (0..2).any(|side| {
                self.castling_rook(color, side).is_some_and(|rook| {
                    self.king(color).file() != 4 || rook.file() != if side == 0 { 7 } else { 0 }
                })
            })
        })
    }

    /// Target square of en passant, only if some capture there is fully legal.
    #[inline(always)]
    pub const fn en_passant(&self) -> Option<Square> {
        if self.en_passant == NO_SQUARE {
            None
        } else {
            Some(Square::new(self.en_passant))
        }
    }

    /// Plies since the last capture, pawn move, promotion or pawn drop, as Lichess counts. No rule depends on it.
    pub const fn halfmoves(&self) -> u32 {
        self.halfmoves as u32
    }

    /// Number of the move, from 1; grows after Black's moves.
    pub const fn fullmoves(&self) -> u32 {
        self.fullmoves as u32
    }

    /// Plies played since move 1 of White.
    pub const fn ply(&self) -> u32 {
        (self.fullmoves as u32).saturating_sub(1) * 2 + self.turn.index() as u32
    }

    /// Enemy pieces that give check.
    #[inline(always)]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub const fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// Key of board, side to move, castling rights, en passant, pockets, promoted marks and variant:
    /// two positions with equal keys are repetitions by the Lichess rule.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Key of board and side to move only, which is what FICS compares. Computed from scratch.
    pub fn board_key(&self) -> u64 {
        let mut key = if self.turn == Color::Black {
            zobrist::black_to_move()
        } else {
            0
        };
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                key ^= zobrist::piece(piece, square);
            }
        }
        key
    }

    /// Pieces of both sides that attack a square, with the given occupancy.
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attackers_by(Color::White, square, occupied)
            | self.attackers_by(Color::Black, square, occupied)
    }

    /// Pieces of `color` that attack a square, with the given occupancy.
    #[inline]
    pub fn attackers_by(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let leapers = attacks::knight(square) & self.by_role(Role::Knight)
            | attacks::king(square) & self.by_role(Role::King)
            | attacks::pawn(!color, square) & self.by_role(Role::Pawn);
        leapers & self.by_color(color)
            | attacks::bishop(square, occupied) & self.diagonal_sliders(color)
            | attacks::rook(square, occupied) & self.straight_sliders(color)
    }

    /// Whether `color` attacks a square, with the given occupancy.
    #[inline]
    pub fn is_attacked(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        self.attackers_by(color, square, occupied).any()
    }

    /// Pieces of either side that stand alone between `king` and a slider of `attacker`.
    #[inline]
    fn blockers(&self, king: Square, attacker: Color) -> Bitboard {
        let occupied = self.occupied();
        let snipers = attacks::bishop(king, Bitboard::EMPTY) & self.diagonal_sliders(attacker)
            | attacks::rook(king, Bitboard::EMPTY) & self.straight_sliders(attacker);
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & occupied;
            if between.any() && !between.more_than_one() {
                blockers |= between;
            }
        }
        blockers
    }

    /// Pieces of `color` that are pinned to their own king.
    #[inline]
    pub fn pinned(&self, color: Color) -> Bitboard {
        self.blockers(self.king(color), !color) & self.by_color(color)
    }

    /// Check squares and discoverers for the side to move.
    pub fn check_info(&self) -> CheckInfo {
        let (us, them) = (self.turn, !self.turn);
        let king = self.king(them);
        let occupied = self.occupied();
        let bishop = attacks::bishop(king, occupied);
        let rook = attacks::rook(king, occupied);
        CheckInfo {
            squares: [
                attacks::pawn(them, king),
                attacks::knight(king),
                bishop,
                rook,
                bishop | rook,
                Bitboard::EMPTY,
            ],
            discoverers: self.blockers(king, us) & self.by_color(us),
            king,
        }
    }

    /// Whether a legal move gives check. `info` is [`Position::check_info`] of this position.
    #[inline]
    pub fn gives_check(&self, m: Move, info: &CheckInfo) -> bool {
        if let Some(role) = m.dropped() {
            return info.squares[role.index()].has(m.to());
        }
        let (from, to) = (m.from_raw(), m.to());
        let uncovers = info.discoverers.has(from) && !attacks::line(info.king, from).has(to);
        match m.kind() {
            MoveKind::Normal => {
                uncovers
                    || self
                        .role_at(from)
                        .is_some_and(|r| info.squares[r.index()].has(to))
            }
            // Rare moves: look at the board after them.
            _ => uncovers && !m.is_castle() || self.play(m).is_check(),
        }
    }

    /// Piece that moves or is dropped.
    #[inline]
    pub const fn moved_piece(&self, m: Move) -> Piece {
        if let Some(role) = m.dropped() {
            return Piece {
                color: self.turn,
                role,
            };
        }
        match self.piece_at(m.from_raw()) {
            Some(piece) => piece,
            None => Piece {
                color: self.turn,
                role: Role::Pawn,
            },
        }
    }

    /// Role that a move captures, as it stands on the board.
    #[inline]
    pub const fn captured_role(&self, m: Move) -> Option<Role> {
        match m.kind() {
            MoveKind::EnPassant => Some(Role::Pawn),
            MoveKind::Drop | MoveKind::Castle => None,
            MoveKind::Normal | MoveKind::Promotion(_) => self.role_at(m.to()),
        }
    }

    /// Role that a move adds to the mover's pocket: a pawn for a promoted piece (crazyhouse).
    #[inline]
    pub const fn captured_to_pocket(&self, m: Move) -> Option<Role> {
        match self.captured_role(m) {
            Some(_) if self.promoted.has(m.to()) => Some(Role::Pawn),
            role => role,
        }
    }

    #[inline(always)]
    fn put<C: Changes>(&mut self, piece: Piece, square: Square, changes: &mut C) {
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

    /// Whether the side to move is mated: in check, and no move and no drop helps.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no move and no drop, and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && !self.has_legal_move()
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

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Position")
            .field("setup", &self.to_setup())
            .field("key", &format_args!("{:016x}", self.key))
            .finish_non_exhaustive()
    }
}
