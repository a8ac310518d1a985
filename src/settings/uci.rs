//! Section `[engine.uci]`: another engine in place of the one inside the program.

use super::reader::Reader;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Section `[engine.uci]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UciEngineSettings {
    /// Program; `None` for the engine inside.
    pub path: Option<PathBuf>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Folder that it runs in, if not ours.
    pub working_dir: Option<PathBuf>,
    /// UCI options by name.
    pub options: BTreeMap<String, String>,
}

impl UciEngineSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "engine.uci";
        let read = Self {
            path: r.optional_path(S, "path"),
            args: r.list(S, "args"),
            working_dir: r.optional_path(S, "working_dir"),
            options: r.map(S, "options"),
        };
        // They would break a line of the protocol in two.
        let broken = |text: &String| text.contains(['\n', '\r', '\0']);
        if read
            .options
            .iter()
            .any(|(name, value)| broken(name) || broken(value))
        {
            r.refuse(S, "options", "names and values of one line");
        }
        if read.args.iter().any(|arg| arg.contains('\0')) {
            r.refuse(S, "args", "texts without NUL");
        }
        read
    }
}
