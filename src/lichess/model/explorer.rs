//! Answers of the opening explorer.

use super::lenient;
use serde::Deserialize;

/// Moves of a position.
#[derive(Clone, PartialEq, Eq, Deserialize, Debug, Default)]
#[serde(default)]
pub struct ExplorerAnswer {
    /// The most played first.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub moves: Vec<ExplorerMove>,
}

/// Move and the results of its games.
#[derive(Clone, PartialEq, Eq, Deserialize, Debug, Default)]
#[serde(default)]
pub struct ExplorerMove {
    /// Move in UCI, castling as king takes rook.
    #[serde(deserialize_with = "lenient::null_as_default")]
    pub uci: String,
    /// Games that White won.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub white: u32,
    /// Drawn games.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub draws: u32,
    /// Games that Black won.
    #[serde(deserialize_with = "lenient::integer_or_zero")]
    pub black: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_with_odd_values_are_understood() {
        let text = r#"{"white":5,"draws":null,"moves":[{"uci":"e2e4","san":"e4","white":3,"draws":0,"black":1,
            "averageRating":2100,"game":null},{"uci":null,"white":-1}],"topGames":[]}"#;
        let answer: ExplorerAnswer = serde_json::from_str(text).unwrap();
        assert_eq!(answer.moves[0].uci, "e2e4");
        assert_eq!(answer.moves[0].white, 3);
        assert_eq!(answer.moves[1], ExplorerMove::default());
        let answer: ExplorerAnswer = serde_json::from_str(r#"{"moves":null}"#).unwrap();
        assert!(answer.moves.is_empty());
    }
}
