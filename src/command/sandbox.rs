//! `pocketknight sandbox`.

use super::signals::{Shutdown, Signals};
use super::{Failure, account, run};
use crate::cli::SandboxArgs;
use anyhow::{Context, anyhow};
use pocketknight::bot::{self, BotOptions};
use pocketknight::engine::Engine;
use pocketknight::sandbox::{MatchOptions, Server, ServerOptions, play_match, welcome};
use pocketknight::settings::Settings;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Account of the bot in its own matches.
const OURS: &str = "Pocketknight";

/// Bot accounts made ready for clients of `--serve`.
const BOTS: [&str; 4] = ["SandboxBot1", "SandboxBot2", "SandboxBot3", "SandboxBot4"];

/// Account made ready that is no bot yet.
const NEWCOMER: &str = "Newcomer";

pub(crate) async fn sandbox(args: &SandboxArgs, settings: Settings) -> Result<(), Failure> {
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
    let signals = Signals::register()?;
    let shutdown = Shutdown::default();
    let mut helpers = JoinSet::new();
    helpers.spawn(signals.serve(shutdown.clone(), settings.shutdown.grace));
    if args.serve {
        serve(server, &shutdown).await
    } else {
        play(args, settings, server, &shutdown).await
    }
}

/// Leaves the server running until a signal comes.
async fn serve(server: Server, shutdown: &Shutdown) -> Result<(), Failure> {
    let mut accounts = BOTS
        .map(|name| (name.to_owned(), server.add_bot(name)))
        .to_vec();
    accounts.push((format!("{NEWCOMER} (no bot)"), server.add_human(NEWCOMER)));
    super::print(&welcome(&server, &accounts))?;
    shutdown.draining.cancelled().await;
    server.shut_down().await;
    Ok(())
}

/// Plays the bot against the scripted opponents and prints how it went.
async fn play(
    args: &SandboxArgs,
    settings: Settings,
    server: Server,
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    let dir = args.data.clone().unwrap_or_else(new_folder);
    let token = server.add_bot(OURS);
    let settings = match_settings(settings, args, &server, token, &dir);
    let client = account::client(&settings)?;
    let owner = account::owner(&client).await?;
    let bot = bot::run(BotOptions {
        client: account::named(&client, &owner)?,
        engine: Engine::new(run::cores(settings.engine.cores)),
        settings: Arc::new(settings),
        account: owner,
        draining: shutdown.draining.clone(),
        stop: shutdown.stop.clone(),
        observer: None,
    });
    let mut bot = std::pin::pin!(bot);
    let options = MatchOptions {
        account: OURS.to_owned(),
        games: args.games as usize,
        concurrency: args.concurrency as usize,
        clock: args.clock,
        opponents: args.opponent.clone(),
    };
    let report = tokio::select! {
        report = play_match(&server, &options) => report,
        ended = &mut bot => {
            ended.map_err(Failure::runtime)?;
            return Err(Failure::Runtime(anyhow!("the match was interrupted")));
        }
    };
    shutdown.draining.cancel();
    bot.await.map_err(Failure::runtime)?;
    server.shut_down().await;
    let pgn = dir.join("sandbox.pgn");
    let written = tokio::fs::write(&pgn, report.pgn()).await;
    written
        .with_context(|| format!("writing {}", pgn.display()))
        .map_err(Failure::Runtime)?;
    super::print(&format!("{report}\nPGN: {}\n", pgn.display()))?;
    if report.is_proper() {
        Ok(())
    } else {
        Err(Failure::Runtime(anyhow!(
            "not every game ended properly, see the column of faults"
        )))
    }
}

/// Settings of the user with the server, account and folder of the match. What he accepts on Lichess does not count
/// here: every opponent of the match is welcome.
fn match_settings(
    mut settings: Settings,
    args: &SandboxArgs,
    server: &Server,
    token: String,
    dir: &Path,
) -> Settings {
    settings.lichess.url = server.url();
    settings.lichess.token = Some(token.into());
    settings.lichess.token_file = None;
    settings.challenge = Settings::defaults().challenge;
    settings.challenge.concurrency = args.concurrency as usize;
    dir.clone_into(&mut settings.data.dir);
    settings
}

/// A folder for temporary files that no other match uses.
fn new_folder() -> PathBuf {
    let number = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0, |since| since.as_millis());
    std::env::temp_dir().join(format!(
        "pocketknight-sandbox-{}-{number}",
        std::process::id()
    ))
}
