//! Challenges, slots, the event stream, and leaving.

use super::{Bot, DEADLINE, challenge, full, game_info, game_start, over, state};
use pocketknight::bot::{BotEvent, Error, Verdict};
use serde_json::{Value, json};

fn canceled(id: &str) -> Value {
    let mut event = challenge(id, "alice");
    event["type"] = json!("challengeCanceled");
    event["challenge"]["status"] = json!("canceled");
    event
}

#[tokio::test]
async fn a_challenge_becomes_a_game_that_is_played_and_recorded() {
    let mut bot = Bot::start(|_| {}).await;
    bot.events.line(&challenge("aaaaaaaa", "alice"));
    bot.expect("POST /api/challenge/aaaaaaaa/accept").await.ok();
    let game = bot.game("aaaaaaaa", "white", "").await;
    let first = bot.a_move("aaaaaaaa").await;
    let uci = first.tail().to_owned();
    first.ok();
    game.line(&state(&uci));
    game.line(&over(&uci, "resign", "white"));
    drop(game);
    let record = bot.finished().await;
    assert_eq!((record.verdict, record.plies), (Verdict::Win, 1));
    assert_eq!(record.opponent, "Alice");

    bot.draining.cancel();
    let summary = bot.ended().await.unwrap();
    assert_eq!((summary.finished, summary.wins, summary.left), (1, 1, 0));
    let results = std::fs::read_to_string(bot.dir.path().join("results.jsonl")).unwrap();
    let line: Value = serde_json::from_str(&results).unwrap();
    assert_eq!(
        (&line["id"], &line["moves"]),
        (&json!("aaaaaaaa"), &json!(uci))
    );
    let games = std::fs::read_dir(bot.dir.path().join("games")).unwrap();
    let pgns: Vec<_> = games.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(pgns.len(), 1, "{pgns:?}");
    let pgn = std::fs::read_to_string(&pgns[0]).unwrap();
    assert!(
        pgn.contains("[White \"OurBot\"]") && pgn.contains("1-0"),
        "{pgn}"
    );
}

#[tokio::test]
async fn unsuitable_challenges_are_declined_with_their_reason() {
    let mut bot = Bot::start(|settings| settings.challenge.human.rated = false).await;
    let mut standard = challenge("standard", "alice");
    standard["challenge"]["variant"] = json!({"key": "standard", "name": "Standard"});
    let mut rated = challenge("ratedone", "alice");
    rated["challenge"]["rated"] = json!(true);
    let mut fast = challenge("tooquick", "alice");
    fast["challenge"]["timeControl"] = json!({"type": "clock", "limit": 15, "increment": 0});
    let mut anonymous = challenge("nullnull", "alice");
    anonymous["challenge"]["challenger"] = Value::Null;
    anonymous["challenge"]["timeControl"] = json!({"type": "unlimited"});
    for (event, id, body) in [
        (standard, "standard", "reason=variant"),
        (rated, "ratedone", "reason=casual"),
        (fast, "tooquick", "reason=tooFast"),
        (anonymous, "nullnull", "reason=timeControl"),
    ] {
        bot.events.line(&event);
        let request = bot
            .expect(&format!("POST /api/challenge/{id}/decline"))
            .await;
        assert_eq!(request.body, body);
        request.ok();
    }
    bot.stopped().await;
}

#[tokio::test]
async fn own_challenges_are_not_answered() {
    let mut bot = Bot::start(|_| {}).await;
    let mut own = challenge("ownowned", "ourbot");
    own["challenge"]["destUser"] = json!({"id": "bob", "name": "Bob"});
    bot.events.line(&own);
    bot.events.line(&challenge("aaaaaaaa", "alice"));
    bot.expect("POST /api/challenge/aaaaaaaa/accept").await.ok();
    assert_eq!(bot.server.count("POST /api/challenge/ownowned"), 0);
    bot.stopped().await;
}

#[tokio::test]
async fn the_last_slot_is_given_once_and_two_challenges_wait_for_it() {
    let mut bot = Bot::start(|_| {}).await;
    for (id, from) in [
        ("first111", "a"),
        ("second22", "b"),
        ("third333", "c"),
        ("fourth44", "d"),
    ] {
        bot.events.line(&challenge(id, from));
    }
    let accept = bot.expect("POST /api/challenge/first111/accept").await;
    let decline = bot.expect("POST /api/challenge/fourth44/decline").await;
    assert_eq!(decline.body, "reason=later");
    decline.ok();
    assert_eq!(bot.server.count("POST /api/challenge/second22"), 0);
    // The challenger went away meanwhile: the next one gets the slot.
    accept.reply(404, r#"{"error":"Not found"}"#);
    bot.expect("POST /api/challenge/second22/accept").await.ok();
    bot.events.line(&canceled("third333"));
    // The game starts, ends, and nobody is left to be accepted.
    let game = bot.game("second22", "black", "").await;
    game.line(&over("", "aborted", "white"));
    bot.finished().await;
    bot.draining.cancel();
    bot.ended().await.unwrap();
    assert_eq!(bot.server.count("POST /api/challenge/third333"), 0);
}

#[tokio::test]
async fn an_accept_without_a_proper_answer_is_repeated_and_keeps_its_slot() {
    let mut bot = Bot::start(|_| {}).await;
    bot.events.line(&challenge("first111", "alice"));
    bot.events.line(&challenge("second22", "bob"));
    let accept = "POST /api/challenge/first111/accept";
    bot.expect(accept)
        .await
        .reply(502, "<html>bad gateway</html>");
    bot.expect(accept)
        .await
        .reply(404, r#"{"error":"Not found"}"#);
    // It had counted.
    let _game = bot.game("first111", "white", "").await;
    bot.a_move("first111").await.ok();
    assert_eq!(bot.server.count("POST /api/challenge/second22"), 0);
    bot.stopped().await;
}

#[tokio::test]
async fn a_slot_whose_game_never_starts_is_freed() {
    let mut bot = Bot::start(|settings| {
        settings.challenge.start_timeout = std::time::Duration::from_millis(100);
    })
    .await;
    bot.events.line(&challenge("first111", "alice"));
    bot.events.line(&challenge("second22", "bob"));
    bot.expect("POST /api/challenge/first111/accept").await.ok();
    bot.expect("POST /api/challenge/second22/accept").await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn one_opponent_gets_one_game_at_a_time_but_may_offer_a_rematch() {
    let mut bot = Bot::start(|settings| settings.challenge.concurrency = 3).await;
    let game = bot.game("aaaaaaaa", "black", "").await;
    bot.events.line(&challenge("bbbbbbbb", "alice"));
    let decline = bot.expect("POST /api/challenge/bbbbbbbb/decline").await;
    assert_eq!(decline.body, "reason=later");
    decline.ok();
    let mut rematch = challenge("cccccccc", "alice");
    rematch["challenge"]["rematchOf"] = json!("aaaaaaaa");
    bot.events.line(&rematch);
    bot.expect("POST /api/challenge/cccccccc/accept").await.ok();
    drop(game);
    bot.stopped().await;
}

#[tokio::test]
async fn a_game_announced_twice_is_opened_once() {
    let mut bot = Bot::start(|_| {}).await;
    bot.events.line(&game_start("aaaaaaaa", "white"));
    bot.events.line(&game_start("aaaaaaaa", "white"));
    let _game = bot.game("aaaaaaaa", "white", "").await;
    bot.a_move("aaaaaaaa").await.ok();
    assert_eq!(bot.server.count("GET /api/bot/game/stream/aaaaaaaa"), 1);
    bot.stopped().await;
}

#[tokio::test]
async fn games_of_other_variants_are_left_alone() {
    let mut bot = Bot::start(|_| {}).await;
    let mut atomic = game_start("atomic11", "white");
    atomic["game"]["variant"] = json!({"key": "atomic", "name": "Atomic"});
    let mut board = game_start("board111", "white");
    board["game"]["compat"] = json!({"bot": false, "board": true});
    bot.events.line(&atomic);
    bot.events.line(&board);
    let _game = bot.game("aaaaaaaa", "white", "").await;
    bot.a_move("aaaaaaaa").await.ok();
    for id in ["atomic11", "board111"] {
        assert_eq!(
            bot.server.count(&format!("GET /api/bot/game/stream/{id}")),
            0
        );
        assert_eq!(bot.server.count(&format!("POST /api/bot/game/{id}")), 0);
    }
    bot.stopped().await;
}

#[tokio::test]
async fn more_games_than_wanted_are_played_all_the_same() {
    let mut bot = Bot::start(|_| {}).await;
    let _first = bot.game("aaaaaaaa", "white", "").await;
    let _second = bot.game("bbbbbbbb", "white", "").await;
    bot.a_move("aaaaaaaa").await.ok();
    bot.a_move("bbbbbbbb").await.ok();
    assert_eq!(bot.stopped().await.left, 2);
}

#[tokio::test]
async fn a_game_that_only_the_list_of_running_games_knows_is_played() {
    let (mut bot, request) = Bot::connecting(|_| {}).await;
    let mut game = game_info("aaaaaaaa", "white");
    game.as_object_mut().unwrap().remove("compat");
    bot.server.set_playing(&[game]);
    bot.events = request.stream();
    let _game = bot.open("aaaaaaaa", "white", state("")).await;
    bot.a_move("aaaaaaaa").await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_waiting_challenge_that_is_not_repeated_after_a_reconnect_is_dropped() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game("aaaaaaaa", "black", "").await;
    bot.events.line(&challenge("gonegone", "bob"));
    bot.events.line(&challenge("stillthr", "carol"));
    // Answered in order, so the two before it wait by then.
    bot.events.line(&challenge("overflow", "dave"));
    bot.expect("POST /api/challenge/overflow/decline")
        .await
        .ok();
    bot.events = super::Stream::closed();
    bot.events = bot.expect("GET /api/stream/event").await.stream();
    bot.events.line(&game_start("aaaaaaaa", "black"));
    bot.events.line(&challenge("stillthr", "carol"));
    bot.events.keep_alive();
    // A third one finds a place in the queue only if the lost one has left it.
    bot.events.line(&challenge("newcomer", "erin"));
    bot.events.line(&challenge("toomany2", "frank"));
    bot.expect("POST /api/challenge/toomany2/decline")
        .await
        .ok();
    game.line(&over("", "aborted", "white"));
    bot.finished().await;
    bot.expect("POST /api/challenge/stillthr/accept")
        .await
        .reply(404, "{}");
    bot.expect("POST /api/challenge/newcomer/accept").await.ok();
    assert_eq!(bot.server.count("POST /api/challenge/gonegone"), 0);
    assert_eq!(bot.server.count("GET /api/bot/game/stream/aaaaaaaa"), 1);
    bot.stopped().await;
}

#[tokio::test]
async fn draining_declines_with_later_and_finishes_the_games() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game("aaaaaaaa", "black", "e2e4").await;
    bot.events.line(&challenge("waiting1", "bob"));
    let mv = bot.a_move("aaaaaaaa").await;
    let moves = format!("e2e4 {}", mv.tail());
    mv.ok();
    bot.draining.cancel();
    let decline = bot.expect("POST /api/challenge/waiting1/decline").await;
    assert_eq!(decline.body, "reason=later");
    decline.ok();
    bot.events.line(&challenge("latecome", "carol"));
    bot.expect("POST /api/challenge/latecome/decline")
        .await
        .ok();
    game.line(&state(&format!("{moves} a2a3")));
    let mv = bot.a_move("aaaaaaaa").await;
    let moves = format!("{moves} a2a3 {}", mv.tail());
    mv.ok();
    game.line(&over(&moves, "resign", "black"));
    let summary = bot.ended().await.unwrap();
    assert_eq!((summary.finished, summary.wins), (1, 1));
}

#[tokio::test]
async fn stopping_leaves_running_games_as_they_are() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game("aaaaaaaa", "white", "").await;
    let _unanswered = bot.a_move("aaaaaaaa").await;
    let summary = bot.stopped().await;
    assert_eq!((summary.finished, summary.left), (0, 1));
    for action in ["abort", "resign", "draw"] {
        assert_eq!(
            bot.server
                .count(&format!("POST /api/bot/game/aaaaaaaa/{action}")),
            0
        );
    }
}

#[tokio::test]
async fn a_refused_token_ends_the_bot() {
    let (mut bot, request) = Bot::connecting(|_| {}).await;
    request.reply(401, r#"{"error":"No such token"}"#);
    let error = bot.ended().await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
}

#[tokio::test]
async fn a_server_that_restarts_is_waited_for() {
    let (mut bot, request) = Bot::connecting(|_| {}).await;
    request.reply(502, "<html>bad gateway</html>");
    bot.expect("GET /api/stream/event").await.reply(503, "");
    bot.events = bot.expect("GET /api/stream/event").await.stream();
    bot.events.line(&challenge("aaaaaaaa", "alice"));
    bot.expect("POST /api/challenge/aaaaaaaa/accept").await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn progress_is_told_to_observers() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.expect_start("aaaaaaaa").await;
    let mv = bot.a_move("aaaaaaaa").await;
    let moves = format!("e2e4 {}", mv.tail());
    mv.ok();
    game.line(&over(&moves, "resign", "black"));
    let mut seen = Vec::new();
    loop {
        let event = tokio::time::timeout(DEADLINE, bot.observed.recv())
            .await
            .unwrap()
            .unwrap();
        match event {
            BotEvent::GameStarted { opponent, .. } => seen.push(format!("start {opponent}")),
            BotEvent::MovePlayed { ply, uci, .. } => seen.push(format!("{ply} {uci}")),
            BotEvent::GameFinished { record } => {
                seen.push(format!("end {}", record.verdict.word()));
                break;
            }
            BotEvent::Series(_) => {}
        }
    }
    let ours = moves.split(' ').next_back().unwrap();
    assert_eq!(
        seen,
        ["start Alice", "1 e2e4", &format!("2 {ours}"), "end win"]
    );
    bot.stopped().await;
}

impl Bot {
    /// Game as Black after 1. e4 whose stream begins with an odd mix of lines.
    async fn expect_start(&mut self, id: &str) -> super::Stream {
        self.events.line(&json!({"type": "newKind", "x": 1}));
        self.events.line(&game_start(id, "black"));
        let stream = self
            .expect(&format!("GET /api/bot/game/stream/{id}"))
            .await
            .stream();
        stream.keep_alive();
        stream.line(
            &json!({"type": "chatLine", "room": "player", "username": "lichess", "text": ""}),
        );
        stream.line(&json!({"odd": true}));
        stream.line(&full(id, "black", state("e2e4")));
        stream
    }
}
