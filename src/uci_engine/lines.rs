//! Lines of a process, of bounded length.

use std::io;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Longest line; a best line of a few hundred moves takes some 2 KB.
const MOST_BYTES: usize = 1 << 16;

/// Reads lines and passes over those that are too long.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: BufReader<R>,
    partial: Vec<u8>,
    too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: BufReader::new(input),
            partial: Vec::new(),
            too_long: false,
        }
    }

    /// Next line without its end, `None` at the end of the output. Cancel safe.
    pub(super) async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                let rest = std::mem::take(&mut self.partial);
                let rest = String::from_utf8_lossy(&rest).trim().to_owned();
                return Ok((!rest.is_empty() && !self.too_long).then_some(rest));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.partial.len() + part.len() > MOST_BYTES {
                self.too_long = true;
                self.partial.clear();
            }
            if !self.too_long {
                self.partial.extend_from_slice(part);
            }
            let used = end.map_or(bytes.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                let line = std::mem::take(&mut self.partial);
                if !std::mem::take(&mut self.too_long) {
                    return Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_without_their_ends_and_monsters_are_left_out() {
        let long = "x".repeat(MOST_BYTES + 1);
        let text = format!("uciok\r\n{long}\nreadyok\n\nlast");
        let mut lines = Lines::new(text.as_bytes());
        for expected in [Some("uciok"), Some("readyok"), Some(""), Some("last"), None] {
            assert_eq!(lines.next().await.unwrap().as_deref(), expected);
        }
    }

    #[tokio::test]
    async fn endless_line_at_the_end_is_no_line() {
        let text = "x".repeat(MOST_BYTES * 2);
        let mut lines = Lines::new(text.as_bytes());
        assert_eq!(lines.next().await.unwrap(), None);
    }
}
