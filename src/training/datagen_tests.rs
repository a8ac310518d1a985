//! Runs of self-play: the same games come out however they are cut up, and faults in files are found.

use super::datagen::{DatagenOptions, Target, generate};
use super::filter::Filter;
use super::game_file::{DataError, GameFileHeader};
use super::game_reader::GameReader;
use super::game_record::{Ending, GameRecord};
use super::game_writer::GameWriter;
use super::openings::OpeningOptions;
use super::shuffle::shuffle;
use super::statistics::{FaultyData, Statistics, verify};
use crate::engine::Evaluation;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn options(dir: &Path, threads: u32, target: Target) -> DatagenOptions {
    DatagenOptions {
        target,
        nodes: 20,
        threads,
        seed: 9,
        dir: dir.to_owned(),
        evaluation: Evaluation::Material,
        opening: OpeningOptions {
            nodes: 50,
            ..OpeningOptions::default()
        },
        report_every: Duration::from_mins(1),
    }
}

/// Runs to the end; gives the files.
fn run(options: &DatagenOptions) -> Vec<PathBuf> {
    let progress = generate(options, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let files = options.files();
    let statistics = Statistics::of_files(&files, &Filter::default()).unwrap();
    assert_eq!(progress.games, statistics.games);
    assert_eq!(progress.positions, statistics.positions);
    files
}

fn read(path: &Path) -> Vec<GameRecord> {
    GameReader::open(path)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn sorted(files: &[PathBuf]) -> Vec<String> {
    let games = files.iter().flat_map(|path| read(path));
    let mut texts: Vec<_> = games.map(|game| format!("{game:?}")).collect();
    texts.sort();
    texts
}

#[test]
fn a_run_that_was_cut_off_gives_the_same_bytes_in_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let whole = run(&options(&dir.path().join("whole"), 2, Target::Games(7)));
    let part = dir.path().join("part");
    let files = run(&options(&part, 2, Target::Games(4)));
    assert_eq!(read(&files[0]).len(), 2);
    // As kill -9 in the middle of a write leaves it.
    let bytes = fs::read(&files[0]).unwrap();
    fs::write(&files[0], &bytes[..bytes.len() - 9]).unwrap();
    let files = run(&options(&part, 2, Target::Games(7)));
    for (a, b) in whole.iter().zip(&files) {
        assert_eq!(fs::read(a).unwrap(), fs::read(b).unwrap());
    }
    // Nothing is left to do.
    let again = generate(
        &options(&part, 2, Target::Games(7)),
        &AtomicBool::new(false),
        &mut |_| {},
    );
    assert_eq!(again.unwrap().new_games, 0);
}

#[test]
fn threads_share_the_games_out_and_change_none() {
    let dir = tempfile::tempdir().unwrap();
    let one = run(&options(&dir.path().join("one"), 1, Target::Games(7)));
    let three = run(&options(&dir.path().join("three"), 3, Target::Games(7)));
    assert_eq!(three.len(), 3);
    assert_eq!(sorted(&one), sorted(&three));
    assert_eq!(read(&one[0])[4], read(&three[1])[1]);
}

#[test]
fn a_number_of_positions_is_reached_and_hardly_passed() {
    let dir = tempfile::tempdir().unwrap();
    let files = run(&options(dir.path(), 1, Target::Positions(150)));
    let games = read(&files[0]);
    let positions = |games: &[GameRecord]| games.iter().map(|it| it.plies.len()).sum::<usize>();
    assert!(positions(&games) >= 150);
    assert!(positions(&games[..games.len() - 1]) < 150);
}

#[test]
fn a_stopped_run_plays_no_more_games() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), 2, Target::Games(1_000_000));
    let progress = generate(&options, &AtomicBool::new(true), &mut |_| {}).unwrap();
    assert_eq!((progress.games, progress.left), (0, None));
    assert_eq!(verify(&options.files()).unwrap(), (0, 0));
}

#[test]
fn other_settings_for_the_same_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let first = options(dir.path(), 1, Target::Games(1));
    run(&first);
    let refused = |change: &dyn Fn(&mut DatagenOptions)| {
        let mut options = first.clone();
        change(&mut options);
        match generate(&options, &AtomicBool::new(false), &mut |_| {}) {
            Err(error @ DataError::OtherSettings { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(&|it| it.nodes = 21).contains("nodes 20, expected 21"));
    assert!(refused(&|it| it.evaluation = Evaluation::default()).contains("evaluation"));
    let text = refused(&|it| it.threads = 2);
    assert!(
        text.contains("threads 1 and the same seed, expected 2"),
        "{text}"
    );
    // Another seed has files of its own.
    let mut other = first.clone();
    other.seed = 10;
    other.threads = 2;
    run(&other);
}

#[test]
fn verify_names_the_place_of_an_illegal_move() {
    let dir = tempfile::tempdir().unwrap();
    let files = run(&options(&dir.path().join("good"), 1, Target::Games(3)));
    let mut games = read(&files[0]);
    let positions: usize = games.iter().map(|game| game.plies.len()).sum();
    assert_eq!(verify(&files).unwrap(), (3, positions as u64));
    let bad = dir.path().join("bad.games");
    let header = *GameReader::open(&files[0]).unwrap().header();
    let wrong = games[1].plies[0].mv;
    games[1].plies[1].mv = wrong;
    let mut writer = GameWriter::create(&bad, header).unwrap();
    for game in &games {
        writer.write(game).unwrap();
    }
    drop(writer);
    let mut reader = GameReader::open(&bad).unwrap();
    reader.next().unwrap().unwrap();
    let place = format!("bad.games: game 2 at byte {}: ", reader.offset());
    let ply = games[1].opening.len() + 2;
    let fault = format!("ply {ply}: {wrong} is not legal");
    for error in [
        verify(&[files[0].clone(), bad.clone()]).unwrap_err(),
        Statistics::of_files(&[bad], &Filter::default()).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(text.contains(&place) && text.contains(&fault), "{text}");
    }
}

#[test]
fn verify_names_an_incomplete_game() {
    let dir = tempfile::tempdir().unwrap();
    let files = run(&options(dir.path(), 1, Target::Games(2)));
    let bytes = fs::read(&files[0]).unwrap();
    fs::write(&files[0], &bytes[..bytes.len() - 1]).unwrap();
    let error = verify(&files).unwrap_err();
    assert!(matches!(error, FaultyData::Torn { .. }), "{error}");
    let statistics = Statistics::of_files(&files, &Filter::default()).unwrap();
    assert_eq!((statistics.games, statistics.torn_files), (1, 1));
}

#[test]
fn shuffling_changes_the_order_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let mut files = run(&options(&dir.path().join("a"), 2, Target::Games(8)));
    let out = dir.path().join("all.games");
    let (games, _) = shuffle(&files, &out, 3).unwrap();
    assert_eq!(games, 8);
    let order: Vec<_> = files.iter().flat_map(|path| read(path)).collect();
    let shuffled = read(&out);
    assert_ne!(order, shuffled);
    assert_eq!(sorted(&files), sorted(std::slice::from_ref(&out)));
    let header = *GameReader::open(&out).unwrap().header();
    let expected = GameFileHeader {
        evaluation: GameFileHeader::MATERIAL,
        nodes: 20,
        seed: 3,
        first: 0,
        step: 0,
    };
    assert_eq!(header, expected);
    let again = dir.path().join("again.games");
    shuffle(&files, &again, 3).unwrap();
    assert_eq!(read(&again), shuffled);
    // What is there is not overwritten, and mixed settings are marked.
    assert!(shuffle(&files, &out, 3).is_err());
    let mut other = options(&dir.path().join("b"), 1, Target::Games(1));
    other.nodes = 30;
    other.evaluation = Evaluation::default();
    files.extend(run(&other));
    let mixed = dir.path().join("mixed.games");
    shuffle(&files, &mixed, 3).unwrap();
    let header = *GameReader::open(&mixed).unwrap().header();
    assert_eq!(
        (header.evaluation, header.nodes),
        (GameFileHeader::MIXED, 0)
    );
}

#[test]
fn statistics_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let files = run(&options(dir.path(), 1, Target::Games(9)));
    let games = read(&files[0]);
    let filter = Filter {
        skip_plies: 3,
        ..Filter::default()
    };
    let statistics = Statistics::of_files(&files, &filter).unwrap();
    assert_eq!(statistics.results.iter().sum::<u64>(), 9);
    assert_eq!(statistics.endings.iter().sum::<u64>(), 9);
    let mates = games
        .iter()
        .filter(|game| matches!(game.ending, Ending::Checkmate { .. }));
    assert_eq!(statistics.endings[0], mates.count() as u64);
    let early: usize = games.iter().map(|game| game.plies.len().min(3)).sum();
    assert_eq!(statistics.dropped[0], early as u64);
    assert!(statistics.kept() > 0 && statistics.kept() < statistics.positions - early as u64);
    let mut lengths: Vec<_> = games.iter().map(|game| game.plies.len()).collect();
    lengths.sort_unstable();
    let (mean, median, most) = statistics.lengths();
    assert_eq!((median, most), (lengths[4], lengths[8]));
    assert_eq!((mean * 9.0).round() as usize, lengths.iter().sum::<usize>());
    let text = statistics.to_string();
    assert!(text.starts_with("games      9\n"), "{text}");
}
