//! The sandbox server over real HTTP, as a foreign client sees it.

mod accounts;
mod challenges;
mod games;

use pocketknight::rules::{CastlingStyle, Game, MoveList, Variant};
use pocketknight::sandbox::{Server, ServerOptions};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

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
