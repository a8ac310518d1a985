//! `pocketknight train` and `network loss`: from games to a network that can be used.

use crate::program::{Finished, Program};
use std::path::Path;

fn run(dir: &Path, args: &str) -> Finished {
    let args: Vec<&str> = args.split(' ').collect();
    Program::new(&args).dir(dir).finish()
}

/// Runs something that works, and gives its output.
fn output(dir: &Path, args: &str) -> String {
    let out = run(dir, args);
    assert_eq!(out.code, Some(0), "{args}: {out:?}");
    out.stdout
}

/// Line of a table.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let mut lines = text.lines();
    lines
        .find(|line| line.starts_with(&format!("{name}   ")))
        .unwrap_or_else(|| panic!("no {name} in {text}"))
}

fn games(dir: &Path, name: &str, seed: u32) {
    let args = "datagen --network material --nodes 10 --games 20";
    output(dir, &format!("{args} --seed {seed} --out {name}"));
}

#[test]
fn games_become_a_network_and_a_training_can_be_taken_up_again() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    games(dir, "games", 1);
    let args = "train --data games --out a.pknn --hidden 32 --heads 9 --epochs 2 --batch 128 --threads 2 \
                --validation 0.3 --baseline --curve a.svg --checkpoint a.checkpoint";
    let trained = output(dir, args);
    for part in [
        "data: 20 games, ",
        " to check with\n",
        "score scale that tells the results best: ",
        "network 1340+195->32x2->9, ",
        "epoch 2 of 2: training 0.",
        "\nlinear ",
        "\nmodel ",
        "a.pknn: 1340+195->32x2->9, ",
    ] {
        assert!(trained.contains(part), "{part:?} in {trained}");
    }
    let svg = std::fs::read_to_string(dir.join("a.svg")).unwrap();
    assert!(svg.contains("1340+195-&gt;32x2-&gt;9"));

    let info = output(dir, "network info a.pknn");
    assert!(info.contains("1340+195->32x2->9"), "{info}");
    let loss = output(dir, "network loss a.pknn --data games --validation 0.3");
    assert_eq!(line(&loss, "network"), line(&trained, "network"));
    assert_eq!(line(&loss, "constant"), line(&trained, "constant"));

    // All epochs are done: only the network is written once more.
    let args = "train --data games --out b.pknn --validation 0.3 --resume a.checkpoint";
    output(dir, args);
    let bytes = |name| std::fs::read(dir.join(name)).unwrap();
    assert_eq!(bytes("a.pknn"), bytes("b.pknn"));

    games(dir, "others", 2);
    let args = "train --data games --out c.pknn --init a.pknn --epochs 1 --validation-data others --label again";
    let trained = output(dir, args);
    assert!(trained.contains("validation data: 20 games, "), "{trained}");
    assert!(
        trained.contains("c.pknn: 1340+195->32x2->9, \"again\", "),
        "{trained}"
    );
    let loss = output(dir, "network loss c.pknn --data others");
    assert_eq!(line(&loss, "network"), line(&trained, "network"));

    let out = run(
        dir,
        "train --data others --out d.pknn --resume a.checkpoint",
    );
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("belongs to a training on"), "{out:?}");
    assert!(!dir.join("d.pknn").exists());
}

#[test]
fn what_cannot_be_trained_is_named_before_anything_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("text"), "no games\n").unwrap();
    std::fs::create_dir(dir.join("empty")).unwrap();
    for (args, expected) in [
        ("--data missing --out x", "missing"),
        ("--data text --out x", "does not begin with \"PKGA\""),
        ("--data empty --out x", "no files of games"),
        ("--data text --out no/x", "no is no directory"),
        ("--data text --out x --curve x", "in use as another option"),
        ("--data text --out text", "--out text: this file is in use"),
        (
            "--data text --out empty",
            "--out empty: this is a directory",
        ),
        (
            "--data text --out x --checkpoint no/x",
            "no is no directory",
        ),
        (
            "--data text --out x --resume text",
            "does not begin with \"PKTC\"",
        ),
        ("--data text --out x --resume text --lr 0.1", "--lr"),
        (
            "--data text --out x --init text",
            "network file text: not a network",
        ),
        ("--data text --out x --hidden 33", "a multiple of 32"),
        ("--data text --out x --king-buckets 2", "1 or 4"),
        ("--data text --out x --lambda 2", "a number from 0 to 1"),
        ("--data text --out x --score-scale 0", "or fit"),
        (
            "--data text --out x --validation 1.5",
            "a share of the games",
        ),
        ("--data text", "--out"),
        ("--out x", "--data"),
    ] {
        let out = run(dir, &format!("train {args}"));
        assert_eq!(out.code, Some(2), "{args}: {out:?}");
        assert!(out.stderr.contains(expected), "{args}: {out:?}");
        assert_eq!(out.stdout, "", "{args}");
    }
    let out = run(dir, "network loss text --data text");
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("network file text"), "{out:?}");
}
