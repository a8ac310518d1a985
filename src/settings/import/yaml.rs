//! Settings files of others, which are YAML, as a tree with the line of each value. Bounded in size and depth, also
//! for files whose aliases would unfold to more than memory holds.

use std::collections::HashMap;
use thiserror::Error;
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::ScanError;

/// Longest file.
const MOST_BYTES: usize = 1 << 20;
/// Most values, those of aliases included.
const MOST_VALUES: usize = 100_000;
/// Deepest nesting.
const MOST_DEPTH: usize = 64;

/// Why a text is no settings file. The text itself is not quoted, since it may hold a token.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum YamlError {
    /// Not YAML.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// Too large or nested too deeply for a settings file.
    #[error("line {line}: expected a settings file, found something far larger")]
    TooLarge {
        /// Line, from 1.
        line: usize,
    },
    /// The whole of it is not a table.
    #[error("expected names with values, such as `engine:`")]
    NoTable,
}

/// A value and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// Text of a single value; empty for a name without a value.
    Scalar(String),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

impl Node {
    /// Entry of a table.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(entries) => entries
                .iter()
                .rev()
                .find(|(key, _)| key == name)
                .map(|(_, node)| node),
            _ => None,
        }
    }

    fn size(&self) -> usize {
        1 + match &self.value {
            Value::Scalar(_) => 0,
            Value::List(items) => items.iter().map(Self::size).sum(),
            Value::Table(entries) => entries.iter().map(|(_, node)| node.size()).sum(),
        }
    }
}

/// List or table that is being read.
struct Open {
    anchor: usize,
    node: Node,
    /// Key of a table that waits for its value.
    key: Option<String>,
}

#[derive(Default)]
struct Reading {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    values: usize,
    root: Option<Node>,
}

/// Reads the first document of a text.
///
/// # Errors
/// When it is not YAML, not a table, or unreasonably large.
pub(super) fn read(text: &str) -> Result<Node, YamlError> {
    if text.len() > MOST_BYTES {
        return Err(YamlError::TooLarge { line: 1 });
    }
    let mut parser = Parser::new_from_str(text);
    let mut reading = Reading::default();
    loop {
        let (event, mark) = parser.next_token().map_err(|error| syntax(&error))?;
        let line = mark.line();
        match event {
            Event::StreamEnd | Event::DocumentEnd => break,
            Event::Scalar(text, _, anchor, _) => {
                let value = Value::Scalar(text);
                reading.add(anchor, Node { line, value })?;
            }
            Event::SequenceStart(anchor, _) => reading.open(anchor, line, Value::List(vec![]))?,
            Event::MappingStart(anchor, _) => reading.open(anchor, line, Value::Table(vec![]))?,
            Event::SequenceEnd | Event::MappingEnd => reading.close()?,
            Event::Alias(anchor) => {
                let node = reading.anchors.get(&anchor).cloned();
                let nothing = Node {
                    line,
                    value: Value::Scalar(String::new()),
                };
                reading.add(0, node.unwrap_or(nothing))?;
            }
            Event::Nothing | Event::StreamStart | Event::DocumentStart => {}
        }
    }
    match reading.root {
        Some(root) if matches!(root.value, Value::Table(_)) => Ok(root),
        _ => Err(YamlError::NoTable),
    }
}

fn syntax(error: &ScanError) -> YamlError {
    YamlError::Syntax {
        line: error.marker().line(),
        column: error.marker().col() + 1,
        reason: error.info().to_owned(),
    }
}

impl Reading {
    fn open(&mut self, anchor: usize, line: usize, value: Value) -> Result<(), YamlError> {
        if self.open.len() == MOST_DEPTH {
            return Err(YamlError::TooLarge { line });
        }
        self.open.push(Open {
            anchor,
            node: Node { line, value },
            key: None,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), YamlError> {
        match self.open.pop() {
            Some(Open { anchor, node, .. }) => self.add(anchor, node),
            None => Ok(()),
        }
    }

    /// Puts a finished value where it belongs.
    fn add(&mut self, anchor: usize, node: Node) -> Result<(), YamlError> {
        self.values += node.size();
        if self.values > MOST_VALUES {
            return Err(YamlError::TooLarge { line: node.line });
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.node.value, open.key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Table(_), None) => {
                open.key = Some(match node.value {
                    Value::Scalar(text) => text,
                    // A table as a name: nothing that a settings file has.
                    _ => String::new(),
                });
            }
            (Value::Table(entries), Some(key)) if key == "<<" => {
                if let Value::Table(merged) = node.value {
                    // What the table itself says wins, so these go first.
                    entries.splice(0..0, merged);
                }
            }
            (Value::Table(entries), Some(key)) => entries.push((key, node)),
            (Value::Scalar(_), _) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_lists_and_merged_aliases_are_read_with_their_lines() {
        let text =
            "a: 1\nbase: &b\n  x: [1, two]\n  y: no\nmine:\n  <<: *b\n  y: \"yes\"\nempty:\n";
        let root = read(text).unwrap();
        assert_eq!(root.get("a").unwrap().value, Value::Scalar("1".to_owned()));
        let mine = root.get("mine").unwrap();
        assert_eq!(
            mine.get("y").unwrap().value,
            Value::Scalar("yes".to_owned())
        );
        assert_eq!(mine.get("y").unwrap().line, 7);
        let Value::List(items) = &mine.get("x").unwrap().value else {
            panic!("{mine:?}")
        };
        assert_eq!(items[1].value, Value::Scalar("two".to_owned()));
        assert!(root.get("empty").is_some() && root.get("b").is_none());
    }

    #[test]
    fn what_is_no_settings_file_is_refused_without_being_quoted() {
        for text in [
            "",
            "just words",
            "- a\n- b",
            "token: lip_secret: x",
            "a: [1",
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        assert!(matches!(read("a:\n  b: [1"), Err(YamlError::Syntax { .. })));
    }

    #[test]
    fn bombs_are_defused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..12 {
            let alias = format!("*a{}", i - 1);
            let aliases = [alias.as_str(); 10].join(", ");
            text.extend([format!("a{i}: &a{i} [{aliases}]\n")]);
        }
        assert!(matches!(read(&text), Err(YamlError::TooLarge { .. })));
        let deep = "[".repeat(10_000);
        assert!(read(&format!("a: {deep}")).is_err());
    }
}
