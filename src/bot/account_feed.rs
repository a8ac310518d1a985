//! Event stream of the account that heals itself within Lichess' budget of connects, and notices a second client
//! that uses the same account.

use crate::lichess::{Backoff, Client, ConnectBudget, Error, Event, EventStream, Kind, StreamItem};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use std::time::{Duration, Instant};
use tracing::{debug, info, warn};

/// The account has one event stream; opening another ends it cleanly. A clean end this soon is suspicious.
const SHORT_LIFE: Duration = Duration::from_secs(30);
/// Suspicious ends in a row that are taken for another client.
const SUSPICIOUS: u32 = 3;
/// Pause left to another client, multiplied by the number of further ends, and its greatest value.
const TWIN_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_TWIN_PAUSE: Duration = Duration::from_mins(5);
/// Pause after a 429 without a time.
const RATE_LIMIT_PAUSE: Duration = Duration::from_mins(1);

/// What the event stream yields.
#[derive(Debug)]
pub(super) enum AccountEvent {
    /// The stream was opened; running games and open challenges follow.
    Connected,
    /// A line.
    Line(Event),
    /// A sign of life without content.
    Alive,
    /// The server refuses the token. Nothing follows.
    Refused(Error),
}

enum State {
    Waiting(Instant),
    Opening(BoxFuture<'static, Result<EventStream, Error>>),
    Open(Box<EventStream>),
}

/// Self-healing event stream.
pub(super) struct AccountFeed {
    client: Client,
    state: State,
    backoff: Backoff,
    budget: ConnectBudget,
    opened: Instant,
    twin: TwinWatch,
}

impl AccountFeed {
    /// Feed that opens its stream on the first call of [`AccountFeed::next`].
    pub(super) fn new(client: Client) -> Self {
        let now = Instant::now();
        Self {
            client,
            state: State::Waiting(now),
            backoff: Backoff::event_stream(),
            budget: ConnectBudget::default(),
            opened: now,
            twin: TwinWatch::default(),
        }
    }

    /// Waits for the next event. Cancel safe: all progress is kept in the feed.
    pub(super) async fn next(&mut self) -> AccountEvent {
        loop {
            match &mut self.state {
                State::Waiting(until) => {
                    tokio::time::sleep_until((*until).into()).await;
                    let now = Instant::now();
                    let wait = self.budget.wait(now);
                    if !wait.is_zero() {
                        warn!(?wait, "event stream opened too often, waiting");
                        self.state = State::Waiting(now + wait);
                        continue;
                    }
                    self.budget.record(now);
                    self.opened = now;
                    let client = self.client.clone();
                    self.state =
                        State::Opening(async move { client.stream_events().await }.boxed());
                }
                State::Opening(opening) => match opening.await {
                    Ok(stream) => {
                        info!("event stream open");
                        self.state = State::Open(Box::new(stream));
                        return AccountEvent::Connected;
                    }
                    Err(error) => {
                        let mut delay = self.backoff.next_delay();
                        match error.kind() {
                            Kind::Unauthorized => return AccountEvent::Refused(error),
                            Kind::RateLimited { retry_after } => {
                                delay = delay.max(retry_after.unwrap_or(RATE_LIMIT_PAUSE));
                            }
                            _ => {}
                        }
                        warn!(
                            error = &error as &dyn std::error::Error,
                            ?delay,
                            "event stream could not be opened, trying again"
                        );
                        self.state = State::Waiting(Instant::now() + delay);
                    }
                },
                State::Open(stream) => match stream.next().await {
                    Some(Ok(StreamItem::Line { value, .. })) => return AccountEvent::Line(value),
                    Some(Ok(StreamItem::KeepAlive)) => return AccountEvent::Alive,
                    Some(Ok(StreamItem::Undecodable { line, error })) => {
                        warn!(error, "line of the event stream not understood");
                        debug!(line, "line not understood");
                    }
                    Some(Err(error)) => {
                        let lived = self.opened.elapsed();
                        let delay = self.backoff.after(lived);
                        warn!(
                            error = &error as &dyn std::error::Error,
                            ?lived,
                            ?delay,
                            "event stream broken, opening it again"
                        );
                        self.state = State::Waiting(Instant::now() + delay);
                    }
                    None => {
                        let lived = self.opened.elapsed();
                        let mut delay = self.backoff.after(lived);
                        if let Some(pause) = self.twin.ended(lived) {
                            delay = delay.max(pause);
                            warn!(
                                ?delay,
                                "event stream ended soon after opening, several times: another client seems to \
                                 use this account"
                            );
                        } else {
                            warn!(?lived, ?delay, "event stream ended, opening it again");
                        }
                        self.state = State::Waiting(Instant::now() + delay);
                    }
                },
            }
        }
    }
}

/// Counts clean ends soon after opening.
#[derive(Debug, Default)]
struct TwinWatch {
    short: u32,
}

impl TwinWatch {
    /// Takes in a clean end after `lived`. Returns a pause if another client must be assumed.
    fn ended(&mut self, lived: Duration) -> Option<Duration> {
        if lived >= SHORT_LIFE {
            self.short = 0;
            return None;
        }
        self.short += 1;
        let beyond = self.short.checked_sub(SUSPICIOUS)?;
        Some(
            TWIN_PAUSE
                .saturating_mul(beyond + 1)
                .min(LONGEST_TWIN_PAUSE),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn repeated_short_lives_mean_another_client_and_longer_pauses() {
        let mut watch = TwinWatch::default();
        assert_eq!([(); 2].map(|()| watch.ended(2 * S)), [None, None]);
        assert_eq!(watch.ended(S), Some(30 * S));
        assert_eq!(watch.ended(S), Some(60 * S));
        assert_eq!((0..20).filter_map(|_| watch.ended(S)).max(), Some(300 * S));
    }

    #[test]
    fn a_long_life_clears_the_suspicion() {
        let mut watch = TwinWatch::default();
        watch.ended(S);
        watch.ended(S);
        assert_eq!(watch.ended(3600 * S), None);
        assert_eq!(watch.ended(S), None);
    }
}
