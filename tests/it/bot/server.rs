//! Server without a mind of its own: every request is handed to the test, which answers as it likes.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use url::Url;

/// Longest wait for anything; only a failing test takes so long.
pub(super) const DEADLINE: Duration = Duration::from_secs(20);

#[derive(Clone)]
struct Shared {
    requests: mpsc::UnboundedSender<Request>,
    playing: Arc<Mutex<String>>,
}

pub(super) struct Server {
    pub(super) url: Url,
    requests: mpsc::UnboundedReceiver<Request>,
    /// Requests that came while the test waited for others.
    waiting: VecDeque<Request>,
    seen: Vec<String>,
    playing: Arc<Mutex<String>>,
    _tasks: JoinSet<()>,
}

/// Request of the bot that waits for its answer.
pub(super) struct Request {
    /// Method and path with query, such as `POST /api/bot/game/a/move/e2e4`.
    pub(super) line: String,
    pub(super) body: String,
    answer: oneshot::Sender<Reply>,
}

enum Reply {
    Full(u16, String),
    Stream(mpsc::UnboundedReceiver<Bytes>),
}

/// Stream under the test's control. Dropping it ends the stream cleanly.
pub(super) struct Stream(mpsc::UnboundedSender<Bytes>);

impl Server {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let (sender, requests) = mpsc::unbounded_channel();
        let playing = Arc::new(Mutex::new(r#"{"nowPlaying":[]}"#.to_owned()));
        let shared = Shared {
            requests: sender,
            playing: Arc::clone(&playing),
        };
        let router = axum::Router::new().fallback(handle).with_state(shared);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            requests,
            waiting: VecDeque::new(),
            seen: Vec::new(),
            playing,
            _tasks: tasks,
        }
    }

    /// What `/api/account/playing` answers from now on; no request of the test is needed for it.
    pub(super) fn set_playing(&self, games: &[serde_json::Value]) {
        *self.playing.lock().unwrap() = serde_json::json!({ "nowPlaying": games }).to_string();
    }

    /// Waits for a request that starts so, leaving others for later.
    pub(super) async fn expect(&mut self, start: &str) -> Request {
        if let Some(place) = self.waiting.iter().position(|r| r.line.starts_with(start)) {
            return self.waiting.remove(place).unwrap();
        }
        let search = async {
            loop {
                let request = self.requests.recv().await.unwrap();
                self.seen.push(request.line.clone());
                if request.line.starts_with(start) {
                    return request;
                }
                self.waiting.push_back(request);
            }
        };
        let found = tokio::time::timeout(DEADLINE, search).await.ok();
        found.unwrap_or_else(|| panic!("no request {start:?}; seen: {:#?}", self.seen))
    }

    /// How many requests that start so have come so far.
    pub(super) fn count(&mut self, start: &str) -> usize {
        while let Ok(request) = self.requests.try_recv() {
            self.seen.push(request.line.clone());
            self.waiting.push_back(request);
        }
        self.seen
            .iter()
            .filter(|line| line.starts_with(start))
            .count()
    }
}

impl Request {
    pub(super) fn ok(self) {
        self.reply(200, r#"{"ok":true}"#);
    }

    pub(super) fn reply(self, status: u16, body: &str) {
        // The client may have given up.
        self.answer.send(Reply::Full(status, body.to_owned())).ok();
    }

    pub(super) fn stream(self) -> Stream {
        let (sender, lines) = mpsc::unbounded_channel();
        self.answer.send(Reply::Stream(lines)).ok();
        Stream(sender)
    }

    /// Last segment of the path without the query: the move of a move request.
    pub(super) fn tail(&self) -> &str {
        let path = self.line.split('?').next().unwrap();
        path.rsplit('/').next().unwrap()
    }
}

impl Stream {
    /// Stream that nobody reads.
    pub(super) fn closed() -> Self {
        Self(mpsc::unbounded_channel().0)
    }

    pub(super) fn line(&self, value: &serde_json::Value) {
        // The bot may have left.
        self.0.send(format!("{value}\n").into()).ok();
    }

    pub(super) fn keep_alive(&self) {
        self.0.send(Bytes::from_static(b"\n")).ok();
    }
}

async fn handle(State(shared): State<Shared>, request: HttpRequest) -> Response {
    let path = request
        .uri()
        .path_and_query()
        .map(ToString::to_string)
        .unwrap_or_default();
    let line = format!("{} {path}", request.method());
    if line.starts_with("GET /api/account/playing") {
        return shared.playing.lock().unwrap().clone().into_response();
    }
    let body = to_bytes(request.into_body(), 1 << 16).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let (answer, reply) = oneshot::channel();
    shared.requests.send(Request { line, body, answer }).ok();
    match reply.await {
        Ok(Reply::Full(status, body)) => {
            (StatusCode::from_u16(status).unwrap(), body).into_response()
        }
        Ok(Reply::Stream(lines)) => {
            let lines = stream::unfold(lines, |mut lines| async move {
                let line = lines.recv().await?;
                Some((Ok::<_, Infallible>(line), lines))
            });
            Body::from_stream(lines).into_response()
        }
        // The test threw the request away: no answer ever comes.
        Err(_) => std::future::pending().await,
    }
}
