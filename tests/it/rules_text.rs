//! Texts come back as what they were, and no text does harm.

use crate::rules_laws::assert_laws;
use crate::rules_walk::{choose, legal_moves, position, walks};
use pocketknight::rules::{
    CastlingStyle, FenStyle, Game, Position, START_FEN, Setup, Variant, pgn, run_suite,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

const STYLES: [FenStyle; 4] = [
    FenStyle::Bracket,
    FenStyle::Lichess,
    FenStyle::ChessCom,
    FenStyle::XBoard,
];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Plays the walk; in chessgi and loop the same choices lead to other games.
fn game(start: &str, variant: Variant, choices: &[u16]) -> Game {
    let mut game = Game::from_position(position(start, variant));
    for &choice in choices {
        let Some(m) = choose(game.position(), choice) else {
            break;
        };
        game.push(m).unwrap();
    }
    game
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn positions_come_back_from_every_form_of_fen(
        (start, choices) in walks(120),
        variant in prop::sample::select(&Variant::ALL[..]),
    ) {
        for position in game(start, variant, &choices).positions() {
            for style in STYLES {
                let fen = position.fen(style);
                let back = Position::from_fen(&fen, variant);
                prop_assert_eq!(back.as_ref(), Ok(position), "{}", fen);
                prop_assert_eq!(Setup::parse_fen(&fen, variant), Ok(position.to_setup()), "{}", fen);
            }
        }
    }

    #[test]
    fn every_legal_move_has_its_own_texts_and_comes_back_from_them(
        (start, choices) in walks(60),
        variant in prop::sample::select(&Variant::ALL[..]),
    ) {
        for position in game(start, variant, &choices).positions() {
            assert_laws(position);
            let legal = legal_moves(position);
            let mut texts = BTreeSet::new();
            for &m in &legal {
                for style in [CastlingStyle::KingTakesRook, CastlingStyle::TwoSquares] {
                    let uci = position.uci(m, style);
                    prop_assert_eq!(position.parse_uci(&uci), Ok(m), "{} in {:?}", uci, position);
                    let lower = uci.to_ascii_lowercase();
                    prop_assert_eq!(position.parse_uci(&lower), Ok(m), "{}", lower);
                }
                let san = position.san(m);
                prop_assert_eq!(position.parse_san(&san), Ok(m), "{} in {:?}", san, position);
                texts.insert(san);
            }
            prop_assert_eq!(texts.len(), legal.len());
        }
    }

    #[test]
    fn games_come_back_from_pgn_with_their_notes(
        (start, choices) in walks(120),
        variant in prop::sample::select(&Variant::ALL[..]),
        name in "\\PC{0,20}",
        words in "[a-z\\[\\]{}%\"é ]{0,20}",
    ) {
        let game = game(start, variant, &choices);
        let notes: Vec<_> = choices[..game.moves().len()]
            .iter()
            .map(|&n| pgn::Note {
                clock: (n % 3 != 0).then(|| Duration::from_secs(u64::from(n))),
                eval: match n % 4 {
                    0 => Some(pgn::Eval::Mate(i32::from(n) - 30_000)),
                    1 => Some(pgn::Eval::Cp(i32::from(n) - 30_000)),
                    _ => None,
                },
                text: if n % 5 == 0 { words.clone() } else { String::new() },
            })
            .collect();
        let mut tags = pgn::Tags::new();
        tags.set("White", name.clone());
        let text = pgn::write(&tags, &game, &notes, pgn::GameResult::BlackWins);
        let games = pgn::read(&(text.clone() + &text)).unwrap();
        prop_assert_eq!(games.len(), 2);
        for read in games {
            prop_assert_eq!(read.tags.get("White"), Some(name.as_str()));
            prop_assert_eq!(read.game.moves(), game.moves());
            prop_assert_eq!(read.game.position(), game.position());
            prop_assert_eq!(read.game.repetitions(), game.repetitions());
            for (note, written) in read.notes.iter().zip(&notes) {
                prop_assert_eq!((note.clock, note.eval), (written.clock, written.eval));
            }
            prop_assert_eq!(pgn::write(&read.tags, &read.game, &read.notes, read.result), text.clone());
        }
    }
}

/// Hands the text to every reader, in the start position where one is needed.
fn read_everywhere(text: &str) {
    for variant in Variant::ALL {
        if let Ok(position) = Position::from_fen(text, variant) {
            assert_laws(&position);
            for style in STYLES {
                let back = Position::from_fen(&position.fen(style), variant);
                assert_eq!(back, Ok(position), "{text}");
            }
        }
    }
    let start = Position::start(Variant::Crazyhouse);
    if let Ok(m) = start.parse_uci(text) {
        assert!(start.is_legal(m));
    }
    if let Ok(m) = start.parse_san(text) {
        assert!(start.is_legal(m));
    }
    let errors = pgn::games(text).filter_map(Result::err);
    assert!(
        errors
            .map(|error| error.to_string().len())
            .all(|length| length < 400)
    );
    run_suite(text, Some(1000), &mut |_| {}).ok();
}

/// `text` with some characters replaced, put in or taken out.
fn damaged(text: &str, damage: &[(usize, char, u8)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for &(at, c, kind) in damage {
        let at = at % (chars.len() + 1);
        match kind % 3 {
            0 => chars.insert(at, c),
            1 if at < chars.len() => chars[at] = c,
            _ if at < chars.len() => drop(chars.remove(at)),
            _ => {}
        }
    }
    chars.into_iter().collect()
}

fn damage() -> impl Strategy<Value = Vec<(usize, char, u8)>> {
    let letters = "pnbrqkPNBRQK~/[]-12345678wabcdefgh _@+#=xO({})$;%.\n\"\\é\0";
    let letters: Vec<char> = letters.chars().collect();
    prop::collection::vec(
        (any::<usize>(), prop::sample::select(letters), any::<u8>()),
        1..6,
    )
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn arbitrary_text_is_refused_without_harm(text in "\\PC{0,80}") {
        read_everywhere(&text);
    }

    #[test]
    fn damaged_positions_are_read_right_or_refused(
        fen in prop::sample::select(&crate::rules_walk::STARTS[..]),
        damage in damage(),
    ) {
        read_everywhere(&damaged(fen, &damage));
    }

    #[test]
    fn damaged_moves_and_games_are_read_right_or_refused(
        text in prop::sample::select(&[
            "P@e4", "e2e4", "Ng1-f3+!?", "O-O-O#", "exd8=Q",
            "[Event \"a\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 { [%clk 0:01:00] } (1. d4) 1... d5 $1 *\n\n\
             [White \"b\"]\n\n1. d4 ; x\n1-0\n",
        ][..]),
        damage in damage(),
    ) {
        read_everywhere(&damaged(text, &damage));
    }
}

#[test]
fn a_megabyte_of_anything_is_read_in_passing() {
    let mut random = fastrand::Rng::with_seed(1);
    let noise: String = (0..1 << 20).map(|_| random.char('\0'..'\u{ff}')).collect();
    read_everywhere(&noise);
    for piece in [
        " ",
        "8/",
        "p",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "{}",
        "()",
        "(;\n)",
        "*",
        "* ",
        "1-0 ",
        "e4 ",
        "1. ",
        "$1",
        ";\n",
        "%\n",
        "\"",
        "\\",
        "P@",
        "@e4",
        "O-",
        "[a \"\"]",
        "[a \"\"]*",
        "[a]\n",
        "[a \"\"]\n\ne5\n",
        "[White \"",
        "{ [%clk ",
        "1. Nf3 Nf6 2. Ng1 Ng8 ",
        "é",
        "\0",
        "-",
        "1",
        "[\"positions\", ",
        "{\"positions\":",
    ] {
        read_everywhere(&piece.repeat((1 << 20) / piece.len()));
    }
    let hand = format!("4k3/8/8/8/8/8/8/4K3[{}] w - - 0 1", "P".repeat(1 << 20));
    read_everywhere(&hand);
    let comment = format!("1. e4 {{ {} }} *", "[%clk 0:00:01] a ".repeat(1 << 16));
    assert_eq!(
        pgn::read(&comment).unwrap()[0].notes[0].clock,
        Some(Duration::from_secs(1))
    );
    read_everywhere(&format!("{START_FEN}{}", " ".repeat(1 << 20)));
}
