use super::*;
use crate::protocol::test_book::book_file;
use std::io::{BufReader, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// Far more than anything here takes.
const DEADLINE: Duration = Duration::from_mins(1);

struct Lines(Receiver<Vec<u8>>);

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Ok(bytes) = self.0.recv() else {
            return Ok(0);
        };
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

struct Sink(Sender<String>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            self.0.send(line.to_owned()).ok();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// GUI that talks with the engine.
struct Gui {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    engine: Option<JoinHandle<()>>,
}

impl Gui {
    fn new(lines: &str) -> Self {
        let (input, read) = channel();
        let (write, output) = channel();
        let engine = thread::spawn(move || {
            run(&Engine::new(1), BufReader::new(Lines(read)), Sink(write));
        });
        let gui = Self {
            input: Some(input),
            output,
            engine: Some(engine),
        };
        gui.send(lines);
        gui
    }

    fn send(&self, lines: &str) {
        for line in lines.lines() {
            let bytes = format!("{line}\n").into_bytes();
            self.input.as_ref().unwrap().send(bytes).unwrap();
        }
    }

    fn line(&self) -> String {
        self.output.recv_timeout(DEADLINE).expect("no line")
    }

    /// Lines up to the first that starts so.
    fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = match self.output.recv_timeout(DEADLINE) {
                Ok(line) => line,
                Err(error) => panic!("no {start:?} ({error}) after {lines:?}"),
            };
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// What has been said to those lines once they have taken effect.
    fn ask(&self, lines: &str) -> Vec<String> {
        self.send(lines);
        self.send("ping 77");
        let mut said = self.until("pong 77");
        said.pop();
        said
    }

    /// Own move, without the word before it.
    fn own_move(&self) -> String {
        let lines = self.until("move ");
        lines.last().unwrap()["move ".len()..].to_owned()
    }

    /// Everything that is said until the engine has ended.
    fn rest(mut self) -> Vec<String> {
        self.input = None;
        self.engine.take().unwrap().join().unwrap();
        self.output.try_iter().collect()
    }
}

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1";

#[test]
fn protover_is_answered_with_features_up_to_done() {
    let said = Gui::new("").ask("xboard\nprotover 2\naccepted ping\nrejected pause");
    let all = said.join(" ");
    for feature in [
        "ping=1",
        "setboard=1",
        "usermove=1",
        "san=0",
        "colors=0",
        "sigint=0",
        "sigterm=0",
        "nps=0",
        "memory=1",
        "smp=1",
        "variants=\"crazyhouse,loop,chessgi\"",
        "option=\"EvalFile -file <embedded>\"",
    ] {
        assert!(all.contains(&format!(" {feature}")), "no {feature}: {all}");
    }
    assert!(said.iter().all(|line| line.starts_with("feature ")));
    assert_eq!(said.last().unwrap(), "feature done=1");
}

#[test]
fn nothing_is_said_unasked() {
    let lines = "xboard\nnew\nrandom\nvariant crazyhouse\nlevel 0 5 0\npost\nhard\ncomputer\nname X\n\
                 rating 1 2\nics -\nholding [P] [] WP\nmemory 1\ncores 1\noption MultiPV=2\nforce\nusermove e2e4\n\
                 time 100\notim 100\nresult * {x}\nnew\n?\nnopost\neasy\ndraw";
    assert_eq!(Gui::new("").ask(lines), [""; 0]);
}

#[test]
fn a_move_is_answered_with_a_legal_move() {
    let gui = Gui::new("new\nvariant crazyhouse\nsd 2\nusermove e2e4");
    let answer = gui.own_move();
    let said = gui.ask(&format!(
        "force\nsetboard {}\nusermove e2e4\nusermove {answer}",
        crate::rules::START_FEN
    ));
    assert_eq!(said, [""; 0], "{answer}");
}

#[test]
fn go_plays_the_side_on_move_and_playother_the_other_one() {
    let gui = Gui::new("new\nforce\nsd 1\ngo");
    gui.own_move();
    let refused =
        gui.ask("force\nsetboard 4k3/8/8/8/8/8/8/4K3 w - - 0 1\nplayother\nusermove e1d1");
    assert_eq!(refused, gui_move(&refused));
    gui.send("usermove e8d8");
    assert_eq!(gui.until("Illegal move").len(), 1);
}

/// The one line of an own move.
fn gui_move(lines: &[String]) -> Vec<String> {
    let moves = lines.iter().filter(|line| line.starts_with("move "));
    let moves: Vec<String> = moves.cloned().collect();
    assert_eq!(moves.len(), 1, "{lines:?}");
    moves
}

#[test]
fn own_mate_is_played_and_claimed() {
    let gui = Gui::new(&format!(
        "new\nforce\nsetboard {MATE_IN_ONE}\nsd 3\npost\ngo"
    ));
    let lines = gui.until("1-0");
    assert_eq!(lines.last().unwrap(), "1-0 {White mates}");
    assert!(lines[lines.len() - 2].starts_with("move R@"), "{lines:?}");
    assert!(
        lines
            .iter()
            .any(|line| line.split(' ').nth(1) == Some("100001")),
        "{lines:?}"
    );
}

#[test]
fn mate_and_stalemate_by_the_opponent_are_claimed() {
    for (fen, m, result) in [
        (MATE_IN_ONE, "R@e8", "1-0 {White mates}"),
        (
            "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
            "g6f7",
            "1/2-1/2 {Stalemate}",
        ),
        (
            "4k3/8/8/8/8/8/5PPP/6K1[r] b - - 0 1",
            "r@e1",
            "0-1 {Black mates}",
        ),
    ] {
        let said = Gui::new("").ask(&format!("new\nsetboard {fen}\nusermove {m}"));
        assert_eq!(said, [result]);
    }
}

#[test]
fn third_occurrence_is_claimed_unless_told_otherwise() {
    let shuffle = "setboard 4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 1\nusermove e1e2\nusermove e8e7\nusermove e2e1\n\
                   usermove e7e8\nusermove e1e2\nusermove e8e7\nusermove e2e1\nplayother\nusermove e7e8";
    // White is the engine after `playother`: it is the opponent's move that repeats.
    let claimed = Gui::new("").ask(&format!("new\nforce\n{shuffle}"));
    assert_eq!(claimed, ["1/2-1/2 {Draw by repetition}"]);
    let lines = format!("option ClaimRepetition=never\nsd 1\nnew\nforce\nsd 1\n{shuffle}");
    assert!(Gui::new("").ask(&lines)[0].starts_with("move "));
}

#[test]
fn illegal_moves_are_named_and_change_nothing() {
    let gui = Gui::new("new\nforce");
    for (m, reason) in [
        ("e2e5", "not legal in this position"),
        ("P@e4", "not legal in this position"),
        ("O-O", "not legal in this position"),
        ("xyzzy", "not written like a move"),
        ("@@@@", "not written like a move"),
    ] {
        let said = gui.ask(&format!("usermove {m}"));
        assert_eq!(said, [format!("Illegal move ({reason}): {m}")]);
    }
    assert_eq!(gui.ask("usermove e2e4\nusermove e7e5"), [""; 0]);
    assert_eq!(
        gui.ask("usermove e2e4"),
        ["Illegal move (not legal in this position): e2e4"]
    );
}

#[test]
fn moves_may_come_without_a_command_and_in_san() {
    let gui = Gui::new("new\nforce");
    let moves = "e2e4\nd5\nexd5\nQxd5\nNf3\nQd8\nP@d5\nP@e4\nBe2\nexf3\nO-O";
    assert_eq!(gui.ask(moves), [""; 0]);
    assert_eq!(
        gui.ask("e2e4\nnonsense\nnps 100"),
        [
            "Illegal move (not legal in this position): e2e4",
            "Error (unknown command): nonsense",
            "Error (unknown command): nps 100"
        ]
    );
}

#[test]
fn what_cannot_be_done_is_answered_with_one_line() {
    let gui = Gui::new("new\nforce");
    for (line, answer) in [
        (
            "variant atomic",
            "Error (unsupported variant): variant atomic",
        ),
        ("variant", "Error (unsupported variant): variant"),
        ("undo", "Error (no move to take back): undo"),
        ("remove", "Error (no move to take back): remove"),
        ("exit", "Error (command not legal now): exit"),
        (
            "level 1 2 3 4",
            "Error (4 words, expected moves, base and increment): level 1 2 3 4",
        ),
        (
            "sd none",
            "Error (expected a depth in plies, at least 1): sd none",
        ),
        (
            "option Contempt=3",
            "Error (no such option): option Contempt=3",
        ),
        (
            "memory 0",
            "Error (option memory: value \"0\", expected a whole number from 1 to 65536): memory 0",
        ),
        ("#", "Error (unknown command): #"),
        (
            "exclude e2e5",
            "Error (not legal in this position): exclude e2e5",
        ),
    ] {
        assert_eq!(gui.ask(line), [answer]);
    }
}

#[test]
fn edit_is_refused_once_and_its_lines_are_passed_over() {
    let gui = Gui::new("new\nforce");
    assert_eq!(
        gui.ask("edit\n#\nPa4\nKe1\nc\nKe8\n."),
        ["Error (not supported, use setboard): edit"]
    );
    assert_eq!(gui.ask("usermove e2e4"), [""; 0]);
    // Other commands end it as well.
    gui.ask("edit\nPa4\nnew\nforce");
    assert_eq!(gui.ask("usermove e2e4"), [""; 0]);
}

#[test]
fn every_form_of_a_position_is_set_up() {
    for fen in [
        "4k3/8/8/8/8/8/8/4K2R[Pn] w K - 0 1",
        "4k3/8/8/8/8/8/8/4K2R/Pn w K - 0 1",
        "4k3/8/8/8/8/8/8/4K2R[nP] w K - 0 1",
    ] {
        let gui = Gui::new(&format!("new\nforce\nsetboard {fen}"));
        assert_eq!(
            gui.ask("usermove O-O\nusermove n@e2\nundo\nundo\nusermove P@h7"),
            [""; 0]
        );
    }
    // A promoted piece is a pawn again when it is taken.
    let gui = Gui::new("new\nforce\nsetboard 4k3/8/8/8/8/8/r7/Q~3K3[-] b - - 0 1");
    assert_eq!(
        gui.ask("usermove a2a1\nusermove e1f2\nusermove q@e4\nusermove p@e4"),
        ["Illegal move (not legal in this position): q@e4"]
    );
}

#[test]
fn illegal_position_refuses_moves_until_the_next_one() {
    let gui = Gui::new("new\nforce");
    let said = gui.ask("setboard 8/8/8/8/8/8/8/8 w - - 0 1");
    assert_eq!(said.len(), 1);
    assert!(
        said[0].starts_with("tellusererror Illegal position"),
        "{said:?}"
    );
    assert_eq!(
        gui.ask("usermove e2e4\ngo\nhint\nanalyze\nforce"),
        [
            "Illegal move (illegal position): e2e4",
            "Error (illegal position): go"
        ]
    );
    assert_eq!(
        gui.ask("setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\nusermove e2e4"),
        [""; 0]
    );
}

#[test]
fn undo_and_remove_take_moves_back() {
    let gui = Gui::new("new\nforce\nusermove e2e4\nusermove e7e5");
    assert_eq!(
        gui.ask("undo\nusermove d7d5\nremove\nusermove d2d4"),
        [""; 0]
    );
    // In a game two plies go, and the engine keeps its color.
    let gui = Gui::new("new\nsd 1\nusermove e2e4");
    gui.own_move();
    assert_eq!(gui.ask("undo"), ["Error (command not legal now): undo"]);
    gui.send("remove\nusermove e2e4");
    gui.own_move();
}

#[test]
fn ping_waits_for_the_own_move_and_move_now_ends_it() {
    let gui = Gui::new("new\nst 3600\nusermove e2e4\nping 1\n?\nping 2");
    let lines = gui.until("pong 2");
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("move "), "{lines:?}");
    assert_eq!(lines[1], "pong 1");
}

#[test]
fn force_and_new_end_a_search_without_a_move() {
    let gui = Gui::new("new\nst 3600\nusermove e2e4");
    assert_eq!(gui.ask("force"), [""; 0]);
    assert_eq!(gui.ask("usermove e7e5\ngo\nnew"), [""; 0]);
    assert_eq!(gui.ask("usermove e2e4\nresult * {aborted}"), [""; 0]);
    assert_eq!(gui.ask("usermove e7e5"), [""; 0]);
}

#[test]
fn no_move_is_taken_while_the_engine_is_to_move() {
    let gui =
        Gui::new("new\nst 3600\nusermove e2e4\nusermove d2d4\nundo\nremove\ngo\nexclude a7a6\n?");
    let lines = gui.until("move ");
    assert_eq!(lines[0], "Illegal move (not your turn): d2d4");
    for (line, command) in lines[1..]
        .iter()
        .zip(["undo", "remove", "go", "exclude a7a6"])
    {
        assert_eq!(*line, format!("Error (command not legal now): {command}"));
    }
    assert_eq!(lines.len(), 6, "{lines:?}");
}

#[test]
fn expected_move_is_pondered_and_its_search_goes_on() {
    let gui = Gui::new("new\nhard\nsd 3\nusermove e2e4");
    gui.own_move();
    let expected = gui.line().strip_prefix("Hint: ").unwrap().to_owned();
    // Pondering is no reason to let a ping wait, nor to move.
    assert_eq!(gui.ask(""), [""; 0]);
    assert_eq!(gui.ask("hint"), [format!("Hint: {expected}")]);
    gui.send(&format!("usermove {expected}"));
    gui.own_move();
    assert!(gui.line().starts_with("Hint: "));
    assert_eq!(gui.ask("easy\n?"), [""; 0]);
}

#[test]
fn line_of_pondering_begins_with_the_expected_move() {
    let gui = Gui::new("new\nhard\npost\nsd 4\nusermove e2e4");
    let m = gui.own_move();
    let hint = gui.line();
    let line = gui.line();
    let mut position = Position::start(Variant::Crazyhouse);
    for text in ["e2e4", &m] {
        position = position.play(position.parse_uci(text).unwrap());
    }
    let first = line.split('\t').nth(1).unwrap().split(' ').next().unwrap();
    let expected = position.parse_san(first).unwrap();
    assert_eq!(
        hint,
        format!("Hint: {}", text::coordinates(&position, expected))
    );
}

#[test]
fn another_move_than_the_expected_one_is_thought_about_anew() {
    let gui = Gui::new("new\nhard\nsd 3\nusermove e2e4");
    gui.own_move();
    let other = if gui.line() == "Hint: a2a3" {
        "a2a4"
    } else {
        "a2a3"
    };
    gui.send(&format!("usermove {other}"));
    gui.own_move();
}

#[test]
fn analysis_follows_the_position_and_plays_nothing() {
    let gui = Gui::new("new\nforce\npost\nanalyze");
    assert!(gui.until("1 ")[0].contains('\t'));
    gui.send("usermove e2e4");
    gui.until("2 ");
    gui.send(".");
    let status = gui.until("stat01: ").pop().unwrap();
    let words: Vec<&str> = status.split(' ').collect();
    assert_eq!((words.len(), words[5]), (6, "20"), "{status}");
    gui.send(
        "undo\nnew\nvariant loop\nsetboard 4k3/8/8/8/8/8/8/4K3[P] w - - 0 1\nusermove P@e5\n.",
    );
    let status = gui.until("stat01: ").pop().unwrap();
    assert!(status.ends_with(" 5"), "{status}");
    let said = gui.ask("exit\nusermove e8d8\n.");
    assert!(
        !said
            .iter()
            .any(|line| line.starts_with("move ") || line.starts_with("stat01")),
        "{said:?}"
    );
    assert_eq!(gui.ask("exit"), ["Error (command not legal now): exit"]);
}

#[test]
fn excluded_moves_are_not_thought_about() {
    let gui = Gui::new("new\nforce\npost\nexclude all\ninclude a2a3\nanalyze");
    let line = gui.until("3 ").pop().unwrap();
    assert_eq!(
        line.split('\t').nth(1).unwrap().split(' ').next(),
        Some("a3"),
        "{line}"
    );
    gui.ask("exit\nexclude all");
    assert_eq!(gui.ask("go"), ["Error (every move is excluded): go"]);
    gui.send("include all\ninclude b2b3\nexclude all\ninclude b2b3\nsd 1\nnopost\ngo");
    assert_eq!(gui.own_move(), "b2b3");
}

#[test]
fn hint_is_a_legal_move_even_before_any_search() {
    let gui = Gui::new("new\nhint");
    let hint = gui.until("Hint: ").pop().unwrap();
    assert_eq!(
        gui.ask(&format!("force\nusermove {}", &hint["Hint: ".len()..])),
        [""; 0]
    );
    assert_eq!(gui.ask("bk"), [" There is no opening book.", ""]);
}

#[test]
fn draw_is_refused_when_winning_and_taken_when_losing() {
    let start = "new\nforce\nsetboard 4k3/8/8/8/8/8/8/4K3[QRR]";
    let gui = Gui::new(&format!(
        "{start} b - - 0 50\nplayother\nsd 3\ndraw\nusermove e8e7"
    ));
    assert_eq!(gui.until("move ").len(), 1);
    assert_eq!(gui.ask("draw"), [""; 0]);
    let gui = Gui::new(&format!(
        "{start} w - - 0 50\nplayother\nsd 3\ndraw\nusermove e1d1"
    ));
    assert_eq!(gui.until("move ")[0], "offer draw");
    assert_eq!(gui.ask("draw"), ["offer draw"]);
}

#[test]
fn castling_of_chess960_is_told_by_its_name() {
    let gui = Gui::new(
        "new\nforce\nsetboard 1k6/8/8/8/8/8/8/R5KR[] w HA - 0 1\nexclude all\ninclude O-O\nsd 1\ngo",
    );
    assert_eq!(gui.own_move(), "O-O");
}

#[test]
fn variants_start_from_their_own_rules() {
    // Only chessgi drops pawns on the own first rank.
    let drop = "setboard 4k3/8/8/8/8/8/8/4K3[P] w - - 0 1\nusermove P@a1";
    let gui = Gui::new("");
    let said = gui.ask("new\nvariant chessgi\nforce");
    assert!(
        said[0].starts_with("setup (") && said[1].starts_with("piece P&"),
        "{said:?}"
    );
    assert_eq!(gui.ask(drop), [""; 0]);
    assert_eq!(
        gui.ask(&format!("new\nforce\n{drop}")),
        ["Illegal move (not legal in this position): P@a1"]
    );
}

#[test]
fn paused_search_goes_on_after_resume() {
    let gui = Gui::new("new\nst 3600\nusermove e2e4\npause");
    assert_eq!(gui.ask("?"), [""; 0]);
    gui.send("resume\n?");
    gui.own_move();
    assert_eq!(gui.ask("pause\nresume"), [""; 0]);
}

#[test]
fn settings_are_taken_while_the_engine_thinks() {
    let gui = Gui::new(
        "new\nst 3600\nusermove e2e4\nmemory 2\ncores 2\noption ClearHash\noption EvalFile=<embedded>\n?",
    );
    assert_eq!(gui.until("move ").len(), 1);
    assert_eq!(
        gui.ask("option EvalFile=/does/not/exist")[0]
            .split(": ")
            .last(),
        Some("option EvalFile=/does/not/exist")
    );
    gui.send("usermove a2a3\n?");
    gui.own_move();
}

#[test]
fn quit_and_the_end_of_the_input_end_it_at_once() {
    for lines in [
        "new\nst 3600\nusermove e2e4\nquit",
        "new\nst 3600\nusermove e2e4",
        "analyze",
        "",
    ] {
        assert_eq!(Gui::new(lines).rest(), [""; 0], "{lines}");
    }
}

#[test]
fn lines_that_are_no_text_or_too_long_are_survived() {
    let gui = Gui::new("");
    let input = gui.input.as_ref().unwrap();
    input.send(b"\xff\xfe(\n".to_vec()).unwrap();
    for _ in 0..=(1 << 10) {
        input.send(vec![b'x'; 1 << 10]).unwrap();
    }
    assert_eq!(
        gui.ask("\n"),
        [
            "Error (unknown command): \u{fffd}\u{fffd}(",
            "Error (line is too long): ..."
        ]
    );
}

#[test]
fn closed_output_ends_the_session() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    struct Endless;
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let line = b"ping 1\n";
            buffer[..line.len()].copy_from_slice(line);
            Ok(line.len())
        }
    }
    // Input without end: returning at all is the point.
    run(&Engine::new(1), BufReader::new(Endless), Closed);
}

#[test]
fn own_book_is_played_at_once_and_a_missing_one_is_told() {
    let (_dir, path) = book_file("a2a4 h7h5 b2b3");
    let gui = Gui::new("xboard\nprotover 2\nvariant crazyhouse\naccepted debug");
    gui.until("feature done=1");
    let said = gui.ask("option BookFile=nowhere.book");
    assert!(
        said[0].contains("cannot read book nowhere.book"),
        "{said:?}"
    );
    let said = gui.ask(&format!("option BookFile={path}\noption OwnBook=1"));
    assert_eq!(said, ["# book of 3 positions, 3 moves"]);
    gui.send("new\nvariant crazyhouse\nst 1\nusermove a2a4");
    assert_eq!(gui.own_move(), "h7h5");
    let said = gui.ask("force\nnew\nvariant crazyhouse\nforce\nusermove a2a4\nusermove h7h5\ngo");
    assert!(said.iter().any(|line| line == "move b2b3"), "{said:?}");
}
