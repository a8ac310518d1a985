//! Command line: exit codes and products of the text commands.

use crate::program::Program;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";

#[test]
fn help_and_version_are_printed_with_code_0() {
    let out = Program::new(&["--help"]).finish();
    assert_eq!(out.code, Some(0));
    for command in [
        "run", "upgrade", "doctor", "sandbox", "uci", "xboard", "analyse", "bench", "perft",
        "datagen", "data", "book", "duel", "network", "train", "config",
    ] {
        assert!(
            out.stdout.contains(&format!("\n  {command} ")),
            "{command}: {}",
            out.stdout
        );
    }
    let out = Program::new(&["--version"]).finish();
    assert_eq!(
        out.stdout.trim(),
        concat!("pocketknight ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_usage_ends_with_code_2() {
    for args in [
        &[] as &[&str],
        &["--frobnicate"],
        &["frobnicate"],
        &["perft"],
        &["perft", "--depth", "x"],
        &["perft", "--depth", "1", "--variant", "atomic"],
        &["perft", "--depth", "1", "--fen", "8/8 w"],
        &["perft", "--suite", "missing.json"],
        &["bench", "0"],
        &["datagen", "--seed", "1", "--out", "x"],
        &[
            "datagen",
            "--games",
            "1",
            "--positions",
            "1",
            "--seed",
            "1",
            "--out",
            "x",
        ],
        &[
            "datagen",
            "--games",
            "1",
            "--seed",
            "1",
            "--out",
            "x",
            "--network",
            "missing.nnue",
        ],
        &["data", "stat"],
        &["sandbox", "--games", "0"],
        &["sandbox", "--clock", "1"],
        &["sandbox", "--opponent", "nobody"],
        &["sandbox", "--serve", "--games", "2"],
    ] {
        let out = Program::new(args).finish();
        assert_eq!(out.code, Some(2), "{args:?}: {out:?}");
        assert!(!out.stderr.is_empty(), "{args:?}");
        assert_eq!(out.stdout, "", "{args:?}");
    }
}

#[test]
fn run_without_a_token_says_how_to_get_one() {
    for command in ["run", "upgrade"] {
        let out = Program::new(&[command]).finish();
        assert_eq!(out.code, Some(2), "{out:?}");
        assert!(out.stderr.contains("LICHESS_BOT_TOKEN"), "{out:?}");
        assert!(
            out.stderr
                .contains("https://lichess.org/account/oauth/token/create"),
            "{out:?}"
        );
        assert!(out.stderr.contains("pocketknight sandbox"), "{out:?}");
    }
}

#[test]
fn token_is_not_sent_in_clear_to_another_machine() {
    let out = Program::new(&["run"])
        .env("LICHESS_BOT_TOKEN", "lip_secret")
        .env("POCKETKNIGHT__LICHESS__URL", "http://192.0.2.1")
        .finish();
    assert_eq!(out.code, Some(2), "{out:?}");
    assert!(out.stderr.contains("lichess.url"), "{out:?}");
    assert!(!out.stderr.contains("lip_secret"), "{out:?}");
}

#[test]
fn wrong_log_filter_is_named() {
    let out = Program::new(&["uci"])
        .env("POCKETKNIGHT_LOG", "a=b=c")
        .finish();
    assert_eq!(out.code, Some(2), "{out:?}");
    assert!(out.stderr.contains("POCKETKNIGHT_LOG"), "{out:?}");
}

#[test]
fn perft_counts_the_start_position() {
    let out = Program::new(&["perft", "--depth", "3"]).finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.starts_with("8902 nodes "), "{out:?}");
    assert!(out.stdout.trim_end().ends_with(" nps"), "{out:?}");
}

#[test]
fn perft_divides_a_given_position_of_a_variant() {
    let out = Program::new(&["perft", "--fen", START, "--depth", "2", "--divide"]).finish();
    assert_eq!(out.stdout.lines().count(), 21, "{out:?}");
    assert!(out.stdout.contains("e2e4: 20\n"), "{out:?}");
    // A pawn on the own first rank is chessgi's.
    let fen = "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1";
    for (variant, drops) in [("crazyhouse", 48), ("loop", 48), ("chessgi", 55)] {
        let args = [
            "perft",
            "--fen",
            fen,
            "--variant",
            variant,
            "--depth",
            "1",
            "--divide",
        ];
        let out = Program::new(&args).finish();
        assert_eq!(
            out.stdout.matches("P@").count(),
            drops,
            "{variant}: {out:?}"
        );
    }
}

#[test]
fn perft_suite_fails_if_a_count_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("suite.json");
    for (count, code) in [(400, 0), (401, 1)] {
        let suite = format!(
            r#"{{"positions": [{{"id": "start", "variant": "crazyhouse", "fen": "{START}",
            "perft": {{"1": 20, "2": {count}}}}}]}}"#
        );
        std::fs::write(&path, suite).unwrap();
        let out = Program::new(&["perft", "--suite", path.to_str().unwrap()]).finish();
        assert_eq!(out.code, Some(code), "{out:?}");
        assert_eq!(out.stdout.contains("expected 401"), code == 1, "{out:?}");
        assert!(out.stdout.contains("1 positions, 2 counts, "), "{out:?}");
    }
}

#[test]
fn bench_counts_the_same_nodes_twice() {
    let nodes = || {
        let out = Program::new(&["bench", "3"]).finish();
        assert_eq!(out.code, Some(0), "{out:?}");
        let words: Vec<String> = out.stdout.split_whitespace().map(str::to_owned).collect();
        assert_eq!(
            (words.len(), words[1].as_str(), words[3].as_str()),
            (4, "nodes", "nps")
        );
        words[0].parse::<u64>().unwrap()
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn bench_on_several_threads_tells_the_time() {
    let out = Program::new(&["bench", "3", "--threads", "2"]).finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert!(lines[0].contains(" nodes "), "{out:?}");
    assert!(lines[1].ends_with(" s on 2 threads"), "{out:?}");
    let out = Program::new(&["bench", "--threads", "0"]).finish();
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("from 1 to 256"), "{out:?}");
}

/// A changed count without an intended change of the search is a bug; with one, the file changes too.
#[test]
fn bench_gives_the_signature_of_this_version() {
    let expected = include_str!("../data/bench_signature.txt").trim();
    let out = Program::new(&["bench"]).finish();
    assert_eq!(out.stdout.split(' ').next(), Some(expected), "{out:?}");
}
