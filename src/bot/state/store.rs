//! File of the state: `DIR/state.json`, read at start and written by a task of its own after each change, to a
//! temporary file that then takes its place.

use super::{State, VERSION};
use jiff::Timestamp;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::fs;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::watch;
use tracing::{error, warn};

const FILE: &str = "state.json";

/// Where the state is read and changed.
#[derive(Clone, Debug)]
pub(in crate::bot) struct Store(Arc<watch::Sender<State>>);

impl Store {
    /// The state as it is now. Not to be held across an await.
    pub(in crate::bot) fn read(&self) -> watch::Ref<'_, State> {
        self.0.borrow()
    }

    /// Changes the state; it is written in the background.
    pub(in crate::bot) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut result = None;
        self.0.send_modify(|state| result = Some(change(state)));
        result.expect("the closure is called once")
    }
}

/// Writes the state after each change.
#[derive(Debug)]
pub(in crate::bot) struct Writer {
    dir: PathBuf,
    changes: watch::Receiver<State>,
}

/// Reads the state of a data folder. One that cannot be understood is set aside, and a new one begun: what is kept
/// here is worth less than a running bot.
pub(in crate::bot) async fn open(dir: &Path) -> (Store, Writer) {
    let path = dir.join(FILE);
    let state = match fs::read(&path).await {
        Ok(text) => match parse(&text) {
            Ok(state) => state,
            Err(reason) => {
                set_aside(&path, &reason).await;
                State::default()
            }
        },
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                warn!(
                    path = %path.display(),
                    error = &error as &dyn std::error::Error,
                    "state of the last run cannot be read, beginning a new one"
                );
            }
            State::default()
        }
    };
    let (sender, changes) = watch::channel(state);
    let writer = Writer {
        dir: dir.to_owned(),
        changes,
    };
    (Store(Arc::new(sender)), writer)
}

fn parse(text: &[u8]) -> Result<State, String> {
    let state: State = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if state.version == VERSION {
        Ok(state)
    } else {
        Err(format!("version {}, expected {VERSION}", state.version))
    }
}

/// Gives a file that cannot be used another name, so that it can be looked at.
pub(in crate::bot) async fn set_aside(path: &Path, reason: &str) {
    let time = Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".damaged-{time}"));
    let aside = PathBuf::from(name);
    let renamed = fs::rename(path, &aside).await;
    let (path, aside) = (path.display(), aside.display());
    match renamed {
        Ok(()) => {
            warn!(%path, kept_as = %aside, reason, "damaged file set aside, beginning a new one");
        }
        Err(error) => {
            let error = &error as &dyn std::error::Error;
            warn!(%path, reason, error, "damaged file cannot be renamed, it will be overwritten");
        }
    }
}

/// Writes a file as a whole or not at all.
///
/// # Errors
/// Those of the file system; the old file is then still there.
pub(in crate::bot) async fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).await?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let mut file = fs::File::create(&new).await?;
    file.write_all(bytes).await?;
    file.flush().await?;
    // Without this a crash of the machine could leave an empty file under the final name.
    file.sync_data().await?;
    drop(file);
    fs::rename(&new, path).await
}

impl Writer {
    /// Runs until all stores are gone and the last change is written.
    pub(in crate::bot) async fn run(mut self) {
        let path = self.dir.join(FILE);
        while self.changes.changed().await.is_ok() {
            let text = serde_json::to_vec_pretty(&*self.changes.borrow_and_update());
            let written = match text {
                Ok(text) => replace(&path, &text).await,
                Err(error) => Err(error.into()),
            };
            if let Err(error) = written {
                error!(
                    path = %path.display(),
                    error = &error as &dyn std::error::Error,
                    "state could not be written"
                );
            }
        }
    }
}
