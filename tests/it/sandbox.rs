//! The sandbox server over real HTTP, as a foreign client sees it.

use pocketknight::rules::{CastlingStyle, Game, MoveList, Variant};
use pocketknight::sandbox::{MatchClock, MatchOptions, Server, ServerOptions, Style, play_match};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::task::JoinSet;

/// Longest wait for anything.
const DEADLINE: Duration = Duration::from_mins(1);

/// Client that knows nothing of our own one.
#[derive(Clone)]
struct Caller {
    http: reqwest::Client,
    base: String,
    token: String,
    agent: String,
}

impl Caller {
    fn new(server: &Server, token: &str) -> Self {
        // Ignored when another test was first.
        drop(rustls::crypto::ring::default_provider().install_default());
        Self {
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            base: server.url().as_str().trim_end_matches('/').to_owned(),
            token: token.to_owned(),
            agent: "foreign/1.0".to_owned(),
        }
    }

    async fn send(&self, method: Method, path: &str, form: &[(&str, &str)]) -> reqwest::Response {
        let mut request = self
            .http
            .request(method.clone(), format!("{}{path}", self.base))
            .header("User-Agent", &self.agent);
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if method == Method::POST {
            request = request.form(form);
        }
        tokio::time::timeout(DEADLINE, request.send())
            .await
            .unwrap()
            .unwrap()
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        answer(self.send(Method::GET, path, &[]).await).await
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> (StatusCode, Value) {
        answer(self.send(Method::POST, path, form).await).await
    }

    async fn stream(&self, path: &str) -> Lines {
        let response = self.send(Method::GET, path, &[]).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(response.headers()["content-type"], "application/x-ndjson");
        Lines::new(response)
    }

    /// Challenges and returns the id.
    async fn challenge(&self, user: &str, form: &[(&str, &str)]) -> String {
        let (status, body) = self.post(&format!("/api/challenge/{user}"), form).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body["id"].as_str().unwrap().to_owned()
    }

    async fn act(&self, id: &str, command: &str) -> (StatusCode, Value) {
        self.post(&format!("/api/bot/game/{id}/{command}"), &[])
            .await
    }
}

async fn answer(response: reqwest::Response) -> (StatusCode, Value) {
    let status = response.status();
    let body = response.bytes().await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// Lines of a stream, keep-alives left out.
struct Lines {
    response: reqwest::Response,
    rest: Vec<u8>,
    ready: VecDeque<Value>,
}

impl Lines {
    fn new(response: reqwest::Response) -> Self {
        Self {
            response,
            rest: Vec::new(),
            ready: VecDeque::new(),
        }
    }

    /// Next line, `None` at the clean end of the stream.
    async fn next(&mut self) -> Option<Value> {
        while self.ready.is_empty() {
            let chunk = tokio::time::timeout(DEADLINE, self.response.chunk())
                .await
                .unwrap();
            self.rest.extend(chunk.unwrap()?);
            while let Some(end) = self.rest.iter().position(|&b| b == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                if line.len() > 1 {
                    self.ready.push_back(serde_json::from_slice(&line).unwrap());
                }
            }
        }
        self.ready.pop_front()
    }

    /// Next line of a type; others before it are dropped.
    async fn next_of(&mut self, kind: &str) -> Value {
        loop {
            let line = self
                .next()
                .await
                .unwrap_or_else(|| panic!("no {kind} before the end"));
            if line["type"] == kind {
                return line;
            }
        }
    }
}

const CLOCK: [(&str, &str); 3] = [
    ("variant", "crazyhouse"),
    ("clock.limit", "60"),
    ("clock.increment", "1"),
];

fn form(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    CLOCK.iter().chain(more).copied().collect()
}

async fn server() -> Server {
    Server::start(ServerOptions::default()).await.unwrap()
}

/// Server with two bots, and a running game of them: White is the first. Both streams have given their first line.
async fn two_bots(options: ServerOptions) -> (Server, [Caller; 2], [Lines; 2], String) {
    let server = Server::start(options).await.unwrap();
    let [white, black] =
        ["WhiteBot", "BlackBot"].map(|name| Caller::new(&server, &server.add_bot(name)));
    for name in ["WhiteBot", "BlackBot"] {
        server.allow_takebacks(name, true);
    }
    let id = white
        .challenge("BlackBot", &form(&[("color", "white")]))
        .await;
    let (status, _) = black
        .post(&format!("/api/challenge/{id}/accept"), &[])
        .await;
    assert_eq!(status, StatusCode::OK);
    let path = format!("/api/bot/game/stream/{id}");
    let mut lines = [white.stream(&path).await, black.stream(&path).await];
    for stream in &mut lines {
        assert_eq!(stream.next().await.unwrap()["type"], "gameFull");
    }
    (server, [white, black], lines, id)
}

/// Game of a move list.
fn replay(moves: &str) -> Game {
    let mut game = Game::new(Variant::Crazyhouse);
    for uci in moves.split_whitespace() {
        let m = game.position().parse_uci(uci).unwrap();
        assert_eq!(game.position().uci(m, CastlingStyle::KingTakesRook), uci);
        game.push(m).unwrap();
    }
    game
}

/// Plays one game to its end with moves drawn by lot, each posted in the two-square form of castling.
async fn play_game(caller: Caller, id: String, seed: u64) -> Value {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut lines = caller.stream(&format!("/api/bot/game/stream/{id}")).await;
    let full = lines.next().await.unwrap();
    assert_eq!(full["initialFen"], "startpos");
    let own = ["white", "black"]
        .iter()
        .position(|color| full[color]["title"] == "BOT" && full[color]["id"] == "ourbot")
        .unwrap();
    let mut state = full["state"].clone();
    loop {
        let game = replay(state["moves"].as_str().unwrap());
        if state["status"] != "started" {
            assert!(
                lines.next().await.is_none(),
                "the stream ends with the game"
            );
            return state;
        }
        if game.moves().len() % 2 == own {
            let mut moves = MoveList::new();
            game.position().legal_moves(&mut moves);
            let m = rng.choice(moves.iter()).unwrap();
            let uci = game.position().uci(*m, CastlingStyle::TwoSquares);
            let (status, body) = caller.act(&id, &format!("move/{uci}")).await;
            assert_eq!(
                (status, body),
                (StatusCode::OK, json!({"ok": true})),
                "{uci}"
            );
        }
        state = lines.next_of("gameState").await;
    }
}

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
