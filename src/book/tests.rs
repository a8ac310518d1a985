use super::*;
use crate::rules::pgn::GameResult;
use crate::rules::{Game, Position, Square, Variant};

fn game(moves: &str) -> Game {
    let mut game = Game::new(Variant::Crazyhouse);
    for text in moves.split_whitespace() {
        game.push_uci(text).unwrap();
    }
    game
}

fn input(moves: &str, result: GameResult) -> InputGame {
    let game = game(moves);
    InputGame {
        start: *game.start(),
        moves: game.moves().to_vec(),
        result,
        ratings: [Some(1800), Some(1900)],
        named_variant: true,
    }
}

fn built(options: BuildOptions, games: &[(&str, GameResult)]) -> Book {
    let mut builder = Builder::new(options);
    for (moves, result) in games {
        builder.add(&input(moves, *result)).unwrap();
    }
    builder.finish()
}

/// Options that take every move in.
fn all() -> BuildOptions {
    BuildOptions {
        min_count: 1,
        ..BuildOptions::default()
    }
}

const WHITE: GameResult = GameResult::WhiteWins;
const BLACK: GameResult = GameResult::BlackWins;
const DRAW: GameResult = GameResult::Draw;

fn three_games() -> Book {
    built(
        all(),
        &[
            ("e2e4 e7e5 g1f3", WHITE),
            ("e2e4 c7c5", DRAW),
            ("d2d4 d7d5", BLACK),
        ],
    )
}

fn shown(moves: &[BookMove]) -> Vec<String> {
    moves
        .iter()
        .map(|m| format!("{} +{} ={} -{}", m.mv, m.wins, m.draws, m.losses))
        .collect()
}

#[test]
fn moves_are_counted_for_the_side_that_plays_them() {
    let book = three_games();
    assert_eq!((book.games(), book.positions(), book.len()), (3, 4, 6));
    let start: Vec<_> = book.moves(key(game("").position())).collect();
    assert_eq!(shown(&start), ["e2e4 +1 =1 -0", "d2d4 +0 =0 -1"]);
    let after_e4: Vec<_> = book.moves(key(game("e2e4").position())).collect();
    assert_eq!(shown(&after_e4), ["c7c5 +0 =1 -0", "e7e5 +0 =0 -1"]);
    assert_eq!(book.moves(key(game("a2a3").position())).count(), 0);
}

#[test]
fn a_file_is_read_back_as_it_was_written() {
    let book = three_games();
    let again = Book::from_bytes(&book.to_bytes()).unwrap();
    assert_eq!(again.to_bytes(), book.to_bytes());
    assert_eq!(
        (again.games(), again.positions(), again.max_ply()),
        (3, 4, 3)
    );
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("own.book");
    save(&book, &path).unwrap();
    assert_eq!(load(&path).unwrap().to_bytes(), book.to_bytes());
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
}

/// Books made by earlier programs must stay readable: these numbers must never change.
#[test]
fn keys_and_bytes_of_the_format_are_fixed() {
    let start = key(&Position::start(Variant::Crazyhouse));
    assert_eq!(format!("{start:016x}"), "84d75be3cff43976");
    let fen = "r2qk3/8/8/3pP3/8/8/8/4K2R[QPnp] w Kq d6 0 1";
    let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
    assert_eq!(format!("{:016x}", key(&position)), "0bcfbe89579cd76b");
    let book = built(all(), &[("e2e4 d7d5 e4d5", WHITE)]);
    let sum = crc32fast::hash(&book.to_bytes());
    assert_eq!(format!("{sum:08x}"), "7d2bed51");
}

#[test]
fn keys_know_everything_of_a_position_but_its_counters() {
    let base = "4k3/8/8/8/8/8/8/R3K2Q[P] w Q - 0 1";
    let key_of = |fen: &str, variant| key(&Position::from_fen(fen, variant).unwrap());
    let known = key_of(base, Variant::Crazyhouse);
    assert_eq!(
        known,
        key_of("4k3/8/8/8/8/8/8/R3K2Q[P] w Q - 9 30", Variant::Crazyhouse)
    );
    for other in [
        "4k3/8/8/8/8/8/8/R3K2Q[p] w Q - 0 1",
        "4k3/8/8/8/8/8/8/R3K2Q[PP] w Q - 0 1",
        "4k3/8/8/8/8/8/8/R3K2Q~[P] w Q - 0 1",
        "4k3/8/8/8/8/8/8/R3K2Q[P] w - - 0 1",
        "4k3/8/8/8/8/8/8/R3K1Q1[P] w Q - 0 1",
    ] {
        assert_ne!(known, key_of(other, Variant::Crazyhouse), "{other}");
    }
    assert_ne!(known, key_of(base, Variant::Loop));
}

#[test]
fn damaged_files_are_refused_with_one_message() {
    let bytes = three_games().to_bytes();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        let flaw = Book::from_bytes(&damaged).unwrap_err().to_string();
        assert!(!flaw.contains('\n') && !flaw.is_empty(), "{at}: {flaw}");
        assert!(Book::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(
        Book::from_bytes(&longer),
        Err(Flaw::Size { expected: 164, .. })
    ));
    let mut newer = bytes;
    newer[8] = 2;
    assert_eq!(
        Book::from_bytes(&newer).unwrap_err(),
        Flaw::Version { found: 2 }
    );
    assert_eq!(Book::from_bytes(b"").unwrap_err(), Flaw::Empty);
}

#[test]
fn a_polyglot_book_is_told_from_other_foreign_files() {
    let mut polyglot = Vec::new();
    for entry in [3_u64, 3, 0x463b_9618_1691_fc9c] {
        polyglot.extend(entry.to_be_bytes());
        polyglot.extend([0x03, 0x1c, 0, 9, 0, 0, 0, 0]);
    }
    assert_eq!(Book::from_bytes(&polyglot).unwrap_err(), Flaw::Polyglot);
    let text = Flaw::Polyglot.to_string();
    assert!(text.contains("book build"), "{text}");
    for foreign in [
        &b"[Event \"x\"]\n1. e4 *"[..],
        b"0123456789abcdef",
        &[0xff; 50],
    ] {
        assert_eq!(Book::from_bytes(foreign).unwrap_err(), Flaw::Foreign);
    }
}

#[test]
fn missing_and_strange_files_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none.book");
    let text = load(&missing).unwrap_err().to_string();
    assert!(text.contains("none.book"), "{text}");
    let text = load(dir.path()).unwrap_err().to_string();
    assert!(text.contains("not a file"), "{text}");
}

#[test]
fn builder_leaves_out_what_the_options_exclude() {
    let games = [
        ("e2e4 e7e5", WHITE),
        ("e2e4 e7e5", WHITE),
        ("e2e4 e7e5", WHITE),
        ("d2d4", BLACK),
        ("d2d4", BLACK),
        ("c2c4", WHITE),
    ];
    let start = |book: &Book| {
        let moves = book.moves(key(game("").position()));
        moves.map(|m| m.mv.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(start(&built(all(), &games)), ["e2e4", "c2c4", "d2d4"]);
    let min_count = BuildOptions {
        min_count: 2,
        ..all()
    };
    assert_eq!(start(&built(min_count, &games)), ["e2e4", "d2d4"]);
    let margin = BuildOptions {
        margin: 0.1,
        ..all()
    };
    // One win says little: the prior keeps it near the three of the best move.
    assert_eq!(start(&built(margin, &games)), ["e2e4", "c2c4"]);
    let short = BuildOptions {
        max_ply: 1,
        ..all()
    };
    assert_eq!(built(short, &games).positions(), 1);
}

#[test]
fn builder_tells_which_games_it_leaves_out() {
    let mut builder = Builder::new(BuildOptions {
        min_rating: 1850,
        ..all()
    });
    let rated = input("e2e4", WHITE);
    assert_eq!(builder.add(&rated).unwrap(), Some(Skipped::Rating));
    let strong = InputGame {
        ratings: [Some(1850), Some(2000)],
        ..rated.clone()
    };
    assert_eq!(builder.add(&strong).unwrap(), None);
    let unfinished = InputGame {
        result: GameResult::Unfinished,
        ..strong
    };
    assert_eq!(builder.add(&unfinished).unwrap(), Some(Skipped::Unfinished));
    let unrated = InputGame {
        ratings: [None, Some(2000)],
        ..rated
    };
    assert_eq!(builder.add(&unrated).unwrap(), Some(Skipped::Rating));
    assert_eq!(builder.finish().games(), 1);
}

#[test]
fn choice_follows_weights_depth_and_count() {
    let book = built(
        all(),
        &[
            ("e2e4", WHITE),
            ("e2e4", WHITE),
            ("e2e4", WHITE),
            ("d2d4", WHITE),
            ("c2c4", BLACK),
        ],
    );
    let start = game("");
    let chosen = |selection, random| {
        let choice = Choice {
            selection,
            ..Choice::default()
        };
        let found = book.choose(&start, &choice, random).unwrap();
        found.mv.to_string()
    };
    // Weights 6 and 2; the move that always lost has none.
    let lots: Vec<u64> = (0..8).map(|i| (u64::MAX / 8) * i + u64::MAX / 16).collect();
    let count = |selection, mv| {
        let played = lots.iter().filter(|&&lot| chosen(selection, lot) == mv);
        played.count()
    };
    assert_eq!(count(Selection::Weighted, "e2e4"), 6);
    assert_eq!(count(Selection::Weighted, "d2d4"), 2);
    assert_eq!(count(Selection::Uniform, "e2e4"), 4);
    assert_eq!(count(Selection::Best, "e2e4"), 8);
    assert_eq!(chosen(Selection::Weighted, u64::MAX), "d2d4");
    for (max_ply, min_count) in [(0, 1), (9, 4)] {
        let choice = Choice {
            max_ply,
            min_count,
            ..Choice::default()
        };
        assert_eq!(book.choose(&start, &choice, 0), None);
    }
    assert_eq!(book.choose(&game("a2a3"), &Choice::default(), 0), None);
}

#[test]
fn a_seed_always_draws_the_same_lot_in_a_position() {
    let (start, after) = (game(""), game("e2e4"));
    assert_eq!(roll(7, &start), roll(7, &game("")));
    assert_ne!(roll(7, &start), roll(8, &start));
    assert_ne!(roll(7, &start), roll(7, &after));
}

#[test]
fn no_third_repetition_and_nothing_illegal_comes_out_of_a_book() {
    let book = built(all(), &[("g1f3 g8f6 f3g1 f6g8", WHITE)]);
    let twice = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    let last = game(twice);
    // Black's way back would make the start position stand for the third time.
    let listed: Vec<_> = book.moves(key(last.position())).collect();
    assert_eq!(listed.len(), 1);
    assert_eq!(book.candidates(&last, 1), []);
    assert_eq!(book.candidates(&game("g1f3 g8f6"), 1).len(), 1);

    let mut foreign = book.to_bytes();
    let start = key(game("").position()).to_le_bytes();
    let at = foreign.windows(8).position(|bytes| bytes == start).unwrap();
    // e2e5 in the place of g1f3.
    let wrong = Move::normal(Square::new(12), Square::new(36))
        .to_bits()
        .to_le_bytes();
    foreign[at + 8..at + 10].copy_from_slice(&wrong);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&foreign[..28]);
    hasher.update(&foreign[32..]);
    foreign[28..32].copy_from_slice(&hasher.finalize().to_le_bytes());
    let foreign = Book::from_bytes(&foreign).unwrap();
    assert_eq!(foreign.moves(key(game("").position())).count(), 1);
    assert_eq!(foreign.choose(&game(""), &Choice::default(), 0), None);
}

fn read(text: &str) -> Vec<Result<InputGame, InputError>> {
    Games::new(text.as_bytes()).unwrap().collect()
}

#[test]
fn games_come_out_of_pgn_one_by_one() {
    let text = "\u{feff}\n[Event \"a\"]\n[Variant \"Crazyhouse\"]\n[WhiteElo \"2011?\"]\n[BlackElo \"1999\"]\n\n\
        1. e4 {[%clk 0:03:00]} d5 2. exd5 Qxd5\n3. Nc3 Qa5 4. P@d5 1-0\n\n\
        [Event \"b\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"c\"]\n\n1. d4 1/2-1/2\n";
    let games = read(text);
    assert_eq!(games.len(), 3);
    let first = games[0].as_ref().unwrap();
    assert_eq!(first.moves.len(), 7);
    assert_eq!(first.result, WHITE);
    assert_eq!(first.ratings, [Some(2011), Some(1999)]);
    assert!(first.named_variant);
    let error = games[1].as_ref().unwrap_err();
    assert!(error.to_string().starts_with("game 2: variant"), "{error}");
    let last = games[2].as_ref().unwrap();
    assert_eq!((last.moves.len(), last.result), (1, DRAW));
    assert!(!last.named_variant);
}

#[test]
fn games_without_tags_are_told_apart_by_their_results() {
    let games = read("1. e4 e5 1-0\n1. d4 d5 0-1\n\n1. c4 xyz *\n");
    assert_eq!(games.len(), 3);
    assert_eq!(games[1].as_ref().unwrap().result, BLACK);
    let error = games[2].as_ref().unwrap_err().to_string();
    assert!(error.starts_with("game 3: "), "{error}");
}

#[test]
fn games_come_out_of_json_lines_of_all_kinds() {
    let lines = [
        // Data of the tests.
        r#"{"start_fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1","moves_uci":["f2f3","e7e5"],"status":"mate","winner":"black"}"#,
        // Results of the bot.
        r#"{"id":"x","color":"black","own_rating":2000,"opponent_rating":1834,"status":"draw","winner":null,"verdict":"draw","moves":"e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 P@d5"}"#,
        // Lichess' export.
        r#"{"id":"y","variant":"crazyhouse","status":"resign","players":{"white":{"rating":1500},"black":{"rating":1600}},"winner":"white","moves":"e4 d5 exd5"}"#,
        "",
        r#"{"moves":"e2e4 e2e4"}"#,
        "nonsense",
        r#"{"variant":"atomic","moves":""}"#,
        r#"{"moves":"e2e4","status":"aborted","winner":null}"#,
    ];
    let games = read(&lines.join("\n"));
    assert_eq!(games.len(), 7);
    let game = |at: usize| games[at].as_ref().unwrap();
    assert_eq!((game(0).moves.len(), game(0).result), (2, BLACK));
    assert_eq!((game(1).moves.len(), game(1).result), (7, DRAW));
    assert_eq!(game(1).ratings, [Some(1834), Some(2000)]);
    assert_eq!((game(2).moves.len(), game(2).result), (3, WHITE));
    assert_eq!(game(2).ratings, [Some(1500), Some(1600)]);
    assert_eq!(game(6).result, GameResult::Unfinished);
    for (at, part) in [
        (3, "line 5: move \"e2e4\""),
        (4, "line 6"),
        (5, "line 7: variant"),
    ] {
        let error = games[at].as_ref().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_game_without_end_costs_only_itself() {
    let long = "x".repeat(3 << 20);
    let text = format!("[Event \"a\"]\n\n{long}\n\n[Event \"b\"]\n\n1. e4 1-0\n");
    let games = read(&text);
    assert!(matches!(games[0], Err(InputError::TooLong { game: 1 })));
    assert_eq!(games[1].as_ref().unwrap().moves.len(), 1);
    let text = format!("{{\"moves\":\"{long}\"}}\n{{\"moves\":\"e2e4\",\"winner\":\"white\"}}\n");
    let games = read(&text);
    assert!(games[0].is_err());
    assert_eq!(games[1].as_ref().unwrap().moves.len(), 1);
    assert_eq!(games.len(), 2);
}
