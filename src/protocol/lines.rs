//! Lines of a peer that may send anything.

use std::io::{self, BufRead};

/// Longest line that is taken. A game of 600 plies needs 4 kB.
const MAX_LINE: usize = 1 << 20;

/// What a read brought.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// A line without its end. Bytes that are no UTF-8 are replaced.
    Text(String),
    /// A line beyond the limit, read to its end and dropped.
    TooLong,
    /// No more input.
    End,
}

/// Reads one line. A failing input counts as its end: there is nobody left to talk to.
pub(super) fn read_line(input: &mut impl BufRead) -> Line {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut any = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => &[],
        };
        if chunk.is_empty() {
            if !any {
                return Line::End;
            }
            break;
        }
        any = true;
        let end = chunk.iter().position(|&b| b == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        too_long |= line.len() + part.len() > MAX_LINE;
        if !too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if too_long {
        Line::TooLong
    } else {
        Line::Text(String::from_utf8_lossy(&line).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    fn all(bytes: &[u8]) -> Vec<Line> {
        let mut input = BufReader::with_capacity(7, Cursor::new(bytes));
        let mut lines = Vec::new();
        loop {
            match read_line(&mut input) {
                Line::End => return lines,
                line => lines.push(line),
            }
        }
    }

    #[test]
    fn last_line_needs_no_end() {
        let text = |s: &str| Line::Text(s.to_owned());
        assert_eq!(
            all(b"isready\nsetoption name x\nquit"),
            [text("isready"), text("setoption name x"), text("quit")]
        );
        assert_eq!(all(b""), []);
        assert_eq!(all(b"\n"), [text("")]);
    }

    #[test]
    fn over_long_line_is_dropped_and_the_next_one_is_read() {
        let mut bytes = vec![b'x'; MAX_LINE + 1];
        bytes.extend_from_slice(b"\nisready\n");
        assert_eq!(
            all(&bytes),
            [Line::TooLong, Line::Text("isready".to_owned())]
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(all(b"a\xffb\n"), [Line::Text("a\u{fffd}b".to_owned())]);
    }
}
