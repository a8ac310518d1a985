//! Section `[matchmaking]`: which bots are challenged, with what, and how often.

use super::clock::Clock;
use super::reader::Reader;
use super::{HOUR, MINUTE, SECOND};
use std::str::FromStr;
use std::time::Duration;

/// Rated or casual.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Rated games only.
    Rated,
    /// Casual games only.
    Casual,
    /// Drawn by lot.
    #[default]
    Random,
}

/// Which opponents come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RatingPreference {
    /// Drawn by lot.
    #[default]
    None,
    /// The strongest.
    High,
    /// The weakest.
    Low,
    /// Those whose rating is closest to ours.
    Close,
}

/// A clock and how often it is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WeightedClock {
    /// Clock that Lichess lets bots challenge with.
    pub clock: Clock,
    /// Weight, 1 to 1000.
    pub weight: u32,
}

impl FromStr for WeightedClock {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (clock, weight) = match text.split_once(':') {
            Some((clock, weight)) => (clock, weight.trim().parse().map_err(|_| ())?),
            None => (text, 1),
        };
        let clock: Clock = clock.parse().map_err(|_| ())?;
        if clock.is_for_bots() && (1..=1000).contains(&weight) {
            Ok(Self { clock, weight })
        } else {
            Err(())
        }
    }
}

/// Section `[matchmaking]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchmakingSettings {
    /// Challenge other bots when idle.
    pub enabled: bool,
    /// Time without a game before a bot is challenged.
    pub idle_delay: Duration,
    /// Challenge also while games run.
    pub allow_during_games: bool,
    /// Clocks to draw from; never empty.
    pub clocks: Vec<WeightedClock>,
    /// Rated or casual.
    pub mode: Mode,
    /// Two games with each opponent, with colors swapped.
    pub pairs: bool,
    /// Ids (lower case) of the only bots that are challenged; empty: all.
    pub opponents: Vec<String>,
    /// Crazyhouse games that an opponent must have played.
    pub min_games: u32,
    /// Lowest rating of an opponent.
    pub min_rating: i32,
    /// Highest rating of an opponent.
    pub max_rating: i32,
    /// Greatest difference to our rating.
    pub max_rating_difference: i32,
    /// Who is asked first.
    pub rating_preference: RatingPreference,
    /// Games with bots in 24 hours after which nobody is challenged.
    pub games_per_day: u32,
    /// Cost of challenges in 24 hours: 1 to a bot, 5 to a human.
    pub challenges_per_day: u32,
    /// A challenge that is not answered in this time is taken back.
    pub challenge_timeout: Duration,
    /// Pause before the next challenge when one was not accepted.
    pub retry_pause: Duration,
    /// A bot that declined is not asked for the same again in this time; doubles each time.
    pub backoff: Duration,
    /// Longest such time.
    pub max_backoff: Duration,
}

impl MatchmakingSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "matchmaking";
        const CLOCKS: &str = "clocks such as \"3+2\" or \"3+2:4\" with a weight of 1 to 1000; increments up to 60 s, and \
                              initial time + 40 increments at least 30 s";
        let settings = Self {
            enabled: r.flag(S, "enabled"),
            idle_delay: r.duration(S, "idle_delay", Duration::ZERO..=24 * HOUR),
            allow_during_games: r.flag(S, "allow_during_games"),
            clocks: r.parsed(S, "clocks", CLOCKS),
            mode: r.choice(
                S,
                "mode",
                &[
                    ("rated", Mode::Rated),
                    ("casual", Mode::Casual),
                    ("random", Mode::Random),
                ],
            ),
            pairs: r.flag(S, "pairs"),
            opponents: r.users(S, "opponents"),
            min_games: r.number(S, "min_games", 0..=1_000_000),
            min_rating: r.number(S, "min_rating", 0..=4000),
            max_rating: r.number(S, "max_rating", 0..=4000),
            max_rating_difference: r.number(S, "max_rating_difference", 0..=4000),
            rating_preference: r.choice(
                S,
                "rating_preference",
                &[
                    ("none", RatingPreference::None),
                    ("high", RatingPreference::High),
                    ("low", RatingPreference::Low),
                    ("close", RatingPreference::Close),
                ],
            ),
            games_per_day: r.number(S, "games_per_day", 0..=1000),
            challenges_per_day: r.number(S, "challenges_per_day", 0..=200),
            challenge_timeout: r.duration(S, "challenge_timeout", SECOND..=10 * MINUTE),
            retry_pause: r.duration(S, "retry_pause", SECOND..=24 * HOUR),
            backoff: r.duration(S, "backoff", MINUTE..=720 * HOUR),
            max_backoff: r.duration(S, "max_backoff", MINUTE..=720 * HOUR),
        };
        if settings.clocks.is_empty() {
            r.refuse(S, "clocks", CLOCKS);
        }
        if settings.min_rating > settings.max_rating {
            r.refuse(S, "min_rating", "at most matchmaking.max_rating");
        }
        if settings.backoff > settings.max_backoff {
            r.refuse(S, "backoff", "at most matchmaking.max_backoff");
        }
        settings
    }
}
