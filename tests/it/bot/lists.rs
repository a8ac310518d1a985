//! Lists of names on the web.

use super::{Bot, challenge};
use axum::extract::State;
use axum::http::header::{ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use pocketknight::lichess::{Client, ClientOptions, Page, Validators};
use pocketknight::settings::{NameList, Settings};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use url::Url;

/// What each request knew, and whether it carried a token.
type Asked = Arc<Mutex<Vec<(Option<String>, bool)>>>;

/// Server of one list that has an `ETag`; ends when dropped.
struct ListServer {
    url: Url,
    asked: Asked,
    _task: JoinSet<()>,
}

impl ListServer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/names.txt", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let router = axum::Router::new()
            .route("/names.txt", get(answer))
            .route("/broken", get(async || StatusCode::BAD_GATEWAY))
            .with_state(Arc::clone(&asked));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url: url.parse().unwrap(),
            asked,
            _task: task,
        }
    }
}

async fn answer(State(asked): State<Asked>, headers: HeaderMap) -> Response {
    let known = headers
        .get(IF_NONE_MATCH)
        .map(|value| value.to_str().unwrap().to_owned());
    let is_known = known.as_deref() == Some("\"v1\"");
    asked
        .lock()
        .unwrap()
        .push((known, headers.contains_key("authorization")));
    if is_known {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    ([(ETAG, "\"v1\"")], "# bad people\nBob\n").into_response()
}

impl Bot {
    /// Lets bob challenge until he is declined; returns how often he was accepted before.
    async fn until_bob_is_declined(&mut self) -> usize {
        for number in 0.. {
            let id = format!("bob{number:05}");
            self.events.line(&challenge(&id, "bob"));
            let answer = self.expect(&format!("POST /api/challenge/{id}/")).await;
            let is_declined = answer.tail() == "decline";
            if is_declined {
                assert_eq!(answer.body, "reason=generic");
            }
            answer.reply(404, "{}");
            if is_declined {
                return number;
            }
        }
        unreachable!()
    }
}

#[tokio::test]
async fn a_list_of_the_web_is_asked_for_once_and_kept_for_the_next_start() {
    let list = ListServer::start().await;
    let url = list.url.clone();
    let change = |settings: &mut Settings| {
        settings.challenge.block_lists = vec![NameList::Url(url.clone())];
    };
    let mut bot = Bot::start(change).await;
    bot.until_bob_is_declined().await;
    assert_eq!(*list.asked.lock().unwrap(), [(None, false)]);
    // The last version holds from the first moment, and is not due again.
    let mut bot = bot.restarted(change).await;
    assert_eq!(bot.until_bob_is_declined().await, 0);
    bot.stopped().await;
    assert_eq!(list.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_page_is_sent_again_only_if_it_has_changed() {
    let list = ListServer::start().await;
    let token = Some("lip_secret".to_owned().into());
    let client = Client::new(ClientOptions::new(
        Url::parse("http://127.0.0.1:1").unwrap(),
        token,
    ))
    .unwrap();
    let none = Validators::default();
    let Page::New { text, validators } = client.page(&list.url, &none).await.unwrap() else {
        panic!("nothing was known");
    };
    assert_eq!(text, "# bad people\nBob\n");
    let again = client.page(&list.url, &validators).await.unwrap();
    assert_eq!(again, Page::Unchanged);
    let asked = list.asked.lock().unwrap().clone();
    assert_eq!(asked, [(None, false), (Some("\"v1\"".to_owned()), false)]);
    let broken = list.url.join("/broken").unwrap();
    let error = client.page(&broken, &none).await.unwrap_err();
    assert_eq!(error.api().unwrap().status, 502);
}
