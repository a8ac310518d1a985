//! Values of YAML as values of TOML.

use super::Outcome;
use super::yaml::{Node, Value};
use crate::settings::layers::quoted;

/// Placeholders of chat texts that mean the same here.
const PLACEHOLDERS: [&str; 3] = ["me", "opponent", "engine"];

impl Node {
    /// Text of a single value.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// Truth value, as YAML 1.1 writes them, which both programs read.
    pub(super) fn truth(&self) -> Option<bool> {
        match self.text()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    /// Whole number, also one that is written with a point and nothing behind it; `.inf` is the largest.
    pub(super) fn number(&self) -> Option<i64> {
        let text = self.text()?.replace('_', "");
        if text.eq_ignore_ascii_case(".inf") {
            return Some(i64::MAX);
        }
        text.parse().ok().or_else(|| {
            let number: f64 = text.parse().ok()?;
            (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
        })
    }

    /// Texts of a list; a single value is a list of one, an empty one of none.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        match &self.value {
            Value::Scalar(text) if text.is_empty() => Some(Vec::new()),
            Value::Scalar(text) => Some(vec![text]),
            Value::List(items) => items.iter().map(Self::text).collect(),
            Value::Table(_) => None,
        }
    }
}

pub(super) fn flag(node: &Node, key: &'static str) -> Outcome {
    match node.truth() {
        Some(truth) => Outcome::take(key, &truth),
        None => Outcome::leave("expected true or false"),
    }
}

/// Whole number, brought into a range that ours is known to have.
pub(super) fn number(node: &Node, key: &'static str, least: i64, most: i64) -> Outcome {
    scaled(node, key, 1, least, most)
}

/// The same times a factor: moves as plies.
pub(super) fn scaled(node: &Node, key: &'static str, by: i64, least: i64, most: i64) -> Outcome {
    match node.number() {
        Some(number) => Outcome::take(key, &number.saturating_mul(by).clamp(least, most)),
        None => Outcome::leave("expected a whole number"),
    }
}

/// Duration of a number of seconds.
pub(super) fn seconds(node: &Node, key: &'static str) -> Outcome {
    duration(node, key, "s")
}

/// Duration of a number of minutes.
pub(super) fn minutes(node: &Node, key: &'static str) -> Outcome {
    duration(node, key, "m")
}

fn duration(node: &Node, key: &'static str, unit: &str) -> Outcome {
    match node.number() {
        Some(number) => Outcome::take(key, &quoted(&format!("{number}{unit}"))),
        None => Outcome::leave("expected a whole number"),
    }
}

/// One of some words, each with ours.
pub(super) fn word(node: &Node, key: &'static str, words: &[(&str, &str)]) -> Outcome {
    let text = node.text().unwrap_or_default();
    if let Some((_, ours)) = words.iter().find(|(theirs, _)| *theirs == text) {
        return Outcome::take(key, &quoted(ours));
    }
    let known: Vec<&str> = words.iter().map(|(theirs, _)| *theirs).collect();
    Outcome::Leave(format!("expected one of {}", known.join(", ")))
}

/// How book moves are chosen; the words of both programs.
pub(super) fn selection(node: &Node, key: &'static str) -> Outcome {
    let words = [
        ("weighted_random", "weighted"),
        ("uniform_random", "uniform"),
        ("best_move", "best"),
    ];
    word(node, key, &words)
}

pub(super) fn list(node: &Node, key: &'static str) -> Outcome {
    match node.texts() {
        Some(texts) => Outcome::take(key, &toml_list(&texts)),
        None => Outcome::leave("expected a list"),
    }
}

pub(super) fn toml_list<T: AsRef<str>>(texts: &[T]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// Text for the chat. Placeholders that we do not have are taken out, as both programs do with unknown ones.
pub(super) fn chat(node: &Node, key: &'static str) -> Outcome {
    let Some(text) = node.text() else {
        return Outcome::leave("expected a text");
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(&before.replace('}', ""));
        let Some((name, after)) = after.split_once('}') else {
            rest = "";
            break;
        };
        if PLACEHOLDERS.contains(&name) {
            out.extend(["{", name, "}"]);
        }
        rest = after;
    }
    out.push_str(&rest.replace('}', ""));
    Outcome::take(key, &quoted(out.trim()))
}

/// Speeds of a list, and whether it has correspondence. Exact clocks are told apart by their plus sign.
pub(super) fn speeds(node: &Node) -> Outcome {
    let Some(texts) = node.texts() else {
        return Outcome::leave("expected a list");
    };
    let (clocks, words): (Vec<&str>, Vec<&str>) =
        texts.into_iter().partition(|text| text.contains('+'));
    let correspondence = words.contains(&"correspondence");
    let speeds: Vec<&str> = words
        .into_iter()
        .filter(|word| *word != "correspondence")
        .collect();
    if speeds.is_empty() && !clocks.is_empty() {
        return Outcome::take("challenge.clocks", &toml_list(&clocks));
    }
    if !clocks.is_empty() {
        return Outcome::leave(
            "speeds and exact clocks together; here challenge.clocks are the only ones accepted if there are any",
        );
    }
    let mut values = vec![("challenge.speeds", toml_list(&speeds))];
    if correspondence {
        values.push(("challenge.correspondence", true.to_string()));
    }
    Outcome::Take(values)
}

/// Rated and casual out of a list.
pub(super) fn modes(node: &Node, rated: &'static str, casual: &'static str) -> Outcome {
    match node.texts() {
        Some(modes) => Outcome::Take(vec![
            (rated, modes.contains(&"rated").to_string()),
            (casual, modes.contains(&"casual").to_string()),
        ]),
        None => Outcome::leave("expected a list"),
    }
}

pub(super) fn variants(node: &Node) -> Outcome {
    let texts = node.texts().unwrap_or_default();
    Outcome::leave(if texts.contains(&"crazyhouse") {
        "crazyhouse is what this program plays, and all it plays"
    } else {
        "this program plays crazyhouse and nothing else"
    })
}
