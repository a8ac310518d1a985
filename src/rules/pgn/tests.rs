use super::*;
use crate::rules::{FenStyle, Position};

fn play(start: Position, moves: &str) -> Game {
    let mut game = Game::from_position(start);
    for text in moves.split_whitespace() {
        let m = game.position().parse_san(text).unwrap();
        game.push(m).unwrap();
    }
    game
}

fn fen(game: &Game) -> String {
    game.position().fen(FenStyle::Bracket)
}

fn moves(game: &Game) -> Vec<String> {
    let moves = game.moves().iter().zip(game.positions());
    moves.map(|(&m, position)| position.san(m)).collect()
}

#[test]
fn a_finished_game_looks_like_an_export_of_lichess() {
    let game = play(
        Position::start(Variant::Crazyhouse),
        "e4 d5 exd5 Qxd5 P@e4 Qxe4+",
    );
    let mut tags = Tags::new();
    for (name, value) in [
        ("Termination", "Normal"),
        ("TimeControl", "180+2"),
        ("Annotator", "pocketknight"),
        ("Event", "Rated Crazyhouse game"),
        ("Site", "https://lichess.org/abcdefgh"),
        ("GameId", "abcdefgh"),
        ("Date", "2026.11.30"),
        ("UTCDate", "2026.11.30"),
        ("UTCTime", "16:05:09"),
        ("White", "Bot \"Quick\" \\ Co"),
        ("Black", "someone"),
        ("WhiteElo", "2100"),
        ("BlackElo", "1990"),
        ("WhiteTitle", "BOT"),
        ("Variant", "Standard"),
    ] {
        tags.set(name, value);
    }
    let notes = [
        Note {
            clock: Some(Duration::from_mins(3)),
            eval: Some(Eval::Cp(17)),
            text: String::new(),
        },
        Note::default(),
        Note {
            clock: Some(Duration::from_secs(3 * 3600 + 65)),
            eval: Some(Eval::Cp(-1205)),
            text: String::new(),
        },
        Note {
            clock: None,
            eval: Some(Eval::Mate(-3)),
            text: "from {book}\n[%line]".to_owned(),
        },
    ];
    let text = write(&tags, &game, &notes, GameResult::Draw);
    let expected = r#"[Event "Rated Crazyhouse game"]
[Site "https://lichess.org/abcdefgh"]
[Date "2026.11.30"]
[Round "-"]
[White "Bot \"Quick\" \\ Co"]
[Black "someone"]
[Result "1/2-1/2"]
[GameId "abcdefgh"]
[UTCDate "2026.11.30"]
[UTCTime "16:05:09"]
[WhiteElo "2100"]
[BlackElo "1990"]
[WhiteTitle "BOT"]
[Variant "Crazyhouse"]
[TimeControl "180+2"]
[Termination "Normal"]
[Annotator "pocketknight"]

1. e4 { [%eval 0.17] [%clk 0:03:00] } 1... d5 2. exd5 { [%eval -12.05] [%clk 3:01:05] } 2... Qxd5 { [%eval #-3] from (book) (%line) } 3. P@e4 Qxe4+ 1/2-1/2

"#;
    assert_eq!(text, expected);

    let games = read(&text).unwrap();
    assert_eq!(games.len(), 1);
    let back = &games[0];
    assert_eq!(fen(&back.game), fen(&game));
    assert_eq!(back.result, GameResult::Draw);
    assert_eq!(back.tags.get("white"), Some("Bot \"Quick\" \\ Co"));
    assert_eq!(back.notes[..3], notes[..3]);
    assert_eq!(back.notes[3].text, "from (book) (%line)");
    assert_eq!(
        write(&back.tags, &back.game, &back.notes, back.result),
        text
    );
}

#[test]
fn another_start_than_the_array_is_written_and_read_with_black_to_move() {
    let start = Position::from_fen("4k3/8/8/8/8/8/8/4K3[pN] b - - 3 30", Variant::Crazyhouse);
    let game = play(start.unwrap(), "P@d2+ Kxd2 Ke7");
    let text = write(&Tags::new(), &game, &[], GameResult::Unfinished);
    assert!(
        text.contains("[FEN \"4k3/8/8/8/8/8/8/4K3/Np b - - 3 30\"]\n[SetUp \"1\"]\n"),
        "{text}"
    );
    assert!(
        text.ends_with("\n\n30... P@d2+ 31. Kxd2 Ke7 *\n\n"),
        "{text}"
    );
    let back = &read(&text).unwrap()[0];
    assert_eq!((fen(&back.game), back.game.moves().len()), (fen(&game), 3));
}

#[test]
fn loop_and_chessgi_games_come_back_as_what_they_were() {
    for variant in Variant::ALL {
        let game = play(Position::start(variant), "e4 d5 exd5 Qxd5");
        let text = write(&Tags::new(), &game, &[], GameResult::Unfinished);
        assert_eq!(read(&text).unwrap()[0].game.position(), game.position());
    }
}

#[test]
fn comments_glyphs_variations_and_odd_spacing_are_read_over() {
    let text = "\u{feff}% escaped line\n[Event \"x\"] ; remark\n[Variant \"crazyHOUSE\"]\n\n\
        {before the game} 1.e4!? $1 (1. d4 {a ) in a comment} (1. c4 ; and ( here\n) d5) 1...d5 ?! \
        2 . exd5 { a } { [%clk 0:00:01.5] b [%emt 0:00:03] } Qxd5 e.p. 3.@e4 ; 4. Zz9\n\
        % 5. nonsense\nQxe4+ 0-1";
    let game = &read(text).unwrap()[0];
    assert_eq!(
        moves(&game.game),
        ["e4", "d5", "exd5", "Qxd5", "P@e4", "Qxe4+"]
    );
    assert_eq!(game.notes[2].text, "a b");
    assert_eq!(game.notes[2].clock, Some(Duration::from_millis(1500)));
    assert_eq!(game.result, GameResult::BlackWins);
}

#[test]
fn games_of_a_file_are_told_apart_even_without_results_or_empty_lines() {
    let text =
        "[White \"a\"]\n1. e4 e5\n[White \"b\"]\n[Result \"1-0\"]\n1. d4\n\n\n[White \"c\"] 0-1 *";
    let games = read(text).unwrap();
    let facts: Vec<_> = games
        .iter()
        .map(|g| (g.tags.get("White").unwrap(), g.game.moves().len(), g.result))
        .collect();
    assert_eq!(
        facts,
        [
            ("a", 2, GameResult::Unfinished),
            ("b", 1, GameResult::WhiteWins),
            ("c", 0, GameResult::BlackWins),
        ]
    );
    assert!(read(" \r\n").unwrap().is_empty());
}

#[test]
fn errors_name_game_and_line_and_the_next_game_is_still_found() {
    let text = "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. e4\n1... Ke5 2. d4 *\n\n\
        [Variant \"Atomic\"]\n1. e4 *\n[White d]\n[Black \"d\"]\n\n1. e4 *\n\n[White \"e\"]\n1. d4 *\n";
    let results: Vec<_> = games(text)
        .map(|game| match game {
            Ok(game) => game.tags.get("White").unwrap().to_owned(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(
        results,
        [
            "a",
            "pgn game 2, line 8: san move \"Ke5\" is not legal in this position",
            "pgn game 3, line 11: variant \"Atomic\", expected Crazyhouse, Loop or Chessgi",
            "pgn game 4, line 12: tag \"[White d]\", expected [Name \"value\"]",
            "e",
        ]
    );
    assert_eq!(read(text).unwrap_err().game, 2);
}

#[test]
fn what_is_never_closed_is_refused() {
    for (text, what) in [
        ("1. e4 { never", "comment"),
        ("1. e4 (1. d4 { } ((", "variation"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(error.kind, PgnErrorKind::Unclosed { what });
    }
    assert!(read("1. e4 ) e5").is_err());
    assert!(read("[White \"x]\n1. e4").is_err());
}

#[test]
fn clocks_and_evaluations_of_any_size_are_read_or_left_out() {
    let note =
        |comment: &str| read(&format!("1. e4 {{ {comment} }} *")).unwrap()[0].notes[0].clone();
    assert_eq!(note("[%eval 1.5,24]").eval, Some(Eval::Cp(150)));
    assert_eq!(note("[%eval #12]").eval, Some(Eval::Mate(12)));
    assert_eq!(note("[%eval 1e300]").eval, Some(Eval::Cp(i32::MAX)));
    assert_eq!(note("[%clk 1:00:00]").clock, Some(Duration::from_hours(1)));
    for nonsense in [
        "[%eval NaN]",
        "[%eval]",
        "[%clk 1:2]",
        "[%clk 99999999:00:00]",
        "[%clk 0:0:0.é]",
        "[%clk",
    ] {
        assert!(note(nonsense).is_empty(), "{nonsense}");
    }
}
