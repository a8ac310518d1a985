//! Network files on disk, as the UCI option `EvalFile`, the setting `engine.eval_file` and the commands name them.

use crate::engine::nnue::{Network, NetworkError};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why no network could be had from a file.
#[derive(Debug, thiserror::Error)]
pub enum EvalFileError {
    /// Missing, or not readable.
    #[error("cannot read network file {}", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// A directory or a device.
    #[error("{} is not a file", .0.display())]
    NoFile(PathBuf),
    /// Not a network that this program can use.
    #[error("network file {}", .0.display())]
    Network(PathBuf, #[source] NetworkError),
}

/// Reads a network. No more is read than the largest network has.
///
/// # Errors
/// If the file cannot be read, or is anything but a whole network for the inputs of this program.
pub fn load(path: &Path) -> Result<Arc<Network>, EvalFileError> {
    let unreadable = |error| EvalFileError::Read(path.to_owned(), error);
    // Asked before it is opened, since opening a pipe waits for its other end.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(EvalFileError::NoFile(path.to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| {
            file.take(Network::MOST_BYTES as u64 + 1)
                .read_to_end(&mut bytes)
        })
        .map_err(unreadable)?;
    let network = Network::from_bytes(&bytes);
    Ok(Arc::new(network.map_err(|error| {
        EvalFileError::Network(path.to_owned(), error)
    })?))
}
