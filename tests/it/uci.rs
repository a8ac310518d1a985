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
fn end_of_input_ends_the_program_even_in_a_search() {
    let mut gui = start();
    gui.send("go infinite");
    gui.hang_up();
    let (lines, code) = gui.end();
    assert_eq!(code, Some(0));
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
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
