//! Incoming challenges: who gets a slot, what limits there are, and new settings while the bot runs.

use super::{Bot, challenge, challenge_by_bot, game_start, over, state};
use pocketknight::bot::MoveSources;
use pocketknight::settings::{Preference, SortBy};
use serde_json::{Value, json};
use std::sync::Arc;

/// Answer to an accept when a limit of games between bots is reached.
const LIMIT: &str = r#"{"error":"played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":7200}}"#;

impl Bot {
    /// Expects that a challenge is declined for this reason.
    async fn declined(&mut self, event: &Value, reason: &str) {
        self.events.line(event);
        let id = event["challenge"]["id"].as_str().unwrap();
        let decline = self
            .expect(&format!("POST /api/challenge/{id}/decline"))
            .await;
        assert_eq!(decline.body, format!("reason={reason}"), "{event}");
        decline.ok();
    }

    /// Expects that a challenge is accepted; the game never starts.
    async fn accepted(&mut self, event: &Value) {
        self.events.line(event);
        let id = event["challenge"]["id"].as_str().unwrap();
        self.expect(&format!("POST /api/challenge/{id}/accept"))
            .await
            .ok();
    }

    /// Ends the game that it opens with a win.
    async fn win(&mut self, id: &str) {
        let game = self.game(id, "white", "").await;
        let first = self.a_move(id).await;
        let uci = first.tail().to_owned();
        first.ok();
        game.line(&over(&uci, "resign", "white"));
        drop(game);
        self.finished().await;
    }
}

#[tokio::test]
async fn humans_and_bots_are_told_different_reasons() {
    let mut bot = Bot::start(|settings| {
        settings.challenge.bot.min_initial_s = 300;
        settings.challenge.human.casual = false;
    })
    .await;
    bot.declined(&challenge_by_bot("aaaaaaaa", "robot"), "tooFast")
        .await;
    bot.declined(&challenge("bbbbbbbb", "alice"), "rated").await;
    let mut days = challenge("cccccccc", "alice");
    days["challenge"]["timeControl"] = json!({"type": "correspondence", "daysPerTurn": 3});
    bot.declined(&days, "timeControl").await;
    bot.stopped().await;
}

#[tokio::test]
async fn the_preferred_of_those_that_wait_gets_the_slot() {
    let mut bot = Bot::start(|settings| {
        settings.challenge.preference = Preference::Human;
        settings.challenge.sort_by = SortBy::Best;
        settings.challenge.queue = 3;
    })
    .await;
    let game = bot.game("aaaaaaaa", "black", "").await;
    let mut strong = challenge("strong00", "carol");
    strong["challenge"]["challenger"]["rating"] = json!(2500);
    bot.events.line(&challenge_by_bot("robot000", "robot"));
    bot.events.line(&challenge("weak0000", "bob"));
    bot.events.line(&strong);
    bot.declined(&challenge("toomany0", "dave"), "later").await;
    game.line(&over("", "aborted", "white"));
    let order = ["strong00", "weak0000", "robot000"];
    for (place, id) in order.into_iter().enumerate() {
        let accept = bot
            .expect(&format!("POST /api/challenge/{id}/accept"))
            .await;
        for later in &order[place + 1..] {
            assert_eq!(bot.server.count(&format!("POST /api/challenge/{later}")), 0);
        }
        accept.reply(404, "{}");
    }
    bot.stopped().await;
}

#[tokio::test]
async fn reserved_slots_wait_for_humans() {
    let mut bot = Bot::start(|settings| {
        settings.challenge.concurrency = 2;
        settings.challenge.games_reserved_for_humans = 1;
        settings.challenge.queue = 0;
    })
    .await;
    bot.accepted(&challenge_by_bot("aaaaaaaa", "robot")).await;
    bot.declined(&challenge_by_bot("bbbbbbbb", "other"), "later")
        .await;
    bot.accepted(&challenge("cccccccc", "alice")).await;
    bot.stopped().await;
}

#[tokio::test]
async fn two_bots_do_not_play_each_other_for_ever() {
    let mut bot = Bot::start(|settings| settings.challenge.max_recent_bot_challenges = 1).await;
    bot.accepted(&challenge_by_bot("aaaaaaaa", "alice")).await;
    bot.win("aaaaaaaa").await;
    let mut rematch = challenge_by_bot("bbbbbbbb", "Alice");
    rematch["challenge"]["rematchOf"] = json!("aaaaaaaa");
    bot.declined(&rematch, "later").await;
    // The count is kept over a restart.
    let mut bot = bot
        .restarted(|settings| settings.challenge.max_recent_bot_challenges = 1)
        .await;
    bot.declined(&challenge_by_bot("cccccccc", "alice"), "later")
        .await;
    bot.accepted(&challenge_by_bot("dddddddd", "other")).await;
    bot.stopped().await;
}

#[tokio::test]
async fn our_own_limit_of_games_with_bots_stands_after_a_restart() {
    let mut bot = Bot::start(|_| {}).await;
    bot.events.line(&challenge_by_bot("aaaaaaaa", "robot"));
    bot.expect("POST /api/challenge/aaaaaaaa/accept")
        .await
        .reply(429, LIMIT);
    bot.declined(&challenge_by_bot("bbbbbbbb", "other"), "later")
        .await;
    bot.accepted(&challenge("cccccccc", "alice")).await;
    let mut bot = bot.restarted(|_| {}).await;
    bot.declined(&challenge_by_bot("dddddddd", "other"), "later")
        .await;
    bot.accepted(&challenge("eeeeeeee", "alice")).await;
    bot.stopped().await;
}

#[tokio::test]
async fn the_limit_of_a_challenger_stops_nobody_else() {
    let mut bot = Bot::start(|_| {}).await;
    bot.events.line(&challenge_by_bot("aaaaaaaa", "robot"));
    bot.expect("POST /api/challenge/aaaaaaaa/accept")
        .await
        .reply(400, LIMIT);
    bot.accepted(&challenge_by_bot("bbbbbbbb", "other")).await;
    bot.stopped().await;
}

#[tokio::test]
async fn games_with_bots_are_counted_over_the_day() {
    let change = |settings: &mut pocketknight::settings::Settings| {
        settings.challenge.max_bot_games_per_day = 1;
        settings.challenge.concurrency = 3;
    };
    let mut bot = Bot::start(change).await;
    let mut start = game_start("aaaaaaaa", "black");
    start["game"]["opponent"]["username"] = json!("BOT Alice");
    bot.events.line(&start);
    let _game = bot.open("aaaaaaaa", "black", state("")).await;
    bot.declined(&challenge_by_bot("bbbbbbbb", "other"), "later")
        .await;
    bot.accepted(&challenge("cccccccc", "carol")).await;
    let mut bot = bot.restarted(change).await;
    // The game is told again, and counts no second time.
    bot.events.line(&start);
    bot.declined(&challenge_by_bot("dddddddd", "other"), "later")
        .await;
    bot.stopped().await;
}

#[tokio::test]
async fn new_settings_hold_for_new_challenges_and_end_no_game() {
    let mut bot = Bot::start(|settings| settings.challenge.concurrency = 3).await;
    let game = bot.game("aaaaaaaa", "black", "e2e4").await;
    let first = bot.a_move("aaaaaaaa").await;
    let moves = format!("e2e4 {}", first.tail());
    first.ok();
    let mut settings = (**bot.settings.borrow()).clone();
    settings.challenge.human.min_rating = 1900;
    bot.settings.send(Arc::new(settings)).unwrap();
    // The new settings and the challenge come over different ways, so one or the other may be first.
    for number in 0.. {
        let id = format!("bob{number:05}");
        bot.events.line(&challenge(&id, &format!("bob{number}")));
        let answer = bot.expect(&format!("POST /api/challenge/{id}/")).await;
        let is_declined = answer.tail() == "decline";
        answer.reply(404, "{}");
        if is_declined {
            break;
        }
    }
    game.line(&state(&format!("{moves} a2a3")));
    bot.a_move("aaaaaaaa").await.ok();
    assert_eq!(bot.server.count("GET /api/bot/game/stream/aaaaaaaa"), 1);
    bot.stopped().await;
}

#[tokio::test]
async fn a_damaged_state_is_set_aside_and_the_bot_plays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.json");
    std::fs::write(&path, "{\"version\":").unwrap();
    let (mut bot, request) = Bot::with(dir, None, MoveSources::default(), |_| {}).await;
    bot.events = request.stream();
    bot.accepted(&challenge("aaaaaaaa", "alice")).await;
    let dir = bot.dir.path().to_owned();
    bot.stopped().await;
    let names = std::fs::read_dir(dir).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.any(|name| name.starts_with("state.json.damaged-")));
    let state = std::fs::read_to_string(path).unwrap();
    assert!(state.contains("alice"), "{state}");
}
