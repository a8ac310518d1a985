//! Plays a match: scripted opponents challenge one account, again and again, until all games are over.

use super::challenges::ChallengeStatus;
use super::opponents::Style;
use super::report::{Report, Row};
use super::request::{ColorWish, Request};
use super::server::Server;
use crate::lichess::model::GameId;
use crate::rules::Color;
use futures::future::join_all;
use indicatif::{ProgressBar, ProgressStyle};
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Time in which a challenge must be answered.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// Time between two attempts after a challenge was not accepted.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// Attempts before a game counts as not played.
const ATTEMPTS: u32 = 20;

/// Clock of the match games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchClock {
    /// Initial time, seconds, 0 to 10800.
    pub limit_s: u32,
    /// Increment, seconds, 0 to 60.
    pub increment_s: u32,
}

/// A text that is no clock.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "clock {text:?} cannot be read; expected SECONDS+INCREMENT such as 60+1, at most 10800+60, and SECONDS + 40 * INCREMENT at least 30"
)]
pub struct UnknownClock {
    text: String,
}

impl FromStr for MatchClock {
    type Err = UnknownClock;

    fn from_str(text: &str) -> Result<Self, UnknownClock> {
        let unknown = || UnknownClock {
            text: text.to_owned(),
        };
        let (limit, increment) = text.split_once('+').ok_or_else(unknown)?;
        let limit_s = limit.parse().map_err(|_| unknown())?;
        let increment_s = increment.parse().map_err(|_| unknown())?;
        if limit_s > 10800 || increment_s > 60 || limit_s + 40 * increment_s < 30 {
            return Err(unknown());
        }
        Ok(Self {
            limit_s,
            increment_s,
        })
    }
}

/// A match to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchOptions {
    /// Name of the account that is challenged.
    pub account: String,
    /// Games to play.
    pub games: usize,
    /// Games at the same time, at least 1.
    pub concurrency: usize,
    /// Clock of all games.
    pub clock: MatchClock,
    /// Opponents, taken in turn; must not be empty.
    pub opponents: Vec<Style>,
}

/// Plays a match on a server to which the account is connected (or will be within seconds). Each of the games
/// that run at the same time has an opponent account of its own; colors alternate, every other pair is rated.
/// Progress is shown on standard error if that is a terminal.
pub async fn play_match(server: &Server, options: &MatchOptions) -> Report {
    let progress = progress_bar(options.games);
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    let lanes = (1..=options.concurrency.max(1)).map(|lane| {
        let (progress, next, rows) = (&progress, &next, &rows);
        async move {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= options.games {
                    return;
                }
                let row = play_one(server, options, index, lane).await;
                progress.println(row.to_string());
                progress.inc(1);
                if let Ok(mut rows) = rows.lock() {
                    rows.push((index, row));
                }
            }
        }
    });
    join_all(lanes).await;
    progress.finish_and_clear();
    let mut rows = rows.into_inner().unwrap_or_default();
    rows.sort_by_key(|(index, _)| *index);
    Report {
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}

fn progress_bar(games: usize) -> ProgressBar {
    // Without a terminal on standard error the bar stays hidden.
    let bar = ProgressBar::new(games as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

async fn play_one(server: &Server, options: &MatchOptions, index: usize, lane: usize) -> Row {
    let style = options
        .opponents
        .get(index % options.opponents.len().max(1));
    let opponent = format!(
        "{}-{lane}",
        style.copied().unwrap_or(Style::Greedy).account_name()
    );
    // Two games in a row have the account play White and Black; rated and casual alternate by pairs.
    let color = if index.is_multiple_of(2) {
        Color::White
    } else {
        Color::Black
    };
    let wish = match color {
        Color::White => ColorWish::Black,
        Color::Black => ColorWish::White,
    };
    let rated = (index / 2).is_multiple_of(2);
    let clock = options.clock;
    let request = Request::crazyhouse(clock.limit_s, clock.increment_s, rated, wish);
    match start_game(server, &opponent, &options.account, &request).await {
        Ok(id) => {
            wait_for_end(server, &id).await;
            server
                .with_table(&id, |table| Row::of_table(index + 1, table, color))
                .unwrap_or_else(|| Row::not_played(index + 1, &opponent, color, "the game is gone"))
        }
        Err(reason) => Row::not_played(index + 1, &opponent, color, &reason),
    }
}

/// Challenges until the challenge is accepted; the account may not be connected yet or have no free slot.
async fn start_game(
    server: &Server,
    opponent: &str,
    account: &str,
    request: &Request,
) -> Result<GameId, String> {
    let mut last = ChallengeStatus::Created;
    for _ in 0..ATTEMPTS {
        let (id, mut status) = server.challenge(opponent, account, request.clone())?;
        let settled = async { status.wait_for(|s| !s.is_open()).await.map(|s| *s) };
        match tokio::time::timeout(ANSWER_TIMEOUT, settled).await {
            Ok(Ok(ChallengeStatus::Accepted)) => return Ok(id),
            Ok(Ok(status)) => last = status,
            // The server has forgotten the challenge or the account does not answer.
            Ok(Err(_)) | Err(_) => {
                server.cancel(opponent, &id);
                return Err("challenge not answered".to_owned());
            }
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
    Err(format!("challenge {}", last.word()))
}

async fn wait_for_end(server: &Server, id: &GameId) {
    if let Some(mut changes) = server.watch(id) {
        // An error means that the game is gone, which the caller notices.
        drop(changes.wait_for(|progress| progress.over).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_in_seconds() {
        assert_eq!(
            "60+1".parse(),
            Ok(MatchClock {
                limit_s: 60,
                increment_s: 1
            })
        );
        assert_eq!(
            "0+2".parse(),
            Ok(MatchClock {
                limit_s: 0,
                increment_s: 2
            })
        );
        for bad in [
            "", "60", "60+", "a+b", "0+0", "15+0", "99999+1", "60+61", "60+1+1",
        ] {
            assert!(bad.parse::<MatchClock>().is_err(), "{bad}");
        }
    }
}
