//! What is said to an engine, and what it says during a search. Pure.

use super::{Answer, Fault, Limits, Request};
use crate::engine::Score;
use crate::rules::{CastlingStyle, FenStyle, Move, Position, START_FEN};
use std::fmt::Write as _;
use std::time::Duration;

/// Longest part of the engine's words that an error shows.
const EXCERPT: usize = 40;

/// `position ...` of the current position of a game.
pub(super) fn position(request: &Request, style: CastlingStyle) -> String {
    let game = &request.game;
    let fen = game.start().fen(FenStyle::Bracket);
    let mut text = if fen == START_FEN {
        "position startpos".to_owned()
    } else {
        format!("position fen {fen}")
    };
    for (index, mv) in game.moves().iter().enumerate() {
        if index == 0 {
            text.push_str(" moves");
        }
        text.push(' ');
        text.push_str(&game.positions()[index].uci(*mv, style));
    }
    text
}

/// `go ...`.
pub(super) fn go(limits: &Limits, ponder: bool) -> String {
    let mut text = "go".to_owned();
    let mut add = |word: &str, number: u128| {
        // Writing to a string cannot fail.
        write!(text, " {word} {number}").ok();
    };
    if let Some(sides) = limits.clock {
        for (side, (time, increment)) in ["w", "b"].iter().zip(sides) {
            // Some engines take 0 for no clock at all.
            add(&format!("{side}time"), time.as_millis().max(1));
            add(&format!("{side}inc"), increment.as_millis());
        }
    }
    if let Some(time) = limits.movetime {
        add("movetime", time.as_millis().max(1));
    }
    if let Some(nodes) = limits.nodes {
        add("nodes", nodes.into());
    }
    if let Some(depth) = limits.depth {
        add("depth", depth.into());
    }
    if ponder {
        text.push_str(" ponder");
    } else if *limits == Limits::default() {
        text.push_str(" infinite");
    }
    text
}

/// What the `info` lines of a search have told so far.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Told {
    pub(super) score: Option<Score>,
    pub(super) depth: u32,
    pub(super) nodes: u64,
    /// First move of the best line.
    pub(super) best: Option<Move>,
}

impl Told {
    /// Takes a line in, if it is about the best line of `root`.
    pub(super) fn hear(&mut self, line: &str, root: &Position) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut told = *self;
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|text| text.parse::<i64>().ok());
            match word {
                // Free text up to the end of the line.
                "string" => break,
                "multipv" if number() != Some(1) => return,
                "depth" => told.depth = number().map_or(0, |n| n.clamp(0, 1000) as u32),
                "nodes" => told.nodes = number().map_or(0, |n| n.max(0).unsigned_abs()),
                "score" => match (words.next(), words.next().map(str::parse::<i32>)) {
                    (Some("cp"), Some(Ok(cp))) => {
                        told.score = Some(Score::Cp(cp.clamp(-30_000, 30_000)));
                    }
                    (Some("mate"), Some(Ok(moves))) => {
                        told.score = Some(Score::Mate(moves.clamp(-1000, 1000)));
                    }
                    _ => {}
                },
                "lowerbound" | "upperbound" => told.score = self.score,
                "pv" => {
                    let first = words.next().and_then(|text| root.parse_uci(text).ok());
                    told.best = first.or(told.best);
                    break;
                }
                _ => {}
            }
        }
        *self = told;
    }
}

/// Answer of a line `bestmove ...`, `None` for any other line.
pub(super) fn answer(
    line: &str,
    root: &Position,
    told: &Told,
    elapsed: Duration,
) -> Option<Result<Answer, Fault>> {
    let mut words = line.split_ascii_whitespace();
    if words.next() != Some("bestmove") {
        return None;
    }
    let text = words.next().unwrap_or_default();
    let Ok(best) = root.parse_uci(text) else {
        let text = text.chars().take(EXCERPT).collect();
        return Some(Err(Fault::Illegal { text }));
    };
    let after = root.play(best);
    let ponder = match words.next() {
        Some("ponder") => words.next().and_then(|text| after.parse_uci(text).ok()),
        _ => None,
    };
    Some(Ok(Answer {
        best,
        ponder,
        score: told.score,
        depth: told.depth,
        nodes: told.nodes,
        elapsed,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Game, Variant};

    const MS: Duration = Duration::from_millis(1);

    fn request(fen: &str, moves: &str) -> Request {
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let mut game = Game::from_position(position);
        for text in moves.split_whitespace() {
            game.push_uci(text).unwrap();
        }
        Request {
            game,
            limits: Limits::default(),
            ponder: false,
        }
    }

    #[test]
    fn positions_are_told_with_all_moves_and_castling_as_the_engine_wants_it() {
        let castled = request(START_FEN, "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1");
        let text = position(&castled, CastlingStyle::TwoSquares);
        assert_eq!(
            text,
            "position startpos moves e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1"
        );
        let text = position(&castled, CastlingStyle::KingTakesRook);
        assert!(text.ends_with(" e1h1"), "{text}");
        let dropped = request("4k3/8/8/8/8/8/8/4K3[P] b - - 0 7", "e8e7 P@e4");
        assert_eq!(
            position(&dropped, CastlingStyle::TwoSquares),
            "position fen 4k3/8/8/8/8/8/8/4K3[P] b - - 0 7 moves e8e7 P@e4"
        );
        let start = position(&request(START_FEN, ""), CastlingStyle::TwoSquares);
        assert_eq!(start, "position startpos");
    }

    #[test]
    fn limits_are_told_in_milliseconds() {
        let limits = Limits {
            clock: Some([(60_000 * MS, 1000 * MS), (Duration::ZERO, Duration::ZERO)]),
            depth: Some(9),
            ..Limits::default()
        };
        assert_eq!(
            go(&limits, true),
            "go wtime 60000 winc 1000 btime 1 binc 0 depth 9 ponder"
        );
        let limits = Limits {
            movetime: Some(250 * MS),
            nodes: Some(5000),
            ..Limits::default()
        };
        assert_eq!(go(&limits, false), "go movetime 250 nodes 5000");
        assert_eq!(go(&Limits::default(), false), "go infinite");
    }

    #[test]
    fn info_lines_are_understood_and_nonsense_is_passed_over() {
        let root = Position::start(Variant::Crazyhouse);
        let mut told = Told::default();
        for line in [
            "info depth 3 seldepth 5 multipv 1 score cp 31 nodes 400 nps 9 pv e2e4 e7e5",
            "info depth 4 multipv 2 score cp -90 pv a2a3",
            "info depth 4 score cp 99 lowerbound nodes 500 pv d2d4",
            "info string depth 77 pv h2h4",
            "info depth x score cp pv",
            "info score mate",
            "hello depth 9",
        ] {
            told.hear(line, &root);
        }
        assert_eq!(told.score, Some(Score::Cp(31)));
        assert_eq!((told.depth, told.nodes), (0, 500));
        assert_eq!(told.best.unwrap().to_string(), "d2d4");
        told.hear("info depth 12 score mate -2 pv e2e9", &root);
        assert_eq!((told.score, told.depth), (Some(Score::Mate(-2)), 12));
        assert_eq!(told.best.unwrap().to_string(), "d2d4");
    }

    #[test]
    fn best_moves_are_read_in_either_form_of_castling_and_illegal_ones_refused() {
        let castle = request("4k3/8/8/8/8/8/8/R3K2R[] w KQ - 0 1", "");
        let root = castle.game.position();
        let read = |line: &str| answer(line, root, &Told::default(), MS);
        for line in ["bestmove e1g1 ponder e8e7", "bestmove e1h1 ponder e8e7"] {
            let answer = read(line).unwrap().unwrap();
            assert!(answer.best.is_castle(), "{line}");
            assert_eq!(answer.ponder.unwrap().to_string(), "e8e7");
        }
        // A reply that is none is left out; the move itself still counts.
        let answer = read("bestmove e1e2 ponder e1e2").unwrap().unwrap();
        assert_eq!(answer.ponder, None);
        for line in [
            "bestmove",
            "bestmove (none)",
            "bestmove 0000",
            "bestmove e1e4",
        ] {
            assert!(
                matches!(read(line), Some(Err(Fault::Illegal { .. }))),
                "{line}"
            );
        }
        assert_eq!(read("info depth 1"), None);
    }
}
