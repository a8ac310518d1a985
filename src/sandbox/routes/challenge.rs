//! Challenges.

use super::{App, nd_json};
use crate::lichess::model::{DeclineReason, GameId};
use crate::sandbox::answer::{ApiError, Done, with_json};
use crate::sandbox::auth::{CHALLENGE, CHALLENGE_READ, Caller};
use crate::sandbox::fields::Fields;
use crate::sandbox::hall::Sent;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures::{StreamExt, stream};
use serde_json::json;
use std::convert::Infallible;
use std::time::Instant;

pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, ApiError> {
    caller.require(CHALLENGE)?;
    let sent = app
        .hall
        .lock()
        .challenge_by_form(&caller.user, &name, &fields, Instant::now())?;
    if fields.is_true("keepAliveStream") {
        return Ok(nd_json(outcome_stream(&app, sent)));
    }
    Ok(with_json(StatusCode::OK, &sent.json))
}

pub(super) async fn accept(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<GameId>,
) -> Result<Done, ApiError> {
    caller.require(CHALLENGE)?;
    app.hall.lock().accept(&caller.user, &id, Instant::now())?;
    Ok(Done)
}

pub(super) async fn decline(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<GameId>,
    fields: Fields,
) -> Result<Done, ApiError> {
    caller.require(CHALLENGE)?;
    let reason = DeclineReason::from_word(fields.get("reason").unwrap_or_default());
    app.hall.lock().decline(&caller.user, &id, reason)?;
    Ok(Done)
}

pub(super) async fn cancel(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<GameId>,
) -> Result<Done, ApiError> {
    caller.require(CHALLENGE)?;
    app.hall.lock().cancel(&caller.user, &id, Instant::now())?;
    Ok(Done)
}

pub(super) async fn show(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<GameId>,
) -> Result<Response, ApiError> {
    caller.require(CHALLENGE_READ)?;
    let value = app.hall.lock().show_challenge(&caller.user, &id)?;
    Ok(with_json(StatusCode::OK, &value))
}

pub(super) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, ApiError> {
    caller.require(&["challenge:read"])?;
    Ok(with_json(
        StatusCode::OK,
        &app.hall.lock().open_challenges(&caller.user),
    ))
}

/// The challenge, then blank lines while it waits, then what became of it.
fn outcome_stream(app: &App, sent: Sent) -> Body {
    let first = Bytes::from(format!("{}\n", sent.json));
    let (keep_alive, stop) = (app.keep_alive, app.stop.clone());
    let rest = stream::unfold(Some(sent.status), move |status| {
        let stop = stop.clone();
        async move {
            let mut status = status?;
            let settled = async { status.wait_for(|s| !s.is_open()).await.map(|s| *s) };
            let outcome = tokio::select! {
                () = stop.cancelled() => return None,
                outcome = tokio::time::timeout(keep_alive, settled) => outcome,
            };
            match outcome {
                Err(_) => Some((Bytes::from_static(b"\n"), Some(status))),
                Ok(Err(_)) => None,
                Ok(Ok(settled)) => {
                    let line = format!("{}\n", json!({"done": settled.word()}));
                    Some((Bytes::from(line), None))
                }
            }
        }
    });
    Body::from_stream(stream::iter([first]).chain(rest).map(Ok::<_, Infallible>))
}
