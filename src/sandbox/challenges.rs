//! Challenges on the server, and how they are declined.

use super::request::Request;
use crate::lichess::model::{DeclineReason, GameId};
use crate::rules::Color;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Time after which a real-time challenge that nobody keeps alive goes offline.
const OFFLINE_AFTER: Duration = Duration::from_secs(20);

/// Time after which an offline challenge is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_mins(1);

/// Sentence shown for a reason.
pub(super) const fn decline_text(reason: DeclineReason) -> &'static str {
    match reason {
        DeclineReason::Generic => "No challenges at the moment.",
        DeclineReason::Later => "Not now, please ask again later.",
        DeclineReason::TooFast => "This clock is too fast, please send a slower game.",
        DeclineReason::TooSlow => "This clock is too slow, please send a faster game.",
        DeclineReason::TimeControl => "No challenges with this clock.",
        DeclineReason::Rated => "Please send a rated challenge instead.",
        DeclineReason::Casual => "Please send a casual challenge instead.",
        DeclineReason::Standard => "No variants, please send standard chess.",
        DeclineReason::Variant => "This variant is not played here.",
        DeclineReason::NoBot => "No challenges from bots.",
        DeclineReason::OnlyBot => "Challenges from bots only.",
    }
}

/// State of a challenge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChallengeStatus {
    /// Waiting for the answer.
    Created,
    /// The challenger has left; the challenge can still be accepted for a while.
    Offline,
    /// Withdrawn by the challenger.
    Canceled,
    /// Declined.
    Declined,
    /// Accepted: a game with the same id exists.
    Accepted,
}

impl ChallengeStatus {
    /// Word on the wire.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Offline => "offline",
            Self::Canceled => "canceled",
            Self::Declined => "declined",
            Self::Accepted => "accepted",
        }
    }

    /// Whether it can still be answered.
    pub(super) const fn is_open(self) -> bool {
        matches!(self, Self::Created | Self::Offline)
    }
}

/// A challenge on the server.
#[derive(Debug)]
pub(super) struct Challenge {
    /// Id, and id of the game to come.
    pub id: GameId,
    /// Id of the account that challenges.
    pub challenger: String,
    /// Id of the account that is challenged.
    pub dest: String,
    /// What is asked for.
    pub request: Request,
    /// Color of the challenger, drawn at creation.
    pub final_color: Color,
    /// State; those who watch it keep the challenge alive.
    pub status: watch::Sender<ChallengeStatus>,
    /// Reason of the decline.
    pub declined: Option<DeclineReason>,
    /// When the challenger was last known to wait.
    pub seen: Instant,
}

impl Challenge {
    /// Lets time pass: an unwatched real-time challenge goes offline. Returns whether it is to be kept.
    pub(super) fn tick(&mut self, now: Instant) -> bool {
        if self.status.receiver_count() > 0 && self.is_open() {
            self.seen = now;
        }
        let age = now.saturating_duration_since(self.seen);
        let status = *self.status.borrow();
        if status == ChallengeStatus::Created
            && self.request.clock().is_some()
            && age > OFFLINE_AFTER
        {
            self.status.send_replace(ChallengeStatus::Offline);
        }
        status != ChallengeStatus::Offline || age < FORGOTTEN_AFTER
    }

    /// Whether it can still be answered.
    pub(super) fn is_open(&self) -> bool {
        self.status.borrow().is_open()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::request::ColorWish;

    #[test]
    fn an_unwatched_challenge_goes_offline_and_is_forgotten() {
        let start = Instant::now();
        let (status, watcher) = watch::channel(ChallengeStatus::Created);
        let mut challenge = Challenge {
            id: "abcdefgh".into(),
            challenger: "a".into(),
            dest: "b".into(),
            request: Request::crazyhouse(60, 0, false, ColorWish::Random),
            final_color: Color::White,
            status,
            declined: None,
            seen: start,
        };
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(challenge.tick(after(100)));
        assert_eq!(*challenge.status.borrow(), ChallengeStatus::Created);
        drop(watcher);
        assert!(challenge.tick(after(121)));
        assert_eq!(*challenge.status.borrow(), ChallengeStatus::Offline);
        assert!(!challenge.tick(after(161)));
    }
}
