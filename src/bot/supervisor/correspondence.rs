//! Games without a clock, or with days for a move: they take no slot and hold no stream while the opponent thinks. The
//! list of running games tells when it is our turn; then the game is opened for a while.

use super::Supervisor;
use crate::lichess::model::{GameId, GameInfo, Speed};
use std::collections::HashSet;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
use tracing::{debug, info};

/// Whether a game is played by checking in on it.
pub(super) fn is_slow(info: &GameInfo) -> bool {
    info.speed == Speed::Correspondence
}

/// Book-keeping of these games. Pure; the time is passed in.
#[derive(Debug, Default)]
pub(super) struct SlowGames {
    /// All that are known, with the moment before which they are left alone.
    known: HashMap<GameId, (GameInfo, Instant)>,
    /// Those in which something is to be done, the most urgent first.
    due: VecDeque<GameId>,
    open: HashSet<GameId>,
}

impl SlowGames {
    /// The server describes a running game. `force`: it is looked at in any case, since it is over.
    fn hear(&mut self, info: &GameInfo, force: bool, now: Instant) {
        let id = info.game().clone();
        let entry = self
            .known
            .entry(id.clone())
            .or_insert_with(|| (info.clone(), now));
        entry.0 = info.clone();
        let wanted = force || (info.is_my_turn && now >= entry.1);
        if wanted && !self.open.contains(&id) && !self.due.contains(&id) {
            self.due.push_back(id);
        }
    }

    /// Games that the server does not list any more: they are over, which has to be recorded.
    fn vanished(&mut self, listed: &HashSet<GameId>) {
        for id in self.known.keys() {
            let gone = !listed.contains(id);
            if gone && !self.open.contains(id) && !self.due.contains(id) {
                self.due.push_back(id.clone());
            }
        }
    }

    /// Takes the next game to be opened while fewer than `most` are.
    fn next(&mut self, most: usize) -> Option<GameInfo> {
        while self.open.len() < most {
            let id = self.due.pop_front()?;
            if let Some((info, _)) = self.known.get(&id) {
                self.open.insert(id);
                return Some(info.clone());
            }
        }
        None
    }

    /// The task of a game has ended, and it is left alone for `pause`. False if it is none of these games.
    pub(super) fn park(&mut self, id: &GameId, pause: Duration, now: Instant) -> bool {
        if let Some((_, until)) = self.known.get_mut(id) {
            *until = now + pause;
        }
        self.open.remove(id)
    }

    /// The game is over, or not ours to play.
    pub(super) fn forget(&mut self, id: &GameId) {
        self.known.remove(id);
        self.open.remove(id);
        self.due.retain(|other| other != id);
    }

    pub(super) fn knows(&self, id: &GameId) -> bool {
        self.known.contains_key(id)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

impl Supervisor {
    /// A running game that is played by checking in.
    pub(super) fn on_slow_game(&mut self, info: &GameInfo) {
        // The accept took a slot, which is for games with a clock.
        self.slots.release(info.game());
        if !self.slow.knows(info.game()) {
            info!(game = %info.game(), opponent = info.opponent.username, "game without a clock, checked in on");
            // The list of games is looked at in time for it.
            let period = self.options.settings.game.correspondence.checkin_period;
            self.reconcile_at = self.reconcile_at.min(Instant::now() + period);
        }
        self.slow.hear(info, false, Instant::now());
        self.open_slow_games();
    }

    /// The event stream says that such a game is over.
    pub(super) fn on_slow_finish(&mut self, info: &GameInfo) {
        if self.slow.knows(info.game()) {
            self.slow.hear(info, true, Instant::now());
            self.open_slow_games();
        }
    }

    /// The server lists these games and no others.
    pub(super) fn on_slow_list(&mut self, listed: &HashSet<GameId>) {
        self.slow.vanished(listed);
        self.open_slow_games();
    }

    /// Opens the games in which something is to be done.
    pub(super) fn open_slow_games(&mut self) {
        let most = self.options.settings.game.correspondence.games_at_once;
        while !self.draining
            && let Some(info) = self.slow.next(most)
        {
            debug!(game = %info.game(), "checking in");
            self.start(&info);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const M: Duration = Duration::from_mins(1);

    fn info(id: &str, is_my_turn: bool) -> GameInfo {
        let json = format!(
            r#"{{"gameId":"{id}","speed":"correspondence","isMyTurn":{is_my_turn},"variant":{{"key":"crazyhouse"}}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn next(games: &mut SlowGames, most: usize) -> Option<String> {
        games.next(most).map(|info| info.game().to_string())
    }

    #[test]
    fn a_game_is_opened_on_our_turn_and_left_alone_after_our_move() {
        let (mut games, now) = (SlowGames::default(), Instant::now());
        games.hear(&info("a", false), false, now);
        assert_eq!(next(&mut games, 2), None);
        games.hear(&info("a", true), false, now);
        games.hear(&info("a", true), false, now);
        assert_eq!(next(&mut games, 2).as_deref(), Some("a"));
        games.hear(&info("a", true), false, now);
        assert_eq!(next(&mut games, 2), None, "it is open");
        assert!(games.park(&"a".into(), M, now));
        // A list that is older than our move.
        games.hear(&info("a", true), false, now + M / 2);
        assert_eq!(next(&mut games, 2), None);
        games.hear(&info("a", true), false, now + M);
        assert_eq!(next(&mut games, 2).as_deref(), Some("a"));
    }

    #[test]
    fn no_more_are_open_than_wanted() {
        let (mut games, now) = (SlowGames::default(), Instant::now());
        for id in ["a", "b"] {
            games.hear(&info(id, true), false, now);
        }
        assert_eq!(next(&mut games, 1).as_deref(), Some("a"));
        assert_eq!(next(&mut games, 1), None);
        games.forget(&"a".into());
        assert_eq!(next(&mut games, 1).as_deref(), Some("b"));
        assert!(!games.park(&"c".into(), M, now), "not one of these");
    }

    #[test]
    fn a_game_that_is_over_is_opened_once_more_to_be_recorded() {
        let (mut games, now) = (SlowGames::default(), Instant::now());
        games.hear(&info("a", false), false, now);
        games.hear(&info("b", false), false, now);
        games.vanished(&HashSet::from(["b".into()]));
        assert_eq!(next(&mut games, 2).as_deref(), Some("a"));
        games.forget(&"a".into());
        games.hear(&info("b", false), true, now);
        assert_eq!(next(&mut games, 2).as_deref(), Some("b"));
        games.forget(&"b".into());
        assert!(games.is_empty());
    }
}
