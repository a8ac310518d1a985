//! `pocketknight run`.

use super::signals::{Hangups, Shutdown, Signals};
use super::{Failure, account, reload};
use anyhow::Context;
use pocketknight::book;
use pocketknight::bot::{self, BotOptions, MoveSources};
use pocketknight::engine::{Engine, Evaluation};
use pocketknight::eval_file;
use pocketknight::settings::{BookSettings, EngineSettings, Loaded, Settings, Sources};
use pocketknight::uci_engine::{EngineSpec, Process};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Most time that the bot may take to leave after it was told to.
const LEAVE: Duration = Duration::from_secs(10);

pub(crate) async fn run(loaded: Loaded, sources: Sources) -> Result<(), Failure> {
    let settings = &loaded.settings;
    let client = account::client(settings)?;
    // What is wrong with them is told before anything is asked of the server.
    let moves = move_sources(settings).await?;
    let signals = Signals::register()?;
    let hangups = Hangups::register()?;
    let shutdown = Shutdown::default();
    let mut helpers = JoinSet::new();
    helpers.spawn(signals.serve(shutdown.clone(), settings.shutdown.grace));
    let cancelled = shutdown.draining.cancelled();
    let Some(owner) = account::owner_patiently(&client, cancelled).await? else {
        return Ok(());
    };
    account::require_bot(&owner)?;
    let client = account::named(&client, &owner)?;
    let engine = engine(&settings.engine)?;
    tracing::info!(account = owner.username, url = %client.url(), cores = engine.cores(), "ready");
    let settings = Arc::new(settings.clone());
    let (sender, reload) = watch::channel(Arc::clone(&settings));
    helpers.spawn(reload::serve(hangups, sources, loaded, sender));
    let options = BotOptions {
        client,
        settings,
        reload: Some(reload),
        series: None,
        engine,
        sources: moves,
        account: owner,
        draining: shutdown.draining.clone(),
        stop: shutdown.stop.clone(),
        observer: None,
    };
    play(options).await
}

/// Runs the bot until it ends, or does not although it was told to.
///
/// # Errors
/// Token, if the server refuses it; runtime for all else.
pub(crate) async fn play(options: BotOptions) -> Result<(), Failure> {
    let stop = options.stop.clone();
    let told_to_leave = async {
        stop.cancelled().await;
        tokio::time::sleep(LEAVE).await;
    };
    tokio::select! {
        result = bot::run(options) => match result {
            Ok(_) => Ok(()),
            Err(error @ bot::Error::Refused(_)) => Err(Failure::Token(error.into())),
            Err(error) => Err(Failure::runtime(error)),
        },
        () = told_to_leave => {
            Err(Failure::Runtime(anyhow::anyhow!("the bot did not leave within {LEAVE:?}")))
        }
    }
}

/// Engine of the settings.
pub(crate) fn engine(settings: &EngineSettings) -> Result<Engine, Failure> {
    let evaluation = match &settings.eval_file {
        Some(path) => Evaluation::Network(
            eval_file::load(path)
                .context("engine.eval_file")
                .map_err(Failure::Usage)?,
        ),
        None => Evaluation::default(),
    };
    Ok(Engine::with_evaluation(cores(settings.cores), evaluation))
}

/// Book and other engine of the settings, which was tried out.
pub(crate) async fn move_sources(settings: &Settings) -> Result<MoveSources, Failure> {
    let book = book(&settings.book)?.map(Arc::new);
    let engine = other_engine(&settings.engine).map(Arc::new);
    if let Some(spec) = &engine {
        let (name, answer) = Process::trial(spec).await.map_err(Failure::usage)?;
        tracing::info!(engine = name, first_move = %answer.best, depth = answer.depth, "engine tried out");
    }
    Ok(MoveSources { book, engine })
}

fn book(settings: &BookSettings) -> Result<Option<book::Book>, Failure> {
    let Some(path) = settings.path.as_ref().filter(|_| settings.enabled) else {
        return Ok(None);
    };
    let book = book::load(path)
        .context("book.path")
        .map_err(Failure::Usage)?;
    tracing::info!(
        path = %path.display(),
        positions = book.positions(),
        moves = book.len(),
        max_ply = settings.max_ply,
        "opening book"
    );
    Ok(Some(book))
}

/// Engine that is to play in place of the one inside, if there is one.
pub(crate) fn other_engine(settings: &EngineSettings) -> Option<EngineSpec> {
    let path = settings.uci.path.clone()?;
    Some(EngineSpec {
        path,
        args: settings.uci.args.clone(),
        working_dir: settings.uci.working_dir.clone(),
        options: settings.uci.options.clone(),
        ponder: settings.ponder,
    })
}

/// Number of cores of the setting, where 0 means all.
pub(crate) fn cores(setting: usize) -> usize {
    match setting {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        cores => cores,
    }
}
