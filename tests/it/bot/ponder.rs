//! Thinking on the opponent's time.

use super::{Bot, over, state, state_with};
use pocketknight::engine::{Engine, Limits, SearchRequest, SessionOptions};
use pocketknight::rules::{CastlingStyle, Position, Variant};
use serde_json::json;
use std::time::{Duration, Instant};

const ID: &str = "aaaaaaaa";
const MOVE: &str = "POST /api/bot/game/aaaaaaaa/move/";
const NODES: u64 = 800;

/// Bot that always finds the same first move.
async fn bot() -> Bot {
    Bot::start(|settings| {
        settings.engine.ponder = true;
        settings.engine.max_nodes = NODES;
        settings.game.first_move_time = Duration::from_mins(1);
        settings.game.max_takebacks = 1;
    })
    .await
}

/// What the bot plays in the start position, and the reply that it expects.
fn expected() -> [String; 2] {
    let position = Position::start(Variant::Crazyhouse);
    let mut session = Engine::new(1).session(SessionOptions {
        hash_mib: 1,
        threads: 1,
    });
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::default()
    };
    let request = SearchRequest {
        position,
        earlier: Vec::new(),
        limits,
        received: Instant::now(),
    };
    let found = session.search_blocking(request, &mut |_| {});
    let (best, reply) = (found.best.unwrap(), found.ponder.unwrap());
    let style = CastlingStyle::KingTakesRook;
    [
        position.uci(best, style),
        position.play(best).uci(reply, style),
    ]
}

/// Some legal reply of Black that is not `expected`.
fn surprise(expected: &str) -> &'static str {
    if expected == "a7a6" { "h7h6" } else { "a7a6" }
}

#[tokio::test]
async fn the_expected_reply_is_answered_by_the_search_that_waited_for_it() {
    let [ours, reply] = expected();
    let mut bot = bot().await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    assert_eq!(mv.tail(), ours);
    mv.ok();
    game.line(&state(&ours));
    game.line(&state(&format!("{ours} {reply}")));
    let mv = bot.a_move(ID).await;
    let list = format!("{ours} {reply} {}", mv.tail());
    mv.ok();
    game.line(&over(&list, "resign", "white"));
    let record = bot.finished().await;
    assert_eq!((record.ponder_guesses, record.ponder_hits), (1, 1));
    bot.stopped().await;
}

#[tokio::test]
async fn the_reply_can_come_before_the_answer_of_our_move() {
    let [ours, reply] = expected();
    let mut bot = bot().await;
    let game = bot.game(ID, "white", "").await;
    let first = bot.a_move(ID).await;
    game.line(&state(&format!("{ours} {reply}")));
    bot.a_move(ID).await.ok();
    first.ok();
    assert_eq!(bot.server.count(MOVE), 2, "one for each turn");
    bot.stopped().await;
}

#[tokio::test]
async fn another_reply_is_searched_anew() {
    let [ours, reply] = expected();
    let mut bot = bot().await;
    let game = bot.game(ID, "white", "").await;
    bot.a_move(ID).await.ok();
    game.line(&state(&format!("{ours} {}", surprise(&reply))));
    let mv = bot.a_move(ID).await;
    let list = format!("{ours} {} {}", surprise(&reply), mv.tail());
    mv.ok();
    game.line(&over(&list, "resign", "white"));
    let record = bot.finished().await;
    assert_eq!((record.ponder_guesses, record.ponder_hits), (1, 0));
    bot.stopped().await;
}

#[tokio::test]
async fn a_takeback_of_our_move_ends_pondering_and_a_move_is_found_again() {
    let [ours, reply] = expected();
    let mut bot = bot().await;
    let game = bot.game(ID, "white", "").await;
    bot.a_move(ID).await.ok();
    game.line(&state(&ours));
    game.line(&state_with(&ours, json!({"btakeback": true})));
    let answer = "POST /api/bot/game/aaaaaaaa/takeback/yes";
    bot.expect(answer).await.ok();
    game.line(&state(""));
    let mv = bot.a_move(ID).await;
    let again = mv.tail().to_owned();
    mv.ok();
    game.line(&state(&format!("{again} {}", surprise(&reply))));
    bot.a_move(ID).await.ok();
    assert_eq!(bot.server.count(MOVE), 3);
    bot.stopped().await;
}

#[tokio::test]
async fn a_refused_move_is_not_pondered_upon() {
    let [ours, _] = expected();
    let mut bot = bot().await;
    let _game = bot.game(ID, "white", "").await;
    bot.a_move(ID).await.reply(400, r#"{"error":"no"}"#);
    let game = bot.open(ID, "white", state("")).await;
    let mv = bot.a_move(ID).await;
    assert_ne!(mv.tail(), ours);
    let list = format!("{} a7a6", mv.tail());
    mv.ok();
    game.line(&state(&list));
    bot.a_move(ID).await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn the_end_of_a_game_ends_pondering_and_a_draining_bot_leaves() {
    let [ours, _] = expected();
    let mut bot = bot().await;
    let game = bot.game(ID, "white", "").await;
    bot.a_move(ID).await.ok();
    game.line(&state(&ours));
    bot.draining.cancel();
    game.line(&over(&ours, "resign", "white"));
    let record = bot.finished().await;
    assert_eq!((record.ponder_guesses, record.ponder_hits), (0, 0));
    assert_eq!(bot.ended().await.unwrap().finished, 1);
}

#[tokio::test]
async fn a_bot_told_to_stop_does_not_wait_for_pondering() {
    let mut bot = Bot::start(|settings| settings.engine.ponder = true).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let list = mv.tail().to_owned();
    mv.ok();
    game.line(&state(&list));
    assert_eq!(bot.stopped().await.left, 1);
}

#[tokio::test]
async fn two_games_share_one_core_while_both_ponder() {
    let mut bot = Bot::start(|settings| {
        settings.engine.ponder = true;
        settings.challenge.concurrency = 2;
    })
    .await;
    let other = "bbbbbbbb";
    let first = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let mut one = mv.tail().to_owned();
    mv.ok();
    let second = bot.game(other, "white", "").await;
    let mv = bot.a_move(other).await;
    let mut two = mv.tail().to_owned();
    mv.ok();
    for reply in ["a7a6", "h7h6"] {
        one = format!("{one} {reply}");
        first.line(&state(&one));
        let mv = bot.a_move(ID).await;
        one = format!("{one} {}", mv.tail());
        mv.ok();
        two = format!("{two} {reply}");
        second.line(&state(&two));
        let mv = bot.a_move(other).await;
        two = format!("{two} {}", mv.tail());
        mv.ok();
    }
    assert_eq!(bot.stopped().await.left, 2);
}
