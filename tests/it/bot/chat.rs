//! Chat: greetings after the first move, answers to commands, farewells.

use super::{Bot, over, state, state_with};
use pocketknight::settings::Settings;
use serde_json::{Value, json};
use std::time::Duration;

const ID: &str = "aaaaaaaa";
const MOVE: &str = "POST /api/bot/game/aaaaaaaa/move/";
const CHAT: &str = "POST /api/bot/game/aaaaaaaa/chat";

fn quiet(settings: &mut Settings) {
    settings.chat.enabled = true;
    settings.chat.greet_humans = false;
    settings.chat.command_pause = Duration::ZERO;
}

fn line(room: &str, user: &str, text: &str) -> Value {
    json!({"type": "chatLine", "room": room, "username": user, "text": text})
}

#[tokio::test]
async fn greetings_come_after_the_first_move_and_farewells_after_the_game() {
    let mut bot = Bot::start(|settings| settings.chat.enabled = true).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    assert_eq!(bot.server.count(CHAT), 0, "not before the move");
    let list = format!("{} e7e5", mv.tail());
    mv.ok();
    let hello = bot.expect(CHAT).await;
    assert!(hello.body.starts_with("room=player&"), "{}", hello.body);
    assert!(hello.body.contains("Alice"), "{}", hello.body);
    // The greeting is not answered: moves do not wait for it.
    game.line(&state(&list));
    bot.a_move(ID).await.ok();
    game.line(&over(&list, "resign", "white"));
    bot.finished().await;
    let goodbye = bot.expect(CHAT).await;
    assert!(goodbye.body.contains("room=player"), "{}", goodbye.body);
    goodbye.ok();
    let goodbye = bot.expect(CHAT).await;
    assert!(goodbye.body.contains("room=spectator"), "{}", goodbye.body);
    goodbye.ok();
    drop(hello);
    bot.draining.cancel();
    bot.ended().await.unwrap();
}

#[tokio::test]
async fn a_command_is_answered_in_its_room_while_the_bot_thinks() {
    let mut bot = Bot::start(|settings| {
        quiet(settings);
        settings.engine.ponder = false;
    })
    .await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let list = format!("{} e7e5", mv.tail());
    mv.ok();
    // A clock of ten hours makes the search a long one.
    let long = json!({"wtime": 36_000_000, "btime": 36_000_000});
    game.line(&state_with(&list, long));
    for text in ["", "hello", "!nonsense", "!eval"] {
        game.line(&line("player", "Alice", text));
    }
    game.line(&line("player", "lichess", "!name"));
    game.line(&line("spectator", "Bob", "!eval"));
    let answer = bot.expect(CHAT).await;
    assert!(answer.body.contains("room=spectator"), "{}", answer.body);
    assert!(answer.body.contains("OurBot"), "{}", answer.body);
    answer.ok();
    assert_eq!(bot.server.count(MOVE), 1, "it still thinks");
    bot.stopped().await;
}

#[tokio::test]
async fn a_user_who_floods_the_chat_gets_one_answer() {
    let mut bot = Bot::start(|settings| {
        quiet(settings);
        settings.chat.command_pause = Duration::from_mins(10);
    })
    .await;
    let game = bot.game(ID, "black", "").await;
    for _ in 0..50 {
        game.line(&line("player", "Alice", "!ping"));
    }
    game.line(&state("e2e4"));
    let mv = bot.a_move(ID).await;
    let list = format!("e2e4 {}", mv.tail());
    mv.ok();
    bot.expect(CHAT).await.reply(429, "too many");
    game.line(&over(&list, "resign", "black"));
    bot.finished().await;
    assert_eq!(bot.server.count(CHAT), 1);
    bot.stopped().await;
}
