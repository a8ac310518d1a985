//! The HTTP client: set-up, requests, checked answers. The endpoints are in `endpoints`.

use super::answer;
use super::error::Error;
use super::token::Token;
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, HeaderValue, USER_AGENT};
use reqwest::{Method, RequestBuilder, Response, redirect, retry};
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// Time to establish a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Idle connections are dropped before the server (or a router between) forgets them.
const POOL_IDLE: Duration = Duration::from_secs(25);

/// Most bytes of an answer. Five hundred online bots take about 1 MB.
const MAX_BODY: usize = 8 << 20;

/// Most bytes read of the body of an error.
const MAX_ERROR_BODY: usize = 64 << 10;

/// How to reach the server.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Server as `https://host[:port]`, without a path.
    pub url: Url,
    /// Token of the bot account. Over plain http it is sent to loopback addresses only.
    pub token: Option<SecretString>,
    /// User-Agent without the account's name; see [`user_agent`].
    pub user_agent: String,
    /// Silence after which a stream counts as dead. The server sends a blank line every 7 s.
    pub stream_idle: Duration,
    /// Most time of a move, from connecting to the last byte.
    pub move_timeout: Duration,
    /// Most time of any other request.
    pub request_timeout: Duration,
}

impl ClientOptions {
    /// Options with the usual times: streams 20 s, moves 5 s, other requests 10 s.
    pub fn new(url: Url, token: Option<SecretString>) -> Self {
        Self {
            url,
            token,
            user_agent: user_agent(""),
            stream_idle: Duration::from_secs(20),
            move_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(10),
        }
    }
}

/// User-Agent of this program: name, version, and how to reach its operator if given.
///
/// Lichess reads `user:NAME` and `as:NAME` anywhere in it and refuses a name that is not the
/// account's, so such text is defused.
pub fn user_agent(contact: &str) -> String {
    let program = concat!("pocketknight/", env!("CARGO_PKG_VERSION"));
    let mut contact: String = contact
        .trim()
        .chars()
        .filter(|c| matches!(c, ' '..='~') && !matches!(c, '(' | ')'))
        .collect();
    let lower = contact.to_ascii_lowercase();
    if lower.contains("user:") || lower.contains("as:") {
        contact = contact.replace(':', " ");
    }
    if contact.is_empty() {
        program.to_owned()
    } else {
        format!("{program} ({contact})")
    }
}

/// Client of the Bot API. Clones share connections.
///
/// Streams and requests have clients of their own, and both speak HTTP/1.1: each stream and each
/// request in flight then has its own connection, so one that stalls holds up nothing else and is
/// never used again, where an HTTP/2 connection would take all its streams down with it and be
/// offered to the retry.
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
    user_agent: HeaderValue,
}

#[derive(Debug)]
struct Shared {
    streams: reqwest::Client,
    requests: reqwest::Client,
    url: Url,
    token: Option<Token>,
    base_user_agent: String,
    move_timeout: Duration,
    request_timeout: Duration,
}

/// How long a request may take as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    Move,
    Request,
}

impl Client {
    /// Checks the options and sets the HTTP clients up; nothing is sent.
    ///
    /// # Errors
    /// When address, token or User-Agent cannot be used, or the system lacks root certificates.
    pub fn new(options: ClientOptions) -> Result<Self, Error> {
        let ClientOptions {
            url,
            token,
            user_agent,
            stream_idle,
            move_timeout,
            request_timeout,
        } = options;
        let local = check_url(&url)?;
        let token = token.map(Token::new).transpose()?;
        if token.is_some() && url.scheme() != "https" && !local {
            return Err(Error::PlainHttp { url: shown(&url) });
        }
        let header = user_agent_header(&user_agent)?;
        // Fails only if a provider is installed already, which serves as well.
        rustls::crypto::ring::default_provider()
            .install_default()
            .ok();
        let builder = || {
            let builder = reqwest::Client::builder()
                .connect_timeout(CONNECT)
                .pool_idle_timeout(POOL_IDLE)
                .tcp_keepalive(Duration::from_secs(15))
                .http1_only()
                // A redirect could carry the token away, and the API has none.
                .redirect(redirect::Policy::none())
                .referer(false)
                // Whether to repeat a request is for the caller to say: a move may have counted.
                .retry(retry::never())
                .https_only(url.scheme() == "https");
            // A proxy on the way to this machine itself makes no sense, and would see the token.
            if local { builder.no_proxy() } else { builder }
        };
        let streams = builder()
            .read_timeout(stream_idle)
            .build()
            .map_err(Error::Setup)?;
        let requests = builder().build().map_err(Error::Setup)?;
        let shared = Shared {
            streams,
            requests,
            url,
            token,
            base_user_agent: user_agent,
            move_timeout,
            request_timeout,
        };
        Ok(Self {
            shared: Arc::new(shared),
            user_agent: header,
        })
    }

    /// The same client naming the account in its User-Agent, as Lichess asks. The name must be the
    /// token's owner, else every answer is 401.
    ///
    /// # Errors
    /// When the name cannot stand in a header.
    pub fn with_user(&self, name: &str) -> Result<Self, Error> {
        let user_agent =
            user_agent_header(&format!("{} user:{name}", self.shared.base_user_agent))?;
        Ok(Self {
            shared: Arc::clone(&self.shared),
            user_agent,
        })
    }

    /// Address of the server.
    pub fn url(&self) -> &Url {
        &self.shared.url
    }

    /// Whether requests carry a token.
    pub fn has_token(&self) -> bool {
        self.shared.token.is_some()
    }

    pub(super) fn token(&self) -> Option<&Token> {
        self.shared.token.as_ref()
    }

    pub(super) fn base_user_agent(&self) -> &str {
        &self.shared.base_user_agent
    }

    /// Starts a request with its total time limit.
    pub(super) fn request(&self, method: Method, path: &str, limit: Limit) -> RequestBuilder {
        let timeout = match limit {
            Limit::Move => self.shared.move_timeout,
            Limit::Request => self.shared.request_timeout,
        };
        self.build(&self.shared.requests, method, path)
            .timeout(timeout)
    }

    /// Starts a request to another server than that of this client.
    pub(super) fn request_to(&self, method: Method, url: Url) -> RequestBuilder {
        self.shared
            .requests
            .request(method, url)
            .header(USER_AGENT, self.user_agent.clone())
    }

    /// Starts the request of a stream, limited by silence only.
    pub(super) fn stream_request(&self, path: &str) -> RequestBuilder {
        self.build(&self.shared.streams, Method::GET, path)
    }

    /// Starts the request of a stream that is silent for longer than others, limited by `most` as a whole.
    pub(super) fn slow_stream_request(
        &self,
        method: Method,
        path: &str,
        most: Duration,
    ) -> RequestBuilder {
        self.build(&self.shared.requests, method, path)
            .timeout(most)
    }

    fn build(&self, client: &reqwest::Client, method: Method, path: &str) -> RequestBuilder {
        let mut url = self.shared.url.clone();
        url.set_path(path);
        client
            .request(method, url)
            .header(USER_AGENT, self.user_agent.clone())
    }

    /// Sends a request in the account's name and returns an answer only if its status is success.
    pub(super) async fn send(
        &self,
        endpoint: &'static str,
        request: RequestBuilder,
    ) -> Result<Response, Error> {
        let request = match self.token() {
            Some(token) => request.header(AUTHORIZATION, token.authorization()),
            None => request,
        };
        self.send_anonymous(endpoint, request).await
    }

    /// Sends a request without the token.
    pub(super) async fn send_anonymous(
        &self,
        endpoint: &'static str,
        request: RequestBuilder,
    ) -> Result<Response, Error> {
        let response = request
            .send()
            .await
            .map_err(|source| Error::from_reqwest(endpoint, source))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        // The status counts even if the body breaks off, and the body of a failed stream request
        // has no time limit of its own.
        let reading = answer::read_start(response, MAX_ERROR_BODY);
        let body = match tokio::time::timeout(self.shared.request_timeout, reading).await {
            Ok((body, _)) => body,
            Err(_) => Bytes::new(),
        };
        let body = self.redact(&body);
        let now = jiff::Timestamp::now();
        let error = answer::api_error(endpoint, status, &headers, &body, now);
        Err(Error::Status(Box::new(error)))
    }

    /// Body as text for an error, without the token should the server repeat it.
    pub(super) fn redact(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body).into_owned();
        match self.token() {
            Some(token) => token.redact(text),
            None => text,
        }
    }

    /// Error for a body of unexpected shape.
    pub(super) fn undecodable(
        &self,
        endpoint: &'static str,
        error: &serde_json::Error,
        body: &[u8],
    ) -> Error {
        // The decoder's message quotes values.
        let reason = answer::cut(&self.redact(error.to_string().as_bytes()));
        Error::Decode {
            endpoint,
            reason,
            body: answer::cut(&self.redact(body)),
        }
    }
}

/// Body of an answer.
pub(super) async fn body(endpoint: &'static str, response: Response) -> Result<Bytes, Error> {
    answer::read(endpoint, response, MAX_BODY).await
}

/// Reads an answer whose status says everything, so that the connection can be used again.
pub(super) async fn finish(response: Response) {
    answer::read_start(response, MAX_ERROR_BODY).await;
}

fn user_agent_header(value: &str) -> Result<HeaderValue, Error> {
    let printable = value.bytes().all(|b| matches!(b, b' '..=b'~'));
    match HeaderValue::from_str(value) {
        Ok(header) if printable => Ok(header),
        _ => Err(Error::UserAgent {
            value: answer::cut(value),
        }),
    }
}

/// Checks the server's address and tells whether it is this machine.
fn check_url(url: &Url) -> Result<bool, Error> {
    let refuse = |reason| {
        Err(Error::Url {
            url: shown(url),
            reason,
        })
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("the scheme is neither http nor https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it holds a user name or password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("it has a query or fragment");
    }
    if url.path() != "/" {
        return refuse("it has a path");
    }
    match url.host() {
        None => refuse("it has no host"),
        Some(Host::Ipv4(address)) => Ok(address.is_loopback()),
        Some(Host::Ipv6(address)) => Ok(address.is_loopback()),
        Some(Host::Domain(name)) => Ok(name == "localhost" || name.ends_with(".localhost")),
    }
}

/// Address without what may be secret in it.
fn shown(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{}://{host}:{port}", url.scheme()),
        (Some(host), None) => format!("{}://{host}", url.scheme()),
        (None, _) => format!("{}:", url.scheme()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(url: &str, token: Option<&str>) -> Result<Client, Error> {
        let url = Url::parse(url).unwrap();
        Client::new(ClientOptions::new(url, token.map(SecretString::from)))
    }

    #[test]
    fn addresses_that_cannot_be_a_server_are_refused_with_the_reason() {
        for (url, reason) in [
            ("ftp://lichess.org", "scheme"),
            ("data:text/plain,x", "scheme"),
            ("https://bob:secret@lichess.org", "user name"),
            ("https://bob@lichess.org", "user name"),
            ("https://:secret@lichess.org", "user name"),
            ("https://lichess.org/api", "path"),
            ("https://lichess.org/?a=secret", "query"),
            ("https://lichess.org/#secret", "fragment"),
        ] {
            let error = client(url, None).unwrap_err();
            assert!(error.to_string().contains(reason), "{url}: {error}");
            assert!(
                !format!("{error} {error:?}").contains("secret"),
                "{url}: {error:?}"
            );
            assert!(!error.is_transient());
        }
    }

    #[test]
    fn the_token_goes_unencrypted_to_this_machine_only() {
        for url in [
            "http://127.0.0.1:8080",
            "http://127.1.2.3",
            "http://[::1]:9",
            "http://localhost",
            "http://LOCALHOST:80",
            "http://a.localhost",
            "https://lichess.org",
            "https://10.0.0.1:8443/",
        ] {
            assert!(client(url, Some("lip_x")).is_ok(), "{url}");
        }
        for url in [
            "http://lichess.org",
            "http://10.0.0.1",
            "http://[::2]",
            "http://localhost.example.org",
            "http://notlocalhost",
            "http://0.0.0.0",
        ] {
            let error = client(url, Some("lip_x")).unwrap_err();
            assert!(matches!(error, Error::PlainHttp { .. }), "{url}: {error}");
            assert!(client(url, None).is_ok(), "{url} without a token");
        }
    }

    #[test]
    fn the_user_agent_names_the_operator_but_never_another_user() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(user_agent(" "), format!("pocketknight/{version}"));
        assert_eq!(
            user_agent("https://example.org/bot"),
            format!("pocketknight/{version} (https://example.org/bot)")
        );
        assert_eq!(
            user_agent("a(b)\n\u{e9} User:bob"),
            format!("pocketknight/{version} (ab User bob)")
        );
        assert!(!user_agent("thomas:5").contains("as:"));
    }

    #[test]
    fn user_agents_that_no_header_can_hold_are_refused() {
        let client = client("http://localhost", None).unwrap();
        assert!(client.with_user("Bot\r\nX-Evil: 1").is_err());
        assert!(client.with_user("Bot\u{e9}").is_err());
        let named = client.with_user("OurBot").unwrap();
        let expected = format!("pocketknight/{} user:OurBot", env!("CARGO_PKG_VERSION"));
        assert_eq!(named.user_agent, expected.as_str());
        assert_eq!(
            named
                .with_user("Other")
                .unwrap()
                .user_agent
                .to_str()
                .unwrap()
                .matches("user:")
                .count(),
            1
        );
    }
}
