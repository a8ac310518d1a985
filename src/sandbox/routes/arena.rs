//! Arenas.

use super::App;
use crate::sandbox::answer::{ApiError, Done, with_json};
use crate::sandbox::auth::{Caller, TOURNAMENT};
use crate::sandbox::fields::Fields;
use crate::sandbox::wire;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use std::time::Instant;

pub(super) async fn open(State(app): State<App>, fields: Fields) -> Result<Response, ApiError> {
    let arena = app.hall.lock().open_arena(&fields, Instant::now())?;
    Ok(with_json(StatusCode::OK, &wire::json_of(&arena)))
}

pub(super) async fn list(State(app): State<App>) -> Response {
    let list = app.hall.lock().list_arenas(Instant::now());
    with_json(StatusCode::OK, &wire::json_of(&list))
}

pub(super) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let arena = app.hall.lock().show_arena(&id, Instant::now())?;
    Ok(with_json(StatusCode::OK, &wire::json_of(&arena)))
}

pub(super) async fn join(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Done, ApiError> {
    caller.require(TOURNAMENT)?;
    let mut hall = app.hall.lock();
    hall.join_arena(&caller.user, &id, fields.get("password"), Instant::now())?;
    Ok(Done)
}

pub(super) async fn withdraw(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Done, ApiError> {
    caller.require(TOURNAMENT)?;
    app.hall.lock().withdraw_from_arena(&caller.user, &id)?;
    Ok(Done)
}
