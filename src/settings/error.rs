//! What can be wrong with settings.

use std::fmt;
use std::path::PathBuf;

/// Settings that cannot be used.
#[derive(thiserror::Error, Debug)]
pub enum Error {
    /// The settings file cannot be read.
    #[error("cannot read settings file {}", path.display())]
    File {
        /// File that was asked for.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// The settings file is not TOML.
    #[error("settings file {} is not valid TOML: {reason}", path.display())]
    Syntax {
        /// File.
        path: PathBuf,
        /// Place and reason; lines that could hold the token are left out.
        reason: String,
    },
    /// The token file cannot be read.
    #[error("cannot read the token from lichess.token_file = {path:?}")]
    TokenFile {
        /// File.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// The token file holds no usable token.
    #[error("lichess.token_file = {path:?} holds no usable token: expected {expected}")]
    TokenContent {
        /// File.
        path: PathBuf,
        /// What it should hold.
        expected: &'static str,
    },
    /// Unknown keys and values that are refused.
    #[error("{}", list(.0))]
    Invalid(Vec<Problem>),
}

/// One refused key or value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// `section.key`.
    pub key: String,
    /// Value as given; `None` for secrets and unknown keys.
    pub value: Option<String>,
    /// Layer that it comes from.
    pub origin: String,
    /// What is wrong or was expected.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        if let Some(value) = &self.value {
            write!(f, " = {value}")?;
        }
        write!(f, " ({}): {}", self.origin, self.reason)
    }
}

fn list(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
