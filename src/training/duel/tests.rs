use super::*;
use crate::engine::nnue::{Architecture, Network, OUTPUT_LIMIT};
use crate::rules::{Color, Game, Variant};
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

const OPENINGS: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1
rnbqkb1r/p1pppppp/1p3n2/8/8/6PP/PPPPPP2/RNBQKBNR[] w KQkq - 1 3
rnbqkbnr/1p1ppppp/p1p5/8/8/P3PN2/1PPP1PPP/RNBQKB1R[] b KQkq - 0 3
rn1qkbnr/p1pppp1p/bp4pQ/8/4P3/8/PPPP1PPP/RNB1KBNR[] w KQkq - 2 4
r1bqkbnr/ppp1pppp/2np4/8/5N2/8/PPPPPPPP/RNBQKB1R[] w KQkq - 0 3
";

/// File with a small network of random weights.
fn random_network(dir: &std::path::Path) -> String {
    let architecture = Architecture {
        hidden: 32,
        king_buckets: 1,
        heads: 1,
    };
    let mut random = fastrand::Rng::with_seed(9);
    let mut some = |count: usize, most: i16| -> Vec<i16> {
        (0..count).map(|_| random.i16(-most..=most)).collect()
    };
    let hidden = some(32 * (1 + architecture.rows()), 60);
    let outputs = some(64, OUTPUT_LIMIT);
    let bytes = Network::write(architecture, "random", &hidden, &outputs, &[0]).unwrap();
    let path = dir.join("random.pknn");
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn duel(a: &str, b: &str, pairs: usize) -> Duel {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("openings.epd");
    std::fs::write(&path, OPENINGS).unwrap();
    let player = |text: &str| {
        let spec: PlayerSpec = text.parse().unwrap();
        spec.load(1, Pace::Nodes(60)).unwrap()
    };
    Duel {
        players: [player(a), player(b)],
        openings: Openings::read(&path, 1).unwrap(),
        pairs,
        concurrency: 1,
        sprt: None,
    }
}

fn play(duel: &Duel) -> Report {
    let go_on = &mut |_: &Pair, _: &Report| ControlFlow::Continue(());
    duel.play(&AtomicBool::new(false), go_on).unwrap()
}

#[test]
fn equal_players_share_every_pair() {
    let report = play(&duel("material", "material", 5));
    let results = &report.results;
    assert_eq!(results.pairs.counts(), [0, 0, 5, 0, 0]);
    assert_eq!(results.wins, results.losses);
    assert_eq!(results.players[0], results.players[1]);
    assert!(results.players[0].nodes > 60 * 20, "{results:?}");
    assert_eq!(results.faults, [""; 0]);
    let text = report.to_string();
    assert!(text.contains("games      10: A won "), "{text}");
    assert!(text.contains("Elo        +0.0 +- "), "{text}");
}

#[test]
fn number_of_threads_does_not_change_the_result() {
    let mut duel = duel("material,nodes=90", "default", 5);
    let alone = play(&duel);
    duel.concurrency = 3;
    let together = play(&duel);
    assert_eq!(alone.results, together.results);
    assert_eq!(alone.results.games(), 10);
    assert!(duel.is_deterministic());
}

#[test]
fn random_network_loses_to_material_and_the_test_notices_early() {
    let dir = tempfile::tempdir().unwrap();
    let mut duel = duel(&random_network(dir.path()), "material", 500);
    duel.sprt = Some("0,100".parse().unwrap());
    let mut seen = Vec::new();
    let report = duel
        .play(&AtomicBool::new(false), &mut |pair, report| {
            seen.push(pair.index);
            assert_eq!(report.results.pairs.pairs(), seen.len() as u64);
            ControlFlow::Continue(())
        })
        .unwrap();
    let pairs = report.results.pairs.pairs() as usize;
    assert!(pairs < 60, "{report}");
    assert_eq!(seen, (0..pairs).collect::<Vec<_>>());
    assert!(report.results.pairs.score() < 0.25, "{report}");
    assert_eq!(report.verdict(), Verdict::H0);
    assert!(
        report.to_string().contains("H0 accepted (Elo 0)"),
        "{report}"
    );
    assert!(report.progress().contains(" pairs: A +"), "{report:?}");
}

#[test]
fn games_are_recorded_with_names_scores_and_ends() {
    let duel = duel("material", "default", 1);
    let mut text = String::new();
    duel.play(&AtomicBool::new(false), &mut |pair, _| {
        text += &pair.pgn(["first", "second"], Some("2+0.02"));
        ControlFlow::Continue(())
    })
    .unwrap();
    let games: Vec<_> = crate::rules::pgn::games(&text)
        .map(Result::unwrap)
        .collect();
    assert_eq!(games.len(), 2);
    let names = |i: usize| ["White", "Black"].map(|name| games[i].tags.get(name).unwrap());
    assert_eq!(names(0), ["first", "second"]);
    assert_eq!(names(1), ["second", "first"]);
    assert_eq!(games[0].tags.get("Round"), Some("1.1"));
    assert_eq!(games[0].tags.get("TimeControl"), Some("2+0.02"));
    assert_eq!(games[0].game.start(), games[1].game.start());
    assert!(games[1].notes[0].eval.is_some());
    assert!(games[1].notes[0].text.contains("nodes"));
}

#[test]
fn flags_that_fall_lose_and_are_counted() {
    let mut duel = duel("material", "material,tc=1", 2);
    duel.players[1].pace = Pace::Clock(TimeControl {
        base: Duration::from_nanos(1),
        increment: Duration::ZERO,
    });
    let report = play(&duel);
    assert_eq!((report.results.wins, report.results.losses), (4, 0));
    assert_eq!(report.results.players[0].flag_falls, 0);
    assert_eq!(report.results.players[1].flag_falls, 4);
    assert!(report.results.faults.is_empty());
    assert!(report.to_string().contains("4 by flag fall"), "{report}");
    assert!(!duel.is_deterministic());
}

#[test]
fn match_ends_when_it_is_told_to_and_keeps_what_was_played() {
    let duel = duel("material", "material", 1000);
    let stop = AtomicBool::new(false);
    let count = AtomicUsize::new(0);
    let report = duel
        .play(&stop, &mut |_, _| {
            stop.store(count.fetch_add(1, Relaxed) >= 1, Relaxed);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(
        (2..1000).contains(&report.results.pairs.pairs()),
        "{report}"
    );

    let mut broken = 0;
    let report = duel
        .play(&AtomicBool::new(false), &mut |_, _| {
            broken += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!((broken, report.results.games()), (1, 2));
}

#[test]
fn faults_are_told_with_the_player_and_the_position() {
    let fen = "4k3/8/8/8/8/8/8/4K2R[] b - - 0 1";
    let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
    let faulty = || PlayedGame {
        game: Game::from_position(position),
        thoughts: Vec::new(),
        winner: Some(Color::White),
        end: End::Fault(Fault::NoMove),
    };
    let mut report = Report::new(None);
    report.add(&Pair {
        index: 6,
        games: [faulty(), faulty()],
    });
    // Black was B in the first game and A in the second.
    let faults = &report.results.faults;
    assert!(
        faults[0].starts_with("game 7.1, B with black: no move at 4k3/"),
        "{faults:?}"
    );
    assert!(
        faults[1].starts_with("game 7.2, A with black: no move at 4k3/"),
        "{faults:?}"
    );
    assert_eq!(report.results.players.map(|totals| totals.faults), [1, 1]);
    assert_eq!(report.results.pairs.counts(), [0, 0, 1, 0, 0]);
    let text = report.to_string();
    assert!(text.starts_with("fault in game 7.1, B"), "{text}");
    assert!(report.progress().ends_with(", 2 faults"), "{text}");
}
