//! `pocketknight sandbox`: the real bot, a server that speaks like Lichess, and real HTTP between them.

use super::signals::Signals;
use super::{Failure, account, print, run};
use crate::cli::SandboxArgs;
use anyhow::{Context, anyhow};
use pocketknight::bot::{self, BotOptions};
use pocketknight::sandbox::{MatchOptions, Report, Server, ServerOptions, play_match, welcome};
use pocketknight::settings::{Provisional, SPEEDS, Settings};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Account of the bot on the server.
const BOT: &str = "Pocketknight";
/// Accounts offered to clients of `--serve`.
const GUESTS: [&str; 4] = ["sandboxbot1", "sandboxbot2", "sandboxbot3", "sandboxbot4"];
/// Most time that the bot may take to write its records after the last game.
const LEAVE: Duration = Duration::from_secs(10);

pub(crate) async fn sandbox(args: &SandboxArgs, settings: Settings) -> Result<(), Failure> {
    let mut signals = Signals::register()?;
    let options = ServerOptions {
        port: args.port,
        seed: args.seed,
        think_delay: Duration::from_millis(args.delay),
        ..ServerOptions::default()
    };
    let server = Server::start(options)
        .await
        .with_context(|| format!("starting the server on port {} of this machine", args.port))
        .map_err(Failure::Runtime)?;
    let result = if args.serve {
        serve(&server, &mut signals).await
    } else {
        play(&server, args, settings, &mut signals).await
    };
    server.shut_down().await;
    result
}

async fn serve(server: &Server, signals: &mut Signals) -> Result<(), Failure> {
    let accounts = GUESTS.map(|name| (name.to_owned(), server.add_bot(name)));
    print(&welcome(server, &accounts))?;
    signals.next().await;
    Ok(())
}

async fn play(
    server: &Server,
    args: &SandboxArgs,
    settings: Settings,
    signals: &mut Signals,
) -> Result<(), Failure> {
    let settings = prepare(settings, server, args);
    let pgn = settings.data.dir.join("match.pgn");
    let client = account::client(&settings)?;
    let sources = run::move_sources(&settings).await?;
    let draining = CancellationToken::new();
    let stop = CancellationToken::new();
    let mut bots = JoinSet::new();
    bots.spawn(bot::run(BotOptions {
        engine: run::engine(&settings.engine)?,
        sources,
        account: account::owner(&client).await?,
        client,
        settings: Arc::new(settings),
        draining: draining.clone(),
        stop: stop.clone(),
        observer: None,
        reload: None,
        series: None,
    }));
    let options = MatchOptions {
        account: BOT.to_owned(),
        games: args.games as usize,
        concurrency: args.concurrency.min(args.games) as usize,
        clock: args.clock,
        opponents: args.opponent.clone(),
    };
    let report = tokio::select! {
        report = play_match(server, &options) => report,
        ended = bots.join_next() => return Err(ended_early(ended)),
        signal = signals.next() => {
            stop.cancel();
            leave(&mut bots).await;
            return Err(Failure::Runtime(anyhow!("{signal} before the games were over")));
        }
    };
    draining.cancel();
    if !leave(&mut bots).await {
        stop.cancel();
        leave(&mut bots).await;
    }
    conclude(&report, &pgn)
}

/// The user's settings with an account of the sandbox, a folder of its own, and every challenge welcome.
fn prepare(mut settings: Settings, server: &Server, args: &SandboxArgs) -> Settings {
    settings.lichess.url = server.url();
    settings.lichess.token = Some(server.add_bot(BOT).into());
    settings.lichess.token_file = None;
    settings.data.dir = settings.data.dir.join("sandbox");
    let challenge = &mut settings.challenge;
    challenge.enabled = true;
    challenge.concurrency = args.concurrency as usize;
    challenge.accept_humans = true;
    challenge.accept_bots = true;
    challenge.block.clear();
    challenge.allow.clear();
    challenge.block_lists.clear();
    challenge.allow_lists.clear();
    challenge.games_reserved_for_humans = 0;
    challenge.max_recent_bot_challenges = 0;
    challenge.max_bot_games_per_day = u32::MAX;
    for rules in challenge.rules_mut() {
        rules.speeds = SPEEDS.map(str::to_owned).to_vec();
        rules.clocks.clear();
        (rules.rated, rules.casual) = (true, true);
        (rules.min_initial_s, rules.max_initial_s) = (0, u32::MAX);
        (rules.min_increment_s, rules.max_increment_s) = (0, u32::MAX);
        rules.min_estimated_duration = Duration::ZERO;
        rules.max_estimated_duration = Duration::MAX;
        rules.bullet_requires_increment = false;
        (rules.min_rating, rules.max_rating) = (i32::MIN, i32::MAX);
        rules.max_rating_difference = i32::MAX;
        rules.provisional = Provisional::Accept;
        // The next challenge of an opponent may come before the last game has been cleared away.
        rules.max_games_per_opponent = rules.max_games_per_opponent.max(2);
    }
    settings.matchmaking.enabled = false;
    settings
}

/// Waits for the bot to end; says whether it did in time.
async fn leave(bots: &mut JoinSet<Result<bot::Summary, bot::Error>>) -> bool {
    tokio::time::timeout(LEAVE, bots.join_next()).await.is_ok()
}

fn ended_early(
    ended: Option<Result<Result<bot::Summary, bot::Error>, tokio::task::JoinError>>,
) -> Failure {
    let reason = match ended {
        Some(Ok(Err(error))) => anyhow::Error::new(error),
        Some(Err(error)) => anyhow::Error::new(error),
        _ => return Failure::Runtime(anyhow!("the bot ended before the games were over")),
    };
    Failure::Runtime(reason.context("the bot ended before the games were over"))
}

fn conclude(report: &Report, pgn: &Path) -> Result<(), Failure> {
    let written = std::fs::write(pgn, report.pgn());
    written
        .with_context(|| format!("cannot write {}", pgn.display()))
        .map_err(Failure::Runtime)?;
    print(&format!("{report}\n\ngames: {}\n", pgn.display()))?;
    if report.is_proper() {
        return Ok(());
    }
    Err(Failure::Runtime(anyhow!(
        "not every game ended properly, see the table"
    )))
}
