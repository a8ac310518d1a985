//! Options that an engine announces, and whether those of the settings fit them. Pure.

use std::collections::BTreeMap;
use std::fmt;

/// Least similarity, of 1, that makes a guess at a misspelt name better than none.
const NEAR: f64 = 0.75;

/// What values an option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Check,
    Spin { min: i64, max: i64 },
    Combo { values: Vec<String> },
    Button,
    Text,
}

/// Options by name in lower case, with the name as announced.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Options(BTreeMap<String, (String, Kind)>);

/// Option of the settings that the engine does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionProblem {
    /// Name as in the settings.
    pub name: String,
    /// Value as in the settings.
    pub value: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for OptionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            value,
            expected,
        } = self;
        write!(f, "option {name:?} = {value:?}: {expected}")
    }
}

impl Options {
    /// Takes a line `option name N type T ...` in; other lines do nothing.
    pub(super) fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let ["option", "name", rest @ ..] = words.as_slice() else {
            return;
        };
        let Some(at) = rest.iter().rposition(|word| *word == "type") else {
            return;
        };
        // A default may contain the word; the type is then the first that is followed by a known one.
        let known = ["check", "spin", "combo", "button", "string"];
        let first = (0..rest.len())
            .find(|&i| rest[i] == "type" && rest.get(i + 1).is_some_and(|t| known.contains(t)));
        let at = first.unwrap_or(at);
        let name = rest[..at].join(" ");
        let after = |word: &str| {
            let place = rest[at..].iter().position(|w| *w == word)?;
            rest.get(at + place + 1)?.parse().ok()
        };
        let kind = match rest.get(at + 1).copied() {
            Some("check") => Kind::Check,
            Some("spin") => Kind::Spin {
                min: after("min").unwrap_or(i64::MIN),
                max: after("max").unwrap_or(i64::MAX),
            },
            Some("combo") => Kind::Combo {
                values: rest[at..]
                    .split(|word| *word == "var")
                    .skip(1)
                    .map(|value| value.join(" "))
                    .collect(),
            },
            Some("button") => Kind::Button,
            _ => Kind::Text,
        };
        self.0.insert(name.to_ascii_lowercase(), (name, kind));
    }

    /// Name as announced, if there is such an option.
    pub(super) fn name(&self, name: &str) -> Option<&str> {
        self.get(name).map(|(name, _)| name.as_str())
    }

    fn get(&self, name: &str) -> Option<&(String, Kind)> {
        self.0.get(&name.to_ascii_lowercase())
    }

    /// Whether the engine can be told to play crazyhouse.
    pub(super) fn knows_crazyhouse(&self) -> bool {
        match self.get("UCI_Variant") {
            Some((_, Kind::Combo { values })) => values.iter().any(|value| value == "crazyhouse"),
            Some((_, Kind::Text)) => true,
            _ => false,
        }
    }

    /// Lines that set the options of the settings.
    ///
    /// # Errors
    /// All of them that the engine does not take.
    pub(super) fn commands(
        &self,
        wanted: &BTreeMap<String, String>,
    ) -> Result<Vec<String>, Vec<OptionProblem>> {
        let mut problems = Vec::new();
        let mut commands = Vec::new();
        for (name, value) in wanted {
            match self.command(name, value) {
                Ok(command) => commands.push(command),
                Err(expected) => problems.push(OptionProblem {
                    name: name.clone(),
                    value: value.clone(),
                    expected,
                }),
            }
        }
        if problems.is_empty() {
            Ok(commands)
        } else {
            Err(problems)
        }
    }

    fn command(&self, name: &str, value: &str) -> Result<String, String> {
        let lower = name.to_ascii_lowercase();
        if ["uci_variant", "ponder"].contains(&lower.as_str()) {
            return Err("expected no such line, it is set by this program".to_owned());
        }
        let Some((announced, kind)) = self.0.get(&lower) else {
            return Err(format!(
                "the engine has no such option{}",
                self.nearest(&lower)
            ));
        };
        let expected = match kind {
            Kind::Check => {
                let value = value.to_ascii_lowercase();
                if ["true", "false"].contains(&value.as_str()) {
                    return Ok(format!("setoption name {announced} value {value}"));
                }
                "expected true or false".to_owned()
            }
            Kind::Spin { min, max } => match value.parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => String::new(),
                _ => format!("expected a whole number from {min} to {max}"),
            },
            Kind::Combo { values } => {
                let known = values
                    .iter()
                    .find(|known| known.eq_ignore_ascii_case(value));
                if let Some(known) = known {
                    return Ok(format!("setoption name {announced} value {known}"));
                }
                format!("expected one of {}", values.join(", "))
            }
            Kind::Button => return Ok(format!("setoption name {announced}")),
            Kind::Text => String::new(),
        };
        if expected.is_empty() {
            Ok(format!("setoption name {announced} value {value}"))
        } else {
            Err(expected)
        }
    }

    fn nearest(&self, name: &str) -> String {
        self.0
            .iter()
            .map(|(lower, (announced, _))| (strsim::jaro_winkler(name, lower), announced))
            .filter(|(similarity, _)| *similarity >= NEAR)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map_or_else(String::new, |(_, name)| format!(" (did you mean {name}?)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        let mut options = Options::default();
        for line in [
            "id name Some Engine",
            "option name Hash type spin default 16 min 1 max 33554432",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name UCI_LimitStrength type check default false",
            "option name Debug Log File type string default",
            "option name Log type Name type string default my type spin",
            "option name UCI_Variant type combo default chess var chess var crazyhouse var 3check",
            "option name Style type combo default Very Solid var Very Solid var Risky",
        ] {
            options.hear(line);
        }
        options
    }

    fn set(name: &str, value: &str) -> Result<Vec<String>, String> {
        let wanted = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        options()
            .commands(&wanted)
            .map_err(|problems| problems[0].to_string())
    }

    #[test]
    fn values_that_fit_are_set_under_the_announced_name() {
        for (name, value, command) in [
            ("hash", "64", "setoption name Hash value 64"),
            ("clear hash", "", "setoption name Clear Hash"),
            (
                "UCI_LimitStrength",
                "True",
                "setoption name UCI_LimitStrength value true",
            ),
            (
                "Debug Log File",
                "a b.txt",
                "setoption name Debug Log File value a b.txt",
            ),
            (
                "style",
                "very solid",
                "setoption name Style value Very Solid",
            ),
            ("Log type Name", "x", "setoption name Log type Name value x"),
        ] {
            assert_eq!(set(name, value).unwrap(), [command], "{name}");
        }
    }

    #[test]
    fn values_and_names_that_do_not_fit_are_refused_with_what_was_expected() {
        for (name, value, expected) in [
            ("Hash", "lots", "whole number from 1 to 33554432"),
            ("Hash", "0", "whole number from 1 to 33554432"),
            ("UCI_LimitStrength", "1", "true or false"),
            ("Style", "Wild", "one of Very Solid, Risky"),
            ("Hesh", "64", "did you mean Hash?"),
            ("SyzygyPath", "x", "no such option"),
            ("UCI_Variant", "chess", "set by this program"),
        ] {
            let text = set(name, value).unwrap_err();
            assert!(text.contains(expected), "{text}");
            assert!(text.contains(name) && text.contains(value), "{text}");
        }
    }

    #[test]
    fn an_engine_without_crazyhouse_is_known() {
        assert!(options().knows_crazyhouse());
        let mut chess = Options::default();
        assert!(!chess.knows_crazyhouse());
        chess.hear("option name UCI_Variant type combo default chess var chess var atomic");
        assert!(!chess.knows_crazyhouse());
    }
}
