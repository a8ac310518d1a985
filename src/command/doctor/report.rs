//! What was found, for people and for programs.

use serde::Serialize;
use std::fmt;

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Ok,
    Warning,
    Failure,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failure => "failure",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) state: State,
    pub(super) text: String,
    /// What to do about it; nothing if it is in order.
    pub(super) advice: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, text: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Ok,
            text: one_line(text.into()),
            advice: None,
        }
    }

    pub(super) fn warning(
        name: &'static str,
        text: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            state: State::Warning,
            advice: Some(one_line(advice.into())),
            ..Self::ok(name, text)
        }
    }

    pub(super) fn failure(
        name: &'static str,
        text: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            state: State::Failure,
            ..Self::warning(name, text, advice)
        }
    }
}

/// Errors may have several lines; a check has one.
fn one_line(text: String) -> String {
    if text.contains('\n') {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.join("; ")
    } else {
        text
    }
}

/// All checks.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub(super) struct Report {
    pub(super) ok: bool,
    pub(super) checks: Vec<Check>,
}

impl Report {
    pub(super) fn new(checks: Vec<Check>) -> Self {
        let failed = |check: &Check| check.state == State::Failure;
        Self {
            ok: !checks.iter().any(failed),
            checks,
        }
    }

    /// Number of checks that ended so.
    pub(super) fn count(&self, state: State) -> usize {
        let ended = |check: &&Check| check.state == state;
        self.checks.iter().filter(ended).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            write!(
                f,
                "{:<8} {:<10} {}",
                check.state.word(),
                check.name,
                check.text
            )?;
            match &check.advice {
                Some(advice) => writeln!(f, ": {advice}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_one_line_and_one_failure_is_enough() {
        let report = Report::new(vec![
            Check::ok("token", "found"),
            Check::warning("bio", "none", "write one"),
        ]);
        assert!(report.ok);
        assert_eq!(
            report.to_string(),
            "ok       token      found\nwarning  bio        none: write one\n"
        );
        let report = Report::new(vec![Check::failure("engine", "a\n  b", "c\nd")]);
        assert!(!report.ok);
        assert_eq!(report.count(State::Failure), 1);
        assert_eq!(report.to_string(), "failure  engine     a; b: c; d\n");
    }
}
