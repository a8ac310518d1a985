//! `pocketknight analyse`: positions and games, as text and as JSON.

use crate::program::{Finished, Program};
use serde_json::Value;

/// White mates with the rook in hand.
const MATE: &str = "6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1";
/// The same for Black.
const MATE_BY_BLACK: &str = "4k3/8/8/8/8/8/5PPP/6K1[r] b - - 0 1";

fn analyse(args: &[&str]) -> Finished {
    let mut all = vec!["analyse"];
    all.extend(args);
    Program::new(&all).finish()
}

fn json(out: &Finished) -> Vec<Value> {
    assert_eq!(out.code, Some(0), "{out:?}");
    let lines = out.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn position_is_told_in_lines_for_people() {
    let out = analyse(&["--fen", MATE, "--depth", "3", "--board"]);
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.contains("  8 . . . . . . k .  []\n"), "{out:?}");
    assert!(out.stdout.contains(&format!("\n{MATE}\n")), "{out:?}");
    let line = out.stdout.lines().last().unwrap();
    assert!(line.contains("mate 1     100.0 %  1. R@"), "{line}");
    assert_eq!(out.stderr, "", "progress is for terminals");

    let out = analyse(&["--fen", MATE_BY_BLACK, "--depth", "3"]);
    let line = out.stdout.lines().last().unwrap();
    assert!(line.contains("mate -1       0.0 %  1... R@"), "{line}");
}

#[test]
fn position_is_told_as_one_object() {
    let found = json(&analyse(&[
        "--fen",
        MATE_BY_BLACK,
        "--depth",
        "3",
        "--json",
    ]));
    assert_eq!(found.len(), 1);
    let best = &found[0]["lines"][0];
    assert_eq!(found[0]["fen"], MATE_BY_BLACK);
    assert_eq!(
        (&best["mate"], &best["cp"]),
        (&Value::from(-1), &Value::Null)
    );
    assert_eq!(best["wdl"], serde_json::json!([0, 0, 1000]));
    assert!(best["uci"][0].as_str().unwrap().starts_with("R@"), "{best}");

    let found = json(&analyse(&[
        "--depth",
        "2",
        "--multipv",
        "3",
        "--json",
        "--variant",
        "loop",
    ]));
    assert_eq!(found[0]["variant"], "loop");
    assert_eq!(found[0]["depth"], 2);
    let lines = found[0]["lines"].as_array().unwrap();
    let scores: Vec<i64> = lines
        .iter()
        .map(|line| line["cp"].as_i64().unwrap())
        .collect();
    assert!(
        scores.len() == 3 && scores.is_sorted_by(|a, b| a >= b),
        "{scores:?}"
    );
}

#[test]
fn finished_game_needs_no_search() {
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR[] w KQkq - 1 3";
    let out = analyse(&["--fen", mated]);
    assert_eq!(
        (out.code, out.stdout.as_str()),
        (Some(0), "the game is over: checkmate\n")
    );
    let found = json(&analyse(&["--fen", mated, "--json"]));
    assert_eq!(found[0]["outcome"], "checkmate");
    assert_eq!(found[0]["lines"], serde_json::json!([]));
}

const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
                     [White \"Bob\"]\n[Black \"Ann\"]\n\n1. e4 *\n";

#[test]
fn every_move_of_a_game_is_judged() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("games.pgn"), GAMES).unwrap();
    let run = |more: &[&str]| {
        let mut args = vec!["analyse", "--pgn", "games.pgn", "--depth", "3"];
        args.extend(more);
        Program::new(&args).dir(dir.path()).finish()
    };
    let out = run(&[]);
    assert_eq!(out.code, Some(0), "{out:?}");
    let row = |start: &str| {
        let line = out
            .stdout
            .lines()
            .find(|line| line.trim().starts_with(start));
        line.unwrap_or_else(|| panic!("no {start}: {}", out.stdout))
            .to_owned()
    };
    assert!(
        out.stdout.starts_with("game 1 of 2: Ann - Bob, 0-1\n"),
        "{out:?}"
    );
    assert!(
        out.stdout.contains("\ngame 2 of 2: Bob - Ann, *\n"),
        "{out:?}"
    );
    let bad = row("2. g4");
    assert!(
        bad.contains("mate -1") && bad.contains("  blunder; "),
        "{bad}"
    );
    let mate = row("2... Qh4#");
    assert!(
        mate.contains("mated       0.0 %") && !mate.contains(';'),
        "{mate}"
    );
    // The first move may be called bad too; the blunder and the two moves without fault are certain.
    let numbers = |side| -> Vec<u32> {
        let row = row(side);
        let words = row.split_whitespace().skip(1).take(4);
        words.map(|word| word.parse().unwrap()).collect()
    };
    let white = numbers("White  ");
    assert!(white[0] == 2 && white[3] >= 1, "{white:?}");
    assert_eq!(numbers("Black  "), [2, 0, 0, 0]);

    let found = json(&run(&["--json"]));
    assert_eq!(found.len(), 4 + 1 + 1 + 1);
    assert_eq!(found[2]["san"], "g4");
    assert_eq!(found[2]["judgement"], "blunder");
    assert_eq!(found[2]["after"]["mate"], -1);
    assert!(found[2]["loss"].as_f64().unwrap() > 0.3);
    assert_eq!(found[3]["uci"], "d8h4");
    assert_eq!(found[3]["judgement"], Value::Null);
    assert_ne!(found[4]["summary"]["white"]["blunders"], 0);
    assert_eq!(found[4]["summary"]["black"]["blunders"], 0);
    assert_eq!(found[6]["game"], 2);

    let found = json(&run(&["--json", "--multipv", "3"]));
    let lines = found[3]["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0]["san"][0], "Qh4#");
    assert_eq!(found[3]["best_uci"], lines[0]["uci"]);
    let out = run(&["--multipv", "2"]);
    let rows: Vec<&str> = out.stdout.lines().collect();
    let mate = rows.iter().position(|row| row.contains("Qh4#  ")).unwrap();
    assert!(rows[mate + 1].contains("2... Qh4#"), "{rows:?}");
    assert!(rows[mate + 2].contains("2... "), "{rows:?}");
}

#[test]
fn wrong_usage_names_file_line_and_move() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("bad.pgn", "[White \"Ann\"]\n\n1. e4 e5\n2. Ke3 *\n");
    write("empty.pgn", "");
    for (args, parts) in [
        (
            "--pgn bad.pgn",
            &["--pgn bad.pgn", "game 1, line 4", "Ke3"] as &[&str],
        ),
        ("--pgn empty.pgn", &["empty.pgn", "no game"]),
        ("--pgn none.pgn", &["none.pgn"]),
        ("--pgn .", &["not a file"]),
        ("--pgn bad.pgn --fen x", &["--fen"]),
        ("--fen 8/8", &["--fen \"8/8\""]),
        ("--time 0", &["--time"]),
        ("--nodes 0", &["--nodes"]),
        ("--eval-file bad.pgn", &["--eval-file", "bad.pgn"]),
    ] {
        let args: Vec<&str> = ["analyse"].into_iter().chain(args.split(' ')).collect();
        let out = Program::new(&args).dir(dir.path()).finish();
        assert_eq!(
            (out.code, out.stdout.as_str()),
            (Some(2), ""),
            "{args:?}: {out:?}"
        );
        for part in parts {
            assert!(out.stderr.contains(part), "{part:?}: {out:?}");
        }
    }
}
