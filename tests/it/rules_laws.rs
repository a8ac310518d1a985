//! Laws that hold in every position, whatever its history.

use pocketknight::rules::{FenStyle, Move, MoveList, Position};
use std::collections::BTreeSet;

/// Panics, naming the position, where two ways to ask the rules the same thing disagree.
pub(crate) fn assert_laws(position: &Position) {
    let fen = position.fen(FenStyle::Bracket);
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    let legal: BTreeSet<Move> = list.iter().copied().collect();
    assert_eq!(legal.len(), list.len(), "a move is generated twice: {fen}");
    assert_eq!(position.legal_count(), list.len() as u64, "{fen}");
    assert_eq!(position.has_legal_move(), !list.is_empty(), "{fen}");
    assert_eq!(
        position.is_checkmate(),
        list.is_empty() && position.is_check(),
        "{fen}"
    );
    assert_eq!(
        position.is_stalemate(),
        list.is_empty() && !position.is_check(),
        "{fen}"
    );

    let mut parts = MoveList::new();
    position.noisy_moves(&mut parts);
    let noisy = parts.len();
    position.quiet_moves(&mut parts);
    let quiet = parts.len();
    position.drop_moves(&mut parts);
    for (i, &m) in parts.iter().enumerate() {
        let takes = position.captured_role(m).is_some() || m.is_promotion();
        assert_eq!(takes, i < noisy, "{m:?} in {fen}");
        assert_eq!(m.is_drop(), i >= quiet, "{m:?} in {fen}");
    }
    let parts: BTreeSet<Move> = parts.iter().copied().collect();
    assert_eq!(parts, legal, "{fen}");

    let info = position.check_info();
    for &m in &list {
        let after = position.play(m);
        assert_eq!(
            position.gives_check(m, &info),
            after.is_check(),
            "{m:?} in {fen}"
        );
    }
    assert_recomputed(position, &fen);
}

/// Every packed move is legal exactly if it is generated.
pub(crate) fn assert_only_generated_moves_are_legal(position: &Position) {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    let legal: BTreeSet<Move> = list.iter().copied().collect();
    for bits in 0..=u16::MAX {
        let m = Move::from_bits(bits);
        let fen = || position.fen(FenStyle::Bracket);
        assert_eq!(
            position.is_legal(m),
            legal.contains(&m),
            "{bits:#x} {m:?} in {}",
            fen()
        );
    }
}

/// What is kept up to date move by move equals what is computed anew.
fn assert_recomputed(position: &Position, fen: &str) {
    let anew = Position::from_setup(&position.to_setup()).unwrap_or_else(|e| panic!("{e}: {fen}"));
    assert_eq!(anew, *position, "{fen}");
    assert_eq!(anew.key(), position.key(), "{fen}");
    assert_eq!(anew.board_key(), position.board_key(), "{fen}");
    assert_eq!(anew.checkers(), position.checkers(), "{fen}");
    let read = Position::from_fen(fen, position.variant()).unwrap();
    assert_eq!(read.key(), position.key(), "{fen}");
}
