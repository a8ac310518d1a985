//! Errors of the client, classified in one place.

use std::time::Duration;

/// What went wrong with a request. Messages never contain the token.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server's address cannot be used.
    #[error("lichess.url {url}: {reason}, expected something like https://lichess.org")]
    Url {
        /// The address, without credentials.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The token would travel unencrypted to another machine.
    #[error(
        "lichess.url {url}: the token is not sent over plain http except to this machine, expected https"
    )]
    PlainHttp {
        /// The address, without credentials.
        url: String,
    },
    /// The token cannot be one: empty, or with characters that no token has.
    #[error(
        "lichess.token: empty or with characters no token has, expected letters, digits and underscores"
    )]
    Token,
    /// The User-Agent cannot stand in a header.
    #[error("user agent {value:?}: expected printable ASCII")]
    UserAgent {
        /// The refused text.
        value: String,
    },
    /// The HTTP client could not be set up, for example without root certificates.
    #[error("could not set up the http client")]
    Setup(#[source] reqwest::Error),
    /// A game id, user name or move that cannot stand in a path.
    #[error("{endpoint}: {value:?} cannot stand in a path, expected 1 to 64 letters and digits")]
    Segment {
        /// Endpoint as method and path template.
        endpoint: &'static str,
        /// The refused text, cut.
        value: String,
    },
    /// No answer: refused, reset, name not found, TLS failure.
    #[error("{endpoint}: no answer")]
    Transport {
        /// Endpoint as method and path template.
        endpoint: &'static str,
        /// Cause.
        #[source]
        source: reqwest::Error,
    },
    /// No answer in time.
    #[error("{endpoint}: no answer in time")]
    Timeout {
        /// Endpoint as method and path template.
        endpoint: &'static str,
        /// Cause.
        #[source]
        source: reqwest::Error,
    },
    /// The server answered with a status other than success.
    #[error(transparent)]
    Status(Box<ApiError>),
    /// The server answered success with a body of another shape than expected.
    #[error("{endpoint}: unexpected answer: {reason}; it reads {body:?}")]
    Decode {
        /// Endpoint as method and path template.
        endpoint: &'static str,
        /// What the decoder says.
        reason: String,
        /// Start of the body, at most 200 characters.
        body: String,
    },
    /// The body is longer than any proper answer.
    #[error("{endpoint}: answer longer than {limit} bytes")]
    TooLong {
        /// Endpoint as method and path template.
        endpoint: &'static str,
        /// Most bytes read.
        limit: usize,
    },
}

/// Answer with a status other than success.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{endpoint}: status {status}: {message}")]
pub struct ApiError {
    /// Endpoint as method and path template.
    pub endpoint: &'static str,
    /// HTTP status, 100 to 999.
    pub status: u16,
    /// What the server says, on one line, at most 200 characters; possibly translated, so for
    /// people only.
    pub message: String,
    /// Names of the fields that the server found wrong, such as `clock.limit`.
    pub fields: Vec<String>,
    /// Limit that was hit, when the server names one. With status 429 it is ours, with 400 it is
    /// the opponent's.
    pub rate_limit: Option<RateLimit>,
    /// How long to wait: seconds of `rate_limit`, else the header `Retry-After`. At most 30 days.
    pub retry_after: Option<Duration>,
}

/// Limit named in an error body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RateLimit {
    /// Key such as `bot.vsBot.day`; empty if absent.
    pub key: String,
    /// Time until the limit ends, at most 30 days.
    pub wait: Duration,
}

/// Class of an error; retry decisions read this and no status numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The connection failed; the request may or may not have been handled.
    Transport,
    /// No answer in time; the request may or may not have been handled.
    Timeout,
    /// Status 429.
    RateLimited {
        /// How long the server asks to wait, if it says so.
        retry_after: Option<Duration>,
    },
    /// The server, or this client before sending, refuses this very request. Permanent.
    Rejected,
    /// Status 404: no such game, challenge or user, or not ours.
    NotFound,
    /// Status 401 or 403: token unknown or without the scope. Permanent.
    Unauthorized,
    /// Status 5xx, as during a restart of the server.
    Server,
    /// An answer that cannot be read.
    Decode,
}

impl Error {
    /// Class of the error.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Url { .. }
            | Self::PlainHttp { .. }
            | Self::Token
            | Self::UserAgent { .. }
            | Self::Setup(_)
            | Self::Segment { .. } => Kind::Rejected,
            Self::Transport { .. } => Kind::Transport,
            Self::Timeout { .. } => Kind::Timeout,
            Self::Status(error) => error.kind(),
            Self::Decode { .. } | Self::TooLong { .. } => Kind::Decode,
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        self.kind().is_transient()
    }

    /// Whether the request certainly never reached the server, so that repeating it is safe.
    pub fn is_unsent(&self) -> bool {
        match self {
            Self::Transport { source, .. } | Self::Timeout { source, .. } => source.is_connect(),
            Self::Status(_) | Self::Decode { .. } | Self::TooLong { .. } => false,
            _ => true,
        }
    }

    /// The server's answer, when there was one with a status other than success.
    pub fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Status(error) => Some(error),
            _ => None,
        }
    }

    /// How long the server asks to wait, if it says so; also set when an *opponent* has reached a
    /// limit, which is of kind [`Kind::Rejected`].
    pub fn retry_after(&self) -> Option<Duration> {
        self.api()?.retry_after
    }

    pub(super) fn from_reqwest(endpoint: &'static str, source: reqwest::Error) -> Self {
        // The address may hold ids, and the endpoint is in the message already.
        let source = source.without_url();
        if source.is_timeout() {
            Self::Timeout { endpoint, source }
        } else {
            Self::Transport { endpoint, source }
        }
    }
}

impl ApiError {
    /// Class of the answer.
    pub const fn kind(&self) -> Kind {
        match self.status {
            401 | 403 => Kind::Unauthorized,
            404 => Kind::NotFound,
            408 => Kind::Timeout,
            429 => Kind::RateLimited {
                retry_after: self.retry_after,
            },
            500..=599 => Kind::Server,
            _ => Kind::Rejected,
        }
    }
}

impl Kind {
    /// Whether the same request may succeed later.
    pub const fn is_transient(self) -> bool {
        match self {
            Self::Transport | Self::Timeout | Self::RateLimited { .. } | Self::Server => true,
            Self::Rejected | Self::NotFound | Self::Unauthorized | Self::Decode => false,
        }
    }
}

/// Why a stream broke. A clean end is not an error.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The connection failed.
    #[error("stream broken")]
    Transport(#[source] reqwest::Error),
    /// Not even a keep-alive line came in time.
    #[error("stream silent for too long")]
    Stalled(#[source] reqwest::Error),
    /// A line that is longer than any proper one.
    #[error("stream line longer than {limit} bytes")]
    LineTooLong {
        /// Most bytes of a line.
        limit: usize,
    },
}

impl StreamError {
    /// Class of the error; every one of them calls for a new connection.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Transport(_) => Kind::Transport,
            Self::Stalled(_) => Kind::Timeout,
            Self::LineTooLong { .. } => Kind::Decode,
        }
    }
}

impl From<reqwest::Error> for StreamError {
    fn from(source: reqwest::Error) -> Self {
        let source = source.without_url();
        if source.is_timeout() {
            Self::Stalled(source)
        } else {
            Self::Transport(source)
        }
    }
}
