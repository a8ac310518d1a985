//! Token and account: what must hold before the bot can play, with messages that say what to do.

use super::Failure;
use anyhow::{Context, anyhow};
use pocketknight::lichess::{self, Account, Backoff, Client, ClientOptions, Kind};
use pocketknight::settings::Settings;
use std::future::Future;

/// Scope that every action of a bot needs.
const SCOPE: &str = "bot:play";

/// Client with the token of the settings.
///
/// # Errors
/// Usage, if there is no token or it cannot be sent.
pub(crate) fn client(settings: &Settings) -> Result<Client, Failure> {
    let token = settings.lichess.read_token().map_err(Failure::usage)?;
    let url = settings.lichess.url.clone();
    let Some(token) = token else {
        return Err(Failure::Usage(anyhow!(
            "no token: set LICHESS_BOT_TOKEN, or lichess.token_file in config/pocketknight.toml\n\
             Get one for the bot's account, with the scope \"Play games with the bot API\", at\n  \
             {url}account/oauth/token/create?scopes[]={SCOPE}&description=pocketknight\n\
             To see the bot play without an account: pocketknight sandbox"
        )));
    };
    let mut options = ClientOptions::new(url, Some(token));
    options.user_agent = lichess::user_agent(settings.lichess.contact.as_deref().unwrap_or(""));
    Client::new(options).map_err(Failure::usage)
}

/// Owner of the token, whose token has the scope of bots. Asks once.
///
/// # Errors
/// Token, if the server does not know the token or it lacks the scope; runtime, if there is no proper answer.
pub(crate) async fn owner(client: &Client) -> Result<Account, Failure> {
    checked(client, client.account().await, client.token_info().await)
}

/// As [`owner`], but asks again while the server cannot answer, until `cancelled` is ready (`None` then).
pub(crate) async fn owner_patiently(
    client: &Client,
    cancelled: impl Future<Output = ()>,
) -> Result<Option<Account>, Failure> {
    let ask = async {
        let mut backoff = Backoff::event_stream();
        // The first attempt is free of delay.
        backoff.next_delay();
        loop {
            let account = client.account().await;
            let error = match account {
                Err(error) if error.is_transient() => error,
                settled => return checked(client, settled, client.token_info().await),
            };
            let delay = match error.kind() {
                // Lichess asks for a full minute of silence after any 429.
                Kind::RateLimited { retry_after } => retry_after
                    .unwrap_or_default()
                    .max(std::time::Duration::from_mins(1)),
                _ => backoff.next_delay(),
            };
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                ?delay,
                "server cannot answer, will ask again"
            );
            tokio::time::sleep(delay).await;
        }
    };
    tokio::select! {
        account = ask => account.map(Some),
        () = cancelled => Ok(None),
    }
}

fn checked(
    client: &Client,
    account: Result<Account, lichess::Error>,
    token: Result<Option<lichess::TokenInfo>, lichess::Error>,
) -> Result<Account, Failure> {
    let url = client.url();
    let account = match account {
        Ok(account) => account,
        Err(error) if error.kind() == Kind::Unauthorized => {
            return Err(Failure::Token(anyhow::Error::new(error).context(format!(
                "{url} refuses the token; it may be mistyped, expired or deleted, see {url}account/oauth/token"
            ))));
        }
        Err(error) => {
            let context = format!("asking {url} for the account of the token");
            return Err(Failure::Runtime(anyhow::Error::new(error).context(context)));
        }
    };
    match token {
        Ok(Some(token)) if !token.has_scope(SCOPE) => {
            let has = if token.scopes.is_empty() {
                "none"
            } else {
                &token.scopes
            };
            return Err(Failure::Token(anyhow!(
                "the token of {} lacks the scope {SCOPE} (it has: {has}); make a new one at\n  \
                 {url}account/oauth/token/create?scopes[]={SCOPE}&description=pocketknight",
                account.username
            )));
        }
        Ok(_) => {}
        // The account was told, so the token is good; a missing scope will show at the first action.
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "scopes of the token are not known"
        ),
    }
    if account.disabled {
        return Err(Failure::Token(anyhow!(
            "the account {} is closed",
            account.username
        )));
    }
    Ok(account)
}

/// Refuses an account that is no bot.
///
/// # Errors
/// Token, with the way to upgrade.
pub(crate) fn require_bot(account: &Account) -> Result<(), Failure> {
    if account.is_bot() {
        return Ok(());
    }
    Err(Failure::Token(anyhow!(
        "{} is not a bot account; `pocketknight upgrade` turns it into one, for ever, if it has never played a game",
        account.username
    )))
}

/// Client that names the account in its requests, as Lichess asks of bots.
///
/// # Errors
/// Runtime, if the name cannot be sent.
pub(crate) fn named(client: &Client, account: &Account) -> Result<Client, Failure> {
    let named = client
        .with_user(&account.username)
        .context("naming the account in requests");
    named.map_err(Failure::Runtime)
}
