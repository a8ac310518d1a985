//! Settings: every value of `config/default.toml`, layered with a file, the environment and the command line.
//!
//! Later layers win: embedded defaults, then the file of `--config` (or `POCKETKNIGHT_CONFIG`, or
//! `./config/pocketknight.toml` if there is one), then `POCKETKNIGHT__SECTION__KEY`, then the command line.
//! Each value remembers where it came from, so that messages and `pocketknight config` can say so.

mod error;
mod layers;
mod reader;
mod token;

#[cfg(test)]
mod tests;

pub use error::{Error, Problem};
pub use layers::{Override, Sources};

use reader::Reader;
use secrecy::SecretString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Text of `config/default.toml`: the only place where defaults are written down.
pub const DEFAULT_TOML: &str = include_str!("../../config/default.toml");

/// Speeds of Lichess that the bot can play.
pub const SPEEDS: [&str; 5] = ["ultraBullet", "bullet", "blitz", "rapid", "classical"];

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

/// All settings, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Server and account.
    pub lichess: LichessSettings,
    /// Search.
    pub engine: EngineSettings,
    /// Which challenges are accepted.
    pub challenge: ChallengeSettings,
    /// Conduct during a game.
    pub game: GameSettings,
    /// Files that are written.
    pub data: DataSettings,
    /// Log on standard error.
    pub log: LogSettings,
    /// Behavior after a termination signal.
    pub shutdown: ShutdownSettings,
}

/// Section `[lichess]`.
#[derive(Clone, Debug)]
pub struct LichessSettings {
    /// Server: scheme, host and port only.
    pub url: Url,
    /// Token given as text; [`LichessSettings::read_token`] also looks into the file.
    pub token: Option<SecretString>,
    /// File that holds the token. At most one of the two is set.
    pub token_file: Option<PathBuf>,
    /// E-mail or site named in the User-Agent.
    pub contact: Option<String>,
}

/// Section `[engine]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSettings {
    /// Cores for searching, shared by all games; 0: all that the machine has.
    pub cores: usize,
    /// Transposition table of each game, MiB.
    pub hash_mib: usize,
    /// Most search threads of one game.
    pub threads: usize,
    /// Time kept back from each move.
    pub move_overhead: Duration,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// Limit of nodes a move; 0: none.
    pub max_nodes: u64,
    /// Limit of depth in plies; 0: none.
    pub max_depth: u32,
    /// Network to judge positions by, if not the one inside the program.
    pub eval_file: Option<PathBuf>,
}

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

/// Section `[game]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSettings {
    /// Thinking time of the first own move.
    pub first_move_time: Duration,
    /// Thinking time of each move in a game without a clock.
    pub clockless_move_time: Duration,
    /// Abort when a human does not make the first move in this time.
    pub abort_after_human: Duration,
    /// The same for bots.
    pub abort_after_bot: Duration,
    /// Claim the win when the opponent has left.
    pub claim_victory: bool,
    /// Accept draw offers when not better.
    pub accept_draw: bool,
    /// Highest own score at which a draw offer is accepted, centipawns.
    pub accept_draw_score_cp: i32,
    /// Draw offers before this ply are declined.
    pub accept_draw_min_ply: u32,
    /// Takebacks accepted in one game.
    pub max_takebacks: u32,
}

/// Section `[data]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSettings {
    /// Folder of the game records.
    pub dir: PathBuf,
    /// Write finished games as PGN.
    pub pgn: bool,
    /// Write one JSON line per finished game.
    pub results: bool,
}

/// Section `[log]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogSettings {
    /// Level or tracing filter.
    pub level: String,
    /// Form of the lines.
    pub format: LogFormat,
}

/// Form of log lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Section `[shutdown]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShutdownSettings {
    /// How long running games may go on after the first signal.
    pub grace: Duration,
}

/// One value in force, ready to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effective {
    /// Section of the file.
    pub section: &'static str,
    /// Key in the section.
    pub key: &'static str,
    /// Value as it is written in the file; the token is redacted.
    pub value: String,
    /// Layer that the value comes from.
    pub origin: String,
}

/// Settings together with the origin of each value, in the order of the default file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Checked settings.
    pub settings: Settings,
    /// What is in force and why.
    pub values: Vec<Effective>,
}

impl Settings {
    /// Settings of all layers.
    ///
    /// # Errors
    /// [`Error`] for a file that cannot be read or understood, and for unknown keys and values out of range: all
    /// of them at once.
    pub fn load(sources: &Sources) -> Result<Self, Error> {
        Loaded::load(sources).map(|loaded| loaded.settings)
    }

    /// Settings of the embedded file alone.
    ///
    /// # Panics
    /// Never: a test loads the embedded file.
    pub fn defaults() -> Self {
        Self::load(&Sources::default()).expect("the embedded file is loaded by a test")
    }

    fn read(r: &mut Reader) -> Self {
        Self {
            lichess: LichessSettings::read(r),
            engine: EngineSettings {
                cores: r.number("engine", "cores", 0..=4096),
                hash_mib: r.number("engine", "hash_mib", 1..=65536),
                threads: r.number("engine", "threads", 1..=256),
                move_overhead: r.duration("engine", "move_overhead", Duration::ZERO..=MINUTE),
                max_nodes: r.number("engine", "max_nodes", 0..=i64::MAX),
                ponder: r.flag("engine", "ponder"),
                max_depth: r.number("engine", "max_depth", 0..=1000),
                eval_file: r.optional_path("engine", "eval_file"),
            },
            challenge: ChallengeSettings::read(r),
            game: GameSettings {
                first_move_time: r.duration("game", "first_move_time", Duration::ZERO..=MINUTE),
                clockless_move_time: r.duration(
                    "game",
                    "clockless_move_time",
                    Duration::ZERO..=HOUR,
                ),
                abort_after_human: r.duration("game", "abort_after_human", SECOND..=24 * HOUR),
                abort_after_bot: r.duration("game", "abort_after_bot", SECOND..=24 * HOUR),
                claim_victory: r.flag("game", "claim_victory"),
                accept_draw: r.flag("game", "accept_draw"),
                accept_draw_score_cp: r.number("game", "accept_draw_score_cp", -100_000..=100_000),
                accept_draw_min_ply: r.number("game", "accept_draw_min_ply", 0..=100_000),
                max_takebacks: r.number("game", "max_takebacks", 0..=100_000),
            },
            data: DataSettings {
                dir: r.required_path("data", "dir"),
                pgn: r.flag("data", "pgn"),
                results: r.flag("data", "results"),
            },
            log: LogSettings {
                level: r.log_filter("log", "level"),
                format: r.choice(
                    "log",
                    "format",
                    &[("text", LogFormat::Text), ("json", LogFormat::Json)],
                ),
            },
            shutdown: ShutdownSettings {
                grace: r.duration("shutdown", "grace", Duration::ZERO..=24 * HOUR),
            },
        }
    }
}

impl LichessSettings {
    fn read(r: &mut Reader) -> Self {
        Self {
            url: r.server_url("lichess", "url"),
            token: r.token("lichess", "token"),
            token_file: r.optional_path("lichess", "token_file"),
            contact: r.contact("lichess", "contact"),
        }
    }
}

impl ChallengeSettings {
    fn read(r: &mut Reader) -> Self {
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

impl Loaded {
    /// Settings of all layers with their origins.
    ///
    /// # Errors
    /// As [`Settings::load`].
    pub fn load(sources: &Sources) -> Result<Self, Error> {
        let (merged, problems) = layers::merge(sources)?;
        let mut reader = Reader::new(merged, problems);
        let settings = Settings::read(&mut reader);
        let values = reader.finish()?;
        Ok(Self { settings, values })
    }
}

impl fmt::Display for Loaded {
    /// All values as a settings file, each with its origin as a comment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut section = "";
        for v in &self.values {
            if v.section != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                writeln!(f, "{gap}[{}]", v.section)?;
                section = v.section;
            }
            writeln!(f, "{} = {} # {}", v.key, v.value, v.origin)?;
        }
        Ok(())
    }
}
