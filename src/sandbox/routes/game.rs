//! Streams, moves and other actions of games.

use super::{App, nd_json};
use crate::lichess::model::{ChatRoom, GameId};
use crate::sandbox::answer::{ApiError, Done, with_json};
use crate::sandbox::auth::{ADD_TIME, BOT, Caller};
use crate::sandbox::fields::Fields;
use crate::sandbox::game::Claim;
use crate::sandbox::hall::Action;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(super) async fn stream(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<GameId>,
) -> Result<Response, ApiError> {
    caller.require(BOT)?;
    let body = app
        .hall
        .lock()
        .open_game(&caller.user, &id, &caller.agent, Instant::now())?;
    Ok(nd_json(body))
}

pub(super) async fn act(
    State(app): State<App>,
    caller: Caller,
    Path((id, command)): Path<(GameId, String)>,
    fields: Fields,
) -> Result<Done, ApiError> {
    caller.require(BOT)?;
    let action = action_of(&command, &fields)?;
    app.hall
        .lock()
        .act(&caller.user, &id, action, Instant::now())?;
    Ok(Done)
}

pub(super) async fn add_time(
    State(app): State<App>,
    caller: Caller,
    Path((id, seconds)): Path<(GameId, u64)>,
) -> Result<Done, ApiError> {
    caller.require(ADD_TIME)?;
    if !(5..=60).contains(&seconds) {
        return Err(ApiError::bad_request("Invalid seconds"));
    }
    let action = Action::AddTime(Duration::from_secs(seconds));
    app.hall
        .lock()
        .act(&caller.user, &id, action, Instant::now())?;
    Ok(Done)
}

pub(super) async fn say(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<GameId>,
    fields: Fields,
) -> Result<Done, ApiError> {
    caller.require(BOT)?;
    let room = match fields.get("room") {
        Some("player") => ChatRoom::Player,
        Some("spectator") => ChatRoom::Spectator,
        _ => return Err(ApiError::form("room", "Invalid value")),
    };
    let action = Action::Chat {
        room,
        text: fields.get("text").unwrap_or_default().to_owned(),
    };
    app.hall
        .lock()
        .act(&caller.user, &id, action, Instant::now())?;
    Ok(Done)
}

pub(super) async fn chat(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<GameId>,
) -> Result<Response, ApiError> {
    caller.require(BOT)?;
    chat_of(&app, &id, ChatRoom::Player)
}

pub(super) async fn spectator_chat(
    State(app): State<App>,
    Path(id): Path<GameId>,
) -> Result<Response, ApiError> {
    chat_of(&app, &id, ChatRoom::Spectator)
}

fn chat_of(app: &App, id: &GameId, room: ChatRoom) -> Result<Response, ApiError> {
    let hall = app.hall.lock();
    let table = hall
        .table(id)
        .ok_or_else(|| ApiError::not_found("No such game"))?;
    let lines = table.chat.iter().filter(|line| line.room == room);
    let list = lines
        .map(|line| json!({"text": line.text, "user": line.username}))
        .collect();
    Ok(with_json(StatusCode::OK, &Value::Array(list)))
}

/// Action of the part of the path after the game id.
fn action_of(command: &str, fields: &Fields) -> Result<Action, ApiError> {
    let (verb, word) = command.split_once('/').unwrap_or((command, ""));
    let yes = || match word {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(ApiError::not_found("No such command")),
    };
    match verb {
        "move" if !word.is_empty() => Ok(Action::Move {
            uci: word.to_owned(),
            offering_draw: fields.flag("offeringDraw"),
        }),
        "draw" => Ok(Action::Draw(yes()?)),
        "takeback" => Ok(Action::Takeback(yes()?)),
        _ if !word.is_empty() => Err(ApiError::not_found("No such command")),
        "abort" => Ok(Action::Abort),
        "resign" => Ok(Action::Resign),
        "claim-victory" => Ok(Action::Claim(Claim::Win)),
        "claim-draw" => Ok(Action::Claim(Claim::Draw)),
        "berserk" => Err(ApiError::bad_request("Cannot berserk")),
        _ => Err(ApiError::not_found("No such command")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_the_path() {
        let none = Fields::default();
        let draw = Fields::of_urlencoded(b"offeringDraw=true");
        let play = |offering_draw| {
            Ok(Action::Move {
                uci: "P@e4".into(),
                offering_draw,
            })
        };
        assert_eq!(action_of("move/P@e4", &none), play(None));
        assert_eq!(action_of("move/P@e4", &draw), play(Some(true)));
        assert_eq!(action_of("draw/no", &none), Ok(Action::Draw(false)));
        assert_eq!(
            action_of("claim-victory", &none),
            Ok(Action::Claim(Claim::Win))
        );
        for unknown in ["castle", "draw/maybe", "abort/now", "move"] {
            let error = action_of(unknown, &none).unwrap_err();
            assert_eq!(error, ApiError::not_found("No such command"), "{unknown}");
        }
    }
}
