//! Every row of the rule data in `tests/data`: counts, games, cases and repetitions on which
//! several independent implementations agree.

use crate::rules_laws::{assert_laws, assert_only_generated_moves_are_legal};
use pocketknight::rules::{
    CastlingStyle, FenError, FenStyle, Game, Outcome, Position, Repetition, Rule, SetupError,
    UciError, Variant, pgn, run_suite,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const PERFT: &str = include_str!("../data/perft.json");
const GAMES: &str = include_str!("../data/games.jsonl");
const CASES: &str = include_str!("../data/cases.json");
const REPETITION: &str = include_str!("../data/repetition.json");

/// Rows above this are left to `pocketknight perft --suite`.
const PERFT_NODES: u64 = 6_000_000;

#[derive(Deserialize)]
struct Cases {
    positions: Vec<CasePosition>,
    transitions: Vec<Transition>,
    fen_accept: Vec<Accepted>,
    fen_refuse: Vec<Refused>,
    moves_refuse: Vec<RefusedMove>,
    dialects: Vec<Dialects>,
}

#[derive(Deserialize)]
struct CasePosition {
    id: String,
    fen: String,
    canonical_fen: String,
    lichess_fen: String,
    legal_uci: BTreeSet<String>,
    castling_alias: BTreeMap<String, String>,
    is_check: bool,
    is_checkmate: bool,
    is_stalemate: bool,
    san: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Transition {
    id: String,
    fen: String,
    uci: String,
    lichess_uci: String,
    san: String,
    fen_after: String,
    fen_after_lichess: String,
    is_check: bool,
    is_checkmate: bool,
}

#[derive(Deserialize)]
struct Accepted {
    id: String,
    fen: String,
    canonical_fen: String,
    lichess_fen: String,
}

#[derive(Deserialize)]
struct Refused {
    id: String,
    fen: Option<String>,
    build: Option<Build>,
    reason: String,
    expect: String,
}

#[derive(Deserialize)]
struct Build {
    prefix: String,
    repeat: String,
    times: usize,
    suffix: String,
}

#[derive(Deserialize)]
struct RefusedMove {
    id: String,
    fen: String,
    uci: String,
    reason: String,
}

#[derive(Deserialize)]
struct Dialects {
    id: String,
    forms: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct GameRow {
    id: String,
    plies: usize,
    start_fen: String,
    moves_uci: Vec<String>,
    moves_san: Vec<String>,
    fens: BTreeMap<usize, String>,
    final_fen: String,
    final_fen_lichess: String,
    status: String,
    winner: Option<String>,
    final_check: bool,
    final_legal_moves: u64,
    repetition: Counts,
}

#[derive(Deserialize)]
struct Counts {
    final_count: u32,
    max_count: u32,
    first_threefold_ply: Option<usize>,
    first_threefold_by_drop: Option<bool>,
    first_fivefold_ply: Option<usize>,
    final_count_fics: u32,
}

#[derive(Deserialize)]
struct Sequences {
    sequences: Vec<Sequence>,
}

#[derive(Deserialize)]
struct Sequence {
    id: String,
    start_fen: String,
    moves_uci: Vec<String>,
    count_per_ply: Vec<u32>,
    fics_count_per_ply: Vec<u32>,
    first_threefold_ply: Option<usize>,
    fics_first_threefold_ply: Option<usize>,
    first_fivefold_ply: Option<usize>,
    final_fen: String,
}

fn cases() -> Cases {
    serde_json::from_str(CASES).unwrap()
}

fn game_rows() -> impl Iterator<Item = GameRow> {
    GAMES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
}

fn parse(fen: &str) -> Result<Position, FenError> {
    Position::from_fen(fen, Variant::Crazyhouse)
}

fn bracket(position: &Position) -> String {
    position.fen(FenStyle::Bracket)
}

fn legal_uci(position: &Position) -> BTreeSet<String> {
    let mut list = pocketknight::rules::MoveList::new();
    position.legal_moves(&mut list);
    list.iter()
        .map(|&m| position.uci(m, CastlingStyle::KingTakesRook))
        .collect()
}

#[test]
fn every_perft_count_up_to_the_limit_is_right() {
    let mut wrong = Vec::new();
    let summary = run_suite(PERFT, Some(PERFT_NODES), &mut |row| {
        if !row.passed() {
            wrong.push(format!("{} depth {}: {row:?}", row.id, row.depth));
        }
    })
    .unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(summary.positions, 46);
    assert!(summary.rows > 150, "{summary:?}");
}

#[test]
fn every_case_position_has_its_moves_checks_and_texts() {
    for case in cases().positions {
        let id = &case.id;
        let position = parse(&case.fen).unwrap();
        assert_laws(&position);
        assert_only_generated_moves_are_legal(&position);
        assert_eq!(bracket(&position), case.canonical_fen, "{id}");
        assert_eq!(position.fen(FenStyle::Lichess), case.lichess_fen, "{id}");
        assert_eq!(legal_uci(&position), case.legal_uci, "{id}");
        assert_eq!(position.is_check(), case.is_check, "{id}");
        assert_eq!(position.is_checkmate(), case.is_checkmate, "{id}");
        assert_eq!(position.is_stalemate(), case.is_stalemate, "{id}");
        for (rook, squares) in &case.castling_alias {
            let m = position.parse_uci(squares).unwrap();
            assert_eq!(position.parse_uci(rook), Ok(m), "{id}");
            assert_eq!(&position.uci(m, CastlingStyle::TwoSquares), squares, "{id}");
        }
        for (uci, san) in &case.san {
            let m = position.parse_uci(uci).unwrap();
            assert_eq!(&position.san(m), san, "{id}");
            assert_eq!(position.parse_san(san), Ok(m), "{id}");
        }
    }
}

#[test]
fn every_transition_leads_to_its_position() {
    for case in cases().transitions {
        let id = &case.id;
        let position = parse(&case.fen).unwrap();
        let m = position.parse_uci(&case.uci).unwrap();
        assert_eq!(
            position.uci(m, CastlingStyle::KingTakesRook),
            case.lichess_uci,
            "{id}"
        );
        assert_eq!(position.san(m), case.san, "{id}");
        let after = position.play(m);
        assert_eq!(bracket(&after), case.fen_after, "{id}");
        assert_eq!(after.fen(FenStyle::Lichess), case.fen_after_lichess, "{id}");
        assert_eq!(after.is_check(), case.is_check, "{id}");
        assert_eq!(after.is_checkmate(), case.is_checkmate, "{id}");
        assert_laws(&after);
    }
}

#[test]
fn every_form_of_fen_to_be_accepted_is_read() {
    for case in cases().fen_accept {
        let position = parse(&case.fen).unwrap_or_else(|error| panic!("{}: {error}", case.id));
        assert_eq!(bracket(&position), case.canonical_fen, "{}", case.id);
        assert_eq!(
            position.fen(FenStyle::Lichess),
            case.lichess_fen,
            "{}",
            case.id
        );
    }
}

#[test]
fn every_dialect_is_the_same_position_and_ours_are_written_alike() {
    for case in cases().dialects {
        let id = &case.id;
        let canonical = &case.forms["bracket"];
        for (dialect, fen) in &case.forms {
            let position = parse(fen).unwrap_or_else(|error| panic!("{id} {dialect}: {error}"));
            assert_eq!(&bracket(&position), canonical, "{id} {dialect}");
            let style = match dialect.as_str() {
                "bracket" => FenStyle::Bracket,
                "lichess_slash" => FenStyle::Lichess,
                "xboard" => FenStyle::XBoard,
                "chess_com" => FenStyle::ChessCom,
                // The rest differ from ours in the order of the hand.
                _ => continue,
            };
            assert_eq!(&position.fen(style), fen, "{id} {dialect}");
        }
    }
}

fn reason(error: &FenError) -> &'static str {
    match error {
        FenError::Empty => "empty",
        FenError::TooLong { .. } => "too-long",
        FenError::Board { .. } => "board",
        FenError::Hand { .. } => "hand",
        FenError::Turn { .. } => "turn",
        FenError::Castling { .. } => "castling",
        FenError::EnPassant { .. } => "ep",
        FenError::Counter { .. } => "counter",
        FenError::ExtraField { .. } => "fields",
        FenError::ChessCom { .. } => "chesscom",
        FenError::Position(SetupError::Kings { .. }) => "kings",
        FenError::Position(SetupError::PawnRank { .. }) => "pawn-rank",
        FenError::Position(SetupError::OppositeCheck { .. }) => "opposite-check",
        FenError::PromotedMark { .. } | FenError::Position(SetupError::Promoted { .. }) => {
            "promoted-mark"
        }
        FenError::Position(SetupError::Material { .. }) => "material",
    }
}

#[test]
fn every_fen_to_be_refused_is_refused_for_its_reason() {
    for case in cases().fen_refuse {
        let fen = case.fen.clone().unwrap_or_else(|| {
            let build = case.build.as_ref().unwrap();
            format!(
                "{}{}{}",
                build.prefix,
                build.repeat.repeat(build.times),
                build.suffix
            )
        });
        // Where several reasons apply, ours may be another one.
        let expected = match case.id.as_str() {
            "huge-hand-70000" | "one-megabyte-spaces" => "too-long",
            "nine-ranks" => "hand",
            _ => &case.reason,
        };
        match parse(&fen) {
            Err(error) => {
                assert_eq!(reason(&error), expected, "{}: {error}", case.id);
                assert!(error.to_string().len() < 200, "{}: {error}", case.id);
            }
            Ok(position) => {
                assert_eq!(case.expect, "refuse_or_clean", "{} is accepted", case.id);
                assert!(position.en_passant().is_none(), "{}", case.id);
                assert!(!bracket(&position).contains(" K "), "{}", case.id);
            }
        }
    }
}

#[test]
fn every_move_to_be_refused_is_refused() {
    for case in cases().moves_refuse {
        let position = parse(&case.fen).unwrap();
        let result = position.parse_uci(&case.uci);
        // Lichess never sends lower case, but accepts nothing else either; other programs send it.
        if case.id == "drop-lowercase-letter" {
            assert!(result.is_ok());
            continue;
        }
        let error = result.unwrap_err();
        let syntax = matches!(error, UciError::Syntax { .. });
        let badly_written = matches!(case.reason.as_str(), "syntax" | "bad-piece")
            || case.uci.ends_with(['k', 'p']);
        assert_eq!(syntax, badly_written, "{}: {error}", case.id);
    }
}

#[test]
fn every_game_replays_with_its_texts_repetitions_and_end() {
    for row in game_rows() {
        let id = &row.id;
        let start = parse(&row.start_fen).unwrap();
        let mut game = Game::from_position(start);
        let mut fics = Game::with_rule(start, Rule::Fics);
        let mut counts = Vec::new();
        for (ply, (uci, san)) in row.moves_uci.iter().zip(&row.moves_san).enumerate() {
            let position = *game.position();
            assert_eq!(game.outcome(), None, "{id} ply {ply}");
            assert_laws(&position);
            let m = position
                .parse_uci(uci)
                .unwrap_or_else(|e| panic!("{id} ply {ply}: {e}"));
            assert_eq!(
                &position.uci(m, CastlingStyle::KingTakesRook),
                uci,
                "{id} ply {ply}"
            );
            // The data write a pawn's drop as other libraries do in places.
            let san = if san.starts_with('@') {
                format!("P{san}")
            } else {
                san.clone()
            };
            assert_eq!(position.san(m), san, "{id} ply {ply}");
            assert_eq!(position.parse_san(&san), Ok(m), "{id} ply {ply}");
            game.push(m).unwrap();
            fics.push(m).unwrap();
            counts.push(game.repetitions());
            if let Some(fen) = row.fens.get(&(ply + 1)) {
                assert_eq!(&bracket(game.position()), fen, "{id} ply {ply}");
            }
        }
        let end = game.position();
        assert_eq!(game.moves().len(), row.plies, "{id}");
        assert_eq!(bracket(end), row.final_fen, "{id}");
        assert_eq!(end.fen(FenStyle::Lichess), row.final_fen_lichess, "{id}");
        assert_eq!(end.is_check(), row.final_check, "{id}");
        assert_eq!(end.legal_count(), row.final_legal_moves, "{id}");
        let status = match game.outcome() {
            Some(Outcome::Checkmate { .. }) => "mate",
            Some(Outcome::Stalemate) => "stalemate",
            Some(Outcome::FivefoldRepetition) => "draw-fivefold",
            None => "ongoing",
        };
        assert_eq!(status, row.status, "{id}");
        let winner = game
            .outcome()
            .and_then(Outcome::winner)
            .map(|color| color.to_string());
        assert_eq!(winner, row.winner, "{id}");

        let first = |n| {
            counts
                .iter()
                .position(|&count| count == n)
                .map(|ply| ply + 1)
        };
        assert_eq!(game.repetitions(), row.repetition.final_count, "{id}");
        assert_eq!(counts.iter().max(), Some(&row.repetition.max_count), "{id}");
        assert_eq!(first(3), row.repetition.first_threefold_ply, "{id}");
        assert_eq!(first(5), row.repetition.first_fivefold_ply, "{id}");
        let by_drop = first(3).map(|ply| game.moves()[ply - 1].is_drop());
        assert_eq!(by_drop, row.repetition.first_threefold_by_drop, "{id}");
        assert_eq!(fics.repetitions(), row.repetition.final_count_fics, "{id}");

        let result = game
            .outcome()
            .map(pgn::GameResult::from_outcome)
            .unwrap_or_default();
        let text = pgn::write(&pgn::Tags::new(), &game, &[], result);
        let read = pgn::read(&text).unwrap();
        assert_eq!((read.len(), read[0].result), (1, result), "{id}");
        assert_eq!(read[0].game.moves(), game.moves(), "{id}");
    }
}

#[test]
fn every_repetition_sequence_counts_by_both_rules_and_backwards() {
    let data: Sequences = serde_json::from_str(REPETITION).unwrap();
    for row in data.sequences {
        let id = &row.id;
        let start = parse(&row.start_fen).unwrap();
        for (rule, expected, threefold) in [
            (Rule::Lichess, &row.count_per_ply, row.first_threefold_ply),
            (
                Rule::Fics,
                &row.fics_count_per_ply,
                row.fics_first_threefold_ply,
            ),
        ] {
            let mut game = Game::with_rule(start, rule);
            let mut alone = Repetition::new(rule);
            alone.push(&start, false);
            let mut counts = Vec::new();
            for uci in &row.moves_uci {
                let before = *game.position();
                let m = before.parse_uci(uci).unwrap();
                game.push(m).unwrap();
                alone.push(game.position(), alone.cuts(&before, m));
                assert_eq!(alone.count(), game.repetitions(), "{id}");
                counts.push(game.repetitions());
            }
            assert_eq!(&counts, expected, "{id} {rule:?}");
            let first = |n| {
                counts
                    .iter()
                    .position(|&count| count == n)
                    .map(|ply| ply + 1)
            };
            assert_eq!(first(3), threefold, "{id} {rule:?}");
            if rule == Rule::Lichess {
                assert_eq!(first(5), row.first_fivefold_ply, "{id}");
            }
            assert_eq!(bracket(game.position()), row.final_fen, "{id}");
            for &count in counts.iter().rev() {
                assert_eq!(game.repetitions(), count, "{id} {rule:?}");
                game.pop();
            }
        }
    }
}
