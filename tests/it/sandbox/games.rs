//! Games: streams, moves, offers, clocks, and their end.

use super::{Caller, answer, form, play_game, server, two_bots};
use pocketknight::sandbox::ServerOptions;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_scripted_opponent_accepts_and_the_game_is_played_to_its_end() {
    let server = server().await;
    let caller = Caller::new(&server, &server.add_bot("OurBot"));
    let mut events = caller.stream("/api/stream/event").await;
    for (seed, color) in [(1, "white"), (2, "black")] {
        let id = caller
            .challenge("greedy", &form(&[("color", color), ("rated", "true")]))
            .await;
        let start = events.next_of("gameStart").await;
        assert_eq!(start["game"]["gameId"], id.as_str());
        assert_eq!(start["game"]["color"], color);
        let state = play_game(caller.clone(), id.clone(), seed).await;
        let finish = events.next_of("gameFinish").await;
        assert_eq!(finish["game"]["winner"], state["winner"]);
        assert!(finish["game"]["ratingDiff"].is_i64(), "{finish}");

        let (_, game) = {
            let url = format!("{}/game/export/{id}", caller.base);
            let request = caller.http.get(url).header("Accept", "application/json");
            answer(request.send().await.unwrap()).await
        };
        assert_eq!(game["status"], state["status"]);
        let pgn = caller
            .send(Method::GET, &format!("/game/export/{id}"), &[])
            .await;
        let pgn = pgn.text().await.unwrap();
        assert!(pgn.contains("[Variant \"Crazyhouse\"]"), "{pgn}");
        assert!(pgn.contains("[Event \"Rated Crazyhouse game\"]"), "{pgn}");
    }
    assert_eq!(
        caller.get("/api/account").await.1["perfs"]["crazyhouse"]["games"],
        2
    );
}

#[tokio::test]
async fn the_first_line_of_a_game_stream_describes_the_game() {
    let (_server, [white, _], _, id) = two_bots(ServerOptions::default()).await;
    let other_agent = Caller {
        agent: "second/1.0".into(),
        ..white
    };
    let mut lines = other_agent
        .stream(&format!("/api/bot/game/stream/{id}"))
        .await;
    let mut full = lines.next().await.unwrap();
    assert!(full["createdAt"].take().is_i64());
    let player = |name: &str| {
        json!({"id": name.to_lowercase(), "name": name, "title": "BOT", "rating": 2000,
               "provisional": true})
    };
    assert_eq!(
        full,
        json!({
            "type": "gameFull", "id": id, "createdAt": null,
            "variant": {"key": "crazyhouse", "name": "Crazyhouse", "short": "Crazy"},
            "speed": "bullet", "perf": {"name": "Crazyhouse"}, "rated": false,
            "white": player("WhiteBot"), "black": player("BlackBot"), "initialFen": "startpos",
            "clock": {"initial": 60000, "increment": 1000},
            "state": {"type": "gameState", "moves": "", "wtime": 60000, "btime": 60000,
                      "winc": 1000, "binc": 1000, "status": "started"}
        })
    );
}

#[tokio::test]
async fn refused_moves_say_why_and_change_nothing() {
    let (_server, [white, black], _, id) = two_bots(ServerOptions::default()).await;
    let bad = StatusCode::BAD_REQUEST;
    let not_yours = json!({"error": "Not your turn, or game already over"});
    assert_eq!(black.act(&id, "move/e7e5").await, (bad, not_yours));
    assert_eq!(
        white.act(&id, "move/p@e4").await,
        (bad, json!({"error": "Invalid UCI: p@e4"}))
    );
    for illegal in ["e2e5", "N@e4", "e1g1"] {
        assert_eq!(
            white.act(&id, &format!("move/{illegal}")).await.0,
            bad,
            "{illegal}"
        );
    }
    assert_eq!(
        white.act(&id, "draw/perhaps").await.0,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        white.act("abcdefgh", "resign").await.1,
        json!({"error": "No such game"})
    );
    assert_eq!(white.act(&id, "move/e2e4").await.0, StatusCode::OK);
    assert_eq!(
        white.act(&id, "claim-victory").await.0,
        StatusCode::OK,
        "a no-op"
    );
}

#[tokio::test]
async fn takebacks_and_draws_go_through_the_stream() {
    let (_server, [white, black], [_, mut lines], id) = two_bots(ServerOptions::default()).await;
    for (caller, uci) in [(&white, "e2e4"), (&black, "e7e5"), (&white, "g1f3")] {
        caller.act(&id, &format!("move/{uci}")).await;
        lines.next_of("gameState").await;
    }
    white.act(&id, "takeback/yes").await;
    assert_eq!(lines.next_of("gameState").await["wtakeback"], true);
    black.act(&id, "takeback/yes").await;
    let state = lines.next_of("gameState").await;
    assert_eq!(
        (&state["moves"], &state["wtakeback"]),
        (&json!("e2e4 e7e5"), &Value::Null)
    );
    white.act(&id, "move/d2d4?offeringDraw=true").await;
    assert_eq!(lines.next_of("gameState").await["wdraw"], true);
    assert_eq!(lines.next_of("gameState").await["moves"], "e2e4 e7e5 d2d4");
    black.act(&id, "draw/yes").await;
    let last = lines.next_of("gameState").await;
    assert_eq!(
        (&last["status"], &last["winner"]),
        (&json!("draw"), &Value::Null)
    );
    assert_eq!(lines.next().await, None);
}

#[tokio::test]
async fn chat_is_echoed_kept_and_limited() {
    let (_server, [white, black], [mut own, mut other], id) =
        two_bots(ServerOptions::default()).await;
    let path = format!("/api/bot/game/{id}/chat");
    let line = [("room", "player"), ("text", "good luck")];
    assert_eq!(white.post(&path, &line).await.0, StatusCode::OK);
    let expected = json!({"type": "chatLine", "room": "player", "username": "WhiteBot",
                          "text": "good luck"});
    assert_eq!(own.next_of("chatLine").await, expected);
    assert_eq!(other.next_of("chatLine").await, expected);
    let (_, kept) = black.get(&path).await;
    assert_eq!(kept, json!([{"text": "good luck", "user": "WhiteBot"}]));
    let long = "x".repeat(141);
    for (room, text) in [
        ("player", ""),
        ("player", long.as_str()),
        ("kitchen", "hello"),
    ] {
        let status = white.post(&path, &[("room", room), ("text", text)]).await.0;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{room} {text}");
    }
}

#[tokio::test]
async fn a_side_that_does_not_move_loses_on_time() {
    let server = server().await;
    let [white, black] =
        ["WhiteBot", "BlackBot"].map(|name| Caller::new(&server, &server.add_bot(name)));
    // 0+1 starts with three seconds.
    let form = [
        ("variant", "crazyhouse"),
        ("clock.limit", "0"),
        ("clock.increment", "1"),
        ("color", "white"),
    ];
    let id = white.challenge("blackbot", &form).await;
    black
        .post(&format!("/api/challenge/{id}/accept"), &[])
        .await;
    let mut lines = black.stream(&format!("/api/bot/game/stream/{id}")).await;
    assert_eq!(lines.next_of("gameFull").await["state"]["wtime"], 3000);
    white.act(&id, "move/e2e4").await;
    black.act(&id, "move/e7e5").await;
    let mut last = Value::Null;
    while let Some(line) = lines.next().await {
        last = line;
    }
    assert_eq!(last["status"], "outoftime");
    assert_eq!(last["winner"], "black");
    assert_eq!(last["wtime"], 0);
    assert_eq!(last["btime"], 3000);
}

#[tokio::test]
async fn the_win_is_claimed_against_an_opponent_who_left() {
    let options = ServerOptions {
        countdown: Some(Duration::ZERO),
        ..ServerOptions::default()
    };
    let (_server, [white, black], [mut lines, gone], id) = two_bots(options).await;
    white.act(&id, "move/e2e4").await;
    black.act(&id, "move/e7e5").await;
    white.act(&id, "move/g1f3").await;
    let refused = white.act(&id, "claim-victory").await;
    assert_eq!(
        refused.1,
        json!({"error": "You cannot claim the win on this game"})
    );
    drop(gone);
    let line = lines.next_of("opponentGone").await;
    assert_eq!(
        line,
        json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": 0})
    );
    assert_eq!(white.act(&id, "claim-victory").await.0, StatusCode::OK);
    let last = lines.next_of("gameState").await;
    assert_eq!(
        (&last["status"], &last["winner"]),
        (&json!("timeout"), &json!("white"))
    );
}

#[tokio::test]
async fn an_unstarted_game_is_aborted_and_finished_games_give_one_line() {
    let (_server, [white, black], [mut lines, _], id) = two_bots(ServerOptions::default()).await;
    assert_eq!(white.act(&id, "resign").await.0, StatusCode::OK);
    assert_eq!(lines.next_of("gameState").await["status"], "aborted");
    assert_eq!(lines.next().await, None);
    assert_eq!(white.act(&id, "abort").await.0, StatusCode::BAD_REQUEST);
    let mut late = black.stream(&format!("/api/bot/game/stream/{id}")).await;
    assert_eq!(late.next().await.unwrap()["state"]["status"], "aborted");
    assert_eq!(late.next().await, None);
}

#[tokio::test]
async fn a_cut_stream_breaks_and_can_be_opened_again() {
    let (server, [white, _], [mut lines, _], id) = two_bots(ServerOptions::default()).await;
    assert_eq!(server.cut_game("WhiteBot", &id.as_str().into()), 1);
    assert!(lines.response.chunk().await.is_err());
    let mut again = white.stream(&format!("/api/bot/game/stream/{id}")).await;
    assert_eq!(again.next().await.unwrap()["type"], "gameFull");
}
