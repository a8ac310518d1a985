//! When a lost game is resigned: a pure function of the own scores, the standing and the settings.

use super::standing::{Standing, in_a_row};
use crate::engine::Score;
use crate::settings::GameSettings;

/// Whether to resign. `scores` are those of our last moves in a row, the newest last, from our side.
///
/// Off unless the owner wants it. An opponent who is about to lose on time is never resigned to.
pub(super) fn resigns(scores: &[Score], standing: &Standing, settings: &GameSettings) -> bool {
    let resign = &settings.resign;
    let Some(last) = scores.last() else {
        return false;
    };
    let meant = standing.is_opponent_meant(resign.humans, resign.bots, resign.min_rating);
    let possible = resign.enabled && meant && standing.ply >= resign.min_ply;
    if !possible || standing.is_opponent_flagging(settings.flagging_clock) {
        return false;
    }
    let mated =
        matches!(last, Score::Mate(moves) if *moves <= 0 && moves.unsigned_abs() <= resign.mate_in);
    let mated = mated && resign.mate_in > 0;
    mated
        || in_a_row(scores, resign.moves, |score| {
            score.as_cp() <= resign.score_cp
        })
}

#[cfg(test)]
mod tests {
    use super::super::standing::tests::{standing, with_clocks};
    use super::*;
    use crate::settings::{ResignSettings, Settings};

    fn settings(change: impl FnOnce(&mut ResignSettings)) -> GameSettings {
        let mut settings = Settings::defaults().game;
        settings.resign = ResignSettings {
            enabled: true,
            score_cp: -1000,
            moves: 2,
            mate_in: 3,
            ..settings.resign
        };
        change(&mut settings.resign);
        settings
    }

    const LOST: [Score; 2] = [Score::Cp(-1000), Score::Mate(-9)];

    #[test]
    fn nothing_is_resigned_by_default() {
        assert!(!resigns(&LOST, &standing(), &Settings::defaults().game));
    }

    #[test]
    fn a_row_of_bad_scores_or_a_near_mate_is_resigned() {
        let settings = settings(|_| {});
        assert!(resigns(&LOST, &standing(), &settings));
        assert!(!resigns(&[], &standing(), &settings));
        assert!(!resigns(&LOST[..1], &standing(), &settings));
        let better = [Score::Cp(-1000), Score::Cp(-999)];
        assert!(!resigns(&better, &standing(), &settings));
        assert!(resigns(&[Score::Mate(-3)], &standing(), &settings));
        assert!(!resigns(&[Score::Mate(-4)], &standing(), &settings));
        assert!(!resigns(&[Score::Mate(3)], &standing(), &settings));
    }

    #[test]
    fn mate_alone_can_be_no_reason() {
        let settings = settings(|resign| resign.mate_in = 0);
        assert!(!resigns(&[Score::Mate(-1)], &standing(), &settings));
        assert!(!resigns(&[Score::Mate(0)], &standing(), &settings));
    }

    #[test]
    fn nobody_is_resigned_to_who_may_not_win() {
        assert!(!resigns(&LOST, &with_clocks(60, 5, 0), &settings(|_| {})));
        assert!(resigns(&LOST, &with_clocks(60, 5, 2), &settings(|_| {})));
        for change in [
            |resign: &mut ResignSettings| resign.humans = false,
            |resign: &mut ResignSettings| resign.min_rating = 1501,
            |resign: &mut ResignSettings| resign.min_ply = 121,
        ] {
            assert!(!resigns(&LOST, &standing(), &settings(change)));
        }
    }
}
