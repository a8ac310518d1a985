//! When a draw is accepted and when one is offered: pure functions of the own scores, the standing and the settings.
//!
//! Repetition needs no word of ours: the server draws at the third occurrence, and the search knows that.

use super::standing::{Standing, in_a_row};
use crate::engine::Score;
use crate::settings::GameSettings;

/// Plies that the server wants between two offers of one side.
pub(super) const BETWEEN_OFFERS: u32 = 20;

/// Whether an offer of the opponent is accepted. `score` is that of our last search from our side, `None` before the
/// first one.
///
/// Accepts when the game is long enough and we are not better than the setting says, or when our time is nearly over
/// and no win is in sight. An opponent whose time is nearly over gets no draw. Being mated is reason enough, whatever
/// the ply; a game without a score of ours is never given away.
pub(super) fn accepts(score: Option<Score>, standing: &Standing, settings: &GameSettings) -> bool {
    let draw = &settings.draw;
    if !settings.accept_draw || !standing.is_opponent_meant(draw.humans, draw.bots, draw.min_rating)
    {
        return false;
    }
    match score {
        None => false,
        Some(Score::Mate(moves)) => moves <= 0,
        Some(Score::Cp(_)) if standing.is_opponent_flagging(settings.flagging_clock) => false,
        Some(Score::Cp(_)) if standing.are_we_flagging(draw.short_clock) => true,
        Some(Score::Cp(cp)) => {
            standing.ply >= settings.accept_draw_min_ply && cp <= settings.accept_draw_score_cp
        }
    }
}

/// Whether a draw is offered with the next move. `scores` are those of our last moves in a row, this one included,
/// the newest last.
pub(super) fn offers(scores: &[Score], standing: &Standing, settings: &GameSettings) -> bool {
    let draw = &settings.draw;
    let level = |score: Score| matches!(score, Score::Cp(cp) if (-draw.offer_score_cp..=draw.offer_score_cp).contains(&cp));
    draw.offer
        && standing.ply >= draw.offer_min_ply
        && standing.is_opponent_meant(draw.humans, draw.bots, draw.min_rating)
        && !standing.is_opponent_flagging(settings.flagging_clock)
        && in_a_row(scores, draw.offer_moves, level)
}

#[cfg(test)]
mod tests {
    use super::super::standing::tests::{standing, with_clocks};
    use super::*;
    use crate::settings::{DrawSettings, Settings};

    fn settings() -> GameSettings {
        let defaults = Settings::defaults().game;
        GameSettings {
            accept_draw: true,
            accept_draw_score_cp: -10,
            accept_draw_min_ply: 60,
            draw: DrawSettings {
                offer: true,
                offer_score_cp: 10,
                offer_moves: 3,
                offer_min_ply: 100,
                ..defaults.draw
            },
            ..defaults
        }
    }

    #[test]
    fn offers_are_judged_by_score_ply_and_setting() {
        let cases = [
            (None, 100, false),
            (Some(Score::Cp(-10)), 60, true),
            (Some(Score::Cp(-9)), 60, false),
            (Some(Score::Cp(-500)), 59, false),
            (Some(Score::Cp(-500)), 80, true),
            (Some(Score::Mate(3)), 80, false),
            (Some(Score::Mate(-3)), 20, true),
        ];
        let never = GameSettings {
            accept_draw: false,
            ..settings()
        };
        let not_to_humans = GameSettings {
            draw: DrawSettings {
                humans: false,
                ..settings().draw
            },
            ..settings()
        };
        for (score, ply, expected) in cases {
            let standing = Standing { ply, ..standing() };
            let what = (score, ply);
            assert_eq!(accepts(score, &standing, &settings()), expected, "{what:?}");
            assert!(!accepts(score, &standing, &never), "{what:?}");
            assert!(!accepts(score, &standing, &not_to_humans), "{what:?}");
        }
    }

    #[test]
    fn who_is_about_to_flag_decides() {
        let lost = Some(Score::Cp(-900));
        assert!(!accepts(lost, &with_clocks(60, 5, 0), &settings()));
        assert!(accepts(lost, &with_clocks(60, 5, 1), &settings()));
        assert!(accepts(
            Some(Score::Mate(-2)),
            &with_clocks(60, 5, 0),
            &settings()
        ));
        let better = Some(Score::Cp(400));
        assert!(accepts(better, &with_clocks(3, 30, 0), &settings()));
        assert!(!accepts(better, &with_clocks(3, 30, 1), &settings()));
        assert!(!accepts(
            Some(Score::Mate(2)),
            &with_clocks(3, 30, 0),
            &settings()
        ));
    }

    #[test]
    fn a_draw_is_offered_after_a_level_row_in_a_long_game() {
        let level = [Score::Cp(200), Score::Cp(-10), Score::Cp(10), Score::Cp(0)];
        assert!(offers(&level, &standing(), &settings()));
        assert!(!offers(&level[..3], &standing(), &settings()));
        let winning = [Score::Cp(0), Score::Cp(0), Score::Cp(11)];
        assert!(!offers(&winning, &standing(), &settings()));
        let mating = [Score::Cp(0), Score::Cp(0), Score::Mate(1)];
        assert!(!offers(&mating, &standing(), &settings()));
        let early = Standing {
            ply: 99,
            ..standing()
        };
        assert!(!offers(&level, &early, &settings()));
        assert!(!offers(&level, &with_clocks(60, 5, 0), &settings()));
        let off = GameSettings {
            draw: DrawSettings {
                offer: false,
                ..settings().draw
            },
            ..settings()
        };
        assert!(!offers(&level, &standing(), &off));
    }
}
