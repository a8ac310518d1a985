//! Laws that hold at every ply of random games, in every variant.

use super::*;
use std::collections::HashSet;

/// Follows the changes that a position reports, as an evaluation would.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mirror {
    board: [Option<Piece>; 64],
    marks: Bitboard,
    pockets: [Pocket; 2],
}

impl Mirror {
    fn of(position: &Position) -> Self {
        let setup = position.to_setup();
        Self {
            board: setup.board,
            marks: position.promoted(),
            pockets: setup.pockets,
        }
    }
}

impl Changes for Mirror {
    fn piece_added(&mut self, piece: Piece, square: Square) {
        assert_eq!(
            self.board[square.index()].replace(piece),
            None,
            "square was occupied"
        );
    }
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board[square.index()].take(), Some(piece));
    }
    fn mark_added(&mut self, _piece: Piece, square: Square) {
        assert!(!self.marks.has(square));
        self.marks.insert(square);
    }
    fn mark_removed(&mut self, _piece: Piece, square: Square) {
        assert!(self.marks.has(square));
        self.marks.remove(square);
    }
    fn pocket_added(&mut self, color: Color, role: Role, count: u8) {
        self.pockets[color.index()].0[role.index()] += 1;
        assert_eq!(self.pockets[color.index()].count(role), count);
    }
    fn pocket_removed(&mut self, color: Color, role: Role, count: u8) {
        assert_eq!(self.pockets[color.index()].count(role), count);
        self.pockets[color.index()].0[role.index()] -= 1;
    }
}

/// Calls `check` on every position of random games; captures and drops are preferred, so that pockets fill.
fn playouts(games: u64, plies: u32, mut check: impl FnMut(&Position)) {
    for variant in Variant::ALL {
        for seed in 0..games {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut position = Position::start(variant);
            for _ in 0..plies {
                check(&position);
                let mut list = MoveList::new();
                position.legal_moves(&mut list);
                if list.is_empty() {
                    break;
                }
                let sharp: Vec<Move> = list
                    .iter()
                    .copied()
                    .filter(|&m| position.captured_role(m).is_some() || m.is_promotion())
                    .collect();
                let choice = if !sharp.is_empty() && random.bool() {
                    sharp[random.usize(..sharp.len())]
                } else {
                    list[random.usize(..list.len())]
                };
                position = position.play(choice);
            }
        }
    }
}

fn legal(position: &Position) -> Vec<Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    list.to_vec()
}

#[test]
fn partial_generators_and_the_count_agree_with_the_whole() {
    playouts(30, 120, |position| {
        let all = legal(position);
        let mut parts = MoveList::new();
        position.noisy_moves(&mut parts);
        for &m in &parts {
            assert!(
                position.captured_role(m).is_some() || m.is_promotion(),
                "{m:?}"
            );
        }
        let noisy = parts.len();
        position.quiet_moves(&mut parts);
        for &m in &parts[noisy..] {
            assert!(
                position.captured_role(m).is_none() && !m.is_promotion(),
                "{m:?}"
            );
        }
        let board = parts.len();
        position.drop_moves(&mut parts);
        assert!(parts[board..].iter().all(|m| m.is_drop()));
        let whole: HashSet<Move> = all.iter().copied().collect();
        let joined: HashSet<Move> = parts.iter().copied().collect();
        assert_eq!(whole.len(), all.len(), "a move is generated twice");
        assert_eq!(whole, joined);
        assert_eq!(position.legal_count(), all.len() as u64);
    });
}

#[test]
fn is_legal_agrees_with_generation_for_every_bit_pattern() {
    let mut nth = 0;
    playouts(8, 120, |position| {
        nth += 1;
        if nth % 4 != 0 {
            return;
        }
        let all: HashSet<Move> = legal(position).into_iter().collect();
        for bits in 0..=u16::MAX {
            let m = Move::from_bits(bits);
            assert_eq!(
                position.is_legal(m),
                all.contains(&m),
                "{m:?} {:?} in {position:?}",
                m.kind()
            );
        }
    });
}

#[test]
fn gives_check_agrees_with_the_position_after_the_move() {
    playouts(20, 120, |position| {
        let info = position.check_info();
        for m in legal(position) {
            let after = position.play(m);
            assert_eq!(
                position.gives_check(m, &info),
                after.is_check(),
                "{m:?} in {position:?}"
            );
        }
    });
}

#[test]
fn incremental_state_equals_a_position_built_anew() {
    playouts(60, 150, |position| {
        let rebuilt = Position::from_setup(&position.to_setup()).unwrap();
        assert!(rebuilt == *position, "{position:?} rebuilt as {rebuilt:?}");
    });
}

#[test]
fn reported_changes_rebuild_board_marks_and_pockets() {
    playouts(20, 120, |position| {
        for m in legal(position) {
            let mut mirror = Mirror::of(position);
            let after = position.play_with(m, &mut mirror);
            assert_eq!(mirror, Mirror::of(&after), "{m:?}");
        }
    });
}

#[test]
fn passing_the_turn_twice_changes_only_what_en_passant_changes() {
    playouts(10, 80, |position| {
        if position.is_check() {
            return;
        }
        let passed = position.play_null();
        assert_ne!(passed.key(), position.key());
        assert_eq!(passed.turn(), !position.turn());
        // A null move may leave the other side in check-free positions only; its own moves must be legal there.
        assert!(!passed.is_check());
        if position.en_passant().is_none() {
            assert_eq!(passed.play_null().key(), position.key());
        }
    });
}
