//! Looks for an opponent, and carries one challenge through: sent, answered or taken back.

use super::choose::{self, Wanted};
use super::offer::Offer;
use crate::lichess::model::{ChallengeLine, DeclineReason, GameId};
use crate::lichess::{ChallengeStream, Client, Error, StreamItem};
use jiff::Timestamp;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

/// Bots that are asked for.
const BOTS: u32 = 512;
/// Of the most wanted ones so many are looked at whether they are idle.
const LOOKED_AT: usize = 50;
/// Time left to the event stream to tell what another connection has told already, or to tell it better.
const ELSEWHERE: Duration = Duration::from_secs(3);
/// How much longer than a challenge its stream may be open.
const MARGIN: Duration = Duration::from_secs(10);

/// What the event stream tells of challenges and games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::bot) enum Heard {
    /// A challenge of ours stands.
    Made(GameId, String),
    /// A challenge was declined.
    Declined(GameId, Option<DeclineReason>),
    /// A challenge was taken back.
    Canceled(GameId),
    /// A game runs.
    Started(GameId),
}

/// What became of a challenge.
#[derive(Debug)]
pub(in crate::bot) enum Outcome {
    /// It is a game now.
    Accepted(GameId),
    /// Declined, with the reason if it was told.
    Declined(Option<DeclineReason>),
    /// Nobody answered in time; it was taken back.
    Unanswered,
    /// It was taken back because we are about to leave.
    Withdrawn,
    /// The server did not take it.
    Failed(Error),
}

/// Looks for an idle bot that fits; an offer to it, or `None` if there is none.
///
/// # Errors
/// Those of the requests.
pub(in crate::bot) async fn find(
    client: Client,
    wanted: Wanted,
    mut rng: fastrand::Rng,
) -> Result<Option<Offer>, Error> {
    let bots = client.online_bots(BOTS).await?;
    let mut ranked = choose::rank(&bots, &wanted, Timestamp::now(), &mut rng);
    debug!(
        online = bots.len(),
        fitting = ranked.len(),
        "bots to challenge"
    );
    ranked.truncate(LOOKED_AT);
    if ranked.is_empty() {
        return Ok(None);
    }
    let statuses = client.users_status(&ranked).await?;
    let found = choose::idle(&ranked, &statuses);
    Ok(found.map(|id| Offer::to_bot(&id, wanted.terms)))
}

/// Sends a challenge and sees to it until it is answered, or `timeout` is over, or `withdraw` is cancelled.
pub(in crate::bot) async fn challenge(
    client: Client,
    offer: Offer,
    timeout: Duration,
    heard: mpsc::UnboundedReceiver<Heard>,
    withdraw: CancellationToken,
) -> Outcome {
    let request = offer.request();
    let sent = client
        .challenge_stream(&offer.opponent, &request, timeout + MARGIN)
        .await;
    let mut attempt = Attempt {
        client,
        opponent: offer.opponent,
        id: None,
        stream: None,
        heard,
    };
    match sent {
        Ok(stream) => attempt.stream = Some(stream),
        Err(error) => {
            let silent = error.api().is_none_or(|api| api.status >= 500);
            if error.is_unsent() || !silent {
                return Outcome::Failed(error);
            }
            // It may stand all the same; then the event stream tells its id.
            match attempt
                .wait(Instant::now() + ELSEWHERE, &withdraw, true)
                .await
            {
                Some(outcome) => return outcome,
                None if attempt.id.is_none() => return Outcome::Failed(error),
                None => {}
            }
        }
    }
    attempt.see_to_it(timeout, &withdraw).await
}

struct Attempt {
    client: Client,
    opponent: String,
    id: Option<GameId>,
    stream: Option<ChallengeStream>,
    heard: mpsc::UnboundedReceiver<Heard>,
}

impl Attempt {
    async fn see_to_it(&mut self, timeout: Duration, withdraw: &CancellationToken) -> Outcome {
        if let Some(outcome) = self.wait(Instant::now() + timeout, withdraw, false).await {
            return outcome;
        }
        let leaving = withdraw.is_cancelled();
        let never = CancellationToken::new();
        if self.id.is_none()
            && let Some(outcome) = self.wait(Instant::now() + ELSEWHERE, &never, true).await
        {
            return outcome;
        }
        let Some(id) = self.id.clone() else {
            return Outcome::Unanswered;
        };
        debug!(challenge = %id, leaving, "taking the challenge back");
        if let Err(error) = self.client.cancel_challenge(&id).await {
            // It may have been answered at this very moment.
            debug!(challenge = %id, error = &error as &dyn std::error::Error, "could not be taken back");
            if let Some(outcome) = self.wait(Instant::now() + ELSEWHERE, &never, false).await {
                return outcome;
            }
        }
        if leaving {
            Outcome::Withdrawn
        } else {
            Outcome::Unanswered
        }
    }

    /// Waits for an answer until a time; with `only_id` the id of the challenge is enough.
    async fn wait(
        &mut self,
        until: Instant,
        withdraw: &CancellationToken,
        only_id: bool,
    ) -> Option<Outcome> {
        let mut until = until;
        let mut declined = false;
        loop {
            if only_id && self.id.is_some() {
                return None;
            }
            let has_id = self.id.is_some() || self.stream.is_none();
            tokio::select! {
                biased;
                () = withdraw.cancelled() => return None,
                line = next(&mut self.stream) => match line {
                    Some(ChallengeLine::Made(challenge) | ChallengeLine::Wrapped { challenge }) => {
                        info!(challenge = %challenge.id, opponent = self.opponent, "challenge sent");
                        self.id = Some(challenge.id);
                    }
                    Some(ChallengeLine::Done { done }) => match (done.as_str(), self.id.clone()) {
                        ("accepted", Some(id)) => return Some(Outcome::Accepted(id)),
                        ("declined", _) => {
                            // The reason comes over the event stream.
                            declined = true;
                            until = until.min(Instant::now() + ELSEWHERE);
                        }
                        ("canceled", _) => return Some(Outcome::Unanswered),
                        _ => {}
                    },
                    None => self.stream = None,
                },
                // Before the id is known nothing can be made of what is heard, and it waits in the channel.
                Some(heard) = self.heard.recv(), if has_id => {
                    if let Some(outcome) = self.on_heard(heard) {
                        return Some(outcome);
                    }
                }
                () = tokio::time::sleep_until(until) => {
                    return declined.then_some(Outcome::Declined(None));
                }
            }
        }
    }

    fn on_heard(&mut self, heard: Heard) -> Option<Outcome> {
        let ours = |id: &GameId| self.id.as_ref() == Some(id);
        match heard {
            Heard::Made(id, opponent) => {
                if self.id.is_none() && opponent == self.opponent {
                    self.id = Some(id);
                }
                None
            }
            Heard::Declined(id, reason) if ours(&id) => Some(Outcome::Declined(reason)),
            Heard::Canceled(id) if ours(&id) => Some(Outcome::Unanswered),
            Heard::Started(id) if ours(&id) => Some(Outcome::Accepted(id)),
            Heard::Declined(..) | Heard::Canceled(_) | Heard::Started(_) => None,
        }
    }
}

/// Next line of a stream that may be closed; `None` at its end, for ever nothing without one.
async fn next(stream: &mut Option<ChallengeStream>) -> Option<ChallengeLine> {
    let Some(open) = stream else {
        return std::future::pending().await;
    };
    loop {
        match open.next().await {
            Some(Ok(StreamItem::Line { value, .. })) => return Some(value),
            Some(Ok(StreamItem::KeepAlive)) => {}
            Some(Ok(StreamItem::Undecodable { line, error })) => {
                debug!(line, error, "line about a challenge not understood");
            }
            Some(Err(error)) => {
                debug!(
                    error = &error as &dyn std::error::Error,
                    "stream of a challenge broken"
                );
                return None;
            }
            None => return None,
        }
    }
}
