//! Section `[lichess]`: server and account.

use super::reader::Reader;
use secrecy::SecretString;
use std::path::PathBuf;
use url::Url;

/// Section `[lichess]`.
#[derive(Clone, Debug)]
pub struct LichessSettings {
    /// Server: scheme, host and port only.
    pub url: Url,
    /// Token given as text; [`LichessSettings::read_token`] also looks into the file.
    pub token: Option<SecretString>,
    /// File that holds the token. At most one of the two is set.
    pub token_file: Option<PathBuf>,
    /// E-mail or site named in the User-Agent.
    pub contact: Option<String>,
}

impl LichessSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "lichess";
        Self {
            url: r.server_url(S, "url"),
            token: r.token(S, "token"),
            token_file: r.optional_path(S, "token_file"),
            contact: r.contact(S, "contact"),
        }
    }
}
