//! Samples from files of games, and their division into some to learn from and some to check with.

use super::filter::Filter;
use super::game_file::DataError;
use super::game_reader::GameReader;
use super::game_record::{GameRecord, RecordError};
use super::hash::mix;
use super::sample::Sample;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Games that are taken to pieces by one thread at a time.
const GAMES_AT_ONCE: usize = 512;

/// Samples of games, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    samples: Vec<Sample>,
    games: Vec<Game>,
    positions: u64,
}

/// What is left of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Game {
    /// Hash of its moves: the same game has the same hash wherever it stands.
    hash: u64,
    /// Its number of samples.
    samples: u32,
}

/// Why samples cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A game cannot have been played.
    #[error("{path}: game {number}")]
    Record {
        /// File.
        path: PathBuf,
        /// Number of the game in the file, from 1.
        number: usize,
        /// What is wrong with it.
        source: RecordError,
    },
}

impl Dataset {
    /// Reads files of games on so many threads. What `filter` keeps becomes a sample.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged, or a game has a move that is not legal.
    pub fn load(files: &[PathBuf], threads: usize, filter: Filter) -> Result<Self, LoadError> {
        let mut dataset = Self::default();
        let threads = threads.max(1);
        for path in files {
            let mut reader = GameReader::open(path)?;
            let mut number = 0;
            loop {
                let records = reader
                    .by_ref()
                    .take(GAMES_AT_ONCE * threads)
                    .collect::<Result<Vec<_>, _>>()?;
                if records.is_empty() {
                    break;
                }
                dataset.append(&records, threads, filter, path, number)?;
                number += records.len();
            }
        }
        Ok(dataset)
    }

    /// Takes games to pieces, the first of which is number `number` (from 0) of its file.
    fn append(
        &mut self,
        records: &[GameRecord],
        threads: usize,
        filter: Filter,
        path: &Path,
        number: usize,
    ) -> Result<(), LoadError> {
        let share = records.len().div_ceil(threads);
        let parts: Vec<Result<Self, (usize, RecordError)>> = std::thread::scope(|scope| {
            let threads: Vec<_> = records
                .chunks(share)
                .map(|records| scope.spawn(move || Self::of_games(records, filter)))
                .collect();
            threads
                .into_iter()
                .map(|thread| match thread.join() {
                    Ok(part) => part,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect()
        });
        for (part, result) in parts.into_iter().enumerate() {
            let part = result.map_err(|(at, source)| LoadError::Record {
                path: path.to_owned(),
                number: number + part * share + at + 1,
                source,
            })?;
            self.samples.extend_from_slice(&part.samples);
            self.games.extend_from_slice(&part.games);
            self.positions += part.positions;
        }
        Ok(())
    }

    /// What `filter` leaves of games; an error comes with the number of the game, from 0.
    fn of_games(records: &[GameRecord], filter: Filter) -> Result<Self, (usize, RecordError)> {
        let mut part = Self::default();
        for (number, record) in records.iter().enumerate() {
            let before = part.samples.len();
            let winner = record.ending.winner();
            for (ply, step) in record.replay().enumerate() {
                let (position, played) = step.map_err(|error| (number, error))?;
                part.positions += 1;
                if filter.keeps(&position, played, ply).is_ok() {
                    let sample = Sample::new(&position, played.score, winner);
                    part.samples.push(sample);
                }
            }
            let opening = record.opening.iter().copied();
            let moves = opening.chain(record.plies.iter().map(|ply| ply.mv));
            part.games.push(Game {
                hash: moves.fold(0, |sum, mv| mix(sum, mv.to_bits().into())),
                samples: (part.samples.len() - before) as u32,
            });
        }
        Ok(part)
    }

    /// Number of games.
    pub const fn games(&self) -> usize {
        self.games.len()
    }

    /// Scored positions of the games, of which the samples were chosen.
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// All samples.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Gives the samples away.
    pub fn into_samples(self) -> Vec<Sample> {
        self.samples
    }

    /// Parts the samples into those to learn from and those to check with. A game is never parted, and one that
    /// comes twice stays on one side: positions of a game are too much alike.
    ///
    /// Whether a game is checked with depends on its moves alone for [`Split::Share`], on all games for
    /// [`Split::Games`].
    pub fn split(mut self, split: Split) -> (Vec<Sample>, Vec<Sample>) {
        let limit = self.limit(split);
        let mut checks = Vec::new();
        // Those that stay move up to the front.
        let (mut from, mut to) = (0, 0);
        for game in &self.games {
            let end = from + game.samples as usize;
            if game.hash < limit {
                checks.extend_from_slice(&self.samples[from..end]);
            } else {
                self.samples.copy_within(from..end, to);
                to += end - from;
            }
            from = end;
        }
        self.samples.truncate(to);
        (self.samples, checks)
    }

    /// Games whose hash is below this are checked with.
    fn limit(&self, split: Split) -> u64 {
        match split {
            Split::Share(share) => (share.clamp(0.0, 1.0) * u64::MAX as f64) as u64,
            Split::Games(count) => {
                let mut hashes: Vec<u64> = self.games.iter().map(|game| game.hash).collect();
                hashes.sort_unstable();
                hashes.dedup();
                hashes.get(count).copied().unwrap_or(u64::MAX)
            }
        }
    }
}

/// How many games are kept back to check with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Split {
    /// About this share of them, 0 to 1.
    Share(f64),
    /// This number of different games.
    Games(usize),
}

/// Text that is no [`Split`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a share of the games below 1, as 0.05, or a whole number of games")]
pub struct SplitError;

/// A number below 1 is a share, a whole number from 1 on a number of games.
impl FromStr for Split {
    type Err = SplitError;

    fn from_str(text: &str) -> Result<Self, SplitError> {
        if let Ok(games) = text.parse::<usize>() {
            return Ok(Self::Games(games));
        }
        match text.parse::<f64>() {
            Ok(share) if (0.0..1.0).contains(&share) => Ok(Self::Share(share)),
            _ => Err(SplitError),
        }
    }
}

/// Checksum of samples in their order.
pub(crate) fn checksum(samples: &[Sample]) -> u64 {
    samples.iter().fold(0, |sum, sample| sample.mix(sum))
}

#[cfg(test)]
mod tests {
    use super::super::game_file::GameFileHeader;
    use super::super::game_record::tests::random_game;
    use super::super::game_writer::GameWriter;
    use super::*;
    use crate::rules::Move;

    const FILTER: Filter = Filter {
        skip_plies: 2,
        most_score: 20_000,
    };

    fn files(dir: &Path, games: &[Vec<GameRecord>]) -> Vec<PathBuf> {
        let header = GameFileHeader {
            evaluation: GameFileHeader::MATERIAL,
            nodes: 400,
            seed: 1,
            first: 0,
            step: 1,
        };
        let write = |(number, games): (usize, &Vec<GameRecord>)| {
            let path = dir.join(format!("{number}.games"));
            let mut writer = GameWriter::create(&path, header).unwrap();
            for game in games {
                writer.write(game).unwrap();
            }
            path
        };
        games.iter().enumerate().map(write).collect()
    }

    fn games(count: usize, seed: u64) -> Vec<GameRecord> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..count).map(|_| random_game(&mut random)).collect()
    }

    #[test]
    fn samples_are_the_chosen_positions_in_order_whatever_the_threads() {
        let dir = tempfile::tempdir().unwrap();
        let games = [games(5, 1), games(30, 2)];
        let files = files(dir.path(), &games);
        let mut expected = Vec::new();
        let mut positions = 0;
        for game in games.iter().flatten() {
            for (ply, step) in game.replay().map(Result::unwrap).enumerate() {
                positions += 1;
                if FILTER.keeps(&step.0, step.1, ply).is_ok() {
                    let sample = Sample::new(&step.0, step.1.score, game.ending.winner());
                    expected.push(sample);
                }
            }
        }
        for threads in [1, 3] {
            let dataset = Dataset::load(&files, threads, FILTER).unwrap();
            assert_eq!(dataset.games(), 35);
            assert_eq!(dataset.positions(), positions);
            assert_eq!(dataset.samples(), expected);
        }
    }

    #[test]
    fn a_game_that_cannot_be_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let mut games = games(3, 3);
        let bad = games
            .iter()
            .rposition(|game| !game.plies.is_empty())
            .unwrap();
        games[bad].plies[0].mv = Move::NONE;
        let files = files(dir.path(), &[games]);
        for threads in [1, 3] {
            let error = Dataset::load(&files, threads, FILTER).unwrap_err();
            let message = error.to_string();
            assert!(message.contains("0.games"), "{message}");
            assert!(message.contains(&format!("game {}", bad + 1)), "{message}");
        }
    }

    #[test]
    fn a_split_parts_games_and_never_a_game() {
        let dir = tempfile::tempdir().unwrap();
        let games = games(60, 4);
        // The same games again in another file.
        let files = files(dir.path(), &[games.clone(), games]);
        let load = || Dataset::load(&files, 2, FILTER).unwrap();
        let all = load().samples().len();
        for split in [Split::Share(0.3), Split::Games(10)] {
            let (learn, check) = load().split(split);
            assert_eq!(learn.len() + check.len(), all);
            assert!(learn.len() > check.len() && !check.is_empty(), "{split:?}");
            // Both copies are on the same side.
            for part in [learn, check] {
                let half = part.len() / 2;
                assert_eq!(part[..half], part[half..], "{split:?}");
            }
        }
        let (learn, check) = load().split(Split::Games(0));
        assert_eq!((learn.len(), check.len()), (all, 0));
        let (learn, check) = load().split(Split::Games(1000));
        assert_eq!((learn.len(), check.len()), (0, all));
    }

    #[test]
    fn a_split_is_read_as_share_or_number() {
        assert_eq!("0.05".parse(), Ok(Split::Share(0.05)));
        assert_eq!("2000".parse(), Ok(Split::Games(2000)));
        assert_eq!("0".parse(), Ok(Split::Games(0)));
        for text in ["1.5", "-1", "NaN", "x", ""] {
            assert_eq!(text.parse::<Split>(), Err(SplitError), "{text}");
        }
    }
}
