//! Lines of the UCI protocol as values. Needs no position: moves stay texts.

use std::time::Duration;

/// Line from the GUI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    /// Empty line, comment, or a command without any effect here.
    Nothing,
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: Option<String>,
    },
    Position {
        start: Start,
        moves: Vec<&'a str>,
    },
    Go(Box<Go<'a>>),
    Perft {
        depth: u32,
    },
    /// Search of fixed positions, to a depth if one is given.
    Bench {
        depth: Option<u32>,
    },
    Stop,
    PonderHit,
    Display,
    /// Static evaluation of the position.
    Evaluate,
    Help,
    Quit,
    Unknown,
    /// A known command that cannot be carried out.
    Wrong(String),
    /// The same for `go`, which has to be answered.
    WrongGo(String),
    /// The same for `position`: there is no position to search any more.
    WrongPosition(String),
}

/// Where the moves of `position` start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Start {
    Initial,
    Fen(String),
}

/// Words of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go<'a> {
    pub(super) search_moves: Vec<&'a str>,
    pub(super) ponder: bool,
    pub(super) infinite: bool,
    /// Clock and increment by [`crate::rules::Color::index`].
    pub(super) time: [Option<Duration>; 2],
    pub(super) increment: [Duration; 2],
    pub(super) period_moves: Option<u32>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) mate: Option<u32>,
    pub(super) movetime: Option<Duration>,
    /// Words that mean nothing here. The protocol wants them passed over.
    pub(super) unknown: Vec<&'a str>,
}

impl<'a> Command<'a> {
    pub(super) fn parse(line: &'a str) -> Self {
        let mut words = line.split_ascii_whitespace();
        let Some(command) = words.next() else {
            return Self::Nothing;
        };
        match command {
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::NewGame,
            "setoption" => set_option(&words.collect::<Vec<_>>()),
            "position" => position(&words.collect::<Vec<_>>()),
            "go" => go(&words.collect::<Vec<_>>()).unwrap_or_else(Self::WrongGo),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "quit" => Self::Quit,
            "d" => Self::Display,
            "eval" => Self::Evaluate,
            "bench" => bench(words.next()),
            "help" | "--help" => Self::Help,
            // Known to the protocol, and there is nothing to do.
            "debug" | "register" => Self::Nothing,
            _ if command.starts_with('#') => Self::Nothing,
            _ => Self::Unknown,
        }
    }
}

/// Names and values may hold spaces; the words `name` and `value` part them.
fn set_option<'a>(words: &[&'a str]) -> Command<'a> {
    let Some((&"name", rest)) = words.split_first() else {
        return Command::Wrong("setoption: expected name".to_owned());
    };
    let at = rest.iter().position(|&word| word == "value");
    let (name, value) = match at {
        Some(at) => (&rest[..at], Some(rest[at + 1..].join(" "))),
        None => (rest, None),
    };
    Command::SetOption {
        name: name.join(" "),
        value,
    }
}

fn bench<'a>(depth: Option<&str>) -> Command<'a> {
    let Some(text) = depth else {
        return Command::Bench { depth: None };
    };
    match text.parse() {
        Ok(depth @ 1..=100) => Command::Bench { depth: Some(depth) },
        _ => Command::Wrong(format!(
            "bench: depth {:?}, expected a whole number from 1 to 100",
            super::excerpt(text)
        )),
    }
}

fn position<'a>(words: &[&'a str]) -> Command<'a> {
    let at = words.iter().position(|&word| word == "moves");
    let (place, moves) = match at {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[] as &[&str]),
    };
    let start = match place {
        ["startpos"] => Start::Initial,
        ["fen", fen @ ..] => Start::Fen(fen.join(" ")),
        _ => {
            return Command::WrongPosition(
                "position: expected startpos or fen, then moves".to_owned(),
            );
        }
    };
    Command::Position {
        start,
        moves: moves.to_vec(),
    }
}

const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
];

fn go<'a>(words: &[&'a str]) -> Result<Command<'a>, String> {
    let mut go = Go::default();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        at += 1;
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                let more = &words[at..];
                let count = more.iter().take_while(|word| !GO_WORDS.contains(word));
                let count = count.count();
                go.search_moves.extend(&more[..count]);
                at += count;
            }
            _ if GO_WORDS.contains(&word) => {
                let number = number(word, words.get(at))?;
                at += 1;
                match word {
                    "wtime" => go.time[0] = Some(millis(number)),
                    "btime" => go.time[1] = Some(millis(number)),
                    "winc" => go.increment[0] = millis(number),
                    "binc" => go.increment[1] = millis(number),
                    "movestogo" => go.period_moves = Some(small(number)).filter(|&n| n > 0),
                    // Zero would mean no limit at all to some engines; ending at once is the safer reading.
                    "depth" => go.depth = Some(small(number).max(1)),
                    "nodes" => go.nodes = Some(number.max(1).unsigned_abs()),
                    "mate" => go.mate = Some(small(number).max(1)),
                    "movetime" => go.movetime = Some(millis(number)),
                    _ => {
                        return Ok(Command::Perft {
                            depth: small(number),
                        });
                    }
                }
            }
            _ => go.unknown.push(word),
        }
    }
    Ok(Command::Go(Box::new(go)))
}

fn number(word: &str, text: Option<&&str>) -> Result<i64, String> {
    let text = text.copied().unwrap_or_default();
    text.parse().map_err(|_| {
        format!(
            "go: {word} {:?}, expected a whole number",
            super::excerpt(text)
        )
    })
}

/// GUIs send a negative clock after the flag fell; no time is left then.
fn millis(number: i64) -> Duration {
    Duration::from_millis(u64::try_from(number).unwrap_or(0))
}

fn small(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_go(line: &str) -> Go<'_> {
        match Command::parse(line) {
            Command::Go(go) => *go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn go_takes_every_limit_of_the_protocol() {
        let go = parse_go(
            "go wtime 1000 btime 2000 winc 10 binc 20 movestogo 5 depth 7 nodes 9 mate 2 movetime 50 ponder \
             searchmoves e2e4 P@e5 infinite",
        );
        assert_eq!(go.time.map(|t| t.unwrap().as_millis()), [1000, 2000]);
        assert_eq!(go.increment.map(|t| t.as_millis()), [10, 20]);
        assert_eq!(
            (go.period_moves, go.depth, go.nodes, go.mate),
            (Some(5), Some(7), Some(9), Some(2))
        );
        assert_eq!(go.movetime, Some(Duration::from_millis(50)));
        assert!(go.ponder && go.infinite);
        assert_eq!(go.search_moves, ["e2e4", "P@e5"]);
    }

    #[test]
    fn search_moves_may_be_listed_in_parts() {
        let go = parse_go("go searchmoves e2e4 d2d4 nodes 5 searchmoves c2c4 depth 3");
        assert_eq!(go.search_moves, ["e2e4", "d2d4", "c2c4"]);
        assert_eq!((go.nodes, go.depth), (Some(5), Some(3)));
        assert!(go.unknown.is_empty());
    }

    #[test]
    fn bench_takes_a_depth_or_none() {
        assert_eq!(Command::parse("bench"), Command::Bench { depth: None });
        assert_eq!(Command::parse("bench 3"), Command::Bench { depth: Some(3) });
        for line in ["bench 0", "bench x", "bench 101"] {
            assert!(matches!(Command::parse(line), Command::Wrong(_)), "{line}");
        }
    }

    #[test]
    fn clock_below_zero_is_no_time() {
        assert_eq!(parse_go("go wtime -30").time[0], Some(Duration::ZERO));
    }

    #[test]
    fn zero_limits_end_at_once_instead_of_never() {
        let go = parse_go("go depth 0 nodes 0 movestogo 0");
        assert_eq!(
            (go.depth, go.nodes, go.period_moves),
            (Some(1), Some(1), None)
        );
    }

    #[test]
    fn number_that_is_none_is_refused_by_name() {
        for line in ["go depth x", "go depth", "go depth 99999999999999999999"] {
            let Command::WrongGo(reason) = Command::parse(line) else {
                panic!("{line}")
            };
            assert!(reason.starts_with("go: depth "), "{reason}");
        }
    }

    #[test]
    fn unknown_words_of_go_are_kept_apart() {
        let go = parse_go("go dept 5 depth 3");
        assert_eq!(go.unknown, ["dept", "5"]);
        assert_eq!(go.depth, Some(3));
    }

    #[test]
    fn option_names_and_values_may_hold_spaces() {
        assert_eq!(
            Command::parse("setoption name Move  Overhead value 1 2"),
            Command::SetOption {
                name: "Move Overhead".to_owned(),
                value: Some("1 2".to_owned())
            }
        );
        assert_eq!(
            Command::parse("setoption name Clear Hash"),
            Command::SetOption {
                name: "Clear Hash".to_owned(),
                value: None
            }
        );
    }

    #[test]
    fn position_is_startpos_or_fen_with_moves() {
        assert_eq!(
            Command::parse("position startpos moves e2e4 e7e5"),
            Command::Position {
                start: Start::Initial,
                moves: vec!["e2e4", "e7e5"]
            }
        );
        assert_eq!(
            Command::parse("position fen a b  c moves"),
            Command::Position {
                start: Start::Fen("a b c".to_owned()),
                moves: Vec::new()
            }
        );
        assert!(matches!(
            Command::parse("position"),
            Command::WrongPosition(_)
        ));
        assert!(matches!(
            Command::parse("position startpos e2e4"),
            Command::WrongPosition(_)
        ));
    }

    #[test]
    fn empty_lines_and_comments_are_nothing() {
        for line in ["", "   ", "# comment", "debug on"] {
            assert_eq!(Command::parse(line), Command::Nothing, "{line}");
        }
        assert_eq!(Command::parse("xyzzy"), Command::Unknown);
    }
}
