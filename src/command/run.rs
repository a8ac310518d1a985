//! `pocketknight run`.

use super::signals::{Hangups, Shutdown, Signals};
use super::{Failure, account, reload};
use anyhow::Context;
use pocketknight::bot::{self, BotOptions};
use pocketknight::engine::{Engine, Evaluation};
use pocketknight::eval_file;
use pocketknight::settings::{EngineSettings, Loaded, Sources};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Most time that the bot may take to leave after it was told to.
const LEAVE: Duration = Duration::from_secs(10);

pub(crate) async fn run(loaded: Loaded, sources: Sources) -> Result<(), Failure> {
    let settings = &loaded.settings;
    let client = account::client(settings)?;
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

/// Number of cores of the setting, where 0 means all.
pub(crate) fn cores(setting: usize) -> usize {
    match setting {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        cores => cores,
    }
}
