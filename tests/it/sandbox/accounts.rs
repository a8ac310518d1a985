//! Accounts, tokens, and the event stream.

use super::{Caller, DEADLINE, answer, form, server, two_bots};
use pocketknight::sandbox::ServerOptions;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

#[tokio::test]
async fn an_account_is_known_by_its_token() {
    let server = server().await;
    let token = server.add_bot("OurBot");
    let caller = Caller::new(&server, &token);
    let response = caller.send(Method::GET, "/api/account", &[]).await;
    assert_eq!(
        response.headers()["x-oauth-scopes"],
        "bot:play, challenge:read, challenge:write"
    );
    let (status, account) = answer(response).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(account["id"], "ourbot");
    assert_eq!(account["username"], "OurBot");
    assert_eq!(account["title"], "BOT");
    assert_eq!(account["perfs"], json!({}));

    let tokens = format!("{token},lip_unknown");
    let response = caller
        .http
        .post(format!("{}/api/token/test", caller.base))
        .body(tokens);
    let (_, tested) = answer(response.send().await.unwrap()).await;
    assert_eq!(tested[&token]["userId"], "ourbot");
    assert_eq!(
        tested[&token]["scopes"],
        "bot:play,challenge:read,challenge:write"
    );
    assert_eq!(tested["lip_unknown"], Value::Null);
}

#[tokio::test]
async fn strangers_and_wrong_names_are_turned_away() {
    let server = server().await;
    let known = Caller::new(&server, &server.add_bot("OurBot"));
    let error = |text: &str| json!({ "error": text });
    let nobody = Caller {
        token: String::new(),
        ..known.clone()
    };
    let unauthorized = StatusCode::UNAUTHORIZED;
    assert_eq!(
        nobody.get("/api/account").await,
        (unauthorized, error("Missing authorization header"))
    );
    let stranger = Caller {
        token: "lip_no".into(),
        ..known.clone()
    };
    assert_eq!(
        stranger.get("/api/stream/event").await,
        (unauthorized, error("No such token"))
    );
    let other = Caller {
        agent: "foreign/1.0 user:SomeoneElse".into(),
        ..known.clone()
    };
    assert_eq!(other.get("/api/account").await.0, unauthorized);
    let same = Caller {
        agent: "foreign/1.0 user:OURBOT".into(),
        ..known.clone()
    };
    assert_eq!(same.get("/api/account").await.0, StatusCode::OK);
    let reader = Caller {
        token: server.add_token("OurBot", &["challenge:read"]),
        ..known.clone()
    };
    assert_eq!(
        reader.post("/api/bot/account/upgrade", &[]).await,
        (StatusCode::FORBIDDEN, error("Missing scope: bot:play"))
    );
    assert_eq!(
        known.get("/api/unknown").await,
        (StatusCode::NOT_FOUND, error("Not found"))
    );
}

#[tokio::test]
async fn an_account_becomes_a_bot_once_and_before_its_first_game() {
    let server = server().await;
    let human = Caller::new(&server, &server.add_human("Newcomer"));
    let (status, body) = human.get("/api/bot/game/stream/abcdefgh").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
    assert_eq!(
        human.post("/api/bot/account/upgrade", &[]).await.1,
        json!({"ok": true})
    );
    assert_eq!(human.get("/api/account").await.1["title"], "BOT");
    assert_eq!(
        human.get("/api/bot/game/stream/abcdefgh").await.0,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn running_games_and_waiting_challenges_come_again_on_a_new_event_stream() {
    let (server, [white, black], _, id) = two_bots(ServerOptions::default()).await;
    white.act(&id, "move/e2e4").await;
    let mut first = black.stream("/api/stream/event").await;
    let game = first.next().await.unwrap();
    assert_eq!(game["type"], "gameStart");
    assert_eq!(
        game["game"]["fen"],
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR/ b KQkq - 0 1"
    );
    assert_eq!(game["game"]["status"], json!({"id": 20, "name": "started"}));
    assert_eq!(game["game"]["opponent"]["username"], "BOT WhiteBot");
    assert_eq!(game["game"]["isMyTurn"], true);
    assert_eq!(game["game"]["lastMove"], "e2e4");
    let third = Caller::new(&server, &server.add_bot("ThirdBot"));
    let waiting = third.challenge("BlackBot", &form(&[])).await;
    assert_eq!(
        first.next_of("challenge").await["challenge"]["id"],
        waiting.as_str()
    );

    let mut second = black.stream("/api/stream/event").await;
    assert!(
        first.next().await.is_none(),
        "the older stream ends cleanly"
    );
    assert_eq!(second.next().await.unwrap()["type"], "gameStart");
    let again = second.next().await.unwrap();
    assert_eq!(again["challenge"]["id"], waiting.as_str());
    assert_eq!(again["compat"], Value::Null, "absent in the replay");

    let (_, playing) = black.get("/api/account/playing").await;
    assert_eq!(playing["nowPlaying"][0]["gameId"], id.as_str());
    assert_eq!(playing["nbMyTurn"], 1);
}

#[tokio::test]
async fn online_bots_are_those_with_an_event_stream() {
    let server = server().await;
    let caller = Caller::new(&server, &server.add_bot("OurBot"));
    let path = "/api/users/status?ids=ourbot,greedy,nobody";
    assert_eq!(
        caller.get(path).await.1[0],
        json!({"id": "ourbot", "name": "OurBot", "title": "BOT"})
    );
    let mut events = caller.stream("/api/stream/event").await;
    let mut list = caller.stream("/api/bot/online?nb=50").await;
    let mut names = Vec::new();
    while let Some(user) = list.next().await {
        names.push(user["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(names, ["greedy", "ourbot"]);
    caller.challenge("greedy", &form(&[])).await;
    events.next_of("gameStart").await;
    let (_, list) = caller.get(path).await;
    assert_eq!(list[0]["playing"], true);
    assert_eq!(list[1]["online"], true);
}

#[tokio::test]
async fn a_server_that_shuts_down_ends_its_streams() {
    let server = server().await;
    let caller = Caller::new(&server, &server.add_bot("OurBot"));
    let mut events = caller.stream("/api/stream/event").await;
    tokio::time::timeout(DEADLINE, server.shut_down())
        .await
        .unwrap();
    assert_eq!(events.next().await, None);
}
