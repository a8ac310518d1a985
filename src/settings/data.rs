//! Section `[data]`: files that are written.

use super::reader::Reader;
use std::path::PathBuf;

/// Section `[data]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSettings {
    /// Folder of the game records.
    pub dir: PathBuf,
    /// Write finished games as PGN.
    pub pgn: bool,
    /// Write one JSON line per finished game.
    pub results: bool,
}

impl DataSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "data";
        Self {
            dir: r.required_path(S, "dir"),
            pgn: r.flag(S, "pgn"),
            results: r.flag(S, "results"),
        }
    }
}
