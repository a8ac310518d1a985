//! Challenges of our own, request by request.

use super::{Bot, DEADLINE, Request, Stream, challenge, challenge_by_bot, game_start, over};
use pocketknight::bot::{BotEvent, Colors, Series, SeriesEnd, SeriesNews};
use pocketknight::settings::Settings;
use serde_json::{Value, json};
use std::time::Duration;

fn series(games: u32) -> Series {
    Series {
        opponent: "bob".to_owned(),
        is_bot: true,
        games,
        clock: "3+2".parse().unwrap(),
        rated: true,
        colors: Colors::Pairs,
        accept_others: false,
    }
}

/// Our challenge as the server shows it.
fn ours(id: &str, to: &str) -> Value {
    let mut event = challenge(id, "OurBot");
    event["challenge"]["challenger"]["id"] = json!("ourbot");
    event["challenge"]["destUser"] = json!({"id": to, "name": to, "title": "BOT"});
    event
}

fn declined(id: &str, to: &str, reason: &str) -> Value {
    let mut event = ours(id, to);
    event["type"] = json!("challengeDeclined");
    event["challenge"]["status"] = json!("declined");
    event["challenge"]["declineReasonKey"] = json!(reason);
    event
}

/// Starts to look for opponents at once, and never waits.
fn eager(settings: &mut Settings) {
    let matchmaking = &mut settings.matchmaking;
    matchmaking.enabled = true;
    matchmaking.idle_delay = Duration::ZERO;
    matchmaking.retry_pause = Duration::from_millis(1);
    matchmaking.pairs = false;
}

impl Bot {
    /// Waits for a challenge of ours to `user` and lets it stand.
    async fn challenged(&mut self, user: &str, id: &str) -> (String, Stream) {
        let request = self.expect(&format!("POST /api/challenge/{user}")).await;
        let body = request.body.clone();
        let stream = request.stream();
        self.events.line(&ours(id, user));
        stream.line(&ours(id, user)["challenge"]);
        (body, stream)
    }

    /// Answers a search for opponents with these bots, all of them idle.
    async fn offer_bots(&mut self, ids: &[&str]) {
        let perf = json!({"games": 50, "rating": 2000, "rd": 60, "prog": 0});
        let bots = ids.iter().map(|id| {
            json!({"id": id, "username": id, "title": "BOT", "perfs": {"crazyhouse": perf}})
                .to_string()
        });
        let lines: Vec<String> = bots.collect();
        self.expect("GET /api/bot/online")
            .await
            .reply(200, &lines.join("\n"));
        if ids.is_empty() {
            return;
        }
        let statuses = ids
            .iter()
            .map(|id| json!({"id": id, "name": id, "online": true}));
        let statuses: Vec<Value> = statuses.collect();
        self.expect("GET /api/users/status")
            .await
            .reply(200, &json!(statuses).to_string());
    }

    async fn series_news(&mut self) -> SeriesNews {
        let search = async {
            loop {
                if let BotEvent::Series(news) = self.observed.recv().await.unwrap() {
                    return news;
                }
            }
        };
        tokio::time::timeout(DEADLINE, search).await.unwrap()
    }

    async fn series_end(&mut self) -> SeriesEnd {
        loop {
            if let SeriesNews::Ended(end) = self.series_news().await {
                return end;
            }
        }
    }

    /// Plays a game of one move of ours, which is won.
    async fn won_game(&mut self, id: &str, color: &str) {
        let mut start = game_start(id, color);
        start["game"]["opponent"] = json!({"id": "bob", "username": "BOT bob"});
        self.events.line(&start);
        let before = if color == "white" { "" } else { "e2e4 " };
        let game = self.open(id, color, super::state(before.trim())).await;
        let first = self.a_move(id).await;
        let moves = format!("{before}{}", first.tail());
        first.ok();
        game.line(&over(&moves, "resign", color));
    }
}

fn cancel(request: &Request, id: &str) -> bool {
    request.line == format!("POST /api/challenge/{id}/cancel")
}

#[tokio::test]
async fn a_series_swaps_colors_declines_others_and_ends_the_bot() {
    let mut bot = Bot::playing(series(2), |_| {}).await;
    for (id, color) in [("first000", "white"), ("second00", "black")] {
        let (body, stream) = bot.challenged("bob", id).await;
        for part in [
            "keepAliveStream=true",
            "variant=crazyhouse",
            "rated=true",
            "clock.limit=180",
            "clock.increment=2",
            &format!("color={color}"),
        ] {
            assert!(body.contains(part), "no {part} in {body}");
        }
        bot.events.line(&challenge("intruder", "alice"));
        let decline = bot.expect("POST /api/challenge/intruder/decline").await;
        assert_eq!(decline.body, "reason=later");
        decline.ok();
        stream.line(&json!({"done": "accepted"}));
        bot.won_game(id, color).await;
    }
    let end = bot.series_end().await;
    assert_eq!((end.score.wins, end.gave_up), (2, None));
    let summary = bot.ended().await.unwrap();
    assert_eq!((summary.finished, summary.wins), (2, 2));
    let state = std::fs::read_to_string(bot.dir.path().join("state.json")).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["opponents"]["bob"]["wins"], 2);
    assert_eq!(state["botGames"], Value::Null);
    assert_eq!(state["bot_games"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_series_tells_why_it_was_declined_and_ends() {
    let mut bot = Bot::playing(series(2), |_| {}).await;
    let (_, stream) = bot.challenged("bob", "first000").await;
    // The connection of the challenge does not tell the reason, and is often the first to tell of it.
    stream.line(&json!({"done": "declined"}));
    bot.events.line(&declined("first000", "bob", "casual"));
    let end = bot.series_end().await;
    assert_eq!(end.gave_up.as_deref(), Some("declined with \"casual\""));
    bot.ended().await.unwrap();
}

#[tokio::test]
async fn a_challenge_without_answer_is_taken_back_and_sent_again() {
    let mut bot = Bot::playing(series(1), |settings| {
        settings.matchmaking.challenge_timeout = Duration::from_millis(50);
        settings.matchmaking.retry_pause = Duration::from_millis(1);
    })
    .await;
    let (_, _stream) = bot.challenged("bob", "first000").await;
    let request = bot.expect("POST /api/challenge/first000").await;
    assert!(cancel(&request, "first000"));
    request.ok();
    let (_, _stream) = bot.challenged("bob", "second00").await;
    // It was accepted at the last moment.
    let request = bot.expect("POST /api/challenge/second00").await;
    assert!(cancel(&request, "second00"));
    request.reply(404, r#"{"error":"Not found"}"#);
    bot.won_game("second00", "white").await;
    assert_eq!(bot.series_end().await.score.wins, 1);
    bot.ended().await.unwrap();
}

#[tokio::test]
async fn a_challenge_whose_answer_is_lost_is_known_by_the_event_stream() {
    let mut bot = Bot::playing(series(1), |_| {}).await;
    let request = bot.expect("POST /api/challenge/bob").await;
    bot.events.line(&ours("first000", "bob"));
    request.reply(502, "<html>bad gateway</html>");
    bot.won_game("first000", "white").await;
    assert_eq!(bot.series_end().await.gave_up, None);
    bot.ended().await.unwrap();
    assert_eq!(bot.server.count("POST /api/challenge/bob"), 1);
}

#[tokio::test]
async fn leaving_takes_the_challenge_back() {
    let mut bot = Bot::playing(series(1), |_| {}).await;
    let (_, _stream) = bot.challenged("bob", "first000").await;
    bot.draining.cancel();
    bot.expect("POST /api/challenge/first000/cancel").await.ok();
    bot.ended().await.unwrap();
}

#[tokio::test]
async fn an_idle_bot_of_the_list_is_challenged_and_one_that_declined_is_not_asked_again() {
    let mut bot = Bot::start(eager).await;
    bot.offer_bots(&["bob"]).await;
    let (body, stream) = bot.challenged("bob", "first000").await;
    assert!(body.contains("color=random"), "{body}");
    bot.events.line(&declined("first000", "bob", "nobot"));
    stream.line(&json!({"done": "declined"}));
    bot.offer_bots(&["bob", "carol"]).await;
    let (_, stream) = bot.challenged("carol", "second00").await;
    bot.events.line(&declined("second00", "carol", "later"));
    drop(stream);
    // The next search shows that the answer has been taken in.
    bot.expect("GET /api/bot/online").await.reply(200, "");
    // It is remembered.
    let mut bot = bot.restarted(eager).await;
    bot.offer_bots(&["bob", "carol", "dave"]).await;
    bot.challenged("dave", "third000").await;
    bot.stopped().await;
}

#[tokio::test]
async fn a_capped_opponent_is_told_from_a_limit_of_our_own() {
    let limit = |who: &str| {
        json!({"error": format!("{who} played 100 games against other bots today"),
               "ratelimit": {"key": "bot.vsBot.day", "seconds": 7200}})
        .to_string()
    };
    let mut bot = Bot::start(eager).await;
    bot.offer_bots(&["bob"]).await;
    bot.expect("POST /api/challenge/bob")
        .await
        .reply(400, &limit("bob"));
    bot.offer_bots(&["bob", "carol"]).await;
    let request = bot.expect("POST /api/challenge/carol").await;
    request.reply(429, &limit("You"));
    // From now on no bot is accepted either, and nobody is sought.
    for (number, from) in ["dave", "erin"].into_iter().enumerate() {
        bot.events
            .line(&challenge_by_bot(&format!("incoming{number}"), from));
        let answer = bot
            .expect(&format!("POST /api/challenge/incoming{number}/"))
            .await;
        if number > 0 {
            assert_eq!(answer.tail(), "decline");
        }
        answer.reply(404, "{}");
    }
    assert_eq!(bot.server.count("GET /api/bot/online"), 2);
    bot.stopped().await;
}

#[tokio::test]
async fn a_challenge_of_ours_holds_a_slot() {
    let mut bot = Bot::start(eager).await;
    bot.offer_bots(&["bob"]).await;
    let (_, stream) = bot.challenged("bob", "first000").await;
    bot.events.line(&challenge("incoming", "alice"));
    bot.events.line(&challenge("incomin2", "bob"));
    // Bob has our challenge already, and alice waits.
    bot.expect("POST /api/challenge/incomin2/decline")
        .await
        .ok();
    assert_eq!(bot.server.count("POST /api/challenge/incoming"), 0);
    bot.events.line(&declined("first000", "bob", "later"));
    bot.expect("POST /api/challenge/incoming/accept").await.ok();
    drop(stream);
    bot.stopped().await;
}
