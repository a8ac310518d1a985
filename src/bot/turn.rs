//! Life of the move that is owed: from "our turn" to "the move stands in the server's list".
//!
//! The invariant behind it: in a running game, when it is our turn, something is always under way (a search, a POST,
//! or a wait with an end). [`Turn::step`] is asked after every event and on a timer what is to be done next, so no
//! lost line or failed request can leave the game hanging. Pure; the time is passed in.

use crate::rules::Move;
use std::time::{Duration, Instant};

/// Pauses before a move whose fate is unknown is looked at again; the last one repeats.
const DOUBT: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];
/// Pause after a 429: the move certainly did not count, and asking faster only prolongs the limit.
const RATE_LIMIT_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How long an accepted move may be missing in the stream before the stream is opened anew.
const ECHO: Duration = Duration::from_secs(3);
/// How long the move is held back after a takeback was accepted.
const TAKEBACK: Duration = Duration::from_secs(3);
/// Moves the server may refuse in one position before we resign: rules and server disagree.
const MAX_REFUSED: usize = 3;

/// What the answer to a move POST says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Posted {
    /// 200: the server took it.
    Accepted,
    /// 400: not legal, not our turn, or the game is over.
    Rejected,
    /// 429, with the wait that the server asks for: it did not count.
    RateLimited(Option<Duration>),
    /// It never reached the server.
    Unsent,
    /// Time-out, broken connection or 5xx: it may or may not have counted.
    Unknown,
}

/// What is to be done now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Nothing before [`Turn::deadline`].
    Wait,
    /// Search a move; call [`Turn::searching`].
    Search,
    /// Send this move (again); call [`Turn::posting`].
    Post(Move),
    /// Open the stream anew to learn the true move list.
    Reopen,
    /// The server refuses what we think is legal, again and again.
    Resign,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doubt {
    NotCounted,
    Unknown,
    Rejected,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Idle,
    Searching,
    Posting {
        mv: Move,
        attempt: usize,
    },
    Doubt {
        mv: Move,
        attempt: usize,
        kind: Doubt,
        since: Instant,
        until: Instant,
        confirmed: bool,
    },
    Sent {
        since: Instant,
        until: Instant,
    },
    Yielded {
        until: Instant,
    },
}

/// State of the owed move. One for each game.
#[derive(Debug)]
pub(super) struct Turn {
    stage: Stage,
    /// Moves that the server refused in this position.
    refused: Vec<Move>,
    /// Counts positions and POSTs, so that late answers are recognised.
    ticket: u64,
}

impl Turn {
    pub(super) const fn new() -> Self {
        Self {
            stage: Stage::Idle,
            refused: Vec::new(),
            ticket: 0,
        }
    }

    /// The move list changed: whatever was under way belongs to another position.
    pub(super) fn position_changed(&mut self) {
        self.stage = Stage::Idle;
        self.refused.clear();
        self.ticket += 1;
    }

    /// A search was started.
    pub(super) const fn searching(&mut self) {
        self.stage = Stage::Searching;
    }

    /// The search ended without a move worth playing: another one is owed.
    pub(super) fn search_again(&mut self) {
        if self.stage == Stage::Searching {
            self.stage = Stage::Idle;
        }
    }

    /// A POST of `mv` was started; the ticket comes back with its answer.
    pub(super) fn posting(&mut self, mv: Move) -> u64 {
        let attempt = match self.stage {
            Stage::Doubt {
                mv: same, attempt, ..
            } if same == mv => attempt + 1,
            _ => 0,
        };
        self.stage = Stage::Posting { mv, attempt };
        self.ticket += 1;
        self.ticket
    }

    /// Answer of the POST with this ticket. False if it belongs to a position left long ago.
    pub(super) fn posted(&mut self, ticket: u64, answer: Posted, now: Instant) -> bool {
        let Stage::Posting { mv, attempt } = self.stage else {
            return false;
        };
        if ticket != self.ticket {
            return false;
        }
        let pause = DOUBT[attempt.min(DOUBT.len() - 1)];
        let doubt = |kind, pause| Stage::Doubt {
            mv,
            attempt,
            kind,
            since: now,
            until: now + pause,
            confirmed: false,
        };
        self.stage = match answer {
            Posted::Accepted => Stage::Sent {
                since: now,
                until: now + ECHO,
            },
            Posted::Rejected => doubt(Doubt::Rejected, DOUBT[0]),
            Posted::RateLimited(after) => {
                let pause = after
                    .unwrap_or(RATE_LIMIT_PAUSE)
                    .max(pause)
                    .min(LONGEST_PAUSE);
                doubt(Doubt::NotCounted, pause)
            }
            Posted::Unsent => doubt(Doubt::NotCounted, pause),
            Posted::Unknown => doubt(Doubt::Unknown, pause),
        };
        true
    }

    /// A full state whose stream was asked for at `opened` shows the move list unchanged. Returns true if a move
    /// that the server had accepted is missing.
    pub(super) fn confirmed(&mut self, opened: Instant) -> bool {
        match &mut self.stage {
            Stage::Doubt {
                since, confirmed, ..
            } if *since <= opened => *confirmed = true,
            Stage::Sent { since, .. } if *since <= opened => {
                self.stage = Stage::Idle;
                return true;
            }
            _ => {}
        }
        false
    }

    /// A takeback was accepted: no move until the list shrinks, or the wait is over.
    pub(super) fn yielded(&mut self, now: Instant) {
        self.stage = Stage::Yielded {
            until: now + TAKEBACK,
        };
    }

    /// Whether a move is on its way to the server, so that it is too late for a takeback.
    pub(super) const fn is_committed(&self) -> bool {
        matches!(
            self.stage,
            Stage::Posting { .. } | Stage::Doubt { .. } | Stage::Sent { .. }
        )
    }

    /// Ticket of the latest POST.
    pub(super) const fn ticket(&self) -> u64 {
        self.ticket
    }

    /// Whether nothing is under way.
    pub(super) const fn is_idle(&self) -> bool {
        matches!(self.stage, Stage::Idle)
    }

    /// Moves that the server refused in this position.
    pub(super) fn refused(&self) -> &[Move] {
        &self.refused
    }

    /// What to do now. `my_turn`: the game runs and the list says that we are to move. `heard`: when the stream
    /// last gave a sign of life.
    pub(super) fn step(&mut self, now: Instant, my_turn: bool, heard: Option<Instant>) -> Step {
        if !my_turn {
            return Step::Wait;
        }
        match &mut self.stage {
            Stage::Yielded { until } if now >= *until => self.stage = Stage::Idle,
            Stage::Sent { until, .. } if now >= *until => {
                *until = now + ECHO;
                return Step::Reopen;
            }
            Stage::Doubt {
                mv,
                kind,
                since,
                until,
                confirmed,
                ..
            } if *confirmed || now >= *until => {
                let known = match kind {
                    Doubt::NotCounted => true,
                    // A sign of life after the failure: had the move counted, the stream would have said so before.
                    Doubt::Unknown => *confirmed || heard.is_some_and(|heard| heard > *since),
                    // The stream may be about to say that the game is over; only a fresh state is proof.
                    Doubt::Rejected => *confirmed,
                };
                if !known {
                    *until = now + LONGEST_PAUSE;
                    return Step::Reopen;
                }
                if *kind != Doubt::Rejected {
                    return Step::Post(*mv);
                }
                self.refused.push(*mv);
                self.stage = Stage::Idle;
            }
            _ => {}
        }
        match self.stage {
            Stage::Idle if self.refused.len() >= MAX_REFUSED => Step::Resign,
            Stage::Idle => Step::Search,
            _ => Step::Wait,
        }
    }

    /// When [`Turn::step`] must be asked again even if nothing happens.
    pub(super) const fn deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Doubt { until, .. } | Stage::Sent { until, .. } | Stage::Yielded { until } => {
                Some(until)
            }
            Stage::Idle | Stage::Searching | Stage::Posting { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
