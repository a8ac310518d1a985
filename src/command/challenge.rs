//! `pocketknight challenge`: a series of games against one opponent.

use super::signals::{Shutdown, Signals};
use super::{Failure, account, note, print, run};
use crate::cli::ChallengeArgs;
use anyhow::anyhow;
use pocketknight::bot::{BotEvent, BotOptions, Series, SeriesEnd, SeriesNews, Verdict};
use pocketknight::lichess::Client;
use pocketknight::settings::Settings;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub(crate) async fn challenge(args: &ChallengeArgs, settings: Settings) -> Result<(), Failure> {
    let client = account::client(&settings)?;
    let sources = run::move_sources(&settings).await?;
    let signals = Signals::register()?;
    let shutdown = Shutdown::default();
    let mut helpers = JoinSet::new();
    helpers.spawn(signals.serve(shutdown.clone(), settings.shutdown.grace));
    let owner = account::owner(&client).await?;
    account::require_bot(&owner)?;
    let client = account::named(&client, &owner)?;
    let series = series(args, &client).await?;
    let url = client.url().clone();
    let (observer, mut events) = mpsc::unbounded_channel();
    let bot = run::play(BotOptions {
        client,
        engine: run::engine(&settings.engine)?,
        sources,
        settings: Arc::new(prepare(settings)),
        reload: None,
        series: Some(series),
        account: owner,
        draining: shutdown.draining.clone(),
        stop: shutdown.stop.clone(),
        observer: Some(observer),
    });
    let mut end = None;
    let show = async {
        while let Some(event) = events.recv().await {
            show(event, args, url.as_str(), &mut end)?;
        }
        Ok(())
    };
    // The events end with the bot.
    let (played, shown) = tokio::join!(bot, show);
    played.and(shown)?;
    match end {
        Some(SeriesEnd { gave_up: None, .. }) => Ok(()),
        Some(SeriesEnd {
            gave_up: Some(reason),
            score,
        }) => Err(Failure::Runtime(anyhow!(
            "series given up after {} of {} games: {reason}",
            score.games(),
            args.games
        ))),
        None => Err(Failure::Runtime(anyhow!(
            "ended before all games were played"
        ))),
    }
}

/// The series of the command line against an opponent that exists.
async fn series(args: &ChallengeArgs, client: &Client) -> Result<Series, Failure> {
    let id = args.user.to_lowercase();
    let statuses = client.users_status(std::slice::from_ref(&id)).await;
    let status = statuses.map_err(Failure::runtime)?;
    let Some(user) = status.into_iter().find(|status| status.id == id) else {
        return Err(Failure::Usage(anyhow!("there is no user {}", args.user)));
    };
    if !user.online {
        note(&format!("{} is not online", user.name));
    }
    Ok(Series {
        opponent: id,
        is_bot: user.title.as_deref() == Some("BOT"),
        games: args.games,
        clock: args.clock,
        rated: args.rated,
        colors: args.color,
        accept_others: args.accept_others,
    })
}

/// The user's settings with a slot for the series, which does not ask what is accepted.
fn prepare(mut settings: Settings) -> Settings {
    settings.matchmaking.enabled = false;
    let challenge = &mut settings.challenge;
    challenge.concurrency = challenge.concurrency.max(1);
    settings
}

fn show(
    event: BotEvent,
    args: &ChallengeArgs,
    url: &str,
    end: &mut Option<SeriesEnd>,
) -> Result<(), Failure> {
    match event {
        BotEvent::Series(SeriesNews::Refused(reason)) => note(&format!("challenge {reason}")),
        BotEvent::Series(SeriesNews::Game { id, verdict, score }) => {
            let game = format!("{url}{id} {}", verdict.word());
            return if verdict == Verdict::Aborted {
                print(&format!("{game}, does not count\n"))
            } else {
                print(&format!(
                    "game {} of {}: {game}, score {score}\n",
                    score.games(),
                    args.games
                ))
            };
        }
        BotEvent::Series(SeriesNews::Ended(ended)) => *end = Some(ended),
        BotEvent::GameStarted { .. }
        | BotEvent::MovePlayed { .. }
        | BotEvent::GameFinished { .. } => {}
    }
    Ok(())
}
