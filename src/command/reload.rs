//! Reads the settings again on SIGHUP and hands them to the running bot.

use super::signals::Hangups;
use pocketknight::settings::{Effective, Loaded, Settings, Sources};
use std::sync::Arc;
use tokio::sync::watch;

/// Sections that are used at the start only.
const FIXED: [&str; 5] = ["lichess", "engine.uci", "data", "log", "shutdown"];
/// Keys of other sections that are used at the start only.
const FIXED_KEYS: [(&str, &str); 4] = [
    ("engine", "cores"),
    ("engine", "eval_file"),
    ("tournament", "join"),
    ("book", "path"),
];

/// Reads the settings again whenever it is asked to. Settings that cannot be used are refused with all their errors,
/// and the old ones go on.
pub(crate) async fn serve(
    mut hangups: Hangups,
    sources: Sources,
    mut loaded: Loaded,
    sender: watch::Sender<Arc<Settings>>,
) {
    loop {
        hangups.next().await;
        let new = match Loaded::load(&sources) {
            Ok(new) => new,
            Err(error) => {
                tracing::error!("settings cannot be used, the old ones go on:\n{error}");
                continue;
            }
        };
        let (changed, fixed) = differences(&loaded.values, &new.values);
        for key in &fixed {
            tracing::warn!("{key} is used at the start only: restart the bot to change it");
        }
        tracing::info!(changed = changed.join(", "), "settings read again");
        // The bot may be about to leave.
        sender.send(Arc::new(new.settings.clone())).ok();
        loaded = new;
    }
}

/// Keys whose values differ: those that hold from now on, as `key = value`, and those that need a restart.
fn differences(old: &[Effective], new: &[Effective]) -> (Vec<String>, Vec<String>) {
    let (mut changed, mut fixed) = (Vec::new(), Vec::new());
    for value in new {
        let place = (value.section, value.key);
        let same =
            |other: &Effective| (other.section, other.key) == place && other.value == value.value;
        if old.iter().any(same) {
            continue;
        }
        let key = format!("{}.{}", value.section, value.key);
        if FIXED.contains(&value.section) || FIXED_KEYS.contains(&place) {
            fixed.push(key);
        } else {
            changed.push(format!("{key} = {}", value.value));
        }
    }
    (changed, fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_need_a_restart_are_told_from_others() {
        let of = |text: &str| {
            let environment = text.split_whitespace().map(|pair| {
                let (name, value) = pair.split_once('=').unwrap();
                (format!("POCKETKNIGHT__{name}"), value.to_owned())
            });
            let sources = Sources {
                environment: environment.collect(),
                ..Sources::default()
            };
            Loaded::load(&sources).unwrap().values
        };
        let (changed, fixed) = differences(
            &of("ENGINE__THREADS=2"),
            &of(
                "ENGINE__THREADS=2 ENGINE__CORES=3 DATA__DIR=x CHALLENGE__BOT__MIN_RATING=1800 ENGINE__PONDER=no",
            ),
        );
        assert_eq!(
            changed,
            ["engine.ponder = false", "challenge.bot.min_rating = 1800"]
        );
        assert_eq!(fixed, ["engine.cores", "data.dir"]);
        let (changed, fixed) = differences(
            &of(""),
            &of("ENGINE__UCI__PATH=x BOOK__PATH=y BOOK__MAX_PLY=9 TOURNAMENT__JOIN=abcd1234"),
        );
        assert_eq!(changed, ["book.max_ply = 9"]);
        let mut fixed = fixed;
        fixed.sort();
        assert_eq!(fixed, ["book.path", "engine.uci.path", "tournament.join"]);
    }
}
