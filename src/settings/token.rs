//! Where the token comes from and what it may look like.

use super::{Error, LichessSettings};
use secrecy::SecretString;
use std::io::Read;
use std::path::Path;

/// Far above any real token; keeps a wrong path (a device, a database) from being read whole.
const MAX_TOKEN_FILE: u64 = 4096;

/// Form of a token, for messages that must not show it.
pub(super) const EXPECTED: &str = "one word of visible ASCII characters";

/// Whether a trimmed text can be sent as a bearer token.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())
}

impl LichessSettings {
    /// Token of the settings, read from the token file if one is named; `None` if there is neither.
    ///
    /// Not part of loading, so that commands which need no token do not fail for want of the file.
    ///
    /// # Errors
    /// [`Error::TokenFile`] if the file cannot be read, [`Error::TokenContent`] if it holds no token.
    pub fn read_token(&self) -> Result<Option<SecretString>, Error> {
        match (&self.token, &self.token_file) {
            (Some(token), _) => Ok(Some(token.clone())),
            (None, Some(path)) => read_file(path).map(Some),
            (None, None) => Ok(None),
        }
    }
}

fn read_file(path: &Path) -> Result<SecretString, Error> {
    let mut text = String::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_TOKEN_FILE).read_to_string(&mut text))
        .map_err(|source| Error::TokenFile {
            path: path.into(),
            source,
        })?;
    let token = text.trim();
    if is_token(token) {
        Ok(token.into())
    } else {
        Err(Error::TokenContent {
            path: path.into(),
            expected: EXPECTED,
        })
    }
}
