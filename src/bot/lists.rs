//! Lists of user names in files and on the web, one name a line.
//!
//! A list of the web is asked for at most every `challenge.list_refresh`, with what the server said to know its version
//! by, and kept in `DIR/lists`: a restart neither asks again nor is left without it. What cannot be read keeps its last
//! names.

use super::state::{replace, set_aside};
use crate::lichess::{Client, Page, Validators};
use crate::settings::{ChallengeSettings, NameList, Settings};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::fs;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};
use url::Url;

/// How often it is looked whether a list is due.
const LOOK: Duration = Duration::from_hours(1);
/// Number in the files of the lists of the web.
const VERSION: u32 = 1;
/// Longest user name that is taken for one.
const LONGEST_NAME: usize = 40;

/// Names of all lists, as lower-case ids.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lists {
    /// Users who are never accepted.
    pub block: HashSet<String>,
    /// The only users who are accepted; `None` without such lists.
    pub allow: Option<HashSet<String>>,
}

/// One list as it was last read.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
struct Known {
    version: u32,
    /// Where it comes from.
    source: String,
    #[serde(flatten)]
    validators: Validators,
    /// When it was last asked for with success.
    read: Timestamp,
    names: Vec<String>,
}

/// Reads lists and remembers what it read.
#[derive(Debug)]
pub(super) struct Keeper {
    dir: PathBuf,
    known: BTreeMap<NameList, Known>,
}

impl Keeper {
    /// Keeper with a folder for the lists of the web.
    pub(super) fn new(data: &Path) -> Self {
        Self {
            dir: data.join("lists"),
            known: BTreeMap::new(),
        }
    }

    /// Reads what is on this machine: files, and the last versions of the lists of the web.
    pub(super) async fn read(&mut self, settings: &ChallengeSettings) -> Lists {
        for list in all(settings) {
            match list {
                NameList::File(path) => self.read_file(path).await,
                NameList::Url(url) if !self.known.contains_key(list) => {
                    self.read_kept(url).await;
                }
                NameList::Url(_) => {}
            }
        }
        self.lists(settings)
    }

    /// Asks for the lists of the web that are due.
    async fn refresh(&mut self, settings: &ChallengeSettings, client: &Client) {
        let now = Timestamp::now();
        for list in all(settings) {
            let NameList::Url(url) = list else { continue };
            let known = self.known.get(list);
            if known.is_none_or(|known| is_due(known.read, settings.list_refresh, now)) {
                self.ask(url, client, now).await;
            }
        }
    }

    async fn read_file(&mut self, path: &Path) {
        let list = NameList::File(path.to_owned());
        match fs::read(path).await {
            Ok(bytes) => {
                let names = names(&String::from_utf8_lossy(&bytes), &list);
                let known = Known::new(&list, names, Validators::default(), Timestamp::now());
                self.known.insert(list, known);
            }
            Err(error) => {
                warn!(
                    list = %list,
                    error = &error as &dyn std::error::Error,
                    "list of names cannot be read, keeping what was read before"
                );
            }
        }
    }

    async fn read_kept(&mut self, url: &Url) {
        let path = self.path(url);
        let Ok(text) = fs::read(&path).await else {
            // Not asked for yet.
            return;
        };
        match serde_json::from_slice::<Known>(&text) {
            Ok(known) if known.version == VERSION && known.source == url.as_str() => {
                debug!(list = %url, names = known.names.len(), "last version of a list of names");
                self.known.insert(NameList::Url(url.clone()), known);
            }
            Ok(_) => {
                debug!(list = %url, "list of names of another address or version, asking anew");
            }
            Err(error) => set_aside(&path, &error.to_string()).await,
        }
    }

    async fn ask(&mut self, url: &Url, client: &Client, now: Timestamp) {
        let list = NameList::Url(url.clone());
        let last = self.known.get(&list);
        let validators = last
            .map(|known| known.validators.clone())
            .unwrap_or_default();
        let known = match (client.page(url, &validators).await, last) {
            (Ok(Page::New { text, validators }), _) => {
                Known::new(&list, names(&text, &list), validators, now)
            }
            (Ok(Page::Unchanged), Some(last)) => Known {
                read: now,
                ..last.clone()
            },
            (Ok(Page::Unchanged), None) => return,
            (Err(error), _) => {
                warn!(
                    list = %list,
                    error = &error as &dyn std::error::Error,
                    "list of names cannot be read, keeping what was read before"
                );
                return;
            }
        };
        info!(list = %list, names = known.names.len(), "list of names read");
        let written = match serde_json::to_vec(&known) {
            Ok(text) => replace(&self.path(url), &text).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = written {
            let error = &error as &dyn std::error::Error;
            warn!(list = %list, error, "list of names cannot be kept for the next start");
        }
        self.known.insert(list, known);
    }

    fn lists(&self, settings: &ChallengeSettings) -> Lists {
        let of = |lists: &[NameList]| -> HashSet<String> {
            let known = lists.iter().filter_map(|list| self.known.get(list));
            known
                .flat_map(|known| known.names.iter().cloned())
                .collect()
        };
        Lists {
            block: of(&settings.block_lists),
            allow: (!settings.allow_lists.is_empty()).then(|| of(&settings.allow_lists)),
        }
    }

    fn path(&self, url: &Url) -> PathBuf {
        let sum = crc32fast::hash(url.as_str().as_bytes());
        self.dir.join(format!("{sum:08x}.json"))
    }

    /// Reads again and again, and tells the lists whenever they may be others, until `stop` is cancelled.
    pub(super) async fn run(
        mut self,
        client: Client,
        mut settings: watch::Receiver<Arc<Settings>>,
        lists: mpsc::UnboundedSender<Lists>,
        stop: CancellationToken,
    ) {
        let work = async {
            loop {
                let now = Arc::clone(&settings.borrow_and_update());
                // The first answer comes before any that needs the network.
                let local = self.read(&now.challenge).await;
                if lists.send(local).is_err() {
                    return;
                }
                self.refresh(&now.challenge, &client).await;
                if lists.send(self.lists(&now.challenge)).is_err() {
                    return;
                }
                let changed = tokio::time::timeout(LOOK, settings.changed()).await;
                if matches!(changed, Ok(Err(_))) {
                    // Nobody will change them any more.
                    tokio::time::sleep(LOOK).await;
                }
            }
        };
        stop.run_until_cancelled(work).await;
    }
}

impl Known {
    fn new(list: &NameList, names: Vec<String>, validators: Validators, read: Timestamp) -> Self {
        Self {
            version: VERSION,
            source: list.to_string(),
            validators,
            read,
            names,
        }
    }
}

fn all(settings: &ChallengeSettings) -> impl Iterator<Item = &NameList> {
    settings.block_lists.iter().chain(&settings.allow_lists)
}

/// A time of reading in the future comes from a clock that was wrong.
fn is_due(read: Timestamp, refresh: Duration, now: Timestamp) -> bool {
    let ago = now.duration_since(read);
    ago < SignedDuration::ZERO
        || ago >= SignedDuration::try_from(refresh).unwrap_or(SignedDuration::MAX)
}

/// Ids of a text with a name a line; `#` begins a comment.
fn names(text: &str, list: &NameList) -> Vec<String> {
    let mut odd = 0;
    let mut names = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let is_name = line.len() <= LONGEST_NAME
            && line
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        match (line.is_empty(), is_name) {
            (true, _) => {}
            (false, true) => names.push(line.to_ascii_lowercase()),
            (false, false) => odd += 1,
        }
    }
    if odd > 0 {
        warn!(list = %list, lines = odd, "lines that are no user names are passed over");
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(block: &[&Path], allow: &[&Path]) -> ChallengeSettings {
        let lists = |paths: &[&Path]| {
            paths
                .iter()
                .map(|path| NameList::File((*path).to_owned()))
                .collect()
        };
        let mut settings = Settings::defaults().challenge;
        settings.block_lists = lists(block);
        settings.allow_lists = lists(allow);
        settings
    }

    fn set(names: &[&str]) -> HashSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[tokio::test]
    async fn names_of_files_are_read_one_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let [block, more, missing] = ["block", "more", "missing"].map(|name| dir.path().join(name));
        let text = "\u{feff}Alice\r\n\n  bob  # a comment\n# nobody\n<html>\nx y\nD-E_f\n";
        std::fs::write(&block, text).unwrap();
        std::fs::write(&more, "carol").unwrap();
        let mut keeper = Keeper::new(dir.path());
        let lists = keeper
            .read(&settings(&[&block, &more, &missing], &[]))
            .await;
        assert_eq!(lists.block, set(&["alice", "bob", "d-e_f", "carol"]));
        assert_eq!(lists.allow, None);
    }

    #[tokio::test]
    async fn a_file_that_vanishes_keeps_its_names_and_an_allow_list_without_names_allows_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("allow");
        let settings = settings(&[], &[&path]);
        let mut keeper = Keeper::new(dir.path());
        assert_eq!(keeper.read(&settings).await.allow, Some(set(&[])));
        std::fs::write(&path, "alice\n").unwrap();
        assert_eq!(keeper.read(&settings).await.allow, Some(set(&["alice"])));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(keeper.read(&settings).await.allow, Some(set(&["alice"])));
    }

    #[test]
    fn a_list_is_due_when_its_time_is_over_or_never_was() {
        let now: Timestamp = "2026-08-31T12:00:00Z".parse().unwrap();
        let hours = |hours| now.checked_sub(SignedDuration::from_hours(hours)).unwrap();
        let refresh = Duration::from_hours(6);
        assert!(!is_due(hours(5), refresh, now));
        assert!(is_due(hours(6), refresh, now));
        assert!(is_due(hours(-1), refresh, now));
    }
}
