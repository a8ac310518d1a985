//! The real bot against the sandbox server, over real HTTP.

use crate::fixture::{bot_options, quick_settings};
use crate::program::Program;
use pocketknight::bot::{self, BotOptions, Summary};
use pocketknight::engine::Engine;
use pocketknight::sandbox::{
    Fault, FaultKind, MatchClock, MatchOptions, Report, Server, ServerOptions, Style, play_match,
};
use std::time::Duration;

/// Longest time for a match.
const DEADLINE: Duration = Duration::from_mins(5);

/// Nodes a move that give whole games in little time.
const NODES: u64 = 300;

fn options(games: usize, concurrency: usize) -> MatchOptions {
    MatchOptions {
        account: "OurBot".to_owned(),
        games,
        concurrency,
        clock: MatchClock {
            limit_s: 60,
            increment_s: 1,
        },
        opponents: vec![Style::Random, Style::Greedy, Style::Engine { nodes: 100 }],
    }
}

/// Plays a match while `meanwhile` goes on; gives the report, what the bot counted, and its PGN file.
async fn play(
    server: &Server,
    options: &MatchOptions,
    meanwhile: impl Future<Output = ()>,
) -> (Report, Summary, String) {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = quick_settings(dir.path(), NODES);
    settings.challenge.concurrency = options.concurrency;
    let token = server.add_bot(&options.account);
    let bot_options = BotOptions {
        engine: Engine::new(2),
        ..bot_options(server, &options.account, token, settings).await
    };
    let draining = bot_options.draining.clone();
    let bot = bot::run(bot_options);
    let games = async {
        let report = tokio::select! {
            report = play_match(server, options) => report,
            () = meanwhile => unreachable!("it goes on for ever"),
        };
        draining.cancel();
        report
    };
    let both = async { tokio::join!(games, bot) };
    let (report, summary) = tokio::time::timeout(DEADLINE, both).await.unwrap();
    let mut pgn = String::new();
    for entry in std::fs::read_dir(dir.path().join("games")).unwrap() {
        pgn += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    (report, summary.unwrap(), pgn)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_games_four_at_a_time_are_all_decided_without_fault() {
    let server = Server::start(ServerOptions::default()).await.unwrap();
    let options = options(8, 4);
    let (report, summary, pgn) = play(&server, &options, std::future::pending()).await;
    assert!(report.is_proper(), "{report}");
    assert_eq!(report.rows.len(), 8);
    assert_eq!((summary.finished, summary.aborted, summary.left), (8, 0, 0));
    assert_eq!(pgn.matches("[Event ").count(), 8, "{pgn}");
    for row in &report.rows {
        assert!(pgn.contains(&row.id), "{} is missing in {pgn}", row.id);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bot_plays_on_when_its_streams_are_cut() {
    let server = Server::start(ServerOptions {
        think_delay: Duration::from_millis(20),
        ..ServerOptions::default()
    })
    .await
    .unwrap();
    let cut_now_and_then = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(150));
        loop {
            ticks.tick().await;
            server.cut_games("OurBot");
        }
    };
    let (report, ..) = play(&server, &options(2, 2), cut_now_and_then).await;
    assert!(report.is_proper(), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bot_plays_on_when_moves_are_answered_badly_or_not_at_all() {
    let server = Server::start(ServerOptions::default()).await.unwrap();
    for kind in [
        FaultKind::bad_gateway(),
        FaultKind::Delay(Duration::from_millis(200)),
        FaultKind::LoseAnswer,
    ] {
        server.inject(Fault {
            path: "/move/".to_owned(),
            times: 1,
            kind,
        });
    }
    let (report, ..) = play(&server, &options(2, 1), std::future::pending()).await;
    assert!(report.is_proper(), "{report}");
}

#[test]
fn the_command_prints_a_table_and_where_the_games_are() {
    let args = "sandbox --games 2 --concurrency 2 --opponent greedy --seed 3";
    let args: Vec<&str> = args.split(' ').collect();
    let nodes = NODES.to_string();
    let out = Program::new(&args)
        .env("POCKETKNIGHT__ENGINE__MAX_NODES", &nodes)
        .env("POCKETKNIGHT__DATA__DIR", "kept")
        .env("LICHESS_BOT_TOKEN", "lip_of_the_real_account")
        .finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.contains("2 games: "), "{out:?}");
    assert!(out.stdout.contains("0 with faults"), "{out:?}");
    let path = "games: kept/sandbox/match.pgn\n";
    assert!(out.stdout.ends_with(path), "{out:?}");
}
