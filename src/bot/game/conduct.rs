//! What the policies of a game are told: the standing, our scores, and what the opponent offers.

use super::{Play, millis};
use crate::bot::draw;
use crate::bot::offers::OfferFacts;
use crate::bot::resign;
use crate::bot::search::Found;
use crate::bot::standing::{Clocks, Standing};
use crate::engine::Score;
use crate::lichess::Side;
use std::time::Instant;

/// Occurrences of a position at which the server grants a draw.
const THREEFOLD: u32 = 3;

impl Play {
    pub(super) fn standing(&self) -> Standing {
        let state = &self.state;
        let (own, theirs, increment) = match self.color {
            Side::White => (state.wtime, state.btime, state.winc),
            Side::Black => (state.btime, state.wtime, state.binc),
        };
        let opponent = self.opponent();
        Standing {
            ply: self.ply(),
            opponent_is_bot: opponent.is_bot(),
            opponent_rating: opponent.rating,
            clocks: self.full.clock.map(|_| Clocks {
                own: millis(own),
                theirs: millis(theirs),
                increment: millis(increment),
            }),
        }
    }

    pub(super) fn offer_facts(&self, now: Instant) -> OfferFacts {
        let state = &self.state;
        let (draw_offered, takeback_proposed) = match self.color {
            Side::White => (state.bdraw, state.btakeback),
            Side::Black => (state.wdraw, state.wtakeback),
        };
        OfferFacts {
            now,
            standing: self.standing(),
            my_turn: self.is_my_turn(),
            committed: self.turn.is_committed(),
            draw_offered,
            takeback_proposed,
            repeated: self.confused == 0 && self.tracker.game().repetitions() >= THREEFOLD,
            score: self.score,
            tournament: self.full.tournament_id.is_some(),
        }
    }

    /// Scores of our last moves in a row up to `found`, which answers the current position; oldest first. A move that
    /// no search stands behind breaks the row.
    fn scores(&self, found: &Found) -> Vec<Score> {
        let settings = &self.context.settings.game;
        let most = settings.draw.offer_moves.max(settings.resign.moves);
        let earlier = self.played.iter().rev().skip(1).step_by(2);
        let mut scores: Vec<Score> = std::iter::once(found.score)
            .chain(earlier.map(|played| played.score))
            .map_while(|score| score)
            .take(most)
            .collect();
        scores.reverse();
        scores
    }

    /// Whether the game is given up instead of playing what was found. A draw that can be had is taken instead.
    pub(super) fn resigns(&self, found: &Found) -> bool {
        let settings = &self.context.settings.game;
        resign::resigns(&self.scores(found), &self.standing(), settings)
            && !self.accepts_draw(found)
    }

    /// Whether a draw offer of the opponent that stands is accepted.
    pub(super) fn accepts_draw(&self, found: &Found) -> bool {
        let settings = &self.context.settings.game;
        let offered = match self.color {
            Side::White => self.state.bdraw,
            Side::Black => self.state.wdraw,
        };
        offered && draw::accepts(found.score, &self.standing(), settings)
    }

    /// Whether a draw is offered with the move that was found.
    pub(super) fn offers_draw(&self, found: &Found) -> bool {
        let settings = &self.context.settings.game;
        self.offers.may_offer_draw(self.ply())
            && draw::offers(&self.scores(found), &self.standing(), settings)
    }
}
