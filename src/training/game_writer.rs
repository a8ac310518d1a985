//! Games into a file, after those that it holds already.

use super::game_file::{DataError, GameFileHeader, HEADER, encode};
use super::game_reader::GameReader;
use super::game_record::GameRecord;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Appends games to a file. Each is handed to the system at once and in one piece, so that nothing waits in memory
/// when the process is killed. No other process can open the file for writing meanwhile.
#[derive(Debug)]
pub struct GameWriter {
    file: File,
    path: PathBuf,
    header: GameFileHeader,
    games: u64,
    positions: u64,
    /// Where the next game will begin.
    end: u64,
    buffer: Vec<u8>,
}

impl GameWriter {
    /// Begins a new file.
    ///
    /// # Errors
    /// If there is a file at `path` already, or the system refuses.
    pub fn create(path: &Path, header: GameFileHeader) -> Result<Self, DataError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let file = options
            .open(path)
            .map_err(DataError::io("cannot create", path))?;
        let mut writer = Self::over(file, path, header)?;
        writer.begin()?;
        Ok(writer)
    }

    /// Opens a file to go on behind its last whole game, or begins a new one if there is none. An incomplete game at
    /// the end is cut off.
    ///
    /// # Errors
    /// If the file is of other settings than `header`, damaged, or being written by another process, or the system
    /// refuses.
    pub fn resume(path: &Path, header: GameFileHeader) -> Result<Self, DataError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options
            .open(path)
            .map_err(DataError::io("cannot open", path))?;
        let mut writer = Self::over(file, path, header)?;
        if writer.is_headless()? {
            writer.begin()?;
            return Ok(writer);
        }
        let io = |error| DataError::io("cannot read", path)(error);
        writer.file.rewind().map_err(io)?;
        let mut reader = GameReader::new(BufReader::new(&writer.file), path)?;
        same(path, &header, reader.header())?;
        for game in &mut reader {
            writer.games += 1;
            writer.positions += game?.plies.len() as u64;
        }
        let (end, torn) = (reader.offset(), reader.torn());
        drop(reader);
        writer.end = end;
        if torn > 0 {
            writer
                .file
                .set_len(end)
                .map_err(DataError::io("cannot cut off", path))?;
        }
        writer.file.seek(SeekFrom::Start(end)).map_err(io)?;
        Ok(writer)
    }

    fn over(file: File, path: &Path, header: GameFileHeader) -> Result<Self, DataError> {
        // Where files cannot be locked, nothing keeps two processes apart but their user.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(DataError::InUse {
                path: path.to_owned(),
            });
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            header,
            games: 0,
            positions: 0,
            end: HEADER as u64,
            buffer: Vec::new(),
        })
    }

    /// Whether nothing is there but a part of the header, as a process leaves it that was killed very early.
    fn is_headless(&mut self) -> Result<bool, DataError> {
        let io = |error| DataError::io("cannot read", &self.path)(error);
        let length = self.file.metadata().map_err(io)?.len();
        if length >= HEADER as u64 {
            return Ok(false);
        }
        let mut start = Vec::new();
        self.file.read_to_end(&mut start).map_err(io)?;
        Ok(self.header.to_bytes().starts_with(&start))
    }

    /// Writes the header into an empty file.
    fn begin(&mut self) -> Result<(), DataError> {
        let bytes = self.header.to_bytes();
        self.file
            .rewind()
            .and_then(|()| self.file.write_all(&bytes))
            .map_err(DataError::io("cannot write", &self.path))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If the game is too long for the format or the system refuses, for instance because the disk is full. The file
    /// is then as before.
    pub fn write(&mut self, record: &GameRecord) -> Result<(), DataError> {
        self.buffer.clear();
        encode(record, &mut self.buffer).ok_or_else(|| DataError::TooLong {
            path: self.path.clone(),
            opening: record.opening.len(),
            plies: record.plies.len(),
        })?;
        if let Err(error) = self.file.write_all(&self.buffer) {
            // If this fails as well, the next `resume` cuts the rest off.
            self.file.set_len(self.end).ok();
            self.file.seek(SeekFrom::Start(self.end)).ok();
            return Err(DataError::io("cannot write", &self.path)(error));
        }
        self.end += self.buffer.len() as u64;
        self.games += 1;
        self.positions += record.plies.len() as u64;
        Ok(())
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// If the system says that it is not.
    pub fn sync(&self) -> Result<(), DataError> {
        self.file
            .sync_all()
            .map_err(DataError::io("cannot write", &self.path))
    }

    /// Games in the file, earlier ones included.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Scored positions in the file, earlier ones included.
    pub const fn positions(&self) -> u64 {
        self.positions
    }
}

/// Fails at the first setting of a file that is not the expected one.
fn same(path: &Path, expected: &GameFileHeader, found: &GameFileHeader) -> Result<(), DataError> {
    let hex = |evaluation: u32| format!("{evaluation:08x}");
    let fields = [
        (
            "evaluation",
            hex(found.evaluation),
            hex(expected.evaluation),
        ),
        ("nodes", found.nodes.to_string(), expected.nodes.to_string()),
        ("seed", found.seed.to_string(), expected.seed.to_string()),
        (
            "first index",
            found.first.to_string(),
            expected.first.to_string(),
        ),
        ("step", found.step.to_string(), expected.step.to_string()),
    ];
    for (field, found, expected) in fields {
        if found != expected {
            return Err(DataError::OtherSettings {
                path: path.to_owned(),
                field,
                found,
                expected,
            });
        }
    }
    Ok(())
}
