//! What both programs say of their engine.

use super::value::{flag, number};
use super::{Asked, Outcome};
use crate::settings::layers::quoted;
use std::path::Path;

pub(super) const TOKEN: &str = "never repeated here; set LICHESS_BOT_TOKEN, or name a file of its own in \
    lichess.token_file, and revoke a token that others may have seen";
pub(super) const TABLEBASE: &str = "there are no tablebases of positions with pieces in hand";
pub(super) const POLYGLOT: &str = "Polyglot books know no pieces in hand; make a book of crazyhouse games with \
    `pocketknight book build` and name it in book.path";
pub(super) const ONLINE: &str = "no such source of moves; it knows next to nothing of crazyhouse";
const INSIDE: &str = "the engine inside plays; `config import --keep-engine` keeps this one";
const OVERHEAD: &str =
    "the round trip is measured; engine.move_overhead is the least that is kept back";

/// Rule for a name within the table of an engine; `table` is the path to that table.
pub(super) fn rule(asked: &Asked<'_>, table: usize) -> Outcome {
    let keep = asked.options.keep_engine;
    let node = asked.node;
    match &asked.path[table..] {
        [] | ["uci_options" | "limits" | "go_commands"] => Outcome::Descend,
        ["name"] if keep => name(asked, table),
        ["dir"] if keep => Outcome::leave("part of engine.uci.path"),
        ["working_dir"] if keep => match node.text() {
            Some("") => Outcome::leave("empty"),
            Some(text) => Outcome::take("engine.uci.working_dir", &quoted(text)),
            None => Outcome::leave("expected a text"),
        },
        ["protocol"] if keep => match node.text() {
            Some("uci") => Outcome::leave("uci is the only one"),
            _ => Outcome::leave("only UCI engines can be used"),
        },
        ["dir" | "name" | "working_dir" | "protocol"] => Outcome::leave(INSIDE),
        ["ponder"] => flag(node, "engine.ponder"),
        ["silence_stderr" | "debug"] => {
            Outcome::leave("messages of another engine go to the log at level debug")
        }
        ["move_overhead_multiplier"] => Outcome::leave(OVERHEAD),
        ["uci_options", option] => uci_option(asked, option),
        ["limits" | "go_commands", "nodes"] => number(node, "engine.max_nodes", 0, i64::MAX),
        ["limits" | "go_commands", "depth"] => number(node, "engine.max_depth", 0, 1000),
        ["limits" | "go_commands", "time" | "movetime"] => {
            Outcome::leave("the clock decides; engine.limit can limit the time of a move")
        }
        ["interpreter" | "interpreter_options" | "engine_options", ..] => {
            Outcome::leave("write the whole command line as engine.uci.path and args")
        }
        _ => Outcome::leave("not known, or only for engines of another kind"),
    }
}

fn name(asked: &Asked<'_>, table: usize) -> Outcome {
    let mut engine = asked.root;
    for name in &asked.path[..table] {
        let Some(inner) = engine.get(name) else {
            return Outcome::leave("no engine");
        };
        engine = inner;
    }
    let dir = engine
        .get("dir")
        .and_then(super::Node::text)
        .unwrap_or_default();
    let Some(name) = asked.node.text().filter(|name| !name.is_empty()) else {
        return Outcome::leave("expected the name of a program");
    };
    let path = Path::new(dir).join(name);
    Outcome::take("engine.uci.path", &quoted(&path.display().to_string()))
}

fn uci_option(asked: &Asked<'_>, option: &str) -> Outcome {
    let Some(value) = asked.node.text() else {
        return Outcome::leave("expected a single value");
    };
    let lower = option.to_ascii_lowercase();
    if ["uci_variant", "ponder"].contains(&lower.as_str()) {
        return Outcome::leave("set by this program");
    }
    if ["syzygypath", "syzygyprobelimit"].contains(&lower.as_str()) {
        return Outcome::leave(TABLEBASE);
    }
    if asked.options.keep_engine {
        return Outcome::EngineOption(option.to_owned(), value.to_owned());
    }
    match lower.as_str() {
        "hash" => number(asked.node, "engine.hash_mib", 1, 65536),
        "threads" => number(asked.node, "engine.threads", 1, 256),
        "move overhead" => Outcome::leave(OVERHEAD),
        _ => Outcome::leave(INSIDE),
    }
}
