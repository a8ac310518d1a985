//! The client against a scripted server over real sockets.

mod server;
mod streams;

use pocketknight::lichess::{
    ChallengeClock, ChallengeRequest, ChatRoom, Client, ClientOptions, DeclineReason, Error,
    GameId, Kind, MoveOutcome,
};
use server::{Reply, Server, TOKEN, full, ok};
use std::time::Duration;
use tokio::net::TcpListener;
use url::Url;

fn id() -> GameId {
    GameId::from("Zh000001")
}

#[tokio::test]
async fn requests_carry_token_and_name_and_posts_without_a_body_say_so() {
    let server = Server::start([ok(), ok()]).await;
    let client = server.client();
    client.accept_challenge(&id()).await.unwrap();
    let request = server.request();
    assert!(
        request.starts_with("POST /api/challenge/Zh000001/accept HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.contains(&format!("authorization: Bearer {TOKEN}\r\n")),
        "{request}"
    );
    assert_eq!(
        request.matches("content-length: 0\r\n").count(),
        1,
        "{request}"
    );
    assert!(!request.contains("transfer-encoding"), "{request}");
    assert!(request.contains("user-agent: pocketknight/"), "{request}");

    client
        .with_user("OurBot")
        .unwrap()
        .abort(&id())
        .await
        .unwrap();
    let request = server.request();
    assert!(
        request.starts_with("POST /api/bot/game/Zh000001/abort "),
        "{request}"
    );
    let agent = request
        .lines()
        .find(|line| line.starts_with("user-agent"))
        .unwrap();
    assert!(agent.ends_with(" user:OurBot"), "{agent}");
}

#[tokio::test]
async fn each_action_posts_to_its_path() {
    let server = Server::start(std::iter::repeat_n(ok(), 11)).await;
    let client = server.client();
    let id = id();
    client.resign(&id).await.unwrap();
    client.draw(&id, true).await.unwrap();
    client.draw(&id, false).await.unwrap();
    client.takeback(&id, true).await.unwrap();
    client.takeback(&id, false).await.unwrap();
    client.claim_victory(&id).await.unwrap();
    client.cancel_challenge(&id).await.unwrap();
    client.upgrade().await.unwrap();
    client
        .decline_challenge(&id, DeclineReason::TooFast)
        .await
        .unwrap();
    client
        .chat(&id, ChatRoom::Spectator, " gg & bye ")
        .await
        .unwrap();
    client.chat(&id, ChatRoom::Player, "  ").await.unwrap();
    let requests = server.requests();
    let seen: Vec<String> = requests
        .iter()
        .map(|request| {
            let path = request.split(' ').nth(1).unwrap();
            format!("{path} {}", request.split("\r\n\r\n").nth(1).unwrap())
        })
        .collect();
    assert_eq!(
        seen,
        [
            "/api/bot/game/Zh000001/resign ",
            "/api/bot/game/Zh000001/draw/yes ",
            "/api/bot/game/Zh000001/draw/no ",
            "/api/bot/game/Zh000001/takeback/yes ",
            "/api/bot/game/Zh000001/takeback/no ",
            "/api/bot/game/Zh000001/claim-victory ",
            "/api/challenge/Zh000001/cancel ",
            "/api/bot/account/upgrade ",
            "/api/challenge/Zh000001/decline reason=tooFast",
            "/api/bot/game/Zh000001/chat room=spectator&text=gg+%26+bye",
        ]
    );
    assert!(requests[8].contains("content-type: application/x-www-form-urlencoded"));
}

#[tokio::test]
async fn moves_keep_their_connection_and_offer_draws_only_when_told() {
    let server = Server::start([ok(), ok()]).await;
    let client = server.client();
    let played = client.make_move(&id(), "P@e4", false).await.unwrap();
    assert_eq!(played, MoveOutcome::Accepted);
    let request = server.request();
    assert!(
        request.starts_with("POST /api/bot/game/Zh000001/move/P@e4 HTTP"),
        "{request}"
    );
    assert!(request.contains("content-length: 0\r\n"), "{request}");
    client.make_move(&id(), "e1h1", true).await.unwrap();
    let request = server.request();
    let start = "POST /api/bot/game/Zh000001/move/e1h1?offeringDraw=true HTTP";
    assert!(request.starts_with(start), "{request}");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_refused_move_is_an_outcome_and_everything_uncertain_an_error() {
    let server = Server::start([
        full(
            "400 Bad Request",
            r#"{"error":"Not your turn, or game already over"}"#,
        ),
        full("429 Too Many Requests", "<html>slow down</html>"),
        full("502 Bad Gateway", ""),
        full("404 Not Found", r#"{"error":"No such game"}"#),
        Reply::Close(vec![]),
        Reply::Close(vec![
            b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"ok".to_vec(),
        ]),
    ])
    .await;
    let client = server.client();
    let outcome = client.make_move(&id(), "e2e4", false).await.unwrap();
    let reason = "Not your turn, or game already over".to_owned();
    assert_eq!(outcome, MoveOutcome::Rejected { reason });
    for kind in [
        Kind::RateLimited { retry_after: None },
        Kind::Server,
        Kind::NotFound,
        Kind::Transport,
    ] {
        let error = client.make_move(&id(), "e2e4", false).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.is_unsent(), "{error}");
    }
    // The status said it all.
    let outcome = client.make_move(&id(), "e2e4", false).await.unwrap();
    assert_eq!(outcome, MoveOutcome::Accepted);
    // Nothing was sent twice.
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_a_timeout() {
    let server = Server::start([
        Reply::Hold(vec![]),
        Reply::Hold(vec![]),
        Reply::Hold(vec![]),
        Reply::Hold(b"HTTP/1.1 500 Oops\r\nContent-Length: 9\r\n\r\nbad".to_vec()),
        Reply::Hold(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".to_vec()),
    ])
    .await;
    let client = server.hasty_client();
    let error = client.make_move(&id(), "e2e4", false).await.unwrap_err();
    assert_eq!((error.kind(), error.is_unsent()), (Kind::Timeout, false));
    let nervous = server.nervous_client(Duration::from_millis(100));
    let error = nervous.stream_events().await.unwrap_err();
    assert_eq!(error.kind(), Kind::Timeout);
    assert_eq!(client.account().await.unwrap_err().kind(), Kind::Timeout);
    // The status counts although the body never ends.
    assert_eq!(
        client.stream_game(&id()).await.unwrap_err().kind(),
        Kind::Server
    );
    assert_eq!(client.account().await.unwrap_err().kind(), Kind::Timeout);
}

#[tokio::test]
async fn a_request_that_never_left_is_known_to_be_unsent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url: Url = format!("http://{}", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    drop(listener);
    let client = Client::new(ClientOptions::new(url, None)).unwrap();
    let error = client.make_move(&id(), "e2e4", false).await.unwrap_err();
    assert_eq!((error.kind(), error.is_unsent()), (Kind::Transport, true));
    assert_eq!(
        error.to_string(),
        "POST /api/bot/game/{id}/move/{uci}: no answer"
    );
    for bad in ["", "..", "a/b", "a?b"] {
        let error = client.resign(&GameId::from(bad)).await.unwrap_err();
        assert!(
            matches!(error, Error::Segment { .. }) && error.is_unsent(),
            "{error}"
        );
    }
}

#[tokio::test]
async fn the_server_may_say_how_long_to_wait() {
    let server = Server::start([
        Reply::Then(
            b"HTTP/1.1 429 Slow\r\nRetry-After: 17\r\nContent-Length: 2\r\n\r\n{}".to_vec(),
        ),
        full(
            "400 Bad Request",
            r#"{"error":"x","ratelimit":{"key":"bot.vsBot.day","seconds":4321}}"#,
        ),
    ])
    .await;
    let client = server.client();
    let error = client.accept_challenge(&id()).await.unwrap_err();
    let retry_after = Some(Duration::from_secs(17));
    assert_eq!(error.kind(), Kind::RateLimited { retry_after });
    let challenge = ChallengeRequest::default();
    let error = client
        .create_challenge("otherbot", &challenge)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), Kind::Rejected);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(4321)));
    assert_eq!(
        error.api().unwrap().rate_limit.as_ref().unwrap().key,
        "bot.vsBot.day"
    );
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Server::start([ok()]).await;
    let redirect = |target: &str| {
        let head = format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
        Reply::Then(head.into_bytes())
    };
    let away = elsewhere.url.as_str();
    let server = Server::start([redirect(away), redirect("http://[::bad"), redirect(away)]).await;
    let client = server.client();
    let error = client.account().await.unwrap_err();
    assert_eq!(error.kind(), Kind::Rejected);
    assert_eq!(error.api().unwrap().message, format!("redirect to {away}"));
    let error = client.stream_events().await.unwrap_err();
    assert_eq!(error.api().unwrap().message, "redirect to http://[::bad");
    client.resign(&id()).await.unwrap_err();
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn bodies_are_read_up_to_a_limit() {
    let long = "x".repeat(9 << 20);
    let server = Server::start([
        full("200 OK", &long),
        full("500 Oops", &long),
        full("200 OK", &long),
    ])
    .await;
    let client = server.client();
    let error = client.account().await.unwrap_err();
    assert!(matches!(error, Error::TooLong { .. }), "{error}");
    let error = client.account().await.unwrap_err();
    assert_eq!(
        (error.kind(), error.api().unwrap().message.chars().count()),
        (Kind::Server, 201)
    );
    client.abort(&id()).await.unwrap();
}

#[tokio::test]
async fn answers_of_another_shape_are_decode_errors_that_quote_little() {
    let bodies = [
        "",
        "<html>",
        "[]",
        "{}",
        "{\"id\":[]}",
        &format!("\"{}\"", "é".repeat(900)),
    ];
    let server = Server::start(bodies.map(|body| full("200 OK", body))).await;
    let client = server.client();
    for body in bodies {
        let error = client.account().await.unwrap_err();
        assert_eq!(error.kind(), Kind::Decode, "{body}");
        assert!(error.to_string().chars().count() < 600, "{error}");
        assert!(
            error
                .to_string()
                .starts_with("GET /api/account: unexpected answer: "),
            "{error}"
        );
    }
}

#[tokio::test]
async fn accounts_tokens_and_games_are_read() {
    let server = Server::start([
        full(
            "200 OK",
            r#"{"id":"ourbot","username":"OurBot","title":"BOT","perfs":{}}"#,
        ),
        full(
            "200 OK",
            &format!(r#"{{"{TOKEN}":{{"userId":"ourbot","scopes":"bot:play","expires":null}}}}"#),
        ),
        full("200 OK", &format!(r#"{{"{TOKEN}":null}}"#)),
        full(
            "200 OK",
            r#"{"nowPlaying":[{"gameId":"Zh000001","isMyTurn":true}],"nbMyTurn":1}"#,
        ),
        full("200 OK", "{\"id\":\"a\"}\nnonsense\n\n{\"id\":\"b\"}\n"),
        full("200 OK", "[Event \"x\"]\n\n1. e4 *\n"),
    ])
    .await;
    let client = server.client();
    assert!(client.account().await.unwrap().is_bot());

    let info = client.token_info().await.unwrap().unwrap();
    assert!(info.has_scope("bot:play") && info.user_id == "ourbot" && info.expires.is_none());
    let request = server.request();
    assert!(request.starts_with("POST /api/token/test "), "{request}");
    assert!(request.ends_with(&format!("\r\n\r\n{TOKEN}")), "{request}");
    assert!(request.contains("content-type: text/plain"), "{request}");
    assert!(!request.contains("authorization"), "{request}");
    assert!(client.token_info().await.unwrap().is_none());

    let games = client.playing().await.unwrap();
    assert!(
        server
            .request()
            .starts_with("GET /api/account/playing?nb=50 ")
    );
    assert_eq!((games.len(), games[0].game().as_str()), (1, "Zh000001"));

    let bots = client.online_bots(9999).await.unwrap();
    assert!(server.request().starts_with("GET /api/bot/online?nb=512 "));
    assert_eq!(
        bots.iter().map(|bot| bot.id.as_str()).collect::<Vec<_>>(),
        ["a", "b"]
    );

    assert_eq!(
        client.export_pgn(&id()).await.unwrap(),
        "[Event \"x\"]\n\n1. e4 *\n"
    );
    assert!(server.request().starts_with("GET /game/export/Zh000001 "));
}

#[tokio::test]
async fn a_challenge_is_made_from_a_form_and_read_in_both_its_shapes() {
    let challenge = r#"{"id":"Zh000009","variant":{"key":"crazyhouse"},"direction":"out"}"#;
    let wrapped = format!(r#"{{"challenge":{challenge}}}"#);
    let server = Server::start([full("200 OK", challenge), full("200 OK", &wrapped), ok()]).await;
    let client = server.client();
    let request = ChallengeRequest {
        rated: true,
        clock: ChallengeClock::RealTime {
            limit_s: 60,
            increment_s: 1,
        },
        ..ChallengeRequest::default()
    };
    for _ in 0..2 {
        let made = client.create_challenge("OtherBot", &request).await.unwrap();
        assert_eq!(made.id.as_str(), "Zh000009");
    }
    let sent = server.request();
    assert!(sent.starts_with("POST /api/challenge/OtherBot "), "{sent}");
    let form = "variant=crazyhouse&rated=true&color=random&clock.limit=60&clock.increment=1";
    assert!(sent.ends_with(form), "{sent}");
    let error = client
        .create_challenge("OtherBot", &request)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), Kind::Decode);
}

#[tokio::test]
async fn the_token_shows_nowhere() {
    let echo = format!("you sent {TOKEN}");
    let odd = format!(r#""{TOKEN}""#);
    let error_body = format!(r#"{{"error":"no such token {TOKEN}"}}"#);
    let server = Server::start([
        full("401 Unauthorized", &error_body),
        full("500 Oops", &echo),
        full("200 OK", &odd),
        full("200 OK", &odd),
        full("200 OK", &format!(r#"{{"{TOKEN}":5}}"#)),
        Reply::Close(vec![]),
        Reply::Hold(vec![]),
    ])
    .await;
    let client = server.hasty_client().with_user("OurBot").unwrap();
    let mut shown = vec![format!("{client:?} {:?}", server.options())];
    let errors = [
        client.account().await.unwrap_err(),
        client.stream_events().await.unwrap_err(),
        client.playing().await.unwrap_err(),
        client.token_info().await.unwrap_err(),
        client.token_info().await.unwrap_err(),
        client.token_info().await.unwrap_err(),
        client.account().await.unwrap_err(),
    ];
    for error in errors {
        let mut cause: Option<&dyn std::error::Error> = Some(&error);
        while let Some(error) = cause {
            shown.push(format!("{error} {error:?} {error:#?}"));
            cause = error.source();
        }
    }
    for text in shown {
        assert!(!text.contains("SecretOfTheBot"), "{text}");
    }
    assert!(client.has_token() && client.url() == &server.url);
}

#[tokio::test]
async fn a_failed_tls_handshake_is_a_transport_error() {
    let server = Server::start([]).await;
    let mut options = server.options();
    options.url = server
        .url
        .as_str()
        .replace("http:", "https:")
        .parse()
        .unwrap();
    let client = Client::new(options).unwrap();
    let error = client.make_move(&id(), "e2e4", false).await.unwrap_err();
    assert_eq!((error.kind(), error.is_unsent()), (Kind::Transport, true));
    assert!(server.requests().is_empty());
}
