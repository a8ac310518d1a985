//! Command `book`, and books in the program.

use crate::program::{Finished, Program};
use std::path::Path;

const PGN: &str = "[Event \"a\"]\n[Variant \"Crazyhouse\"]\n[WhiteElo \"2100\"]\n[BlackElo \"2000\"]\n[Result \"1-0\"]\n\n\
    1. a4 h5 2. b3 1-0\n\n\
    [Event \"b\"]\n[Variant \"Crazyhouse\"]\n[WhiteElo \"1500\"]\n[BlackElo \"2000\"]\n\n1. d4 d5 0-1\n\n\
    [Event \"c\"]\n[Variant \"Antichess\"]\n\n1. e3 *\n\n\
    [Event \"d\"]\n[Variant \"Crazyhouse\"]\n\n1. a4 *\n";

const RESULTS: &str = r#"{"id":"x","color":"white","own_rating":2000,"opponent_rating":1900,"status":"draw","winner":null,"verdict":"draw","moves":"a2a4 e7e5"}
"#;

fn run(dir: &Path, args: &[&str]) -> Finished {
    Program::new(args).dir(dir).finish()
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("games.pgn"), PGN).unwrap();
    std::fs::write(dir.path().join("results.jsonl"), RESULTS).unwrap();
    dir
}

#[test]
fn a_book_is_built_looked_into_and_played_over_uci() {
    let folder = folder();
    let dir = folder.path();
    let build = [
        "book",
        "build",
        "games.pgn",
        "results.jsonl",
        "--min-count",
        "1",
        "-o",
        "own.book",
    ];
    let out = run(dir, &build);
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(
        out.stderr
            .contains("2 games taken, 1 without a result, 1 not understood"),
        "{out:?}"
    );
    assert!(
        out.stderr.contains("game 3: variant \"Antichess\""),
        "{out:?}"
    );
    let info = run(dir, &["book", "info", "own.book"]);
    assert_eq!(info.stdout, out.stdout);
    assert!(info.stdout.contains("games       3\n"), "{info:?}");

    let show = run(dir, &["book", "show", "own.book"]);
    let lines: Vec<Vec<&str>> = show
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    // One win and one draw of White; the other move lost its only game.
    let a4 = [
        "a4", "a2a4", "2", "66.7", "50.0", "50.0", "0.0", "75.0%", "100.0%",
    ];
    assert_eq!(lines[1], a4, "{show:?}");
    let d4 = [
        "d4", "d2d4", "1", "33.3", "0.0", "0.0", "100.0", "0.0%", "0.0%",
    ];
    assert_eq!(lines[2], d4, "{show:?}");
    let show = run(dir, &["book", "show", "own.book", "--moves", "a4 h7h5"]);
    assert!(show.stdout.contains("b3       b2b3"), "{show:?}");
    let show = run(dir, &["book", "show", "own.book", "--moves", "h4"]);
    assert_eq!(show.code, Some(1), "{show:?}");
    let fen = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR[] w KQkq - 0 2";
    let show = run(dir, &["book", "show", "own.book", "--fen", fen]);
    assert!(show.stderr.contains("no move of this position"), "{show:?}");

    let talk =
        "setoption name BookFile value own.book\nsetoption name OwnBook value true\ngo depth 1\n";
    let out = Program::new(&["uci"]).dir(dir).stdin(talk).finish();
    assert!(out.stdout.contains("bestmove a2a4"), "{out:?}");
}

#[test]
fn ratings_and_counts_keep_games_out() {
    let folder = folder();
    let dir = folder.path();
    let out = run(
        dir,
        &[
            "book",
            "build",
            "games.pgn",
            "--min-rating",
            "2000",
            "--min-count",
            "1",
            "-o",
            "x",
        ],
    );
    assert!(
        out.stderr
            .contains("1 games taken, 1 without a result, 1 below --min-rating"),
        "{out:?}"
    );
    let out = run(dir, &["book", "build", "games.pgn", "-o", "y"]);
    assert_eq!(out.code, Some(1), "{out:?}");
    assert!(out.stderr.contains("smaller --min-count"), "{out:?}");
    assert!(!dir.join("y").exists());
}

#[test]
fn a_book_is_made_of_the_games_of_datagen() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let datagen = [
        "datagen", "--games", "3", "--nodes", "10", "--seed", "1", "--out", "selfplay",
    ];
    let out = run(dir, &datagen);
    assert_eq!(out.code, Some(0), "{out:?}");
    let out = run(
        dir,
        &[
            "book",
            "build",
            "selfplay",
            "--min-count",
            "1",
            "-o",
            "own.book",
        ],
    );
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.contains("games       3\n"), "{out:?}");
}

#[test]
fn files_that_are_no_books_are_refused_with_the_reason() {
    let folder = folder();
    let dir = folder.path();
    let mut polyglot = Vec::new();
    for key in [5_u64, 7, u64::MAX] {
        polyglot.extend(key.to_be_bytes());
        polyglot.extend([0x03, 0x1c, 0, 9, 0, 0, 0, 0]);
    }
    std::fs::write(dir.join("chess.bin"), polyglot).unwrap();
    for (file, part) in [
        ("chess.bin", "Polyglot"),
        ("games.pgn", "no book of this program"),
        ("missing", "cannot read book missing"),
        (".", "not a file"),
    ] {
        let out = run(dir, &["book", "info", file]);
        assert_eq!(out.code, Some(2), "{out:?}");
        assert!(out.stderr.contains(part), "{out:?}");
    }
    // The bot does not go online with a book that it cannot use.
    let out = Program::new(&["sandbox", "--games", "1"])
        .env("POCKETKNIGHT__BOOK__PATH", "chess.bin")
        .dir(dir)
        .finish();
    assert_eq!(out.code, Some(2), "{out:?}");
    assert!(
        out.stderr.contains("book.path") && out.stderr.contains("Polyglot"),
        "{out:?}"
    );
}
