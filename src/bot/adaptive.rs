//! A level of strength for each human that keeps the games close: it follows the results from game to game, and the
//! score within a game. Pure functions; the levels are kept in memory.

use super::record::{GameRecord, Verdict};
use crate::engine::Score;
use crate::settings::AdaptiveSettings;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Games in which the level still moves twice as far.
const SETTLING: u32 = 4;
/// Score at which the level of a game moves as far as it may, centipawns.
const FULL_SHIFT_CP: i32 = 600;
/// Opponents who are remembered; a stranger beyond them starts anew each time.
const MOST_OPPONENTS: usize = 20_000;

/// Level against one opponent.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(super) struct Level {
    /// On the scale of `engine::Strength`.
    pub elo: i32,
    /// Games that it comes from.
    pub games: u32,
}

impl Level {
    /// Level of the first game.
    pub(super) fn first(rating: Option<i32>, settings: &AdaptiveSettings) -> Self {
        let elo = rating.map_or(settings.start.cast_signed(), |rating| {
            rating.saturating_add(settings.offset)
        });
        Self {
            elo: within(elo, settings),
            games: 0,
        }
    }

    /// Level of the next game: lower after a win of ours, higher after a loss.
    pub(super) fn after(self, verdict: Verdict, settings: &AdaptiveSettings) -> Self {
        let step = settings.step.cast_signed();
        let step = if self.games < SETTLING {
            2 * step
        } else {
            step
        };
        let elo = match verdict {
            Verdict::Win => self.elo - step,
            Verdict::Loss => self.elo + step,
            Verdict::Draw => self.elo,
            Verdict::Aborted | Verdict::Unknown => return self,
        };
        Self {
            elo: within(elo, settings),
            games: self.games.saturating_add(1),
        }
    }

    /// Level of the next move: lower while we are winning, higher while we are losing. `score` is that of our last
    /// search, from our side.
    pub(super) fn now(self, score: Option<Score>, settings: &AdaptiveSettings) -> u32 {
        let cp = score.map_or(0, Score::as_cp);
        let cp = cp.clamp(-FULL_SHIFT_CP, FULL_SHIFT_CP);
        let shift = settings.in_game.cast_signed() * cp / FULL_SHIFT_CP;
        within(self.elo - shift, settings).unsigned_abs()
    }
}

fn within(elo: i32, settings: &AdaptiveSettings) -> i32 {
    elo.clamp(settings.min.cast_signed(), settings.max.cast_signed())
}

/// Levels by the lower-case names of the opponents.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
pub(super) struct Levels(HashMap<String, Level>);

impl Levels {
    /// Level for a game against `opponent`.
    pub(super) fn of(
        &self,
        opponent: &str,
        rating: Option<i32>,
        settings: &AdaptiveSettings,
    ) -> Level {
        let known = self.0.get(&opponent.to_lowercase()).copied();
        known.unwrap_or_else(|| Level::first(rating, settings))
    }

    /// Learns from a finished game.
    pub(super) fn learn(&mut self, record: &GameRecord, settings: &AdaptiveSettings) {
        let human = record.opponent_title.as_deref() != Some("BOT");
        if !settings.enabled || !human || record.plies < 2 {
            return;
        }
        let opponent = record.opponent.to_lowercase();
        if self.0.len() >= MOST_OPPONENTS && !self.0.contains_key(&opponent) {
            return;
        }
        let level = self.of(&opponent, record.opponent_rating, settings);
        self.0
            .insert(opponent, level.after(record.verdict, settings));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Strength;
    use crate::settings::{LEVELS, Settings};

    fn settings() -> AdaptiveSettings {
        AdaptiveSettings {
            enabled: true,
            start: 1200,
            offset: -100,
            min: 600,
            max: 2000,
            step: 50,
            in_game: 200,
        }
    }

    #[test]
    fn the_levels_of_the_settings_are_those_of_the_engine() {
        assert_eq!(LEVELS, Strength::LOWEST..=Strength::HIGHEST);
        assert!(!Settings::defaults().engine.adaptive.enabled);
    }

    #[test]
    fn the_first_level_follows_the_rating() {
        let first = |rating| Level::first(rating, &settings()).elo;
        assert_eq!(first(None), 1200);
        assert_eq!(first(Some(1500)), 1400);
        assert_eq!(first(Some(500)), 600);
        assert_eq!(first(Some(i32::MAX)), 2000);
    }

    #[test]
    fn a_player_who_wins_meets_a_stronger_bot_and_large_steps_come_first() {
        let mut level = Level::first(None, &settings());
        let mut levels = Vec::new();
        for verdict in [
            Verdict::Loss,
            Verdict::Loss,
            Verdict::Win,
            Verdict::Draw,
            Verdict::Aborted,
            Verdict::Loss,
        ] {
            level = level.after(verdict, &settings());
            levels.push(level.elo);
        }
        assert_eq!(levels, [1300, 1400, 1300, 1300, 1300, 1350]);
        for _ in 0..100 {
            level = level.after(Verdict::Loss, &settings());
        }
        assert_eq!(level.elo, 2000);
    }

    #[test]
    fn within_a_game_the_level_leans_against_the_score() {
        let level = Level {
            elo: 1200,
            games: 9,
        };
        let now = |score| level.now(score, &settings());
        assert_eq!(now(None), 1200);
        assert_eq!(now(Some(Score::Cp(300))), 1100);
        assert_eq!(now(Some(Score::Cp(-600))), 1400);
        assert_eq!(now(Some(Score::Cp(9000))), 1000);
        assert_eq!(now(Some(Score::Mate(-2))), 1400);
        let fixed = AdaptiveSettings {
            in_game: 0,
            ..settings()
        };
        assert_eq!(level.now(Some(Score::Cp(600)), &fixed), 1200);
    }
}
