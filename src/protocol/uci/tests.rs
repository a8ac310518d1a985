use super::*;
use crate::engine::nnue::{Architecture, Network, QA, QB};
use crate::protocol::test_book::book_file;
use std::io::Cursor;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Output of a whole session.
fn talk(input: impl AsRef<[u8]>) -> String {
    let sink = Sink::default();
    run(&Engine::new(1), Cursor::new(input), sink.clone());
    let bytes = sink.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// Input that goes on, and then ends when a best move has been written.
struct UntilBestMove(mpsc::Receiver<()>);

impl std::io::Read for UntilBestMove {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.recv().ok();
        Ok(0)
    }
}

/// Sink that tells when a best move is written.
struct Watched(Sink, mpsc::Sender<()>);

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.0.write(bytes)?;
        if bytes.starts_with(b"bestmove") {
            self.1.send(()).ok();
        }
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Output of a session whose last command is a search that ends by itself.
fn talk_to_the_end(input: &str) -> String {
    let sink = Sink::default();
    let (sender, receiver) = mpsc::channel();
    let input = std::io::BufReader::new(std::io::Read::chain(
        Cursor::new(input.to_owned()),
        UntilBestMove(receiver),
    ));
    run(&Engine::new(1), input, Watched(sink.clone(), sender));
    let bytes = sink.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn fen_after(input: &str) -> String {
    let output = talk(format!("{input}\nd\n"));
    let fen = output.lines().find_map(|line| line.strip_prefix("Fen: "));
    fen.unwrap_or_else(|| panic!("no fen in {output}"))
        .to_owned()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";

#[test]
fn uci_is_answered_with_ids_options_and_uciok() {
    let output = talk("uci\nisready\nquit\n");
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("id name Pocketknight "), "{output}");
    assert!(lines[1].starts_with("id author "), "{output}");
    for option in [
        "option name Hash type spin default 16 min 1 max 65536",
        "option name Clear Hash type button",
        "option name UCI_Variant type combo default crazyhouse var crazyhouse var loop var chessgi",
        "option name UCI_Chess960 type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1500 min 500 max 2800",
    ] {
        assert!(lines.contains(&option), "no {option} in {output}");
    }
    assert_eq!(lines[lines.len() - 2..], ["uciok", "readyok"]);
}

#[test]
fn nothing_is_said_unasked() {
    assert_eq!(
        talk("ucinewgame\nposition startpos\nsetoption name Hash value 1\nstop\nponderhit\n"),
        ""
    );
}

#[test]
fn display_shows_board_bracket_fen_and_key() {
    let output = talk("position startpos moves e2e4 d7d5 e4d5\nd\n");
    assert!(
        output.contains(" | r | n | b | q | k | b | n | r | 8 []\n"),
        "{output}"
    );
    assert!(
        output.contains(" | R | N | B | Q | K | B | N | R | 1 [P]\n"),
        "{output}"
    );
    assert!(
        output.contains("Fen: rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR[P] b KQkq - 0 2\n"),
        "{output}"
    );
    let key = output
        .lines()
        .find_map(|line| line.strip_prefix("Key: "))
        .unwrap();
    assert_eq!(key.len(), 16, "{output}");
}

#[test]
fn illegal_move_is_named_and_changes_nothing() {
    let session = "position startpos moves e2e4\nposition startpos moves e2e4 e7e5 e1e3";
    let output = talk(session);
    assert!(output.starts_with("info string error: "), "{output}");
    assert!(output.contains("e1e3"), "{output}");
    assert_eq!(output.lines().count(), 1);
    assert!(
        fen_after(session).contains("/4P3/"),
        "{}",
        fen_after(session)
    );
}

#[test]
fn illegal_position_is_named_and_changes_nothing() {
    for bad in [
        "fen 8/8/8/8 w - - 0 1",
        "fen",
        "",
        "fen \u{fffd}",
        "startpos e2e4",
    ] {
        let session = format!("position startpos moves e2e4\nposition {bad}");
        let output = talk(&session);
        assert!(output.starts_with("info string error: "), "{bad}: {output}");
        assert_eq!(output.lines().count(), 1, "{bad}: {output}");
        assert!(fen_after(&session).contains("/4P3/"), "{bad}");
    }
}

#[test]
fn unknown_command_is_answered_and_survived() {
    let output = talk("xyzzy \u{7}\nisready\n");
    assert_eq!(
        output,
        "Unknown command: 'xyzzy'. Type help for more information.\nreadyok\n"
    );
}

#[test]
fn lines_that_are_no_text_or_too_long_are_survived() {
    let mut input = b"\xff\xfe\nposition startpos moves ".to_vec();
    input.resize(2 << 20, b'x');
    input.extend_from_slice(b"\nisready\n");
    let output = talk(input);
    assert!(
        output.contains("info string error: line is too long\n"),
        "{output}"
    );
    assert!(output.ends_with("readyok\n"), "{output}");
}

#[test]
fn go_ends_with_one_best_move_that_is_legal() {
    let output = talk("position startpos moves e2e4\ngo depth 1\nisready\n");
    let best: Vec<&str> = output
        .lines()
        .filter_map(|line| line.strip_prefix("bestmove "))
        .collect();
    assert_eq!(best.len(), 1, "{output}");
    let m = best[0].split(' ').next().unwrap();
    let next = talk(format!("position startpos moves e2e4 {m}\n"));
    assert_eq!(next, "", "{m}");
}

#[test]
fn mated_side_has_no_best_move() {
    let mate = "position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR[] w KQkq - 1 3";
    let output = talk(format!("{mate}\ngo depth 3\n"));
    assert_eq!(output, "info depth 0 score mate 0\nbestmove (none)\n");
}

#[test]
fn search_moves_are_the_only_choice() {
    let output = talk("go depth 1 searchmoves a2a3\n");
    assert!(output.contains("bestmove a2a3"), "{output}");
    let output = talk("go depth 1 searchmoves a2a5\n");
    assert!(
        output.starts_with("info string error: ") && output.contains("a2a5"),
        "{output}"
    );
    assert!(output.ends_with("\nbestmove (none)\n"), "{output}");
}

#[test]
fn every_go_is_answered_and_never_for_a_position_that_was_refused() {
    let output = talk("go depth x\n");
    assert!(output.ends_with("\nbestmove (none)\n"), "{output}");
    for refused in [
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "startpos moves e2e5",
        "foo",
    ] {
        let output = talk(format!("position {refused}\ngo depth 1\n"));
        assert!(output.ends_with("\nbestmove (none)\n"), "{output}");
        let output = talk(format!(
            "position {refused}\nposition startpos\ngo depth 1\n"
        ));
        assert!(!output.contains("(none)"), "{output}");
    }
}

#[test]
fn a_stop_at_once_still_leaves_the_queen_where_she_is_safe() {
    let queen = "position startpos moves e2e4 e7e5 d1h5 b8c6";
    let output = talk(format!("{queen}\ngo infinite\nstop\n"));
    assert!(output.contains("info depth 1 "), "{output}");
    assert!(!output.contains("bestmove h5g5"), "{output}");
}

#[test]
fn perft_lists_root_moves_and_the_sum() {
    let output = talk("go perft 2\n");
    assert!(output.contains("e2e4: 20\n"), "{output}");
    assert!(output.contains("\n\nNodes searched: 400\n"), "{output}");
    assert_eq!(
        output.lines().filter(|line| line.contains(": 20")).count(),
        20
    );
    assert_eq!(
        talk("go perft 1\n")
            .lines()
            .filter(|line| line.ends_with(": 1"))
            .count(),
        20
    );
}

#[test]
fn castling_is_written_as_the_option_says_and_read_both_ways() {
    let castle = "position fen 4k3/8/8/8/8/8/8/4K2R[] w K - 0 1";
    assert!(talk(format!("{castle}\ngo perft 1\n")).contains("e1g1: 1\n"));
    let chess960 = "setoption name UCI_Chess960 value true";
    assert!(talk(format!("{chess960}\n{castle}\ngo perft 1\n")).contains("e1h1: 1\n"));
    assert_eq!(
        fen_after(&format!("{castle} moves e1g1")),
        fen_after(&format!("{castle} moves e1h1"))
    );
}

#[test]
fn changed_variant_starts_from_its_own_start_position() {
    let session = "position startpos moves e2e4\nsetoption name UCI_Variant value loop";
    assert_eq!(fen_after(session), START);
    // Only chessgi drops pawns on the own first rank.
    let drop = "position fen 4k3/8/8/8/8/8/8/4K3[P] w - - 0 1 moves P@a1";
    assert!(talk(drop).starts_with("info string error"));
    assert_eq!(
        talk(format!("setoption name UCI_Variant value chessgi\n{drop}")),
        ""
    );
}

#[test]
fn wrong_option_is_answered_and_survived() {
    let output = talk("setoption name Hash value many\nsetoption name Nope\nsetoption\nisready\n");
    assert_eq!(
        output
            .lines()
            .filter(|line| line.starts_with("info string error: "))
            .count(),
        3
    );
    assert!(output.ends_with("readyok\n"), "{output}");
}

#[test]
fn infinite_search_ends_at_stop_and_at_the_end_of_the_input() {
    for input in [
        "go infinite\nstop\n",
        "go infinite\n",
        "go ponder wtime 1 btime 1\nquit\n",
    ] {
        let output = talk(input);
        assert_eq!(output.matches("bestmove ").count(), 1, "{input}: {output}");
    }
}

#[test]
fn each_go_has_its_own_best_move() {
    let output = talk("go infinite\ngo infinite\nsetoption name Clear Hash\ngo depth 1\n");
    assert_eq!(output.matches("bestmove ").count(), 3, "{output}");
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
    // Input without end: returning at all is the point.
    let endless = std::io::BufReader::new(Repeat(b"isready\n"));
    run(&Engine::new(1), endless, Closed);
}

struct Repeat(&'static [u8]);

impl std::io::Read for Repeat {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(self.0.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        Ok(n)
    }
}

#[test]
fn a_network_is_loaded_from_a_file_and_a_bad_one_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("own.pknn");
    let architecture = Architecture {
        hidden: 32,
        king_buckets: 1,
        heads: 1,
    };
    // The right to move is worth half of a logit, and nothing else is worth anything.
    let hidden = vec![0; 32 * (1 + architecture.rows())];
    let bias = i32::midpoint(0, QA * QA * QB);
    let bytes = Network::write(architecture, "own", &hidden, &[0; 64], &[bias]).unwrap();
    std::fs::write(&file, &bytes).unwrap();
    let broken = dir.path().join("broken.pknn");
    std::fs::write(&broken, &bytes[..1000]).unwrap();

    let score = |file: &std::path::Path, more: &str| {
        let file = file.display();
        talk_to_the_end(&format!(
            "{more}setoption name EvalFile value {file}\nposition startpos\ngo depth 1\n"
        ))
    };
    let output = score(&file, "");
    assert!(output.contains("score cp -150 "), "{output}");
    assert!(output.contains("1340+195->32x2->1 \"own\""), "{output}");
    let first = format!("setoption name EvalFile value {}\n", file.display());
    for (path, reason) in [
        (broken.as_path(), "1000 bytes, expected 98500"),
        (dir.path(), "is not a file"),
        (&dir.path().join("none"), "cannot read network file"),
    ] {
        let output = score(path, &first);
        assert!(
            output.contains("info string error: option EvalFile: "),
            "{output}"
        );
        assert!(output.contains(reason), "{output}");
        assert!(output.contains("score cp -150 "), "{output}");
    }
    let output = talk_to_the_end(&format!(
        "{first}setoption name EvalFile value <embedded>\nposition startpos\ngo depth 1\n"
    ));
    assert!(!output.contains("score cp -150 "), "{output}");
}

/// Value behind a word of an info line.
fn value<'a>(line: &'a str, word: &str) -> &'a str {
    let mut words = line.split(' ').skip_while(|w| *w != word).skip(1);
    words
        .next()
        .unwrap_or_else(|| panic!("no {word} in {line}"))
}

fn infos(output: &str) -> Vec<&str> {
    let lines = output.lines();
    lines
        .filter(|line| line.starts_with("info depth"))
        .collect()
}

#[test]
fn chances_are_told_if_asked_for() {
    let mate = "position fen 6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1\ngo depth 2\n";
    assert!(!talk_to_the_end(mate).contains("wdl"));
    let output = talk_to_the_end(&format!("setoption name UCI_ShowWDL value true\n{mate}"));
    assert!(
        output.contains(" score mate 1 wdl 1000 0 0 nodes "),
        "{output}"
    );
    let output = talk_to_the_end("setoption name UCI_ShowWDL value true\ngo depth 2\n");
    let line = infos(&output)[0];
    let chances = line.split(" wdl ").nth(1).unwrap().split(' ').take(3);
    let sum: u32 = chances.map(|n| n.parse::<u32>().unwrap()).sum();
    assert_eq!(sum, 1000, "{line}");
}

#[test]
fn weaker_level_thinks_little_and_the_same_each_time() {
    let level = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 500\n\
                 setoption name Strength Seed value 7\n";
    let game = "position startpos moves e2e4 e7e5 g1f3 b8c6\ngo depth 9\n";
    let weak = talk_to_the_end(&format!("{level}{game}"));
    assert_eq!(
        weak.lines().last(),
        talk_to_the_end(&format!("{level}{game}")).lines().last()
    );
    let nodes = |output: &str| -> u64 {
        let lines = infos(output);
        lines
            .last()
            .map_or(0, |line| value(line, "nodes").parse().unwrap())
    };
    assert!(nodes(&weak) < 1000, "{weak}");
    for full in [
        format!("{level}setoption name UCI_AnalyseMode value true\n{game}"),
        format!("{level}setoption name UCI_LimitStrength value false\n{game}"),
    ] {
        let output = talk_to_the_end(&full);
        let last = infos(&output)
            .last()
            .map(|line| value(line, "depth").to_owned());
        assert_eq!(last.as_deref(), Some("9"), "{output}");
    }
}

#[test]
fn evaluation_is_told_from_both_points_of_view() {
    let up = "position fen 4k3/8/8/8/8/8/8/4K3[Q]";
    let white = talk(format!("{up} w - - 0 1\neval\n"));
    assert!(white.starts_with("Evaluation: +"), "{white}");
    let black = talk(format!("{up} b - - 0 1\neval\n"));
    assert!(black.starts_with("Evaluation: +"), "{black}");
    assert!(
        black.contains("cp -") && black.contains("for Black"),
        "{black}"
    );
    let check = talk("position fen 4k3/8/8/8/8/8/4R3/4K3[] b - - 0 1\neval\n");
    assert_eq!(check, "Evaluation: none, in check\n");
}

#[test]
fn bench_within_a_session_counts_as_the_command_does() {
    let output = talk("position startpos moves e2e4\nbench 2\nd\n");
    let count = output
        .lines()
        .find_map(|line| line.strip_prefix("Nodes searched  : "));
    let count: u64 = count.expect("a count").parse().unwrap();
    assert_eq!(count, bench(Some(2), 1).nodes);
    assert!(output.contains("/4P3/"), "{output}");
}

#[test]
fn limits_hold_together() {
    let output = talk_to_the_end("go depth 30 nodes 200 movetime 3600000 wtime 3600000 btime 1\n");
    assert!(output.contains("bestmove "), "{output}");
    let output = talk_to_the_end("go nodes 100000000 depth 2\n");
    assert_eq!(
        value(infos(&output).last().unwrap(), "depth"),
        "2",
        "{output}"
    );
    let mate = "position fen 6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1\ngo mate 1 infinite\nstop\n";
    assert_eq!(talk(mate).matches("bestmove R@").count(), 1);
}

#[test]
fn several_lines_keep_to_the_moves_allowed() {
    let output =
        talk_to_the_end("setoption name MultiPV value 5\ngo depth 3 searchmoves e2e4 d2d4 a2a3\n");
    let last = infos(&output);
    let last = &last[last.len() - 3..];
    let ranks: Vec<_> = last.iter().map(|line| value(line, "multipv")).collect();
    assert_eq!(ranks, ["1", "2", "3"], "{output}");
    let mut moves: Vec<_> = last.iter().map(|line| value(line, "pv")).collect();
    let best = format!("bestmove {}", moves[0]);
    assert!(
        output.lines().last().unwrap().starts_with(&best),
        "{output}"
    );
    moves.sort_unstable();
    assert_eq!(moves, ["a2a3", "d2d4", "e2e4"], "{output}");
    let scores: Vec<i32> = last
        .iter()
        .map(|line| value(line, "cp").parse().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{output}");
}

#[test]
fn ponder_search_is_answered_once_whatever_comes() {
    for end in [
        "ponderhit\n",
        "stop\n",
        "ponderhit\nstop\nponderhit\n",
        "go depth 1\nstop\n",
    ] {
        let output = talk(format!(
            "position startpos moves e2e4\ngo ponder wtime 50 btime 50 depth 2\nisready\n{end}"
        ));
        let (before, after) = output.split_once("readyok").unwrap();
        assert!(!before.contains("bestmove"), "{output}");
        let expected = 1 + end.matches("go ").count();
        assert_eq!(
            after.matches("bestmove ").count(),
            expected,
            "{end}: {output}"
        );
    }
}

/// A line with something wrong at a random place.
fn damaged(line: &str, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(0..=bytes.len());
        let to = random.usize(at..=bytes.len());
        match random.u8(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.u8(..)),
            2 => drop(bytes.drain(at..to)),
            3 => bytes.extend_from_within(at..to),
            4 => bytes.splice(at..at, *b" -99999999999 ").for_each(drop),
            _ => bytes.splice(at..to, *b" \xff\0 ").for_each(drop),
        }
    }
    // A line stays one line, and the session goes on.
    bytes.retain(|byte| *byte != b'\n');
    if bytes.windows(4).any(|word| word == b"quit") {
        bytes.clear();
    }
    bytes
}

#[test]
fn damaged_lines_are_answered_and_survived() {
    const LINES: [&str; 16] = [
        "uci",
        "debug on",
        "register name nobody code 4711",
        "isready",
        "setoption name Hash value 2",
        "setoption name MultiPV value 3",
        "setoption name UCI_Elo value 1500",
        "setoption name UCI_Variant value chessgi",
        "setoption name EvalFile value none.pknn",
        "position startpos moves e2e4 e7e5 g1f3 b8c6",
        "position fen r1b1kb1r/pp1p3p/4q3/1BppnNpn/8/4PPPP/PPPP2K1/R1BQ3R[Pn] w kq - 1 15 moves P@e6",
        "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 4 nodes 50",
        "go infinite searchmoves e2e4 P@e5 depth 3 mate 2",
        "go ponder movetime 20",
        "stop",
        "eval",
    ];
    let mut random = fastrand::Rng::with_seed(20);
    let mut input = Vec::new();
    for _ in 0..3000 {
        let line = LINES[random.usize(0..LINES.len())];
        input.extend(damaged(line, &mut random));
        input.push(b'\n');
    }
    let rest = "\nsetoption name UCI_Variant value crazyhouse\nposition startpos\nd\n\
                go depth 1\nisready\nnonsense\n";
    input.extend(rest.as_bytes());
    let output = talk(input);
    let (_, end) = output.rsplit_once("Fen: ").expect("the board is shown");
    assert!(end.starts_with(START), "{end}");
    assert!(
        end.contains("readyok\n") && end.contains("Unknown command: 'nonsense'"),
        "{end}"
    );
    assert_eq!(end.matches("bestmove ").count(), 1, "{end}");
    for line in output.lines() {
        assert!(!line.contains(['\r', '\0']), "{line:?}");
    }
}

#[test]
fn own_book_is_played_at_once_in_the_castling_form_of_the_gui() {
    let (_dir, path) = book_file("a2a4 h7h5 g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1");
    let own = format!("setoption name BookFile value {path}\nsetoption name OwnBook value true\n");
    let output = talk(format!(
        "{own}position startpos\ngo wtime 60000 btime 60000\n"
    ));
    assert!(
        output.contains("info string book of 9 positions, 9 moves"),
        "{output}"
    );
    assert!(
        output.ends_with("info string book\nbestmove a2a4\n"),
        "{output}"
    );
    let castle = "position startpos moves a2a4 h7h5 g1f3 g8f6 g2g3 g7g6 f1g2 f8g7\ngo depth 1\n";
    assert!(talk(format!("{own}{castle}")).ends_with("bestmove e1g1\n"));
    let chess960 = "setoption name UCI_Chess960 value true\n";
    assert!(talk(format!("{own}{chess960}{castle}")).ends_with("bestmove e1h1\n"));
}

#[test]
fn book_moves_are_not_for_analysis_and_not_without_the_option() {
    let (_dir, path) = book_file("a2a4");
    let file = format!("setoption name BookFile value {path}\n");
    let own = format!("{file}setoption name OwnBook value true\n");
    for input in [
        format!("{file}go nodes 200\n"),
        format!("{own}go searchmoves e2e4 nodes 200\n"),
        format!("{own}go infinite nodes 200\nstop\n"),
        format!("{own}setoption name UCI_AnalyseMode value true\ngo nodes 200\n"),
        format!("{own}position startpos moves e2e4\ngo nodes 200\n"),
        format!("{own}setoption name BookFile value <empty>\ngo nodes 200\n"),
    ] {
        let output = talk(&input);
        assert!(output.contains("bestmove "), "{input}");
        assert!(!output.contains("info string book\n"), "{input}");
    }
}

#[test]
fn a_book_that_cannot_be_had_is_told_and_not_played() {
    let output = talk("setoption name BookFile value nowhere.bin\n");
    assert!(
        output.contains("error: option BookFile: cannot read book nowhere.bin"),
        "{output}"
    );
}
