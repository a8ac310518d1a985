//! Result of a match: one row a game, and whether everything went as it should.

use super::record;
use super::table::Table;
use crate::lichess::model::GameStatus;
use crate::rules::Color;
use std::fmt;
use std::time::{Duration, Instant};

/// Result of one game, seen from the tested account.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Number of the game in the match, from 1.
    pub number: usize,
    /// Game id, empty when no game was played.
    pub id: String,
    /// Name of the opponent.
    pub opponent: String,
    /// Color of the account.
    pub color: Color,
    /// Rated or casual.
    pub rated: bool,
    /// Winner, if there was one.
    pub winner: Option<Color>,
    /// How the game ended; `None` when no game was played.
    pub status: Option<GameStatus>,
    /// Plies played.
    pub plies: usize,
    /// Time the account had left at the end; `None` without a clock.
    pub left: Option<Duration>,
    /// What the account did wrong, empty if nothing.
    pub faults: Vec<String>,
    /// The game as PGN, empty when no game was played.
    pub pgn: String,
}

impl Row {
    /// Row of a finished game.
    pub(super) fn of_table(number: usize, table: &Table, color: Color) -> Self {
        let referee = &table.referee;
        let mut faults = Vec::new();
        match referee.illegal_moves(color) {
            0 => {}
            1 => faults.push("1 illegal move".to_owned()),
            n => faults.push(format!("{n} illegal moves")),
        }
        match referee.status() {
            GameStatus::OutOfTime if referee.winner() != Some(color) => {
                faults.push("lost on time".to_owned());
            }
            GameStatus::Timeout if referee.winner() != Some(color) => {
                faults.push("left the game".to_owned());
            }
            GameStatus::Aborted => faults.push("aborted".to_owned()),
            _ => {}
        }
        Self {
            number,
            id: table.id.to_string(),
            opponent: table.seat(!color).player.display_name(),
            color,
            rated: table.request.rated,
            winner: referee.winner(),
            status: Some(referee.status()),
            plies: referee.plies(),
            left: referee
                .clock()
                .map(|clock| clock.left(color, Instant::now())),
            faults,
            pgn: record::pgn(table),
        }
    }

    /// Row of a game that did not come about.
    pub(super) fn not_played(number: usize, opponent: &str, color: Color, reason: &str) -> Self {
        Self {
            number,
            id: String::new(),
            opponent: opponent.to_owned(),
            color,
            rated: false,
            winner: None,
            status: None,
            plies: 0,
            left: None,
            faults: vec![format!("not played: {reason}")],
            pgn: String::new(),
        }
    }

    /// Points of the account: 1, 0.5 or 0; `None` for a game that did not count.
    pub fn points(&self) -> Option<f64> {
        match (self.status?, self.winner) {
            (GameStatus::Aborted, _) => None,
            (_, Some(winner)) => Some(if winner == self.color { 1.0 } else { 0.0 }),
            (_, None) => Some(0.5),
        }
    }

    /// Whether the game was decided and the account did nothing wrong.
    pub fn is_proper(&self) -> bool {
        self.status.is_some_and(GameStatus::is_over) && self.faults.is_empty()
    }

    fn cells(&self) -> [String; 9] {
        let result = match self.points() {
            Some(1.0) => "win",
            Some(0.0) => "loss",
            Some(_) => "draw",
            None => "-",
        };
        [
            self.number.to_string(),
            self.opponent.clone(),
            self.color.to_string(),
            if self.rated { "rated" } else { "casual" }.to_owned(),
            result.to_owned(),
            self.status.map_or("-", GameStatus::word).to_owned(),
            self.plies.to_string(),
            self.left
                .map_or("-".to_owned(), |left| format!("{:.1}", left.as_secs_f64())),
            if self.faults.is_empty() {
                "-".to_owned()
            } else {
                self.faults.join(", ")
            },
        ]
    }
}

impl fmt::Display for Row {
    /// One line for the progress display.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [number, opponent, color, _, result, status, plies, ..] = self.cells();
        write!(
            f,
            "game {number}: {color} against {opponent}: {result} by {status}, {plies} plies"
        )
    }
}

/// Result of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Games in order.
    pub rows: Vec<Row>,
}

impl Report {
    /// Whether every game was decided on the board, by the clock or by the draw rules, without an illegal move or a
    /// flag fall of the account.
    pub fn is_proper(&self) -> bool {
        self.rows.iter().all(Row::is_proper)
    }

    /// All games as PGN, in order.
    pub fn pgn(&self) -> String {
        let mut text = String::new();
        for row in self.rows.iter().filter(|row| !row.pgn.is_empty()) {
            text.push_str(row.pgn.trim_end());
            text.push_str("\n\n");
        }
        text
    }
}

impl fmt::Display for Report {
    /// Table of the games and a line with the score.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "#", "opponent", "color", "mode", "result", "status", "plies", "left s", "faults",
        ];
        let mut lines = vec![head.map(str::to_owned)];
        lines.extend(self.rows.iter().map(Row::cells));
        let mut widths = [0; 9];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for line in &lines {
            let cells: Vec<String> = line
                .iter()
                .zip(widths)
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        let count = |points| {
            self.rows
                .iter()
                .filter(|row| row.points() == Some(points))
                .count()
        };
        write!(
            f,
            "{} games: {} won, {} drawn, {} lost, {} with faults",
            self.rows.len(),
            count(1.0),
            count(0.5),
            count(0.0),
            self.rows.iter().filter(|row| !row.is_proper()).count()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: usize, winner: Option<Color>, status: GameStatus, faults: &[&str]) -> Row {
        Row {
            number,
            id: "abcdefgh".into(),
            opponent: "greedy-1".into(),
            color: Color::White,
            rated: true,
            winner,
            status: Some(status),
            plies: 40,
            left: Some(Duration::from_millis(51_234)),
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
            pgn: "[Event \"x\"]\n\n1. e4 *\n".into(),
        }
    }

    #[test]
    fn the_table_lines_up_and_counts() {
        let report = Report {
            rows: vec![
                row(1, Some(Color::White), GameStatus::Mate, &[]),
                row(2, None, GameStatus::Draw, &[]),
                row(
                    10,
                    Some(Color::Black),
                    GameStatus::OutOfTime,
                    &["lost on time"],
                ),
            ],
        };
        insta::assert_snapshot!(report.to_string(), @r"
        #   opponent  color  mode   result  status     plies  left s  faults
        1   greedy-1  white  rated  win     mate       40     51.2    -
        2   greedy-1  white  rated  draw    draw       40     51.2    -
        10  greedy-1  white  rated  loss    outoftime  40     51.2    lost on time
        3 games: 1 won, 1 drawn, 1 lost, 1 with faults
        ");
        assert!(!report.is_proper());
    }

    #[test]
    fn a_lost_game_is_proper_but_an_unplayed_one_is_not() {
        let lost = row(1, Some(Color::Black), GameStatus::Mate, &[]);
        let unplayed = Row::not_played(2, "random-1", Color::Black, "challenge declined");
        assert!(
            Report {
                rows: vec![lost.clone()]
            }
            .is_proper()
        );
        assert!(
            !Report {
                rows: vec![lost, unplayed]
            }
            .is_proper()
        );
    }
}
