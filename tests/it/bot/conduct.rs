//! Conduct in a game: draws, resignation, repetition, takebacks, gifts of time.

use super::server::Stream;
use super::{Bot, game_info, game_start, over, state, state_with};
use pocketknight::bot::Verdict;
use pocketknight::settings::Settings;
use serde_json::json;

const ID: &str = "aaaaaaaa";
const MOVE: &str = "POST /api/bot/game/aaaaaaaa/move/";
const NODES: u64 = 2000;
/// Black has lost the queen for nothing and is to move.
const LOST: &str = "e2e4 d7d5 e4d5 d8d5 b1c3 a7a6 c3d5";

/// Opens a game as Black whose search is ended by its nodes, not by the clock.
async fn open_as_black(bot: &mut Bot, moves: &str) -> Stream {
    let long = json!({"wtime": 36_000_000, "btime": 36_000_000});
    bot.events.line(&game_start(ID, "black"));
    bot.open(ID, "black", state_with(moves, long)).await
}

#[tokio::test]
async fn a_lost_game_is_resigned_when_the_owner_wants_it() {
    let mut bot = Bot::start(|settings| {
        settings.game.resign.enabled = true;
        settings.game.resign.score_cp = -200;
        settings.game.resign.moves = 1;
        settings.game.resign.min_ply = 2;
        settings.engine.max_nodes = NODES;
    })
    .await;
    let game = open_as_black(&mut bot, LOST).await;
    bot.expect("POST /api/bot/game/aaaaaaaa/resign").await.ok();
    game.line(&over(LOST, "resign", "white"));
    assert_eq!(bot.finished().await.verdict, Verdict::Loss);
    assert_eq!(bot.server.count(MOVE), 0);
    bot.stopped().await;
}

#[tokio::test]
async fn a_lost_game_is_played_on_by_default() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game(ID, "black", LOST).await;
    bot.a_move(ID).await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_draw_is_offered_with_a_move_and_not_again_at_once() {
    let mut bot = Bot::start(|settings| {
        settings.game.draw.offer_score_cp = 100_000;
        settings.game.draw.offer_moves = 2;
        settings.game.draw.offer_min_ply = 4;
    })
    .await;
    let game = bot.game(ID, "white", "").await;
    let mut list = String::new();
    for (reply, offering) in [
        ("a7a6", false),
        ("b7b6", false),
        ("c7c6", true),
        ("d7d6", false),
    ] {
        let mv = bot.a_move(ID).await;
        assert_eq!(mv.line.contains("offeringDraw=true"), offering, "{list}");
        list = format!("{list} {} {reply}", mv.tail());
        mv.ok();
        game.line(&state(&list));
    }
    bot.a_move(ID).await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn the_third_occurrence_is_sought_by_the_losing_side() {
    let mut bot = Bot::start(|settings| settings.engine.max_nodes = NODES).await;
    // After the knight's return to c6 the position has occurred three times, which the server takes for a draw.
    let list = format!("{LOST} b8c6 g1f3 c6b8 f3g1 b8c6 g1f3 c6a5 f3g1");
    let _game = open_as_black(&mut bot, &list).await;
    let mv = bot.a_move(ID).await;
    assert_eq!(mv.tail(), "a5c6");
    mv.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn takebacks_are_counted_across_a_failure_of_the_game() {
    let mut bot = Bot::start(|settings| settings.game.max_takebacks = 1).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let list = mv.tail().to_owned();
    mv.ok();
    game.line(&state_with(&list, json!({"btakeback": true})));
    bot.expect("POST /api/bot/game/aaaaaaaa/takeback/yes")
        .await
        .ok();
    bot.server.set_playing(&[game_info(ID, "white")]);
    drop(game);
    for _ in 0..3 {
        bot.expect("GET /api/bot/game/stream/aaaaaaaa")
            .await
            .reply(404, r#"{"error":"No such game"}"#);
    }
    let state = state_with(&list, json!({"btakeback": true}));
    let _game = bot.open(ID, "white", state).await;
    bot.expect("POST /api/bot/game/aaaaaaaa/takeback/no")
        .await
        .ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_human_who_runs_out_of_time_is_given_some_until_the_server_refuses() {
    let give = |settings: &mut Settings| settings.game.give_time_s = Some(15);
    let mut bot = Bot::start(give).await;
    let game = bot.game(ID, "white", "").await;
    let first = bot.a_move(ID).await;
    let list = format!("{} a7a6", first.tail());
    first.ok();
    let short = json!({"btime": 4000, "wtime": 8000});
    game.line(&state_with(&list, short.clone()));
    let mv = bot.a_move(ID).await;
    let list = format!("{list} {}", mv.tail());
    mv.ok();
    game.line(&state_with(&list, short.clone()));
    let gift = "POST /api/round/aaaaaaaa/add-time/15";
    bot.expect(gift)
        .await
        .reply(403, r#"{"error":"Missing scope: challenge:write"}"#);
    game.line(&state_with(&format!("{list} b7b6"), short.clone()));
    let mv = bot.a_move(ID).await;
    let list = format!("{list} b7b6 {}", mv.tail());
    mv.ok();
    game.line(&state_with(&list, short));
    game.line(&over(&list, "resign", "white"));
    bot.finished().await;
    assert_eq!(bot.server.count(gift), 1);
    bot.stopped().await;
}
