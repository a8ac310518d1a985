//! One game and its troubles.

use super::{Bot, full, over, state, state_with};
use pocketknight::bot::Verdict;
use serde_json::json;
use std::time::Duration;

const ID: &str = "aaaaaaaa";
const STREAM: &str = "GET /api/bot/game/stream/aaaaaaaa";
const MOVE: &str = "POST /api/bot/game/aaaaaaaa/move/";

#[tokio::test]
async fn a_move_that_counted_though_its_answer_was_an_error_is_not_sent_again() {
    for status in [504, 500] {
        let mut bot = Bot::start(|_| {}).await;
        let game = bot.game(ID, "white", "").await;
        let mv = bot.a_move(ID).await;
        let first = mv.tail().to_owned();
        mv.reply(status, "<html>gateway time-out</html>");
        game.line(&state(&format!("{first} e7e5")));
        let second = bot.a_move(ID).await;
        assert_eq!(bot.server.count(MOVE), 2, "one for each turn");
        second.ok();
        bot.stopped().await;
    }
}

#[tokio::test]
async fn a_move_that_did_not_count_is_sent_again_after_a_look_at_the_game() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let first = mv.line.clone();
    mv.reply(504, "");
    let _game = bot.open(ID, "white", state("")).await;
    let again = bot.a_move(ID).await;
    assert_eq!(again.line, first);
    again.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_move_without_any_answer_is_looked_up_and_sent_again() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game(ID, "white", "").await;
    let first = {
        let mv = bot.a_move(ID).await;
        // Thrown away unanswered: the client's time limit must end it.
        mv.line
    };
    let _game = {
        let stream = bot.open(ID, "white", state("")).await;
        drop(game);
        stream
    };
    let again = bot.a_move(ID).await;
    assert_eq!(again.line, first);
    again.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_rate_limited_move_is_sent_again() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let first = mv.line.clone();
    mv.reply(429, "<html>too many requests</html>");
    let again = bot.a_move(ID).await;
    assert_eq!(again.line, first);
    again.ok();
    assert_eq!(
        bot.server.count(STREAM),
        1,
        "nothing to look up, it certainly did not count"
    );
    bot.stopped().await;
}

#[tokio::test]
async fn a_rejection_after_an_own_retry_that_counted_is_success() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let first = mv.tail().to_owned();
    mv.reply(504, "");
    let game = bot.open(ID, "white", state("")).await;
    bot.a_move(ID)
        .await
        .reply(400, r#"{"error":"Not your turn, or game already over"}"#);
    game.line(&state(&first));
    game.line(&state(&format!("{first} e7e5")));
    let next = bot.a_move(ID).await;
    assert_eq!(bot.server.count(MOVE), 3);
    next.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_move_that_the_server_thinks_illegal_is_avoided() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game(ID, "white", "").await;
    let mut tried = Vec::new();
    let mut games = Vec::new();
    for _ in 0..3 {
        let mv = bot.a_move(ID).await;
        assert!(
            !tried.contains(&mv.line),
            "{} was refused before: {tried:?}",
            mv.line
        );
        tried.push(mv.line.clone());
        mv.reply(400, r#"{"error":"Piece on e2 cannot move to e5"}"#);
        games.push(bot.open(ID, "white", state("")).await);
    }
    // Rules and server disagree beyond hope.
    bot.expect("POST /api/bot/game/aaaaaaaa/resign").await.ok();
    games.last().unwrap().line(&over("", "aborted", "white"));
    bot.finished().await;
    bot.stopped().await;
}

#[tokio::test]
async fn an_end_of_the_stream_is_not_the_end_of_the_game() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let first = mv.tail().to_owned();
    mv.ok();
    drop(game);
    bot.expect(STREAM).await.reply(502, "");
    let game = bot.open(ID, "white", state(&format!("{first} e7e5"))).await;
    let mv = bot.a_move(ID).await;
    let moves = format!("{first} e7e5 {}", mv.tail());
    mv.ok();
    game.line(&over(&moves, "outoftime", "white"));
    assert_eq!(bot.finished().await.verdict, Verdict::Win);
    bot.stopped().await;
}

#[tokio::test]
async fn repeated_states_do_not_repeat_the_move() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game(ID, "white", "").await;
    for _ in 0..3 {
        game.line(&full(ID, "white", state("")));
        game.line(&state(""));
    }
    let mv = bot.a_move(ID).await;
    game.line(&state(""));
    game.line(&full(ID, "white", state("")));
    let moves = format!("{} e7e5", mv.tail());
    mv.ok();
    game.line(&state(&moves));
    bot.a_move(ID).await.ok();
    assert_eq!(bot.server.count(MOVE), 2);
    bot.stopped().await;
}

#[tokio::test]
async fn an_accepted_move_that_never_shows_up_is_looked_up() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let moves = format!("{} e7e5", mv.tail());
    mv.ok();
    // The line with the opponent's answer was lost on a stream that looks healthy.
    let _game = bot.open(ID, "white", state(&moves)).await;
    bot.a_move(ID).await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn castling_in_either_form_is_followed() {
    let mut bot = Bot::start(|_| {}).await;
    let list = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
    let game = bot.game(ID, "black", list).await;
    game.line(&state(&format!("{list} e1h1")));
    let mv = bot.a_move(ID).await;
    let ours = mv.tail().to_owned();
    mv.ok();
    game.line(&state(&format!("{list} e1g1 {ours} d2d3")));
    bot.a_move(ID).await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn takebacks_beyond_the_limit_are_declined() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let list = format!("{} e7e5", mv.tail());
    mv.ok();
    let long = json!({"wtime": 36_000_000, "btime": 36_000_000, "btakeback": true});
    game.line(&state_with(&list, long));
    bot.expect("POST /api/bot/game/aaaaaaaa/takeback/no")
        .await
        .ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_draw_offer_on_the_opponents_turn_is_answered() {
    let mut bot = Bot::start(|settings| settings.game.accept_draw_min_ply = 1000).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let list = mv.tail().to_owned();
    mv.ok();
    game.line(&state(&list));
    game.line(&state_with(&list, json!({"bdraw": true})));
    bot.expect("POST /api/bot/game/aaaaaaaa/draw/no").await.ok();
    game.line(&state_with(&list, json!({"bdraw": true})));
    game.line(&state(&format!("{list} e7e5")));
    bot.a_move(ID).await.ok();
    assert_eq!(bot.server.count("POST /api/bot/game/aaaaaaaa/draw"), 1);
    bot.stopped().await;
}

#[tokio::test]
async fn victory_is_claimed_when_the_opponent_has_left() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let list = format!("{} e7e5", mv.tail());
    mv.ok();
    game.line(&state(&list));
    let mv = bot.a_move(ID).await;
    let list = format!("{list} {}", mv.tail());
    mv.ok();
    game.line(&state(&list));
    game.line(&json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": 5}));
    game.line(&json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": 0}));
    let claim = "POST /api/bot/game/aaaaaaaa/claim-victory";
    bot.expect(claim)
        .await
        .reply(400, r#"{"error":"You cannot claim the win on this game"}"#);
    game.line(&json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": 0}));
    bot.expect(claim).await.ok();
    game.line(&over(&list, "timeout", "white"));
    assert_eq!(bot.finished().await.verdict, Verdict::Win);
    assert_eq!(bot.server.count(claim), 2, "once for each line");
    bot.stopped().await;
}

#[tokio::test]
async fn a_game_that_the_opponent_does_not_begin_is_aborted() {
    let mut bot = Bot::start(|settings| {
        settings.game.abort_after_human = Duration::from_millis(50);
    })
    .await;
    let game = bot.game(ID, "black", "").await;
    bot.expect("POST /api/bot/game/aaaaaaaa/abort").await.ok();
    game.line(&state_with("", json!({"status": "aborted"})));
    assert_eq!(bot.finished().await.verdict, Verdict::Aborted);
    assert_eq!(bot.stopped().await.aborted, 1);
}

#[tokio::test]
async fn a_move_list_that_cannot_be_followed_is_asked_for_again_and_then_resigned() {
    let mut bot = Bot::start(|_| {}).await;
    let game = bot.game(ID, "black", "e2e4").await;
    let mv = bot.a_move(ID).await;
    let list = format!("e2e4 {}", mv.tail());
    mv.ok();
    game.line(&state(&format!("{list} e4e6")));
    let game = bot
        .open(ID, "black", state(&format!("{list} garbage")))
        .await;
    drop(game);
    let game = bot.open(ID, "black", state(&format!("{list} e4e6"))).await;
    bot.expect("POST /api/bot/game/aaaaaaaa/resign").await.ok();
    game.line(&over(&format!("{list} e4e6"), "resign", "white"));
    assert_eq!(bot.finished().await.verdict, Verdict::Loss);
    bot.stopped().await;
}

#[tokio::test]
async fn a_game_that_the_server_does_not_know_any_more_frees_its_slot() {
    let mut bot = Bot::start(|settings| {
        settings.challenge.start_timeout = Duration::from_millis(100);
    })
    .await;
    let game = bot.game(ID, "black", "").await;
    bot.events.line(&super::challenge("bbbbbbbb", "bob"));
    drop(game);
    for _ in 0..3 {
        bot.expect(STREAM)
            .await
            .reply(404, r#"{"error":"No such game"}"#);
    }
    bot.expect("POST /api/challenge/bbbbbbbb/accept").await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_game_that_is_over_when_opened_is_recorded() {
    let mut bot = Bot::start(|_| {}).await;
    let list = "f2f3 e7e5 g2g4 d8h4";
    bot.events.line(&super::game_start(ID, "black"));
    let _game = bot.open(ID, "black", over(list, "mate", "black")).await;
    let record = bot.finished().await;
    assert_eq!((record.verdict, record.plies), (Verdict::Win, 4));
    bot.stopped().await;
}

#[tokio::test]
async fn an_end_that_only_the_event_stream_tells_is_looked_up() {
    let mut bot = Bot::start(|_| {}).await;
    let _game = bot.game(ID, "black", "").await;
    let mut finish = super::game_start(ID, "black");
    finish["type"] = json!("gameFinish");
    finish["game"]["status"] = json!({"id": 25, "name": "aborted"});
    bot.events.line(&finish);
    let _game = bot
        .open(ID, "black", state_with("", json!({"status": "aborted"})))
        .await;
    assert_eq!(bot.finished().await.verdict, Verdict::Aborted);
    bot.stopped().await;
}

#[tokio::test]
async fn a_takeback_ends_the_search_of_the_old_position() {
    let mut bot = Bot::start(|settings| settings.game.max_takebacks = 1).await;
    // A clock of ten hours makes the search a long one.
    let long = json!({"wtime": 36_000_000, "btime": 36_000_000});
    let game = bot.game(ID, "black", "e2e4").await;
    let mv = bot.a_move(ID).await;
    let list = format!("e2e4 {}", mv.tail());
    mv.ok();
    game.line(&state_with(&format!("{list} d2d4"), long.clone()));
    let mut proposed = state_with(&format!("{list} d2d4"), long);
    proposed["wtakeback"] = json!(true);
    game.line(&proposed);
    bot.expect("POST /api/bot/game/aaaaaaaa/takeback/yes")
        .await
        .ok();
    game.line(&state(&list));
    assert_eq!(
        bot.server.count(MOVE),
        1,
        "nothing was played in the old position"
    );
    game.line(&state(&format!("{list} a2a3")));
    bot.a_move(ID).await.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_draw_offer_on_our_turn_is_accepted_with_the_move() {
    let mut bot = Bot::start(|settings| {
        settings.game.accept_draw_min_ply = 0;
        settings.game.accept_draw_score_cp = 100_000;
    })
    .await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let list = format!("{} e7e5", mv.tail());
    mv.ok();
    game.line(&state_with(&list, json!({"bdraw": true})));
    let mv = bot.a_move(ID).await;
    assert!(mv.line.ends_with("?offeringDraw=true"), "{}", mv.line);
    mv.ok();
    game.line(&state_with(&list, json!({"status": "draw"})));
    assert_eq!(bot.finished().await.verdict, Verdict::Draw);
    bot.stopped().await;
}
