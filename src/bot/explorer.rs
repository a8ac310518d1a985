//! The opening explorer of Lichess: asked while the search runs, remembered for the rest of the run.

use super::opening::known_moves;
use crate::book::{BookMove, key};
use crate::lichess::{Client, Error, ExplorerQuery, Gate};
use crate::rules::{CastlingStyle, FenStyle, Game, START_FEN};
use crate::settings::ExplorerSettings;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Positions that are remembered.
const REMEMBERED: usize = 20_000;
/// Pause after a failed request: an explorer in trouble is not to be asked at every move.
const PAUSE: Duration = Duration::from_mins(1);

/// Known answers and the pause after trouble; shared by all games.
#[derive(Debug, Default)]
pub(super) struct Explorer {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    known: HashMap<u64, Arc<[BookMove]>>,
    /// Keys in the order in which they came.
    order: VecDeque<u64>,
    gate: Gate,
}

impl Default for State {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            order: VecDeque::new(),
            gate: Gate::new(),
        }
    }
}

impl Explorer {
    /// What is known already of the current position of a game.
    pub(super) fn known(&self, game: &Game) -> Option<Arc<[BookMove]>> {
        self.lock().known.get(&key(game.position())).cloned()
    }

    /// Whether it may be asked now.
    pub(super) fn is_open(&self, now: Instant) -> bool {
        self.lock().gate.is_open(now)
    }

    /// Asks about the current position of a game and remembers the answer.
    pub(super) async fn ask(
        &self,
        client: &Client,
        settings: &ExplorerSettings,
        game: &Game,
    ) -> Result<Arc<[BookMove]>, Error> {
        let query = query(settings, game);
        let answer = client.explore(&settings.url, &query, settings.timeout);
        let answer = match answer.await {
            Ok(answer) => answer,
            Err(error) => {
                let wait = error.retry_after().unwrap_or_default().max(PAUSE);
                self.lock().gate.close(Instant::now(), Some(wait));
                return Err(error);
            }
        };
        let moves: Arc<[BookMove]> = known_moves(&answer, game.position()).into();
        let mut state = self.lock();
        let key = key(game.position());
        if state.known.insert(key, Arc::clone(&moves)).is_none() {
            state.order.push_back(key);
        }
        if state.order.len() > REMEMBERED
            && let Some(oldest) = state.order.pop_front()
        {
            state.known.remove(&oldest);
        }
        drop(state);
        Ok(moves)
    }

    /// Every change is made at once, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn query(settings: &ExplorerSettings, game: &Game) -> ExplorerQuery {
    let start = game.start();
    let moves = game.positions().iter().zip(game.moves());
    ExplorerQuery {
        fen: if start.fen(FenStyle::Bracket) == START_FEN {
            String::new()
        } else {
            start.fen(FenStyle::Lichess)
        },
        play: moves
            .map(|(position, mv)| position.uci(*mv, CastlingStyle::KingTakesRook))
            .collect(),
        speeds: settings.speeds.clone(),
        ratings: settings.ratings.clone(),
    }
}
