//! ND-JSON streams: bytes to lines to values.

use super::answer::cut;
use super::error::StreamError;
use super::model::{Event, GameEvent};
use bytes::{Bytes, BytesMut};
use serde::de::DeserializeOwned;
use std::fmt;
use std::marker::PhantomData;
use std::time::Instant;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder};

/// Longest line. The longest proper one is a `gameFull` of 600 plies, about 4 kB.
pub(super) const MAX_LINE: usize = 1 << 20;

/// Stream of `GET /api/stream/event`.
pub type EventStream = LineStream<Event>;

/// Stream of `GET /api/bot/game/stream/{id}`.
pub type GameStream = LineStream<GameEvent>;

/// What a stream yields.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamItem<T> {
    /// A line.
    Line {
        /// What it says.
        value: T,
        /// When its last byte was read; the server's clocks in it are at least this old.
        received: Instant,
    },
    /// A blank line: the stream is alive.
    KeepAlive,
    /// A line of unexpected shape, to be logged and passed over.
    Undecodable {
        /// Start of the line, at most 200 characters. May hold private ids: not for public eyes.
        line: String,
        /// What the decoder says.
        error: String,
    },
}

/// Stream of JSON lines whose status was success. Dropping it closes the connection.
pub struct LineStream<T> {
    response: reqwest::Response,
    lines: LineBuffer,
    received: Instant,
    ended: bool,
    item: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> LineStream<T> {
    pub(super) fn new(response: reqwest::Response) -> Self {
        Self {
            response,
            lines: LineBuffer::new(MAX_LINE),
            received: Instant::now(),
            ended: false,
            item: PhantomData,
        }
    }

    /// Waits for the next line; `None` is a clean end, which on a game stream does not prove that
    /// the game is over. After an error or the end there is nothing more.
    ///
    /// Cancel safe: a dropped call loses no line.
    pub async fn next(&mut self) -> Option<Result<StreamItem<T>, StreamError>> {
        while !self.ended {
            match self.lines.next() {
                Ok(Some(line)) => return Some(Ok(item(&line, self.received))),
                Ok(None) => {}
                Err(error) => return self.fail(error),
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => {
                    self.lines.push(&chunk);
                    self.received = Instant::now();
                }
                Ok(None) => {
                    self.ended = true;
                    return match self.lines.finish() {
                        Ok(rest) => rest.map(|line| Ok(item(&line, self.received))),
                        Err(error) => Some(Err(error)),
                    };
                }
                Err(error) => return self.fail(error.into()),
            }
        }
        None
    }

    fn fail(&mut self, error: StreamError) -> Option<Result<StreamItem<T>, StreamError>> {
        self.ended = true;
        Some(Err(error))
    }
}

impl<T> fmt::Debug for LineStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineStream")
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

/// Cuts bytes into lines of limited length.
///
/// `LinesCodec` would do but for one thing: it ends a stream at the first byte that is not UTF-8,
/// where only one line is lost.
#[derive(Debug)]
struct LineBuffer {
    codec: AnyDelimiterCodec,
    bytes: BytesMut,
    limit: usize,
}

impl LineBuffer {
    fn new(limit: usize) -> Self {
        let codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), b"\n".to_vec(), limit);
        Self {
            codec,
            bytes: BytesMut::new(),
            limit,
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
    }

    /// Next complete line, without its end.
    fn next(&mut self) -> Result<Option<Bytes>, StreamError> {
        self.codec
            .decode(&mut self.bytes)
            .map_err(|error| self.classify(&error))
    }

    /// The last line, when the stream ended without a line end.
    fn finish(&mut self) -> Result<Option<Bytes>, StreamError> {
        self.codec
            .decode_eof(&mut self.bytes)
            .map_err(|error| self.classify(&error))
    }

    const fn classify(&self, error: &AnyDelimiterCodecError) -> StreamError {
        match error {
            // A buffer in memory has no I/O errors, so only the length remains.
            AnyDelimiterCodecError::MaxChunkLengthExceeded | AnyDelimiterCodecError::Io(_) => {
                StreamError::LineTooLong { limit: self.limit }
            }
        }
    }
}

fn item<T: DeserializeOwned>(line: &[u8], received: Instant) -> StreamItem<T> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return StreamItem::KeepAlive;
    }
    match serde_json::from_slice(line) {
        Ok(value) => StreamItem::Line { value, received },
        Err(error) => StreamItem::Undecodable {
            line: cut(&String::from_utf8_lossy(line)),
            error: cut(&error.to_string()),
        },
    }
}
