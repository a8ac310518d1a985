use super::*;

const HOUR: Duration = Duration::from_hours(1);

fn start() -> Timestamp {
    "2026-08-31T12:00:00Z".parse().unwrap()
}

fn at(hours: u64) -> Timestamp {
    after(start(), Duration::from_hours(hours))
}

#[test]
fn bot_games_count_for_a_day_and_each_only_once() {
    let mut state = State::default();
    for (hour, id) in [(0, "a"), (1, "b"), (1, "b"), (2, "c")] {
        state.note_bot_game(&id.into(), at(hour));
    }
    assert_eq!(state.bot_games(at(2)), 3);
    assert_eq!(state.bot_games_wait(4, at(2)), None);
    assert_eq!(state.bot_games_wait(3, at(2)), Some(22 * HOUR));
    assert_eq!(state.bot_games_wait(2, at(2)), Some(23 * HOUR));
    assert_eq!(state.bot_games_wait(0, at(100)), Some(DAY));
    assert_eq!(state.bot_games(at(24)), 2);
    assert_eq!(state.bot_games_wait(3, at(24)), None);
}

#[test]
fn a_block_of_the_server_outlasts_a_shorter_one() {
    let mut state = State::default();
    state.block_bot_games(5 * HOUR, start());
    state.block_bot_games(HOUR, start());
    assert_eq!(state.bot_games_wait(100, at(1)), Some(4 * HOUR));
    assert_eq!(state.bot_games_wait(100, at(5)), None);
}

#[test]
fn challenges_are_limited_by_the_minute_and_by_the_day() {
    let mut state = State::default();
    for _ in 0..4 {
        state.note_challenge(5, start());
    }
    let limits = [200, 25];
    assert_eq!(state.challenge_wait(5, limits, start()), None);
    assert_eq!(state.challenge_wait(6, limits, start()), Some(MINUTE));
    assert_eq!(
        state.challenge_wait(6, limits, after(start(), MINUTE)),
        None
    );
    assert_eq!(state.challenge_wait(1, [20, 25], at(1)), Some(23 * HOUR));
    state.block_challenges(12 * HOUR, at(1));
    assert_eq!(state.challenge_wait(1, limits, at(2)), Some(11 * HOUR));
}

#[test]
fn refusals_wait_twice_as_long_each_time_up_to_the_most() {
    let mut state = State::default();
    let waits = [1, 2, 4, 8, 10, 10].map(|hours| hours * HOUR);
    for expected in waits {
        let wait = state.note_refusal("bob", Topic::Blitz, [HOUR, 10 * HOUR], start());
        assert_eq!(wait, expected);
    }
    let bob = state.opponent("bob").unwrap();
    assert!(bob.is_resting(&[Topic::Casual, Topic::Blitz], at(9)));
    assert!(!bob.is_resting(&[Topic::Casual, Topic::Bullet], at(9)));
    assert!(!bob.is_resting(&[Topic::Blitz], at(10)));
    state.forgive("bob", start());
    assert!(
        !state
            .opponent("bob")
            .unwrap()
            .is_resting(&[Topic::Blitz], start())
    );
}

#[test]
fn a_capped_opponent_rests_whatever_is_offered() {
    let mut state = State::default();
    state.cap_opponent("bob", 2 * HOUR, start());
    let bob = state.opponent("bob").unwrap();
    assert!(bob.is_resting(&[], at(1)));
    assert!(!bob.is_resting(&[], at(2)));
}

#[test]
fn a_clock_that_was_wrong_blocks_nothing() {
    let mut state = State::default();
    let wrong: Timestamp = "2099-01-01T00:00:00Z".parse().unwrap();
    state.note_bot_game(&"a".into(), wrong);
    state.block_bot_games(HOUR, wrong);
    state.block_challenges(HOUR, wrong);
    state.note_refusal("bob", Topic::Any, [HOUR, HOUR], wrong);
    assert_eq!(state.bot_games_wait(1, start()), None);
    assert_eq!(state.challenge_wait(1, [200, 25], start()), None);
    assert!(
        !state
            .opponent("bob")
            .unwrap()
            .is_resting(&[Topic::Any], start())
    );
    state.block_bot_games(HOUR, start());
    assert_eq!(state.bot_games_wait(100, start()), Some(HOUR));
}

#[test]
fn the_opponents_of_long_ago_are_forgotten_first() {
    let mut state = State::default();
    for number in 0..=MOST_OPPONENTS {
        let now = after(start(), Duration::from_secs(number as u64));
        state.note_result(&format!("bot{number}"), Verdict::Win, now);
    }
    assert!(state.opponents.len() <= MOST_OPPONENTS);
    assert!(state.opponent("bot0").is_none());
    let last = format!("bot{MOST_OPPONENTS}");
    assert_eq!(state.opponent(&last).unwrap().wins, 1);
}

#[test]
fn accepted_challenges_count_while_they_are_recent() {
    let mut state = State::default();
    state.note_accepted("bob", at(0));
    state.note_accepted("bob", at(2));
    assert_eq!(state.recently_accepted("bob", 3 * HOUR, at(2)), 2);
    assert_eq!(state.recently_accepted("bob", HOUR, at(2)), 1);
    assert_eq!(state.recently_accepted("alice", HOUR, at(2)), 0);
}

#[tokio::test]
async fn the_state_is_there_again_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("new");
    let (store, writer) = open(&dir).await;
    let now = Timestamp::now();
    store.change(|state| {
        state.note_result("bob", Verdict::Draw, now);
        state.cap_opponent("bob", HOUR, now);
        state.note_refusal("bob", Topic::Rated, [HOUR, HOUR], now);
        state.note_bot_game(&"aaaaaaaa".into(), now);
        state.note_challenge(5, now);
    });
    let kept = store.read().clone();
    drop(store);
    writer.run().await;
    let (store, _writer) = open(&dir).await;
    assert_eq!(*store.read(), kept);
    let files: Vec<_> = std::fs::read_dir(&dir).unwrap().collect();
    assert_eq!(files.len(), 1, "no temporary file stays: {files:?}");
}

#[tokio::test]
async fn a_damaged_file_is_set_aside_and_a_new_one_begun() {
    for damaged in [
        "",
        "{\"version\":1,\"opp",
        "[]",
        "{\"version\":99}",
        "{\"version\":1,\"opponents\":3}",
        "\u{0}",
    ] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("state.json"), damaged).unwrap();
        let (store, writer) = open(dir.path()).await;
        assert_eq!(*store.read(), State::default());
        store.change(|state| state.note_challenge(1, start()));
        drop(store);
        writer.run().await;
        let names: Vec<String> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let aside = names
            .iter()
            .find(|name| name.starts_with("state.json.damaged-"))
            .unwrap();
        let kept = std::fs::read_to_string(dir.path().join(aside)).unwrap();
        assert_eq!(kept, damaged);
        assert!(names.contains(&"state.json".to_owned()));
    }
}
