//! Layers of settings and how they are laid over each other.
//!
//! The embedded file is also the schema: a key that it lacks is unknown, and a value must be of the kind that the
//! default has. The `config` crate parses TOML; its own conversions are not used, because they take `1.5` for a whole
//! number and `"no"` for a truth value.

use super::{DEFAULT_TOML, Error, Problem};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const PREFIX: &str = "POCKETKNIGHT__";
const CONFIG_VARIABLE: &str = "POCKETKNIGHT_CONFIG";
const TOKEN_VARIABLE: &str = "LICHESS_BOT_TOKEN";
const TOKEN: (&str, &str) = ("lichess", "token");
const TOKEN_FILE: (&str, &str) = ("lichess", "token_file");

/// Everything that settings are read from, passed in so that tests need no process environment.
/// The default is the embedded file alone.
#[derive(Clone, Default)]
pub struct Sources {
    /// File named on the command line; it must exist.
    pub file: Option<PathBuf>,
    /// File that is read only if it exists and no other is named.
    pub fallback_file: Option<PathBuf>,
    /// Environment variables; those that are none of ours are passed over.
    pub environment: Vec<(String, String)>,
    /// Values of the command line.
    pub overrides: Vec<Override>,
}

/// Value given on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Override {
    /// Key as `section.key`.
    pub key: &'static str,
    /// Value as text.
    pub value: String,
    /// Option that gave it, such as `--concurrency`.
    pub option: &'static str,
}

impl Sources {
    /// Environment of the process and `./config/pocketknight.toml`, with the file of `--config` if given.
    pub fn of_process(file: Option<PathBuf>) -> Self {
        let ours = |name: &str| {
            name.to_ascii_uppercase().starts_with("POCKETKNIGHT") || name == TOKEN_VARIABLE
        };
        let text = |s: OsString| s.to_string_lossy().into_owned();
        let environment = std::env::vars_os()
            .map(|(name, value)| (text(name), value))
            .filter(|(name, _)| ours(name))
            .map(|(name, value)| (name, text(value)))
            .collect();
        Self {
            file,
            fallback_file: Some(PathBuf::from("config/pocketknight.toml")),
            environment,
            overrides: Vec::new(),
        }
    }
}

impl Sources {
    /// Settings file that is read: the one named, or the one of the usual name if it is there.
    pub fn settings_file(&self) -> Option<PathBuf> {
        let variable = |name: &str| {
            self.environment
                .iter()
                .find(|(n, v)| n == name && !v.trim().is_empty())
                .map(|(_, v)| PathBuf::from(v))
        };
        let fallback = || self.fallback_file.clone().filter(|path| path.exists());
        self.file
            .clone()
            .or_else(|| variable(CONFIG_VARIABLE))
            .or_else(fallback)
    }
}

// Names only: the environment may hold the token.
impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self
            .environment
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        f.debug_struct("Sources")
            .field("file", &self.file)
            .field("fallback_file", &self.fallback_file)
            .field("environment", &names)
            .field("overrides", &self.overrides)
            .finish()
    }
}

/// Value of one key.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Value {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<String>),
    /// Names of the user's own with a value each, such as the options of a foreign engine. The embedded file writes
    /// such a key as an empty table.
    Map(BTreeMap<String, String>),
    /// Whatever the key of the same name in the section outside says.
    Inherit,
}

/// How [`Value::Inherit`] is written.
const INHERIT: &str = "inherit";

impl Value {
    /// Kind in words, for messages.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Flag(_) => "true or false",
            Self::Number(_) => "a whole number",
            Self::Text(_) => "a text in quotes",
            Self::List(_) => "a list of texts",
            Self::Map(_) => "a table of names and values, such as { Hash = 64 }",
            Self::Inherit => "\"inherit\"",
        }
    }

    /// Value as it is written in the file.
    pub(super) fn to_toml(&self) -> String {
        match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => quoted(text),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }
            Self::Inherit => quoted(INHERIT),
        }
    }

    /// Reads text of the environment or command line as the same kind as `self`.
    fn parse_like(&self, text: &str) -> Option<Self> {
        let text = text.trim();
        Some(match self {
            Self::Flag(_) => Self::Flag(match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => true,
                "false" | "no" | "off" | "0" => false,
                _ => return None,
            }),
            Self::Number(_) => Self::Number(text.parse().ok()?),
            Self::Text(_) => Self::Text(text.to_owned()),
            Self::List(_) => Self::List(
                text.split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                    .map(str::to_owned)
                    .collect(),
            ),
            Self::Map(_) => {
                let entries = text.split(',').filter(|entry| !entry.trim().is_empty());
                let pairs = entries.map(|entry| {
                    let (name, value) = entry.split_once('=')?;
                    Some((name.trim().to_owned(), value.trim().to_owned()))
                });
                Self::Map(pairs.collect::<Option<_>>()?)
            }
            Self::Inherit => return None,
        })
    }
}

/// What a key can hold, by its default.
struct Pattern {
    /// Value of the wanted kind.
    like: Value,
    /// Whether it may be left to the section outside.
    inherits: bool,
}

impl Pattern {
    fn kind(&self) -> String {
        let kind = self.like.kind();
        if self.inherits {
            format!("{kind}, or \"{INHERIT}\"")
        } else {
            kind.to_owned()
        }
    }

    fn fit(&self, value: Value) -> Option<Value> {
        match value {
            Value::Text(text) if self.inherits && text == INHERIT => Some(Value::Inherit),
            value if value.kind() == self.like.kind() => Some(value),
            _ => None,
        }
    }

    fn parse(&self, text: &str) -> Option<Value> {
        if self.inherits && text.trim() == INHERIT {
            return Some(Value::Inherit);
        }
        self.like.parse_like(text)
    }
}

/// Basic string of TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.extend(format!("\\u{:04X}", u32::from(c)).chars()),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Value and the layer that set it.
pub(super) struct Entry {
    pub(super) value: Value,
    pub(super) origin: String,
    /// For a key that can be left to the section outside: the default there, which shows the kind.
    outer: Option<Value>,
}

/// All keys in force by section; the name of a section within another is `outer.inner`.
pub(super) type Tree = BTreeMap<String, BTreeMap<String, Entry>>;

/// Lays all layers over each other. Refused keys are collected, so that they can be reported together.
///
/// # Errors
/// A settings file that cannot be read or parsed.
pub(super) fn merge(sources: &Sources) -> Result<(Tree, Vec<Problem>), Error> {
    let mut layers = Layers {
        tree: defaults()?,
        problems: Vec::new(),
    };
    if let Some(path) = sources.settings_file() {
        let text = std::fs::read_to_string(&path).map_err(|source| Error::File {
            path: path.clone(),
            source,
        })?;
        layers.add_file(&path, &text)?;
    }
    layers.add_environment(&sources.environment);
    layers.add_overrides(&sources.overrides);
    Ok((layers.tree, layers.problems))
}

fn defaults() -> Result<Tree, Error> {
    let mut tree = Tree::new();
    let mut sections: Vec<(String, config::Value)> =
        parse_toml(Path::new("config/default.toml"), DEFAULT_TOML)?
            .into_iter()
            .collect();
    while let Some((section, value)) = sections.pop() {
        let config::ValueKind::Table(keys) = value.kind else {
            continue;
        };
        let mut entries = BTreeMap::new();
        for (key, value) in keys {
            if matches!(&value.kind, config::ValueKind::Table(table) if !table.is_empty()) {
                sections.push((format!("{section}.{key}"), value));
            } else if let Some(value) = plain(value) {
                let entry = Entry {
                    value,
                    origin: "default".to_owned(),
                    outer: None,
                };
                entries.insert(key, entry);
            }
        }
        tree.insert(section, entries);
    }
    let outer_default = |section: &str, key: &str| {
        let (outer, _) = section.rsplit_once('.')?;
        Some(tree.get(outer)?.get(key)?.value.clone())
    };
    let inheriting: Vec<(String, String, Value)> = tree
        .iter()
        .flat_map(|(section, keys)| keys.iter().map(move |(key, entry)| (section, key, entry)))
        .filter(|(_, _, entry)| matches!(&entry.value, Value::Text(text) if text == INHERIT))
        .filter_map(|(section, key, _)| {
            Some((section.clone(), key.clone(), outer_default(section, key)?))
        })
        .collect();
    for (section, key, outer) in inheriting {
        if let Some(entry) = tree.get_mut(&section).and_then(|keys| keys.get_mut(&key)) {
            entry.value = Value::Inherit;
            entry.outer = Some(outer);
        }
    }
    Ok(tree)
}

/// Lays the text of a settings file over the defaults.
///
/// # Errors
/// A text that is not TOML.
pub(super) fn merge_text(text: &str) -> Result<(Tree, Vec<Problem>), Error> {
    let mut layers = Layers {
        tree: defaults()?,
        problems: Vec::new(),
    };
    layers.add_file(Path::new("settings"), text)?;
    Ok((layers.tree, layers.problems))
}

struct Layers {
    tree: Tree,
    problems: Vec<Problem>,
}

impl Layers {
    fn add_file(&mut self, path: &Path, text: &str) -> Result<(), Error> {
        let origin = path.display().to_string();
        let mut set = Vec::new();
        for (section, value) in sorted(parse_toml(path, text)?) {
            self.flatten(&section, value, &origin, &mut set);
        }
        self.one_token_source(set.iter().filter_map(|(section, key, value, _)| {
            let Some(Value::Text(text)) = value else {
                return None;
            };
            (!text.is_empty()).then_some((section.as_str(), key.as_str()))
        }));
        for (section, key, value, shown) in set {
            let Some(default) = self.known(&section, &key, &origin) else {
                continue;
            };
            match value.and_then(|value| default.fit(value)) {
                Some(value) => self.set(&section, &key, value, &origin),
                None => self.wrong_kind(&section, &key, &shown, &origin, &default),
            }
        }
        Ok(())
    }

    /// Lists the keys of a section of the file and of the sections in it.
    fn flatten(
        &mut self,
        section: &str,
        value: config::Value,
        origin: &str,
        set: &mut Vec<(String, String, Option<Value>, String)>,
    ) {
        let config::ValueKind::Table(keys) = value.kind else {
            let reason = self.known_sections(section);
            self.problem(section.to_owned(), None, origin, reason);
            return;
        };
        for (key, value) in sorted(keys) {
            let inner = format!("{section}.{key}");
            if self.tree.contains_key(&inner) {
                self.flatten(&inner, value, origin, set);
            } else {
                let shown = value.to_string();
                set.push((section.to_owned(), key, plain(value), shown));
            }
        }
    }

    fn add_environment(&mut self, environment: &[(String, String)]) {
        // An empty variable is what Docker makes of one that is named but not given: unset.
        let mut texts: Vec<(String, String, String, &str)> = Vec::new();
        let present = environment
            .iter()
            .filter(|(_, value)| !value.trim().is_empty());
        for (name, value) in present {
            let upper = name.to_ascii_uppercase();
            if let Some(path) = upper.strip_prefix(PREFIX) {
                let path = path.to_ascii_lowercase();
                let (section, key) = path.rsplit_once("__").unwrap_or((&path, ""));
                texts.push((
                    section.replace("__", "."),
                    key.to_owned(),
                    name.clone(),
                    value,
                ));
            }
        }
        let ours = texts
            .iter()
            .any(|(section, key, ..)| (section.as_str(), key.as_str()) == TOKEN);
        let theirs = environment
            .iter()
            .find(|(n, v)| n == TOKEN_VARIABLE && !v.trim().is_empty());
        if let (false, Some((name, value))) = (ours, theirs) {
            texts.push((TOKEN.0.to_owned(), TOKEN.1.to_owned(), name.clone(), value));
        }
        // The environment of a process has no order; messages should have one.
        texts.sort();
        self.one_token_source(
            texts
                .iter()
                .map(|(section, key, ..)| (section.as_str(), key.as_str())),
        );
        for (section, key, name, text) in texts {
            self.set_text(
                &section,
                &key,
                text,
                &format!("environment variable {name}"),
            );
        }
    }

    fn add_overrides(&mut self, overrides: &[Override]) {
        for Override { key, value, option } in overrides {
            let (section, key) = key.rsplit_once('.').unwrap_or((key, ""));
            self.set_text(section, key, value, &format!("option {option}"));
        }
    }

    fn set_text(&mut self, section: &str, key: &str, text: &str, origin: &str) {
        let Some(default) = self.known(section, key, origin) else {
            return;
        };
        match default.parse(text) {
            Some(value) => self.set(section, key, value, origin),
            None => self.wrong_kind(section, key, &quoted(text), origin, &default),
        }
    }

    /// A layer that names the token one way hides the other way of the layers below; naming both in one layer
    /// leaves open which is meant.
    fn one_token_source<'a>(&mut self, keys: impl Iterator<Item = (&'a str, &'a str)>) {
        let keys: Vec<(&str, &str)> = keys.collect();
        let (token, file) = (keys.contains(&TOKEN), keys.contains(&TOKEN_FILE));
        let hidden = match (token, file) {
            (true, true) => {
                let reason = "set together with lichess.token_file: expected only one of them";
                self.problem(
                    "lichess.token".to_owned(),
                    None,
                    "same layer",
                    reason.to_owned(),
                );
                return;
            }
            (true, false) => TOKEN_FILE,
            (false, true) => TOKEN,
            (false, false) => return,
        };
        self.set(hidden.0, hidden.1, Value::Text(String::new()), "default");
    }

    fn set(&mut self, section: &str, key: &str, value: Value, origin: &str) {
        if let Some(entry) = self
            .tree
            .get_mut(section)
            .and_then(|keys| keys.get_mut(key))
        {
            entry.value = value;
            origin.clone_into(&mut entry.origin);
        }
    }

    /// What a known key can hold.
    fn known(&mut self, section: &str, key: &str, origin: &str) -> Option<Pattern> {
        let reason = match self.tree.get(section) {
            None => self.known_sections(section),
            Some(keys) => match keys.get(key) {
                Some(entry) => {
                    return Some(Pattern {
                        like: entry.outer.as_ref().unwrap_or(&entry.value).clone(),
                        inherits: entry.outer.is_some(),
                    });
                }
                None => format!(
                    "unknown key{}, expected one of {}",
                    nearest(key, keys.keys()),
                    join(keys.keys())
                ),
            },
        };
        let path = if key.is_empty() {
            section.to_owned()
        } else {
            format!("{section}.{key}")
        };
        self.problem(path, None, origin, reason);
        None
    }

    fn known_sections(&self, section: &str) -> String {
        format!(
            "unknown section{}, expected one of {}",
            nearest(section, self.tree.keys()),
            join(self.tree.keys())
        )
    }

    fn wrong_kind(&mut self, section: &str, key: &str, shown: &str, origin: &str, like: &Pattern) {
        let secret = (section, key) == TOKEN;
        let value = (!secret).then(|| shown.to_owned());
        let reason = format!("expected {}", like.kind());
        self.problem(format!("{section}.{key}"), value, origin, reason);
    }

    fn problem(&mut self, key: String, value: Option<String>, origin: &str, reason: String) {
        self.problems.push(Problem {
            key,
            value,
            origin: origin.to_owned(),
            reason,
        });
    }
}

/// The known word that a misspelt one was probably meant to be, in words; empty if none is near.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a String>) -> String {
    /// Least similarity, of 1, that makes a guess better than none.
    const NEAR: f64 = 0.75;
    known
        .map(|name| (strsim::jaro_winkler(word, name), name))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, name)| format!(" (did you mean {name}?)"))
}

fn join<'a>(words: impl Iterator<Item = &'a String>) -> String {
    words.map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn sorted<V>(map: config::Map<String, V>) -> BTreeMap<String, V> {
    map.into_iter().collect()
}

fn parse_toml(path: &Path, text: &str) -> Result<config::Map<String, config::Value>, Error> {
    let source = config::File::from_str(text, config::FileFormat::Toml);
    config::Config::builder()
        .add_source(source)
        .build()
        .and_then(|config| config.cache.into_table())
        .map_err(|error| Error::Syntax {
            path: path.into(),
            reason: without_secret(&error),
        })
}

/// Text of a parse error without the quoted line of the file if that line may hold the token.
fn without_secret(error: &config::ConfigError) -> String {
    let text = error.to_string();
    let text = text.trim_end();
    let quotes = |line: &&str| {
        line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())
            .starts_with('|')
    };
    if text
        .lines()
        .filter(quotes)
        .any(|line| line.contains("token") || line.contains("lip_"))
    {
        text.lines()
            .filter(|line| !quotes(line))
            .collect::<Vec<_>>()
            .join("\n")
    } else {
        text.to_owned()
    }
}

fn plain(value: config::Value) -> Option<Value> {
    Some(match value.kind {
        config::ValueKind::Boolean(flag) => Value::Flag(flag),
        config::ValueKind::I64(number) => Value::Number(number),
        config::ValueKind::String(text) => Value::Text(text),
        config::ValueKind::Array(items) => {
            let texts = items.into_iter().map(|item| match item.kind {
                config::ValueKind::String(text) => Some(text),
                _ => None,
            });
            Value::List(texts.collect::<Option<_>>()?)
        }
        config::ValueKind::Table(entries) => {
            let texts = entries.into_iter().map(|(name, value)| {
                let text = match value.kind {
                    config::ValueKind::Boolean(_)
                    | config::ValueKind::I64(_)
                    | config::ValueKind::String(_)
                    | config::ValueKind::Float(_) => value.into_string().ok()?,
                    _ => return None,
                };
                Some((name, text))
            });
            Value::Map(texts.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}
