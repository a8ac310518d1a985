//! `pocketknight duel`: reports, records and ends of matches.

use crate::program::Program;
use pocketknight::rules::pgn;

#[test]
fn match_ends_with_a_report_and_its_games() {
    let dir = tempfile::tempdir().unwrap();
    let args = "duel material default --nodes 100 --nodes-b 50 --games 3 --hash 1 --pgn games.pgn";
    let args: Vec<&str> = args.split(' ').collect();
    let out = Program::new(&args).dir(dir.path()).finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    for line in [
        "A          material, hash 1 MiB, 100 nodes a move\n",
        "B          default, hash 1 MiB, 50 nodes a move\n",
        "games      4: A won ",
        "\npairs      2: ",
        "\nElo        ",
        "LOS ",
        " 0 by flag fall, 0 by fault\n",
        " nps, 0 flag falls, 0 faults\n",
    ] {
        assert!(out.stdout.contains(line), "{line:?}: {}", out.stdout);
    }
    let text = std::fs::read_to_string(dir.path().join("games.pgn")).unwrap();
    let white: Vec<_> = pgn::games(&text)
        .map(|game| game.unwrap().tags.get("White").unwrap().to_owned())
        .collect();
    assert_eq!(white, ["material", "default", "material", "default"]);
}

#[test]
fn wrong_players_and_files_are_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("bad.epd"), "no position\n").unwrap();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1\n";
    std::fs::write(dir.path().join("one.epd"), start).unwrap();
    for (args, expected) in [
        (
            "missing.pknn material",
            "cannot read network file missing.pknn",
        ),
        ("bad.epd material", "network file bad.epd: not a network"),
        ("material material,speed=3", "expected hash=MIB, elo=N"),
        ("material material --nodes 0", "--nodes"),
        ("material material --nodes 5 --tc 1+0", "--tc"),
        ("material material --tc 0+1", "expected SECONDS+INCREMENT"),
        ("material material --sprt 10,0", "expected ELO0,ELO1"),
        (
            "material material --openings bad.epd",
            "openings bad.epd, line 1",
        ),
        ("material material --openings one.epd", ""),
        (
            "material material --openings one.epd --games 4",
            "expected at most 2",
        ),
        (
            "material material --pgn no/x.pgn",
            "cannot create --pgn no/x.pgn",
        ),
    ] {
        let mut all = vec!["duel"];
        all.extend(args.split(' '));
        if expected.is_empty() {
            // As many games as there are openings for, if no number was asked for.
            all.extend(["--nodes", "20"]);
        }
        let out = Program::new(&all).dir(dir.path()).finish();
        if expected.is_empty() {
            assert_eq!(out.code, Some(0), "{args}: {out:?}");
            assert!(out.stdout.contains("games      2: "), "{args}: {out:?}");
        } else {
            assert_eq!(out.code, Some(2), "{args}: {out:?}");
            assert!(out.stderr.contains(expected), "{args}: {out:?}");
        }
    }
}

#[test]
fn test_with_a_lower_hypothesis_below_zero_can_be_asked_for() {
    let args = "duel material material --nodes 20 --games 2 --sprt -10,0";
    let out = Program::new(&args.split(' ').collect::<Vec<_>>()).finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(
        out.stdout.contains("SPRT       Elo -10 against 0: LLR "),
        "{out:?}"
    );
}

#[cfg(unix)]
#[test]
fn interrupted_match_reports_what_it_has() {
    let args = "duel material material --nodes 100 --games 1000000 --hash 1";
    let mut duel = Program::new(&args.split(' ').collect::<Vec<_>>()).converse();
    duel.until("match      at most 1000000 games");
    duel.signal("INT");
    let (lines, code) = duel.end();
    assert_eq!(code, Some(1), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("games      ")),
        "{lines:?}"
    );
}
