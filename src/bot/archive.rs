//! Files of finished games: `DIR/games/YYYY-MM.pgn` and `DIR/results.jsonl`. One task writes them, so that lines
//! never interleave and no game waits for the disk.

use super::record::GameRecord;
use crate::lichess::model::GameId;
use crate::settings::DataSettings;
use serde::Deserialize;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use tokio::fs;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tracing::{debug, error};

/// Part of the results file that is read at start to know which games it has already.
const REMEMBERED_BYTES: u64 = 1 << 20;

/// The data folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("data.dir {}: {action} failed", path.display())]
pub struct ArchiveError {
    path: PathBuf,
    action: &'static str,
    source: io::Error,
}

/// Where records are handed in.
#[derive(Clone, Debug)]
pub(super) struct Archive {
    records: mpsc::UnboundedSender<GameRecord>,
}

impl Archive {
    /// Hands a record in; it is written in the background.
    pub(super) fn store(&self, record: GameRecord) {
        if self.records.send(record).is_err() {
            // The writer ends only after all senders, or by a panic that was reported.
            error!("record of a finished game is lost, its writer has ended");
        }
    }
}

/// Writes the records that come in.
#[derive(Debug)]
pub(super) struct Writer {
    settings: DataSettings,
    incoming: mpsc::UnboundedReceiver<GameRecord>,
    written: HashSet<GameId>,
}

/// Makes the data folder and checks that it can be written.
///
/// # Errors
/// When a folder or file cannot be made, opened or read.
pub(super) async fn open(settings: &DataSettings) -> Result<(Archive, Writer), ArchiveError> {
    let fail = |path: &Path, action: &'static str| {
        let path = path.to_owned();
        move |source| ArchiveError {
            path,
            action,
            source,
        }
    };
    let mut written = HashSet::new();
    if settings.pgn {
        let games = settings.dir.join("games");
        fs::create_dir_all(&games)
            .await
            .map_err(fail(&games, "making the folder"))?;
        let probe = games.join(".writable");
        fs::write(&probe, b"")
            .await
            .map_err(fail(&games, "writing a file"))?;
        fs::remove_file(&probe)
            .await
            .map_err(fail(&games, "removing a file"))?;
    }
    if settings.results {
        let dir = &settings.dir;
        fs::create_dir_all(dir)
            .await
            .map_err(fail(dir, "making the folder"))?;
        let path = results_path(settings);
        written = remembered(&path)
            .await
            .map_err(fail(&path, "opening the results"))?;
    }
    let (records, incoming) = mpsc::unbounded_channel();
    Ok((
        Archive { records },
        Writer {
            settings: settings.clone(),
            incoming,
            written,
        },
    ))
}

impl Writer {
    /// Runs until all senders are gone.
    pub(super) async fn run(mut self) {
        while let Some(record) = self.incoming.recv().await {
            // A restart in the last moment of a game sees its end twice.
            if !self.written.insert(record.id.clone()) {
                debug!(game = %record.id, "game is recorded already");
                continue;
            }
            if self.settings.results {
                let line = serde_json::to_vec(&record).map_err(io::Error::from);
                let path = results_path(&self.settings);
                let done = match line {
                    Ok(mut line) => {
                        line.push(b'\n');
                        append(&path, &line).await
                    }
                    Err(error) => Err(error),
                };
                report(&record, &path, done);
            }
            if self.settings.pgn {
                let month = record.finished.strftime("%Y-%m").to_string();
                let path = self.settings.dir.join("games").join(format!("{month}.pgn"));
                report(&record, &path, append(&path, record.pgn.as_bytes()).await);
            }
        }
    }
}

fn results_path(settings: &DataSettings) -> PathBuf {
    settings.dir.join("results.jsonl")
}

fn report(record: &GameRecord, path: &Path, done: io::Result<()>) {
    if let Err(error) = done {
        let path = path.display().to_string();
        error!(
            game = %record.id,
            path,
            error = &error as &dyn std::error::Error,
            "record of a finished game could not be written"
        );
    }
}

async fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .await?;
    file.write_all(bytes).await?;
    file.flush().await
}

/// Ids at the end of the results file, which is made if missing. Lines that are no records are passed over.
async fn remembered(path: &Path) -> io::Result<HashSet<GameId>> {
    #[derive(Deserialize)]
    struct Line {
        id: GameId,
    }
    let mut file = fs::OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .await?;
    let len = file.metadata().await?.len();
    file.seek(io::SeekFrom::Start(len.saturating_sub(REMEMBERED_BYTES)))
        .await?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail).await?;
    if !tail.is_empty() && !tail.ends_with(b"\n") {
        // A line that was cut off by a crash must not swallow the next one.
        file.write_all(b"\n").await?;
        file.flush().await?;
    }
    Ok(tail
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Line>(line).ok())
        .map(|line| line.id)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::record::Verdict;
    use crate::lichess::model::{GameStatus, Side};
    use jiff::Timestamp;

    fn record(id: &str) -> GameRecord {
        let time: Timestamp = "2026-08-31T23:59:59Z".parse().unwrap();
        GameRecord {
            id: id.into(),
            url: format!("https://lichess.org/{id}"),
            started: time,
            finished: time,
            color: Side::White,
            opponent: "Alice".to_owned(),
            opponent_title: None,
            opponent_rating: None,
            own_rating: None,
            rated: false,
            speed: "blitz",
            initial_ms: None,
            increment_ms: None,
            status: GameStatus::Resign,
            winner: Some(Side::White),
            verdict: Verdict::Win,
            plies: 0,
            moves: String::new(),
            ponder_guesses: 0,
            ponder_hits: 0,
            pgn: format!("[GameId \"{id}\"]\n\n1-0\n\n"),
        }
    }

    async fn write(settings: &DataSettings, ids: &[&str]) {
        let (archive, writer) = open(settings).await.unwrap();
        for id in ids {
            archive.store(record(id));
        }
        drop(archive);
        writer.run().await;
    }

    fn ids(settings: &DataSettings) -> Vec<String> {
        let text = std::fs::read_to_string(results_path(settings)).unwrap();
        text.lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .map(|value| value["id"].as_str().unwrap().to_owned())
            .collect()
    }

    #[tokio::test]
    async fn each_game_is_written_once_even_over_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let settings = DataSettings {
            dir: dir.path().join("new/data"),
            pgn: true,
            results: true,
        };
        write(&settings, &["a", "b", "a"]).await;
        write(&settings, &["b", "c"]).await;
        assert_eq!(ids(&settings), ["a", "b", "c"]);
        let pgn = std::fs::read_to_string(settings.dir.join("games/2026-08.pgn")).unwrap();
        assert_eq!(pgn.matches("[GameId").count(), 3, "{pgn}");
    }

    #[tokio::test]
    async fn a_line_cut_off_by_a_crash_does_not_swallow_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let settings = DataSettings {
            dir: dir.path().to_owned(),
            pgn: false,
            results: true,
        };
        std::fs::write(results_path(&settings), "{\"id\":\"old\"}\n{\"id\":\"hal").unwrap();
        write(&settings, &["old", "new"]).await;
        assert_eq!(ids(&settings), ["old", "new"]);
        assert!(!settings.dir.join("games").exists());
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_made_is_told_at_start() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        for (pgn, results) in [(true, false), (false, true)] {
            let settings = DataSettings {
                dir: file.clone(),
                pgn,
                results,
            };
            let error = open(&settings).await.unwrap_err().to_string();
            assert!(
                error.starts_with("data.dir ") && error.contains("file"),
                "{error}"
            );
        }
    }
}
