//! Typed access to the merged tree: each read checks range and form, and all refusals are kept.

use super::layers::{Entry, Tree, Value};
use super::template::Template;
use super::{Effective, Error, Problem, token};
use jiff::SignedDuration;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use url::Url;

pub(super) struct Reader {
    tree: Tree,
    problems: Vec<Problem>,
    values: Vec<Effective>,
}

impl Reader {
    pub(super) const fn new(tree: Tree, problems: Vec<Problem>) -> Self {
        Self {
            tree,
            problems,
            values: Vec::new(),
        }
    }

    /// Everything that was read, in that order.
    ///
    /// # Errors
    /// All problems, if there are any.
    pub(super) fn finish(mut self) -> Result<Vec<Effective>, Error> {
        // A key of the file that nothing reads would be silently without effect.
        for (section, keys) in &self.tree {
            for key in keys.keys() {
                if !self
                    .values
                    .iter()
                    .any(|v| v.section == section && v.key == key)
                {
                    self.problems.push(Problem {
                        key: format!("{section}.{key}"),
                        value: None,
                        origin: "default".to_owned(),
                        reason: "no such setting in the program".to_owned(),
                    });
                }
            }
        }
        if self.problems.is_empty() {
            Ok(self.values)
        } else {
            Err(Error::Invalid(self.problems))
        }
    }

    /// Adds a refusal of a value for what it is together with others.
    pub(super) fn refuse(&mut self, section: &str, key: &str, expected: &str) {
        let entry = self.tree.get(section).and_then(|keys| keys.get(key));
        let shown = entry.map(|entry| entry.value.to_toml());
        let origin = entry
            .map_or("default", |entry| entry.origin.as_str())
            .to_owned();
        self.push(section, key, shown, origin, expected);
    }

    /// Whether a key is left to the section outside; it then counts as read.
    pub(super) fn inherits(&mut self, section: &'static str, key: &'static str) -> bool {
        let entry = self.tree.get(section).and_then(|keys| keys.get(key));
        let inherits = entry.is_some_and(|entry| matches!(entry.value, Value::Inherit));
        if inherits {
            self.take(section, key);
        }
        inherits
    }

    pub(super) fn flag(&mut self, section: &'static str, key: &'static str) -> bool {
        match self.take(section, key) {
            Some(Value::Flag(flag)) => flag,
            _ => self.missing(section, key, "true or false"),
        }
    }

    pub(super) fn number<T: TryFrom<i64> + Default>(
        &mut self,
        section: &'static str,
        key: &'static str,
        range: RangeInclusive<i64>,
    ) -> T {
        let number = match self.take(section, key) {
            Some(Value::Number(number)) if range.contains(&number) => T::try_from(number).ok(),
            _ => None,
        };
        let Some(number) = number else {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            return self.missing(section, key, &expected);
        };
        number
    }

    pub(super) fn duration(
        &mut self,
        section: &'static str,
        key: &'static str,
        range: RangeInclusive<Duration>,
    ) -> Duration {
        match parse_duration(&self.text(section, key)) {
            Some(duration) if range.contains(&duration) => duration,
            _ => {
                let (low, high) = (in_words(*range.start()), in_words(*range.end()));
                let expected =
                    format!("a duration from {low} to {high}, such as \"20s\" or \"1m 30s\"");
                self.missing(section, key, &expected)
            }
        }
    }

    /// One of some words, in any case.
    pub(super) fn choice<T: Copy + Default>(
        &mut self,
        section: &'static str,
        key: &'static str,
        choices: &[(&str, T)],
    ) -> T {
        let text = self.text(section, key);
        let found = choices
            .iter()
            .find(|(word, _)| word.eq_ignore_ascii_case(&text));
        if let Some((_, value)) = found {
            return *value;
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        self.missing(section, key, &format!("one of {}", words.join(", ")))
    }

    /// List of known words, returned in the known spelling and without repetitions.
    pub(super) fn words(
        &mut self,
        section: &'static str,
        key: &'static str,
        known: &[&str],
    ) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for item in self.list(section, key) {
            match known.iter().find(|word| word.eq_ignore_ascii_case(&item)) {
                Some(word) if words.iter().any(|have| have == word) => {}
                Some(word) => words.push((*word).to_owned()),
                None => self.refuse(section, key, &format!("a list of {}", known.join(", "))),
            }
        }
        words
    }

    /// List of texts that are read as something else.
    pub(super) fn parsed<T: FromStr>(
        &mut self,
        section: &'static str,
        key: &'static str,
        expected: &str,
    ) -> Vec<T> {
        let items = self.list(section, key);
        let parsed = items.iter().map(|item| item.trim().parse());
        match parsed.collect::<Result<_, _>>() {
            Ok(values) => values,
            Err(_) => self.missing(section, key, expected),
        }
    }

    /// List of user names, returned as ids.
    pub(super) fn users(&mut self, section: &'static str, key: &'static str) -> Vec<String> {
        let users = self.list(section, key);
        let is_name = |name: &String| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        };
        if !users.iter().all(is_name) {
            self.refuse(section, key, "user names of letters, digits, _ and -");
        }
        users.iter().map(|name| name.to_ascii_lowercase()).collect()
    }

    pub(super) fn required_path(&mut self, section: &'static str, key: &'static str) -> PathBuf {
        let text = self.text(section, key);
        if text.is_empty() || text.contains('\0') {
            return self.missing(section, key, "a path");
        }
        PathBuf::from(text)
    }

    pub(super) fn optional_path(
        &mut self,
        section: &'static str,
        key: &'static str,
    ) -> Option<PathBuf> {
        let text = self.text(section, key);
        if text.contains('\0') {
            return self.missing(section, key, "a path, or nothing");
        }
        (!text.is_empty()).then(|| PathBuf::from(text))
    }

    /// Text with placeholders out of `known`.
    pub(super) fn template(
        &mut self,
        section: &'static str,
        key: &'static str,
        known: &[&'static str],
    ) -> Template {
        let text = self.text(section, key);
        match Template::parse(&text, known) {
            Ok(template) => template,
            Err(expected) => self.missing(section, key, &expected),
        }
    }

    pub(super) fn log_filter(&mut self, section: &'static str, key: &'static str) -> String {
        let text = self.text(section, key);
        // A lone word that is no level would pass as the name of a module and silence everything else.
        let names_no_level = text.bytes().all(|byte| byte.is_ascii_alphabetic())
            && !["error", "warn", "info", "debug", "trace", "off"]
                .iter()
                .any(|level| text.eq_ignore_ascii_case(level));
        if names_no_level || tracing_subscriber::EnvFilter::try_new(&text).is_err() {
            let expected =
                "error, warn, info, debug, trace, or a filter such as \"info,hyper=warn\"";
            return self.missing(section, key, expected);
        }
        text
    }

    pub(super) fn server_url(&mut self, section: &'static str, key: &'static str) -> Url {
        let text = self.text(section, key);
        let is_server = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        };
        match Url::parse(&text) {
            Ok(url) if is_server(&url) => url,
            _ => {
                let expected = "http or https, host and port only, such as \"https://lichess.org\"";
                self.refuse(section, key, expected);
                // Never used: the problem above ends the loading.
                Url::parse("https://invalid.invalid").expect("a constant URL is valid")
            }
        }
    }

    pub(super) fn contact(&mut self, section: &'static str, key: &'static str) -> Option<String> {
        let text = self.text(section, key);
        if !text.bytes().all(|b| b.is_ascii_graphic() || b == b' ') || text.len() > 200 {
            return self.missing(section, key, "at most 200 printable ASCII characters");
        }
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn token(
        &mut self,
        section: &'static str,
        key: &'static str,
    ) -> Option<SecretString> {
        let value = self.tree.get(section).and_then(|keys| keys.get(key));
        let text = match value {
            Some(Entry {
                value: Value::Text(text),
                ..
            }) => text.trim().to_owned(),
            _ => String::new(),
        };
        let origin = value.map_or_else(String::new, |entry| entry.origin.clone());
        let shown = if text.is_empty() {
            "\"\""
        } else {
            "\"[REDACTED]\""
        };
        self.values.push(Effective {
            section,
            key,
            value: shown.to_owned(),
            origin: origin.clone(),
        });
        if !text.is_empty() && !token::is_token(&text) {
            self.push(section, key, None, origin, token::EXPECTED);
            return None;
        }
        (!text.is_empty()).then(|| text.into())
    }

    pub(super) fn text(&mut self, section: &'static str, key: &'static str) -> String {
        match self.take(section, key) {
            Some(Value::Text(text)) => text,
            _ => String::new(),
        }
    }

    /// Texts of any kind.
    pub(super) fn list(&mut self, section: &'static str, key: &'static str) -> Vec<String> {
        match self.take(section, key) {
            Some(Value::List(items)) => items,
            _ => Vec::new(),
        }
    }

    /// Names and values of the user's own.
    pub(super) fn map(
        &mut self,
        section: &'static str,
        key: &'static str,
    ) -> BTreeMap<String, String> {
        match self.take(section, key) {
            Some(Value::Map(entries)) => entries,
            _ => BTreeMap::new(),
        }
    }

    /// Names of the user's own with secrets, which are not shown.
    pub(super) fn secret_map(
        &mut self,
        section: &'static str,
        key: &'static str,
    ) -> BTreeMap<String, String> {
        let entries = self.map(section, key);
        if let Some(shown) = self.values.last_mut() {
            let hidden = entries
                .keys()
                .map(|name| (name.clone(), "[REDACTED]".to_owned()));
            shown.value = Value::Map(hidden.collect()).to_toml();
        }
        entries
    }

    /// Value of a key, which counts as read from now on.
    fn take(&mut self, section: &'static str, key: &'static str) -> Option<Value> {
        let entry = self.tree.get(section)?.get(key)?;
        self.values.push(Effective {
            section,
            key,
            value: entry.value.to_toml(),
            origin: entry.origin.clone(),
        });
        Some(entry.value.clone())
    }

    /// Notes a refusal and returns a stand-in, which nobody sees: [`Reader::finish`] fails.
    fn missing<T: Default>(&mut self, section: &str, key: &str, expected: &str) -> T {
        self.refuse(section, key, expected);
        T::default()
    }

    fn push(
        &mut self,
        section: &str,
        key: &str,
        value: Option<String>,
        origin: String,
        expected: &str,
    ) {
        let key = format!("{section}.{key}");
        self.problems.push(Problem {
            key,
            value,
            origin,
            reason: format!("expected {expected}"),
        });
    }
}

/// Duration such as `1m 30s`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let duration = text.parse::<SignedDuration>().ok()?;
    Duration::try_from(duration).ok()
}

fn in_words(duration: Duration) -> String {
    SignedDuration::try_from(duration)
        .map_or_else(|_| format!("{duration:?}"), |d| format!("{d:#}"))
}
