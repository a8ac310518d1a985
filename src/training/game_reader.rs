//! Games out of a file, one at a time.

use super::files::is_special;
use super::game_file::{DataError, Fault, GameFileHeader, HEADER, Next, decode, game_size};
use super::game_record::GameRecord;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Games of a file in their order. Holds one game in memory, whatever the size of the file.
///
/// An incomplete game at the end, as a killed process leaves it, counts as the end; [`GameReader::torn`] tells of it.
/// After an error nothing more comes.
#[derive(Debug)]
pub struct GameReader<R = BufReader<File>> {
    input: R,
    path: PathBuf,
    header: GameFileHeader,
    /// Where the next game begins.
    offset: u64,
    torn: u64,
    ended: bool,
    buffer: Vec<u8>,
}

impl GameReader {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read or does not begin with a header of a known version.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let unreadable = DataError::io("cannot open", path);
        if is_special(path) {
            return Err(unreadable(io::Error::other("it is not a file")));
        }
        let file = File::open(path).map_err(unreadable)?;
        Self::new(BufReader::with_capacity(1 << 16, file), path)
    }
}

impl<R: BufRead> GameReader<R> {
    /// Reads games of `input`; `path` is named in errors.
    ///
    /// # Errors
    /// As [`GameReader::open`].
    pub fn new(mut input: R, path: &Path) -> Result<Self, DataError> {
        let header = GameFileHeader::read(&mut input, path)?;
        Ok(Self {
            input,
            path: path.to_owned(),
            header,
            offset: HEADER as u64,
            torn: 0,
            ended: false,
            buffer: Vec::new(),
        })
    }

    /// Settings of the games.
    pub const fn header(&self) -> &GameFileHeader {
        &self.header
    }

    /// File that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the game that comes next begins, bytes from the start of the file.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of an incomplete game at the end; 0 if there is none or the end was not reached yet.
    pub const fn torn(&self) -> u64 {
        self.torn
    }
}

impl<R: Read> Iterator for GameReader<R> {
    type Item = Result<GameRecord, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match decode(&mut self.input, &mut self.buffer) {
            Ok(Next::Game(record)) => {
                self.offset += game_size(&record) as u64;
                return Some(Ok(record));
            }
            Ok(Next::End) => self.ended = true,
            Ok(Next::Torn(bytes)) => {
                self.ended = true;
                self.torn = bytes;
            }
            Err(fault) => {
                self.ended = true;
                return Some(Err(match fault {
                    Fault::Io(source) => DataError::io("cannot read", &self.path)(source),
                    Fault::Damaged(what) => DataError::Damaged {
                        path: self.path.clone(),
                        offset: self.offset,
                        what,
                    },
                }));
            }
        }
        None
    }
}
