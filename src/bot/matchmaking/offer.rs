//! A challenge of ours, and what an answer to it means for the next ones.

use super::Terms;
use crate::bot::state::Topic;
use crate::lichess::model::{ChallengeClock, ChallengeRequest, DeclineReason, Side, Speed};
use crate::settings::Clock;
use std::fmt;

/// Challenge of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::bot) struct Offer {
    /// Lower-case id of who is challenged.
    pub opponent: String,
    /// Whether that is a bot.
    pub is_bot: bool,
    /// Clock.
    pub clock: Clock,
    /// Rated or casual.
    pub rated: bool,
    /// Our color; `None` leaves it to chance.
    pub color: Option<Side>,
    /// Second game of a pair.
    pub is_second: bool,
}

/// Why a challenge of ours did not become a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::bot) enum Refusal {
    /// Declined, with the reason if it was told.
    Declined(Option<DeclineReason>),
    /// Not answered in time.
    Unanswered,
    /// The opponent has reached the daily limit of games with bots.
    Capped,
    /// The server refused it, with what it says.
    Refused(String),
}

impl Offer {
    /// Offer of some terms to a bot.
    pub(in crate::bot) fn to_bot(opponent: &str, terms: Terms) -> Self {
        Self {
            opponent: opponent.to_owned(),
            is_bot: true,
            clock: terms.clock,
            rated: terms.rated,
            color: terms.color,
            is_second: false,
        }
    }

    /// The same game with colors swapped.
    pub(super) fn second(&self) -> Self {
        Self {
            color: self.color.map(Side::other),
            is_second: true,
            ..self.clone()
        }
    }

    /// What it costs of Lichess' credit.
    pub(in crate::bot) const fn cost(&self) -> u32 {
        if self.is_bot { 1 } else { 5 }
    }

    /// Form of the request.
    pub(in crate::bot) fn request(&self) -> ChallengeRequest {
        ChallengeRequest {
            rated: self.rated,
            clock: ChallengeClock::RealTime {
                limit_s: self.clock.limit_s,
                increment_s: self.clock.increment_s,
            },
            color: self.color,
            ..ChallengeRequest::default()
        }
    }
}

impl fmt::Display for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = if self.rated { "rated" } else { "casual" };
        write!(f, "{} {mode}", self.clock)?;
        match self.color {
            Some(color) => write!(f, " as {color}"),
            None => Ok(()),
        }
    }
}

/// What declining may be about: a challenge to these terms is not sent while one of them rests.
pub(in crate::bot) fn topics(clock: Clock, rated: bool) -> [Topic; 3] {
    [Topic::Any, mode(rated), speed(clock)]
}

const fn mode(rated: bool) -> Topic {
    if rated { Topic::Rated } else { Topic::Casual }
}

const fn speed(clock: Clock) -> Topic {
    match Speed::of_clock(clock.limit_s, clock.increment_s) {
        Speed::UltraBullet | Speed::Bullet => Topic::Bullet,
        Speed::Blitz => Topic::Blitz,
        Speed::Rapid => Topic::Rapid,
        Speed::Classical | Speed::Correspondence | Speed::Unknown => Topic::Classical,
    }
}

impl Refusal {
    /// What should not be asked again for a while, and how many times as long as after a mere "later"; `None` if
    /// somebody else keeps the time.
    pub(in crate::bot) fn lesson(&self, offer: &Offer) -> Option<(Topic, u32)> {
        use DeclineReason::{
            Casual, Generic, Later, NoBot, OnlyBot, Rated, Standard, TimeControl, TooFast, TooSlow,
            Variant,
        };
        Some(match self {
            Self::Capped => return None,
            Self::Unanswered | Self::Declined(Some(Later)) => (Topic::Any, 1),
            Self::Declined(None | Some(Generic)) => (Topic::Any, 4),
            Self::Declined(Some(TooFast | TooSlow | TimeControl)) => (speed(offer.clock), 16),
            // "rated" asks for a rated game: casual ones are not wanted.
            Self::Declined(Some(Rated | Casual)) => (mode(offer.rated), 16),
            Self::Declined(Some(Variant | Standard | NoBot | OnlyBot)) => (Topic::Any, 1000),
            Self::Refused(_) => (Topic::Any, 16),
        })
    }

    /// Whether asking again for the very same is in vain.
    pub(in crate::bot) const fn is_final(&self) -> bool {
        match self {
            Self::Unanswered => false,
            Self::Declined(reason) => !matches!(
                reason,
                None | Some(DeclineReason::Generic | DeclineReason::Later)
            ),
            Self::Capped | Self::Refused(_) => true,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declined(Some(reason)) => write!(f, "declined with {:?}", reason.word()),
            Self::Declined(None) => f.write_str("declined"),
            Self::Unanswered => f.write_str("not answered"),
            Self::Capped => f.write_str("the opponent may play no more games with bots today"),
            Self::Refused(text) => write!(f, "refused by the server: {text}"),
        }
    }
}
