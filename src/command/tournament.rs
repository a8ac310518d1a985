//! `pocketknight tournament`: arenas of the account, whether or not the bot is running.

use super::{Failure, account, print};
use crate::cli::TournamentCommand;
use anyhow::{Context, anyhow};
use pocketknight::lichess::{Client, Tournament};
use pocketknight::settings::{Settings, tournament_id};
use std::fmt::Write;

pub(crate) async fn run(command: &TournamentCommand, settings: &Settings) -> Result<(), Failure> {
    let client = account::client(settings)?;
    match command {
        TournamentCommand::List => list(&client).await,
        TournamentCommand::Join { id, password, team } => {
            let id = checked(id)?;
            let arena = look(&client, id).await?;
            if let Some(reason) = refusal(&arena) {
                return Err(Failure::Runtime(anyhow!(
                    "arena {id} ({}): {reason}",
                    arena.full_name
                )));
            }
            let owner = account::owner(&client).await?;
            account::require_bot(&owner)?;
            let client = account::named(&client, &owner)?;
            let team = team.as_deref().or(settings.tournament.team.as_deref());
            client
                .join_tournament(id, password.as_deref(), team)
                .await
                .with_context(|| format!("{} could not join arena {id}", owner.username))
                .map_err(Failure::Runtime)?;
            print(&format!(
                "{} has joined {}; a running bot plays its games\n",
                owner.username, arena.full_name
            ))
        }
        TournamentCommand::Leave { id } => {
            let id = checked(id)?;
            let owner = account::owner(&client).await?;
            account::named(&client, &owner)?
                .withdraw_tournament(id)
                .await
                .with_context(|| format!("{} could not leave arena {id}", owner.username))
                .map_err(Failure::Runtime)?;
            print(&format!("{} has left arena {id}\n", owner.username))
        }
    }
}

fn checked(text: &str) -> Result<&str, Failure> {
    tournament_id(text).ok_or_else(|| {
        Failure::Usage(anyhow!(
            "arena {text:?}: expected its id or address, such as abcd1234 or https://lichess.org/tournament/abcd1234"
        ))
    })
}

async fn look(client: &Client, id: &str) -> Result<Tournament, Failure> {
    client
        .tournament(id)
        .await
        .with_context(|| format!("looking at arena {id}"))
        .map_err(Failure::Runtime)
}

fn refusal(arena: &Tournament) -> Option<&'static str> {
    if arena.is_finished {
        Some("it is over")
    } else {
        arena.closed_to_bot()
    }
}

/// Arenas of crazyhouse that let bots in.
async fn list(client: &Client) -> Result<(), Failure> {
    let arenas = client
        .tournaments()
        .await
        .context("asking for the list of arenas")
        .map_err(Failure::Runtime)?;
    let mut text = String::new();
    for (arenas, when) in [(&arenas.started, "running"), (&arenas.created, "to come")] {
        for arena in arenas.iter().filter(|arena| refusal(arena).is_none()) {
            let clock = (arena.clock.limit, arena.clock.increment);
            writeln!(
                text,
                "{:10} {when:8} {:>5}+{:<3} {}",
                arena.id, clock.0, clock.1, arena.full_name
            )
            .map_err(Failure::runtime)?;
        }
    }
    if text.is_empty() {
        text.push_str("no arena of crazyhouse lets bots in now\n");
    }
    print(&text)
}
