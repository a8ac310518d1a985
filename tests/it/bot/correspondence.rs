//! Games without a clock: no slot, no open stream while the opponent thinks.

use super::{Bot, challenge, full, game_info, over};
use pocketknight::bot::Verdict;
use serde_json::{Value, json};
use std::time::Duration;

const ID: &str = "aaaaaaaa";
const STREAM: &str = "GET /api/bot/game/stream/aaaaaaaa";

async fn bot() -> Bot {
    Bot::start(|settings| {
        settings.game.clockless_move_time = Duration::from_millis(30);
        settings.game.correspondence.checkin_period = Duration::from_millis(100);
        settings.game.correspondence.stay = Duration::ZERO;
    })
    .await
}

fn info(is_my_turn: bool) -> Value {
    let mut info = game_info(ID, "white");
    info["speed"] = json!("correspondence");
    info["isMyTurn"] = json!(is_my_turn);
    info
}

fn slow_state(moves: &str) -> Value {
    json!({
        "type": "gameState", "moves": moves, "wtime": 259_200_000, "btime": 259_200_000,
        "winc": 0, "binc": 0, "status": "started",
    })
}

fn slow_full(state: Value) -> Value {
    let mut full = full(ID, "white", state);
    full["speed"] = json!("correspondence");
    full["daysPerTurn"] = json!(3);
    full.as_object_mut().unwrap().remove("clock");
    full
}

#[tokio::test]
async fn a_game_without_a_clock_is_checked_in_on_and_takes_no_slot() {
    let mut bot = bot().await;
    bot.server.set_playing(&[info(true)]);
    bot.events
        .line(&json!({"type": "gameStart", "game": info(true)}));
    let game = bot.expect(STREAM).await.stream();
    game.line(&slow_full(slow_state("")));
    let mv = bot.a_move(ID).await;
    let list = mv.tail().to_owned();
    bot.server.set_playing(&[info(false)]);
    mv.ok();
    game.line(&slow_state(&list));
    // The only slot is free.
    bot.events.line(&challenge("bbbbbbbb", "bob"));
    bot.expect("POST /api/challenge/bbbbbbbb/accept").await.ok();

    bot.server.set_playing(&[info(true)]);
    let list = format!("{list} e7e5");
    let game = bot.expect(STREAM).await.stream();
    game.line(&slow_full(slow_state(&list)));
    let mv = bot.a_move(ID).await;
    let list = format!("{list} {}", mv.tail());
    bot.server.set_playing(&[info(false)]);
    mv.ok();
    game.line(&slow_state(&list));

    // The server stops to list it: it is over.
    bot.server.set_playing(&[]);
    let game = bot.expect(STREAM).await.stream();
    game.line(&slow_full(over(&list, "resign", "white")));
    let record = bot.finished().await;
    assert_eq!((record.verdict, record.plies), (Verdict::Win, 3));
    bot.stopped().await;
}

#[tokio::test]
async fn a_draining_bot_does_not_wait_for_such_a_game() {
    let mut bot = bot().await;
    bot.server.set_playing(&[info(false)]);
    bot.events
        .line(&json!({"type": "gameStart", "game": info(true)}));
    let game = bot.expect(STREAM).await.stream();
    game.line(&slow_full(slow_state("")));
    bot.a_move(ID).await.ok();
    bot.draining.cancel();
    bot.ended().await.unwrap();
}
