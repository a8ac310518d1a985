//! Section `[shutdown]`: behavior after a termination signal.

use super::HOUR;
use super::reader::Reader;
use std::time::Duration;

/// Section `[shutdown]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShutdownSettings {
    /// How long running games may go on after the first signal.
    pub grace: Duration,
}

impl ShutdownSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "shutdown";
        Self {
            grace: r.duration(S, "grace", Duration::ZERO..=24 * HOUR),
        }
    }
}
