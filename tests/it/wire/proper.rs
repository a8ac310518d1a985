//! The sample lines, decoded to the last value.

use super::{APPENDIX, challenge, event, full, game, game_event, line, state};
use pocketknight::lichess::{
    ChatRoom, ClockSetup, Event, Expiration, GameEvent, GameState, GameStatus, Opponent, Side,
    Speed, TimeControl,
};

#[test]
fn a_challenge_of_a_human_decodes() {
    let Event::Challenge { challenge, compat } = event(line(0)) else {
        panic!("no challenge")
    };
    assert!(compat.is_some_and(|compat| compat.bot && compat.board));
    assert_eq!(challenge.id.as_str(), "Zh000001");
    assert_eq!(challenge.url, "https://lichess.org/Zh000001");
    assert_eq!(challenge.status, "created");
    let human = challenge.challenger.unwrap();
    assert_eq!((human.id.as_str(), human.name.as_str()), ("alice", "Alice"));
    assert_eq!(
        (human.rating, human.provisional, human.online),
        (Some(1834), true, true)
    );
    assert!(!human.is_bot());
    assert!(challenge.dest_user.unwrap().is_bot());
    assert_eq!(challenge.variant.key, "crazyhouse");
    assert!(!challenge.rated);
    assert_eq!(challenge.speed, Speed::Blitz);
    let clock = TimeControl::Clock {
        limit: 180,
        increment: 2,
        show: "3+2".to_owned(),
    };
    assert_eq!(challenge.time_control, clock);
    assert_eq!(
        (challenge.color.as_str(), challenge.final_color),
        ("random", Some(Side::White))
    );
    assert!(challenge.rules.is_empty() && challenge.rematch_of.is_none());
}

#[test]
fn an_anonymous_challenge_without_a_clock_decodes() {
    let Event::Challenge { challenge, compat } = event(line(1)) else {
        panic!("no challenge")
    };
    assert_eq!((compat, &challenge.challenger), (None, &None));
    assert_eq!(challenge.time_control, TimeControl::Unlimited);
    assert_eq!(challenge.speed, Speed::Correspondence);
    assert_eq!(challenge.rules, ["noAbort"]);
}

#[test]
fn a_declined_challenge_decodes() {
    assert!(matches!(event(line(2)), Event::ChallengeDeclined { .. }));
    let declined = challenge(line(2));
    assert_eq!(declined.decline_reason_key.as_deref(), Some("later"));
    assert_eq!(
        declined.decline_reason.as_deref(),
        Some("Some translated text")
    );
    assert!(declined.rated && declined.challenger.unwrap().is_bot());
    assert_eq!(declined.speed, Speed::Bullet);
}

#[test]
fn the_start_and_finish_of_a_game_decode() {
    assert!(matches!(event(line(3)), Event::GameStart { .. }));
    let start = game(line(3));
    assert_eq!(start.game().as_str(), "Zh000001");
    assert_eq!(
        (start.game_id.as_str(), start.id.as_str()),
        ("Zh000001", "Zh000001")
    );
    assert_eq!(
        start.fen,
        "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR/P b KQkq - 0 2"
    );
    assert_eq!(start.color, Some(Side::Black));
    assert_eq!(
        (start.last_move.as_str(), start.source.as_str()),
        ("e4d5", "friend")
    );
    assert_eq!(start.status.unwrap().name, GameStatus::Started);
    assert_eq!(
        (start.perf.as_str(), start.speed),
        ("crazyhouse", Speed::Blitz)
    );
    assert!(start.has_moved && start.is_my_turn && !start.rated);
    let alice = Opponent {
        id: Some("alice".to_owned()),
        username: "Alice".to_owned(),
        rating: Some(1834),
        ..Opponent::default()
    };
    assert_eq!(start.opponent, alice);
    assert_eq!((start.seconds_left, start.winner), (Some(178), None));
    assert!(start.compat.unwrap().bot);

    assert!(matches!(event(line(4)), Event::GameFinish { .. }));
    let finish = game(line(4));
    assert_eq!(finish.status.unwrap().name, GameStatus::Resign);
    assert_eq!(
        (finish.winner, finish.rating_diff),
        (Some(Side::Black), Some(5))
    );
    assert_eq!(finish.opponent.rating_diff, Some(-4));
}

#[test]
fn a_whole_game_decodes() {
    let full = full(line(5));
    assert_eq!(full.id.as_str(), "Zh000001");
    assert_eq!(
        (full.variant.key.as_str(), full.speed),
        ("crazyhouse", Speed::Blitz)
    );
    assert_eq!((full.created_at, full.rated), (1_780_000_000_000, false));
    assert_eq!(full.white.display_name(), "Alice");
    assert!(full.white.title.is_none() && full.white.provisional && !full.white.is_bot());
    assert!(full.black.is_bot());
    assert_eq!(full.initial_fen, "startpos");
    assert_eq!(
        full.clock,
        Some(ClockSetup {
            initial: 180_000,
            increment: 2000
        })
    );
    let start = GameState {
        wtime: 180_000,
        btime: 180_000,
        winc: 2000,
        binc: 2000,
        status: GameStatus::Started,
        ..GameState::default()
    };
    assert_eq!(full.state, start);
}

#[test]
fn states_of_a_game_decode() {
    let drops = state(line(6));
    assert_eq!(drops.moves, "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 P@d5 P@e4");
    assert_eq!(
        (drops.wtime, drops.btime, drops.winc, drops.binc),
        (176_540, 178_020, 2000, 2000)
    );
    assert!(!drops.status.is_over() && drops.winner.is_none());
    assert!(!(drops.wdraw || drops.bdraw || drops.wtakeback || drops.btakeback));

    let draw = state(line(7));
    assert!(draw.moves.ends_with(" e1h1") && draw.wdraw && !draw.bdraw);
    assert!(state(line(8)).wtakeback);
    let timer = Expiration {
        idle_millis: 1200,
        millis_to_move: 21_000,
    };
    assert_eq!(state(line(9)).expiration, Some(timer));

    let aborted = state(line(10));
    assert_eq!(
        (aborted.status, aborted.winner),
        (GameStatus::Aborted, None)
    );
    assert_eq!(
        (aborted.wtime, aborted.btime),
        (2_147_483_647, 2_147_483_647)
    );
    assert!(aborted.status.is_over());
    let mate = state(line(11));
    assert_eq!(
        (mate.status, mate.winner),
        (GameStatus::Mate, Some(Side::Black))
    );
}

#[test]
fn chat_and_absence_decode() {
    let GameEvent::ChatLine(chat) = game_event(line(12)) else {
        panic!("no chat")
    };
    assert_eq!(
        (chat.room, chat.username.as_str()),
        (ChatRoom::Player, "lichess")
    );
    assert_eq!(chat.text, "Takeback sent");
    let GameEvent::OpponentGone(gone) = game_event(line(13)) else {
        panic!("not gone")
    };
    assert_eq!((gone.gone, gone.claim_win_in_seconds), (true, Some(35)));
    let GameEvent::OpponentGone(back) = game_event(line(14)) else {
        panic!("not back")
    };
    assert_eq!((back.gone, back.claim_win_in_seconds), (false, None));
}

#[test]
fn what_we_write_reads_as_the_same() {
    for text in APPENDIX.lines().take(5) {
        let event = event(text);
        assert_eq!(serde_json::from_str::<Event>(&json(&event)).unwrap(), event);
    }
    for text in APPENDIX.lines().skip(5) {
        let event = game_event(text);
        assert_eq!(
            serde_json::from_str::<GameEvent>(&json(&event)).unwrap(),
            event
        );
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}
