//! Settings of lichess-bot and BotLi as settings of this program.
//!
//! Every value of their file is either taken over or told with the reason why not. What is taken over is checked as if
//! it stood in our own file, so the result can be used as it is. The token is never repeated.

mod botli;
mod engine;
mod lichess_bot;
#[cfg(test)]
mod tests;
mod value;
mod yaml;

pub use yaml::YamlError;

use super::layers::{self, quoted};
use super::{Error, Settings};
use crate::settings::reader::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use yaml::{Node, Value};

/// Longest reason-free value shown of what was left out.
const EXCERPT: usize = 60;

/// Program whose settings they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// <https://github.com/lichess-bot-devs/lichess-bot>
    LichessBot,
    /// <https://github.com/Torom/BotLi>
    BotLi,
}

impl Origin {
    /// Name of the program.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LichessBot => "lichess-bot",
            Self::BotLi => "BotLi",
        }
    }
}

/// What to take over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportOptions {
    /// Keep the other program's engine, with its options, instead of playing with the one inside.
    pub keep_engine: bool,
}

/// A value that was taken over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Its name there.
    pub from: String,
    /// Its name here, as `section.key`.
    pub key: String,
    /// Its value, as TOML.
    pub value: String,
}

impl Taken {
    /// Whether this is the key, or one of the table with that name.
    fn is_within(&self, key: &str) -> bool {
        let rest = self.key.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// A value that has no counterpart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// Line of the file.
    pub line: usize,
    /// Its name there.
    pub from: String,
    /// Why it was not taken over.
    pub reason: String,
}

/// Settings of another program, translated. Shown as a settings file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// Program whose settings they were.
    pub origin: Origin,
    /// Values that were taken over.
    pub taken: Vec<Taken>,
    /// Values that were not.
    pub left: Vec<Left>,
}

/// What becomes of a value.
enum Outcome {
    /// Keys and their values in TOML.
    Take(Vec<(&'static str, String)>),
    /// An option of the other engine.
    EngineOption(String, String),
    /// No counterpart.
    Leave(String),
    /// What is in this table is looked at one by one.
    Descend,
}

impl Outcome {
    fn take(key: &'static str, value: &impl ToString) -> Self {
        Self::Take(vec![(key, value.to_string())])
    }

    fn leave(reason: &str) -> Self {
        Self::Leave(reason.to_owned())
    }
}

/// What a rule is asked about.
struct Asked<'a> {
    /// Whole file.
    root: &'a Node,
    /// Names from the top, such as `engine`, `uci_options`, `Hash`.
    path: &'a [&'a str],
    node: &'a Node,
    options: ImportOptions,
}

/// Translates the settings of another program.
///
/// # Errors
/// When the text is not YAML, or no table.
pub fn import(text: &str, options: ImportOptions) -> Result<Import, YamlError> {
    let root = yaml::read(text)?;
    let origin = origin(&root);
    let mut work = Work {
        root: &root,
        origin,
        options,
        taken: Vec::new(),
        left: Vec::new(),
        engine_options: BTreeMap::new(),
    };
    work.walk(&mut Vec::new(), &root);
    Ok(work.finish())
}

/// The two name nearly everything differently.
fn origin(root: &Node) -> Origin {
    let names = [
        "engines",
        "opening_books",
        "offer_draw",
        "messages",
        "blacklist",
        "online_moves",
    ];
    if names.iter().any(|name| root.get(name).is_some()) {
        Origin::BotLi
    } else {
        Origin::LichessBot
    }
}

struct Work<'a> {
    root: &'a Node,
    origin: Origin,
    options: ImportOptions,
    taken: Vec<Taken>,
    left: Vec<Left>,
    engine_options: BTreeMap<String, String>,
}

impl<'a> Work<'a> {
    fn walk(&mut self, path: &mut Vec<&'a str>, node: &'a Node) {
        let Value::Table(entries) = &node.value else {
            return;
        };
        for (name, node) in entries {
            path.push(name);
            self.one(path, node);
            path.pop();
        }
    }

    fn one(&mut self, path: &mut Vec<&'a str>, node: &'a Node) {
        let asked = Asked {
            root: self.root,
            path,
            node,
            options: self.options,
        };
        let outcome = match self.origin {
            Origin::LichessBot => lichess_bot::rule(&asked),
            Origin::BotLi => botli::rule(&asked),
        };
        let from = path.join(".");
        match outcome {
            Outcome::Take(values) => {
                for (key, value) in values {
                    // A later line of the same meaning wins, as in a file.
                    self.taken.retain(|taken| taken.key != key);
                    self.taken.push(Taken {
                        from: from.clone(),
                        key: key.to_owned(),
                        value,
                    });
                }
            }
            Outcome::EngineOption(name, value) => {
                self.engine_options.insert(name, value);
            }
            Outcome::Leave(reason) => self.left.push(Left {
                line: node.line,
                from,
                reason,
            }),
            Outcome::Descend if matches!(node.value, Value::Table(_)) => self.walk(path, node),
            Outcome::Descend => self.left.push(Left {
                line: node.line,
                from,
                reason: "not known".to_owned(),
            }),
        }
    }

    fn finish(mut self) -> Import {
        if !self.engine_options.is_empty() {
            let pairs = self.engine_options.iter();
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)))
                .collect();
            self.taken.push(Taken {
                from: "uci_options".to_owned(),
                key: "engine.uci.options".to_owned(),
                value: format!("{{ {} }}", pairs.join(", ")),
            });
        }
        let mut import = Import {
            origin: self.origin,
            taken: self.taken,
            left: self.left,
        };
        // Refused values are taken out one after the other: each may hide the next one.
        while let Some((key, reason)) = import.first_refused() {
            let (refused, taken) = import
                .taken
                .into_iter()
                .partition(|taken: &Taken| taken.is_within(&key));
            import.taken = taken;
            for Taken { from, key, value } in refused {
                let reason = format!("{key} = {}: {reason}", excerpt(&value));
                import.left.push(Left {
                    line: 0,
                    from,
                    reason,
                });
            }
        }
        import
    }
}

impl Import {
    /// First value that our own settings refuse, with the reason.
    fn first_refused(&self) -> Option<(String, String)> {
        let (merged, problems) = layers::merge_text(&self.toml()).ok()?;
        let mut reader = Reader::new(merged, problems);
        Settings::read(&mut reader);
        let Err(Error::Invalid(problems)) = reader.finish() else {
            return None;
        };
        let ours = |key: &str| self.taken.iter().any(|taken| taken.is_within(key));
        let problem = problems.into_iter().find(|problem| ours(&problem.key))?;
        let reason = if problem.reason.starts_with("unknown") {
            "this version has no such setting".to_owned()
        } else {
            problem.reason
        };
        Some((problem.key, reason))
    }

    /// Settings file of the values taken over, without comments.
    pub fn toml(&self) -> String {
        let section = |taken: &Taken| match taken.key.rsplit_once('.') {
            Some((section, _)) => section.to_owned(),
            None => String::new(),
        };
        let sections: BTreeSet<String> = self.taken.iter().map(section).collect();
        let mut text = String::new();
        for name in sections {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.extend([gap, "[", &name, "]\n"]);
            for taken in self.taken.iter().filter(|taken| section(taken) == name) {
                let key = taken.key.rsplit_once('.').map_or("", |(_, key)| key);
                text.extend([key, " = ", &taken.value, "\n"]);
            }
        }
        text
    }
}

impl fmt::Display for Import {
    /// Settings file, with what was left out as comments at its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.origin.name();
        writeln!(
            f,
            "# Settings of {name}, as far as they have a counterpart.\n"
        )?;
        f.write_str(&self.toml())?;
        if self.left.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n# Not taken over:")?;
        for left in &self.left {
            writeln!(f, "#   {}: {}", comment(&left.from), comment(&left.reason))?;
        }
        Ok(())
    }
}

/// Text of a comment: one line.
fn comment(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT).collect()
}
