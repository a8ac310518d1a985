use super::*;
use proptest::prelude::*;

const MS: Duration = Duration::from_millis(1);

/// A moment before `now`.
fn before(now: Instant) -> Instant {
    now.checked_sub(MS).unwrap()
}

fn mv(n: u16) -> Move {
    Move::from_bits(n)
}

/// A turn whose move 7 was posted and answered with `answer` at the returned instant.
fn after(answer: Posted) -> (Turn, Instant) {
    let (mut turn, now) = (Turn::new(), Instant::now());
    assert_eq!(turn.step(now, true, None), Step::Search);
    turn.searching();
    assert_eq!(turn.step(now, true, None), Step::Wait);
    let ticket = turn.posting(mv(7));
    assert!(turn.posted(ticket, answer, now));
    (turn, now)
}

#[test]
fn a_search_is_owed_only_when_it_is_our_turn_and_nothing_is_under_way() {
    let (mut turn, now) = (Turn::new(), Instant::now());
    assert_eq!(turn.step(now, false, None), Step::Wait);
    assert_eq!(turn.step(now, true, None), Step::Search);
    turn.searching();
    assert_eq!(turn.step(now, true, None), Step::Wait);
    turn.position_changed();
    assert_eq!(turn.step(now, true, None), Step::Search);
}

#[test]
fn an_accepted_move_waits_for_its_echo_and_then_asks() {
    let (mut turn, now) = after(Posted::Accepted);
    assert_eq!(turn.step(now + 100 * MS, true, Some(now + MS)), Step::Wait);
    assert_eq!(turn.deadline(), Some(now + ECHO));
    assert_eq!(turn.step(now + ECHO, true, None), Step::Reopen);
    assert_eq!(
        turn.step(now + ECHO + MS, true, None),
        Step::Wait,
        "asked once, not in a loop"
    );
    assert!(turn.confirmed(now + ECHO));
    assert_eq!(turn.step(now + ECHO + 50 * MS, true, None), Step::Search);
}

#[test]
fn a_full_state_asked_for_before_the_answer_proves_nothing() {
    let (mut turn, now) = after(Posted::Accepted);
    assert!(!turn.confirmed(before(now)));
    assert_eq!(turn.step(now + MS, true, None), Step::Wait);
    let (mut turn, now) = after(Posted::Unknown);
    turn.confirmed(before(now));
    assert_eq!(turn.step(now + MS, true, None), Step::Wait);
}

#[test]
fn a_move_of_unknown_fate_is_sent_again_only_after_a_look_at_the_list() {
    let (mut turn, now) = after(Posted::Unknown);
    assert_eq!(turn.step(now + 199 * MS, true, None), Step::Wait);
    assert_eq!(turn.step(now + 200 * MS, true, None), Step::Reopen);
    turn.confirmed(now + 200 * MS);
    assert_eq!(turn.step(now + 230 * MS, true, None), Step::Post(mv(7)));
    let ticket = turn.posting(mv(7));
    assert!(turn.posted(ticket, Posted::Unknown, now + 300 * MS));
    assert_eq!(
        turn.deadline(),
        Some(now + 800 * MS),
        "the second pause is longer"
    );
}

#[test]
fn a_sign_of_life_of_the_stream_is_look_enough() {
    let (mut turn, now) = after(Posted::Unknown);
    assert_eq!(
        turn.step(now + 200 * MS, true, Some(now + 150 * MS)),
        Step::Post(mv(7))
    );
    let (mut turn, now) = after(Posted::Unknown);
    assert_eq!(
        turn.step(now + 200 * MS, true, Some(before(now))),
        Step::Reopen
    );
}

#[test]
fn a_move_that_counted_is_not_sent_again() {
    let (mut turn, now) = after(Posted::Unknown);
    turn.position_changed();
    assert_eq!(turn.step(now + 300 * MS, false, None), Step::Wait);
    assert!(turn.is_idle());
    assert_eq!(turn.deadline(), None);
}

#[test]
fn a_rate_limited_move_waits_one_to_two_seconds() {
    let cases = [
        (None, 1000),
        (Some(Duration::from_millis(1500)), 1500),
        (Some(Duration::from_mins(1)), 2000),
        (Some(Duration::ZERO), 200),
    ];
    for (after_header, expected) in cases {
        let (mut turn, now) = after(Posted::RateLimited(after_header));
        assert_eq!(turn.deadline(), Some(now + expected * MS));
        assert_eq!(
            turn.step(now + expected * MS, true, None),
            Step::Post(mv(7))
        );
    }
}

#[test]
fn a_rejected_move_is_avoided_only_when_a_fresh_list_says_it_is_still_our_turn() {
    let (mut turn, now) = after(Posted::Rejected);
    assert_eq!(turn.step(now + MS, true, Some(now + MS)), Step::Wait);
    assert_eq!(
        turn.step(now + 200 * MS, true, Some(now + MS)),
        Step::Reopen
    );
    assert!(turn.refused().is_empty());
    turn.confirmed(now + 200 * MS);
    assert_eq!(turn.step(now + 250 * MS, true, None), Step::Search);
    assert_eq!(turn.refused(), [mv(7)]);
    turn.position_changed();
    assert!(turn.refused().is_empty());
}

#[test]
fn a_rejection_after_an_own_retry_that_counted_is_success() {
    let (mut turn, now) = after(Posted::Unknown);
    assert_eq!(
        turn.step(now + 200 * MS, true, Some(now + MS)),
        Step::Post(mv(7))
    );
    let ticket = turn.posting(mv(7));
    assert!(turn.posted(ticket, Posted::Rejected, now + 220 * MS));
    turn.position_changed();
    assert_eq!(turn.step(now + 230 * MS, false, None), Step::Wait);
    assert!(turn.refused().is_empty());
}

#[test]
fn three_refused_moves_in_one_position_end_in_resignation() {
    let (mut turn, mut now) = (Turn::new(), Instant::now());
    for n in 1..=3 {
        assert_eq!(turn.step(now, true, None), Step::Search);
        turn.searching();
        let ticket = turn.posting(mv(n));
        turn.posted(ticket, Posted::Rejected, now);
        now += 200 * MS;
        assert_eq!(turn.step(now, true, None), Step::Reopen);
        turn.confirmed(now);
    }
    assert_eq!(turn.step(now, true, None), Step::Resign);
}

#[test]
fn late_answers_of_an_earlier_position_are_ignored() {
    let (mut turn, now) = (Turn::new(), Instant::now());
    let old = turn.posting(mv(7));
    turn.position_changed();
    assert!(!turn.posted(old, Posted::Rejected, now));
    turn.searching();
    assert!(!turn.posted(old, Posted::Accepted, now));
    let new = turn.posting(mv(8));
    assert!(!turn.posted(old, Posted::Accepted, now));
    assert!(turn.posted(new, Posted::Accepted, now));
}

#[test]
fn an_accepted_takeback_holds_the_move_for_a_while() {
    let (mut turn, now) = (Turn::new(), Instant::now());
    turn.searching();
    assert!(!turn.is_committed());
    turn.yielded(now);
    assert_eq!(turn.step(now + MS, true, None), Step::Wait);
    assert_eq!(turn.deadline(), Some(now + TAKEBACK));
    assert_eq!(turn.step(now + TAKEBACK, true, None), Step::Search);
}

#[test]
fn a_move_that_never_left_is_sent_again_without_a_look() {
    let (mut turn, now) = after(Posted::Unsent);
    assert_eq!(turn.step(now + 199 * MS, true, None), Step::Wait);
    assert_eq!(turn.step(now + 200 * MS, true, None), Step::Post(mv(7)));
}

/// What may happen to a turn.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Found(u16),
    Answer(Posted),
    LateAnswer(Posted),
    Changed,
    Confirmed,
    Yielded,
    Later(u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    let posted = || {
        prop_oneof![
            Just(Posted::Accepted),
            Just(Posted::Rejected),
            Just(Posted::Unknown),
            Just(Posted::Unsent),
            proptest::option::of(0u64..100)
                .prop_map(|wait| Posted::RateLimited(wait.map(Duration::from_secs))),
        ]
    };
    prop_oneof![
        (1u16..6).prop_map(Happening::Found),
        posted().prop_map(Happening::Answer),
        posted().prop_map(Happening::LateAnswer),
        Just(Happening::Changed),
        Just(Happening::Confirmed),
        Just(Happening::Yielded),
        (0u64..4000).prop_map(Happening::Later),
    ]
}

proptest! {
    /// The owed-move invariant: on our turn something is under way, or a time is set to look again; and a move is
    /// never sent while another one of the same position is unanswered.
    #[test]
    fn on_our_turn_something_is_always_under_way(
        happenings in proptest::collection::vec(happening(), 1..60),
    ) {
        let (mut turn, mut now) = (Turn::new(), Instant::now());
        let (mut searching, mut flying) = (false, None);
        for happening in happenings {
            match happening {
                Happening::Found(n) if searching => {
                    searching = false;
                    flying = Some(turn.posting(mv(n)));
                }
                Happening::Answer(answer) => {
                    if let Some(ticket) = flying.take() {
                        turn.posted(ticket, answer, now);
                    }
                }
                Happening::LateAnswer(answer) => {
                    prop_assert!(!turn.posted(0, answer, now));
                }
                Happening::Changed => {
                    turn.position_changed();
                    (searching, flying) = (false, None);
                }
                Happening::Confirmed => {
                    turn.confirmed(now);
                }
                Happening::Yielded if searching => {
                    turn.yielded(now);
                    searching = false;
                }
                Happening::Later(ms) => now += Duration::from_millis(ms),
                Happening::Found(_) | Happening::Yielded => {}
            }
            match turn.step(now, true, None) {
                Step::Wait | Step::Reopen => {}
                Step::Search => {
                    prop_assert!(!searching && flying.is_none());
                    turn.searching();
                    searching = true;
                }
                Step::Post(mv) => {
                    prop_assert!(!searching && flying.is_none());
                    flying = Some(turn.posting(mv));
                }
                Step::Resign => return Ok(()),
            }
            prop_assert!(searching || flying.is_some() || turn.deadline().is_some());
        }
    }
}
