//! Checks of the server and of the account.

use super::report::Check;
use jiff::{SignedDuration, Timestamp};
use pocketknight::lichess::{Account, Client, Error, ExplorerQuery, Kind, TokenInfo};
use pocketknight::settings::Settings;
use std::time::Duration;

/// Pings, of which the fastest counts: the first one also makes the connection.
const PINGS: usize = 3;
/// Round trip above which fast games suffer: bots get no lag compensation.
const SLOW: Duration = Duration::from_millis(250);
/// Difference of the clocks that is told.
const SKEW: SignedDuration = SignedDuration::from_secs(10);
/// Scope that every action of a bot needs.
const SCOPE: &str = "bot:play";
/// Time before the end of a token at which it is told.
const EXPIRES_SOON: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Round trip and clock.
pub(super) async fn latency(client: &Client) -> Vec<Check> {
    let mut best: Option<Duration> = None;
    let mut skew = None;
    for _ in 0..PINGS {
        match client.ping().await {
            Ok(pong) => {
                best = Some(best.map_or(pong.took, |best| best.min(pong.took)));
                let now = Timestamp::now();
                skew = pong.date.map(|date| now.duration_since(date)).or(skew);
            }
            Err(error) => {
                return vec![Check::failure(
                    "server",
                    format!("{}: {:#}", client.url(), anyhow::Error::new(error)),
                    "look at the network, at lichess.url, and at whether Lichess is up",
                )];
            }
        }
    }
    let took = best.unwrap_or_default();
    let text = format!("{} answers in {} ms", client.url(), took.as_millis());
    let mut checks = vec![if took > SLOW {
        Check::warning(
            "server",
            text,
            "bots get no lag compensation; decline bullet, or run it nearer to Lichess",
        )
    } else {
        Check::ok("server", text)
    }];
    checks.extend(skew.map(clock));
    checks
}

/// Difference of our clock to the server's, which tells whole seconds.
fn clock(skew: SignedDuration) -> Check {
    let text = format!("{} s from the server's", skew.as_secs());
    if skew.abs() > SKEW {
        Check::warning(
            "clock",
            text,
            "set the time of this machine, or daily limits are counted at the wrong hour",
        )
    } else {
        Check::ok("clock", text)
    }
}

/// Account of the token, its scopes and its profile.
pub(super) async fn account(client: &Client, settings: &Settings) -> Vec<Check> {
    let account = match client.account().await {
        Ok(account) => account,
        Err(error) => return vec![refused(client, error)],
    };
    let mut checks = vec![scopes(client, client.token_info().await)];
    checks.extend(profile(client, &account, settings));
    checks
}

fn refused(client: &Client, error: Error) -> Check {
    let kind = error.kind();
    let text = format!("{:#}", anyhow::Error::new(error));
    let url = client.url();
    match kind {
        Kind::Unauthorized => Check::failure(
            "account",
            text,
            format!(
                "the token is mistyped, expired or deleted; make a new one at {url}account/oauth/token"
            ),
        ),
        _ => Check::failure("account", text, "try again later"),
    }
}

fn scopes(client: &Client, info: Result<Option<TokenInfo>, Error>) -> Check {
    const NAME: &str = "scopes";
    let info = match info {
        Ok(Some(info)) => info,
        Ok(None) => {
            let advice = format!("make a new token at {}account/oauth/token", client.url());
            return Check::failure(NAME, "the server does not know the token", advice);
        }
        Err(error) => {
            let text = format!("not known: {:#}", anyhow::Error::new(error));
            return Check::warning(NAME, text, "try again later");
        }
    };
    if !info.has_scope(SCOPE) {
        let has = if info.scopes.is_empty() {
            "none"
        } else {
            &info.scopes
        };
        let advice = format!(
            "make a token with {SCOPE} at {}account/oauth/token/create?scopes[]={SCOPE}&description=pocketknight",
            client.url()
        );
        return Check::failure(NAME, format!("{has}, {SCOPE} is missing"), advice);
    }
    let ends = info
        .expires
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    match ends {
        Some(end) if end.duration_since(Timestamp::now()) < EXPIRES_SOON => Check::warning(
            NAME,
            format!("{}, until {}", info.scopes, end.strftime("%Y-%m-%d")),
            "the token ends soon, make a new one",
        ),
        _ => Check::ok(NAME, info.scopes),
    }
}

fn profile(client: &Client, account: &Account, settings: &Settings) -> Vec<Check> {
    let (name, url) = (&account.username, client.url());
    let mut checks = Vec::new();
    checks.push(if account.disabled {
        Check::failure(
            "account",
            format!("{name} is closed"),
            "use another account",
        )
    } else if account.is_bot() {
        let rated = account.perfs.get("crazyhouse").map_or_else(
            || "no crazyhouse game yet".to_owned(),
            |perf| {
                let unsure = if perf.prov { "?" } else { "" };
                format!("crazyhouse {}{unsure}, {} games", perf.rating, perf.games)
            },
        );
        Check::ok("account", format!("{name}, BOT, {rated}"))
    } else {
        Check::failure(
            "account",
            format!("{name} is not a bot account"),
            "`pocketknight upgrade` turns it into one, for ever, if it has never played a game",
        )
    });
    let bio = account
        .profile
        .as_ref()
        .and_then(|profile| profile.get("bio")?.as_str());
    checks.push(if bio.is_some_and(|bio| !bio.trim().is_empty()) {
        Check::ok("bio", "present")
    } else {
        Check::warning(
            "bio",
            "none, so the bot is not in the list of online bots",
            format!("write one at {url}account/profile"),
        )
    });
    let most = settings.game.max_takebacks;
    checks.push(if most > 0 {
        Check::warning(
            "takebacks",
            format!(
                "up to {most} a game are accepted, but Lichess sets bot accounts to allow none"
            ),
            format!("see that {url}account/preferences/game-behavior allows takebacks"),
        )
    } else {
        Check::ok("takebacks", "not accepted")
    });
    checks
}

/// The opening explorer, if it is to be used.
pub(super) async fn explorer(client: &Client, settings: &Settings) -> Option<Check> {
    const NAME: &str = "explorer";
    let explorer = &settings.book.explorer;
    if !explorer.enabled {
        return None;
    }
    let query = ExplorerQuery::default();
    let answer = client
        .explore(&explorer.url, &query, explorer.timeout)
        .await;
    Some(match answer {
        Ok(answer) => Check::ok(
            NAME,
            format!("{} knows {} first moves", explorer.url, answer.moves.len()),
        ),
        Err(error) => {
            let text = format!("{}: {:#}", explorer.url, anyhow::Error::new(error));
            let advice = if client.trusts(&explorer.url) {
                "the bot plays without it"
            } else {
                "it gets no token, since it does not belong to the server of lichess.url"
            };
            Check::warning(NAME, text, advice)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::report::State;
    use super::*;

    #[test]
    fn a_wrong_clock_is_told_in_either_direction() {
        for (seconds, state) in [
            (0, State::Ok),
            (-10, State::Ok),
            (11, State::Warning),
            (-3600, State::Warning),
        ] {
            let check = clock(SignedDuration::from_secs(seconds));
            assert_eq!(check.state, state, "{seconds}");
            assert!(check.text.starts_with(&seconds.to_string()), "{check:?}");
        }
    }
}
