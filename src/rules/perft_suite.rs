//! Runs a file of positions with known perft counts.
//!
//! The file is JSON: `{"positions": [{"id", "variant", "fen", "perft": {"1": 20, ...}}, ...]}`;
//! other keys are ignored.

use super::fen::FenError;
use super::perft::perft;
use super::piece::Variant;
use super::position::Position;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a suite could not be run. A wrong count is no error but a row of its own.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// Not the expected JSON.
    #[error("perft suite is not the expected json")]
    Json(#[from] serde_json::Error),
    /// A position names an unknown variant.
    #[error("perft suite, position {id}: variant {value:?}, expected crazyhouse, loop or chessgi")]
    Variant {
        /// Position of the suite.
        id: String,
        /// Name found.
        value: String,
    },
    /// A position cannot be read.
    #[error("perft suite, position {id}: unusable fen")]
    Fen {
        /// Position of the suite.
        id: String,
        /// What is wrong with it.
        source: FenError,
    },
}

/// One count of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuiteRow<'a> {
    /// Name of the position.
    pub id: &'a str,
    /// Rules it is counted by.
    pub variant: Variant,
    /// Position as written in the suite.
    pub fen: &'a str,
    /// Plies.
    pub depth: u32,
    /// Nodes that the suite states.
    pub expected: u64,
    /// Nodes counted.
    pub actual: u64,
}

impl SuiteRow<'_> {
    /// Whether the count is right.
    pub const fn passed(&self) -> bool {
        self.expected == self.actual
    }
}

/// Sums over a whole suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SuiteSummary {
    /// Positions in the file.
    pub positions: usize,
    /// Counts made.
    pub rows: usize,
    /// Counts that were wrong.
    pub failed: usize,
    /// Counts left out because of the node limit.
    pub skipped: usize,
    /// Nodes counted.
    pub nodes: u64,
}

#[derive(Deserialize)]
struct Suite {
    positions: Vec<SuitePosition>,
}

#[derive(Deserialize)]
struct SuitePosition {
    id: String,
    variant: String,
    fen: String,
    perft: BTreeMap<u32, u64>,
}

/// Counts every row of the suite in `json`, and tells `on_row` about each one as it is done.
///
/// Rows that state more than `max_nodes` nodes are left out.
///
/// # Errors
/// When the suite or one of its positions cannot be read.
pub fn run_suite(
    json: &str,
    max_nodes: Option<u64>,
    on_row: &mut dyn FnMut(&SuiteRow<'_>),
) -> Result<SuiteSummary, SuiteError> {
    let suite: Suite = serde_json::from_str(json)?;
    let mut summary = SuiteSummary {
        positions: suite.positions.len(),
        ..SuiteSummary::default()
    };
    for entry in &suite.positions {
        let variant = Variant::from_name(&entry.variant).ok_or_else(|| SuiteError::Variant {
            id: entry.id.clone(),
            value: entry.variant.clone(),
        })?;
        let position =
            Position::from_fen(&entry.fen, variant).map_err(|source| SuiteError::Fen {
                id: entry.id.clone(),
                source,
            })?;
        for (&depth, &expected) in &entry.perft {
            if max_nodes.is_some_and(|limit| expected > limit) {
                summary.skipped += 1;
                continue;
            }
            let actual = perft(&position, depth);
            let row = SuiteRow {
                id: &entry.id,
                variant,
                fen: &entry.fen,
                depth,
                expected,
                actual,
            };
            summary.rows += 1;
            summary.failed += usize::from(!row.passed());
            summary.nodes += actual;
            on_row(&row);
        }
    }
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(variant: &str, fen: &str) -> String {
        format!(
            r#"{{"positions": [{{"id": "x", "variant": "{variant}", "fen": "{fen}",
            "perft": {{"1": 20, "2": 401, "3": 8902}}, "tags": []}}]}}"#
        )
    }

    #[test]
    fn wrong_counts_are_told_and_large_ones_left_out() {
        let mut wrong = Vec::new();
        let json = suite("crazyhouse", crate::rules::START_FEN);
        let summary = run_suite(&json, Some(1000), &mut |row| {
            if !row.passed() {
                wrong.push((row.id.to_owned(), row.depth, row.expected, row.actual));
            }
        })
        .unwrap();
        assert_eq!(wrong, [("x".to_owned(), 2, 401, 400)]);
        let expected = SuiteSummary {
            positions: 1,
            rows: 2,
            failed: 1,
            skipped: 1,
            nodes: 420,
        };
        assert_eq!(summary, expected);
    }

    #[test]
    fn unusable_suites_name_the_position() {
        let error = |json: &str| run_suite(json, None, &mut |_| {}).unwrap_err().to_string();
        assert_eq!(error("{}"), "perft suite is not the expected json");
        assert_eq!(
            error(&suite("crazyhouse", "8/8")),
            "perft suite, position x: unusable fen"
        );
        assert!(error(&suite("atomic", "8/8")).contains("variant \"atomic\""));
    }
}
