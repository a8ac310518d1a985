//! Checks of this machine: settings, folders, engines, book.

use super::report::Check;
use crate::command::run;
use anyhow::Context as _;
use pocketknight::book;
use pocketknight::engine::{Engine, Evaluation, Limits, SearchRequest, SessionOptions};
use pocketknight::rules::{Position, Variant, perft};
use pocketknight::settings::{DataSettings, LichessSettings, Settings};
use pocketknight::uci_engine::Process;
use std::path::Path;
use std::time::Instant;

/// Move sequences of three plies from the start position.
const PERFT_3: u64 = 8902;
/// Nodes of the search that tries the engine out.
const NODES: u64 = 20_000;

/// File that the settings come from, and keys that are not the defaults.
pub(super) fn settings(file: Option<&Path>, changed: usize) -> Check {
    let text = match file {
        Some(file) => format!("{}, {changed} values changed", file.display()),
        None => format!("no file, {changed} values changed by the environment"),
    };
    Check::ok("settings", text)
}

/// Whether there is a token at all.
pub(super) fn token(settings: &LichessSettings) -> Check {
    match settings.read_token() {
        Ok(Some(_)) => {
            let place = match &settings.token_file {
                Some(file) => format!("from {}", file.display()),
                None => "given".to_owned(),
            };
            Check::ok("token", place)
        }
        Ok(None) => Check::failure(
            "token",
            "none",
            "set LICHESS_BOT_TOKEN, or lichess.token_file in the settings",
        ),
        Err(error) => Check::failure(
            "token",
            format!("{:#}", anyhow::Error::new(error)),
            "correct lichess.token_file",
        ),
    }
}

/// Whether records can be written.
pub(super) fn data(settings: &DataSettings) -> Check {
    const NAME: &str = "data";
    if !settings.pgn && !settings.results {
        return Check::warning(
            NAME,
            "no records are written",
            "set data.pgn or data.results, unless that is what you want",
        );
    }
    let dir = &settings.dir;
    let probe = dir.join(".pocketknight-doctor");
    let write = || {
        std::fs::create_dir_all(dir)?;
        std::fs::write(&probe, b"")?;
        std::fs::remove_file(&probe)
    };
    match write() {
        Ok(()) => Check::ok(NAME, format!("{} can be written", dir.display())),
        Err(error) => Check::failure(
            NAME,
            format!("data.dir {}: {error}", dir.display()),
            "name a folder that this user may write",
        ),
    }
}

/// Rules, network and search of the engine inside.
pub(super) fn engine(settings: &Settings) -> Check {
    const NAME: &str = "engine";
    let counted = perft(&Position::start(Variant::Crazyhouse), 3);
    if counted != PERFT_3 {
        return Check::failure(
            NAME,
            format!("perft of 3 plies is {counted}, expected {PERFT_3}"),
            "this program is broken, please report it",
        );
    }
    let engine = match run::engine(&settings.engine) {
        Ok(engine) => engine,
        Err(failure) => {
            return Check::failure(
                NAME,
                format!("{:#}", failure.error()),
                "correct engine.eval_file",
            );
        }
    };
    search(&engine, settings)
}

fn search(engine: &Engine, settings: &Settings) -> Check {
    const NAME: &str = "engine";
    let mut session = engine.session(SessionOptions {
        hash_mib: settings.engine.hash_mib,
        threads: 1,
    });
    let request = SearchRequest {
        position: Position::start(Variant::Crazyhouse),
        earlier: Vec::new(),
        limits: Limits {
            nodes: Some(NODES),
            ..Limits::default()
        },
        received: Instant::now(),
    };
    let found = session.search_blocking(request, &mut |_| {});
    let Some(best) = found.best.filter(|_| found.depth > 0) else {
        return Check::failure(
            NAME,
            "a search found nothing",
            "this program is broken, please report it",
        );
    };
    let network = match session.evaluation() {
        Evaluation::Network(network) => format!("network {}", network.architecture()),
        Evaluation::Material => "material only".to_owned(),
    };
    let cores = engine.cores();
    let text = format!("{network}, {best} at depth {}, {cores} cores", found.depth);
    let (hash, had) = (settings.engine.hash_mib, session.hash_mib());
    if had < hash {
        return Check::warning(
            NAME,
            format!("{text}, but only {had} MiB of hash"),
            format!("lower engine.hash_mib, which is {hash} for each game"),
        );
    }
    Check::ok(NAME, text)
}

/// The other engine of the settings, if there is one.
pub(super) async fn other_engine(settings: &Settings) -> Option<Check> {
    const NAME: &str = "uci engine";
    let spec = run::other_engine(&settings.engine)?;
    Some(match Process::trial(&spec).await {
        Ok((name, answer)) => Check::ok(
            NAME,
            format!("{name}, {} at depth {}", answer.best, answer.depth),
        ),
        Err(error) => Check::failure(
            NAME,
            format!("{:#}", anyhow::Error::new(error)),
            "correct [engine.uci]",
        ),
    })
}

/// The book of the settings, if there is one.
pub(super) fn book(settings: &Settings) -> Option<Check> {
    const NAME: &str = "book";
    let path = settings.book.path.as_ref()?;
    if !settings.book.enabled {
        return Some(Check::ok(NAME, "off by book.enabled"));
    }
    Some(match book::load(path).context("book.path") {
        Ok(book) => Check::ok(
            NAME,
            format!(
                "{}, {} positions, {} moves",
                path.display(),
                book.positions(),
                book.len()
            ),
        ),
        Err(error) => Check::failure(NAME, format!("{error:#}"), "correct or empty book.path"),
    })
}
