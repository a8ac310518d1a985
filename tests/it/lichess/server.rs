//! A server that answers as told and keeps what it was asked.

use pocketknight::lichess::{Client, ClientOptions};
use secrecy::SecretString;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

pub(crate) const TOKEN: &str = "lip_SecretOfTheBot";

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Writes the bytes, then waits for the next request on the connection.
    Then(Vec<u8>),
    /// Writes the chunks one by one, then closes the connection.
    Close(Vec<Vec<u8>>),
    /// Writes the bytes, then does nothing while the client stays.
    Hold(Vec<u8>),
}

pub(crate) fn full(status: &str, body: &str) -> Reply {
    let length = body.len();
    Reply::Then(format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes())
}

pub(crate) fn ok() -> Reply {
    full("200 OK", r#"{"ok":true}"#)
}

pub(crate) const STREAM_HEAD: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n";

/// A stream that writes the text and ends.
pub(crate) fn stream(text: &str) -> Reply {
    Reply::Close(vec![
        STREAM_HEAD.as_bytes().to_vec(),
        text.as_bytes().to_vec(),
    ])
}

/// Server that answers each request with the next reply and keeps what it was asked.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) url: Url,
    log: Arc<Mutex<Log>>,
    _tasks: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Log {
    replies: VecDeque<Reply>,
    requests: Vec<String>,
    connections: usize,
}

impl Server {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap())
            .parse()
            .unwrap();
        let log = Arc::new(Mutex::new(Log {
            replies: replies.into_iter().collect(),
            ..Log::default()
        }));
        let mut tasks = JoinSet::new();
        let shared = Arc::clone(&log);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                connections.spawn(serve(socket, Arc::clone(&shared)));
            }
        });
        Self {
            url,
            log,
            _tasks: tasks,
        }
    }

    pub(crate) fn options(&self) -> ClientOptions {
        let mut options = ClientOptions::new(self.url.clone(), Some(SecretString::from(TOKEN)));
        // Generous, as nothing here should wait for it.
        options.stream_idle = Duration::from_mins(1);
        options.move_timeout = Duration::from_mins(1);
        options.request_timeout = Duration::from_mins(1);
        options
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.options()).unwrap()
    }

    /// Client without patience for answers.
    pub(crate) fn hasty_client(&self) -> Client {
        let mut options = self.options();
        options.move_timeout = Duration::from_millis(100);
        options.request_timeout = Duration::from_millis(100);
        Client::new(options).unwrap()
    }

    /// Client without patience for silent streams.
    pub(crate) fn nervous_client(&self, stream_idle: Duration) -> Client {
        Client::new(ClientOptions {
            stream_idle,
            ..self.options()
        })
        .unwrap()
    }

    pub(crate) fn connections(&self) -> usize {
        self.log.lock().unwrap().connections
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.log.lock().unwrap().requests.clone()
    }

    pub(crate) fn request(&self) -> String {
        self.requests().last().cloned().unwrap()
    }
}

async fn serve(socket: TcpStream, log: Arc<Mutex<Log>>) {
    let mut socket = BufReader::new(socket);
    while let Some(request) = read_request(&mut socket).await {
        let reply = {
            let mut log = log.lock().unwrap();
            log.requests.push(request);
            log.replies.pop_front()
        };
        match reply.expect("more requests than replies") {
            // The client may be gone already, which is its right.
            Reply::Then(bytes) => {
                socket.write_all(&bytes).await.ok();
            }
            Reply::Close(chunks) => {
                for chunk in chunks {
                    socket.write_all(&chunk).await.ok();
                    socket.flush().await.ok();
                    tokio::task::yield_now().await;
                }
                return;
            }
            Reply::Hold(bytes) => {
                socket.write_all(&bytes).await.ok();
                // Ends when the client closes.
                socket.read_u8().await.ok();
                return;
            }
        }
    }
}

/// Request as text, header names in lower case; `None` when the client closed.
async fn read_request(socket: &mut BufReader<TcpStream>) -> Option<String> {
    let mut text = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if socket.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
        text.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.ok()?;
    text.push_str(&String::from_utf8(body).unwrap());
    Some(text)
}
