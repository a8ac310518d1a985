//! Section `[challenge]`: which challenges are accepted.

use super::reader::Reader;
use super::{HOUR, SECOND};
use std::time::Duration;

/// Speeds of Lichess that the bot can play.
pub const SPEEDS: [&str; 5] = ["ultraBullet", "bullet", "blitz", "rapid", "classical"];

/// Section `[challenge]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChallengeSettings {
    /// Accept challenges at all.
    pub enabled: bool,
    /// Most games at the same time; 0 declines everything.
    pub concurrency: usize,
    /// Accept challenges of humans.
    pub accept_humans: bool,
    /// Accept challenges of bots.
    pub accept_bots: bool,
    /// Accept challenges of players who are not logged in.
    pub accept_anonymous: bool,
    /// Accepted speeds, spelt as in [`SPEEDS`].
    pub speeds: Vec<String>,
    /// Accept rated games.
    pub rated: bool,
    /// Accept casual games.
    pub casual: bool,
    /// Shortest initial clock, seconds.
    pub min_initial_s: u32,
    /// Longest initial clock, seconds.
    pub max_initial_s: u32,
    /// Smallest increment, seconds.
    pub min_increment_s: u32,
    /// Largest increment, seconds.
    pub max_increment_s: u32,
    /// Lowest rating of the challenger.
    pub min_rating: i32,
    /// Highest rating of the challenger.
    pub max_rating: i32,
    /// Ids (lower case) of users who are never accepted.
    pub block: Vec<String>,
    /// Ids (lower case) of the only users who are accepted; empty: everybody.
    pub allow: Vec<String>,
    /// Running and waiting games with one opponent.
    pub max_games_per_opponent: usize,
    /// Challenges that may wait for a free slot.
    pub queue: usize,
    /// A slot kept for an accepted challenge is freed if no game starts in this time.
    pub start_timeout: Duration,
}

impl ChallengeSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "challenge";
        let settings = Self {
            enabled: r.flag(S, "enabled"),
            concurrency: r.number(S, "concurrency", 0..=1000),
            accept_humans: r.flag(S, "accept_humans"),
            accept_bots: r.flag(S, "accept_bots"),
            accept_anonymous: r.flag(S, "accept_anonymous"),
            speeds: r.words(S, "speeds", &SPEEDS),
            rated: r.flag(S, "rated"),
            casual: r.flag(S, "casual"),
            min_initial_s: r.number(S, "min_initial_s", 0..=10800),
            max_initial_s: r.number(S, "max_initial_s", 0..=10800),
            min_increment_s: r.number(S, "min_increment_s", 0..=180),
            max_increment_s: r.number(S, "max_increment_s", 0..=180),
            min_rating: r.number(S, "min_rating", 0..=4000),
            max_rating: r.number(S, "max_rating", 0..=4000),
            block: r.users(S, "block"),
            allow: r.users(S, "allow"),
            max_games_per_opponent: r.number(S, "max_games_per_opponent", 1..=1000),
            queue: r.number(S, "queue", 0..=1000),
            start_timeout: r.duration(S, "start_timeout", SECOND..=HOUR),
        };
        for (low, high, ordered) in [
            (
                "min_initial_s",
                "max_initial_s",
                settings.min_initial_s <= settings.max_initial_s,
            ),
            (
                "min_increment_s",
                "max_increment_s",
                settings.min_increment_s <= settings.max_increment_s,
            ),
            (
                "min_rating",
                "max_rating",
                settings.min_rating <= settings.max_rating,
            ),
        ] {
            if !ordered {
                r.refuse(S, low, &format!("at most challenge.{high}"));
            }
        }
        settings
    }
}
