//! UCI sessions with the real binary.

use crate::program::{Conversation, Program};

fn start() -> Conversation {
    Program::new(&["uci"]).converse()
}

fn best(lines: &[String]) -> &str {
    let line = lines.last().unwrap();
    line.strip_prefix("bestmove ")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
}

#[test]
fn gui_plays_a_game_of_a_few_moves() {
    let mut gui = start();
    gui.send("uci");
    gui.until("uciok");
    gui.send("setoption name Hash value 1");
    gui.send("setoption name UCI_Variant value crazyhouse");
    gui.send("ucinewgame");
    gui.send("isready");
    gui.until("readyok");
    let mut moves = String::new();
    for _ in 0..6 {
        gui.send(&format!("position startpos moves{moves}"));
        gui.send("go wtime 2000 btime 2000 winc 20 binc 20");
        let lines = gui.until("bestmove ");
        assert!(
            !lines.iter().any(|line| line.contains("error")),
            "{lines:?}"
        );
        moves = format!("{moves} {}", best(&lines));
    }
    gui.send("quit");
    let (rest, code) = gui.end();
    assert_eq!((rest, code), (Vec::new(), Some(0)));
}

#[test]
fn info_lines_carry_what_guis_show() {
    let mut gui = start();
    gui.send("position startpos moves e2e4 d7d5 e4d5 d8d5");
    gui.send("go depth 4");
    let lines = gui.until("bestmove ");
    let info = lines
        .iter()
        .rfind(|line| line.starts_with("info depth "))
        .expect("no info line");
    let words: Vec<&str> = info.split(' ').collect();
    let keys = [
        "depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "time", "pv",
    ];
    let places: Vec<usize> = keys
        .iter()
        .map(|key| words.iter().position(|word| word == key).expect(key))
        .collect();
    assert!(places.is_sorted(), "{info}");
    assert_eq!(words[places[8] + 1], best(&lines), "{info}");
}

#[test]
fn stop_is_heard_while_a_search_runs() {
    let mut gui = start();
    gui.send("go infinite");
    gui.send("isready");
    gui.until("readyok");
    gui.send("stop");
    gui.until("bestmove ");
}

#[test]
fn ponder_search_waits_for_ponderhit() {
    let mut gui = start();
    gui.send("position startpos moves e2e4 e7e5");
    gui.send("go ponder depth 1");
    gui.send("isready");
    let early = gui.until("readyok");
    assert!(
        !early.iter().any(|line| line.starts_with("bestmove")),
        "{early:?}"
    );
    gui.send("ponderhit");
    gui.until("bestmove ");
}

#[test]
fn end_of_input_ends_the_program_even_in_a_search() {
    let mut gui = start();
    gui.send("go infinite");
    gui.hang_up();
    let (lines, code) = gui.end();
    assert_eq!(code, Some(0));
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
}

#[test]
fn mate_in_one_is_found_and_told_as_a_mate() {
    let mut gui = start();
    gui.send("position fen 6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1");
    gui.send("go depth 3");
    let lines = gui.until("bestmove ");
    assert!(
        lines.iter().any(|line| line.contains(" score mate 1 ")),
        "{lines:?}"
    );
    assert!(best(&lines).starts_with("R@"), "{lines:?}");
}

#[test]
fn two_lines_are_shown_if_asked_for() {
    let mut gui = start();
    gui.send("setoption name MultiPV value 2");
    gui.send("go depth 3");
    let lines = gui.until("bestmove ");
    let pv = |n: &str| {
        let line = lines
            .iter()
            .rfind(|line| line.contains(&format!(" multipv {n} ")));
        let line = line.unwrap_or_else(|| panic!("no line {n} in {lines:?}"));
        line.split(" pv ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_ne!(pv("1"), pv("2"), "{lines:?}");
}

#[test]
fn whole_session_reads_from_a_pipe() {
    let out = Program::new(&["uci"])
        .stdin(
            "position startpos moves e2e4\ngo perft 2\nposition startpos moves e2e5\nd\nnonsense\n",
        )
        .finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.contains("Nodes searched: 600\n"), "{out:?}");
    assert!(out.stdout.contains("info string error: "), "{out:?}");
    assert!(
        out.stdout
            .contains("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR[] b KQkq - 0 1\n")
    );
    assert!(
        out.stdout.contains("Unknown command: 'nonsense'"),
        "{out:?}"
    );
    assert_eq!(out.stderr, "");
}
