//! What the wire model makes of lines.

mod odd;
mod proper;

use pocketknight::lichess::{Challenge, Event, GameEvent, GameFull, GameInfo, GameState};

const APPENDIX: &str = include_str!("../../data/appendix_a.ndjson");

fn line(number: usize) -> &'static str {
    APPENDIX.lines().nth(number).unwrap()
}

fn event(text: &str) -> Event {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn game_event(text: &str) -> GameEvent {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn challenge(text: &str) -> Challenge {
    match event(text) {
        Event::Challenge { challenge, .. } | Event::ChallengeDeclined { challenge } => *challenge,
        other => panic!("{other:?}"),
    }
}

fn game(text: &str) -> GameInfo {
    match event(text) {
        Event::GameStart { game } | Event::GameFinish { game } => *game,
        other => panic!("{other:?}"),
    }
}

fn state(text: &str) -> GameState {
    match game_event(text) {
        GameEvent::GameState(state) => state,
        other => panic!("{other:?}"),
    }
}

fn full(text: &str) -> GameFull {
    match game_event(text) {
        GameEvent::GameFull(full) => *full,
        other => panic!("{other:?}"),
    }
}
