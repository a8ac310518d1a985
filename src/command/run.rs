//! `pocketknight run`.

use super::signals::{Shutdown, Signals};
use super::{Failure, account};
use pocketknight::engine::Engine;
use pocketknight::settings::Settings;
use tokio::task::JoinSet;

pub(crate) async fn run(settings: Settings) -> Result<(), Failure> {
    let client = account::client(&settings)?;
    let signals = Signals::register()?;
    let shutdown = Shutdown::default();
    let mut helpers = JoinSet::new();
    helpers.spawn(signals.serve(shutdown.clone(), settings.shutdown.grace));
    let cancelled = shutdown.draining.cancelled();
    let Some(owner) = account::owner_patiently(&client, cancelled).await? else {
        return Ok(());
    };
    account::require_bot(&owner)?;
    let client = account::named(&client, &owner)?;
    let engine = Engine::new(cores(settings.engine.cores));
    tracing::info!(account = owner.username, url = %client.url(), cores = engine.cores(), "ready");
    Err(Failure::Runtime(anyhow::anyhow!(
        "playing games is not built in yet"
    )))
}

/// Number of cores of the setting, where 0 means all.
pub(crate) fn cores(setting: usize) -> usize {
    match setting {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        cores => cores,
    }
}
