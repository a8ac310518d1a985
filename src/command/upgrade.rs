//! `pocketknight upgrade`.

use super::{Failure, account};
use crate::cli::UpgradeArgs;
use anyhow::{Context, anyhow};
use pocketknight::lichess::Account;
use pocketknight::settings::Settings;
use std::io::Write;

pub(crate) async fn upgrade(args: &UpgradeArgs, settings: &Settings) -> Result<(), Failure> {
    let client = account::client(settings)?;
    let owner = account::owner(&client).await?;
    if owner.is_bot() {
        say(&format!("{} is a bot account already", owner.username))?;
        return Ok(());
    }
    if !args.yes {
        confirm(&owner)?;
    }
    account::named(&client, &owner)?
        .upgrade()
        .await
        .with_context(|| {
            format!(
                "{} was not upgraded; an account that has played a game cannot be",
                owner.username
            )
        })
        .map_err(Failure::Runtime)?;
    say(&format!(
        "{} is a bot account now; start it with: pocketknight run",
        owner.username
    ))
}

fn confirm(owner: &Account) -> Result<(), Failure> {
    let name = &owner.username;
    say(&format!(
        "{name} will be a bot account for ever: it can then play through the API only.\n\
         Type the name of the account to go on:"
    ))?;
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(Failure::runtime)?;
    if answer.trim().eq_ignore_ascii_case(name) {
        return Ok(());
    }
    let why = if answer.is_empty() {
        "no answer; --yes skips the question"
    } else {
        "not confirmed"
    };
    Err(Failure::Runtime(anyhow!("{why}, {name} stays as it is")))
}

/// Words to the person at the terminal.
fn say(text: &str) -> Result<(), Failure> {
    writeln!(std::io::stderr(), "{text}").map_err(Failure::runtime)
}
