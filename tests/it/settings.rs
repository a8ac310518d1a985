//! Settings as the user of the program meets them.

use crate::program::Program;

#[test]
fn config_shows_every_value_with_its_origin() {
    let out = Program::new(&["config"])
        .env("POCKETKNIGHT__CHALLENGE__CONCURRENCY", "4")
        .finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(
        out.stdout.contains(
            "concurrency = 4 # environment variable POCKETKNIGHT__CHALLENGE__CONCURRENCY\n"
        ),
        "{out:?}"
    );
    assert!(
        out.stdout
            .contains("[shutdown]\ngrace = \"10m\" # default\n"),
        "{out:?}"
    );
}

#[test]
fn token_is_not_shown() {
    let out = Program::new(&["config"])
        .env("LICHESS_BOT_TOKEN", "lip_secret")
        .finish();
    assert!(
        out.stdout
            .contains("token = \"[REDACTED]\" # environment variable LICHESS_BOT_TOKEN\n")
    );
    assert!(!out.stdout.contains("lip_secret") && !out.stderr.contains("lip_secret"));
}

#[test]
fn file_of_the_working_directory_is_read() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("config")).unwrap();
    std::fs::write(
        dir.path().join("config/pocketknight.toml"),
        "[engine]\nthreads = 3\n",
    )
    .unwrap();
    let out = Program::new(&["config"]).dir(dir.path()).finish();
    assert!(
        out.stdout
            .contains("threads = 3 # config/pocketknight.toml\n"),
        "{out:?}"
    );
    let other = dir.path().join("other.toml");
    std::fs::write(&other, "[engine]\nthreads = 5\n").unwrap();
    let out = Program::new(&["config", "--config", other.to_str().unwrap()])
        .dir(dir.path())
        .finish();
    assert!(out.stdout.contains("threads = 5 # "), "{out:?}");
}

#[test]
fn wrong_setting_ends_with_code_2_and_names_the_key() {
    let out = Program::new(&["run"])
        .env("POCKETKNIGHT__ENGINE__HASH_MIB", "lots")
        .finish();
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("engine.hash_mib"), "{out:?}");
    assert!(
        out.stderr.contains("POCKETKNIGHT__ENGINE__HASH_MIB"),
        "{out:?}"
    );
    let out = Program::new(&["config", "--config", "missing.toml"]).finish();
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("missing.toml"), "{out:?}");
}

#[test]
fn example_of_the_readme_is_accepted() {
    let readme = include_str!("../../README.md");
    let dir = tempfile::tempdir().unwrap();
    let mut examples = 0;
    for block in readme.split("```toml\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let path = dir.path().join("example.toml");
        std::fs::write(&path, text).unwrap();
        let out = Program::new(&["config", "--config", path.to_str().unwrap()]).finish();
        assert_eq!(out.code, Some(0), "{out:?}");
        examples += 1;
    }
    assert!(examples > 0);
}
