//! Format of files of games: a header, then one game after the other.
//!
//! ```text
//! offset  size
//!      0     4  magic "PKGA"
//!      4     4  format version, 1
//!      8     4  evaluation that played: checksum of its network, 0 for material
//!     12     4  nodes of a search
//!     16     8  seed
//!     24     4  index of the first game among those of the seed
//!     28     4  distance to the index of the next one; 0 if the games are in no order
//!     32     4  CRC-32 of all that stands before
//!     36        games
//!
//! game:
//!      0     1  moves of the opening (n)
//!      1     1  ending: twice the index of the reason, plus one if Black won
//!      2     2  scored plies (m)
//!      4     2  lower half of the CRC-32 of the four bytes before, so that a length can be trusted
//!      6    2n  moves of the opening
//!  6+2n     4m  scored plies: move, score
//!            4  CRC-32 of the whole game up to here
//! ```
//!
//! All numbers are little-endian; a move is [`Move::to_bits`], a score an i16. With 7 moves of opening a game takes
//! 24 bytes and 4 for each position.
//!
//! A game is written in one piece, so that a process that is killed leaves at most one incomplete game, at the end of
//! the file. Readers stop before it; [`super::GameWriter::resume`] cuts it off. Everything else that does not fit is
//! an error, since lost games in the middle would go unnoticed.

use super::game_record::{Ending, GameRecord, ScoredMove};
use crate::rules::Move;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Extension of files of games.
pub const EXTENSION: &str = "games";

pub(super) const MAGIC: &[u8; 4] = b"PKGA";
const VERSION: u32 = 1;
pub(super) const HEADER: usize = 36;
/// Bytes before the moves of a game.
const GAME_HEAD: usize = 6;
const CHECKSUM: usize = 4;

/// Settings that all games of a file share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameFileHeader {
    /// What positions were judged by: checksum of a network, [`GameFileHeader::MATERIAL`]
    /// or [`GameFileHeader::MIXED`].
    pub evaluation: u32,
    /// Nodes after which a search began no new iteration; 0 if they differ between the games.
    pub nodes: u32,
    /// What the games were drawn from, or the seed of the shuffle that put them here.
    pub seed: u64,
    /// Index of the first game among those of the seed.
    pub first: u32,
    /// Distance between the indices of games; 0 if they are in no order.
    pub step: u32,
}

impl GameFileHeader {
    /// [`GameFileHeader::evaluation`] of plain material.
    pub const MATERIAL: u32 = 0;
    /// [`GameFileHeader::evaluation`] of games that different ones played.
    pub const MIXED: u32 = u32::MAX;

    pub(super) fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        for number in [VERSION, self.evaluation, self.nodes] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        for number in [self.first, self.step] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
            .try_into()
            .expect("the fields make up the size of a header")
    }

    /// Reads the header of the file at `path`.
    pub(super) fn read(input: &mut impl Read, path: &Path) -> Result<Self, DataError> {
        let mut bytes = [0; HEADER];
        let length = fill(input, &mut bytes).map_err(DataError::io("cannot read", path))?;
        let path = || path.to_owned();
        if !bytes.starts_with(MAGIC) {
            return Err(DataError::NoGames { path: path() });
        }
        if length < HEADER {
            return Err(DataError::ShortHeader {
                path: path(),
                length,
            });
        }
        let version = u32_at(&bytes, 4);
        if version != VERSION {
            return Err(DataError::Version {
                path: path(),
                version,
            });
        }
        let (actual, expected) = (crc32fast::hash(&bytes[..32]), u32_at(&bytes, 32));
        if actual != expected {
            return Err(DataError::Damaged {
                path: path(),
                offset: 0,
                what: format!("checksum of the header {actual:08x}, expected {expected:08x}"),
            });
        }
        Ok(Self {
            evaluation: u32_at(&bytes, 8),
            nodes: u32_at(&bytes, 12),
            seed: u64::from(u32_at(&bytes, 16)) | u64::from(u32_at(&bytes, 20)) << 32,
            first: u32_at(&bytes, 24),
            step: u32_at(&bytes, 28),
        })
    }
}

/// Why a file of games cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The system refuses.
    #[error("{action} {path}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// File or directory.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// Something else than a file of games.
    #[error("{path}: not a file of games: it does not begin with \"PKGA\"")]
    NoGames {
        /// File.
        path: PathBuf,
    },
    /// Cut off within the header.
    #[error("{path}: {length} bytes, expected {HEADER} of a header at least")]
    ShortHeader {
        /// File.
        path: PathBuf,
        /// Its length.
        length: usize,
    },
    /// File of a later or earlier program.
    #[error("{path}: format version {version}, expected {VERSION}")]
    Version {
        /// File.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// Something that no writer writes.
    #[error("{path}: damaged at byte {offset}: {what}")]
    Damaged {
        /// File.
        path: PathBuf,
        /// Where the header or game begins in which the fault is.
        offset: u64,
        /// What is there, and what was expected.
        what: String,
    },
    /// Games of other settings are there already.
    #[error("{path}: made with {field} {found}, expected {expected}")]
    OtherSettings {
        /// File.
        path: PathBuf,
        /// Setting that differs.
        field: &'static str,
        /// Its value in the file.
        found: String,
        /// Its value in this run.
        expected: String,
    },
    /// Another process writes the file.
    #[error("{path}: another process is writing it")]
    InUse {
        /// File.
        path: PathBuf,
    },
    /// Game that the format has no room for.
    #[error(
        "{path}: a game of {opening} moves of opening and {plies} plies, expected at most 255 and 65535"
    )]
    TooLong {
        /// File it was meant for.
        path: PathBuf,
        /// Moves of the opening.
        opening: usize,
        /// Scored plies.
        plies: usize,
    },
    /// Directory without files of games.
    #[error("{path}: no files of games (*.{EXTENSION}) in this directory")]
    NoFiles {
        /// Directory.
        path: PathBuf,
    },
}

impl DataError {
    pub(super) fn io<'a>(
        action: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> Self + use<'a> {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

/// Files of games at `paths`: a file stands for itself, a directory for all files in it whose names end in `.games`,
/// in the order of their names.
///
/// # Errors
/// If a path does not exist or cannot be read, or a directory has no such file.
pub fn game_files<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<PathBuf>, DataError> {
    let mut files = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let meta = fs::metadata(path).map_err(DataError::io("cannot read", path))?;
        if !meta.is_dir() {
            files.push(path.to_owned());
            continue;
        }
        let found = files_in(path)?;
        if found.is_empty() {
            return Err(DataError::NoFiles {
                path: path.to_owned(),
            });
        }
        files.extend(found);
    }
    Ok(files)
}

/// Files of games in a directory, by name.
pub(super) fn files_in(dir: &Path) -> Result<Vec<PathBuf>, DataError> {
    let entries = fs::read_dir(dir).map_err(DataError::io("cannot read", dir))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(DataError::io("cannot read", dir))?.path();
        if path.extension().is_some_and(|name| name == EXTENSION) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// What comes next in a file.
pub(super) enum Next {
    /// A game.
    Game(GameRecord),
    /// Nothing.
    End,
    /// So many bytes of an incomplete game, and then nothing.
    Torn(u64),
}

/// Why the next game cannot be had.
pub(super) enum Fault {
    Io(io::Error),
    Damaged(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Bytes of a game in a file.
pub(super) const fn game_size(record: &GameRecord) -> usize {
    GAME_HEAD + 2 * record.opening.len() + 4 * record.plies.len() + CHECKSUM
}

/// Appends a game to `bytes`; `None` if it is too long.
pub(super) fn encode(record: &GameRecord, bytes: &mut Vec<u8>) -> Option<()> {
    let opening = u8::try_from(record.opening.len()).ok()?;
    let plies = u16::try_from(record.plies.len()).ok()?;
    let begin = bytes.len();
    bytes.extend_from_slice(&[opening, record.ending.to_byte()]);
    bytes.extend_from_slice(&plies.to_le_bytes());
    let check = crc32fast::hash(&bytes[begin..]) as u16;
    bytes.extend_from_slice(&check.to_le_bytes());
    for mv in &record.opening {
        bytes.extend_from_slice(&mv.to_bits().to_le_bytes());
    }
    for ply in &record.plies {
        bytes.extend_from_slice(&ply.mv.to_bits().to_le_bytes());
        bytes.extend_from_slice(&ply.score.to_le_bytes());
    }
    let checksum = crc32fast::hash(&bytes[begin..]);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    Some(())
}

/// Reads the next game; `buffer` is reused from game to game and grows to 263 kB at most.
pub(super) fn decode(input: &mut impl Read, buffer: &mut Vec<u8>) -> Result<Next, Fault> {
    let mut head = [0; GAME_HEAD];
    match fill(input, &mut head)? {
        0 => return Ok(Next::End),
        GAME_HEAD => {}
        torn => return Ok(Next::Torn(torn as u64)),
    }
    let (check, expected) = (crc32fast::hash(&head[..4]) as u16, u16_at(&head, 4));
    if check != expected {
        return Err(Fault::Damaged(format!(
            "check of a game's length {check:04x}, expected {expected:04x}"
        )));
    }
    let moves = 2 * usize::from(head[0]);
    let plies = 4 * usize::from(u16_at(&head, 2));
    buffer.clear();
    buffer.extend_from_slice(&head);
    buffer.resize(GAME_HEAD + moves + plies + CHECKSUM, 0);
    let read = fill(input, &mut buffer[GAME_HEAD..])?;
    if GAME_HEAD + read < buffer.len() {
        return Ok(Next::Torn((GAME_HEAD + read) as u64));
    }
    let end = buffer.len() - CHECKSUM;
    let (actual, expected) = (crc32fast::hash(&buffer[..end]), u32_at(buffer, end));
    if actual != expected {
        return Err(Fault::Damaged(format!(
            "checksum of a game {actual:08x}, expected {expected:08x}"
        )));
    }
    let ending = Ending::from_byte(head[1])
        .ok_or_else(|| Fault::Damaged(format!("unknown ending {}", head[1])))?;
    let mv = |pair: &[u8]| Move::from_bits(u16_at(pair, 0));
    let (opening, plies) = buffer[GAME_HEAD..end].split_at(moves);
    Ok(Next::Game(GameRecord {
        opening: opening.chunks_exact(2).map(mv).collect(),
        plies: plies
            .chunks_exact(4)
            .map(|ply| ScoredMove {
                mv: mv(ply),
                score: u16_at(ply, 2) as i16,
            })
            .collect(),
        ending,
    }))
}

/// Reads until `buffer` is full or the input ends; tells how many bytes came.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match input.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Number at `at`, which lies within `bytes`.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// Number at `at`, which lies within `bytes`.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
