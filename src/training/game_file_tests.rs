//! Files of games: what was written is read, and damage is found and named.

use super::game_file::{DataError, GameFileHeader, HEADER, game_files};
use super::game_reader::GameReader;
use super::game_record::tests::random_game;
use super::game_record::{GameRecord, ScoredMove};
use super::game_writer::GameWriter;
use crate::rules::Move;
use std::fs;
use std::path::{Path, PathBuf};

const SETTINGS: GameFileHeader = GameFileHeader {
    evaluation: 0xdead_beef,
    nodes: 400,
    seed: 0x1234_5678_9abc_def0,
    first: 1,
    step: 3,
};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("a.games")
    }
}

fn games(count: usize, seed: u64) -> Vec<GameRecord> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random_game(&mut random)).collect()
}

fn write(path: &Path, games: &[GameRecord]) {
    let mut writer = GameWriter::create(path, SETTINGS).unwrap();
    for game in games {
        writer.write(game).unwrap();
    }
    writer.sync().unwrap();
}

fn read(path: &Path) -> Result<Vec<GameRecord>, DataError> {
    GameReader::open(path)?.collect()
}

/// Where each game begins, and the end.
fn offsets(path: &Path) -> Vec<u64> {
    let mut reader = GameReader::open(path).unwrap();
    let mut offsets = vec![reader.offset()];
    while let Some(game) = reader.next() {
        game.unwrap();
        offsets.push(reader.offset());
    }
    offsets
}

#[test]
fn games_come_back_as_they_were_written() {
    let folder = Folder::new();
    let games = games(40, 1);
    write(&folder.file(), &games);
    let mut reader = GameReader::open(&folder.file()).unwrap();
    assert_eq!(*reader.header(), SETTINGS);
    let back: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!(back, games);
    assert_eq!(reader.torn(), 0);
    let length = fs::metadata(folder.file()).unwrap().len();
    assert_eq!(reader.offset(), length);
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    assert!(length < 5 * plies as u64, "{length} bytes, {plies} plies");
}

#[test]
fn writing_goes_on_where_it_ended() {
    let folder = Folder::new();
    let games = games(7, 2);
    for part in [&games[..3], &games[3..3], &games[3..]] {
        let mut writer = GameWriter::resume(&folder.file(), SETTINGS).unwrap();
        for game in part {
            writer.write(game).unwrap();
        }
    }
    assert_eq!(read(&folder.file()).unwrap(), games);
    let writer = GameWriter::resume(&folder.file(), SETTINGS).unwrap();
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    assert_eq!((writer.games(), writer.positions()), (7, plies as u64));
}

#[test]
fn a_torn_tail_loses_one_game_and_is_cut_off() {
    let folder = Folder::new();
    let path = folder.file();
    let games = games(3, 3);
    write(&path, &games);
    let whole = fs::read(&path).unwrap();
    let last = offsets(&path)[2] as usize;
    for end in [last + 1, last + 5, last + 6, whole.len() - 1] {
        fs::write(&path, &whole[..end]).unwrap();
        let mut reader = GameReader::open(&path).unwrap();
        assert_eq!(reader.by_ref().map(Result::unwrap).count(), 2);
        assert_eq!(reader.torn(), (end - last) as u64);
        let mut writer = GameWriter::resume(&path, SETTINGS).unwrap();
        assert_eq!(writer.games(), 2);
        writer.write(&games[2]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole, "torn at {end}");
    }
}

#[test]
fn a_torn_header_is_written_anew() {
    let folder = Folder::new();
    let path = folder.file();
    let games = games(1, 4);
    for end in [0, 3, HEADER - 1] {
        fs::write(&path, &SETTINGS.to_bytes()[..end]).unwrap();
        assert!(read(&path).is_err());
        let mut writer = GameWriter::resume(&path, SETTINGS).unwrap();
        writer.write(&games[0]).unwrap();
        assert_eq!(read(&path).unwrap(), games);
    }
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let folder = Folder::new();
    let path = folder.file();
    write(&path, &games(3, 5));
    let whole = fs::read(&path).unwrap();
    let offsets = offsets(&path);
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        let text = read(&path).unwrap_err().to_string();
        assert!(text.contains("a.games"), "{text}");
        if at >= HEADER {
            let begin = offsets.iter().rfind(|begin| **begin <= at as u64).unwrap();
            let place = format!("damaged at byte {begin}: ");
            assert!(text.contains(&place), "byte {at}: {text}");
            assert!(GameWriter::resume(&path, SETTINGS).is_err());
        }
    }
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = Folder::new();
    let path = folder.file();
    for (bytes, reason) in [
        (&b"something else, much longer than a header"[..], "PKGA"),
        (b"x", "PKGA"),
        (b"PKGAshort", "9 bytes"),
        (
            b"PKGA\x07\0\0\0 and so on, at least a header long",
            "version 7",
        ),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        let error = GameWriter::resume(&path, SETTINGS).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn files_of_other_settings_are_refused() {
    let folder = Folder::new();
    let path = folder.file();
    write(&path, &games(1, 6));
    let refused = |change: &dyn Fn(&mut GameFileHeader)| {
        let mut settings = SETTINGS;
        change(&mut settings);
        let error = GameWriter::resume(&path, settings).unwrap_err();
        error.to_string()
    };
    let text = refused(&|it| it.nodes = 800);
    assert!(text.ends_with("made with nodes 400, expected 800"));
    assert!(refused(&|it| it.seed = 1).contains("seed"));
    assert!(refused(&|it| it.evaluation = 0).contains("evaluation deadbeef, expected 00000000"));
    assert!(refused(&|it| it.first = 2).contains("first index 1"));
    assert!(refused(&|it| it.step = 1).contains("step 3"));
}

#[test]
fn only_one_writes_a_file_and_nothing_is_overwritten() {
    let folder = Folder::new();
    let path = folder.file();
    let writer = GameWriter::create(&path, SETTINGS).unwrap();
    let error = GameWriter::resume(&path, SETTINGS).unwrap_err();
    assert!(matches!(error, DataError::InUse { .. }), "{error}");
    drop(writer);
    assert!(GameWriter::resume(&path, SETTINGS).is_ok());
    assert!(GameWriter::create(&path, SETTINGS).is_err());
}

#[test]
fn a_game_too_long_for_the_format_is_refused() {
    let folder = Folder::new();
    let mut writer = GameWriter::create(&folder.file(), SETTINGS).unwrap();
    let mut game = games(1, 7).remove(0);
    let ply = ScoredMove {
        mv: Move::NONE,
        score: 0,
    };
    game.plies = vec![ply; 65_535];
    writer.write(&game).unwrap();
    game.plies.push(ply);
    let error = writer.write(&game).unwrap_err();
    assert!(error.to_string().contains("65536 plies"), "{error}");
    assert_eq!(read(&folder.file()).unwrap().len(), 1);
}

#[test]
fn directories_stand_for_their_files() {
    let folder = Folder::new();
    let dir = folder.0.path();
    let error = game_files(&[dir]).unwrap_err();
    assert!(error.to_string().contains("*.games"), "{error}");
    for name in ["b.games", "a.games", "notes.txt"] {
        fs::write(dir.join(name), b"").unwrap();
    }
    let found = game_files(&[dir.to_owned(), dir.join("notes.txt")]).unwrap();
    let names: Vec<_> = found.iter().map(|it| it.file_name().unwrap()).collect();
    assert_eq!(names, ["a.games", "b.games", "notes.txt"]);
    assert!(game_files(&[dir.join("missing")]).is_err());
}
