//! Command `config import`.

use crate::program::Program;

const YAML: &str = "token: \"lip_verysecret\"\nengine:\n  dir: engines\n  name: stockfish\n  uci_options:\n    Hash: 128\n\
    challenge:\n  concurrency: 2\n  variants: [crazyhouse]\n  modes: [rated]\nunheard_of: 1\n";

#[test]
fn settings_of_another_bot_become_a_file_that_the_program_reads() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("config.yml"), YAML).unwrap();
    let run = |args: &[&str]| Program::new(args).dir(dir.path()).finish();
    let import = [
        "config",
        "import",
        "config.yml",
        "-o",
        "config/pocketknight.toml",
    ];
    let out = run(&import);
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(
        out.stderr.contains("settings of lichess-bot: 4 taken over"),
        "{out:?}"
    );
    assert!(out.stderr.contains("LICHESS_BOT_TOKEN"), "{out:?}");

    let shown = run(&["config"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let origin = "# config/pocketknight.toml";
    for line in ["hash_mib = 128", "concurrency = 2", "casual = false"] {
        assert!(
            shown.stdout.contains(&format!("\n{line} {origin}")),
            "{line}: {shown:?}"
        );
    }
    let text = std::fs::read_to_string(dir.path().join("config/pocketknight.toml")).unwrap();
    assert!(text.contains("#   unheard_of: no counterpart\n"), "{text}");
    assert!(!text.contains("verysecret"), "{text}");

    // Nobody's settings are overwritten.
    let again = run(&import);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(
        again
            .stderr
            .contains("cannot write config/pocketknight.toml"),
        "{again:?}"
    );

    let kept = run(&["config", "import", "config.yml", "--keep-engine"]);
    assert!(
        kept.stdout.contains("path = \"engines/stockfish\""),
        "{kept:?}"
    );
    assert!(
        kept.stdout.contains("options = { \"Hash\" = \"128\" }"),
        "{kept:?}"
    );
}

#[test]
fn what_is_no_settings_file_is_refused_with_its_place_and_without_its_text() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("bad.yml"),
        "token: lip_verysecret\n  x: [1\n",
    )
    .unwrap();
    for (file, part) in [
        ("bad.yml", "line 2"),
        ("missing.yml", "cannot read missing.yml"),
    ] {
        let out = Program::new(&["config", "import", file])
            .dir(dir.path())
            .finish();
        assert_eq!(out.code, Some(2), "{out:?}");
        assert!(out.stderr.contains(part), "{out:?}");
        assert!(!out.stderr.contains("verysecret"), "{out:?}");
        assert_eq!(out.stdout, "", "{out:?}");
    }
}
