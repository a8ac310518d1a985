//! Reading games.

use super::{Eval, GameResult, Note, PgnGame, Tags};
use crate::rules::excerpt::excerpt;
use crate::rules::fen::FenError;
use crate::rules::outcome::Game;
use crate::rules::piece::Variant;
use crate::rules::position::Position;
use crate::rules::san::SanError;
use std::time::Duration;
use thiserror::Error;

/// Most tags of one game; Lichess writes about 20.
const MAX_TAGS: usize = 200;
/// Most plies of one game; Lichess draws a game after 600.
const MAX_PLIES: usize = 10_000;
/// Most games that [`read`] keeps in memory.
const MAX_GAMES: usize = 50_000;

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("pgn game {game}, line {line}: {kind}")]
pub struct PgnError {
    /// Game of the file, from 1.
    pub game: usize,
    /// Line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub kind: PgnErrorKind,
}

/// What is wrong with a file. Values are cut to a few characters.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PgnErrorKind {
    /// Tag pair that is not written as `[Name "value"]`.
    #[error("tag {value:?}, expected [Name \"value\"]")]
    Tag {
        /// Start of the tag.
        value: String,
    },
    /// More tags than a game can sensibly have.
    #[error("more than {MAX_TAGS} tags")]
    TooManyTags,
    /// `Variant` tag of a game that is not played here.
    #[error("variant {value:?}, expected Crazyhouse, Loop or Chessgi")]
    Variant {
        /// Value of the tag.
        value: String,
    },
    /// `FEN` tag.
    #[error(transparent)]
    Fen(FenError),
    /// Move that is not understood or not legal.
    #[error(transparent)]
    Move(SanError),
    /// More moves than a game can have.
    #[error("more than {MAX_PLIES} plies")]
    TooManyMoves,
    /// More games than are read at once; [`games`] reads any number.
    #[error("more than {MAX_GAMES} games")]
    TooManyGames,
    /// Comment or variation that the file ends within.
    #[error("unclosed {what}")]
    Unclosed {
        /// Comment or variation.
        what: &'static str,
    },
    /// Character that nothing begins with.
    #[error("unexpected {found:?} between the moves")]
    Unexpected {
        /// The character.
        found: char,
    },
}

/// All games of a file.
///
/// A file without a `Variant` tag is read as crazyhouse.
///
/// # Errors
/// At the first thing that is not understood.
pub fn read(text: &str) -> Result<Vec<PgnGame>, PgnError> {
    let mut found = Vec::new();
    let mut games = games(text);
    while let Some(game) = games.next().transpose()? {
        if found.len() == MAX_GAMES {
            return Err(games.error(PgnErrorKind::TooManyGames));
        }
        found.push(game);
    }
    Ok(found)
}

/// Games of a file, one at a time. After an error it goes on with the next game that begins with
/// a tag at the start of a line.
pub fn games(text: &str) -> Games<'_> {
    Games {
        text: text.strip_prefix('\u{feff}').unwrap_or(text),
        at: 0,
        line: 1,
        counted: 0,
        game: 0,
        in_tags: false,
    }
}

/// Iterator over the games of a file; see [`games`].
#[derive(Clone, Debug)]
pub struct Games<'a> {
    text: &'a str,
    /// Next byte. It only grows, which makes reading linear.
    at: usize,
    /// Line of byte `counted`.
    line: usize,
    counted: usize,
    game: usize,
    in_tags: bool,
}

impl Iterator for Games<'_> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_game() {
            Ok(game) => game.map(Ok),
            Err(kind) => {
                let error = self.error(kind);
                self.skip_to_next_game();
                Some(Err(error))
            }
        }
    }
}

/// A game that is being read.
struct Reading {
    game: Game,
    notes: Vec<Note>,
}

impl<'a> Games<'a> {
    fn next_game(&mut self) -> Result<Option<PgnGame>, PgnErrorKind> {
        self.game += 1;
        loop {
            let tags = self.read_tags()?;
            let mut reading = Reading {
                game: Game::from_position(start(&tags)?),
                notes: Vec::new(),
            };
            let result = self.read_moves(&mut reading)?;
            // A result that stands alone is no game; neither is the end of the file.
            if tags.is_empty() && reading.game.moves().is_empty() {
                if result.is_some() {
                    continue;
                }
                if self.peek().is_none() {
                    return Ok(None);
                }
            }
            let result = result
                .or_else(|| GameResult::from_token(tags.get("Result")?.trim_ascii()))
                .unwrap_or_default();
            let Reading { game, notes } = reading;
            return Ok(Some(PgnGame {
                tags,
                game,
                notes,
                result,
            }));
        }
    }

    fn read_tags(&mut self) -> Result<Tags, PgnErrorKind> {
        let mut tags = Tags::new();
        self.in_tags = true;
        loop {
            self.skip_space();
            if self.peek() != Some(b'[') {
                self.in_tags = false;
                return Ok(tags);
            }
            let start = self.at;
            let Some((name, value)) = self.read_tag() else {
                return Err(PgnErrorKind::Tag {
                    value: excerpt(self.line_from(start)),
                });
            };
            // Bounded, since setting a tag looks through the earlier ones.
            if tags.len() == MAX_TAGS {
                return Err(PgnErrorKind::TooManyTags);
            }
            tags.set(name, value);
        }
    }

    /// `[Name "value"]`, within one line but for white space between its parts.
    fn read_tag(&mut self) -> Option<(&'a str, String)> {
        self.at += 1;
        self.skip_space();
        let name = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        self.skip_space();
        if name.is_empty() || !self.eat(b'"') {
            return None;
        }
        let mut value = String::new();
        loop {
            value.push_str(self.take_while(|b| !matches!(b, b'"' | b'\\' | b'\n')));
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(escaped @ (b'"' | b'\\')) => {
                            value.push(escaped as char);
                            self.at += 1;
                        }
                        // Programs that do not escape write a lone backslash.
                        _ => value.push('\\'),
                    }
                }
                _ => return None,
            }
        }
        self.at += 1;
        self.skip_space();
        self.eat(b']').then_some((name, value))
    }

    /// Moves up to a result, the tags of the next game, or the end of the file.
    fn read_moves(&mut self, reading: &mut Reading) -> Result<Option<GameResult>, PgnErrorKind> {
        loop {
            self.skip_space();
            match self.peek() {
                None | Some(b'[') => return Ok(None),
                Some(b'{') => {
                    let comment = self.read_comment()?;
                    // Comments before the first move belong to the whole game and are left out.
                    if let Some(note) = reading.notes.last_mut() {
                        read_note(comment, note);
                    }
                }
                Some(b'(') => self.skip_variation()?,
                Some(b'$') => {
                    self.at += 1;
                    self.take_while(|b| b.is_ascii_digit());
                }
                Some(found @ (b')' | b'}' | b']')) => {
                    return Err(PgnErrorKind::Unexpected {
                        found: found as char,
                    });
                }
                Some(_) => {
                    let token = self.take_while(|b| {
                        !b.is_ascii_whitespace()
                            && !matches!(b, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'$' | b';')
                    });
                    if let Some(result) = GameResult::from_token(token) {
                        return Ok(Some(result));
                    }
                    reading.read_token(token)?;
                }
            }
        }
    }

    fn read_comment(&mut self) -> Result<&'a str, PgnErrorKind> {
        self.at += 1;
        let comment = self.take_while(|b| b != b'}');
        if self.eat(b'}') {
            Ok(comment)
        } else {
            Err(PgnErrorKind::Unclosed { what: "comment" })
        }
    }

    fn skip_variation(&mut self) -> Result<(), PgnErrorKind> {
        let mut depth: usize = 0;
        loop {
            self.take_while(|b| !matches!(b, b'(' | b')' | b'{' | b';'));
            match self.peek() {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(b'{') => {
                    self.read_comment()?;
                    continue;
                }
                Some(_) => {
                    self.skip_line();
                    continue;
                }
                None => return Err(PgnErrorKind::Unclosed { what: "variation" }),
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// White space, comments to the end of the line, and lines that begin with `%`.
    fn skip_space(&mut self) {
        loop {
            self.take_while(|b| b.is_ascii_whitespace());
            match self.peek() {
                Some(b';') => self.skip_line(),
                Some(b'%') if self.at_line_start() => self.skip_line(),
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        self.take_while(|b| b != b'\n');
    }

    /// After an error: past the rest of the tags and the moves.
    fn skip_to_next_game(&mut self) {
        let mut in_tags = std::mem::take(&mut self.in_tags);
        while self.peek().is_some() {
            if self.at_line_start() {
                let tag = self.peek() == Some(b'[');
                if tag && !in_tags {
                    return;
                }
                in_tags &= tag;
            }
            self.skip_line();
            self.eat(b'\n');
        }
    }

    fn error(&mut self, kind: PgnErrorKind) -> PgnError {
        // Counted on from the last error: counting from the start each time would be quadratic.
        self.line += self.text[self.counted..self.at].matches('\n').count();
        self.counted = self.at;
        PgnError {
            game: self.game,
            line: self.line,
            kind,
        }
    }

    fn line_from(&self, start: usize) -> &'a str {
        let rest = &self.text[start..];
        rest.lines().next().unwrap_or(rest)
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n'
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes bytes; `wanted` must take all bytes above 127 or none, so that characters stay whole.
    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        self.at += rest.iter().position(|&b| !wanted(b)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }
}

impl Reading {
    /// A move, its number, or both in one word.
    fn read_token(&mut self, token: &str) -> Result<(), PgnErrorKind> {
        let digits = token.trim_start_matches(|c: char| c.is_ascii_digit());
        let san = if digits.is_empty() || digits.starts_with('.') {
            digits.trim_start_matches('.')
        } else {
            token
        };
        // Comments on a move may stand apart from it.
        if san.trim_matches(['!', '?']).is_empty() || san == "e.p." {
            return Ok(());
        }
        let m = self
            .game
            .position()
            .parse_san(san)
            .map_err(PgnErrorKind::Move)?;
        if self.game.moves().len() == MAX_PLIES {
            return Err(PgnErrorKind::TooManyMoves);
        }
        self.game.push(m).expect("a parsed move is legal");
        self.notes.push(Note::default());
        Ok(())
    }
}

fn start(tags: &Tags) -> Result<Position, PgnErrorKind> {
    let variant = match tags.get("Variant").map(str::trim_ascii) {
        None | Some("" | "?") => Variant::default(),
        Some(name) => Variant::from_name(name).ok_or_else(|| PgnErrorKind::Variant {
            value: excerpt(name),
        })?,
    };
    match tags.get("FEN") {
        Some(fen) => Position::from_fen(fen, variant).map_err(PgnErrorKind::Fen),
        None => Ok(Position::start(variant)),
    }
}

/// Adds what a comment says to the note: commands `[%name value]`, and text.
fn read_note(comment: &str, note: &mut Note) {
    let mut rest = comment;
    while let Some((text, command)) = rest.split_once("[%") {
        push_text(&mut note.text, text);
        let Some((command, after)) = command.split_once(']') else {
            return;
        };
        rest = after;
        match command
            .trim_ascii()
            .split_once(|c: char| c.is_ascii_whitespace())
        {
            Some(("clk", value)) => note.clock = parse_clock(value.trim_ascii()).or(note.clock),
            Some(("eval", value)) => note.eval = parse_eval(value.trim_ascii()).or(note.eval),
            _ => {}
        }
    }
    push_text(&mut note.text, rest);
}

fn push_text(text: &mut String, more: &str) {
    for word in more.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

/// `h:mm:ss`, the seconds with or without a fraction.
fn parse_clock(text: &str) -> Option<Duration> {
    let mut parts = text.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let whole = |text: &str| text.parse::<u16>().ok().map(u64::from);
    let millis = format!("{fraction:0<3}").get(..3)?.parse::<u16>().ok()?;
    let seconds = whole(hours)? * 3600 + whole(minutes)? * 60 + whole(seconds)?;
    Some(Duration::from_secs(seconds) + Duration::from_millis(millis.into()))
}

/// Pawns with a fraction, or `#` and the moves to mate; a depth may follow behind a comma.
fn parse_eval(text: &str) -> Option<Eval> {
    let text = text.split_once(',').map_or(text, |(eval, _)| eval);
    if let Some(moves) = text.strip_prefix('#') {
        return moves.parse().ok().map(Eval::Mate);
    }
    let pawns = text.parse::<f64>().ok().filter(|pawns| pawns.is_finite())?;
    Some(Eval::Cp((pawns * 100.0).round() as i32))
}
