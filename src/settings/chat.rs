//! Section `[chat]`: what the bot writes to players and spectators.

use super::HOUR;
use super::reader::Reader;
use super::template::Template;
use std::time::Duration;

/// Commands that the bot can answer.
pub const COMMANDS: [&str; 10] = [
    "help", "name", "engine", "eval", "pv", "draw", "takeback", "rating", "queue", "ping",
];

/// Placeholders of farewells; a greeting has all but the last.
const GOODBYE: [&str; 12] = [
    "me",
    "opponent",
    "engine",
    "version",
    "speed",
    "clock",
    "rating",
    "opponent_rating",
    "cores",
    "threads",
    "hash",
    "result",
];
/// Placeholders of greetings: there is no result yet.
const HELLO: &[&str] = GOODBYE.split_at(GOODBYE.len() - 1).0;

/// Section `[chat]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatSettings {
    /// Write at all.
    pub enabled: bool,
    /// Greeting to the opponent.
    pub hello: Template,
    /// Greeting to the spectators.
    pub hello_spectators: Template,
    /// Farewell to the opponent.
    pub goodbye: Template,
    /// Farewell to the spectators.
    pub goodbye_spectators: Template,
    /// Greet in games against humans.
    pub greet_humans: bool,
    /// Greet in games against bots.
    pub greet_bots: bool,
    /// Answered commands, spelt as in [`COMMANDS`].
    pub commands: Vec<String>,
    /// Answer commands of an opponent that is a bot.
    pub answer_bots: bool,
    /// Commands of a user are ignored for so long after an answer.
    pub command_pause: Duration,
}

impl ChatSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "chat";
        Self {
            enabled: r.flag(S, "enabled"),
            hello: r.template(S, "hello", HELLO),
            hello_spectators: r.template(S, "hello_spectators", HELLO),
            goodbye: r.template(S, "goodbye", &GOODBYE),
            goodbye_spectators: r.template(S, "goodbye_spectators", &GOODBYE),
            greet_humans: r.flag(S, "greet_humans"),
            greet_bots: r.flag(S, "greet_bots"),
            commands: r.words(S, "commands", &COMMANDS),
            answer_bots: r.flag(S, "answer_bots"),
            command_pause: r.duration(S, "command_pause", Duration::ZERO..=HOUR),
        }
    }
}
