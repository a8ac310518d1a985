//! Section `[engine]`: search.

use super::MINUTE;
use super::limit::{AdaptiveSettings, LimitSettings};
use super::reader::Reader;
use super::uci::UciEngineSettings;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Section `[engine.limit]`.
    pub limit: LimitSettings,
    /// Section `[engine.adaptive]`.
    pub adaptive: AdaptiveSettings,
    /// Another engine in its place.
    pub uci: UciEngineSettings,
}

impl EngineSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "engine";
        Self {
            cores: r.number(S, "cores", 0..=4096),
            hash_mib: r.number(S, "hash_mib", 1..=65536),
            threads: r.number(S, "threads", 1..=256),
            move_overhead: r.duration(S, "move_overhead", Duration::ZERO..=MINUTE),
            max_nodes: r.number(S, "max_nodes", 0..=i64::MAX),
            ponder: r.flag(S, "ponder"),
            max_depth: r.number(S, "max_depth", 0..=1000),
            eval_file: r.optional_path(S, "eval_file"),
            limit: LimitSettings::read(r),
            adaptive: AdaptiveSettings::read(r),
            uci: UciEngineSettings::read(r),
        }
    }
}
