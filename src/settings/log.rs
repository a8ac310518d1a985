//! Section `[log]`: log on standard error.

use super::reader::Reader;

/// Section `[log]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogSettings {
    /// Level or tracing filter.
    pub level: String,
    /// Form of the lines.
    pub format: LogFormat,
}

/// Form of log lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl LogSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "log";
        Self {
            level: r.log_filter(S, "level"),
            format: r.choice(
                S,
                "format",
                &[("text", LogFormat::Text), ("json", LogFormat::Json)],
            ),
        }
    }
}
