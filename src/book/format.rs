//! Files of books.
//!
//! All numbers are little-endian. Header of 32 bytes: `PKBOOK\r\n`; version (2 bytes, 1); weighting (1 byte, 0 games,
//! 1 points); a zero; largest ply of a move (2 bytes); two zeros; games (4 bytes); records (4 bytes); four zeros;
//! CRC-32 of all other bytes of the file. Then records of 22 bytes, ascending by key, those of one position by
//! descending weight: key (8 bytes, [`super::key`]); move (2 bytes); wins, draws, losses of the side that played it
//! (4 bytes each). A move has its destination in bits 0 to 5 (a1 0, b1 1, h8 63), its origin, or the role of a drop (pawn
//! 0 to queen 4), in bits 6 to 11, and above it 0, or 1 castling (king takes rook), 2 en passant, 3 drop, 4 to 7
//! promotion to knight, bishop, rook, queen.

use super::{BookMove, Weighting};
use crate::rules::Move;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Version that is written.
const VERSION: u16 = 1;
const MAGIC: [u8; 8] = *b"PKBOOK\r\n";
const HEADER: usize = 32;
const RECORD: usize = 22;
/// Place of the checksum.
const SUM: std::ops::Range<usize> = 28..32;
/// Most records of a book.
pub(super) const MOST_RECORDS: usize = 20_000_000;
const MOST_BYTES: u64 = (HEADER + RECORD * MOST_RECORDS) as u64;
/// Size of an entry of the format of `PolyGlot`.
const POLYGLOT_ENTRY: usize = 16;

/// Why a file is no book that can be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// Missing, or not readable.
    #[error("cannot read book {}", path.display())]
    Read {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// Not writable.
    #[error("cannot write book {}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// Not a book, or a damaged one.
    #[error("book {}: {what}", path.display())]
    Unusable {
        /// File.
        path: PathBuf,
        /// What is wrong with it.
        what: Flaw,
    },
}

/// What is wrong with the bytes of a book.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Flaw {
    /// A directory or a device.
    #[error("it is not a file")]
    NoFile,
    /// No bytes at all.
    #[error("it is empty")]
    Empty,
    /// Larger than any book that is made here.
    #[error("{bytes} bytes, expected at most {MOST_BYTES}")]
    TooLarge {
        /// Size of the file.
        bytes: u64,
    },
    /// Book of ordinary chess.
    #[error(
        "it looks like a Polyglot book, whose keys know no pieces in hand, so that it would give wrong moves in \
         crazyhouse; make a book of crazyhouse games with `pocketknight book build games.pgn -o FILE`"
    )]
    Polyglot,
    /// Something else.
    #[error("it is no book of this program; `pocketknight book build games.pgn -o FILE` makes one")]
    Foreign,
    /// Made by a later program.
    #[error("version {found}, expected {VERSION}; a newer pocketknight made it")]
    Version {
        /// Version of the file.
        found: u16,
    },
    /// The number of records does not fit the size.
    #[error("damaged: {bytes} bytes, expected {expected}")]
    Size {
        /// Size of the file.
        bytes: usize,
        /// Size by its header.
        expected: u64,
    },
    /// Changed after it was made.
    #[error("damaged: its checksum is wrong")]
    Checksum,
    /// Not as this program writes it, though the checksum is right.
    #[error("damaged: record {record} is out of order or empty")]
    Record {
        /// Number of the record, from 1.
        record: usize,
    },
    /// A field of the header.
    #[error("damaged: unknown weighting {found}")]
    Weighting {
        /// Value found.
        found: u8,
    },
}

/// Move of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) key: u64,
    pub(super) found: BookMove,
}

/// Book in memory.
#[derive(Clone, Debug)]
pub struct Book {
    weighting: Weighting,
    max_ply: u16,
    games: u32,
    positions: usize,
    records: Vec<Record>,
}

impl Book {
    /// Book of records in any order.
    pub(super) fn new(
        mut records: Vec<Record>,
        weighting: Weighting,
        max_ply: u16,
        games: u32,
    ) -> Self {
        records.sort_unstable_by_key(|record| order(record, weighting));
        let positions = positions(&records);
        Self {
            weighting,
            max_ply,
            games,
            positions,
            records,
        }
    }

    /// What moves are weighted by.
    pub const fn weighting(&self) -> Weighting {
        self.weighting
    }

    /// Largest ply of a move that was taken in, counted from 1.
    pub const fn max_ply(&self) -> u16 {
        self.max_ply
    }

    /// Games that it was made from.
    pub const fn games(&self) -> u32 {
        self.games
    }

    /// Number of different positions.
    pub const fn positions(&self) -> usize {
        self.positions
    }

    /// Number of moves of all positions.
    pub const fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether it has no move.
    pub const fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Moves of the position with a key, the one of the greatest weight first. Found by binary search.
    pub fn moves(&self, key: u64) -> impl Iterator<Item = BookMove> {
        let start = self.records.partition_point(|record| record.key < key);
        self.records[start..]
            .iter()
            .take_while(move |record| record.key == key)
            .map(|record| record.found)
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + RECORD * self.records.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([self.weighting as u8, 0]);
        bytes.extend(self.max_ply.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(self.games.to_le_bytes());
        // `Builder` makes no more than MOST_RECORDS.
        bytes.extend((self.records.len() as u32).to_le_bytes());
        bytes.extend([0; 8]);
        for Record { key, found } in &self.records {
            bytes.extend(key.to_le_bytes());
            bytes.extend(found.mv.to_bits().to_le_bytes());
            for number in [found.wins, found.draws, found.losses] {
                bytes.extend(number.to_le_bytes());
            }
        }
        let sum = checksum(&bytes);
        bytes[SUM].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Book of the bytes of a file.
    ///
    /// # Errors
    /// When they are not a whole, undamaged book of a known version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Flaw> {
        if bytes.is_empty() {
            return Err(Flaw::Empty);
        }
        let Some((header, body)) = bytes.split_at_checked(HEADER) else {
            return Err(stranger(bytes));
        };
        if header[..8] != MAGIC {
            return Err(stranger(bytes));
        }
        let version = u16::from_le_bytes([header[8], header[9]]);
        if version != VERSION {
            return Err(Flaw::Version { found: version });
        }
        let count = u64::from(number(header, 20));
        let expected = HEADER as u64 + count * RECORD as u64;
        if bytes.len() as u64 != expected {
            return Err(Flaw::Size {
                bytes: bytes.len(),
                expected,
            });
        }
        if number(header, SUM.start) != checksum(bytes) {
            return Err(Flaw::Checksum);
        }
        let weighting = match header[10] {
            0 => Weighting::Games,
            1 => Weighting::Points,
            found => return Err(Flaw::Weighting { found }),
        };
        let (chunks, _) = body.as_chunks::<RECORD>();
        let records: Vec<Record> = chunks.iter().map(record).collect();
        let in_order = |pair: &[Record]| order(&pair[0], weighting) < order(&pair[1], weighting);
        let wrong = records.windows(2).position(|pair| !in_order(pair));
        let empty = records.iter().position(|record| record.found.count() == 0);
        if let Some(index) = wrong.map(|index| index + 1).or(empty) {
            return Err(Flaw::Record { record: index + 1 });
        }
        Ok(Self {
            weighting,
            max_ply: u16::from_le_bytes([header[12], header[13]]),
            games: number(header, 16),
            positions: positions(&records),
            records,
        })
    }
}

fn positions(records: &[Record]) -> usize {
    let changes = records.windows(2).filter(|pair| pair[0].key != pair[1].key);
    changes.count() + usize::from(!records.is_empty())
}

/// What records are sorted by; no two of a book have the same.
fn order(record: &Record, weighting: Weighting) -> (u64, std::cmp::Reverse<u64>, u16) {
    let weight = record.found.weight(weighting);
    (
        record.key,
        std::cmp::Reverse(weight),
        record.found.mv.to_bits(),
    )
}

fn record(bytes: &[u8; RECORD]) -> Record {
    let low = u64::from(number(bytes, 0));
    let high = u64::from(number(bytes, 4));
    Record {
        key: high << 32 | low,
        found: BookMove {
            mv: Move::from_bits(u16::from_le_bytes([bytes[8], bytes[9]])),
            wins: number(bytes, 10),
            draws: number(bytes, 14),
            losses: number(bytes, 18),
        },
    }
}

/// Four bytes from `at` on, which the caller knows to be there.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..SUM.start]);
    hasher.update(&bytes[SUM.end..]);
    hasher.finalize()
}

/// What a file that does not begin like a book is.
fn stranger(bytes: &[u8]) -> Flaw {
    // Entries of 16 bytes, ascending by a big-endian key, and none of them without a move. No text looks so.
    let (entries, rest) = bytes.as_chunks::<POLYGLOT_ENTRY>();
    let key = |entry: &[u8; POLYGLOT_ENTRY]| entry[..8].to_vec();
    let ascending = entries
        .windows(2)
        .all(|pair| key(&pair[0]) <= key(&pair[1]));
    let moves = entries.iter().all(|entry| entry[8..10] != [0, 0]);
    let binary = bytes.iter().any(|byte| *byte == 0 || *byte >= 0x80);
    if rest.is_empty() && !entries.is_empty() && ascending && moves && binary {
        Flaw::Polyglot
    } else {
        Flaw::Foreign
    }
}

/// Reads a book. No more is read than the largest book has.
///
/// # Errors
/// If the file cannot be read, or is anything but a whole book.
pub fn load(path: &Path) -> Result<Book, BookError> {
    let unreadable = |source| BookError::Read {
        path: path.to_owned(),
        source,
    };
    let unusable = |what| BookError::Unusable {
        path: path.to_owned(),
        what,
    };
    // Asked before it is opened, since opening a pipe waits for its other end.
    let meta = path.metadata().map_err(unreadable)?;
    if !meta.is_file() {
        return Err(unusable(Flaw::NoFile));
    }
    if meta.len() > MOST_BYTES {
        return Err(unusable(Flaw::TooLarge { bytes: meta.len() }));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    Book::from_bytes(&bytes).map_err(unusable)
}

/// Writes a book beside `path` and gives it that name, so that no half book ever has it.
///
/// # Errors
/// If the system refuses.
pub fn save(book: &Book, path: &Path) -> Result<(), BookError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let write = || {
        let mut file = File::create(&part)?;
        file.write_all(&book.to_bytes())?;
        file.sync_all()?;
        drop(file);
        fs::rename(&part, path)
    };
    write().map_err(|source| BookError::Write {
        path: path.to_owned(),
        source,
    })
}
