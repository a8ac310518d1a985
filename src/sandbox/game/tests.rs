use super::*;
use crate::rules::{MoveList, Role};

fn terms() -> Terms {
    Terms {
        clock: Some(ClockTerms::of_seconds(60, 0)),
        with_bot: true,
        takebacks: true,
        rules: Vec::new(),
    }
}

/// Plays moves one second apart; panics when one is refused.
fn play_all(referee: &mut Referee, moves: &str, mut now: Instant) -> Instant {
    for uci in moves.split_whitespace() {
        now += Duration::from_secs(1);
        let color = referee.turn();
        referee
            .play(color, uci, None, now)
            .unwrap_or_else(|refusal| panic!("{uci}: {refusal}"));
    }
    now
}

fn played(moves: &str) -> (Referee, Instant) {
    let mut referee = Referee::new(terms());
    let now = play_all(&mut referee, moves, Instant::now());
    (referee, now)
}

#[test]
fn mate_ends_the_game_for_the_side_that_gave_it() {
    let (referee, _) = played("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(referee.status(), GameStatus::Mate);
    assert_eq!(referee.winner(), Some(Color::Black));
}

#[test]
fn castling_in_either_form_is_written_as_king_takes_rook() {
    for castling in ["e1g1", "e1h1"] {
        let (referee, _) = played(&format!("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 {castling}"));
        assert_eq!(referee.moves().last().unwrap(), "e1h1");
    }
}

#[test]
fn a_captured_piece_can_be_dropped_with_a_capital_letter_only() {
    let (mut referee, now) = played("e2e4 d7d5 e4d5 d8d5");
    assert_eq!(
        referee.play(Color::White, "p@d4", None, now),
        Err(Refusal::InvalidUci("p@d4".into()))
    );
    play_all(&mut referee, "P@d4 P@e6", now);
    assert_eq!(referee.moves().last().unwrap(), "P@e6");
}

#[test]
fn a_promotion_without_letter_becomes_a_queen() {
    let (referee, _) = played("h2h4 g7g5 h4g5 h7h6 g5h6 a7a6 h6h7 a6a5 h7g8");
    assert_eq!(referee.moves().last().unwrap(), "h7g8q");
}

#[test]
fn moves_out_of_turn_and_against_the_rules_are_refused_and_change_nothing() {
    let (mut referee, now) = played("e2e4");
    assert_eq!(
        referee.play(Color::White, "d2d4", None, now),
        Err(Refusal::NotYourTurn)
    );
    assert!(matches!(
        referee.play(Color::Black, "e7e4", None, now),
        Err(Refusal::IllegalMove(_))
    ));
    assert!(matches!(
        referee.play(Color::Black, "Q@e5", None, now),
        Err(Refusal::IllegalMove(_))
    ));
    assert_eq!(
        referee.play(Color::Black, "hello", None, now),
        Err(Refusal::InvalidUci("hello".into()))
    );
    assert_eq!(referee.moves(), ["e2e4"]);
    assert_eq!(referee.illegal_moves(Color::Black), 3);
    assert_eq!(referee.illegal_moves(Color::White), 0);
}

#[test]
fn a_late_move_is_answered_but_loses_on_time() {
    let (mut referee, now) = played("e2e4 e7e5");
    let late = now + Duration::from_mins(1);
    assert_eq!(
        referee.play(Color::White, "g1f3", None, late),
        Ok(vec![Notice::State])
    );
    assert_eq!(referee.status(), GameStatus::OutOfTime);
    assert_eq!(referee.winner(), Some(Color::Black));
    assert_eq!(referee.moves(), ["e2e4", "e7e5"]);
}

#[test]
fn the_flag_falls_after_the_grace_without_any_move() {
    let (mut referee, now) = played("e2e4 e7e5 g1f3");
    let grace = Duration::from_secs(1);
    assert!(
        referee
            .check_flag(now + Duration::from_mins(1), grace)
            .is_empty()
    );
    assert_eq!(
        referee.check_flag(now + Duration::from_secs(61), grace),
        [Notice::State]
    );
    assert_eq!(referee.winner(), Some(Color::White));
    assert!(
        referee
            .check_flag(now + Duration::from_secs(99), grace)
            .is_empty()
    );
}

#[test]
fn a_flag_that_falls_while_the_winner_offers_a_draw_is_a_draw() {
    let (mut referee, now) = played("e2e4 e7e5 g1f3");
    referee.draw(Color::White, true, now);
    referee.check_flag(now + Duration::from_secs(70), Duration::ZERO);
    assert_eq!(
        (referee.status(), referee.winner()),
        (GameStatus::OutOfTime, None)
    );
}

#[test]
fn nobody_is_flagged_before_both_have_moved() {
    let (mut referee, now) = played("e2e4");
    assert!(
        referee
            .check_flag(now + Duration::from_secs(9999), Duration::ZERO)
            .is_empty()
    );
}

#[test]
fn a_threefold_by_board_moves_is_claimed_in_games_of_bots_only() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    let (referee, _) = played(shuffle);
    assert_eq!(referee.status(), GameStatus::Draw);
    let mut humans = Referee::new(Terms {
        with_bot: false,
        ..terms()
    });
    let now = play_all(&mut humans, shuffle, Instant::now());
    assert_eq!(humans.status(), GameStatus::Started);
    assert_eq!(humans.draw(Color::Black, true, now), [Notice::State]);
    assert_eq!(humans.status(), GameStatus::Draw);
}

#[test]
fn fivefold_repetition_draws_even_between_humans() {
    let mut humans = Referee::new(Terms {
        with_bot: false,
        ..terms()
    });
    let round = "g1f3 g8f6 f3g1 f6g8 ";
    play_all(&mut humans, &round.repeat(4), Instant::now());
    assert_eq!(humans.status(), GameStatus::Draw);
}

#[test]
fn a_threefold_reached_by_a_drop_waits_for_the_next_move_on_the_board() {
    let endless = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 d2d3 g8f6 c1g5 c5f2 e1f2 f6g4 f2f1 d8g5 c4f7 e8d8 \
        f3g5 g4e3 f1e2 e3d1 e2d1 P@e2 d1c1 Q@f1 Q@e1 f1e1 h1e1 Q@f2 Q@h1 f2e1 h1e1 R@f1 \
        Q@h1 f1h1 e1h1 B@e3 B@d2 Q@f1 R@e1 f1h1 e1h1 Q@f1 Q@e1 f1h1 e1h1 R@f1 Q@e1 f1e1 \
        h1e1 Q@f1 R@h1 f1h1 e1h1 R@f1 Q@e1 f1h1 e1h1 Q@f1 R@e1 f1h1 e1h1 Q@f1 Q@e1";
    let (mut referee, now) = played(endless);
    assert_eq!(referee.status(), GameStatus::Started);
    play_all(&mut referee, "f1h1", now);
    assert_eq!(referee.status(), GameStatus::Draw);
}

#[test]
fn a_move_beyond_six_hundred_plies_draws_without_being_played() {
    let mut humans = Referee::new(Terms {
        clock: None,
        with_bot: false,
        ..terms()
    });
    let now = Instant::now();
    let mut rng = fastrand::Rng::with_seed(7);
    while humans.plies() <= MAX_PLIES {
        let uci = idle_move(&humans, &mut rng);
        humans.play(humans.turn(), &uci, None, now).unwrap();
        assert!(!humans.is_over(), "over at ply {}", humans.plies());
    }
    let uci = idle_move(&humans, &mut rng);
    assert_eq!(
        humans.play(humans.turn(), &uci, None, now),
        Ok(vec![Notice::State])
    );
    assert_eq!(
        (humans.status(), humans.plies()),
        (GameStatus::Draw, MAX_PLIES + 1)
    );
}

/// A knight move that takes nothing, gives no check and repeats no position for the fourth time.
fn idle_move(referee: &Referee, rng: &mut fastrand::Rng) -> String {
    let position = referee.game().position();
    let mut moves = MoveList::new();
    position.quiet_moves(&mut moves);
    let mut moves = moves.to_vec();
    rng.shuffle(&mut moves);
    let idle = moves.into_iter().find(|&m| {
        let mut game = referee.game().clone();
        game.push(m).unwrap();
        position.moved_piece(m).role == Role::Knight
            && !game.position().is_check()
            && game.repetitions() < 4
    });
    position.uci(
        idle.expect("some knight can move"),
        CastlingStyle::KingTakesRook,
    )
}

#[test]
fn a_game_can_be_aborted_before_two_plies_and_resigned_after() {
    let (mut early, now) = played("e2e4");
    assert_eq!(early.resign(Color::Black, now), Ok(vec![Notice::State]));
    assert_eq!(early.status(), GameStatus::Aborted);
    let (mut late, now) = played("e2e4 e7e5");
    assert_eq!(late.abort(now), Err(Refusal::NoAbort));
    assert_eq!(late.resign(Color::Black, now), Ok(vec![Notice::State]));
    assert_eq!(
        (late.status(), late.winner()),
        (GameStatus::Resign, Some(Color::White))
    );
    assert_eq!(late.resign(Color::White, now), Err(Refusal::NoResign));
}

#[test]
fn without_abort_a_game_cannot_be_left_before_two_plies() {
    let mut referee = Referee::new(Terms {
        rules: vec!["noAbort".into()],
        ..terms()
    });
    let now = Instant::now();
    assert_eq!(referee.abort(now), Err(Refusal::NoAbort));
    assert_eq!(referee.resign(Color::White, now), Err(Refusal::NoResign));
}

#[test]
fn a_draw_needs_an_offer_and_an_acceptance() {
    let (mut referee, now) = played("e2e4 e7e5");
    assert!(
        referee
            .draw(Color::White, true, now)
            .contains(&Notice::State)
    );
    assert!(referee.offers_draw(Color::White));
    assert!(
        referee.draw(Color::White, true, now).is_empty(),
        "a second offer is ignored"
    );
    referee.draw(Color::Black, true, now);
    assert_eq!(
        (referee.status(), referee.winner()),
        (GameStatus::Draw, None)
    );
}

#[test]
fn an_offer_outlives_the_own_move_and_dies_with_the_answer() {
    let (mut referee, now) = played("e2e4 e7e5");
    referee.play(Color::White, "g1f3", Some(true), now).unwrap();
    assert!(referee.offers_draw(Color::White));
    referee
        .play(Color::Black, "b8c6", Some(false), now)
        .unwrap();
    assert!(!referee.offers_draw(Color::White));
    assert!(
        referee.draw(Color::White, true, now).is_empty(),
        "twenty plies must pass"
    );
    assert!(!referee.offers_draw(Color::White));
}

#[test]
fn a_move_that_accepts_a_draw_is_not_played() {
    let (mut referee, now) = played("e2e4 e7e5 g1f3");
    referee.draw(Color::White, true, now);
    referee.play(Color::Black, "b8c6", Some(true), now).unwrap();
    assert_eq!(referee.status(), GameStatus::Draw);
    assert_eq!(referee.plies(), 3);
}

#[test]
fn no_draw_is_offered_before_two_plies_or_too_early_by_rule() {
    let (mut referee, now) = played("e2e4");
    assert!(referee.draw(Color::White, true, now).is_empty());
    let mut slow = Referee::new(Terms {
        rules: vec!["noEarlyDraw".into()],
        ..terms()
    });
    let now = play_all(&mut slow, "e2e4 e7e5 g1f3", now);
    assert!(slow.draw(Color::White, true, now).is_empty());
}

#[test]
fn a_takeback_of_the_side_that_just_moved_removes_one_ply_else_two() {
    let (mut referee, now) = played("e2e4 e7e5 g1f3");
    referee.takeback(Color::White, true, now);
    assert!(referee.proposes_takeback(Color::White));
    referee.takeback(Color::Black, true, now);
    assert_eq!(referee.moves(), ["e2e4", "e7e5"]);
    let (mut referee, now) = played("e2e4 e7e5 g1f3");
    referee.takeback(Color::Black, true, now);
    referee.takeback(Color::White, true, now);
    assert_eq!(referee.moves(), ["e2e4"]);
    assert_eq!(referee.turn(), Color::Black);
}

#[test]
fn a_takeback_is_declined_by_word_or_by_a_move() {
    let (mut referee, now) = played("e2e4 e7e5 g1f3");
    referee.takeback(Color::White, true, now);
    referee.takeback(Color::Black, false, now);
    assert!(!referee.proposes_takeback(Color::White));
    referee.takeback(Color::White, true, now);
    referee.play(Color::Black, "b8c6", None, now).unwrap();
    assert!(!referee.proposes_takeback(Color::White));
    assert_eq!(referee.plies(), 4);
}

#[test]
fn takebacks_do_nothing_when_a_side_does_not_allow_them() {
    let mut referee = Referee::new(Terms {
        takebacks: false,
        ..terms()
    });
    let now = play_all(&mut referee, "e2e4 e7e5", Instant::now());
    assert!(referee.takeback(Color::White, true, now).is_empty());
    assert!(!referee.proposes_takeback(Color::White));
}

#[test]
fn the_win_can_be_claimed_only_against_an_absent_side_to_move() {
    let (mut referee, now) = played("e2e4 e7e5 g1f3");
    let win = Claim::Win;
    assert_eq!(
        referee.claim(Color::Black, win, true, now),
        Ok(vec![]),
        "own turn: a no-op"
    );
    assert_eq!(
        referee.claim(Color::White, win, false, now),
        Err(Refusal::NoWinClaim)
    );
    assert_eq!(
        referee.claim(Color::White, win, true, now),
        Ok(vec![Notice::State])
    );
    assert_eq!(
        (referee.status(), referee.winner()),
        (GameStatus::Timeout, Some(Color::White))
    );
}
