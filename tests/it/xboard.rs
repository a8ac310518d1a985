//! XBoard sessions with the real binary.

use crate::program::{Conversation, Program};

fn start() -> Conversation {
    let mut gui = Program::new(&["xboard"]).converse();
    gui.send("xboard");
    gui.send("protover 2");
    gui.until("feature done=1");
    gui
}

fn own_move(gui: &mut Conversation) -> String {
    let lines = gui.until("move ");
    assert!(!lines.iter().any(|line| line.contains("rror")), "{lines:?}");
    lines.last().unwrap()["move ".len()..].to_owned()
}

#[test]
fn gui_lets_two_engines_play_against_each_other() {
    let mut players = [start(), start()];
    for (gui, first) in players.iter_mut().zip(["go", "post"]) {
        for line in [
            "new",
            "random",
            "variant crazyhouse",
            "level 0 0:02 0.02",
            "post",
            "hard",
        ] {
            gui.send(line);
        }
        gui.send(first);
    }
    let mut left = 200;
    for ply in 0..8 {
        let [a, b] = &mut players;
        let (from, to) = if ply % 2 == 0 { (a, b) } else { (b, a) };
        let m = own_move(from);
        left -= 5;
        to.send(&format!("time {left}"));
        to.send(&format!("otim {left}"));
        to.send(&format!("usermove {m}"));
    }
    for mut gui in players {
        gui.send("result * {enough}");
        gui.send("force");
        gui.send("ping 1");
        gui.until("pong 1");
        gui.send("quit");
        let (rest, code) = gui.end();
        assert_eq!((rest, code), (Vec::new(), Some(0)));
    }
}

#[test]
fn analysis_is_heard_out_while_it_runs() {
    let mut gui = start();
    for line in ["new", "force", "post", "analyze", "usermove e2e4", "ping 1"] {
        gui.send(line);
    }
    gui.until("pong 1");
    gui.until("\t");
    gui.send("exit");
    gui.send("ping 2");
    gui.until("pong 2");
    gui.hang_up();
    assert_eq!(gui.end(), (Vec::new(), Some(0)));
}

#[test]
fn end_of_input_ends_the_program_even_in_a_search() {
    let mut gui = start();
    gui.send("st 3600");
    gui.send("go");
    gui.hang_up();
    assert_eq!(gui.end(), (Vec::new(), Some(0)));
}

#[test]
fn whole_session_reads_from_a_pipe() {
    let out = Program::new(&["xboard"])
        .stdin("new\nforce\nusermove e2e5\nvariant shogi\nsetboard 8/8 w\nnonsense\n")
        .finish();
    assert_eq!(out.code, Some(0), "{out:?}");
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{out:?}");
    for (line, start) in lines.iter().zip([
        "Illegal move (not legal in this position): e2e5",
        "Error (unsupported variant): variant shogi",
        "tellusererror Illegal position",
        "Error (unknown command): nonsense",
    ]) {
        assert!(line.starts_with(start), "{out:?}");
    }
    assert_eq!(out.stderr, "");
}
