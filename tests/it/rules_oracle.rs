//! Our rules against shakmaty's, which shares no code with them.

use crate::rules_walk::{choose, legal_moves, position, walks};
use pocketknight::rules::{CastlingStyle, FenStyle, Position, Variant};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::variant::Crazyhouse;
use shakmaty::{CastlingMode, EnPassantMode, Position as _};
use std::collections::BTreeMap;

fn oracle(fen: &str) -> Crazyhouse {
    fen.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Chess960)
        .unwrap()
}

/// UCI text and SAN of every legal move.
fn ours(position: &Position) -> BTreeMap<String, String> {
    let text = |m| {
        (
            position.uci(m, CastlingStyle::KingTakesRook),
            position.san(m),
        )
    };
    legal_moves(position).into_iter().map(text).collect()
}

fn theirs(position: &Crazyhouse) -> BTreeMap<String, String> {
    let moves = position.legal_moves();
    let text = |&m| {
        let san = SanPlus::from_move(position.clone(), m).to_string();
        // The one difference by intent: Lichess writes the letter of a dropped pawn.
        let san = if san.starts_with('@') {
            format!("P{san}")
        } else {
            san
        };
        (
            shakmaty::Move::to_uci(m, CastlingMode::Chess960).to_string(),
            san,
        )
    };
    moves.iter().map(text).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn moves_checks_ends_and_texts_agree_all_along_a_walk((start, choices) in walks(140)) {
        let mut mine = position(start, Variant::Crazyhouse);
        let mut other = oracle(start);
        for choice in choices {
            let fen = mine.fen(FenStyle::Bracket);
            prop_assert_eq!(&fen, &Fen::from_position(&other, EnPassantMode::Legal).to_string());
            prop_assert_eq!(ours(&mine), theirs(&other), "{}", fen);
            prop_assert_eq!(mine.is_check(), other.is_check(), "{}", fen);
            prop_assert_eq!(mine.is_checkmate(), other.is_checkmate(), "{}", fen);
            prop_assert_eq!(mine.is_stalemate(), other.is_stalemate(), "{}", fen);
            let Some(m) = choose(&mine, choice) else { break };
            let uci = mine.uci(m, CastlingStyle::KingTakesRook);
            let m_other = uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(&other).unwrap();
            mine = mine.play(m);
            other.play_unchecked(m_other);
        }
    }
}
