//! Openings of a match: random ones that are about even, or those of a file.

use crate::engine::{Evaluation, Limits, SearchRequest, Searcher};
use crate::rules::{FenError, Position, Variant};
use crate::training::files::is_special;
use crate::training::openings::wander;
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

/// Fewest and most random plies from the start position.
const PLIES: std::ops::RangeInclusive<u32> = 4..=8;
/// Largest score, either way, of an opening that is kept.
const MOST_SCORE: i32 = 150;
/// Nodes of the search that judges an opening.
const JUDGE_NODES: u64 = 4000;

/// Where the openings of a match come from. The same source gives the same openings in the same order.
#[derive(Clone, Debug)]
pub struct Openings(Source);

#[derive(Clone, Debug)]
enum Source {
    Random(u64),
    List(Vec<Position>),
}

/// Why a file gives no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("cannot read openings {path}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A directory or a device.
    #[error("openings {0} is not a file")]
    NoFile(String),
    /// A line that is no position.
    #[error("openings {path}, line {line}")]
    Line {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: FenError,
    },
    /// A position without a legal move.
    #[error("openings {path}, line {line}: expected a position with a legal move")]
    Over {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
    },
    /// Nothing but blank lines and comments.
    #[error("openings {0}: expected at least one line with a FEN")]
    Empty(String),
}

impl Openings {
    /// Openings of 4 to 8 random plies which a search of 4,000 nodes gives at most 150 to either side, all different.
    pub const fn random(seed: u64) -> Self {
        Self(Source::Random(seed))
    }

    /// Openings of a file in an order that comes from `seed`: a FEN a line, with or without move counters and EPD
    /// operations behind it. Blank lines, lines that begin with `#` and positions seen before are left out.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is no position that can be played on.
    pub fn read(path: &Path, seed: u64) -> Result<Self, OpeningsError> {
        let name = path.display().to_string();
        if is_special(path) {
            return Err(OpeningsError::NoFile(name));
        }
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&name, &text, seed),
            Err(source) => Err(OpeningsError::Read { path: name, source }),
        }
    }

    fn parse(name: &str, text: &str, seed: u64) -> Result<Self, OpeningsError> {
        let mut seen = HashSet::new();
        let mut list = Vec::new();
        for (index, text) in text.lines().enumerate() {
            let (path, line) = (name.to_owned(), index + 1);
            let fen = fen_of(text);
            if fen.is_empty() || fen.starts_with('#') {
                continue;
            }
            let position = Position::from_fen(&fen, Variant::Crazyhouse).map_err(|source| {
                let path = path.clone();
                OpeningsError::Line { path, line, source }
            })?;
            if !position.has_legal_move() {
                return Err(OpeningsError::Over { path, line });
            }
            if seen.insert(position.key()) {
                list.push(position);
            }
        }
        if list.is_empty() {
            return Err(OpeningsError::Empty(name.to_owned()));
        }
        fastrand::Rng::with_seed(seed).shuffle(&mut list);
        Ok(Self(Source::List(list)))
    }

    /// Number of different openings, `None` for as many as are needed.
    pub const fn count(&self) -> Option<usize> {
        match &self.0 {
            Source::Random(_) => None,
            Source::List(list) => Some(list.len()),
        }
    }

    /// Openings from the first on.
    pub(super) fn dealer(&self) -> Dealer<'_> {
        match &self.0 {
            Source::Random(seed) => Dealer::Random(Box::new(Maker::new(*seed))),
            Source::List(list) => Dealer::List(list.iter().cycle()),
        }
    }
}

/// Position of an EPD line: its first four fields, and the next two if they are the counters of a FEN.
fn fen_of(line: &str) -> String {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_number = |field: &&str| field.bytes().all(|b| b.is_ascii_digit());
    let counters = fields
        .get(4..6)
        .is_some_and(|two| two.iter().all(is_number));
    let length = if counters { 6 } else { 4 };
    fields[..fields.len().min(length)].join(" ")
}

/// Gives one opening after the other, for ever.
pub(super) enum Dealer<'a> {
    Random(Box<Maker>),
    List(std::iter::Cycle<std::slice::Iter<'a, Position>>),
}

impl Dealer<'_> {
    /// The next opening. Needs a stack of [`crate::engine::SEARCH_STACK_BYTES`].
    pub(super) fn next(&mut self) -> Option<Position> {
        match self {
            Self::Random(maker) => Some(maker.next()),
            Self::List(list) => list.next().copied(),
        }
    }
}

/// Makes random openings.
pub(super) struct Maker {
    random: fastrand::Rng,
    /// Belongs to neither player, so that none has a say in where the games begin.
    judge: Searcher,
    seen: HashSet<u64>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            judge: Searcher::new(1, Evaluation::default()),
            seen: HashSet::new(),
        }
    }

    fn next(&mut self) -> Position {
        loop {
            if let Some(position) = self.wander()
                && self.is_even(&position)
                && self.seen.insert(position.key())
            {
                return position;
            }
        }
    }

    /// Position after some random moves, unless the game is over by then.
    fn wander(&mut self) -> Option<Position> {
        let plies = self.random.u32(PLIES) as usize;
        let position = *wander(&mut self.random, plies).position();
        position.has_legal_move().then_some(position)
    }

    fn is_even(&mut self, position: &Position) -> bool {
        self.judge.clear();
        let result = self.judge.search(SearchRequest {
            position: *position,
            earlier: Vec::new(),
            limits: Limits {
                nodes: Some(JUDGE_NODES),
                ..Limits::default()
            },
            received: Instant::now(),
        });
        result.score.as_cp().abs() <= MOST_SCORE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::FenStyle;

    const TEXT: &str = "\
# three openings, one of them twice

rnbqkb1r/p1pppppp/1p3n2/8/8/6PP/PPPPPP2/RNBQKBNR[] w KQkq - 1 3
rnbqkbnr/1p1ppppp/p1p5/8/8/P3PN2/1PPP1PPP/RNBQKB1R[] b KQkq - bm e4; id \"two\";
rnbqkb1r/p1pppppp/1p3n2/8/8/6PP/PPPPPP2/RNBQKBNR[] w KQkq - 1 3 ; again
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq -
";

    fn fens(openings: &Openings, count: usize) -> Vec<String> {
        let mut dealer = openings.dealer();
        let mut next = || dealer.next().unwrap().fen(FenStyle::Bracket);
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn every_opening_of_a_file_comes_once_before_any_comes_again() {
        let openings = Openings::parse("x", TEXT, 1).unwrap();
        assert_eq!(openings.count(), Some(3));
        let dealt = fens(&openings, 6);
        let different: HashSet<&String> = dealt[..3].iter().collect();
        assert_eq!(different.len(), 3);
        assert_eq!(dealt[..3], dealt[3..]);
        assert!(dealt.iter().any(|fen| fen.ends_with(" w KQkq - 1 3")));
        assert!(dealt.iter().any(|fen| fen.ends_with(" b KQkq - 0 1")));
    }

    #[test]
    fn seed_changes_the_order() {
        let order = |seed| fens(&Openings::parse("x", TEXT, seed).unwrap(), 3);
        assert_eq!(order(1), order(1));
        assert!((2..20).any(|seed| order(seed) != order(1)));
    }

    #[test]
    fn bad_lines_are_named() {
        let error = |text: &str| Openings::parse("x.epd", text, 1).unwrap_err().to_string();
        assert!(error("").contains("openings x.epd: expected at least one line"));
        let bad = error("\n8/8/8/8/8/8/8/8[] w - - 0 1\n");
        assert!(bad.starts_with("openings x.epd, line 2"), "{bad}");
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR[] w KQkq - 1 3";
        let over = error(mate);
        assert!(
            over.contains("line 1: expected a position with a legal move"),
            "{over}"
        );
        let missing = Openings::read(Path::new("/nowhere/x.epd"), 1).unwrap_err();
        assert!(
            missing
                .to_string()
                .starts_with("cannot read openings /nowhere/x.epd")
        );
    }

    #[test]
    fn random_openings_are_even_different_and_the_same_for_the_same_seed() {
        let dealt = fens(&Openings::random(5), 4);
        assert_eq!(dealt, fens(&Openings::random(5), 4));
        assert_ne!(dealt, fens(&Openings::random(6), 4));
        assert_eq!(dealt.iter().collect::<HashSet<_>>().len(), 4);
        let mut judge = Maker::new(0);
        for fen in &dealt {
            let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
            assert!((4..=8).contains(&position.ply()), "{fen}");
            assert!(judge.is_even(&position), "{fen}");
        }
    }
}
