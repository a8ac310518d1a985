//! Games of many files in random order in one.

use super::files::part_of;
use super::game_file::{DataError, GameFileHeader};
use super::game_reader::GameReader;
use super::game_writer::GameWriter;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Puts the games of `files` into the new file `out`, in an order that only depends on `seed`. All games are in memory
/// meanwhile, which takes a little more than the sizes of the files. Tells how many games and positions there are.
///
/// The new file appears only when it is complete; until then it is called as `out` with `.part` behind it.
///
/// # Errors
/// If `out` exists already, a file cannot be read, or the new one cannot be written.
pub fn shuffle(files: &[PathBuf], out: &Path, seed: u64) -> Result<(u64, u64), DataError> {
    if out.exists() {
        let error = io::Error::from(io::ErrorKind::AlreadyExists);
        return Err(DataError::io("cannot create", out)(error));
    }
    let mut games = Vec::new();
    let mut header: Option<GameFileHeader> = None;
    for path in files {
        let reader = GameReader::open(path)?;
        header = Some(match header {
            None => *reader.header(),
            Some(header) => common(header, reader.header()),
        });
        for game in reader {
            games.push(game?);
        }
    }
    let header = GameFileHeader {
        seed,
        first: 0,
        step: 0,
        ..header.unwrap_or(GameFileHeader {
            evaluation: GameFileHeader::MIXED,
            nodes: 0,
            seed,
            first: 0,
            step: 0,
        })
    };
    fastrand::Rng::with_seed(seed).shuffle(&mut games);
    let part = part_of(out);
    // Left behind by a shuffle that was killed.
    fs::remove_file(&part).ok();
    let mut writer = GameWriter::create(&part, header)?;
    for game in &games {
        writer.write(game)?;
    }
    writer.sync()?;
    let counts = (writer.games(), writer.positions());
    drop(writer);
    fs::rename(&part, out).map_err(DataError::io("cannot create", out))?;
    Ok(counts)
}

/// Settings that games of both have in common.
fn common(a: GameFileHeader, b: &GameFileHeader) -> GameFileHeader {
    GameFileHeader {
        evaluation: if a.evaluation == b.evaluation {
            a.evaluation
        } else {
            GameFileHeader::MIXED
        },
        nodes: if a.nodes == b.nodes { a.nodes } else { 0 },
        ..a
    }
}
