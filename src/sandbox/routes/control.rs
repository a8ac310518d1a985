//! What Lichess does not have: help, and challenges from the scripted opponents on demand.

use super::App;
use crate::sandbox::answer::{ApiError, with_json};
use crate::sandbox::fields::Fields;
use crate::sandbox::serve::HELP;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use std::time::Instant;

pub(super) async fn help() -> &'static str {
    HELP
}

/// Makes the scripted `opponent` challenge `user`; the other fields are those of a challenge, with crazyhouse and
/// a clock of 60+1 unless they say otherwise.
pub(super) async fn challenge(
    State(app): State<App>,
    fields: Fields,
) -> Result<Response, ApiError> {
    let opponent = fields.get("opponent").unwrap_or("greedy").to_lowercase();
    let user = fields
        .get("user")
        .ok_or_else(|| ApiError::form("user", "This field is required"))?;
    let fields = fields.clone().or("variant", "crazyhouse");
    let fields = match (fields.get("clock.limit"), fields.get("days")) {
        (None, None) => fields.or("clock.limit", "60").or("clock.increment", "1"),
        _ => fields,
    };
    let mut hall = app.hall.lock();
    if hall
        .accounts
        .find(&opponent)
        .is_none_or(|user| user.style.is_none())
    {
        let text = "expected random, greedy or engineNODES, perhaps with a number as in greedy-2";
        return Err(ApiError::form("opponent", text));
    }
    let sent = hall.challenge_by_form(&opponent, user, &fields, Instant::now())?;
    Ok(with_json(StatusCode::OK, &sent.json))
}
