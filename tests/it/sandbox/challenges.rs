//! Challenges, and the scripted opponents that send and answer them.

use super::{CLOCK, Caller, Lines, form, play_game, server};
use pocketknight::sandbox::{MatchClock, MatchOptions, Server, ServerOptions, Style, play_match};
use reqwest::{Method, StatusCode};
use serde_json::json;
use std::time::Duration;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_challenge_is_declined_with_a_reason_that_both_sides_hear() {
    let server = server().await;
    let [asking, asked] =
        ["Asking", "Asked"].map(|name| Caller::new(&server, &server.add_bot(name)));
    let mut streams = [
        asking.stream("/api/stream/event").await,
        asked.stream("/api/stream/event").await,
    ];
    let id = asking.challenge("asked", &form(&[("rated", "true")])).await;
    let path = format!("/api/challenge/{id}/decline");
    assert_eq!(
        asked.post(&path, &[("reason", "tooFast")]).await.0,
        StatusCode::OK
    );
    for stream in &mut streams {
        let challenge = stream.next_of("challenge").await;
        assert_eq!(challenge["compat"], json!({"bot": true, "board": true}));
        assert_eq!(challenge["challenge"]["challenger"]["id"], "asking");
        assert_eq!(challenge["challenge"]["timeControl"]["show"], "1+1");
        let declined = stream.next_of("challengeDeclined").await;
        assert_eq!(declined["challenge"]["declineReasonKey"], "toofast");
    }
    assert_eq!(asked.post(&path, &[]).await.0, StatusCode::NOT_FOUND);
    let accept = asked
        .post(&format!("/api/challenge/{id}/accept"), &[])
        .await;
    assert_eq!(accept.0, StatusCode::BAD_REQUEST);
    let shown = asking.get(&format!("/api/challenge/{id}/show")).await.1;
    assert_eq!(
        (&shown["status"], &shown["direction"]),
        (&json!("declined"), &json!("out"))
    );
}

#[tokio::test]
async fn a_second_challenge_cancels_the_first_and_lists_show_the_open_one() {
    let server = server().await;
    let [asking, asked] =
        ["Asking", "Asked"].map(|name| Caller::new(&server, &server.add_bot(name)));
    let mut events = asked.stream("/api/stream/event").await;
    let first = asking.challenge("asked", &form(&[])).await;
    let second = asking.challenge("asked", &form(&[])).await;
    let canceled = events.next_of("challengeCanceled").await;
    assert_eq!(canceled["challenge"]["id"], first.as_str());
    let list = asked.get("/api/challenge").await.1;
    assert_eq!(list["in"][0]["id"], second.as_str());
    assert_eq!(list["in"].as_array().unwrap().len(), 1);
    asking
        .post(&format!("/api/challenge/{second}/cancel"), &[])
        .await;
    assert_eq!(
        events.next_of("challengeCanceled").await["challenge"]["id"],
        second.as_str()
    );
    assert_eq!(
        asked.get("/api/challenge").await.1,
        json!({"in": [], "out": []})
    );
}

#[tokio::test]
async fn a_kept_alive_challenge_tells_its_outcome() {
    let server = Server::start(ServerOptions {
        keep_alive: Duration::from_millis(20),
        ..ServerOptions::default()
    })
    .await
    .unwrap();
    let [asking, asked] =
        ["Asking", "Asked"].map(|name| Caller::new(&server, &server.add_bot(name)));
    let mut events = asked.stream("/api/stream/event").await;
    for (answer, done) in [("accept", "accepted"), ("decline", "declined")] {
        let form = form(&[("keepAliveStream", "true")]);
        let response = asking
            .send(Method::POST, "/api/challenge/asked", &form)
            .await;
        let mut lines = Lines::new(response);
        let id = lines.next().await.unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(
            events.next_of("challenge").await["challenge"]["id"],
            id.as_str()
        );
        asked
            .post(&format!("/api/challenge/{id}/{answer}"), &[])
            .await;
        assert_eq!(lines.next().await, Some(json!({ "done": done })));
        assert_eq!(lines.next().await, None);
    }
}

#[tokio::test]
async fn challenges_that_cannot_be_are_refused_with_their_reason() {
    let server = server().await;
    let caller = Caller::new(&server, &server.add_bot("OurBot"));
    let refused = async |user: &str, form: &[(&str, &str)]| {
        let (status, body) = caller.post(&format!("/api/challenge/{user}"), form).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
        body
    };
    let text = |text: &str| json!({ "error": text });
    assert_eq!(
        refused("nobody", &CLOCK).await,
        text("No such user: nobody")
    );
    assert_eq!(
        refused("ourbot", &CLOCK).await,
        text("You cannot challenge yourself")
    );
    let odd = [("clock.limit", "70"), ("clock.increment", "0")];
    let invalid = json!({"clock.limit": ["Invalid clock"]});
    assert_eq!(
        refused("greedy", &odd).await,
        json!({"clock.limit": ["Invalid clock"], "error": invalid})
    );
}

#[tokio::test]
async fn a_scripted_opponent_declines_other_variants_and_challenges_on_demand() {
    let server = server().await;
    let caller = Caller::new(&server, &server.add_bot("OurBot"));
    let mut events = caller.stream("/api/stream/event").await;
    let form = [
        ("variant", "atomic"),
        ("clock.limit", "60"),
        ("clock.increment", "0"),
    ];
    caller.challenge("random", &form).await;
    let declined = events.next_of("challengeDeclined").await;
    assert_eq!(declined["challenge"]["declineReasonKey"], "variant");

    let form = [
        ("user", "OurBot"),
        ("opponent", "engine50"),
        ("color", "black"),
    ];
    assert_eq!(
        caller.post("/sandbox/challenge", &form).await.0,
        StatusCode::OK
    );
    let challenge = events.next_of("challenge").await["challenge"].clone();
    assert_eq!(challenge["challenger"]["id"], "engine50");
    assert_eq!(challenge["finalColor"], "black");
    let id = challenge["id"].as_str().unwrap();
    caller
        .post(&format!("/api/challenge/{id}/accept"), &[])
        .await;
    assert_eq!(events.next_of("gameStart").await["game"]["color"], "white");
}

#[tokio::test]
async fn a_match_is_reported_game_by_game() {
    let server = server().await;
    let caller = Caller::new(&server, &server.add_bot("OurBot"));
    let options = MatchOptions {
        account: "OurBot".into(),
        games: 4,
        concurrency: 2,
        clock: MatchClock {
            limit_s: 60,
            increment_s: 0,
        },
        opponents: vec![Style::Greedy, Style::Random],
    };
    let player = async {
        let mut events = caller.stream("/api/stream/event").await;
        let mut games = JoinSet::new();
        while let Some(event) = events.next().await {
            match event["type"].as_str().unwrap() {
                "challenge" => {
                    let id = event["challenge"]["id"].as_str().unwrap();
                    caller
                        .post(&format!("/api/challenge/{id}/accept"), &[])
                        .await;
                }
                "gameStart" => {
                    let id = event["game"]["id"].as_str().unwrap().to_owned();
                    games.spawn(play_game(caller.clone(), id, 7));
                }
                _ => {}
            }
        }
    };
    let report = tokio::select! {
        report = play_match(&server, &options) => report,
        () = player => panic!("the event stream ended"),
    };
    assert!(report.is_proper(), "{report}");
    let colors: Vec<_> = report
        .rows
        .iter()
        .map(|row| row.color.to_string())
        .collect();
    assert_eq!(colors, ["white", "black", "white", "black"]);
    assert!(
        report
            .rows
            .iter()
            .all(|row| row.plies > 0 && row.left.is_some())
    );
    assert_eq!(report.pgn().matches("[Event ").count(), 4);
}
