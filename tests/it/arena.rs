//! Arenas of the sandbox: joined, played, left.

use crate::fixture::{Fixture, bot_options, quick_settings};
use pocketknight::bot::{self, BotEvent, BotOptions};
use pocketknight::sandbox::{Server, ServerOptions};
use std::time::Duration;
use tokio::sync::mpsc;

const DEADLINE: Duration = Duration::from_mins(2);

/// Opens an arena by a form such as `minutes=10` and returns its id.
async fn open(server: &Server, form: &'static str) -> String {
    // Ignored when another test was first.
    drop(rustls::crypto::ring::default_provider().install_default());
    let url = server.url().join("sandbox/tournament").unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = http
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form);
    let text = request.send().await.unwrap().text().await.unwrap();
    let arena: serde_json::Value = serde_json::from_str(&text).unwrap();
    arena["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{text}"))
        .to_owned()
}

#[tokio::test]
async fn games_of_an_arena_are_played_one_after_another_until_the_bot_leaves() {
    let server = Server::start(ServerOptions::default()).await.unwrap();
    let arena = open(&server, "minutes=10&password=knights&clock.limit=60").await;
    let closed = open(&server, "botsAllowed=false").await;
    let dir = tempfile::tempdir().unwrap();
    let mut settings = quick_settings(dir.path(), 300);
    settings.game.first_move_time = Duration::from_millis(1);
    settings.tournament.join = vec![closed, arena.clone()];
    settings.tournament.passwords = [(arena.clone(), "knights".to_owned())].into();
    let token = server.add_bot("OurBot");
    let (observer, mut observed) = mpsc::unbounded_channel();
    let options = BotOptions {
        observer: Some(observer),
        ..bot_options(&server, "OurBot", token, settings).await
    };
    let (client, draining) = (options.client.clone(), options.draining.clone());
    let bot = bot::run(options);
    let watch = async {
        let mut games = 0;
        while games < 2 {
            if let BotEvent::GameFinished { record } = observed.recv().await.unwrap() {
                games += 1;
                assert_eq!(record.verdict.word(), "win");
            }
        }
        draining.cancel();
    };
    let both = async { tokio::join!(bot, watch).0 };
    let summary = tokio::time::timeout(DEADLINE, both).await.unwrap().unwrap();
    assert!(summary.wins >= 2 && summary.left == 0, "{summary:?}");
    // Left: nobody pairs it any more, though it may come back without the password.
    client.join_tournament(&arena, None, None).await.unwrap();
    client.withdraw_tournament(&arena).await.unwrap();
}

#[test]
fn arenas_are_listed_joined_and_left_by_command() {
    let fixture = Fixture::new();
    let server = fixture.server();
    let opened = |form| fixture.runtime.block_on(open(server, form));
    let arena = opened("startIn=600&password=knights");
    let other = opened("startIn=600&variant=standard");
    let (token, url) = (server.add_bot("OurBot"), server.url().to_string());
    let run = |args: &str| {
        let args: Vec<&str> = ["tournament"].into_iter().chain(args.split(' ')).collect();
        fixture.program(&args, &token).finish()
    };
    let out = run("list");
    assert!(
        out.stdout.contains(&arena) && !out.stdout.contains(&other),
        "{out:?}"
    );
    let out = run(&format!("join {arena}"));
    assert_eq!(out.code, Some(1), "{out:?}");
    assert!(out.stderr.contains("Wrong entry code"), "{out:?}");
    let out = run(&format!("join {url}tournament/{arena} --password knights"));
    assert_eq!(out.code, Some(0), "{out:?}");
    let out = run(&format!("join {other}"));
    assert!(
        out.code == Some(1) && out.stderr.contains("variant"),
        "{out:?}"
    );
    let out = run("join no/arena");
    assert!(
        out.code == Some(2) && out.stderr.contains("no/arena"),
        "{out:?}"
    );
    let out = run(&format!("leave {arena}"));
    assert_eq!(out.code, Some(0), "{out:?}");
    let out = run("leave nonesuch");
    assert_eq!(out.code, Some(1), "{out:?}");
}
