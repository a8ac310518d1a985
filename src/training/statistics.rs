//! What files of games hold, in numbers.

use super::filter::{Filter, Reason};
use super::game_file::DataError;
use super::game_reader::GameReader;
use super::game_record::{Ending, GameRecord, RecordError};
use crate::rules::Color;
use std::fmt;
use std::path::{Path, PathBuf};

/// Counts over games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Games.
    pub games: u64,
    /// Scored positions.
    pub positions: u64,
    /// Files with an incomplete game at the end.
    pub torn_files: u64,
    /// Games that White won, that were drawn, and that Black won.
    pub results: [u64; 3],
    /// Games by [`Ending::reason`].
    pub endings: [u64; Ending::REASONS],
    /// Positions that the filter drops, by [`Reason::index`].
    pub dropped: [u64; Reason::ALL.len()],
    /// Positions in which a drop was played.
    pub drops: u64,
    /// Games by their number of scored positions.
    lengths: Vec<u64>,
}

/// Why a set of games is faulty.
#[derive(Debug, thiserror::Error)]
pub enum FaultyData {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] DataError),
    /// A game that cannot have been played.
    #[error("{path}: game {number} at byte {offset}: {error}")]
    Record {
        /// File.
        path: PathBuf,
        /// Number of the game in the file, from 1.
        number: u64,
        /// Where it begins.
        offset: u64,
        /// What is wrong.
        error: RecordError,
    },
    /// The last game of a file is incomplete.
    #[error("{path}: incomplete game at byte {offset}, {torn} bytes up to the end of the file")]
    Torn {
        /// File.
        path: PathBuf,
        /// Where it begins.
        offset: u64,
        /// Bytes of it.
        torn: u64,
    },
}

impl Statistics {
    /// Counts the games of files, with every game replayed.
    ///
    /// # Errors
    /// At the first file that cannot be read or game that cannot have been played. An incomplete game at the end of a
    /// file is only counted.
    pub fn of_files(files: &[PathBuf], filter: &Filter) -> Result<Self, FaultyData> {
        let mut statistics = Self::default();
        for path in files {
            let torn = for_each_checked(path, &mut |game| statistics.add(game, filter))?.torn();
            statistics.torn_files += u64::from(torn > 0);
        }
        Ok(statistics)
    }

    fn add(&mut self, game: &GameRecord, filter: &Filter) {
        self.games += 1;
        self.positions += game.plies.len() as u64;
        self.results[match game.ending.winner() {
            Some(Color::White) => 0,
            None => 1,
            Some(Color::Black) => 2,
        }] += 1;
        self.endings[game.ending.reason()] += 1;
        if self.lengths.len() <= game.plies.len() {
            self.lengths.resize(game.plies.len() + 1, 0);
        }
        self.lengths[game.plies.len()] += 1;
        // The game was checked before, so there are no errors to leave out.
        for (ply, (position, played)) in game.replay().filter_map(Result::ok).enumerate() {
            self.drops += u64::from(played.mv.is_drop());
            if let Err(reason) = filter.keeps(&position, played, ply) {
                self.dropped[reason.index()] += 1;
            }
        }
    }

    /// Positions that the filter keeps.
    pub fn kept(&self) -> u64 {
        self.positions - self.dropped.iter().sum::<u64>()
    }

    /// Scored positions of a game: mean, median, most. All 0 without games.
    pub fn lengths(&self) -> (f64, usize, usize) {
        let mean = self.positions as f64 / self.games.max(1) as f64;
        let mut seen = 0;
        let median = self.lengths.iter().position(|count| {
            seen += count;
            seen * 2 >= self.games
        });
        let most = self.lengths.len().saturating_sub(1);
        (mean, median.unwrap_or(0), most)
    }
}

/// Checks files of games: checksums, and every game replayed by the rules. Tells how many games and positions are in
/// order.
///
/// # Errors
/// The first fault.
pub fn verify(files: &[PathBuf]) -> Result<(u64, u64), FaultyData> {
    let (mut games, mut positions) = (0, 0);
    for path in files {
        let reader = for_each_checked(path, &mut |game| {
            games += 1;
            positions += game.plies.len() as u64;
        })?;
        if reader.torn() > 0 {
            return Err(FaultyData::Torn {
                path: path.clone(),
                offset: reader.offset(),
                torn: reader.torn(),
            });
        }
    }
    Ok((games, positions))
}

/// Hands every game of a file on, after it was replayed. Gives the reader back, at its end.
fn for_each_checked(
    path: &Path,
    visit: &mut dyn FnMut(&GameRecord),
) -> Result<GameReader, FaultyData> {
    let mut reader = GameReader::open(path)?;
    let mut number = 0;
    loop {
        let offset = reader.offset();
        let Some(game) = reader.next() else {
            return Ok(reader);
        };
        let game = game?;
        number += 1;
        game.check().map_err(|error| FaultyData::Record {
            path: path.to_owned(),
            number,
            offset,
            error,
        })?;
        visit(&game);
    }
}

/// A few lines of text.
impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let of_games = |part: u64| share(part, self.games);
        let of_positions = |part: u64| share(part, self.positions);
        let (mean, median, most) = self.lengths();
        writeln!(f, "games      {}", self.games)?;
        writeln!(
            f,
            "positions  {} ({mean:.1} a game, median {median}, most {most})",
            self.positions
        )?;
        writeln!(
            f,
            "results    White {:.1} %, draws {:.1} %, Black {:.1} %",
            of_games(self.results[0]),
            of_games(self.results[1]),
            of_games(self.results[2])
        )?;
        f.write_str("endings   ")?;
        for (reason, count) in self.endings.iter().enumerate() {
            let comma = if reason > 0 { "," } else { "" };
            let name = Ending::reason_name(reason);
            write!(f, "{comma} {name} {:.1} %", of_games(*count))?;
        }
        f.write_str("\nfilter    ")?;
        for reason in Reason::ALL {
            let dropped = of_positions(self.dropped[reason.index()]);
            write!(f, " {reason} {dropped:.1} %,")?;
        }
        let kept = self.kept();
        writeln!(f, " kept {:.1} % ({kept})", of_positions(kept))?;
        writeln!(
            f,
            "drops      {:.1} % of the moves",
            of_positions(self.drops)
        )?;
        if self.torn_files > 0 {
            writeln!(
                f,
                "torn       {} files end with an incomplete game",
                self.torn_files
            )?;
        }
        Ok(())
    }
}
