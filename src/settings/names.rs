//! Where lists of user names come from.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use url::{Host, Url};

/// A list of user names, one a line, kept elsewhere.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NameList {
    /// File.
    File(PathBuf),
    /// Page of the web.
    Url(Url),
}

impl NameList {
    /// What a text should be.
    pub(super) const EXPECTED: &'static str =
        "paths of files, or addresses that begin with https:// and hold no user name or password";
}

impl FromStr for NameList {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text.is_empty() || text.contains('\0') {
            return Err(());
        }
        if !text.contains("://") {
            return Ok(Self::File(PathBuf::from(text)));
        }
        let url = Url::parse(text).map_err(|_| ())?;
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
            None => return Err(()),
        };
        let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        let is_plain = url.username().is_empty() && url.password().is_none();
        if is_secure && is_plain {
            Ok(Self::Url(url))
        } else {
            Err(())
        }
    }
}

impl fmt::Display for NameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Url(url) => write!(f, "{url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_files_and_must_be_safe() {
        let file = |text: &str| matches!(text.parse(), Ok(NameList::File(_)));
        let url = |text: &str| matches!(text.parse(), Ok(NameList::Url(_)));
        assert!(file("block.txt") && file("/etc/bot/block.txt") && file("C:\\block.txt"));
        assert!(url("https://example.org/list.txt?x=1") && url("http://127.0.0.1:8/x"));
        for bad in [
            "",
            "a\0b",
            "http://example.org/list",
            "ftp://example.org/list",
            "https://me:secret@example.org/list",
            "https://",
        ] {
            assert_eq!(bad.parse::<NameList>(), Err(()), "{bad:?}");
        }
    }
}
