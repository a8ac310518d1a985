//! Whether a draw offer is accepted: a pure function of the last own score and the settings.

use crate::engine::Score;
use crate::settings::GameSettings;

/// What is known when an offer is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DrawFacts {
    /// Score of our last search, from our side; `None` before the first one.
    pub score: Option<Score>,
    /// Plies played.
    pub ply: u32,
}

/// Accepts when the game is long enough and we are not better than the setting says. Being mated is reason enough,
/// whatever the ply; a game without a score of ours is never given away.
pub(super) fn accepts(facts: DrawFacts, settings: &GameSettings) -> bool {
    if !settings.accept_draw {
        return false;
    }
    match facts.score {
        None => false,
        Some(Score::Mate(moves)) => moves <= 0,
        Some(Score::Cp(cp)) => {
            facts.ply >= settings.accept_draw_min_ply && cp <= settings.accept_draw_score_cp
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn offers_are_judged_by_score_ply_and_setting() {
        let settings = GameSettings {
            accept_draw: true,
            accept_draw_score_cp: -10,
            accept_draw_min_ply: 60,
            ..Settings::defaults().game
        };
        let cases = [
            (None, 100, false),
            (Some(Score::Cp(-10)), 60, true),
            (Some(Score::Cp(-9)), 60, false),
            (Some(Score::Cp(-500)), 59, false),
            (Some(Score::Cp(-500)), 80, true),
            (Some(Score::Mate(3)), 80, false),
            (Some(Score::Mate(-3)), 20, true),
        ];
        for (score, ply, expected) in cases {
            let facts = DrawFacts { score, ply };
            assert_eq!(accepts(facts, &settings), expected, "{facts:?}");
            let never = GameSettings {
                accept_draw: false,
                ..settings.clone()
            };
            assert!(!accepts(facts, &never), "{facts:?}");
        }
    }
}
