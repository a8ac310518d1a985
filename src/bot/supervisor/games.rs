//! Games: found, started, and what follows when their tasks end.

use super::correspondence::is_slow;
use super::{Done, RECONCILE, Supervisor};
use crate::bot::BotEvent;
use crate::bot::chat::Post;
use crate::bot::game::{self, Command, GameContext, GameEnd};
use crate::bot::pauses::doubled;
use crate::bot::record::{GameRecord, Verdict};
use crate::bot::slots::Seat;
use crate::lichess::model::{GameId, GameInfo};
use jiff::Timestamp;
use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tracing::{Instrument as _, error, info, info_span, warn};

/// Pause before it is compared again when that was wanted while an answer was under way.
const RECONCILE_AGAIN: Duration = Duration::from_secs(1);
/// Pause before a failed game is looked up again; doubles with each failure of the same game.
const RESTART_PAUSE: Duration = Duration::from_millis(250);
/// Failures after which a game is given up.
const MAX_RESTARTS: u32 = 6;
/// Finished games that are remembered, so that an old list of games does not start them again.
const REMEMBERED: usize = 200;

impl Supervisor {
    pub(super) fn reconcile(&mut self, now: Instant) {
        if self.reconciling {
            // The answer under way may be too old for whoever asks now.
            self.reconcile_at = now + RECONCILE_AGAIN;
            return;
        }
        let pause = if self.slow.is_empty() {
            RECONCILE
        } else {
            RECONCILE.min(self.options.settings.game.correspondence.checkin_period)
        };
        self.reconcile_at = now + pause;
        let wait = self.gate.wait(now);
        if !wait.is_zero() {
            self.reconcile_at = now + wait;
            return;
        }
        self.reconciling = true;
        let client = self.options.client.clone();
        self.tasks
            .spawn(async move { Done::Playing(client.playing().await) });
    }

    /// Plays a game that the server says is running, unless it is played already.
    pub(super) fn on_game(&mut self, info: &GameInfo) {
        let id = info.game().clone();
        let over = info
            .status
            .as_ref()
            .is_some_and(|status| status.name.is_over());
        if id.0.is_empty() || over || self.slots.is_running(&id) || self.finished.contains(&id) {
            return;
        }
        let playable = info.compat.is_none_or(|compat| compat.bot);
        if info.variant.key != "crazyhouse" || !playable {
            // Somebody else with this account began it, and may be playing it.
            self.slots.release(&id);
            if self.foreign.insert(id.clone()) {
                warn!(
                    game = %id,
                    variant = info.variant.key,
                    playable,
                    "game that this program does not play, left alone"
                );
            }
            return;
        }
        if is_slow(info) {
            self.on_slow_game(info);
            return;
        }
        // The name is one for display, with the title before it.
        let is_bot = info.opponent.username.starts_with("BOT ") || self.slots.expects_bot(&id);
        let seat = Seat {
            opponent: info.opponent.id.clone(),
            is_bot,
        };
        if !self.slots.start(id.clone(), seat) {
            return;
        }
        if is_bot {
            let now = Timestamp::now();
            self.store.change(|state| state.note_bot_game(&id, now));
        }
        self.matchmaker.on_game(Instant::now());
        if info.tournament_id.is_some() {
            self.arena_games.insert(id.clone());
        }
        let concurrency = self.options.settings.challenge.concurrency;
        if self.slots.taken() > concurrency {
            warn!(game = %id, concurrency, "more games than wanted, playing it all the same");
        }
        self.start(info);
    }

    /// Starts the task of a game.
    pub(super) fn start(&mut self, info: &GameInfo) {
        let id = info.game().clone();
        let span = info_span!(
            "game",
            id = %id,
            opponent = info.opponent.username,
            speed = info.speed.word(),
            color = info.color.map(|color| color.to_string()),
        );
        let context = GameContext {
            client: self.options.client.clone(),
            settings: Arc::clone(&self.options.settings),
            engine: self.options.engine.clone(),
            sources: self.options.sources.clone(),
            explorer: Arc::clone(&self.explorer),
            account: Arc::clone(&self.account),
            id: id.clone(),
            color: info.color,
            round_trip: Arc::clone(&self.round_trip),
            memory: Arc::clone(self.memories.entry(id.clone()).or_default()),
            levels: Arc::clone(&self.levels),
            queue: self.queue.subscribe(),
            observer: self.observer.clone(),
            stop: self.leave.child_token(),
        };
        let (sender, commands) = mpsc::unbounded_channel();
        self.commands.insert(id.clone(), sender);
        self.observer.emit(|| BotEvent::GameStarted {
            id: id.clone(),
            opponent: info.opponent.username.clone(),
            color: info.color,
        });
        let game = id.clone();
        let task = async move {
            let end = game::play(context, commands).await;
            Done::Game(game, end)
        };
        let handle = self.tasks.spawn(task.instrument(span));
        self.players.insert(handle.id(), id);
    }

    pub(super) fn command(&self, id: &GameId, command: Command) {
        if let Some(commands) = self.commands.get(id) {
            // The task may just have ended; its result is on the way.
            commands.send(command).ok();
        }
    }

    pub(super) fn on_playing(&mut self, games: &[GameInfo]) {
        let listed: HashSet<GameId> = games.iter().map(|info| info.game().clone()).collect();
        for id in self.commands.keys().filter(|id| !listed.contains(*id)) {
            self.command(id, Command::Check);
        }
        for info in games {
            self.on_game(info);
        }
        self.on_slow_list(&listed);
    }

    pub(super) fn on_end(&mut self, id: GameId, end: GameEnd) {
        self.commands.remove(&id);
        match end {
            GameEnd::Parked => {
                let pause = self.options.settings.game.correspondence.checkin_period;
                self.slow.park(&id, pause, Instant::now());
            }
            GameEnd::Finished(record, farewells) => {
                let seat = self.slots.finish(&id);
                self.failures.remove(&id);
                self.say(id.clone(), farewells);
                self.remember(id);
                self.note_over(&record, seat.as_ref());
                self.keep(record);
            }
            GameEnd::Foreign => {
                self.slots.finish(&id);
                self.foreign.insert(id.clone());
                self.tell_over(&id, Verdict::Aborted);
                self.remember(id);
            }
            GameEnd::Left => {
                self.slots.finish(&id);
                self.summary.left += 1;
            }
            GameEnd::Closed(error) => {
                warn!(game = %id, error = &error as &dyn std::error::Error, "game is closed to us");
                self.on_failure(id);
            }
        }
        self.open_slow_games();
    }

    /// Sends the last lines of a game, one after the other; nobody waits for them.
    fn say(&mut self, id: GameId, posts: Vec<Post>) {
        if posts.is_empty() {
            return;
        }
        let client = self.options.client.clone();
        self.pending += 1;
        self.tasks.spawn(async move {
            for Post { room, text } in posts {
                if let Err(error) = client.chat(&id, room, &text).await {
                    let error = &error as &dyn std::error::Error;
                    info!(game = %id, error, "chat line not sent");
                    break;
                }
            }
            Done::Said
        });
    }

    /// Counts, stores and tells the record of a finished game.
    pub(super) fn keep(&mut self, record: Box<GameRecord>) {
        self.summary.count(record.verdict);
        self.levels
            .lock()
            // Each level is set as a whole.
            .unwrap_or_else(PoisonError::into_inner)
            .learn(&record, &self.options.settings.engine.adaptive);
        self.archive.store((*record).clone());
        self.observer.emit(|| BotEvent::GameFinished { record });
    }

    pub(super) fn remember(&mut self, id: GameId) {
        self.arena_games.remove(&id);
        self.memories.remove(&id);
        self.slow.forget(&id);
        self.finished.push_back(id);
        if self.finished.len() > REMEMBERED
            && let Some(oldest) = self.finished.pop_front()
        {
            self.verdicts.remove(&oldest);
        }
    }

    /// A game whose task failed keeps its slot and is looked up again: if the server still lists it, it is started
    /// anew, from the full state.
    pub(super) fn on_failure(&mut self, id: GameId) {
        self.commands.remove(&id);
        let seat = self.slots.finish(&id);
        let failures = self.failures.entry(id.clone()).or_default();
        *failures += 1;
        if *failures > MAX_RESTARTS {
            error!(game = %id, "game failed too often, given up");
            self.failures.remove(&id);
            self.tell_over(&id, Verdict::Unknown);
            self.remember(id);
            return;
        }
        let now = Instant::now();
        let pause = doubled(RESTART_PAUSE, *failures - 1, Duration::MAX);
        self.reconcile_at = self.reconcile_at.min(now + pause);
        if !self.slow.park(&id, pause, now) {
            let unknown = Seat {
                opponent: None,
                is_bot: false,
            };
            self.slots.reserve(id, seat.unwrap_or(unknown), now);
        }
    }
}
