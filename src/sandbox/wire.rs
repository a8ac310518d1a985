//! JSON of challenges and accounts, with the keys that the shared wire types leave out because our client does not
//! need them.

use super::accounts::{Accounts, User};
use super::challenges::{Challenge, decline_text};
use super::table::side;
use crate::lichess::model;
use serde::Serialize;
use serde_json::{Value, json};

/// JSON of a value that always has one.
pub(super) fn json_of(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Challenge object. `direction` is `in` or `out` in answers and absent on the event stream.
pub(super) fn challenge(
    challenge: &Challenge,
    accounts: &Accounts,
    online: impl Fn(&str) -> bool,
    direction: Option<&str>,
) -> Value {
    let user = |id: &str| accounts.get(id).map(|user| user.challenge_user(online(id)));
    let request = &challenge.request;
    let object = model::Challenge {
        id: challenge.id.clone(),
        url: format!("https://lichess.org/{}", challenge.id),
        status: challenge.status.borrow().word().to_owned(),
        challenger: user(&challenge.challenger),
        dest_user: user(&challenge.dest),
        variant: request.variant.clone(),
        rated: request.rated,
        speed: request.speed(),
        time_control: request.time_control.clone(),
        color: request.color.word().to_owned(),
        final_color: Some(side(challenge.final_color)),
        direction: direction.map(str::to_owned),
        initial_fen: request.initial_fen.clone(),
        rematch_of: None,
        rules: request.rules.clone(),
        decline_reason: challenge
            .declined
            .map(|reason| decline_text(reason).to_owned()),
        decline_reason_key: challenge
            .declined
            .map(|reason| reason.word().to_lowercase()),
    };
    let mut value = json_of(&object);
    if let Value::Object(fields) = &mut value {
        fields.insert(
            "perf".to_owned(),
            json!({"icon": "\u{e00b}", "name": request.variant.name}),
        );
    }
    value
}

/// User object of the account endpoints. `playing` names the game the user is playing, if any.
pub(super) fn account(user: &User, playing: Option<&str>) -> Value {
    let mut value = json_of(&user.account());
    if let Value::Object(fields) = &mut value {
        fields.insert("createdAt".to_owned(), user.created_at.into());
        fields.insert(
            "seenAt".to_owned(),
            jiff::Timestamp::now().as_millisecond().into(),
        );
        fields.insert(
            "url".to_owned(),
            format!("https://lichess.org/@/{}", user.name).into(),
        );
        fields.insert("playTime".to_owned(), json!({"total": 0, "tv": 0}));
        fields.insert(
            "count".to_owned(),
            json!({"all": user.games, "rated": user.rated_games}),
        );
        if let Some(game) = playing {
            fields.insert(
                "playing".to_owned(),
                format!("https://lichess.org/{game}").into(),
            );
        }
    }
    value
}

/// Entry of `/api/users/status`.
pub(super) fn user_status(user: &User, online: bool, playing: bool) -> Value {
    let mut value = json!({"id": user.id, "name": user.name});
    if user.is_bot {
        value["title"] = "BOT".into();
    }
    // Lichess leaves these out instead of saying no.
    if online {
        value["online"] = true.into();
    }
    if playing {
        value["playing"] = true.into();
    }
    value
}
