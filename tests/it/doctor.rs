//! Command `doctor` with the sandbox as its server.

use crate::fixture::Fixture;
use crate::program::{Finished, Program};
use pocketknight::sandbox::Server;
use serde_json::Value;

/// Runs the command against a server with the accounts that `prepare` makes; it returns the token.
fn examine(
    prepare: impl FnOnce(&Server) -> String,
    args: &[&str],
    more: &[(&str, &str)],
) -> Finished {
    let fixture = Fixture::new();
    let token = prepare(fixture.server());
    let mut program = fixture.program(args, &token);
    for (name, value) in more {
        program = program.env(name, value);
    }
    let out = program.finish();
    assert!(!out.stdout.contains(&token), "{out:?}");
    assert!(!out.stderr.contains(&token), "{out:?}");
    out
}

/// State and the rest of the line of a check.
fn check<'a>(out: &'a Finished, name: &str) -> (&'a str, &'a str) {
    let lines = out.stdout.lines();
    let mut found = lines.filter_map(|line| {
        let (state, rest) = line.split_once(' ')?;
        let text = rest.trim_start().strip_prefix(name)?;
        text.starts_with(' ').then_some((state, text.trim_start()))
    });
    found.next().unwrap_or_else(|| panic!("no {name}: {out:?}"))
}

#[test]
fn a_bot_in_order_has_nothing_to_do() {
    let out = examine(|server| server.add_bot("Fine"), &["doctor"], &[]);
    assert_eq!(out.code, Some(0), "{out:?}");
    for name in [
        "settings",
        "data",
        "engine",
        "token",
        "server",
        "clock",
        "scopes",
        "account",
        "bio",
        "takebacks",
    ] {
        assert_eq!(check(&out, name).0, "ok", "{name}: {out:?}");
    }
    assert!(
        check(&out, "account")
            .1
            .starts_with("Fine, BOT, no crazyhouse game"),
        "{out:?}"
    );
    assert!(check(&out, "settings").1.starts_with("no file"), "{out:?}");
}

#[test]
fn a_human_account_and_a_token_without_scope_are_failures_with_advice() {
    let human = |server: &Server| {
        server.add_human("Newcomer");
        server.add_token("Newcomer", &["challenge:read"])
    };
    let out = examine(
        human,
        &["doctor"],
        &[("POCKETKNIGHT__GAME__MAX_TAKEBACKS", "2")],
    );
    assert_eq!(out.code, Some(1), "{out:?}");
    assert!(out.stderr.contains("2 checks failed"), "{out:?}");
    let (state, text) = check(&out, "account");
    assert_eq!(state, "failure");
    assert!(text.contains("pocketknight upgrade"), "{text}");
    let (state, text) = check(&out, "scopes");
    assert_eq!(state, "failure");
    assert!(
        text.contains("bot:play") && text.contains("token/create"),
        "{text}"
    );
    assert_eq!(check(&out, "bio").0, "warning");
    let (state, text) = check(&out, "takebacks");
    assert_eq!(state, "warning");
    assert!(text.contains("game-behavior"), "{text}");
}

#[test]
fn json_says_the_same_to_programs() {
    let out = examine(|_| "lip_nobody".to_owned(), &["doctor", "--json"], &[]);
    assert_eq!(out.code, Some(1), "{out:?}");
    let report: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(report["ok"], false);
    let checks = report["checks"].as_array().unwrap();
    let account = checks
        .iter()
        .find(|check| check["name"] == "account")
        .unwrap();
    assert_eq!(account["state"], "failure");
    assert!(
        account["advice"]
            .as_str()
            .unwrap()
            .contains("account/oauth/token")
    );
    let engine = checks
        .iter()
        .find(|check| check["name"] == "engine")
        .unwrap();
    assert_eq!(
        (&engine["state"], &engine["advice"]),
        (&"ok".into(), &Value::Null)
    );
}

#[test]
fn what_this_machine_lacks_is_told_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    std::fs::create_dir(dir.path().join("config")).unwrap();
    let toml = "[data]\ndir = \"file\"\n[book]\npath = \"file\"\n[engine.uci]\npath = \"missing/engine\"\n";
    std::fs::write(dir.path().join("config/pocketknight.toml"), toml).unwrap();
    let out = Program::new(&["doctor"]).dir(dir.path()).finish();
    assert_eq!(out.code, Some(1), "{out:?}");
    for (name, part) in [
        ("data", "data.dir file"),
        ("book", "it is empty"),
        ("uci engine", "missing/engine"),
        ("token", "LICHESS_BOT_TOKEN"),
    ] {
        let (state, text) = check(&out, name);
        assert_eq!(state, "failure", "{name}");
        assert!(text.contains(part), "{name}: {text}");
    }
    assert_eq!(
        check(&out, "settings").1,
        "config/pocketknight.toml, 3 values changed"
    );
}

#[test]
fn wrong_settings_are_the_first_failure() {
    let out = Program::new(&["doctor"])
        .env("POCKETKNIGHT__ENGINE__HESH_MIB", "1")
        .finish();
    assert_eq!(out.code, Some(1), "{out:?}");
    let (state, text) = check(&out, "settings");
    assert_eq!(state, "failure");
    assert!(text.contains("did you mean hash_mib?"), "{text}");
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let out = Program::new(&["doctor"])
        .env("POCKETKNIGHT__LICHESS__URL", "http://127.0.0.1:9")
        .env("LICHESS_BOT_TOKEN", "lip_x")
        .finish();
    assert_eq!(out.code, Some(1), "{out:?}");
    let (state, text) = check(&out, "server");
    assert_eq!(state, "failure");
    assert!(text.contains("look at the network"), "{text}");
}
