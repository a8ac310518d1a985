//! ND-JSON streams: bytes to lines to values.

use super::answer::{cut, object};
use super::error::StreamError;
use super::model::{ChallengeLine, Event, GameEvent};
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

/// Stream of `POST /api/challenge/{username}` with `keepAliveStream`.
pub type ChallengeStream = LineStream<ChallengeLine>;

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
        let line = self.line().await.transpose()?;
        self.ended |= line.is_err();
        Some(line.map(|line| item(&line, self.received)))
    }

    async fn line(&mut self) -> Result<Option<Bytes>, StreamError> {
        while !self.ended {
            if let Some(line) = self.lines.next()? {
                return Ok(Some(line));
            }
            let Some(chunk) = self.response.chunk().await? else {
                self.ended = true;
                return self.lines.finish();
            };
            self.lines.push(&chunk);
            self.received = Instant::now();
        }
        Ok(None)
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
    match object(line) {
        Ok(value) => StreamItem::Line { value, received },
        Err(error) => StreamItem::Undecodable {
            line: cut(&String::from_utf8_lossy(line)),
            error: cut(&error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lines of a buffer that is fed the chunks one by one, as texts.
    fn lines(limit: usize, chunks: &[&[u8]]) -> Result<Vec<String>, StreamError> {
        let mut buffer = LineBuffer::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            buffer.push(chunk);
            while let Some(line) = buffer.next()? {
                found.push(line);
            }
        }
        found.extend(buffer.finish()?);
        Ok(found
            .iter()
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect())
    }

    #[test]
    fn a_line_may_have_the_whole_length_but_no_more() {
        let fitting = format!("{}\n", "x".repeat(8));
        assert_eq!(
            lines(8, &[fitting.as_bytes(), b"y\n"]).unwrap(),
            ["xxxxxxxx", "y"]
        );
        for chunks in [
            &[b"xxxxxxxxx\n".as_slice()] as &[&[u8]],
            &[b"xxxxx", b"xxxx"],
        ] {
            let error = lines(8, chunks).unwrap_err();
            assert!(
                matches!(error, StreamError::LineTooLong { limit: 8 }),
                "{error:?}"
            );
            assert_eq!(error.to_string(), "stream line longer than 8 bytes");
        }
    }

    #[test]
    fn blank_lines_are_keep_alives_however_they_end() {
        for line in ["", "\r", " ", "\t\r"] {
            assert_eq!(
                item::<Event>(line.as_bytes(), Instant::now()),
                StreamItem::KeepAlive
            );
        }
    }

    #[test]
    fn a_line_that_is_no_text_costs_only_itself() {
        let received = Instant::now();
        let lines: [&[u8]; 7] = [
            b"\xff\xfe",
            b"<html>",
            b"[\"unknown\"]",
            b"3",
            b"null",
            b"{}",
            b"{\"type\":7}",
        ];
        for line in lines {
            let item = item::<GameEvent>(line, received);
            assert!(
                matches!(item, StreamItem::Undecodable { .. }),
                "{line:?} gave {item:?}"
            );
        }
    }

    #[test]
    fn what_is_shown_of_a_bad_line_is_short() {
        let line = format!("{{\"type\":\"{}", "é".repeat(5000));
        let StreamItem::Undecodable { line, error } =
            item::<GameEvent>(line.as_bytes(), Instant::now())
        else {
            panic!("decoded");
        };
        assert_eq!(line.chars().count(), 201);
        assert!(error.chars().count() <= 201, "{error}");
    }

    proptest! {
        #[test]
        fn lines_come_out_whole_wherever_the_chunks_are_cut(
            texts in proptest::collection::vec("[^\n]{0,20}", 0..12),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
            ended in any::<bool>(),
        ) {
            let mut bytes = texts.join("\n").into_bytes();
            if ended && !texts.is_empty() {
                bytes.push(b'\n');
            }
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            let mut expected = texts;
            if !ended && expected.last().is_some_and(String::is_empty) {
                // An empty rest after the last line end is no line.
                expected.pop();
            }
            prop_assert_eq!(lines(1000, &chunks).unwrap(), expected);
        }

        #[test]
        fn any_bytes_become_items(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            item::<Event>(&bytes, Instant::now());
            item::<GameEvent>(&bytes, Instant::now());
        }
    }
}
