//! Streams: opening, lines of every kind, and every way they end.

use super::id;
use super::server::{Reply, STREAM_HEAD, Server, full, stream};
use futures::FutureExt as _;
use pocketknight::lichess::{Event, GameEvent, GameStream, Kind, StreamError, StreamItem};
use std::time::Duration;

/// Everything a game stream yields, and how it ended.
async fn drain(stream: &mut GameStream) -> (Vec<StreamItem<GameEvent>>, Option<StreamError>) {
    let mut items = Vec::new();
    loop {
        match stream.next().await {
            None => return (items, None),
            Some(Ok(item)) => items.push(item),
            Some(Err(error)) => {
                assert!(stream.next().await.is_none(), "something after {error}");
                return (items, Some(error));
            }
        }
    }
}

/// Short words for what a stream yielded.
fn words(items: &[StreamItem<GameEvent>]) -> Vec<String> {
    let word = |item: &StreamItem<GameEvent>| match item {
        StreamItem::KeepAlive => "alive".to_owned(),
        StreamItem::Undecodable { .. } => "bad".to_owned(),
        StreamItem::Line {
            value: GameEvent::GameState(state),
            ..
        } => state.moves.clone(),
        StreamItem::Line { value, .. } => format!("{value:?}"),
    };
    items.iter().map(word).collect()
}

const STATE: &str = r#"{"type":"gameState","moves":"e2e4","wtime":1,"btime":2}"#;

#[tokio::test]
async fn a_stream_opens_only_with_a_good_status_whatever_the_body_is() {
    let statuses = [
        ("401 Unauthorized", Kind::Unauthorized),
        ("403 Forbidden", Kind::Unauthorized),
        ("404 Not Found", Kind::NotFound),
        ("400 Bad Request", Kind::Rejected),
        (
            "429 Too Many Requests",
            Kind::RateLimited { retry_after: None },
        ),
        ("500 Internal Server Error", Kind::Server),
        ("503 Service Unavailable", Kind::Server),
    ];
    let bodies = [
        (r#"{"error":"Some text"}"#, "Some text"),
        ("<html><h1>Sorry</h1></html>", "<html><h1>Sorry</h1></html>"),
        ("", "empty answer"),
        ("[\"list\"]", "[\"list\"]"),
    ];
    for (status, kind) in statuses {
        for (body, message) in bodies {
            let server = Server::start([full(status, body), full(status, body)]).await;
            let client = server.client();
            let errors = [
                client.stream_events().await.unwrap_err(),
                client.stream_game(&id()).await.unwrap_err(),
            ];
            for error in errors {
                assert_eq!(error.kind(), kind, "{status} {body}");
                assert_eq!(error.api().unwrap().message, message, "{status} {body}");
            }
        }
    }
}

#[tokio::test]
async fn odd_lines_do_not_end_a_stream() {
    let text = format!(
        "\n{STATE}\n{{\"type\":\"newThing\"}}\r\nnonsense\n\r\n{{\"error\":\"x\"}}\n\
         {{\"type\":\"gameState\",\"moves\":7}}\n{STATE}\n{STATE}"
    );
    let mut bytes = text.into_bytes();
    bytes.splice(0..0, *b"\xff\xfe\n");
    let server = Server::start([Reply::Close(vec![STREAM_HEAD.into(), bytes])]).await;
    let mut stream = server.client().stream_game(&id()).await.unwrap();
    assert!(
        server
            .request()
            .starts_with("GET /api/bot/game/stream/Zh000001 HTTP")
    );
    let (items, error) = drain(&mut stream).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        words(&items),
        [
            "bad", "alive", "e2e4", "Unknown", "bad", "alive", "bad", "bad", "e2e4", "e2e4"
        ]
    );
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_line_may_come_in_pieces() {
    let pieces = STATE
        .bytes()
        .map(|byte| vec![byte])
        .chain([b"\n\n".to_vec()]);
    let chunks = std::iter::once(STREAM_HEAD.as_bytes().to_vec())
        .chain(pieces)
        .collect();
    let server = Server::start([Reply::Close(chunks)]).await;
    let mut stream = server.client().stream_game(&id()).await.unwrap();
    let (items, error) = drain(&mut stream).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(words(&items), ["e2e4", "alive"]);
}

#[tokio::test]
async fn a_last_line_that_is_cut_off_is_reported() {
    let server = Server::start([stream(&format!("{STATE}\n{}", &STATE[..20]))]).await;
    let mut stream = server.client().stream_game(&id()).await.unwrap();
    let (items, error) = drain(&mut stream).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(words(&items), ["e2e4", "bad"]);
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("{head}{:x}\r\n{STATE}\n\r\n40\r\n{{\"typ", STATE.len() + 1);
    let server = Server::start([Reply::Close(vec![chunk.into_bytes()])]).await;
    let mut stream = server.client().stream_game(&id()).await.unwrap();
    let (items, error) = drain(&mut stream).await;
    assert_eq!(words(&items), ["e2e4"]);
    assert_eq!(error.unwrap().kind(), Kind::Transport);
}

#[tokio::test]
async fn a_silent_stream_counts_as_dead() {
    let text = format!("{STREAM_HEAD}{STATE}\n");
    let server = Server::start([Reply::Hold(text.into_bytes())]).await;
    let client = server.nervous_client(Duration::from_secs(1));
    let mut stream = client.stream_game(&id()).await.unwrap();
    let (items, error) = drain(&mut stream).await;
    assert_eq!(words(&items), ["e2e4"]);
    let error = error.unwrap();
    assert!(matches!(error, StreamError::Stalled(_)), "{error:?}");
    assert_eq!(error.kind(), Kind::Timeout);
}

#[tokio::test]
async fn a_line_without_end_is_an_error_and_not_a_full_memory() {
    let text = format!("{STATE}\n{}", "x".repeat(2 << 20));
    let server = Server::start([stream(&text)]).await;
    let mut stream = server.client().stream_game(&id()).await.unwrap();
    let (items, error) = drain(&mut stream).await;
    assert_eq!(words(&items), ["e2e4"]);
    assert!(
        matches!(error, Some(StreamError::LineTooLong { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_dropped_wait_loses_no_line() {
    let text = "{\"type\":\"newThing\"}\n".repeat(50);
    let server = Server::start([stream(&text)]).await;
    let mut stream = server.client().stream_events().await.unwrap();
    let mut lines = 0;
    loop {
        // Polls the stream once and drops the wait.
        let Some(item) = stream.next().now_or_never() else {
            tokio::task::yield_now().await;
            continue;
        };
        match item {
            None => break,
            Some(Ok(StreamItem::Line { value, .. })) => assert_eq!(value, Event::Unknown),
            Some(other) => panic!("{other:?}"),
        }
        lines += 1;
    }
    assert_eq!(lines, 50);
}
