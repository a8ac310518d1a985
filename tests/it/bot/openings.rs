//! Moves that need no search: book and opening explorer.

use super::{Bot, over, state, state_with};
use pocketknight::book::{BuildOptions, Builder, InputGame};
use pocketknight::bot::MoveSources;
use pocketknight::rules::pgn::{self, GameResult};
use pocketknight::rules::{Game, Variant};
use pocketknight::settings::Settings;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "aaaaaaaa";
const EXPLORER: &str = "GET /lichess?";

fn game(moves: &str) -> Game {
    let mut game = Game::new(Variant::Crazyhouse);
    for text in moves.split_whitespace() {
        game.push_uci(text).unwrap();
    }
    game
}

fn book(moves: &str) -> MoveSources {
    let mut builder = Builder::new(BuildOptions {
        min_count: 1,
        ..BuildOptions::default()
    });
    let game = game(moves);
    let input = InputGame {
        start: *game.start(),
        moves: game.moves().to_vec(),
        result: GameResult::Draw,
        ratings: [None, None],
        named_variant: true,
    };
    builder.add(&input).unwrap();
    MoveSources {
        book: Some(Arc::new(builder.finish())),
        engine: None,
    }
}

#[tokio::test]
async fn book_moves_are_played_and_noted_until_the_book_ends() {
    let mut bot = Bot::start_with(book("a2a4 h7h5 b2b3 g7g6"), |settings| {
        // A search of the first move would take longer than any test waits.
        settings.game.first_move_time = Duration::from_mins(5);
    })
    .await;
    let game = bot.game(ID, "white", "").await;
    let first = bot.a_move(ID).await;
    assert_eq!(first.tail(), "a2a4");
    first.ok();
    game.line(&state("a2a4"));
    game.line(&state("a2a4 h7h5"));
    let second = bot.a_move(ID).await;
    assert_eq!(second.tail(), "b2b3");
    second.ok();
    // Out of book: a search finds the move.
    game.line(&state("a2a4 h7h5 b2b3 d7d5"));
    let third = bot.a_move(ID).await;
    let list = format!("a2a4 h7h5 b2b3 d7d5 {}", third.tail());
    third.ok();
    game.line(&state(&list));
    game.line(&over(&list, "resign", "white"));
    let record = bot.finished().await;
    let games = pgn::read(&record.pgn).unwrap();
    let notes: Vec<&str> = games[0]
        .notes
        .iter()
        .map(|note| note.text.as_str())
        .collect();
    assert_eq!(notes, ["book", "", "book", "", ""]);
    assert!(games[0].notes[4].eval.is_some());
    bot.stopped().await;
}

#[tokio::test]
async fn a_book_move_that_the_server_refuses_is_not_insisted_on() {
    let mut bot = Bot::start_with(book("a2a4"), |_| {}).await;
    let game = bot.game(ID, "white", "").await;
    let refused = bot.a_move(ID).await;
    assert_eq!(refused.tail(), "a2a4");
    refused.reply(400, r#"{"error":"Piece on a2 cannot move to a4"}"#);
    let _game = {
        let stream = bot.open(ID, "white", state("")).await;
        drop(game);
        stream
    };
    let other = bot.a_move(ID).await;
    assert_ne!(other.tail(), "a2a4");
    other.ok();
    bot.stopped().await;
}

/// Explorer on, and a first move that would take for ever.
fn patient(settings: &mut Settings) {
    settings.book.explorer.enabled = true;
    settings.game.first_move_time = Duration::from_mins(5);
}

fn minutes(moves: &str) -> serde_json::Value {
    state_with(moves, json!({"wtime": 180_000, "btime": 180_000}))
}

#[tokio::test]
async fn the_explorer_is_asked_beside_the_search_and_its_move_played() {
    let mut bot = Bot::start(patient).await;
    bot.events.line(&super::game_start(ID, "black"));
    let game = bot.open(ID, "black", minutes("e2e4")).await;
    let question = bot.expect(EXPLORER).await;
    for part in [
        "variant=crazyhouse",
        "play=e2e4",
        "speeds=blitz",
        "ratings=2000",
    ] {
        assert!(question.line.contains(part), "{}", question.line);
    }
    let answer = json!({"white": 90, "draws": 0, "black": 90, "moves": [
        {"uci": "a7a5", "san": "a5", "white": 50, "draws": 0, "black": 10, "averageRating": 2100},
        {"uci": "h7h5", "san": "h5", "white": 10, "draws": 2, "black": 50, "averageRating": 2100},
        {"uci": "e2e4", "white": 0, "draws": 0, "black": 999},
    ]});
    question.reply(200, &answer.to_string());
    let mv = bot.a_move(ID).await;
    assert_eq!(mv.tail(), "h7h5");
    mv.ok();
    drop(game);
    bot.stopped().await;
}

#[tokio::test]
async fn no_move_waits_for_an_explorer_that_does_not_answer() {
    let mut bot = Bot::start(|settings| settings.book.explorer.enabled = true).await;
    bot.events.line(&super::game_start(ID, "white"));
    let game = bot.open(ID, "white", minutes("")).await;
    let silent = bot.expect(EXPLORER).await;
    let mv = bot.a_move(ID).await;
    let first = mv.tail().to_owned();
    mv.ok();
    game.line(&minutes(&first));
    // Its answer comes when the position is another one.
    let late = json!({"moves": [{"uci": "a2a4", "white": 999, "draws": 0, "black": 0}]});
    silent.reply(200, &late.to_string());
    game.line(&state(&format!("{first} a7a5")));
    let mv = bot.a_move(ID).await;
    assert_ne!(mv.tail(), "a2a4");
    mv.ok();
    // The clock was low at the second move.
    assert_eq!(bot.server.count(EXPLORER), 1);
    bot.stopped().await;
}

#[tokio::test]
async fn an_explorer_in_trouble_is_left_alone_for_a_while() {
    let mut bot = Bot::start(|settings| settings.book.explorer.enabled = true).await;
    bot.events.line(&super::game_start(ID, "white"));
    let game = bot.open(ID, "white", minutes("")).await;
    bot.expect(EXPLORER)
        .await
        .reply(429, r#"{"error":"Too many requests"}"#);
    let mv = bot.a_move(ID).await;
    let first = mv.tail().to_owned();
    mv.ok();
    game.line(&minutes(&format!("{first} a7a5")));
    bot.a_move(ID).await.ok();
    assert_eq!(bot.server.count(EXPLORER), 1);
    bot.stopped().await;
}
