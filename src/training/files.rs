//! Files of the training as the system has them: which can be read, and how they are written whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Whether something is there that is no plain file. To be asked before it is opened: opening a pipe waits for its
/// other end, and a device may have no end.
pub fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| !file.is_file())
}

/// Name under which a file is begun that is renamed to `path` when it is whole.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// Writes a file beside `path`, brings it to the disk and gives it that name, so that no half file has it.
///
/// # Errors
/// If the system refuses.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = part_of(path);
    let mut file = fs::File::create(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&part, path)
}
