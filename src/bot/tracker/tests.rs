use super::*;
use crate::rules::{CastlingStyle, FenStyle, MoveList};
use proptest::prelude::*;

const CASTLED: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1";

fn tracker(list: &str) -> Tracker {
    let mut tracker = Tracker::new("startpos").unwrap();
    tracker.apply(list).unwrap();
    tracker
}

fn fen(tracker: &Tracker) -> String {
    tracker.position().fen(FenStyle::Lichess)
}

#[test]
fn new_moves_extend_the_game() {
    let mut tracker = tracker("");
    assert_eq!(tracker.apply("").unwrap(), Change::Unchanged);
    assert_eq!(tracker.apply("e2e4").unwrap(), Change::Extended(1));
    assert_eq!(tracker.apply("e2e4").unwrap(), Change::Unchanged);
    assert_eq!(
        tracker.apply("e2e4 d7d5 e4d5 d8d5").unwrap(),
        Change::Extended(3)
    );
    assert_eq!(
        tracker
            .apply("e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 P@d5 P@e4")
            .unwrap(),
        Change::Extended(4)
    );
    assert_eq!(tracker.plies(), 8);
}

#[test]
fn a_takeback_shortens_the_game() {
    let mut tracker = tracker("e2e4 d7d5 e4d5");
    assert_eq!(tracker.apply("e2e4 d7d5").unwrap(), Change::Rebuilt(2));
    assert_eq!(fen(&tracker), fen(&self::tracker("e2e4 d7d5")));
    assert_eq!(tracker.apply("").unwrap(), Change::Rebuilt(0));
    assert_eq!(tracker.apply("d2d4").unwrap(), Change::Extended(1));
}

#[test]
fn another_line_of_the_same_length_rebuilds() {
    let mut tracker = tracker("e2e4 d7d5");
    assert_eq!(tracker.apply("e2e4 e7e5").unwrap(), Change::Rebuilt(1));
    assert_eq!(tracker.apply("e2e4 e7e6 d2d4").unwrap(), Change::Rebuilt(1));
}

#[test]
fn castling_is_read_in_both_forms_and_a_resync_in_the_other_form_changes_nothing() {
    let mut rook = tracker(CASTLED);
    let king = tracker(&CASTLED.replace("e1h1", "e1g1"));
    assert_eq!(fen(&rook), fen(&king));
    assert_eq!(
        rook.apply(&CASTLED.replace("e1h1", "e1g1")).unwrap(),
        Change::Unchanged
    );
    let more = format!("{CASTLED} g8f6");
    assert_eq!(rook.apply(&more).unwrap(), Change::Extended(1));
}

#[test]
fn a_move_that_only_starts_like_the_known_one_is_not_a_suffix() {
    let mut tracker = Tracker::new("8/P6k/8/8/8/8/8/K7/ w - - 0 1").unwrap();
    tracker.apply("a7a8n").unwrap();
    assert_eq!(tracker.apply("a7a8q").unwrap(), Change::Rebuilt(0));
    let mut tracker = Tracker::new("8/P6k/8/8/8/8/8/K7/ w - - 0 1").unwrap();
    assert!(tracker.apply("a7a8qq").is_err());
}

#[test]
fn blanks_do_not_matter() {
    let mut tracker = tracker("  e2e4   e7e5 ");
    assert_eq!(tracker.plies(), 2);
    assert_eq!(tracker.apply("e2e4 e7e5").unwrap(), Change::Unchanged);
}

#[test]
fn unplayable_moves_are_errors_that_leave_the_game_alone() {
    let mut tracker = tracker("e2e4 e7e5");
    let before = fen(&tracker);
    for list in [
        "e2e4 e7e5 e4e5",
        "e2e4 e7e5 g1f3 zz",
        "e2e4 e7e5 P@e6",
        "e2e5",
        "♔",
        "e2e4 e7e5x",
    ] {
        let error = tracker.apply(list).unwrap_err();
        assert!(matches!(error, Error::Move { .. }), "{list}: {error}");
        assert_eq!(fen(&tracker), before, "{list}");
        assert_eq!(tracker.plies(), 2, "{list}");
    }
    assert_eq!(
        tracker.apply("e2e4 e7e5 g1f3").unwrap(),
        Change::Extended(1)
    );
    let message = tracker
        .apply("e2e4 e7e5 g1f3 g1f3")
        .unwrap_err()
        .to_string();
    assert_eq!(message, "move 4 of the list, `g1f3`, cannot be played");
}

#[test]
fn an_unusable_start_position_is_an_error() {
    let error = Tracker::new("neither a fen nor a word").unwrap_err();
    assert!(matches!(error, Error::Start { .. }), "{error}");
}

/// Random legal game as texts of its moves, castling in a random form.
fn random_game(choices: &[u16]) -> Vec<String> {
    let mut position = Position::start(Variant::Crazyhouse);
    let mut texts = Vec::new();
    for choice in choices {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = moves[*choice as usize % moves.len()];
        let style = if choice & 1 == 0 {
            CastlingStyle::KingTakesRook
        } else {
            CastlingStyle::TwoSquares
        };
        texts.push(position.uci(mv, style));
        position = position.play(mv);
    }
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever lists come in whatever order, the position is that of the last list alone.
    #[test]
    fn any_sequence_of_lists_ends_like_the_last_one(
        choices in proptest::collection::vec(any::<u16>(), 0..60),
        other in proptest::collection::vec(any::<u16>(), 0..60),
        cuts in proptest::collection::vec((any::<bool>(), 0usize..61), 1..8),
    ) {
        let lines = [random_game(&choices), random_game(&other)];
        let mut tracker = Tracker::new("startpos").unwrap();
        for (which, cut) in cuts {
            let line = &lines[usize::from(which)];
            let list = line[..cut.min(line.len())].join(" ");
            let before = tracker.game().moves().to_vec();
            let change = tracker.apply(&list).unwrap();
            let fresh = self::tracker(&list);
            prop_assert_eq!(fen(&tracker), fen(&fresh));
            prop_assert_eq!(tracker.game().moves(), fresh.game().moves());
            match change {
                Change::Unchanged => prop_assert_eq!(&before, tracker.game().moves()),
                Change::Extended(n) => {
                    prop_assert!(tracker.game().moves().starts_with(&before));
                    prop_assert_eq!(tracker.plies(), before.len() + n);
                }
                Change::Rebuilt(n) => {
                    let moves = tracker.game().moves();
                    prop_assert!(n < before.len());
                    prop_assert_eq!(&moves[..n], &before[..n]);
                    prop_assert_ne!(moves.get(n), before.get(n));
                }
            }
        }
    }

    /// Garbage is an error or a legal game, never a panic.
    #[test]
    fn garbage_never_panics(list in "[a-h1-8@PNq ]{0,40}|\\PC{0,30}") {
        let mut tracker = Tracker::new("startpos").unwrap();
        tracker.apply(&list).ok();
    }
}
