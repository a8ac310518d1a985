//! Validated position: what it is and what can be asked of it. `build` makes one, `play` changes it.

mod build;
mod play;

pub use play::Changes;

use super::attacks;
use super::bitboard::Bitboard;
use super::mv::{Move, MoveKind};
use super::piece::{Color, Piece, Role, Variant};
use super::pocket::Pocket;
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

    /// Whether the side to move is mated: in check, and no move and no drop helps.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_legal_move()
    }

    /// Whether the side to move has no move and no drop, and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && !self.has_legal_move()
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Position")
            .field("setup", &self.to_setup())
            .field("key", &format_args!("{:016x}", self.key))
            .finish_non_exhaustive()
    }
}
