//! The endpoints. Handlers read the request, call one operation of the hall, and shape the answer.

mod account;
mod arena;
mod challenge;
mod control;
mod export;
mod game;

use super::answer::{ApiError, ND_JSON};
use super::auth::{self, Caller};
use super::faults::{self, Faults};
use super::hall::SharedHall;
use super::limits::Limited;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What every handler works with.
#[derive(Clone, Debug)]
pub(super) struct App {
    /// State of the server.
    pub hall: SharedHall,
    /// Faults that wait for their requests.
    pub(crate) faults: Faults,
    /// Pause after which a stream gets a blank line.
    pub keep_alive: Duration,
    /// Ends the streams.
    pub stop: CancellationToken,
}

/// All endpoints of the server.
pub(super) fn router(app: App) -> Router {
    Router::new()
        .route("/", get(control::help))
        .route("/__ping", get(async || ""))
        .route("/sandbox/challenge", post(control::challenge))
        .route("/sandbox/tournament", post(arena::open))
        .route("/api/tournament", get(arena::list))
        .route("/api/tournament/{id}", get(arena::show))
        .route("/api/tournament/{id}/join", post(arena::join))
        .route("/api/tournament/{id}/withdraw", post(arena::withdraw))
        .route("/api/token/test", post(account::test_tokens))
        .route("/api/account", get(account::account))
        .route("/api/account/playing", get(account::playing))
        .route("/api/bot/account/upgrade", post(account::upgrade))
        .route("/api/bot/online", get(account::online_bots))
        .route("/api/users/status", get(account::statuses))
        .route("/api/user/{name}", get(account::user))
        .route("/api/stream/event", get(event_stream))
        .route("/api/challenge", get(challenge::list))
        .route("/api/challenge/{name}", post(challenge::create))
        .route("/api/challenge/{id}/accept", post(challenge::accept))
        .route("/api/challenge/{id}/decline", post(challenge::decline))
        .route("/api/challenge/{id}/cancel", post(challenge::cancel))
        .route("/api/challenge/{id}/show", get(challenge::show))
        .route("/api/bot/game/stream/{id}", get(game::stream))
        .route("/api/bot/game/{id}/chat", get(game::chat).post(game::say))
        .route("/api/bot/game/{id}/{*command}", post(game::act))
        .route("/api/round/{id}/add-time/{seconds}", post(game::add_time))
        .route("/game/export/{id}", get(export::export))
        .route("/game/{id}/chat", get(game::spectator_chat))
        .fallback(async || ApiError::not_found("Not found"))
        .layer(middleware::from_fn_with_state(
            app.clone(),
            auth::add_scopes_header,
        ))
        .layer(middleware::from_fn_with_state(app.clone(), faults::befall))
        .with_state(app)
}

async fn event_stream(State(app): State<App>, caller: Caller) -> Result<Response, ApiError> {
    caller.require(auth::EVENTS)?;
    let now = Instant::now();
    let mut hall = app.hall.lock();
    if !hall.limiter.admit(Limited::EventStream, &caller.user, now) {
        return Err(ApiError::too_many_requests());
    }
    Ok(nd_json(hall.open_events(&caller.user, now)))
}

/// Answer with a stream of JSON lines.
fn nd_json(body: Body) -> Response {
    ([(CONTENT_TYPE, ND_JSON)], body).into_response()
}
