//! The real bot against opponents of the sandbox who do more than play.

use crate::fixture::{bot_options, quick_settings};
use pocketknight::bot::{self, Summary};
use pocketknight::lichess::GameStatus;
use pocketknight::sandbox::{
    Manner, MatchClock, MatchOptions, Report, Server, ServerOptions, Style, play_match,
};
use pocketknight::settings::Settings;
use serde_json::Value;
use std::time::Duration;

/// Longest time for a match.
const DEADLINE: Duration = Duration::from_mins(5);

/// Result of a match, and what stands in the two chat rooms of its first game: user and text of each line.
struct Played {
    report: Report,
    summary: Summary,
    chat: [Vec<(String, String)>; 2],
}

/// Plays two games against an opponent with manners.
async fn play(manner: Manner, change: impl FnOnce(&mut Settings)) -> Played {
    let server = Server::start(ServerOptions {
        countdown: Some(Duration::from_secs(1)),
        rate_limits: false,
        ..ServerOptions::default()
    })
    .await
    .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut settings = quick_settings(dir.path(), 300);
    // The nodes end the search.
    settings.game.first_move_time = Duration::from_mins(1);
    change(&mut settings);
    let token = server.add_bot("OurBot");
    server.allow_takebacks("OurBot", true);
    let bot_options = bot_options(&server, "OurBot", token.clone(), settings).await;
    let draining = bot_options.draining.clone();
    let bot = bot::run(bot_options);
    let options = MatchOptions {
        account: "OurBot".to_owned(),
        games: 2,
        concurrency: 2,
        clock: MatchClock {
            limit_s: 60,
            increment_s: 1,
        },
        opponents: vec![Style::Mannered(manner)],
    };
    let games = async {
        let report = play_match(&server, &options).await;
        draining.cancel();
        report
    };
    let both = async { tokio::join!(games, bot) };
    let (report, summary) = tokio::time::timeout(DEADLINE, both).await.unwrap();
    let id = &report.rows[0].id;
    let base = server.url();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut chat = [Vec::new(), Vec::new()];
    for (lines, path) in chat.iter_mut().zip([
        format!("{base}api/bot/game/{id}/chat"),
        format!("{base}game/{id}/chat"),
    ]) {
        let answer = http.get(path).bearer_auth(&token).send().await.unwrap();
        let list: Vec<Value> = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        *lines = list
            .iter()
            .map(|line| (text(line, "user"), text(line, "text")))
            .collect();
    }
    Played {
        report,
        summary: summary.unwrap(),
        chat,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_offers_draws_gets_one_only_if_the_bot_likes_it() {
    let played = play(Manner::Drawer, |settings| settings.game.accept_draw = false).await;
    assert!(played.report.is_proper(), "{}", played.report);
    assert_eq!(played.summary.draws, 0, "{}", played.report);
    let offered = |(_, text): &(String, String)| text.ends_with("offers draw");
    assert!(played.chat[0].iter().any(offered), "{:?}", played.chat);
    let played = play(Manner::Drawer, |settings| {
        settings.game.accept_draw_score_cp = 100_000;
        settings.game.accept_draw_min_ply = 0;
    })
    .await;
    assert!(played.report.is_proper(), "{}", played.report);
    assert_eq!(played.summary.draws, 2, "{}", played.report);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sleeps_is_not_waited_for() {
    let played = play(Manner::Sleeper, |settings| {
        settings.game.abort_after_human = Duration::from_millis(100);
    })
    .await;
    assert_eq!(played.summary.aborted, 2, "{}", played.report);
    assert!(played.chat[0].iter().all(|(_, text)| text != "Good game!"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_leaves_loses() {
    let played = play(Manner::Leaver, |_| {}).await;
    assert_eq!(played.summary.wins, 2, "{}", played.report);
    for row in &played.report.rows {
        assert_eq!(row.status, Some(GameStatus::Timeout), "{}", played.report);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_for_takebacks_gets_no_more_than_allowed() {
    let played = play(Manner::Regretter, |settings| {
        settings.game.max_takebacks = 2;
    })
    .await;
    assert!(played.report.is_proper(), "{}", played.report);
    let accepted = |(_, text): &&(String, String)| text == "Takeback accepted";
    let count = played.chat[0].iter().filter(accepted).count();
    // One that comes while our move is on its way is declined, so there may be fewer than two.
    assert!((1..=2).contains(&count), "{count}: {:?}", played.chat[0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_writes_is_answered_and_the_game_goes_on() {
    let played = play(Manner::Chatter, |settings| {
        settings.chat.command_pause = Duration::ZERO;
        settings.chat.goodbye = settings.chat.hello_spectators.clone();
    })
    .await;
    assert!(played.report.is_proper(), "{}", played.report);
    let ours = |room: usize| -> Vec<&str> {
        let lines = played.chat[room].iter();
        lines
            .filter(|(user, _)| user == "OurBot")
            .map(|(_, text)| text.as_str())
            .collect()
    };
    let told = ours(0);
    // Lines are paced, so a short game sees only the first of them: the greeting, or the answer to `!help`.
    let first = ["Hi chatter-1! I am OurBot", "Commands: !help"];
    let is_first = |start: &&str| told[0].starts_with(*start);
    assert!(told.len() >= 2 && first.iter().any(is_first), "{told:?}");
    assert!(
        told.last().unwrap().starts_with("Hi! I am OurBot"),
        "{told:?}"
    );
    assert!(!told.iter().any(|text| text.contains("depth")), "{told:?}");
    assert_eq!(ours(1).last(), Some(&"Thanks for watching!"));
}
