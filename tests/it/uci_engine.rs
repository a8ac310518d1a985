//! Another engine in place of the one inside, in the sandbox: this very program as the other engine.

use crate::program::Program;

const SELF: &str = env!("CARGO_BIN_EXE_pocketknight");

fn sandbox(options: &str) -> Program {
    Program::new(&["sandbox", "--games", "1", "--opponent", "random"])
        .env("POCKETKNIGHT__ENGINE__UCI__PATH", SELF)
        .env("POCKETKNIGHT__ENGINE__UCI__ARGS", "uci")
        .env("POCKETKNIGHT__ENGINE__UCI__OPTIONS", options)
        .env("POCKETKNIGHT__ENGINE__MAX_NODES", "300")
}

#[test]
fn a_game_is_played_by_the_other_engine() {
    let out = sandbox("hash=1,Move Overhead=0").finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.contains("1 games: 1 won"), "{out:?}");
    assert!(!out.stderr.contains("stands in"), "{out:?}");
}

#[test]
fn options_that_the_engine_lacks_are_refused_at_start_all_at_once() {
    let out = sandbox("Hesh=1,MultiPV=0,UCI_Variant=chess").finish();
    assert_eq!(out.code, Some(2), "{out:?}");
    for part in [
        "did you mean Hash?",
        "expected a whole number from 1 to 500",
        "set by this program",
    ] {
        assert!(out.stderr.contains(part), "{part}: {out:?}");
    }
}

#[test]
fn programs_that_are_no_engines_of_crazyhouse_are_refused_at_start() {
    for (path, args, part) in [
        ("nowhere/engine", "", "cannot be started"),
        ("true", "", "before it said uciok"),
        ("sh", "-c,echo uciok; cat", "does not play crazyhouse"),
    ] {
        let out = sandbox("")
            .env("POCKETKNIGHT__ENGINE__UCI__PATH", path)
            .env("POCKETKNIGHT__ENGINE__UCI__ARGS", args)
            .env("PATH", "/usr/bin:/bin")
            .finish();
        assert_eq!(out.code, Some(2), "{path}: {out:?}");
        assert!(out.stderr.contains(part), "{path}: {out:?}");
    }
}
