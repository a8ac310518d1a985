//! What the policies of a game are told: the standing, our scores, and what the opponent offers.

use super::{Play, millis};
use crate::bot::adaptive::Level;
use crate::bot::draw;
use crate::bot::offers::OfferFacts;
use crate::bot::resign;
use crate::bot::search::Found;
use crate::bot::standing::{Clocks, Standing};
use crate::engine::Score;
use crate::lichess::Side;
use crate::settings::Limit;
use std::sync::PoisonError;
use std::time::Instant;
use tracing::info;

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
        OfferFacts {
            now,
            standing: self.standing(),
            my_turn: self.is_my_turn(),
            committed: self.turn.is_committed(),
            draw_offered: self.is_draw_offered(),
            takeback_proposed: match self.color {
                Side::White => self.state.btakeback,
                Side::Black => self.state.wtakeback,
            },
            repeated: self.confused == 0 && self.tracker.game().repetitions() >= THREEFOLD,
            score: self.score,
            tournament: self.full.tournament_id.is_some(),
        }
    }

    /// Level at which this opponent is to be played, from earlier games.
    pub(super) fn first_level(&self) -> Option<Level> {
        let settings = &self.context.settings.engine.adaptive;
        let opponent = self.opponent();
        if !settings.enabled || opponent.is_bot() {
            return None;
        }
        let levels = self
            .context
            .levels
            .lock()
            // Each level is set as a whole.
            .unwrap_or_else(PoisonError::into_inner);
        let level = levels.of(&opponent.display_name(), opponent.rating, settings);
        drop(levels);
        info!(elo = level.elo, games = level.games, "level of the game");
        Some(level)
    }

    /// Limits of the next search.
    pub(super) fn limit(&self) -> Limit {
        let engine = &self.context.settings.engine;
        let mut limit = engine
            .limit
            .of(self.opponent().is_bot(), self.full.speed.word());
        if let Some(level) = self.level {
            let elo = level.now(self.score, &engine.adaptive);
            limit.elo = Some(limit.elo.map_or(elo, |top| elo.min(top)));
        }
        limit
    }

    /// Number that is this game's own.
    pub(super) fn seed(&self) -> u64 {
        let id = self.context.id.as_str();
        id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
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

    /// Whether a draw offer of the opponent stands.
    fn is_draw_offered(&self) -> bool {
        match self.color {
            Side::White => self.state.bdraw,
            Side::Black => self.state.wdraw,
        }
    }

    /// Whether a draw offer of the opponent that stands is accepted.
    pub(super) fn accepts_draw(&self, found: &Found) -> bool {
        let settings = &self.context.settings.game;
        self.is_draw_offered() && draw::accepts(found.score, &self.standing(), settings)
    }

    /// Whether a draw is offered with the move that was found.
    pub(super) fn offers_draw(&self, found: &Found) -> bool {
        let settings = &self.context.settings.game;
        self.offers.may_offer_draw(self.ply())
            && draw::offers(&self.scores(found), &self.standing(), settings)
    }
}
