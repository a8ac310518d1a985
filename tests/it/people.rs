//! Opponents as an operator meets them: matchmaking, a series from the command line, settings read again.

use crate::fixture::{Fixture, bot_options, quick_settings};
use crate::program::Program;
use pocketknight::bot::{self, BotEvent, BotOptions};
use pocketknight::lichess::DeclineReason;
use pocketknight::sandbox::{ScriptedAnswer, Server, ServerOptions};
use pocketknight::settings::RatingPreference;
use serde_json::Value;
use std::time::Duration;
use tokio::sync::mpsc;

/// Longest time for a test.
const DEADLINE: Duration = Duration::from_mins(2);

/// Program with the account `ourbot` and quick games.
fn program(fixture: &Fixture, args: &[&str]) -> Program {
    let token = fixture.server().add_bot("ourbot");
    fixture
        .program(args, &token)
        .env("POCKETKNIGHT__ENGINE__MAX_NODES", "200")
        .env("POCKETKNIGHT__GAME__FIRST_MOVE_TIME", "20ms")
}

#[test]
fn a_series_is_played_and_its_score_printed() {
    let fixture = Fixture::new();
    fixture
        .server()
        .set_answer("greedy", ScriptedAnswer::Accept);
    let args = "challenge Greedy --games 2 --clock 1+1 --rated";
    let out = program(&fixture, &args.split(' ').collect::<Vec<_>>()).finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{out:?}");
    assert!(
        lines[0].starts_with("game 1 of 2: http://127.0.0.1:"),
        "{out:?}"
    );
    assert!(lines[1].starts_with("game 2 of 2: "), "{out:?}");
    assert!(lines[1].contains(", score "), "{out:?}");
}

#[test]
fn a_series_that_is_not_wanted_ends_with_the_reason() {
    let fixture = Fixture::new();
    let server = fixture.server();
    assert!(server.set_answer("greedy", ScriptedAnswer::Decline(DeclineReason::NoBot)));
    assert!(!server.set_answer("alice", ScriptedAnswer::Silent));
    let out = program(&fixture, &["challenge", "greedy"]).finish();
    assert_eq!(out.code, Some(1), "{out:?}");
    assert!(
        out.stderr
            .contains("series given up after 0 of 1 games: declined with \"noBot\""),
        "{out:?}"
    );
    let out = program(&fixture, &["challenge", "nobody"]).finish();
    assert_eq!(out.code, Some(2), "{out:?}");
    assert!(out.stderr.contains("there is no user nobody"), "{out:?}");
    let out = program(&fixture, &["challenge", "greedy", "--clock", "0.25+0"]).finish();
    assert_eq!(out.code, Some(2), "{out:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matchmaking_finds_the_one_who_plays_and_plays_a_pair() {
    let server = Server::start(ServerOptions::default()).await.unwrap();
    for (name, answer) in [
        ("engine50", ScriptedAnswer::Silent),
        (
            "engine50-2",
            ScriptedAnswer::Decline(DeclineReason::TooFast),
        ),
        ("greedy", ScriptedAnswer::Accept),
    ] {
        assert!(server.set_answer(name, answer));
    }
    let dir = tempfile::tempdir().unwrap();
    let mut settings = quick_settings(dir.path(), 200);
    settings.game.first_move_time = Duration::from_millis(20);
    let matchmaking = &mut settings.matchmaking;
    matchmaking.enabled = true;
    matchmaking.idle_delay = Duration::ZERO;
    // The stronger ones are asked first.
    matchmaking.rating_preference = RatingPreference::High;
    matchmaking.clocks = vec!["1+1".parse().unwrap()];
    // Long enough for an answer on a busy machine; one opponent gives none.
    matchmaking.challenge_timeout = Duration::from_secs(3);
    matchmaking.retry_pause = Duration::from_millis(1);
    let token = server.add_bot("OurBot");
    let (observer, mut events) = mpsc::unbounded_channel();
    let options = BotOptions {
        observer: Some(observer),
        ..bot_options(&server, "OurBot", token, settings).await
    };
    let draining = options.draining.clone();
    let bot = bot::run(options);
    let watch = async {
        let mut games = Vec::new();
        while games.len() < 2 {
            if let BotEvent::GameFinished { record } = events.recv().await.unwrap() {
                games.push((record.opponent.clone(), record.color));
            }
        }
        draining.cancel();
        games
    };
    let both = async { tokio::join!(bot, watch) };
    let (summary, games) = tokio::time::timeout(DEADLINE, both).await.unwrap();
    summary.unwrap();
    assert!(
        games.iter().all(|(name, _)| name.ends_with("greedy")),
        "{games:?}"
    );
    assert_ne!(games[0].1, games[1].1, "colors are swapped");
    let state = std::fs::read_to_string(dir.path().join("state.json")).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    for (name, topic) in [("engine50", "any"), ("engine50-2", "bullet")] {
        let backoffs = state["opponents"][name]["backoffs"].as_object().unwrap();
        let topics: Vec<&String> = backoffs.keys().collect();
        assert_eq!(topics, [topic], "{state:#}");
    }
    assert_eq!(state["challenges"].as_array().unwrap().len(), 4);
}

#[cfg(unix)]
#[test]
fn settings_are_read_again_at_a_hangup() {
    let fixture = Fixture::new();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bot.toml");
    std::fs::write(&path, "[challenge]\nmin_rating = 1500\n").unwrap();
    let mut bot = program(&fixture, &["run", "--config", path.to_str().unwrap()])
        .env("NO_COLOR", "1")
        .log();
    bot.until("event stream open");
    std::fs::write(
        &path,
        "[challenge]\nmin_rating = 1800\n[engine]\ncores = 3\n",
    )
    .unwrap();
    bot.signal("HUP");
    let log = bot.until("settings read again").join("\n");
    assert!(
        log.contains("engine.cores is used at the start only"),
        "{log}"
    );
    assert!(log.contains("challenge.min_rating = 1800"), "{log}");
    bot.until("new settings in use");
    std::fs::write(&path, "[challenge]\nmin_rating = 9000\nmax_ratin = 1\n").unwrap();
    bot.signal("HUP");
    bot.until("settings cannot be used, the old ones go on");
    let log = bot.until("max_ratin").join("\n");
    assert!(log.contains("challenge.m"), "{log}");
    // The random player, whose rating is 800, asks for a game and is refused by the second of the three files.
    let url = fixture.server().url().join("sandbox/challenge").unwrap();
    let form = [("user", "ourbot"), ("opponent", "random")];
    fixture.runtime.block_on(async {
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let sent = http.post(url).form(&form).send().await.unwrap();
        assert!(sent.status().is_success());
    });
    bot.until(
        "declined challenge of random (1+1 casual): rating 800 is below challenge.min_rating = 1800 -> generic",
    );
    bot.signal("TERM");
    assert_eq!(bot.end().1, Some(0));
}
