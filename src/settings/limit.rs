//! Sections `[engine.limit]` and `[engine.adaptive]`: playing weaker than possible.

use super::HOUR;
use super::reader::{Reader, parse_duration};
use std::collections::BTreeMap;
use std::time::Duration;

/// Levels that the engine knows; a test of the bot compares them with its own.
pub const LEVELS: std::ops::RangeInclusive<u32> = 500..=2800;

/// Keys of `[engine.limit]`: kinds of opponents, speeds, and both together.
const KEYS: [&str; 17] = [
    "human",
    "bot",
    "bullet",
    "blitz",
    "rapid",
    "classical",
    "correspondence",
    "human_bullet",
    "human_blitz",
    "human_rapid",
    "human_classical",
    "human_correspondence",
    "bot_bullet",
    "bot_blitz",
    "bot_rapid",
    "bot_classical",
    "bot_correspondence",
];

const EXPECTED: &str = "nodes, depth (1 to 1000), time (such as \"500ms\") and elo (500 to 2800), such as { elo = 1500, time = \"2s\" }";

/// Limits of a search; `None` for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limit {
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Depth, plies.
    pub depth: Option<u32>,
    /// Time a move.
    pub time: Option<Duration>,
    /// Level, within [`LEVELS`].
    pub elo: Option<u32>,
}

/// Section `[engine.limit]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LimitSettings {
    tables: BTreeMap<&'static str, Limit>,
}

/// Section `[engine.adaptive]`: a level for each human that keeps the games close.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AdaptiveSettings {
    /// Play humans like this.
    pub enabled: bool,
    /// First level against an opponent without a rating.
    pub start: u32,
    /// First level against an opponent with a rating: the rating plus this.
    pub offset: i32,
    /// Lowest level.
    pub min: u32,
    /// Highest level.
    pub max: u32,
    /// Change after a game that was won or lost.
    pub step: u32,
    /// Most that the running score changes the level within a game.
    pub in_game: u32,
}

impl LimitSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "engine.limit";
        let mut tables = BTreeMap::new();
        for key in KEYS {
            match limit(&r.map(S, key)) {
                Some(limit) => {
                    tables.insert(key, limit);
                }
                None => r.refuse(S, key, EXPECTED),
            }
        }
        Self { tables }
    }

    /// Limits against an opponent of this kind at this speed (a word such as `blitz`). Of each limit the most specific
    /// counts: that of kind and speed, then of the kind, then of the speed.
    pub fn of(&self, opponent_is_bot: bool, speed: &str) -> Limit {
        let kind = if opponent_is_bot { "bot" } else { "human" };
        let both = format!("{kind}_{speed}");
        [both.as_str(), kind, speed]
            .into_iter()
            .filter_map(|key| self.tables.get(key))
            .fold(Limit::default(), |found, next| Limit {
                nodes: found.nodes.or(next.nodes),
                depth: found.depth.or(next.depth),
                time: found.time.or(next.time),
                elo: found.elo.or(next.elo),
            })
    }
}

/// Limits of a table; `None` if it holds anything else.
fn limit(table: &BTreeMap<String, String>) -> Option<Limit> {
    let mut limit = Limit::default();
    for (name, value) in table {
        let value = value.trim();
        match name.as_str() {
            "nodes" => limit.nodes = Some(value.parse().ok().filter(|nodes| *nodes > 0)?),
            "depth" => {
                let depth = value
                    .parse()
                    .ok()
                    .filter(|depth| (1..=1000).contains(depth))?;
                limit.depth = Some(depth);
            }
            "time" => {
                let time = parse_duration(value)?;
                limit.time = Some(time).filter(|time| !time.is_zero() && *time <= HOUR);
                limit.time?;
            }
            "elo" => limit.elo = Some(value.parse().ok().filter(|elo| LEVELS.contains(elo))?),
            _ => return None,
        }
    }
    Some(limit)
}

impl AdaptiveSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "engine.adaptive";
        let levels = || i64::from(*LEVELS.start())..=i64::from(*LEVELS.end());
        let settings = Self {
            enabled: r.flag(S, "enabled"),
            start: r.number(S, "start", levels()),
            offset: r.number(S, "offset", -3000..=3000),
            min: r.number(S, "min", levels()),
            max: r.number(S, "max", levels()),
            step: r.number(S, "step", 0..=1000),
            in_game: r.number(S, "in_game", 0..=1000),
        };
        if settings.min > settings.max {
            r.refuse(S, "min", "at most engine.adaptive.max");
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{Limit, Settings, Sources};
    use std::time::Duration;

    fn load(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        let environment = pairs
            .iter()
            .map(|(name, value)| (format!("POCKETKNIGHT__ENGINE__{name}"), (*value).to_owned()))
            .collect();
        let sources = Sources {
            environment,
            ..Sources::default()
        };
        Settings::load(&sources).map_err(|error| error.to_string())
    }

    #[test]
    fn the_most_specific_of_each_limit_counts() {
        let settings = load(&[
            ("LIMIT__BLITZ", "elo=1000,depth=9"),
            ("LIMIT__HUMAN", "elo=1500,time=2s"),
            ("LIMIT__HUMAN_BLITZ", "nodes=5000"),
        ])
        .unwrap();
        let limit = settings.engine.limit;
        let expected = Limit {
            nodes: Some(5000),
            depth: Some(9),
            time: Some(Duration::from_secs(2)),
            elo: Some(1500),
        };
        assert_eq!(limit.of(false, "blitz"), expected);
        let bot = Limit {
            depth: Some(9),
            elo: Some(1000),
            ..Limit::default()
        };
        assert_eq!(limit.of(true, "blitz"), bot);
        assert_eq!(limit.of(true, "rapid"), Limit::default());
        assert_eq!(
            Settings::defaults().engine.limit.of(false, "unknown"),
            Limit::default()
        );
    }

    #[test]
    fn anything_else_in_a_limit_is_refused() {
        for bad in [
            "elo=499",
            "elo=2801",
            "nodes=0",
            "depth=0",
            "time=0s",
            "time=soon",
            "level=3",
        ] {
            let text = load(&[("LIMIT__HUMAN", bad)]).unwrap_err();
            assert!(text.contains("engine.limit.human"), "{text}");
            assert!(text.contains("expected nodes, depth"), "{text}");
        }
        let text = load(&[("LIMIT__HUMANS", "elo=900")]).unwrap_err();
        assert!(text.contains("did you mean human"), "{text}");
        let text = load(&[("ADAPTIVE__MIN", "2000"), ("ADAPTIVE__MAX", "1000")]).unwrap_err();
        assert!(text.contains("at most engine.adaptive.max"), "{text}");
    }
}
