//! Options of the UCI protocol: how they are announced, and how values are checked.

use crate::engine::Strength;
use crate::rules::Variant;
use std::path::PathBuf;
use std::time::Duration;

/// Largest table, MiB.
pub(in crate::protocol) const MAX_HASH: usize = 65536;
/// Most threads.
pub(in crate::protocol) const MAX_THREADS: usize = 256;
/// Most lines to report: more than any position has moves.
pub(in crate::protocol) const MAX_MULTIPV: usize = 500;
/// Stands for the network inside the program.
pub(in crate::protocol) const EMBEDDED: &str = "<embedded>";
/// Stands for no file.
pub(in crate::protocol) const NONE: &str = "<empty>";
/// Longest overhead, ms.
pub(in crate::protocol) const MAX_OVERHEAD: usize = 5000;

/// Largest seed of the errors of a weaker level.
const MAX_SEED: usize = 1 << 31;
/// What GUIs show of the engine.
const ABOUT: &str = concat!(
    "Pocketknight ",
    env!("CARGO_PKG_VERSION"),
    ", plays crazyhouse, loop and chessgi with a network that it made itself. MIT or Apache 2.0."
);

/// Options in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Options {
    pub(super) hash_mib: usize,
    pub(super) threads: usize,
    pub(super) multipv: usize,
    pub(super) overhead: Duration,
    pub(super) variant: Variant,
    pub(super) chess960: bool,
    /// Whether info lines tell the chances of the game.
    pub(super) show_wdl: bool,
    /// The GUI analyses: at full strength, whatever the level.
    pub(super) analyses: bool,
    /// Whether the level counts.
    pub(super) limits_strength: bool,
    /// Level, from [`Strength::LOWEST`] to [`Strength::HIGHEST`].
    pub(super) elo: u32,
    /// Seed of the errors of the level; 0 for another one in each game.
    pub(super) seed: u64,
    /// File of the network; `None` for the one inside the program.
    pub(super) eval_file: Option<PathBuf>,
    /// Whether moves of the book are played.
    pub(super) own_book: bool,
    /// File of the book; `None` for none.
    pub(super) book_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash_mib: 16,
            threads: 1,
            multipv: 1,
            // A local GUI answers within a few ms.
            overhead: Duration::from_millis(10),
            variant: Variant::Crazyhouse,
            chess960: false,
            show_wdl: false,
            analyses: false,
            limits_strength: false,
            elo: 1500,
            seed: 0,
            eval_file: None,
            own_book: false,
            book_file: None,
        }
    }
}

/// What a changed option asks for beyond the new value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Nothing,
    ResizeHash,
    ChangeThreads,
    ClearHash,
    ChangeVariant,
    LoadNetwork,
    LoadBook,
}

impl Options {
    /// Level to play at, with the seed `drawn` for this game unless another is set.
    pub(super) fn strength(&self, drawn: u64) -> Option<Strength> {
        if !self.limits_strength || self.analyses {
            return None;
        }
        let seed = if self.seed > 0 { self.seed } else { drawn };
        Some(Strength::new(self.elo)?.with_seed(seed))
    }

    /// Announcements in the order of the answer to `uci`.
    pub(super) fn announce() -> Vec<String> {
        let d = Self::default();
        let variants = Variant::ALL.map(|v| format!(" var {}", v.name())).concat();
        vec![
            spin("Hash", d.hash_mib, 1, MAX_HASH),
            spin("Threads", d.threads, 1, MAX_THREADS),
            "option name Clear Hash type button".to_owned(),
            "option name Ponder type check default false".to_owned(),
            spin("MultiPV", d.multipv, 1, MAX_MULTIPV),
            spin(
                "Move Overhead",
                d.overhead.as_millis() as usize,
                0,
                MAX_OVERHEAD,
            ),
            format!(
                "option name UCI_Variant type combo default {}{variants}",
                d.variant.name()
            ),
            "option name UCI_Chess960 type check default false".to_owned(),
            "option name UCI_AnalyseMode type check default false".to_owned(),
            "option name UCI_ShowWDL type check default false".to_owned(),
            "option name UCI_LimitStrength type check default false".to_owned(),
            spin(
                "UCI_Elo",
                d.elo as usize,
                Strength::LOWEST as usize,
                Strength::HIGHEST as usize,
            ),
            spin("Strength Seed", d.seed as usize, 0, MAX_SEED),
            format!("option name UCI_EngineAbout type string default {ABOUT}"),
            format!("option name EvalFile type string default {EMBEDDED}"),
            "option name OwnBook type check default false".to_owned(),
            format!("option name BookFile type string default {NONE}"),
        ]
    }

    /// Sets an option by its name, which may be in any case.
    ///
    /// # Errors
    /// Text that names option, value and what was expected. Nothing has changed then.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let value = value.unwrap_or_default();
        Ok(match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.hash_mib = number("Hash", value, 1, MAX_HASH)?;
                Effect::ResizeHash
            }
            "threads" => {
                self.threads = number("Threads", value, 1, MAX_THREADS)?;
                Effect::ChangeThreads
            }
            "clear hash" => Effect::ClearHash,
            // Tells only that the GUI may send `go ponder`, which needs no preparation.
            "ponder" => {
                flag("Ponder", value)?;
                Effect::Nothing
            }
            "multipv" => {
                self.multipv = number("MultiPV", value, 1, MAX_MULTIPV)?;
                Effect::Nothing
            }
            "move overhead" => {
                let ms = number("Move Overhead", value, 0, MAX_OVERHEAD)?;
                self.overhead = Duration::from_millis(ms as u64);
                Effect::Nothing
            }
            "uci_variant" => {
                let variant = Variant::from_name(value)
                    .ok_or_else(|| refused("UCI_Variant", value, "crazyhouse, loop or chessgi"))?;
                let changed = variant != self.variant;
                self.variant = variant;
                if changed {
                    Effect::ChangeVariant
                } else {
                    Effect::Nothing
                }
            }
            "uci_chess960" => {
                self.chess960 = flag("UCI_Chess960", value)?;
                Effect::Nothing
            }
            "uci_showwdl" => {
                self.show_wdl = flag("UCI_ShowWDL", value)?;
                Effect::Nothing
            }
            "uci_analysemode" => {
                self.analyses = flag("UCI_AnalyseMode", value)?;
                Effect::Nothing
            }
            "uci_limitstrength" => {
                self.limits_strength = flag("UCI_LimitStrength", value)?;
                Effect::Nothing
            }
            "uci_elo" => {
                let (low, high) = (Strength::LOWEST as usize, Strength::HIGHEST as usize);
                self.elo = number("UCI_Elo", value, low, high)? as u32;
                Effect::Nothing
            }
            "strength seed" => {
                self.seed = number("Strength Seed", value, 0, MAX_SEED)? as u64;
                Effect::Nothing
            }
            // Only to be shown.
            "uci_engineabout" => Effect::Nothing,
            "evalfile" => {
                self.eval_file = file(value, EMBEDDED);
                Effect::LoadNetwork
            }
            "ownbook" => {
                self.own_book = flag("OwnBook", value)?;
                Effect::Nothing
            }
            "bookfile" => {
                self.book_file = file(value, NONE);
                Effect::LoadBook
            }
            _ => return Err(format!("no such option: {}", super::excerpt(name))),
        })
    }
}

fn spin(name: &str, default: usize, min: usize, max: usize) -> String {
    format!("option name {name} type spin default {default} min {min} max {max}")
}

/// File of an option; `none` is how the option says that there is none.
pub(in crate::protocol) fn file(value: &str, none: &str) -> Option<PathBuf> {
    (!value.is_empty() && value != none).then(|| PathBuf::from(value))
}

pub(in crate::protocol) fn number(
    name: &str,
    value: &str,
    min: usize,
    max: usize,
) -> Result<usize, String> {
    match value.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(refused(
            name,
            value,
            &format!("a whole number from {min} to {max}"),
        )),
    }
}

fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(refused(name, value, "true or false")),
    }
}

pub(in crate::protocol) fn refused(name: &str, value: &str, expected: &str) -> String {
    format!(
        "option {name}: value {:?}, expected {expected}",
        super::excerpt(value)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_value_changes_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("Hash", Some("0")),
            ("hash", Some("65537")),
            ("Threads", None),
            ("Move Overhead", Some("-1")),
            ("UCI_Variant", Some("atomic")),
            ("UCI_Chess960", Some("maybe")),
            ("UCI_ShowWDL", None),
            ("UCI_LimitStrength", Some("1")),
            ("UCI_AnalyseMode", Some("")),
            ("OwnBook", Some("yes")),
            ("UCI_Elo", Some("499")),
            ("UCI_Elo", Some("2801")),
            ("Strength Seed", Some("-1")),
            ("Contempt", Some("1")),
        ] {
            assert!(options.set(name, value).is_err(), "{name}");
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn every_announced_option_can_be_set_to_its_default() {
        for line in Options::announce() {
            let (name, kind) = line["option name ".len()..].split_once(" type ").unwrap();
            let value = kind
                .split_whitespace()
                .skip_while(|word| *word != "default")
                .nth(1);
            assert!(Options::default().set(name, value).is_ok(), "{line}");
        }
    }

    #[test]
    fn variant_changes_only_if_it_is_another_one() {
        let mut options = Options::default();
        assert_eq!(
            options.set("UCI_Variant", Some("crazyhouse")),
            Ok(Effect::Nothing)
        );
        assert_eq!(
            options.set("uci_variant", Some("Loop")),
            Ok(Effect::ChangeVariant)
        );
        assert_eq!(options.variant, Variant::Loop);
    }
}
