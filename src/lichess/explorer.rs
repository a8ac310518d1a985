//! Opening explorer: moves that people played in a position. A server of its own, which wants the token too.

use super::client::Client;
use super::error::Error;
use super::model::ExplorerAnswer;
use reqwest::Method;
use std::time::Duration;
use url::{Host, Url};

const ENDPOINT: &str = "GET explorer /lichess";

/// Position, and which games count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExplorerQuery {
    /// Position that the moves start from, empty for the start position of the variant.
    pub fen: String,
    /// Moves from there, in UCI.
    pub play: Vec<String>,
    /// Words of speeds; all if empty.
    pub speeds: Vec<String>,
    /// Lower ends of rating groups; all if empty.
    pub ratings: Vec<String>,
}

impl Client {
    /// Asks an explorer for the moves of a crazyhouse position. The token goes along only if the explorer belongs to
    /// the server of this client, see [`Client::trusts`].
    ///
    /// # Errors
    /// As every request; the whole of it takes at most `timeout`.
    pub async fn explore(
        &self,
        explorer: &Url,
        query: &ExplorerQuery,
        timeout: Duration,
    ) -> Result<ExplorerAnswer, Error> {
        let mut url = explorer.clone();
        url.set_path("/lichess");
        let mut fields = vec![
            ("variant", "crazyhouse".to_owned()),
            ("topGames", "0".to_owned()),
            ("recentGames", "0".to_owned()),
        ];
        for (name, value) in [
            ("fen", query.fen.clone()),
            ("play", query.play.join(",")),
            ("speeds", query.speeds.join(",")),
            ("ratings", query.ratings.join(",")),
        ] {
            if !value.is_empty() {
                fields.push((name, value));
            }
        }
        let request = self
            .request_to(Method::GET, url)
            .query(&fields)
            .timeout(timeout);
        let response = if self.trusts(explorer) {
            self.send(ENDPOINT, request).await?
        } else {
            self.send_anonymous(ENDPOINT, request).await?
        };
        self.json(ENDPOINT, response).await
    }

    /// Whether another server may see the token: it is the same host or one below it, over the same scheme, or both
    /// are this machine.
    pub fn trusts(&self, other: &Url) -> bool {
        let own = self.url();
        if own.scheme() != other.scheme() {
            return false;
        }
        match (own.host(), other.host()) {
            (Some(Host::Domain(own)), Some(Host::Domain(other))) => {
                other == own || other.ends_with(&format!(".{own}"))
            }
            (Some(own), Some(other)) => own == other,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lichess::ClientOptions;

    #[test]
    fn the_token_goes_only_to_servers_of_the_same_owner() {
        let trusts = |own: &str, other: &str| {
            let options = ClientOptions::new(Url::parse(own).unwrap(), None);
            let client = Client::new(options).unwrap();
            client.trusts(&Url::parse(other).unwrap())
        };
        let lichess = "https://lichess.org";
        assert!(trusts(lichess, "https://explorer.lichess.org"));
        assert!(trusts(lichess, lichess));
        assert!(trusts("http://127.0.0.1:80", "http://127.0.0.1:81"));
        for other in [
            "http://explorer.lichess.org",
            "https://explorer.lichess.ovh",
            "https://evillichess.org",
            "https://lichess.org.evil.net",
            "http://127.0.0.1:81",
        ] {
            assert!(!trusts(lichess, other), "{other}");
        }
        assert!(!trusts("http://127.0.0.1:80", "http://127.0.0.2:80"));
    }
}
