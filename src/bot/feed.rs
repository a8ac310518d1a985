//! Stream of one game that heals itself: whatever ends it, it is opened again until the server says that there is
//! no such game. An end of the stream is never taken for the end of the game.

use crate::lichess::{Backoff, Client, Error, GameEvent, GameId, GameStream, Kind, StreamItem};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use std::time::{Duration, Instant};
use tracing::{debug, warn};

/// Refusals in a row (404, 400) after which the game is given up; one alone may come from a server that restarts.
const MAX_REFUSALS: u32 = 3;
/// Longest wait after a 429: a game waits for us.
const LONGEST_RATE_LIMIT: Duration = Duration::from_secs(5);

/// What the stream of a game yields.
#[derive(Debug)]
pub(super) enum FeedEvent {
    /// A line.
    Line {
        value: GameEvent,
        /// When it arrived.
        received: Instant,
        /// When the stream that brought it was asked for.
        opened: Instant,
    },
    /// A sign of life without content.
    Alive,
    /// The server does not give this game to us. Nothing follows.
    Closed(Error),
}

enum State {
    Waiting(Instant),
    Opening(BoxFuture<'static, Result<GameStream, Error>>),
    Open(Box<GameStream>),
}

/// Self-healing stream of one game.
pub(super) struct Feed {
    client: Client,
    id: GameId,
    state: State,
    backoff: Backoff,
    opened: Instant,
    heard: Option<Instant>,
    refusals: u32,
}

impl Feed {
    /// Feed that opens its stream on the first call of [`Feed::next`].
    pub(super) fn new(client: Client, id: GameId) -> Self {
        let now = Instant::now();
        let backoff = Backoff::game_stream();
        Self {
            client,
            id,
            state: State::Waiting(now),
            backoff,
            opened: now,
            heard: None,
            refusals: 0,
        }
    }

    /// When the stream last gave a sign of life.
    pub(super) const fn heard(&self) -> Option<Instant> {
        self.heard
    }

    /// Closes an open stream and opens it anew, to learn the full state. Does nothing if that is under way.
    pub(super) fn reopen(&mut self) {
        if matches!(self.state, State::Open(_)) {
            self.state = State::Waiting(Instant::now());
        }
    }

    /// Waits for the next event. Cancel safe: all progress is kept in the feed.
    pub(super) async fn next(&mut self) -> FeedEvent {
        loop {
            match &mut self.state {
                State::Waiting(until) => {
                    tokio::time::sleep_until((*until).into()).await;
                    let (client, id) = (self.client.clone(), self.id.clone());
                    self.opened = Instant::now();
                    self.state =
                        State::Opening(async move { client.stream_game(&id).await }.boxed());
                }
                State::Opening(opening) => match opening.await {
                    Ok(stream) => {
                        self.refusals = 0;
                        self.state = State::Open(Box::new(stream));
                    }
                    Err(error) => {
                        if let Some(closed) = self.failed_to_open(error) {
                            return closed;
                        }
                    }
                },
                State::Open(stream) => match stream.next().await {
                    Some(Ok(item)) => {
                        self.heard = Some(Instant::now());
                        match item {
                            StreamItem::Line { value, received } => {
                                return FeedEvent::Line {
                                    value,
                                    received,
                                    opened: self.opened,
                                };
                            }
                            StreamItem::KeepAlive => return FeedEvent::Alive,
                            StreamItem::Undecodable { line, error } => {
                                warn!(error, "line of the game stream not understood");
                                debug!(line, "line not understood");
                            }
                        }
                    }
                    end => {
                        let lived = self.opened.elapsed();
                        let delay = self.backoff.after(lived);
                        if let Some(Err(error)) = end {
                            warn!(
                                error = &error as &dyn std::error::Error,
                                ?lived,
                                "game stream broken, opening it again"
                            );
                        } else {
                            warn!(?lived, "game stream ended, opening it again");
                        }
                        self.state = State::Waiting(Instant::now() + delay);
                    }
                },
            }
        }
    }

    fn failed_to_open(&mut self, error: Error) -> Option<FeedEvent> {
        let mut delay = self.backoff.next_delay();
        match error.kind() {
            Kind::Unauthorized => return Some(FeedEvent::Closed(error)),
            Kind::NotFound | Kind::Rejected => {
                self.refusals += 1;
                if self.refusals >= MAX_REFUSALS {
                    return Some(FeedEvent::Closed(error));
                }
            }
            Kind::RateLimited { retry_after } => {
                let wait = retry_after.unwrap_or(LONGEST_RATE_LIMIT / 2);
                delay = delay.max(wait).min(LONGEST_RATE_LIMIT);
            }
            Kind::Transport | Kind::Timeout | Kind::Server | Kind::Decode => {}
        }
        warn!(
            error = &error as &dyn std::error::Error,
            ?delay,
            "game stream could not be opened, trying again"
        );
        self.state = State::Waiting(Instant::now() + delay);
        None
    }
}
