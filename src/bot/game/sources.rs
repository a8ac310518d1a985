//! Where the game takes its moves from besides the search inside: book, explorer, another engine.

use super::moves::Answer;
use super::{Play, millis};
use crate::book::BookMove;
use crate::bot::opening::{self, ExplorerFacts};
use crate::bot::search::{Found, Search};
use crate::bot::sources::Source;
use crate::bot::think::{self, Plan};
use crate::lichess::{Error, Side};
use crate::rules::Game;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{info, warn};

impl Play {
    /// Move of the book, or one that the explorer told before.
    pub(super) fn known_move(&self) -> Option<Found> {
        let game = self.tracker.game();
        let settings = &self.context.settings.book;
        let book = self.context.sources.book.as_ref();
        if let Some(mv) =
            book.and_then(|book| opening::from_book(book, game, settings, fastrand::u64(..)))
        {
            return Some(Found::of(Source::Book, Some(mv)));
        }
        // Once known, it costs no time, so the clock does not matter.
        let facts = self.explorer_facts(None);
        if !opening::may_ask(&facts, &settings.explorer) {
            return None;
        }
        let known = self.context.explorer.known(game)?;
        let mv = opening::from_explorer(&known, game, settings, fastrand::u64(..))?;
        Some(Found::of(Source::Explorer, Some(mv)))
    }

    fn explorer_facts(&self, clock: Option<Duration>) -> ExplorerFacts {
        ExplorerFacts {
            ply: self.tracker.position().ply(),
            clock,
            misses: self.explorer_misses,
        }
    }

    /// Asks the explorer beside the search that has just been started.
    pub(super) fn ask_explorer(&mut self, clock: Option<Duration>, now: Instant) {
        let facts = self.explorer_facts(clock);
        let explorer = Arc::clone(&self.context.explorer);
        let settings = Arc::clone(&self.context.settings);
        if !opening::may_ask(&facts, &settings.book.explorer) || !explorer.is_open(now) {
            return;
        }
        if explorer.known(self.tracker.game()).is_some() {
            // It was told before and was of no use.
            self.explorer_misses += 1;
            return;
        }
        let game = self.tracker.game().clone();
        self.request(move |client, _| async move {
            let key = game.position().key();
            let known = explorer.ask(&client, &settings.book.explorer, &game).await;
            Answer::Explorer(key, known)
        });
    }

    /// The explorer has answered: its move is played if the search that it races is still running.
    pub(super) fn on_explorer(&mut self, key: u64, known: Result<Arc<[BookMove]>, Error>) {
        let game = self.tracker.game();
        let current = key == game.position().key();
        let found = match known {
            Ok(known) if current => {
                let settings = &self.context.settings.book;
                opening::from_explorer(&known, game, settings, fastrand::u64(..))
                    .filter(|mv| !self.turn.refused().contains(mv))
            }
            Ok(_) => return,
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                info!(error, "the opening explorer did not answer");
                None
            }
        };
        match found {
            None => self.explorer_misses += 1,
            Some(mv) if self.search.is_some() && self.is_my_turn() => {
                self.on_found(Found::of(Source::Explorer, Some(mv)));
            }
            Some(_) => {}
        }
    }

    /// Begins a search with the engine that plays this game. `expected`: the game as it may become, instead of the
    /// game as it is; `free`: all moves may be chosen from.
    pub(super) fn begin(
        &mut self,
        expected: Option<&Game>,
        plan: Plan,
        received: Instant,
        free: bool,
    ) -> Search {
        let game = expected.unwrap_or_else(|| self.tracker.game());
        let opponent = match self.color {
            Side::White => (self.state.btime, self.state.binc),
            Side::Black => (self.state.wtime, self.state.winc),
        };
        let ponders = plan.limits.ponder;
        match &self.other_engine {
            // A weaker level is that of the engine inside. Where no clock runs there is time to wait for the start.
            Some(driver)
                if free
                    && plan.limits.strength.is_none()
                    && !driver.is_lost()
                    && (driver.is_ready() || !plan.on_clock && !ponders) =>
            {
                let opponent = (millis(opponent.0), millis(opponent.1));
                Search::start_other(driver, game, &plan, received, opponent)
            }
            _ => Search::start(&mut self.session, game, plan, received),
        }
    }

    /// The other engine owes us a move: the one inside finds it in the time that is left.
    pub(super) fn stand_in(&mut self) {
        let now = Instant::now();
        let mut facts = self.think_facts();
        if let Some((left, _)) = &mut facts.clock {
            *left = left.saturating_sub(now.saturating_duration_since(self.received));
        }
        warn!(ply = self.ply(), "the engine inside stands in");
        let plan = think::plan(&facts, &self.context.settings, Vec::new());
        let game = self.tracker.game();
        self.search = Some(Search::start(&mut self.session, game, plan, now));
    }
}
