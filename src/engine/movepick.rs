//! Hands out the moves of a node one by one, the most promising first, generating as late as it can.
//!
//! Order: table move, captures and promotions that lose nothing, killers, quiet moves and drops together, captures
//! that lose. In check all evasions come from one list. Nothing is sorted: each call looks for the best remaining
//! move, since most nodes need few of them, and a node that is cut before its quiet moves never generates drops.

use super::history::{Before, Histories, Step};
use super::params::Params;
use super::see::{gain, see};
use crate::rules::{Bitboard, CheckInfo, Color, Move, MoveList, Piece, Position, Role, attacks};

/// Whether `m` captures or promotes.
#[inline(always)]
pub(crate) fn is_noisy(position: &Position, m: Move) -> bool {
    m.is_promotion() || position.captured_role(m).is_some()
}

/// What moves are ordered by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// Position to move in.
    pub(crate) position: &'a Position,
    /// Its check squares.
    pub(crate) info: &'a CheckInfo,
    /// Histories of the thread.
    pub(crate) histories: &'a Histories,
    /// What was before.
    pub(crate) before: &'a Before,
    /// Constants.
    pub(crate) params: &'a Params,
}

impl Context<'_> {
    /// History of a quiet move or drop of `mover`.
    #[inline(always)]
    fn quiet(&self, m: Move, mover: Piece) -> i32 {
        let step = Step::of(m, mover);
        self.histories
            .quiet(mover.color, m, step, self.before, self.params)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Table,
    GenerateEvasions,
    Evasions,
    GenerateNoisy,
    GoodNoisy,
    FirstKiller,
    SecondKiller,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    GenerateChecks,
    Checks,
    Done,
}

/// Which moves that only give check quiescence looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checks {
    None,
    /// Drops.
    Drops,
    /// Drops, and moves of pieces on the board.
    All,
}

/// Which moves are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    /// All legal moves.
    All,
    /// Captures and promotions that lose nothing; with checks, drops that give check and lose nothing too.
    Quiescence { checks: Checks },
}

/// Moves of one node.
///
/// Scored moves lie in an arena shared by all plies (score in the high half, bits of the move in the low half), from
/// the end that it had when the picker was made; the node cuts it back with [`Picker::finish`].
#[derive(Debug)]
pub(crate) struct Picker {
    stage: Stage,
    scope: Scope,
    table_move: Move,
    killers: [Move; 2],
    skip_quiets: bool,
    base: usize,
    /// Captures that lose: `base..bad_end`.
    bad_end: usize,
    /// Moves still to be looked at: `next..end`.
    next: usize,
    end: usize,
}

impl Picker {
    /// Picker of all legal moves. Table move and killers are checked for legality here and when they are due.
    pub(crate) fn all(
        position: &Position,
        table_move: Move,
        killers: [Move; 2],
        arena: &[i32],
    ) -> Self {
        Self::new(position, Scope::All, table_move, killers, arena)
    }

    /// Picker of the moves that quiescence looks at; all evasions in check.
    pub(crate) fn quiescence(
        position: &Position,
        table_move: Move,
        checks: Checks,
        arena: &[i32],
    ) -> Self {
        let scope = if position.is_check() {
            Scope::All
        } else {
            Scope::Quiescence { checks }
        };
        let wanted = scope == Scope::All || is_noisy(position, table_move);
        let table_move = if wanted { table_move } else { Move::NONE };
        Self::new(position, scope, table_move, [Move::NONE; 2], arena)
    }

    fn new(
        position: &Position,
        scope: Scope,
        table_move: Move,
        killers: [Move; 2],
        arena: &[i32],
    ) -> Self {
        let known = !table_move.is_none() && position.is_legal(table_move);
        let base = arena.len();
        Self {
            stage: if known {
                Stage::Table
            } else {
                Self::first_stage(position)
            },
            scope,
            table_move: if known { table_move } else { Move::NONE },
            killers,
            skip_quiets: false,
            base,
            bad_end: base,
            next: base,
            end: base,
        }
    }

    fn first_stage(position: &Position) -> Stage {
        if position.is_check() {
            Stage::GenerateEvasions
        } else {
            Stage::GenerateNoisy
        }
    }

    /// Leaves out the quiet moves and drops that were not handed out yet. Has no effect in check.
    pub(crate) const fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Gives the room of this node back.
    pub(crate) fn finish(self, arena: &mut Vec<i32>) {
        arena.truncate(self.base);
    }

    /// Next move, `None` after the last.
    pub(crate) fn next(&mut self, context: &Context<'_>, arena: &mut Vec<i32>) -> Option<Move> {
        let position = context.position;
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Self::first_stage(position);
                    return Some(self.table_move);
                }
                Stage::GenerateEvasions => {
                    self.generate_evasions(context, arena);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions | Stage::Quiet => {
                    if self.stage == Stage::Quiet && self.skip_quiets {
                        self.next = self.end;
                    }
                    while let Some((_, m)) = self.best(arena) {
                        if m != self.table_move && !self.is_used_killer(m) {
                            return Some(m);
                        }
                    }
                    if self.stage == Stage::Evasions {
                        self.stage = Stage::Done;
                    } else {
                        self.stage = Stage::BadNoisy;
                        self.next = self.base;
                        self.end = self.bad_end;
                    }
                }
                Stage::GenerateNoisy => {
                    self.generate_noisy(context, arena);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    if let Some(m) = self.good_noisy(context, arena) {
                        return Some(m);
                    }
                    self.stage = match self.scope {
                        Scope::All => Stage::FirstKiller,
                        Scope::Quiescence {
                            checks: Checks::None,
                        } => Stage::Done,
                        Scope::Quiescence { .. } => Stage::GenerateChecks,
                    };
                }
                Stage::FirstKiller | Stage::SecondKiller => {
                    let first = self.stage == Stage::FirstKiller;
                    self.stage = if first {
                        Stage::SecondKiller
                    } else {
                        Stage::GenerateQuiet
                    };
                    let killer = &mut self.killers[usize::from(!first)];
                    if !killer.is_none()
                        && !self.skip_quiets
                        && *killer != self.table_move
                        && !is_noisy(position, *killer)
                        && position.is_legal(*killer)
                    {
                        return Some(*killer);
                    }
                    // Not handed out, so it must not be left out later.
                    *killer = Move::NONE;
                }
                Stage::GenerateQuiet => {
                    self.next = self.end;
                    if !self.skip_quiets {
                        self.generate_quiet(context, arena);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::BadNoisy => {
                    if let Some((_, m)) = self.best(arena) {
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::GenerateChecks => {
                    self.next = self.end;
                    self.generate_checks(context, arena);
                    self.stage = Stage::Checks;
                }
                Stage::Checks => {
                    while let Some((_, m)) = self.best(arena) {
                        if see(position, m, 0) {
                            return Some(m);
                        }
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn is_used_killer(&self, m: Move) -> bool {
        self.stage == Stage::Quiet && (m == self.killers[0] || m == self.killers[1])
    }

    /// Takes the best move out of those left, with its score.
    #[inline]
    fn best(&mut self, arena: &mut [i32]) -> Option<(i32, Move)> {
        let left = &mut arena[self.next..self.end];
        let best = left.iter().copied().max()?;
        let place = left.iter().position(|&entry| entry == best)?;
        left.swap(0, place);
        self.next += 1;
        Some((best >> 16, Move::from_bits(best as u16)))
    }

    fn good_noisy(&mut self, context: &Context<'_>, arena: &mut [i32]) -> Option<Move> {
        while let Some((score, m)) = self.best(arena) {
            if m == self.table_move {
                continue;
            }
            let threshold = if self.scope == Scope::All {
                let check = context.position.gives_check(m, context.info);
                -(score / 64) - if check { 200 } else { 0 }
            } else {
                0
            };
            if see(context.position, m, threshold) {
                return Some(m);
            }
            if self.scope == Scope::All {
                arena[self.bad_end] = pack(score, m);
                self.bad_end += 1;
            }
        }
        None
    }

    fn generate_noisy(&mut self, context: &Context<'_>, arena: &mut Vec<i32>) {
        let mut moves = MoveList::new();
        context.position.noisy_moves(&mut moves);
        arena.extend(moves.iter().map(|&m| pack(noisy_score(context, m), m)));
        self.end = arena.len();
    }

    fn generate_quiet(&mut self, context: &Context<'_>, arena: &mut Vec<i32>) {
        let mut moves = MoveList::new();
        context.position.quiet_moves(&mut moves);
        context.position.drop_moves(&mut moves);
        let guarded = pawn_attacks(context.position, !context.position.turn());
        arena.extend(
            moves
                .iter()
                .map(|&m| pack(quiet_score(context, m, guarded), m)),
        );
        self.end = arena.len();
    }

    fn generate_evasions(&mut self, context: &Context<'_>, arena: &mut Vec<i32>) {
        let mut moves = MoveList::new();
        context.position.legal_moves(&mut moves);
        let guarded = pawn_attacks(context.position, !context.position.turn());
        arena.extend(moves.iter().map(|&m| {
            let score = if is_noisy(context.position, m) {
                8000 + noisy_score(context, m)
            } else {
                quiet_score(context, m, guarded) / 2
            };
            pack(score, m)
        }));
        self.end = arena.len();
    }

    fn generate_checks(&mut self, context: &Context<'_>, arena: &mut Vec<i32>) {
        let position = context.position;
        for m in position.checking_drops(context.info) {
            let history = context.quiet(m, position.moved_piece(m));
            arena.push(pack(history / 2, m));
        }
        let all = Scope::Quiescence {
            checks: Checks::All,
        };
        if self.scope == all {
            generate_board_checks(context, arena);
        }
        self.end = arena.len();
    }
}

/// Quiet moves of knights, bishops, rooks and queens to squares from which they attack the king.
fn generate_board_checks(context: &Context<'_>, arena: &mut Vec<i32>) {
    let position = context.position;
    let side = position.turn();
    let occupied = position.occupied();
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let wanted = context.info.squares[role.index()].without(occupied);
        let piece = Piece { color: side, role };
        let reach = |from| match role {
            Role::Knight => attacks::knight(from),
            Role::Bishop => attacks::bishop(from, occupied),
            Role::Rook => attacks::rook(from, occupied),
            _ => attacks::queen(from, occupied),
        };
        for from in position.pieces(side, role) {
            for to in reach(from) & wanted {
                let m = Move::normal(from, to);
                if position.is_legal(m) {
                    arena.push(pack(context.quiet(m, piece) / 2, m));
                }
            }
        }
    }
}

/// Squares that the pawns of `color` attack.
fn pawn_attacks(position: &Position, color: Color) -> Bitboard {
    let pawns = position.pieces(color, Role::Pawn).0;
    let (left, right) = (pawns & !Bitboard::FILE_A.0, pawns & !Bitboard::FILE_H.0);
    Bitboard(match color {
        Color::White => left << 7 | right << 9,
        Color::Black => left >> 9 | right >> 7,
    })
}

/// Score in the high half, so that entries compare by score.
#[inline(always)]
fn pack(score: i32, m: Move) -> i32 {
    score.clamp(-32_768, 32_767) << 16 | i32::from(m.to_bits())
}

fn noisy_score(context: &Context<'_>, m: Move) -> i32 {
    let position = context.position;
    if m.promoted_to().is_some_and(|role| role != Role::Queen) {
        return -20_000;
    }
    let victim = position.captured_role(m);
    16 * gain(position, m)
        + context
            .histories
            .capture(position.moved_piece(m), m.to(), victim)
}

#[inline(always)]
fn quiet_score(context: &Context<'_>, m: Move, guarded: Bitboard) -> i32 {
    let position = context.position;
    let mover = position.moved_piece(m);
    let mut score = context.quiet(m, mover);
    if position.gives_check(m, context.info) {
        if see(position, m, 0) {
            score += context.params.check_bonus;
        }
    } else if mover.role != Role::Pawn && guarded.has(m.to()) {
        score -= context.params.pawn_attack_malus;
    }
    score / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn pick(position: &Position, table_move: Move, killers: [Move; 2]) -> Vec<Move> {
        let histories = Histories::new();
        let info = position.check_info();
        let context = Context {
            position,
            info: &info,
            histories: &histories,
            before: &Before::NOTHING,
            params: &Params::DEFAULT,
        };
        // What lies in the arena belongs to other plies.
        let mut arena = vec![7, -9];
        let mut picker = Picker::all(position, table_move, killers, &arena);
        let mut picked = Vec::new();
        while let Some(m) = picker.next(&context, &mut arena) {
            picked.push(m);
        }
        picker.finish(&mut arena);
        assert_eq!(arena, [7, -9]);
        picked
    }

    #[test]
    fn every_legal_move_comes_exactly_once() {
        let mut random = fastrand::Rng::with_seed(7);
        for variant in Variant::ALL {
            for _ in 0..12 {
                let mut position = Position::start(variant);
                for _ in 0..120 {
                    let mut legal = MoveList::new();
                    position.legal_moves(&mut legal);
                    if legal.is_empty() {
                        break;
                    }
                    let mut any = || match random.u8(0..3) {
                        0 => legal[random.usize(0..legal.len())],
                        1 => Move::from_bits(random.u16(..)),
                        _ => Move::NONE,
                    };
                    let (table_move, killers) = (any(), [any(), any()]);
                    let killers = if killers[0] == killers[1] {
                        [killers[0], Move::NONE]
                    } else {
                        killers
                    };
                    let mut picked = pick(&position, table_move, killers);
                    if legal.contains(&table_move) {
                        assert_eq!(picked[0], table_move);
                    }
                    picked.sort_unstable();
                    let mut wanted = legal.to_vec();
                    wanted.sort_unstable();
                    assert_eq!(picked, wanted, "{position:?} {table_move:?} {killers:?}");
                    position = position.play(legal[random.usize(0..legal.len())]);
                }
            }
        }
    }

    #[test]
    fn an_illegal_table_move_is_never_handed_out() {
        let position = Position::start(Variant::Crazyhouse);
        for bits in 0..=u16::MAX {
            let m = Move::from_bits(bits);
            let picker = Picker::all(&position, m, [m; 2], &[]);
            assert_eq!(picker.stage == Stage::Table, position.is_legal(m), "{m:?}");
        }
    }

    #[test]
    fn quiescence_sees_safe_captures_and_safe_checking_drops_only() {
        let fen = "6k1/5ppp/8/3r4/4P3/8/8/6K1[RN] w - - 0 1";
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let histories = Histories::new();
        let info = position.check_info();
        let context = Context {
            position: &position,
            info: &info,
            histories: &histories,
            before: &Before::NOTHING,
            params: &Params::DEFAULT,
        };
        let texts = |checks| {
            let mut arena = Vec::new();
            let mut picker = Picker::quiescence(&position, Move::NONE, checks, &arena);
            let mut texts = Vec::new();
            while let Some(m) = picker.next(&context, &mut arena) {
                texts.push(format!("{m:?}"));
            }
            texts
        };
        assert_eq!(texts(Checks::None), ["e4d5"]);
        let mut all = texts(Checks::Drops);
        all.sort();
        // N@h6 and N@f6 lose the knight to a pawn, R@f8 and R@h8 the rook to the king, R@d8 to the rook.
        assert_eq!(all, ["N@e7", "R@a8", "R@b8", "R@c8", "R@e8", "e4d5"]);
    }
}
