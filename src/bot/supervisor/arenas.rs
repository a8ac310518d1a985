//! Arenas: asks the server what [`Arenas`](crate::bot::arena::Arenas) wants to know, and says what came of it.

use super::{Done, Supervisor};
use crate::bot::arena::{Failure, Request, Told};
use crate::lichess;
use crate::lichess::model::{GameInfo, GameStatus, Tournament};
use std::sync::Arc;
use std::time::Instant;
use tracing::{debug, info, warn};

/// Answer about an arena.
#[derive(Debug)]
pub(super) enum Answer {
    /// What it looks like.
    Look(Result<Box<Tournament>, lichess::Error>),
    /// Whether we are in.
    Join(Result<(), lichess::Error>),
    /// Whether we are out.
    Leave(Result<(), lichess::Error>),
}

impl Supervisor {
    /// Sends what is due.
    pub(super) fn tend_arenas(&mut self, now: Instant) {
        if self.draining || !self.gate.is_open(now) {
            return;
        }
        while let Some(request) = self.arenas.step(now) {
            let client = self.options.client.clone();
            self.pending += 1;
            match request {
                Request::Look(id) => self.tasks.spawn(async move {
                    let answer = client.tournament(&id).await.map(Box::new);
                    Done::Arena(id, Answer::Look(answer))
                }),
                Request::Join(id) => {
                    let settings = &self.options.settings.tournament;
                    let (password, team) =
                        (settings.passwords.get(&id).cloned(), settings.team.clone());
                    self.tasks.spawn(async move {
                        let answer = client
                            .join_tournament(&id, password.as_deref(), team.as_deref())
                            .await;
                        Done::Arena(id, Answer::Join(answer))
                    })
                }
            };
        }
    }

    pub(super) fn on_arena(&mut self, id: &str, answer: Answer) {
        self.pending = self.pending.saturating_sub(1);
        let now = Instant::now();
        let settings = Arc::clone(&self.options.settings);
        let told = match answer {
            Answer::Look(answer) => {
                let answer = answer.map_err(|error| self.arena_failure(id, &error));
                let answer = answer.as_deref().map_err(|failure| *failure);
                self.arenas.on_look(id, answer, &settings.tournament, now)
            }
            Answer::Join(answer) => {
                let answer = answer.map_err(|error| self.arena_failure(id, &error));
                self.arenas.on_join(id, answer, now)
            }
            Answer::Leave(answer) => {
                if let Err(error) = answer {
                    self.arena_failure(id, &error);
                }
                Told::Nothing
            }
        };
        match told {
            Told::Nothing => {}
            Told::Joined if self.draining => self.leave_arena(id.to_owned()),
            Told::Joined => info!(arena = id, "joined"),
            Told::Over => info!(arena = id, "the arena is over"),
            Told::Refused(reason) => warn!(arena = id, "not playing in this arena: {reason}"),
        }
    }

    /// Notes what an error means for the arena it is about.
    fn arena_failure(&mut self, id: &str, error: &lichess::Error) -> Failure {
        self.note_rate_limit(error);
        let shown = error as &dyn std::error::Error;
        if error.is_transient() {
            debug!(arena = id, error = shown, "arena: no answer yet");
            Failure::Passing {
                pause: error.retry_after(),
            }
        } else {
            warn!(arena = id, error = shown, "arena: refused");
            Failure::Final
        }
    }

    /// Slots that no other game may take, since the next game of an arena may start any moment.
    pub(super) fn reserved_for_arena(&self) -> usize {
        let wanted = self.options.settings.tournament.reserve_slot
            && self.arenas.is_playing()
            && self.arena_games.is_empty();
        usize::from(wanted)
    }

    /// Takes in that a game has ended, if it was one of an arena.
    pub(super) fn note_arena_game(&mut self, game: &GameInfo) {
        self.arena_games.remove(game.game());
        let missed = game
            .status
            .as_ref()
            .is_some_and(|status| status.name == GameStatus::NoStart)
            && game.winner.is_some_and(|winner| Some(winner) != game.color);
        if let Some(arena) = &game.tournament_id
            && missed
        {
            warn!(arena, game = %game.game(), "a first move was missed, will join again");
            self.arenas.on_no_start(arena, Instant::now());
        }
    }

    /// Leaves all arenas, so that the server pairs us no more.
    pub(super) fn leave_arenas(&mut self) {
        for id in self.arenas.leave() {
            self.leave_arena(id);
        }
    }

    fn leave_arena(&mut self, id: String) {
        info!(arena = id, "leaving");
        let client = self.options.client.clone();
        self.pending += 1;
        self.tasks.spawn(async move {
            let answer = client.withdraw_tournament(&id).await;
            Done::Arena(id, Answer::Leave(answer))
        });
    }
}
