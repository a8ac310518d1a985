//! The Dockerfile names things of this repository; they must exist.

use crate::program::Program;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Instructions with continued lines joined.
fn instructions() -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("Dockerfile"))
        .unwrap()
        .replace("\\\n", " ");
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

fn of_kind(kind: &str) -> Vec<Vec<String>> {
    let found: Vec<_> = instructions()
        .into_iter()
        .filter(|words| words[0] == kind)
        .collect();
    assert!(!found.is_empty(), "no {kind}");
    found
}

/// Sources of `COPY` from the build context.
fn copied() -> Vec<String> {
    let mut sources = Vec::new();
    for words in of_kind("COPY") {
        if words.iter().any(|word| word.starts_with("--from=")) {
            continue;
        }
        let paths: Vec<_> = words[1..]
            .iter()
            .filter(|word| !word.starts_with("--"))
            .collect();
        sources.extend(paths[..paths.len() - 1].iter().map(|path| (*path).clone()));
    }
    sources
}

#[test]
fn copied_files_exist_and_are_not_ignored() {
    let ignore = fs::read_to_string(root().join(".dockerignore")).unwrap();
    for source in copied() {
        assert!(root().join(&source).exists(), "COPY {source}");
        assert!(
            ignore.lines().any(|line| line == format!("!{source}")),
            "{source} is ignored"
        );
    }
}

#[test]
fn build_needs_nothing_that_is_not_copied() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for line in manifest
        .lines()
        .filter(|line| line.starts_with("path = \""))
    {
        let path = line.split('"').nth(1).unwrap();
        assert!(
            copied().iter().any(|c| Path::new(path).starts_with(c)),
            "{path} is not copied"
        );
    }
    let embedded = |text: &str| {
        let macros = ["include_str!(\"", "include_bytes!(\""];
        let found = macros
            .iter()
            .flat_map(|m| text.match_indices(m).map(|(at, m)| at + m.len()));
        found
            .map(|at| text[at..].split('"').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for path in sources(&root().join("src")) {
        // Tests are not built for the image.
        if path
            .file_stem()
            .is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
        {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("mod tests {").next().unwrap();
        for file in embedded(text) {
            let target = path.parent().unwrap().join(&file).canonicalize().unwrap();
            let inside = target.strip_prefix(root().canonicalize().unwrap()).unwrap();
            assert!(
                copied().iter().any(|c| inside.starts_with(c)),
                "{file} is not copied"
            );
        }
    }
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (dirs, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let below = dirs.iter().flat_map(|dir| sources(dir));
    files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .chain(below)
        .collect()
}

#[test]
fn command_is_a_subcommand() {
    let json = |words: &[String]| {
        serde_json::from_str::<Vec<String>>(&words[1..].join(" ")).expect("exec form")
    };
    let entry = json(&of_kind("ENTRYPOINT")[0]);
    assert_eq!(entry, ["/usr/local/bin/pocketknight"]);
    let command = json(&of_kind("CMD")[0]);
    let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
    args.push("--help");
    assert_eq!(Program::new(&args).finish().code, Some(0), "{args:?}");
}

#[test]
fn variables_are_settings() {
    let mut program = Program::new(&["config"]);
    for words in of_kind("ENV") {
        for pair in &words[1..] {
            let (name, value) = pair.split_once('=').expect("NAME=value");
            program = program.env(name, value);
        }
    }
    let out = program.finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(
        out.stdout.contains("dir = \"/data\" # environment"),
        "{out:?}"
    );
}

#[test]
fn rust_version_is_that_of_the_package() {
    let image = &of_kind("FROM")[0][1];
    let version = image
        .strip_prefix("rust:")
        .and_then(|rest| rest.split('-').next())
        .unwrap();
    assert_eq!(version, env!("CARGO_PKG_RUST_VERSION"));
}

#[test]
fn image_runs_as_an_ordinary_user_and_stops_by_sigterm() {
    assert_eq!(of_kind("USER")[0][1], "65532:65532");
    assert_eq!(of_kind("STOPSIGNAL")[0][1], "SIGTERM");
}
