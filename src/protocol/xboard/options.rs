//! Features and options of the XBoard protocol: how they are announced, and how values are checked.

use super::record::Claims;
use crate::engine::Strength;
use crate::protocol::uci::options::{
    EMBEDDED, MAX_HASH, MAX_MULTIPV, MAX_OVERHEAD, MAX_THREADS, NONE, file, number, refused,
};
use crate::rules::Variant;
use std::path::PathBuf;
use std::time::Duration;

/// Options in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Options {
    pub(super) hash_mib: usize,
    pub(super) threads: usize,
    pub(super) multipv: usize,
    pub(super) overhead: Duration,
    /// File of the network; `None` for the one inside the program.
    pub(super) eval_file: Option<PathBuf>,
    pub(super) claims: Claims,
    /// Whether the level counts.
    pub(super) limits_strength: bool,
    /// Level, from [`Strength::LOWEST`] to [`Strength::HIGHEST`].
    pub(super) elo: u32,
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
            // XBoard reads the move, and only then stops the clock.
            overhead: Duration::from_millis(50),
            eval_file: None,
            claims: Claims::default(),
            limits_strength: false,
            elo: 1500,
            own_book: false,
            book_file: None,
        }
    }
}

/// What a changed option asks for beyond the new value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// It matters to the next search.
    Later,
    ClearHash,
    LoadNetwork,
    LoadBook,
}

impl Options {
    /// Level to play at, with a seed of its errors.
    pub(super) fn strength(&self, seed: u64) -> Option<Strength> {
        let level = self.limits_strength.then(|| Strength::new(self.elo))?;
        Some(level?.with_seed(seed))
    }

    /// Lines of the answer to `protover`, the last one included.
    pub(super) fn features() -> Vec<String> {
        let d = Self::default();
        let variants = Variant::ALL.map(Variant::name).join(",");
        // Names of one word: some GUIs take the second word for the type.
        let options = [
            format!("MultiPV -spin {} 1 {MAX_MULTIPV}", d.multipv),
            format!(
                "MoveOverhead -spin {} 0 {MAX_OVERHEAD}",
                d.overhead.as_millis()
            ),
            format!("EvalFile -file {EMBEDDED}"),
            format!(
                "ClaimRepetition -combo {}",
                Claims::ALL
                    .map(|claims| if claims == d.claims {
                        format!("*{}", claims.name())
                    } else {
                        claims.name().to_owned()
                    })
                    .join(" /// ")
            ),
            format!("LimitStrength -check {}", u8::from(d.limits_strength)),
            format!(
                "Elo -spin {} {} {}",
                d.elo,
                Strength::LOWEST,
                Strength::HIGHEST
            ),
            "ClearHash -button".to_owned(),
            format!("OwnBook -check {}", u8::from(d.own_book)),
            format!("BookFile -file {NONE}"),
        ];
        let mut lines = vec![
            "feature ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=1 sigint=0 sigterm=0 reuse=1"
                .to_owned(),
            "feature analyze=1 colors=0 ics=0 name=1 pause=1 nps=0 debug=1 memory=1 smp=1 exclude=1"
                .to_owned(),
            format!(
                "feature myname=\"Pocketknight {}\" variants=\"{variants}\"",
                env!("CARGO_PKG_VERSION")
            ),
        ];
        lines.extend(options.map(|option| format!("feature option=\"{option}\"")));
        lines.push("feature done=1".to_owned());
        lines
    }

    /// Sets an option by its name, in any case and with or without spaces.
    ///
    /// # Errors
    /// Text that names option, value and what was expected. Nothing has changed then.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let value = value.unwrap_or_default();
        let plain: String = name.split_ascii_whitespace().collect();
        match plain.to_ascii_lowercase().as_str() {
            "multipv" => self.multipv = number("MultiPV", value, 1, MAX_MULTIPV)?,
            "moveoverhead" => {
                let ms = number("MoveOverhead", value, 0, MAX_OVERHEAD)?;
                self.overhead = Duration::from_millis(ms as u64);
            }
            "evalfile" => {
                self.eval_file = file(value, EMBEDDED);
                return Ok(Effect::LoadNetwork);
            }
            "claimrepetition" => {
                self.claims = Claims::from_name(value).ok_or_else(|| {
                    let names = Claims::ALL.map(Claims::name).join(", ");
                    refused("ClaimRepetition", value, &format!("one of {names}"))
                })?;
            }
            "limitstrength" => {
                self.limits_strength = match value {
                    "0" => false,
                    "1" => true,
                    _ => return Err(refused("LimitStrength", value, "0 or 1")),
                };
            }
            "elo" => {
                let (lowest, highest) = (Strength::LOWEST as usize, Strength::HIGHEST as usize);
                self.elo = number("Elo", value, lowest, highest)? as u32;
            }
            "ownbook" => {
                self.own_book = match value {
                    "0" => false,
                    "1" => true,
                    _ => return Err(refused("OwnBook", value, "0 or 1")),
                };
            }
            "bookfile" => {
                self.book_file = file(value, NONE);
                return Ok(Effect::LoadBook);
            }
            "clearhash" => return Ok(Effect::ClearHash),
            _ => return Err("no such option".to_owned()),
        }
        Ok(Effect::Later)
    }

    /// Sets the size of the table, MiB.
    ///
    /// # Errors
    /// As for [`Options::set`].
    pub(super) fn set_memory(&mut self, value: &str) -> Result<(), String> {
        self.hash_mib = number("memory", value, 1, MAX_HASH)?;
        Ok(())
    }

    /// Sets the number of threads.
    ///
    /// # Errors
    /// As for [`Options::set`].
    pub(super) fn set_cores(&mut self, value: &str) -> Result<(), String> {
        self.threads = number("cores", value, 1, MAX_THREADS)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_value_changes_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("MultiPV", Some("0")),
            ("MoveOverhead", Some("-1")),
            ("ClaimRepetition", Some("sometimes")),
            ("LimitStrength", Some("yes")),
            ("OwnBook", Some("true")),
            ("Elo", Some("100")),
            ("Contempt", Some("1")),
        ] {
            assert!(options.set(name, value).is_err(), "{name}");
        }
        assert!(options.set_memory("0").is_err());
        assert!(options.set_cores("many").is_err());
        assert_eq!(options, Options::default());
    }

    #[test]
    fn every_announced_option_can_be_set_to_its_default() {
        for line in Options::features() {
            let Some(text) = line.strip_prefix("feature option=\"") else {
                continue;
            };
            let (name, kind) = text.trim_end_matches('"').split_once(" -").unwrap();
            let mut words = kind.split_whitespace();
            let value = match words.next().unwrap() {
                "combo" => words.find_map(|word| word.strip_prefix('*')),
                _ => words.next(),
            };
            let mut options = Options::default();
            assert!(options.set(name, value).is_ok(), "{line}");
            assert_eq!(options, Options::default(), "{line}");
        }
    }

    #[test]
    fn level_counts_only_if_it_is_switched_on() {
        let mut options = Options::default();
        assert!(options.set("Elo", Some("1200")).is_ok());
        assert_eq!(options.strength(1), None);
        assert!(options.set("LimitStrength", Some("1")).is_ok());
        assert_eq!(options.strength(1).map(Strength::elo), Some(1200));
    }

    #[test]
    fn names_are_read_as_people_write_them() {
        let mut options = Options::default();
        for name in ["move overhead", "Move Overhead", "MOVEOVERHEAD"] {
            assert_eq!(options.set(name, Some("7")), Ok(Effect::Later), "{name}");
        }
        assert_eq!(options.overhead, Duration::from_millis(7));
    }
}
