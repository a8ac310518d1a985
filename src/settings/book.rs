//! Sections `[book]` and `[book.explorer]`: moves that need no search.

use super::reader::Reader;
use super::{HOUR, MINUTE};
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Speeds that the opening explorer tells apart.
const EXPLORER_SPEEDS: [&str; 6] = [
    "ultraBullet",
    "bullet",
    "blitz",
    "rapid",
    "classical",
    "correspondence",
];
/// Lower ends of the rating groups of the opening explorer.
const EXPLORER_RATINGS: [&str; 9] = [
    "0", "1000", "1200", "1400", "1600", "1800", "2000", "2200", "2500",
];

/// How one of several known moves is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BookSelection {
    /// By lot, in proportion to the weights.
    #[default]
    Weighted,
    /// By lot, all with the same chance.
    Uniform,
    /// The one of the greatest weight.
    Best,
}

const SELECTIONS: [(&str, BookSelection); 3] = [
    ("weighted", BookSelection::Weighted),
    ("uniform", BookSelection::Uniform),
    ("best", BookSelection::Best),
];

/// Section `[book]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookSettings {
    /// Play moves of the book, if there is one.
    pub enabled: bool,
    /// File of the book.
    pub path: Option<PathBuf>,
    /// Plies of a game in which it is used.
    pub max_ply: u32,
    /// How one of several moves is taken.
    pub selection: BookSelection,
    /// Fewest games in which a move was played.
    pub min_count: u32,
    /// Seed of the choices; 0: others in each game.
    pub seed: u64,
    /// Opening explorer of Lichess.
    pub explorer: ExplorerSettings,
}

/// Section `[book.explorer]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplorerSettings {
    /// Ask the explorer where the book has no move.
    pub enabled: bool,
    /// Server: scheme, host and port only.
    pub url: Url,
    /// Plies of a game in which it is asked.
    pub max_ply: u32,
    /// Fewest games in which a move was played.
    pub min_games: u32,
    /// How one of several moves is taken.
    pub selection: BookSelection,
    /// Speeds of the games that count.
    pub speeds: Vec<String>,
    /// Lower ends of the rating groups that count.
    pub ratings: Vec<String>,
    /// Least time on our clock at which it is asked.
    pub min_clock: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Positions without a usable answer after which a game does not ask any more.
    pub max_misses: u32,
}

impl BookSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "book";
        Self {
            enabled: r.flag(S, "enabled"),
            path: r.optional_path(S, "path"),
            max_ply: r.number(S, "max_ply", 0..=1000),
            selection: r.choice(S, "selection", &SELECTIONS),
            min_count: r.number(S, "min_count", 1..=1_000_000_000),
            seed: r.number(S, "seed", 0..=i64::MAX),
            explorer: ExplorerSettings::read(r),
        }
    }
}

impl ExplorerSettings {
    fn read(r: &mut Reader) -> Self {
        const S: &str = "book.explorer";
        const SHORTEST: Duration = Duration::from_millis(100);
        Self {
            enabled: r.flag(S, "enabled"),
            url: r.server_url(S, "url"),
            max_ply: r.number(S, "max_ply", 0..=1000),
            min_games: r.number(S, "min_games", 1..=1_000_000_000),
            selection: r.choice(S, "selection", &SELECTIONS),
            speeds: r.words(S, "speeds", &EXPLORER_SPEEDS),
            ratings: r.words(S, "ratings", &EXPLORER_RATINGS),
            min_clock: r.duration(S, "min_clock", Duration::ZERO..=24 * HOUR),
            timeout: r.duration(S, "timeout", SHORTEST..=MINUTE),
            max_misses: r.number(S, "max_misses", 1..=1000),
        }
    }
}
