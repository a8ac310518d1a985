//! Lines to a peer, and texts fit for one line.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Output that threads can share. Whole lines only; closed for good by the first error.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Option<Box<dyn Write + Send>>>>);

impl Output {
    pub(super) fn new(output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(output)))))
    }

    pub(super) fn line(&self, text: &str) {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = guard.as_mut() {
            // One write, so that lines of several processes on one pipe do not mix.
            let written = writer.write_all(format!("{text}\n").as_bytes());
            if written.and_then(|()| writer.flush()).is_err() {
                *guard = None;
            }
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }
}

/// Error with its causes on one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    // Paths may hold anything.
    text.replace(char::is_control, " ")
}

/// Start of a text of the peer, fit for an answer of one line.
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 100;
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let cut = text.chars().nth(MOST).is_some();
    let plain = text
        .chars()
        .take(MOST)
        .map(|c| if c.is_control() { ' ' } else { c });
    plain
        .chain(cut.then_some("...").into_iter().flat_map(str::chars))
        .collect()
}
