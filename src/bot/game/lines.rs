//! What the game takes from the lines of its stream.

use super::{CHECK_PAUSE, GameEnd, Play, millis};
use crate::bot::BotEvent;
use crate::bot::feed::FeedEvent;
use crate::bot::record::{GameRecord, Played, Verdict};
use crate::bot::tracker::Change;
use crate::lichess::{GameEvent, GameState, GameStatus};
use crate::rules::{CastlingStyle, Color};
use std::time::Instant;
use tracing::{debug, error, info, warn};

/// Move lists in a row that our rules cannot follow before the game is resigned.
const MAX_CONFUSED: u32 = 3;

impl Play {
    pub(super) fn on_feed(&mut self, event: FeedEvent) -> Option<GameEnd> {
        match event {
            FeedEvent::Alive => {}
            FeedEvent::Closed(error) => return Some(GameEnd::Closed(error)),
            FeedEvent::Line {
                value,
                received,
                opened,
            } => match value {
                GameEvent::GameFull(full) => {
                    debug!(moves = full.state.moves, "full state");
                    self.check_at = None;
                    self.full = *full;
                    let state = self.full.state.clone();
                    self.on_state(state, received, Some(opened));
                }
                GameEvent::GameState(state) => {
                    debug!(moves = state.moves, status = state.status.word(), "state");
                    self.on_state(state, received, None);
                }
                GameEvent::OpponentGone(line) => {
                    info!(
                        gone = line.gone,
                        claim_in_s = line.claim_win_in_seconds,
                        "presence"
                    );
                    self.offers.opponent_gone(line, received);
                }
                GameEvent::ChatLine(line) => self.on_chat_line(&line, received),
                GameEvent::Unknown => debug!("line of unknown kind"),
            },
        }
        None
    }

    /// Takes over a state. `opened`: when its stream was asked for, if it begins a stream.
    pub(super) fn on_state(
        &mut self,
        state: GameState,
        received: Instant,
        opened: Option<Instant>,
    ) {
        match self.tracker.apply(&state.moves) {
            Ok(change) => {
                self.confused = 0;
                self.on_change(change, &state, opened);
            }
            Err(error) => {
                self.confused += 1;
                self.search = None;
                self.ponder = None;
                self.turn.position_changed();
                let error = &error as &dyn std::error::Error;
                if self.confused < MAX_CONFUSED {
                    warn!(error, "move list not understood, asking again");
                    self.feed.reopen();
                } else if !state.status.is_over() {
                    error!(error, "move list not understood, resigning");
                    self.give_up(Instant::now());
                }
            }
        }
        self.over = state.status.is_over();
        if state.status == GameStatus::Created {
            // Nothing promises a line when it starts.
            self.check_at
                .get_or_insert_with(|| Instant::now() + CHECK_PAUSE);
        }
        self.state = state;
        self.received = received;
    }

    fn on_change(&mut self, change: Change, state: &GameState, opened: Option<Instant>) {
        let keep = match change {
            Change::Unchanged => {
                if opened.is_some_and(|opened| self.turn.confirmed(opened)) {
                    warn!("an accepted move is not in the list");
                }
                return;
            }
            Change::Extended(new) => self.tracker.plies() - new,
            Change::Rebuilt(kept) => {
                info!(kept, "moves were taken back");
                self.ponder = None;
                kept
            }
        };
        // Dropping a running search stops it.
        self.search = None;
        self.check_ponder();
        let found = self.found.take();
        self.turn.position_changed();
        self.changed_at = Instant::now();
        self.gave_way = 0;
        self.offers.moved(self.changed_at);
        self.played.truncate(keep);
        let moves = self.tracker.game().moves();
        for ply in self.played.len()..moves.len() {
            let position = &self.tracker.game().positions()[ply];
            let last = ply + 1 == moves.len();
            let clock = match position.turn() {
                Color::White => state.wtime,
                Color::Black => state.btime,
            };
            let clock = self.full.clock.filter(|_| last).map(|_| millis(clock));
            let uci = position.uci(moves[ply], CastlingStyle::KingTakesRook);
            let found = found
                .as_ref()
                .filter(|found| ply == keep && found.best == Some(moves[ply]));
            let score = found.and_then(|found| found.score);
            self.context.observer.emit(|| BotEvent::MovePlayed {
                id: self.context.id.clone(),
                ply: u32::try_from(ply + 1).unwrap_or(u32::MAX),
                uci,
                score,
            });
            self.played.push(Played {
                clock,
                score,
                depth: found.map_or(0, |found| found.depth),
                note: found.map_or("", |found| found.source.note()),
            });
        }
    }

    pub(super) fn finish(&mut self) -> GameEnd {
        self.search = None;
        self.ponder = None;
        let record = GameRecord::new(
            self.context.client.url(),
            &self.full,
            &self.state,
            self.color,
            self.tracker.game(),
            &self.played,
            self.pondered,
        );
        info!(
            status = record.status.word(),
            winner = record.winner.map(|side| side.to_string()),
            result = record.verdict.word(),
            plies = record.plies,
            ponder_hits = record.ponder_hits,
            ponder_guesses = record.ponder_guesses,
            "game over"
        );
        let farewells = match record.verdict {
            Verdict::Aborted => Vec::new(),
            verdict => self.farewells(verdict.word()),
        };
        GameEnd::Finished(Box::new(record), farewells)
    }
}
