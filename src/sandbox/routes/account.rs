//! Accounts and tokens.

use super::{App, nd_json};
use crate::lichess::model::TokenInfo;
use crate::sandbox::answer::{ApiError, Done, with_json};
use crate::sandbox::auth::{BOT, Caller};
use crate::sandbox::fields::Fields;
use crate::sandbox::limits::Limited;
use crate::sandbox::wire;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value};
use std::time::Instant;

/// Running games listed unless the client says otherwise.
const USUAL_GAMES: u32 = 9;

/// Online bots listed unless the client says otherwise.
const USUAL_BOTS: u32 = 100;

/// Most tokens tested at once.
const MOST_TOKENS: usize = 1000;

/// Most accounts in one status request.
const MOST_STATUSES: usize = 100;

pub(super) async fn test_tokens(State(app): State<App>, body: String) -> Response {
    let hall = app.hall.lock();
    let mut answer = Map::new();
    for token in body
        .split(',')
        .map(str::trim)
        .filter(|token| !token.is_empty())
        .take(MOST_TOKENS)
    {
        let info = hall.accounts.grant(token).map(|grant| TokenInfo {
            user_id: grant.user.clone(),
            scopes: grant.scopes.join(","),
            expires: None,
        });
        answer.insert(token.to_owned(), wire::json_of(&info));
    }
    with_json(StatusCode::OK, &Value::Object(answer))
}

pub(super) async fn account(State(app): State<App>, caller: Caller) -> Result<Response, ApiError> {
    let mut hall = app.hall.lock();
    if !hall
        .limiter
        .admit(Limited::Account, &caller.user, Instant::now())
    {
        return Err(ApiError::too_many_requests());
    }
    drop(hall);
    answer_user(&app, &caller.user)
}

pub(super) async fn user(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    answer_user(&app, &name)
}

pub(super) async fn playing(
    State(app): State<App>,
    caller: Caller,
    fields: Fields,
) -> Result<Response, ApiError> {
    let most = fields.number("nb")?.unwrap_or(USUAL_GAMES) as usize;
    let list = app.hall.lock().playing(&caller.user, most, Instant::now());
    Ok(with_json(StatusCode::OK, &list))
}

pub(super) async fn upgrade(State(app): State<App>, caller: Caller) -> Result<Done, ApiError> {
    caller.require(BOT)?;
    let mut hall = app.hall.lock();
    let user = hall.accounts.get_mut(&caller.user);
    let user = user.ok_or_else(|| ApiError::not_found("Not found"))?;
    if user.games > 0 && !user.is_bot {
        return Err(ApiError::bad_request(
            "You already have games played. Make a new account.",
        ));
    }
    user.upgrade();
    Ok(Done)
}

pub(super) async fn online_bots(
    State(app): State<App>,
    fields: Fields,
) -> Result<Response, ApiError> {
    let most = fields.number("nb")?.unwrap_or(USUAL_BOTS).clamp(1, 512) as usize;
    let bots = app.hall.lock().online_bots(most);
    let lines: Vec<String> = bots.iter().map(Value::to_string).collect();
    Ok(nd_json((lines.join("\n") + "\n").into()))
}

pub(super) async fn statuses(State(app): State<App>, fields: Fields) -> Response {
    let mut hall = app.hall.lock();
    let mut list = Vec::new();
    for name in fields
        .get("ids")
        .unwrap_or_default()
        .split(',')
        .take(MOST_STATUSES)
    {
        let Some(user) = hall.accounts.find(name.trim()).cloned() else {
            continue;
        };
        let is_playing = hall.current_game(&user.id).is_some();
        list.push(wire::user_status(
            &user,
            hall.is_online(&user.id),
            is_playing,
        ));
    }
    with_json(StatusCode::OK, &Value::Array(list))
}

fn answer_user(app: &App, name: &str) -> Result<Response, ApiError> {
    let mut hall = app.hall.lock();
    let user = hall.accounts.find(name).cloned();
    let user = user.ok_or_else(|| ApiError::not_found("Not found"))?;
    let value = wire::account(&user, hall.current_game(&user.id));
    Ok(with_json(StatusCode::OK, &value))
}
