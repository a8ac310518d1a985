//! `pocketknight sandbox`.

use super::Failure;
use super::signals::{Shutdown, Signals};
use crate::cli::SandboxArgs;
use anyhow::Context;
use pocketknight::sandbox::{Server, ServerOptions, welcome};
use pocketknight::settings::Settings;
use std::time::Duration;
use tokio::task::JoinSet;

/// Bot accounts made ready for clients of `--serve`.
const BOTS: [&str; 4] = ["SandboxBot1", "SandboxBot2", "SandboxBot3", "SandboxBot4"];

/// Account made ready that is no bot yet.
const NEWCOMER: &str = "Newcomer";

pub(crate) async fn sandbox(args: &SandboxArgs, _settings: Settings) -> Result<(), Failure> {
    let options = ServerOptions {
        port: args.port,
        seed: args.seed,
        think_delay: Duration::from_millis(args.delay),
        ..ServerOptions::default()
    };
    let server = Server::start(options).await;
    let server = server
        .with_context(|| format!("starting the server on port {}", args.port))
        .map_err(Failure::Runtime)?;
    if args.serve {
        return serve(server).await;
    }
    Err(Failure::Runtime(anyhow::anyhow!(
        "the sandbox is not built in yet"
    )))
}

/// Leaves the server running until a signal comes.
async fn serve(server: Server) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let shutdown = Shutdown::default();
    let mut tasks = JoinSet::new();
    tasks.spawn(signals.serve(shutdown.clone(), Duration::from_hours(1)));
    let mut accounts = BOTS
        .map(|name| (name.to_owned(), server.add_bot(name)))
        .to_vec();
    accounts.push((format!("{NEWCOMER} (no bot)"), server.add_human(NEWCOMER)));
    super::print(&welcome(&server, &accounts))?;
    shutdown.draining.cancelled().await;
    server.shut_down().await;
    Ok(())
}
