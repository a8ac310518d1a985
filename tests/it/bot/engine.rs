//! Another engine in place of the one inside: shell scripts that speak UCI, each with a fault of its own.

use super::{Bot, over, state};
use pocketknight::bot::MoveSources;
use pocketknight::uci_engine::EngineSpec;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ID: &str = "aaaaaaaa";

/// Script of an engine, written to a folder. `go` and `quit` are what it does then.
fn engine(dir: &Path, go: &str, quit: &str) -> PathBuf {
    let path = dir.join("engine.sh");
    let script = format!(
        "while read -r word rest; do\n  case \"$word\" in\n    uci)\n      echo 'id name Fake'\n      \
         echo 'option name UCI_Variant type combo default chess var chess var crazyhouse'\n      echo uciok ;;\n    \
         isready) echo readyok ;;\n    position) position=$rest ;;\n    go) {go} ;;\n    quit) {quit}; exit 0 ;;\n  \
         esac\ndone\n"
    );
    std::fs::write(&path, script).unwrap();
    path
}

fn sources(script: &Path) -> MoveSources {
    MoveSources {
        book: None,
        engine: Some(Arc::new(EngineSpec {
            path: "sh".into(),
            args: vec![script.to_str().unwrap().to_owned()],
            ..EngineSpec::default()
        })),
    }
}

async fn bot(script: &Path) -> Bot {
    Bot::start_with(sources(script), |_| {}).await
}

#[tokio::test]
async fn moves_of_the_other_engine_are_played_and_it_ends_with_the_game() {
    let dir = tempfile::tempdir().unwrap();
    let go = "echo \"$position\" >>\"$0.seen\"; case \"$position\" in \
        *h7h5*) echo 'info depth 7 score cp 31 nodes 900 pv b2b3'; echo 'bestmove b2b3' ;; \
        *) echo 'bestmove a2a4 ponder h7h5' ;; esac";
    let script = engine(dir.path(), go, "echo bye >\"$0.quit\"");
    let mut bot = bot(&script).await;
    let game = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    assert_eq!(mv.tail(), "a2a4");
    mv.ok();
    game.line(&state("a2a4"));
    game.line(&state("a2a4 h7h5"));
    let mv = bot.a_move(ID).await;
    assert_eq!(mv.tail(), "b2b3");
    mv.ok();
    game.line(&state("a2a4 h7h5 b2b3"));
    game.line(&over("a2a4 h7h5 b2b3", "resign", "white"));
    let record = bot.finished().await;
    assert!(record.pgn.contains("[%eval 0.31]"), "{}", record.pgn);
    let file = |suffix: &str| std::fs::read_to_string(format!("{}{suffix}", script.display()));
    let seen = file(".seen").unwrap();
    assert!(seen.starts_with("startpos\n"), "{seen}");
    assert!(seen.contains("startpos moves a2a4 h7h5\n"), "{seen}");
    assert_eq!(file(".quit").unwrap(), "bye\n");
    bot.stopped().await;
}

#[tokio::test]
async fn the_engine_inside_stands_in_for_one_that_crashes_cheats_or_sleeps() {
    for go in [
        "exit 3",
        "echo 'bestmove e2e5'",
        "echo 'bestmove (none)'",
        "exec sleep 1000",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let script = engine(dir.path(), go, ":");
        let mut bot = bot(&script).await;
        let game = bot.game(ID, "white", "").await;
        let mut list = String::new();
        for reply in ["a7a5", "b7b5"] {
            let mv = bot.a_move(ID).await;
            list = format!("{list} {}", mv.tail());
            mv.ok();
            game.line(&state(&list));
            list = format!("{list} {reply}");
            game.line(&state(&list));
        }
        bot.a_move(ID).await.ok();
        bot.stopped().await;
    }
}

#[tokio::test]
async fn an_engine_that_crashed_once_is_started_again() {
    let dir = tempfile::tempdir().unwrap();
    let go = "if [ -e \"$0.crashed\" ]; then echo 'bestmove h7h5'; else echo >\"$0.crashed\"; exit 1; fi";
    let script = engine(dir.path(), go, ":");
    let mut bot = bot(&script).await;
    let first = bot.game(ID, "white", "").await;
    let mv = bot.a_move(ID).await;
    let own = mv.tail().to_owned();
    mv.ok();
    first.line(&over(&own, "resign", "white"));
    bot.finished().await;
    let _second = bot.game("bbbbbbbb", "black", "a2a4").await;
    let mv = bot.a_move("bbbbbbbb").await;
    assert_eq!(mv.tail(), "h7h5");
    mv.ok();
    bot.stopped().await;
}

#[tokio::test]
async fn a_program_that_is_no_engine_does_not_keep_the_bot_from_playing() {
    let missing = MoveSources {
        book: None,
        engine: Some(Arc::new(EngineSpec {
            path: "/nonexistent/engine".into(),
            ..EngineSpec::default()
        })),
    };
    let mut bot = Bot::start_with(missing, |_| {}).await;
    let _game = bot.game(ID, "white", "").await;
    bot.a_move(ID).await.ok();
    bot.stopped().await;
}
