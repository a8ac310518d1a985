//! Lines of the XBoard protocol as values. Needs no position: moves stay texts.

use super::clock::Level;
use std::time::Duration;

/// Line from the GUI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    /// Empty line, or a command that changes nothing here.
    Nothing,
    Protover,
    Accepted(&'a str),
    New,
    Variant(&'a str),
    Quit,
    Force,
    Go,
    PlayOther,
    MoveNow,
    UserMove(&'a str),
    Level(Level),
    MoveTime(Duration),
    Depth(u32),
    /// Own clock.
    Time(Duration),
    Ping(&'a str),
    Draw,
    /// The game is over.
    Result,
    SetBoard(&'a str),
    Edit,
    /// Line of the edit mode, or the end of it.
    EditLine,
    Hint,
    Book,
    Undo,
    Remove,
    Ponder(bool),
    Post(bool),
    Analyze,
    Exit,
    Status,
    Pause,
    Resume,
    Memory(&'a str),
    Cores(&'a str),
    Option {
        name: &'a str,
        value: Option<&'a str>,
    },
    /// Takes a move, or all, out of the search.
    Exclude(&'a str),
    /// Takes a move, or all, back into the search.
    Include(&'a str),
    /// A command that is not known; perhaps a bare move.
    Unknown,
    /// A known command that cannot be carried out, and why.
    Wrong(String),
}

impl<'a> Command<'a> {
    pub(super) fn parse(line: &'a str) -> Self {
        let line = line.trim_ascii();
        let (command, rest) = line
            .split_once(|c: char| c.is_ascii_whitespace())
            .map_or((line, ""), |(command, rest)| (command, rest.trim_ascii()));
        match command {
            "protover" => Self::Protover,
            "accepted" => Self::Accepted(rest),
            "new" => Self::New,
            "variant" => Self::Variant(rest),
            "quit" => Self::Quit,
            "force" => Self::Force,
            "go" => Self::Go,
            "playother" => Self::PlayOther,
            "?" => Self::MoveNow,
            "usermove" => Self::UserMove(rest),
            "level" => Level::parse(rest).map_or_else(Self::Wrong, Self::Level),
            "st" => seconds(rest).map_or_else(Self::Wrong, Self::MoveTime),
            "sd" => match rest.parse() {
                Ok(depth) if depth > 0 => Self::Depth(depth),
                _ => Self::Wrong("expected a depth in plies, at least 1".to_owned()),
            },
            "time" => centiseconds(rest).map_or_else(Self::Wrong, Self::Time),
            "ping" => Self::Ping(rest),
            "draw" => Self::Draw,
            "result" => Self::Result,
            "setboard" => Self::SetBoard(rest),
            "edit" => Self::Edit,
            "#" | "c" => Self::EditLine,
            "hint" => Self::Hint,
            "bk" => Self::Book,
            "undo" => Self::Undo,
            "remove" => Self::Remove,
            "hard" => Self::Ponder(true),
            "easy" => Self::Ponder(false),
            "post" => Self::Post(true),
            "nopost" => Self::Post(false),
            "analyze" => Self::Analyze,
            "exit" => Self::Exit,
            "." => Self::Status,
            "pause" => Self::Pause,
            "resume" => Self::Resume,
            "memory" => Self::Memory(rest),
            "cores" => Self::Cores(rest),
            "option" => match rest.split_once('=') {
                Some((name, value)) => Self::Option {
                    name: name.trim_ascii(),
                    value: Some(value.trim_ascii()),
                },
                None if rest.is_empty() => Self::Wrong("expected NAME or NAME=VALUE".to_owned()),
                None => Self::Option {
                    name: rest,
                    value: None,
                },
            },
            "exclude" => Self::Exclude(rest),
            "include" => Self::Include(rest),
            // Empty, or said for engines that care: colors follow from `go` and `playother`, the pockets from the moves.
            "" | "xboard" | "rejected" | "random" | "white" | "black" | "otim" | "name"
            | "rating" | "ics" | "computer" | "holding" | "partner" | "ptell" | "egtpath"
            | "lift" | "put" | "hover" => Self::Nothing,
            _ => Self::Unknown,
        }
    }
}

/// A number of seconds, perhaps with a fraction.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a time in seconds".to_owned())
}

/// Clocks run below zero after the flag fell; no time is left then.
fn centiseconds(text: &str) -> Result<Duration, String> {
    let number: i64 = text
        .parse()
        .map_err(|_| "expected a time in hundredths of a second".to_owned())?;
    let left = u64::try_from(number).unwrap_or(0);
    Ok(Duration::from_millis(left.saturating_mul(10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_carry_their_words() {
        for (line, command) in [
            ("usermove e2e4", Command::UserMove("e2e4")),
            ("  usermove   P@e4\r", Command::UserMove("P@e4")),
            ("variant crazyhouse", Command::Variant("crazyhouse")),
            ("setboard 8/8 w - -", Command::SetBoard("8/8 w - -")),
            ("ping 7", Command::Ping("7")),
            ("sd 4", Command::Depth(4)),
            ("st 5", Command::MoveTime(Duration::from_secs(5))),
            ("st 0.25", Command::MoveTime(Duration::from_millis(250))),
            ("time 1234", Command::Time(Duration::from_millis(12_340))),
            ("time -5", Command::Time(Duration::ZERO)),
            ("result 1-0 {White mates}", Command::Result),
            ("hard", Command::Ponder(true)),
            ("?", Command::MoveNow),
        ] {
            assert_eq!(Command::parse(line), command, "{line}");
        }
    }

    #[test]
    fn option_values_may_hold_spaces_and_signs() {
        let option = |name, value| Command::Option { name, value };
        assert_eq!(
            Command::parse("option EvalFile=/a b/c=d.pknn"),
            option("EvalFile", Some("/a b/c=d.pknn"))
        );
        assert_eq!(
            Command::parse("option Clear Hash"),
            option("Clear Hash", None)
        );
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        for line in [
            "sd",
            "sd 0",
            "sd x",
            "st",
            "st -1",
            "st nan",
            "st 1e400",
            "time",
            "time soon",
            "level 40 5",
            "option",
        ] {
            assert!(matches!(Command::parse(line), Command::Wrong(_)), "{line}");
        }
    }

    #[test]
    fn what_other_engines_need_is_passed_over() {
        for line in [
            "",
            "random",
            "computer",
            "name GM Somebody",
            "rating 1500 0",
            "ics freechess.org",
            "holding [PPQ] [n] WQ",
            "rejected pause",
            "otim 500",
        ] {
            assert_eq!(Command::parse(line), Command::Nothing, "{line}");
        }
        assert_eq!(Command::parse("nps 1000"), Command::Unknown);
        assert_eq!(Command::parse("e2e4"), Command::Unknown);
    }
}
