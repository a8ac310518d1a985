//! Finished and running games for download.

use super::App;
use crate::lichess::model::GameId;
use crate::sandbox::answer::{ApiError, with_json};
use crate::sandbox::record;
use axum::extract::{Path, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

pub(super) async fn export(
    State(app): State<App>,
    Path(id): Path<GameId>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let hall = app.hall.lock();
    let table = hall
        .table(&id)
        .ok_or_else(|| ApiError::not_found("No such game"))?;
    let accept = headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if accept.contains("application/json") {
        return Ok(with_json(StatusCode::OK, &record::json(table)));
    }
    let pgn = record::pgn(table);
    Ok(([(CONTENT_TYPE, "application/x-chess-pgn")], pgn).into_response())
}
