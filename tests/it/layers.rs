//! Rooms of the library may use only the rooms below them.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room with what it may use. What is used must stand above its user, which rules out cycles.
const ROOMS: [(&str, &[&str]); 11] = [
    ("settings", &[]),
    ("rules", &[]),
    ("lichess", &[]),
    ("engine", &["rules"]),
    ("book", &["rules"]),
    ("uci_engine", &["rules", "engine::Score"]),
    ("eval_file", &["engine"]),
    ("training", &["rules", "engine", "eval_file"]),
    ("protocol", &["rules", "engine", "eval_file", "book"]),
    ("sandbox", &["rules", "lichess::model", "engine"]),
    (
        "bot",
        &[
            "settings",
            "rules",
            "lichess",
            "engine",
            "book",
            "uci_engine",
        ],
    ),
];

/// What neither the rules nor the engine may mention: I/O, the environment, the network.
const PURE: &[&str] = &[
    "tokio::",
    "tracing::",
    "reqwest::",
    "std::fs",
    "std::net",
    "std::io",
    "std::env",
    "std::process",
    "SystemTime",
    "println!",
    "print!",
    "eprintln!",
];

/// What a room must not mention at all.
const FORBIDDEN: [(&str, &[&str]); 5] = [
    ("rules", PURE),
    ("rules", &["Instant::now", "std::thread"]),
    ("engine", PURE),
    ("lichess", &["shakmaty", "println!", "print!", "stdout()"]),
    (
        "bot",
        &["println!", "print!", "stdout()", "reqwest::", "axum::"],
    ),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// Lines of the program, without comments.
fn code(path: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(path).unwrap();
    let without = |line: &str| match line.find("//") {
        // A URL in a text is no comment.
        Some(at) if !line[..at].ends_with(':') => line[..at].to_owned(),
        _ => line.to_owned(),
    };
    text.lines()
        .enumerate()
        .map(|(i, line)| (i + 1, without(line)))
        .collect()
}

/// Paths of our own rooms that a piece of code names: `crate::a::b` gives `a::b`, and a group gives each member.
fn uses(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(members(group)),
            None => found.push(leading_path(rest)),
        }
    }
    found
}

fn members(group: &str) -> Vec<String> {
    let mut members = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                members.push(leading_path(group[start..at].trim()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(leading_path(group[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    members
}

fn leading_path(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    text[..end.unwrap_or(text.len())]
        .trim_end_matches(':')
        .to_owned()
}

/// Rooms that the library has.
fn rooms() -> Vec<String> {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let rooms = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    rooms.map(str::to_owned).collect()
}

fn room_files(room: &str) -> Vec<PathBuf> {
    if !rooms().iter().any(|name| name == room) {
        return Vec::new();
    }
    let files = sources(&root().join("src").join(room));
    assert!(!files.is_empty(), "no files of {room}");
    files
}

#[test]
fn scan_sees_plain_and_grouped_uses() {
    assert_eq!(uses("use crate::rules::{Move, Color};"), ["rules"]);
    assert_eq!(
        uses("use crate::{bot::x, rules::{A, B}, engine};"),
        ["bot::x", "rules", "engine"]
    );
    assert_eq!(
        uses("fn f(m: crate::lichess::model::GameId)"),
        ["lichess::model::GameId"]
    );
    assert!(uses("let x = mycrate::bot::y;").is_empty());
}

#[test]
fn library_has_no_room_unknown_here() {
    for room in rooms() {
        assert!(
            ROOMS.iter().any(|(name, _)| *name == room),
            "room {room} has no layer"
        );
    }
}

#[test]
fn order_of_rooms_rules_out_cycles() {
    for (i, (room, allowed)) in ROOMS.iter().enumerate() {
        for used in *allowed {
            let used = used.split("::").next().unwrap();
            assert!(
                ROOMS[..i].iter().any(|(name, _)| *name == used),
                "{room} uses {used} below it"
            );
        }
    }
}

#[test]
fn rooms_use_only_what_stands_below_them() {
    let mut wrong = Vec::new();
    for (room, allowed) in ROOMS {
        for path in room_files(room) {
            let lines = code(&path);
            let text = lines
                .iter()
                .map(|(_, line)| line.as_str())
                .collect::<Vec<_>>()
                .join(
                    "
",
                );
            for used in uses(&text) {
                let fits = |allowed: &&str| {
                    used == **allowed
                        || used
                            .strip_prefix(*allowed)
                            .is_some_and(|r| r.starts_with("::"))
                };
                let own = used.split("::").next() == Some(room);
                if !own && !allowed.iter().any(fits) {
                    wrong.push(format!("{}: {used}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "forbidden uses:\n{}", wrong.join("\n"));
}

#[test]
fn rooms_keep_away_from_what_is_not_theirs() {
    let mut wrong = Vec::new();
    for (room, forbidden) in FORBIDDEN {
        for path in room_files(room) {
            // Tests may read files and measure.
            if path
                .file_stem()
                .is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
            {
                continue;
            }
            let lines = code(&path);
            let tests = lines
                .iter()
                .position(|(_, line)| line.contains("mod tests {"));
            for (number, line) in &lines[..tests.unwrap_or(lines.len())] {
                for word in forbidden.iter().filter(|word| line.contains(**word)) {
                    wrong.push(format!("{}:{number}: {word}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "forbidden:\n{}", wrong.join("\n"));
}
