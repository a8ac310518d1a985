//! Lines with something missing, null, unknown, or out of range.

use super::{APPENDIX, challenge, event, full, game, game_event, line, state};
use pocketknight::lichess::{
    Account, ChallengeClock, ChallengeRequest, ChatRoom, Event, GameEvent, Player, PlayingList,
    Side, Speed, TimeControl, TokenInfo,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A line of the appendix with one value replaced (or added) at a JSON pointer.
fn changed(number: usize, object: &str, key: &str, value: Value) -> String {
    let mut document: Value = serde_json::from_str(line(number)).unwrap();
    let object = document
        .pointer_mut(object)
        .unwrap()
        .as_object_mut()
        .unwrap();
    object.insert(key.to_owned(), value);
    document.to_string()
}

fn without(number: usize, object: &str, key: &str) -> String {
    let mut document: Value = serde_json::from_str(line(number)).unwrap();
    let object = document
        .pointer_mut(object)
        .unwrap()
        .as_object_mut()
        .unwrap();
    assert!(object.remove(key).is_some(), "no {key}");
    document.to_string()
}

#[test]
fn events_of_unknown_type_are_no_errors() {
    for text in [
        r#"{"type":"newThing"}"#,
        r#"{"type":"newThing","game":7,"a":[{}]}"#,
    ] {
        assert_eq!(event(text), Event::Unknown);
        assert_eq!(game_event(text), GameEvent::Unknown);
    }
}

#[test]
fn unknown_fields_are_ignored_everywhere() {
    for object in [
        "",
        "/challenge",
        "/challenge/challenger",
        "/challenge/variant",
    ] {
        challenge(&changed(0, object, "novelty", json!({"a": [1, null]})));
    }
    // This one is a clock with more in it than today.
    let text = changed(0, "/challenge/timeControl", "novelty", json!(1));
    assert!(matches!(
        challenge(&text).time_control,
        TimeControl::Clock { limit: 180, .. }
    ));
    for object in ["", "/state", "/white", "/clock"] {
        full(&changed(5, object, "novelty", json!("x")));
    }
}

/// Fields without which a line means nothing.
const NEEDED: &[&str] = &["type", "challenge", "game", "state"];

#[test]
fn any_other_field_may_be_null_or_absent() {
    for (number, text) in APPENDIX.lines().enumerate() {
        let document: Value = serde_json::from_str(text).unwrap();
        for object in [
            "",
            "/challenge",
            "/challenge/challenger",
            "/challenge/variant",
            "/game",
            "/game/opponent",
            "/game/status",
            "/state",
            "/white",
            "/clock",
            "/compat",
        ] {
            let Some(Value::Object(fields)) = document.pointer(object) else {
                continue;
            };
            for key in fields.keys().filter(|key| !NEEDED.contains(&key.as_str())) {
                // The same id comes twice in a game, so one may be missing; elsewhere it may not.
                if key == "id" && matches!(object, "" | "/challenge") {
                    continue;
                }
                for text in [
                    changed(number, object, key, Value::Null),
                    without(number, object, key),
                ] {
                    if number < 5 {
                        drop(event(&text));
                    } else {
                        drop(game_event(&text));
                    }
                }
            }
        }
    }
}

#[test]
fn lines_without_what_they_are_about_are_errors() {
    for text in [
        without(3, "", "game"),
        without(0, "", "challenge"),
        without(0, "/challenge", "id"),
        changed(3, "", "game", json!("Zh000001")),
        changed(3, "", "game", Value::Null),
        changed(3, "", "game", json!({"color": "white"})),
        changed(0, "", "challenge", json!([1])),
        without(0, "", "type"),
        r#"{"error":"Too many requests. Try again later."}"#.to_owned(),
    ] {
        assert!(serde_json::from_str::<Event>(&text).is_err(), "{text}");
    }
    for text in [
        without(5, "", "state"),
        changed(5, "", "state", json!("started")),
        changed(6, "", "moves", json!(["e2e4"])),
        changed(6, "", "wtime", json!("180000")),
        changed(6, "", "wtime", json!({"ms": 180000})),
    ] {
        assert!(serde_json::from_str::<GameEvent>(&text).is_err(), "{text}");
    }
}

#[test]
fn a_game_may_come_with_either_of_its_ids() {
    assert_eq!(
        game(&without(3, "/game", "gameId")).game().as_str(),
        "Zh000001"
    );
    assert_eq!(
        game(&changed(3, "/game", "gameId", Value::Null))
            .game()
            .as_str(),
        "Zh000001"
    );
    assert_eq!(game(&without(3, "/game", "id")).game().as_str(), "Zh000001");
}

#[test]
fn the_private_id_of_a_game_is_not_in_its_debug_form() {
    let game = game(line(3));
    assert_eq!(game.full_id, "Zh000001abcd");
    assert!(!format!("{game:?}").contains("abcd"));
}

#[test]
fn clocks_of_any_kind_leave_a_challenge_readable() {
    let clock = |value| challenge(&changed(0, "/challenge", "timeControl", value)).time_control;
    assert_eq!(
        clock(json!({"type": "correspondence", "daysPerTurn": 3})),
        TimeControl::Correspondence { days_per_turn: 3 }
    );
    assert_eq!(clock(json!({"type": "unlimited"})), TimeControl::Unlimited);
    for odd in [
        json!({"type": "hourglass", "sand": 9}),
        json!({"type": "clock"}),
        json!({"type": "clock", "limit": null, "increment": 2}),
        json!({"type": "clock", "limit": "3 minutes", "increment": 2}),
        json!({"limit": 180, "increment": 2}),
        json!("3+2"),
        json!([180, 2]),
        json!(null),
    ] {
        assert_eq!(clock(odd.clone()), TimeControl::Unknown, "{odd}");
    }
}

#[test]
fn numbers_of_any_size_are_brought_into_range() {
    let wtime = |text: &str| {
        state(&format!(
            r#"{{"type":"gameState","moves":"","wtime":{text},"btime":1}}"#
        ))
        .wtime
    };
    for (text, expected) in [
        ("0", 0),
        ("-50", -50),
        ("2147483647", 2_147_483_647),
        ("176540.0", 176_540),
        ("176540.9", 176_540),
        ("1.8e5", 180_000),
        ("9223372036854775807", i64::MAX),
        ("9223372036854775808", i64::MAX),
        ("18446744073709551616", i64::MAX),
        ("-99999999999999999999", i64::MIN),
        ("1e308", i64::MAX),
        ("null", 0),
    ] {
        assert_eq!(wtime(text), expected, "{text}");
    }
    let text = changed(0, "/challenge/challenger", "rating", json!(1e12));
    assert_eq!(challenge(&text).challenger.unwrap().rating, Some(i32::MAX));
    let text = changed(0, "/challenge/timeControl", "limit", json!(-180));
    assert!(matches!(
        challenge(&text).time_control,
        TimeControl::Clock { limit: 0, .. }
    ));
    let text = changed(5, "", "white", json!({"aiLevel": 300}));
    assert_eq!(full(&text).white.ai_level, Some(255));
}

#[test]
fn new_words_do_not_cost_the_line() {
    let text = changed(11, "", "status", json!("abandoned"));
    assert!(state(&text).status.is_over());
    assert_eq!(
        state(&changed(11, "", "winner", json!("green"))).winner,
        None
    );
    assert_eq!(
        game(&changed(3, "/game", "speed", json!("glacial"))).speed,
        Speed::Unknown
    );
    assert_eq!(
        game(&changed(3, "/game", "color", json!("green"))).color,
        None
    );
    assert_eq!(
        game(&changed(3, "/game", "status", json!("started"))).status,
        None
    );
    let text = changed(12, "", "room", json!("team"));
    assert!(
        matches!(game_event(&text), GameEvent::ChatLine(chat) if chat.room == ChatRoom::Spectator)
    );
}

#[test]
fn players_without_an_account_have_names() {
    let player = |value| full(&changed(5, "", "white", value)).white;
    assert_eq!(player(json!({})).display_name(), "Anonymous");
    assert_eq!(player(Value::Null), Player::default());
    let ai = player(json!({"aiLevel": 3}));
    assert_eq!(
        (ai.display_name().as_str(), ai.is_bot()),
        ("Stockfish level 3", true)
    );
    let text = changed(
        3,
        "/game",
        "opponent",
        json!({"id": null, "username": "Stockfish level 1", "ai": 1}),
    );
    assert_eq!(game(&text).opponent.ai, Some(1));
}

#[test]
fn accounts_decode_with_odd_ratings() {
    let account: Account = serde_json::from_value(json!({
        "id": "ourbot", "username": "OurBot", "title": "BOT",
        "perfs": {
            "crazyhouse": {"games": 3, "rating": 2000.5, "rd": null, "prog": -4, "prov": true},
            "storm": {"runs": 44, "score": 61},
            "novelty": "none",
        },
        "createdAt": 1, "profile": {"bio": "I play", "links": null}, "playTime": {"total": 0},
    }))
    .unwrap();
    assert!(account.is_bot() && !account.disabled);
    let crazyhouse = account.perfs["crazyhouse"];
    assert_eq!(
        (crazyhouse.games, crazyhouse.rating, crazyhouse.prov),
        (3, 2000, true)
    );
    assert!(account.perfs.contains_key("storm") && !account.perfs.contains_key("novelty"));
    let bare: Account = serde_json::from_value(json!({"id": "x", "perfs": null})).unwrap();
    assert!(bare.perfs.is_empty() && !bare.is_bot());
}

#[test]
fn scopes_of_a_token_are_whole_words() {
    let info = |scopes: &str| TokenInfo {
        scopes: scopes.to_owned(),
        ..TokenInfo::default()
    };
    assert!(info("challenge:read,bot:play").has_scope("bot:play"));
    assert!(!info("robot:play").has_scope("bot:play"));
    assert!(!info("").has_scope("bot:play"));
}

#[test]
fn running_games_decode_without_any() {
    for text in [
        "{}",
        r#"{"nowPlaying":null}"#,
        r#"{"nowPlaying":[],"nbMyTurn":0}"#,
    ] {
        assert!(
            serde_json::from_str::<PlayingList>(text)
                .unwrap()
                .now_playing
                .is_empty()
        );
    }
}

#[test]
fn challenges_to_make_become_forms() {
    let form = |clock, color| {
        let request = ChallengeRequest {
            clock,
            color,
            ..ChallengeRequest::default()
        };
        let fields = request.form().into_iter();
        fields
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join("&")
    };
    assert_eq!(
        form(ChallengeClock::Unlimited, None),
        "variant=crazyhouse&rated=false&color=random"
    );
    assert_eq!(
        form(
            ChallengeClock::RealTime {
                limit_s: 180,
                increment_s: 2
            },
            Some(Side::Black)
        ),
        "variant=crazyhouse&rated=false&color=black&clock.limit=180&clock.increment=2"
    );
    assert_eq!(
        form(
            ChallengeClock::Correspondence { days: 3 },
            Some(Side::White)
        ),
        "variant=crazyhouse&rated=false&color=white&days=3"
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z]{0,6}".prop_map(Value::from),
        Just(json!("gameState")),
        Just(json!("clock")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("type|id|limit|[a-z]{1,4}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_in_any_field_decodes_or_is_an_error(
        number in 0..15usize,
        field in any::<prop::sample::Index>(),
        value in any_json(),
    ) {
        let mut document: Value = serde_json::from_str(line(number)).unwrap();
        let Value::Object(fields) = &mut document else { panic!("no object") };
        let key = fields.keys().nth(field.index(fields.len())).unwrap().clone();
        fields.insert(key, value);
        let text = document.to_string();
        serde_json::from_str::<Event>(&text).ok();
        serde_json::from_str::<GameEvent>(&text).ok();
    }
}
