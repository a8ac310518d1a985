//! Settings: every value of `config/default.toml`, layered with a file, the environment and the command line.
//!
//! Later layers win: embedded defaults, then the file of `--config` (or `POCKETKNIGHT_CONFIG`, or
//! `./config/pocketknight.toml` if there is one), then `POCKETKNIGHT__SECTION__KEY`, then the command line.
//! Each value remembers where it came from, so that messages and `pocketknight config` can say so.

mod book;
mod challenge;
mod chat;
mod clock;
mod data;
mod engine;
mod error;
mod game;
pub mod import;
mod layers;
mod lichess;
mod limit;
mod log;
mod matchmaking;
mod names;
mod reader;
mod shutdown;
mod template;
mod token;
mod tournament;
mod uci;

#[cfg(test)]
mod tests;

pub use book::{BookSelection, BookSettings, ExplorerSettings};
pub use challenge::{ChallengeRules, ChallengeSettings, Preference, Provisional, SPEEDS, SortBy};
pub use chat::{COMMANDS, ChatSettings};
pub use clock::{Clock, UnknownClock};
pub use data::DataSettings;
pub use engine::EngineSettings;
pub use error::{Error, Problem};
pub use game::{CorrespondenceSettings, DrawSettings, GameSettings, ResignSettings};
pub use layers::{Override, Sources};
pub use lichess::LichessSettings;
pub use limit::{AdaptiveSettings, LEVELS, Limit, LimitSettings};
pub use log::{LogFormat, LogSettings};
pub use matchmaking::{MatchmakingSettings, Mode, RatingPreference, WeightedClock};
pub use names::NameList;
pub use shutdown::ShutdownSettings;
pub use template::Template;
pub use tournament::{TournamentSettings, tournament_id};
pub use uci::UciEngineSettings;

use reader::Reader;
use std::fmt;
use std::time::Duration;

/// Text of `config/default.toml`: the only place where defaults are written down.
pub const DEFAULT_TOML: &str = include_str!("../../config/default.toml");

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
    /// Which bots are challenged.
    pub matchmaking: MatchmakingSettings,
    /// Conduct during a game.
    pub game: GameSettings,
    /// Arenas.
    pub tournament: TournamentSettings,
    /// What is written in the chat.
    pub chat: ChatSettings,
    /// Files that are written.
    pub data: DataSettings,
    /// Log on standard error.
    pub log: LogSettings,
    /// Behavior after a termination signal.
    pub shutdown: ShutdownSettings,
    /// Moves that need no search.
    pub book: BookSettings,
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
            engine: EngineSettings::read(r),
            challenge: ChallengeSettings::read(r),
            matchmaking: MatchmakingSettings::read(r),
            game: GameSettings::read(r),
            tournament: TournamentSettings::read(r),
            chat: ChatSettings::read(r),
            data: DataSettings::read(r),
            log: LogSettings::read(r),
            shutdown: ShutdownSettings::read(r),
            book: BookSettings::read(r),
        }
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
