//! What goes on beside the moves: draw offers, takebacks, an opponent who left or never moves or runs out of time.
//! Decides what to answer; pure, the time is passed in.

use super::draw::{self, BETWEEN_OFFERS};
use super::standing::Standing;
use crate::engine::Score;
use crate::lichess::model::OpponentGone;
use crate::settings::GameSettings;
use std::time::{Duration, Instant};

/// The server repeats "gone" every 5 s; after so much silence the opponent may be back, which a reopened stream
/// does not always tell.
const GONE_EXPIRES: Duration = Duration::from_secs(15);

/// What is to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Accept or decline a draw.
    Draw(bool),
    /// Accept or decline a takeback.
    Takeback(bool),
    /// Claim the win: the opponent has left.
    ClaimVictory,
    /// Abort: the opponent does not begin.
    Abort,
    /// Give the opponent so many seconds.
    GiveTime(u32),
}

/// Running game as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OfferFacts {
    pub now: Instant,
    pub standing: Standing,
    /// Whether we are to move.
    pub my_turn: bool,
    /// Whether a move of ours is on its way, which declines a takeback.
    pub committed: bool,
    /// Whether the opponent's draw offer stands.
    pub draw_offered: bool,
    /// Whether the opponent's takeback proposal stands.
    pub takeback_proposed: bool,
    /// Whether the position has occurred three times, so that the server grants a draw to whoever asks.
    pub repeated: bool,
    /// Score of our last search.
    pub score: Option<Score>,
    /// Whether the game belongs to a tournament, where nothing can be aborted.
    pub tournament: bool,
}

#[derive(Debug)]
struct Gone {
    claimable: bool,
    heard: Instant,
}

/// State of one game's offers.
#[derive(Debug)]
pub(super) struct Offers {
    draw_answered: bool,
    takeback_answered: bool,
    takebacks: u32,
    /// Ply at which we last offered a draw.
    offered_at: Option<u32>,
    repetition_claimed: bool,
    gone: Option<Gone>,
    waiting_since: Instant,
    abort_refused: bool,
    times_given: u32,
    time_given_here: bool,
    time_refused: bool,
}

impl Offers {
    /// Start of a game, or of its rest: `takebacks` were accepted in it before.
    pub(super) const fn new(now: Instant, takebacks: u32) -> Self {
        Self {
            draw_answered: false,
            takeback_answered: false,
            takebacks,
            offered_at: None,
            repetition_claimed: false,
            gone: None,
            waiting_since: now,
            abort_refused: false,
            times_given: 0,
            time_given_here: false,
            time_refused: false,
        }
    }

    /// Takebacks accepted so far.
    pub(super) const fn takebacks(&self) -> u32 {
        self.takebacks
    }

    /// Whether the server would hear a draw offer sent with the move at `ply`; the same move sent again counts as one.
    pub(super) fn may_offer_draw(&self, ply: u32) -> bool {
        self.offered_at
            .is_none_or(|last| ply == last || ply >= last.saturating_add(BETWEEN_OFFERS))
    }

    /// A draw is offered with the move at `ply`.
    pub(super) const fn draw_offered(&mut self, ply: u32) {
        self.offered_at = Some(ply);
    }

    /// The move list changed.
    pub(super) const fn moved(&mut self, now: Instant) {
        self.waiting_since = now;
        self.draw_answered = false;
        self.takeback_answered = false;
        self.repetition_claimed = false;
        self.time_given_here = false;
    }

    /// A line tells that the opponent left or came back.
    pub(super) fn opponent_gone(&mut self, line: OpponentGone, now: Instant) {
        self.gone = line.gone.then(|| Gone {
            claimable: line
                .claim_win_in_seconds
                .is_some_and(|seconds| seconds <= 0),
            heard: now,
        });
    }

    /// The server refused to abort; it will not change its mind.
    pub(super) const fn abort_refused(&mut self) {
        self.abort_refused = true;
    }

    /// The server lets us give no time: the token or an account does not allow it.
    pub(super) const fn time_refused(&mut self) {
        self.time_refused = true;
    }

    /// What to send now, one thing at a time.
    pub(super) fn step(&mut self, facts: &OfferFacts, settings: &GameSettings) -> Option<Action> {
        if !facts.takeback_proposed {
            self.takeback_answered = false;
        } else if !self.takeback_answered && !facts.committed {
            self.takeback_answered = true;
            let most = settings.takebacks_for(facts.standing.opponent_is_bot);
            let accept = self.takebacks < most;
            self.takebacks += u32::from(accept);
            return Some(Action::Takeback(accept));
        }
        // On our own turn the offer is answered with the move, when the score of this position is known.
        if !facts.draw_offered {
            self.draw_answered = false;
        } else if !self.draw_answered && !facts.my_turn {
            self.draw_answered = true;
            let accept = draw::accepts(facts.score, &facts.standing, settings);
            return Some(Action::Draw(accept));
        }
        // The server itself draws at the third occurrence, but not when a drop brings it about.
        let worse = facts.score.is_some_and(|score| score.as_cp() < 0);
        if facts.repeated && worse && !facts.committed && !self.repetition_claimed {
            self.repetition_claimed = true;
            return Some(Action::Draw(true));
        }
        if !facts.my_turn && facts.standing.ply >= 2 && settings.claim_victory {
            let claimable = self.gone.as_mut().filter(|gone| {
                gone.claimable && facts.now.saturating_duration_since(gone.heard) < GONE_EXPIRES
            });
            if let Some(gone) = claimable {
                // Once for each line that says so.
                gone.claimable = false;
                return Some(Action::ClaimVictory);
            }
        }
        if let Some(seconds) = self.time_to_give(facts, settings) {
            self.times_given += 1;
            self.time_given_here = true;
            return Some(Action::GiveTime(seconds));
        }
        if self
            .abort_deadline(facts, settings)
            .is_some_and(|deadline| facts.now >= deadline)
        {
            self.waiting_since = facts.now;
            return Some(Action::Abort);
        }
        None
    }

    /// Seconds for a human who is to move with little time. Once a move, so many times a game, never in an arena.
    fn time_to_give(&self, facts: &OfferFacts, settings: &GameSettings) -> Option<u32> {
        let seconds = settings.give_time_s?;
        let low = facts
            .standing
            .clocks
            .is_some_and(|clocks| clocks.theirs < settings.give_time_below);
        let possible = low
            && !facts.my_turn
            && !facts.committed
            && facts.standing.ply >= 2
            && !facts.standing.opponent_is_bot
            && !facts.tournament;
        let allowed = !self.time_refused
            && !self.time_given_here
            && self.times_given < settings.give_time_max;
        (possible && allowed).then_some(seconds)
    }

    /// When the game is to be aborted if the opponent does not begin; challenge games have no timer of the server.
    pub(super) fn abort_deadline(
        &self,
        facts: &OfferFacts,
        settings: &GameSettings,
    ) -> Option<Instant> {
        // Who has days for a move is no sleeper.
        let no_clock = facts.standing.clocks.is_none();
        let begun = facts.my_turn || facts.standing.ply >= 2;
        if begun || no_clock || facts.tournament || self.abort_refused {
            return None;
        }
        let patience = if facts.standing.opponent_is_bot {
            settings.abort_after_bot
        } else {
            settings.abort_after_human
        };
        self.waiting_since.checked_add(patience)
    }
}

#[cfg(test)]
mod tests;
