//! Sending side of the ND-JSON streams: lines as they come, a blank line when none came for a while.

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use serde::Serialize;
use std::convert::identity;
use std::io;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Sends lines to one open stream. Dropping it ends the stream cleanly after the lines sent so far.
#[derive(Clone, Debug)]
pub(super) struct Feed {
    sender: mpsc::UnboundedSender<Item>,
}

#[derive(Debug)]
enum Item {
    Line(Bytes),
    Cut,
}

impl Feed {
    /// Feed and the body of the answer that it fills. The body sends a blank line whenever `keep_alive` passed
    /// without a line, and ends when `stop` is cancelled.
    pub(super) fn open(keep_alive: Duration, stop: CancellationToken) -> (Self, Body) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let lines = stream::unfold((receiver, stop), move |(mut receiver, stop)| async move {
            let item = tokio::select! {
                () = stop.cancelled() => None,
                item = tokio::time::timeout(keep_alive, receiver.recv()) => {
                    item.map_or_else(|_| Some(Item::Line(Bytes::from_static(b"\n"))), identity)
                }
            };
            let chunk = match item? {
                Item::Line(line) => Ok(line),
                Item::Cut => Err(io::Error::from(io::ErrorKind::ConnectionReset)),
            };
            Some((chunk, (receiver, stop)))
        });
        (Self { sender }, Body::from_stream(lines))
    }

    /// Sends one line; lost when the client has gone.
    pub(super) fn send(&self, line: &impl Serialize) {
        if let Ok(mut text) = serde_json::to_vec(line) {
            text.push(b'\n');
            self.send_raw(text.into());
        }
    }

    /// Sends bytes as they are, for example half a line.
    pub(super) fn send_raw(&self, bytes: Bytes) {
        // A receiver that is gone is noticed by `is_open`.
        drop(self.sender.send(Item::Line(bytes)));
    }

    /// Breaks the connection in the middle of the body, as a lost network does.
    pub(super) fn cut(&self) {
        drop(self.sender.send(Item::Cut));
    }

    /// Whether a client still reads.
    pub(super) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::StreamExt;

    #[tokio::test]
    async fn a_silent_feed_sends_blank_lines_and_ends_when_dropped() {
        let (feed, body) = Feed::open(Duration::from_millis(1), CancellationToken::new());
        let mut chunks = body.into_data_stream();
        assert_eq!(chunks.next().await.unwrap().unwrap(), "\n");
        feed.send(&serde_json::json!({"a": 1}));
        assert_eq!(chunks.next().await.unwrap().unwrap(), "{\"a\":1}\n");
        feed.send(&2);
        drop(feed);
        assert_eq!(chunks.next().await.unwrap().unwrap(), "2\n");
        assert!(chunks.next().await.is_none());
    }

    #[tokio::test]
    async fn a_cut_feed_breaks_instead_of_ending() {
        let (feed, body) = Feed::open(Duration::from_secs(7), CancellationToken::new());
        feed.cut();
        assert!(body.into_data_stream().next().await.unwrap().is_err());
    }
}
