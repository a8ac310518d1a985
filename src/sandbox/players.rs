//! Tasks of the scripted opponents: they answer challenges and play their games inside the server.

use super::hall::{Action, Errand, SharedHall};
use super::opponents::{Brain, Manner, Style};
use crate::engine::Engine;
use crate::lichess::model::{ChatRoom, GameId};
use crate::rules::{CastlingStyle, Color, Game};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Runs errands until the hall is gone. Dropping the future stops all games of scripted opponents.
pub(super) async fn run(
    hall: SharedHall,
    mut errands: mpsc::UnboundedReceiver<Errand>,
    engine: Engine,
    think_delay: Duration,
) {
    let mut tasks = JoinSet::new();
    loop {
        let errand = tokio::select! {
            errand = errands.recv() => errand,
            Some(ended) = tasks.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a scripted opponent stopped");
                }
                continue;
            }
        };
        match errand {
            Some(Errand::Answer(id)) => answer(&hall, &id),
            Some(Errand::Play(id, color)) => {
                let player = Player {
                    hall: hall.clone(),
                    id,
                    color,
                    think_delay,
                };
                tasks.spawn(player.play(engine.clone()));
            }
            None => break,
        }
    }
}

fn answer(hall: &SharedHall, id: &GameId) {
    let mut hall = hall.lock();
    let Some((user, answer)) = hall.scripted_answer(id) else {
        return;
    };
    let done = match answer {
        Ok(()) => hall.accept(&user, id, Instant::now()),
        Err(reason) => hall.decline(&user, id, reason),
    };
    if let Err(error) = done {
        tracing::debug!(%id, error = %error.body(), "a challenge was gone before its answer");
    }
}

struct Player {
    hall: SharedHall,
    id: GameId,
    color: Color,
    think_delay: Duration,
}

/// Plies between two draw offers that the server hears.
const BETWEEN_OFFERS: usize = 20;
/// Plies after which a player who leaves has left.
const LEAVES_AFTER: usize = 6;
/// Plies between two proposals of a takeback.
const BETWEEN_REGRETS: usize = 8;
/// What a player says who likes to.
const CHATTER: [&str; 8] = [
    "!help",
    "!eval",
    "hello",
    "!name",
    "!pv",
    "!nonsense",
    "!draw",
    "!",
];

/// What a scripted player sees when he looks at the board.
enum View {
    MyTurn(Game),
    Wait,
    Over,
}

impl Player {
    async fn play(self, engine: Engine) {
        let seated = {
            let hall = self.hall.lock();
            hall.table(&self.id).and_then(|table| {
                let style = table.seat(self.color).style?;
                Some((table.watch(), style, Brain::new(style, table.seed, &engine)))
            })
        };
        let Some((mut changes, style, mut brain)) = seated else {
            return;
        };
        loop {
            let manner = match style {
                Style::Mannered(manner) => Some(manner),
                _ => None,
            };
            self.answer_proposals(manner);
            let seen = changes.borrow_and_update().changes;
            let is_settled = match self.look() {
                View::Over => return,
                View::Wait => {
                    if let Some(plies) = self.plies() {
                        self.behave_while_waiting(manner, plies);
                    }
                    true
                }
                View::MyTurn(_) if manner == Some(Manner::Sleeper) => true,
                View::MyTurn(game)
                    if manner == Some(Manner::Leaver) && game.moves().len() >= LEAVES_AFTER =>
                {
                    self.hall.lock().leave(&self.id, self.color, Instant::now());
                    true
                }
                View::MyTurn(game) => {
                    self.behave_before_move(manner, game.moves().len());
                    tokio::time::sleep(self.think_delay).await;
                    let Some((back, uci)) = think(brain, game).await else {
                        return;
                    };
                    brain = back;
                    // If a takeback or the end of the game came between, he looks again.
                    changes.borrow().changes == seen && !self.make_move(uci)
                }
            };
            if is_settled && changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn look(&self) -> View {
        let hall = self.hall.lock();
        let Some(table) = hall.table(&self.id) else {
            return View::Over;
        };
        if table.referee.is_over() {
            View::Over
        } else if table.referee.turn() == self.color {
            View::MyTurn(table.referee.game().clone())
        } else {
            View::Wait
        }
    }

    fn plies(&self) -> Option<usize> {
        let hall = self.hall.lock();
        hall.table(&self.id).map(|table| table.referee.plies())
    }

    fn behave_before_move(&self, manner: Option<Manner>, plies: usize) {
        match manner {
            Some(Manner::Drawer) if plies % BETWEEN_OFFERS / 2 == 2 => {
                self.act(Action::Draw(true));
            }
            Some(Manner::Chatter) => self.act(Action::Chat {
                room: ChatRoom::Player,
                text: CHATTER[plies / 2 % CHATTER.len()].to_owned(),
            }),
            _ => {}
        }
    }

    fn behave_while_waiting(&self, manner: Option<Manner>, plies: usize) {
        if manner == Some(Manner::Regretter) && plies >= 2 && plies % BETWEEN_REGRETS < 2 {
            self.act(Action::Takeback(true));
        }
    }

    fn act(&self, action: Action) {
        let done = self
            .hall
            .lock()
            .act_as(self.color, &self.id, action, Instant::now());
        if let Err(error) = done {
            tracing::debug!(id = %self.id, error = %error.body(), "a scripted action was refused");
        }
    }

    /// Scripted players decline draws, unless they like them, and accept takebacks.
    fn answer_proposals(&self, manner: Option<Manner>) {
        let mut hall = self.hall.lock();
        let Some(referee) = hall.table(&self.id).map(|table| &table.referee) else {
            return;
        };
        let draw = referee
            .offers_draw(!self.color)
            .then_some(Action::Draw(manner == Some(Manner::Drawer)));
        let takeback = referee
            .proposes_takeback(!self.color)
            .then_some(Action::Takeback(true));
        for action in [draw, takeback].into_iter().flatten() {
            // Both always succeed; at worst nothing happens.
            drop(hall.act_as(self.color, &self.id, action, Instant::now()));
        }
    }

    /// Makes a move and says whether it was accepted.
    fn make_move(&self, uci: Option<String>) -> bool {
        let action = match uci {
            Some(uci) => Action::Move {
                uci,
                offering_draw: None,
            },
            None => Action::Resign,
        };
        let done = self
            .hall
            .lock()
            .act_as(self.color, &self.id, action, Instant::now());
        if let Err(error) = &done {
            tracing::debug!(id = %self.id, error = %error.body(), "a scripted move was refused");
        }
        done.is_ok()
    }
}

/// Chooses a move, off the network threads if it takes long. `None` when the choice failed.
async fn think(mut brain: Brain, game: Game) -> Option<(Brain, Option<String>)> {
    let is_slow = brain.is_slow();
    let choose = move || {
        let m = brain.choose(&game);
        let uci = m.map(|m| game.position().uci(m, CastlingStyle::KingTakesRook));
        (brain, uci)
    };
    if !is_slow {
        return Some(choose());
    }
    let choice = tokio::task::spawn_blocking(choose).await;
    choice
        .inspect_err(|error| tracing::error!(%error, "a scripted search failed"))
        .ok()
}
