//! Faults on demand: answers that Lichess gives on bad days, for the tests of clients. They stand between the network
//! and the endpoints, so that no endpoint knows of them; streams are broken by [`super::Server::cut_events`] and its
//! like.

use super::routes::App;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A fault and the requests that it befalls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Part of the path, such as `/move/`.
    pub path: String,
    /// Number of requests that meet it; then it is gone.
    pub times: u32,
    /// What happens.
    pub kind: FaultKind,
}

/// What happens to a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// It is answered without being carried out.
    Answer {
        /// HTTP status, 400 to 599.
        status: u16,
        /// Type of the body, such as `text/html`.
        content_type: String,
        /// Body.
        body: String,
    },
    /// It is carried out after a pause.
    Delay(Duration),
    /// It is carried out, but the answer never comes.
    LoseAnswer,
}

impl FaultKind {
    /// 429 in the words of Lichess.
    pub fn too_many_requests() -> Self {
        Self::json(429, r#"{"error":"Too many requests. Try again later."}"#)
    }

    /// 502 of the web server in front of Lichess, which is no JSON.
    pub fn bad_gateway() -> Self {
        Self::Answer {
            status: 502,
            content_type: "text/html".to_owned(),
            body: "<html><body><h1>502 Bad Gateway</h1></body></html>".to_owned(),
        }
    }

    fn json(status: u16, body: &str) -> Self {
        let content_type = "application/json".to_owned();
        Self::Answer {
            status,
            content_type,
            body: body.to_owned(),
        }
    }
}

/// Faults that still wait for their requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(Arc<Mutex<Vec<Fault>>>);

impl Faults {
    /// Adds a fault. Of several for one request the oldest comes first.
    pub(crate) fn add(&self, fault: Fault) {
        self.lock().push(fault);
    }

    /// Fault for a request, which counts as met.
    fn meet(&self, path: &str) -> Option<FaultKind> {
        let mut faults = self.lock();
        let index = faults
            .iter()
            .position(|fault| path.contains(&fault.path) && fault.times > 0)?;
        faults[index].times -= 1;
        let kind = faults[index].kind.clone();
        faults.retain(|fault| fault.times > 0);
        Some(kind)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Fault>> {
        // A list of faults is whole at any moment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets a request meet its fault, if one waits for it.
pub(crate) async fn befall(State(app): State<App>, request: Request, next: Next) -> Response {
    match app.faults.meet(request.uri().path()) {
        None => next.run(request).await,
        Some(FaultKind::Answer {
            status,
            content_type,
            body,
        }) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
            (status, [(CONTENT_TYPE, content_type)], body).into_response()
        }
        Some(FaultKind::Delay(pause)) => {
            tokio::time::sleep(pause).await;
            next.run(request).await
        }
        Some(FaultKind::LoseAnswer) => {
            drop(next.run(request).await);
            app.stop.cancelled().await;
            Body::empty().into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_befalls_so_many_requests_and_no_others() {
        let faults = Faults::default();
        let kind = FaultKind::bad_gateway();
        faults.add(Fault {
            path: "/move/".into(),
            times: 2,
            kind: kind.clone(),
        });
        assert_eq!(faults.meet("/api/account"), None);
        assert_eq!(faults.meet("/api/bot/game/x/move/e2e4"), Some(kind.clone()));
        assert_eq!(faults.meet("/api/bot/game/x/move/e2e4"), Some(kind));
        assert_eq!(faults.meet("/api/bot/game/x/move/e2e4"), None);
    }
}
