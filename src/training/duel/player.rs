//! Players of a match: what they judge positions by, and how long they may think.

use crate::engine::{Evaluation, ParamError, Params, Strength};
use crate::eval_file::{self, EvalFileError};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Most nodes for one move.
const MOST_NODES: u64 = 1_000_000_000_000;
/// Most milliseconds for one move.
const MOST_MOVE_MS: u64 = 3_600_000;
/// Most milliseconds that each move loses.
const MOST_LAG_MS: u64 = 60_000;
/// Most seconds of a clock and of its increment.
const MOST_CLOCK_S: f64 = 86_400.0;
/// Largest transposition table, MiB.
const MOST_HASH_MIB: u64 = 65_536;

/// What ends the searches of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// So many nodes a move, at least 1.
    Nodes(u64),
    /// So much time a move.
    MoveTime(Duration),
    /// A clock for the whole game; who oversteps it loses.
    Clock(TimeControl),
}

/// As in `5000 nodes a move`, `100 ms a move`, `2+0.02 s`.
impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Self::MoveTime(time) => write!(f, "{} ms a move", time.as_millis()),
            Self::Clock(control) => write!(f, "{control} s"),
        }
    }
}

/// Time for a whole game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// Time at the start, more than 0.
    pub base: Duration,
    /// Added after every own move.
    pub increment: Duration,
}

/// As in `2+0.02`: seconds.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, increment) = (self.base.as_secs_f64(), self.increment.as_secs_f64());
        write!(f, "{base}+{increment}")
    }
}

/// A text that is no time control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "time control {0:?}, expected SECONDS+INCREMENT such as 2+0.02, the first above 0, both at most 86400"
)]
pub struct TimeControlError(String);

/// `SECONDS+INCREMENT`, or `SECONDS` alone.
impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |text: &str| {
            let seconds: f64 = text.trim().parse().ok()?;
            // Not a number is in no range.
            (0.0..=MOST_CLOCK_S)
                .contains(&seconds)
                .then(|| Duration::from_secs_f64(seconds))
        };
        match (seconds(base), seconds(increment)) {
            (Some(base), Some(increment)) if !base.is_zero() => Ok(Self { base, increment }),
            _ => Err(TimeControlError(text.to_owned())),
        }
    }
}

/// Where a player has its evaluation from.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    Default,
    Material,
    File(PathBuf),
}

/// Player as it is asked for: `default`, `material` or a network file, each with settings of its own behind commas,
/// as in `new.pknn,hash=32,nodes=10000` or `default,tc=60+0,lag=150`. Constants of the search are settings too, as in
/// `default,razor=400`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerSpec {
    text: String,
    source: Source,
    hash_mib: Option<usize>,
    strength: Option<Strength>,
    pace: Option<Pace>,
    params: Params,
    lag: Option<Duration>,
}

/// Why a text is no player, or a player cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// Nothing before the settings.
    #[error("player {0:?}, expected a network file, default or material before the settings")]
    Missing(String),
    /// Not one of the settings.
    #[error(
        "player setting {0:?}, expected hash=MIB, elo=N, nodes=N, movetime=MS, tc=SECONDS+INCREMENT, lag=MS or a search \
         constant"
    )]
    Setting(String),
    /// Number outside of its range.
    #[error("player setting {name}={value:?}, expected a whole number from 1 to {most}")]
    Number {
        /// Setting.
        name: &'static str,
        /// What was given.
        value: String,
        /// Largest number.
        most: u64,
    },
    /// Constant of the search that is no whole number.
    #[error("player setting {name}={value:?}, expected a whole number")]
    NoNumber {
        /// Constant.
        name: String,
        /// What was given.
        value: String,
    },
    /// Constant of the search out of its range.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Level that there is not.
    #[error("player setting elo={0:?}, expected a whole number from {low} to {high}", low = Strength::LOWEST, high = Strength::HIGHEST)]
    Strength(String),
    /// Clock that cannot be read.
    #[error("player setting tc: {0}")]
    Clock(#[from] TimeControlError),
    /// A setting twice, or more than one limit of thinking.
    #[error(
        "player {0:?}, expected hash, elo and lag at most once and at most one of nodes, movetime and tc"
    )]
    Twice(String),
    /// Lag without a clock to take it from.
    #[error("player {0:?}, expected lag only with a clock (tc=SECONDS+INCREMENT or --tc)")]
    Lag(String),
    /// The file cannot be read or is no network.
    #[error(transparent)]
    File(#[from] EvalFileError),
}

impl FromStr for PlayerSpec {
    type Err = PlayerError;

    fn from_str(text: &str) -> Result<Self, PlayerError> {
        let mut parts = text.split(',');
        let source = match parts.next().unwrap_or_default() {
            "" => return Err(PlayerError::Missing(text.to_owned())),
            "default" => Source::Default,
            "material" => Source::Material,
            path => Source::File(PathBuf::from(path)),
        };
        let mut spec = Self {
            text: text.to_owned(),
            source,
            hash_mib: None,
            strength: None,
            pace: None,
            params: Params::default(),
            lag: None,
        };
        for part in parts {
            let unknown = || PlayerError::Setting(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(unknown)?;
            let pace = match name {
                "hash" => {
                    let mib = number("hash", value, MOST_HASH_MIB)? as usize;
                    if spec.hash_mib.replace(mib).is_some() {
                        return Err(PlayerError::Twice(text.to_owned()));
                    }
                    continue;
                }
                "elo" => {
                    if spec.strength.replace(strength(value)?).is_some() {
                        return Err(PlayerError::Twice(text.to_owned()));
                    }
                    continue;
                }
                "lag" => {
                    let ms = number("lag", value, MOST_LAG_MS)?;
                    if spec.lag.replace(Duration::from_millis(ms)).is_some() {
                        return Err(PlayerError::Twice(text.to_owned()));
                    }
                    continue;
                }
                "nodes" => Pace::Nodes(number("nodes", value, MOST_NODES)?),
                "movetime" => {
                    let ms = number("movetime", value, MOST_MOVE_MS)?;
                    Pace::MoveTime(Duration::from_millis(ms))
                }
                "tc" => Pace::Clock(value.parse()?),
                name if spec.params.get(name).is_some() => {
                    let number = value.parse().map_err(|_| PlayerError::NoNumber {
                        name: name.to_owned(),
                        value: value.to_owned(),
                    })?;
                    spec.params.set(name, number)?;
                    continue;
                }
                _ => return Err(unknown()),
            };
            if spec.pace.replace(pace).is_some() {
                return Err(PlayerError::Twice(text.to_owned()));
            }
        }
        Ok(spec)
    }
}

fn number(name: &'static str, value: &str, most: u64) -> Result<u64, PlayerError> {
    let number = value.parse().ok().filter(|n| (1..=most).contains(n));
    number.ok_or_else(|| PlayerError::Number {
        name,
        value: value.to_owned(),
        most,
    })
}

fn strength(value: &str) -> Result<Strength, PlayerError> {
    let strength = value.parse().ok().and_then(Strength::new);
    strength.ok_or_else(|| PlayerError::Strength(value.to_owned()))
}

impl PlayerSpec {
    /// Player of this specification; `hash_mib` and `pace` hold where it says nothing. Reads the network.
    ///
    /// # Errors
    /// If the file cannot be read or is no network, or if there is a lag but no clock.
    pub fn load(&self, hash_mib: usize, pace: Pace) -> Result<Player, PlayerError> {
        let pace = self.pace.unwrap_or(pace);
        if self.lag.is_some() && !matches!(pace, Pace::Clock(_)) {
            return Err(PlayerError::Lag(self.text.clone()));
        }
        let (evaluation, details) = match &self.source {
            Source::Default => (Evaluation::default(), None),
            Source::Material => (Evaluation::Material, None),
            Source::File(path) => {
                let network = eval_file::load(path)?;
                let details = format!("{}, {:08x}", network.architecture(), network.checksum());
                (Evaluation::Network(network), Some(details))
            }
        };
        let name = self.text.split(',').next().unwrap_or_default();
        Ok(Player {
            name: name.to_owned(),
            details,
            evaluation,
            hash_mib: self.hash_mib.unwrap_or(hash_mib),
            strength: self.strength,
            pace,
            params: self.params,
            lag: self.lag.unwrap_or_default(),
        })
    }
}

/// Player of a match.
#[derive(Clone, Debug)]
pub struct Player {
    /// Name in reports and records.
    pub name: String,
    /// Size and checksum of its network.
    pub details: Option<String>,
    /// What it judges positions by.
    pub evaluation: Evaluation,
    /// Transposition table, MiB, 1 to 65536.
    pub hash_mib: usize,
    /// Level that it plays at; `None` for full strength within its pace.
    pub strength: Option<Strength>,
    /// What ends its searches.
    pub pace: Pace,
    /// Constants of its search.
    pub params: Params,
    /// Time that its clock loses on each move without any thinking, as over a network.
    pub lag: Duration,
}

/// As in `new.pknn (1340+195->32x2->1, 0badcafe), hash 16 MiB, 5000 nodes a move`.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(details) = &self.details {
            write!(f, " ({details})")?;
        }
        if let Some(strength) = self.strength {
            write!(f, ", Elo {}", strength.elo())?;
        }
        write!(f, ", hash {} MiB, {}", self.hash_mib, self.pace)?;
        for info in Params::LIST {
            match self.params.get(info.name) {
                Some(value) if value != info.default => write!(f, ", {} {value}", info.name)?,
                _ => {}
            }
        }
        if !self.lag.is_zero() {
            write!(f, ", lag {} ms", self.lag.as_millis())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: Pace = Pace::Nodes(5000);

    #[test]
    fn own_settings_go_before_those_of_the_match() {
        let load = |text: &str| {
            let spec: PlayerSpec = text.parse().unwrap();
            spec.load(16, NODES).unwrap().to_string()
        };
        assert_eq!(load("material"), "material, hash 16 MiB, 5000 nodes a move");
        assert_eq!(
            load("default,hash=2,movetime=50"),
            "default, hash 2 MiB, 50 ms a move"
        );
        assert_eq!(
            load("material,tc=2+0.02"),
            "material, hash 16 MiB, 2+0.02 s"
        );
        assert_eq!(
            load("material,razor=400"),
            "material, hash 16 MiB, 5000 nodes a move, razor 400"
        );
        assert_eq!(
            load("material,lag=150,tc=60"),
            "material, hash 16 MiB, 60+0 s, lag 150 ms"
        );
    }

    #[test]
    fn bad_settings_are_named_with_what_was_expected() {
        let long = format!("material,movetime={}", u64::MAX);
        for (text, expected) in [
            ("", "expected a network file, default or material"),
            (",hash=2", "expected a network file, default or material"),
            ("material,depth=3", "\"depth=3\", expected hash=MIB, elo=N"),
            ("material,", "\"\", expected hash=MIB, elo=N"),
            (
                "material,hash=0",
                "hash=\"0\", expected a whole number from 1 to 65536",
            ),
            (
                "material,nodes=1e3",
                "nodes=\"1e3\", expected a whole number",
            ),
            ("material,tc=0+1", "\"0+1\", expected SECONDS+INCREMENT"),
            (
                "material,nodes=5,tc=1",
                "at most one of nodes, movetime and tc",
            ),
            ("material,hash=5,hash=5", "elo and lag at most once"),
            ("material,elo=1000,elo=1000", "elo and lag at most once"),
            (
                "material,elo=100",
                "elo=\"100\", expected a whole number from",
            ),
            ("material,lag=5,lag=5", "elo and lag at most once"),
            ("material,lag=0", "lag=\"0\", expected a whole number"),
            ("material,razor=x", "razor=\"x\", expected a whole number"),
            ("material,razor=1", "razor = 1, expected 50 to 2000"),
            (long.as_str(), "from 1 to 3600000"),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn lag_without_a_clock_is_refused() {
        let spec: PlayerSpec = "material,lag=150".parse().unwrap();
        let error = spec.load(16, NODES).unwrap_err().to_string();
        assert!(error.contains("lag only with a clock"), "{error}");
        let clock = Pace::Clock("2+0.02".parse().unwrap());
        assert_eq!(
            spec.load(16, clock).unwrap().lag,
            Duration::from_millis(150)
        );
    }

    #[test]
    fn time_controls_are_seconds_with_an_increment() {
        let control: TimeControl = "2+0.02".parse().unwrap();
        assert_eq!(control.base, Duration::from_secs(2));
        assert_eq!(control.increment, Duration::from_millis(20));
        assert_eq!("0.5".parse::<TimeControl>().unwrap().to_string(), "0.5+0");
        for bad in [
            "", "+1", "0+1", "-1+0", "1+", "1+2+3", "nan", "inf", "1e9+0", "x",
        ] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn file_that_is_no_network_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bad.pknn");
        std::fs::write(&path, "nothing").unwrap();
        let spec: PlayerSpec = path.to_str().unwrap().parse().unwrap();
        let error = spec.load(16, NODES).unwrap_err();
        assert!(error.to_string().contains("bad.pknn"), "{error}");
    }
}
