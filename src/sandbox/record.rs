//! Records of games: PGN with the tags of Lichess, and the JSON of its export.

use super::table::{Table, side};
use crate::lichess::model::{GameStatus, TimeControl};
use crate::rules::Color;
use crate::rules::pgn::{self, GameResult, Note, Tags};
use serde_json::{Value, json};

/// Game as PGN with clocks.
pub(super) fn pgn(table: &Table) -> String {
    let referee = &table.referee;
    let result = match referee.status() {
        GameStatus::Created | GameStatus::Started | GameStatus::Aborted => GameResult::Unfinished,
        _ => GameResult::from_winner(referee.winner()),
    };
    pgn::write(&tags(table), referee.game(), &notes(table), result)
}

fn tags(table: &Table) -> Tags {
    let (date, time) = date_and_time(table.created_at);
    let mode = if table.request.rated {
        "Rated"
    } else {
        "Casual"
    };
    let mut tags = Tags::new();
    tags.set("Event", format!("{mode} Crazyhouse game"));
    tags.set("Site", format!("https://lichess.org/{}", table.id));
    tags.set("Date", date.clone());
    tags.set("GameId", table.id.as_str());
    tags.set("UTCDate", date);
    tags.set("UTCTime", time);
    for (color, name) in [(Color::White, "White"), (Color::Black, "Black")] {
        let seat = table.seat(color);
        tags.set(name, seat.player.display_name());
        if let Some(rating) = seat.player.rating {
            tags.set(&format!("{name}Elo"), rating.to_string());
        }
        if let Some(diff) = seat.rating_diff {
            tags.set(&format!("{name}RatingDiff"), format!("{diff:+}"));
        }
        if let Some(title) = &seat.player.title {
            tags.set(&format!("{name}Title"), title);
        }
    }
    tags.set("TimeControl", time_control(&table.request.time_control));
    tags.set("Termination", termination(table.referee.status()));
    tags
}

fn notes(table: &Table) -> Vec<Note> {
    let Some(clock) = table.referee.clock() else {
        return Vec::new();
    };
    let left = |ply: usize| {
        let color = if ply.is_multiple_of(2) {
            Color::White
        } else {
            Color::Black
        };
        clock.history(color).get(ply / 2).copied()
    };
    (0..table.referee.plies())
        .map(|ply| Note {
            clock: left(ply),
            ..Note::default()
        })
        .collect()
}

/// Game as the export answers with `Accept: application/json`.
pub(super) fn json(table: &Table) -> Value {
    let referee = &table.referee;
    let player = |color: Color| {
        let seat = table.seat(color);
        let mut user = json!({"id": seat.user, "name": seat.player.display_name()});
        if let Some(title) = &seat.player.title {
            user["title"] = title.as_str().into();
        }
        let mut player = json!({"user": user, "rating": seat.player.rating});
        if let Some(diff) = seat.rating_diff {
            player["ratingDiff"] = diff.into();
        }
        player
    };
    let positions = referee.game().positions();
    let san: Vec<String> = referee
        .game()
        .moves()
        .iter()
        .zip(positions)
        .map(|(&m, before)| before.san(m))
        .collect();
    let mut game = json!({
        "id": table.id,
        "rated": table.request.rated,
        "variant": "crazyhouse",
        "speed": table.request.speed(),
        "perf": "crazyhouse",
        "source": "friend",
        "createdAt": table.created_at,
        "lastMoveAt": table.ended_at.unwrap_or(table.created_at),
        "status": referee.status(),
        "players": {"white": player(Color::White), "black": player(Color::Black)},
        "moves": san.join(" "),
    });
    if let Some(winner) = referee.winner() {
        game["winner"] = json!(side(winner));
    }
    if let TimeControl::Clock {
        limit, increment, ..
    } = table.request.time_control
    {
        let total = limit + 40 * increment;
        game["clock"] = json!({"initial": limit, "increment": increment, "totalTime": total});
    }
    game
}

/// Date and time of PGN tags for ms since the epoch.
fn date_and_time(millis: i64) -> (String, String) {
    let time = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    (
        time.strftime("%Y.%m.%d").to_string(),
        time.strftime("%H:%M:%S").to_string(),
    )
}

fn time_control(control: &TimeControl) -> String {
    match control {
        TimeControl::Clock {
            limit, increment, ..
        } => format!("{limit}+{increment}"),
        TimeControl::Correspondence { .. } | TimeControl::Unlimited | TimeControl::Unknown => {
            "-".to_owned()
        }
    }
}

const fn termination(status: GameStatus) -> &'static str {
    match status {
        GameStatus::Created | GameStatus::Started => "Unterminated",
        GameStatus::OutOfTime => "Time forfeit",
        GameStatus::Aborted | GameStatus::Timeout | GameStatus::NoStart => "Abandoned",
        GameStatus::Cheat => "Rules infraction",
        _ => "Normal",
    }
}
