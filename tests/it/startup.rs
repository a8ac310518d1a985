//! Start and end of the program with a server: tokens, accounts, upgrade, signals, and the sandbox command.

use crate::fixture::Fixture;
use crate::program::{Finished, Program};

fn assert_refused(out: &Finished, parts: &[&str]) {
    assert_eq!(out.code, Some(3), "{out:?}");
    for part in parts {
        assert!(out.stderr.contains(part), "no {part} in {out:?}");
    }
}

#[test]
fn unknown_token_is_refused_with_code_3() {
    let fixture = Fixture::new();
    for command in ["run", "upgrade"] {
        let out = fixture.program(&[command], "lip_nobody").finish();
        assert_refused(&out, &["refuses the token", "account/oauth/token"]);
        assert!(!out.stderr.contains("lip_nobody"), "{out:?}");
    }
}

#[test]
fn token_without_the_scope_says_which_one_is_needed() {
    let fixture = Fixture::new();
    fixture.server().add_bot("somebot");
    let token = fixture.server().add_token("somebot", &["challenge:read"]);
    let out = fixture.program(&["run"], &token).finish();
    assert_refused(&out, &["somebot", "bot:play", "challenge:read"]);
}

#[test]
fn ordinary_account_is_told_to_upgrade_and_plays_after_it() {
    let fixture = Fixture::new();
    let token = fixture.server().add_human("newcomer");
    let out = fixture.program(&["run"], &token).finish();
    assert_refused(
        &out,
        &["newcomer is not a bot account", "pocketknight upgrade"],
    );

    let out = fixture.program(&["upgrade"], &token).stdin("no\n").finish();
    assert_eq!(out.code, Some(1), "{out:?}");
    assert!(out.stderr.contains("for ever"), "{out:?}");
    assert_refused(
        &fixture.program(&["run"], &token).finish(),
        &["not a bot account"],
    );

    let out = fixture
        .program(&["upgrade"], &token)
        .stdin("newcomer\n")
        .finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    let out = fixture.program(&["upgrade", "--yes"], &token).finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stderr.contains("is a bot account already"), "{out:?}");
}

#[cfg(unix)]
#[test]
fn idle_bot_leaves_at_the_first_signal() {
    let fixture = Fixture::new();
    let token = fixture.server().add_bot("idler");
    for signal in ["TERM", "INT"] {
        let mut bot = fixture.program(&["run"], &token).log();
        let log = bot.until("ready");
        assert!(!log.iter().any(|line| line.contains(&token)), "{log:?}");
        bot.signal(signal);
        let (log, code) = bot.end();
        assert_eq!(code, Some(0), "{signal}: {log:?}");
    }
}

#[cfg(unix)]
#[test]
fn bot_that_waits_for_its_server_leaves_at_the_first_signal() {
    // Nobody listens on the port of a server that has gone.
    let (url, token) = {
        let fixture = Fixture::new();
        (fixture.server().url(), fixture.server().add_bot("early"))
    };
    let mut bot = Program::new(&["run"])
        .env("POCKETKNIGHT__LICHESS__URL", url.as_str())
        .env("LICHESS_BOT_TOKEN", &token)
        .log();
    bot.until("will ask again");
    bot.signal("TERM");
    assert_eq!(bot.end().1, Some(0));
}

#[test]
fn sandbox_plays_its_games_to_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "sandbox",
        "--games",
        "2",
        "--concurrency",
        "2",
        "--opponent",
        "random,greedy",
    ];
    // Few nodes: the time of this test would else be that of the games' clocks.
    let out = Program::new(&args)
        .env("POCKETKNIGHT__ENGINE__MAX_NODES", "200")
        .dir(dir.path())
        .finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.contains("2 games: "), "{out:?}");
    assert!(out.stdout.contains("0 with faults"), "{out:?}");
    let path = out
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("games: "))
        .unwrap();
    let pgn = std::fs::read_to_string(dir.path().join(path)).unwrap();
    assert_eq!(pgn.matches("[Variant \"Crazyhouse\"]").count(), 2, "{pgn}");
    let results = dir.path().join("data/sandbox/results.jsonl");
    assert_eq!(std::fs::read_to_string(results).unwrap().lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn served_sandbox_prints_its_address_and_leaves_at_a_signal() {
    let mut server = Program::new(&["sandbox", "--serve"]).converse();
    let lines = server.until("sandboxbot1 ");
    assert!(lines[0].contains("http://127.0.0.1:"), "{lines:?}");
    server.until("sandbox/challenge");
    server.signal("TERM");
    assert_eq!(server.end().1, Some(0));
}
