//! Games that books are made of, out of PGN and out of JSON lines: those of this program's records (`results.jsonl`)
//! and those of Lichess' export. A file is read game by game, so its size does not matter.

use crate::rules::pgn::{self, GameResult, PgnErrorKind, PgnGame};
use crate::rules::{Color, Move, Position, Variant};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// Longest text of one game.
const MOST_BYTES: u64 = 1 << 20;
/// Longest part of a text that an error shows.
const EXCERPT: usize = 60;

/// One game of a file.
#[derive(Clone, Debug)]
pub struct InputGame {
    /// Position that it starts from.
    pub start: Position,
    /// Moves from there on.
    pub moves: Vec<Move>,
    /// How it ended.
    pub result: GameResult,
    /// Ratings of White and Black.
    pub ratings: [Option<u32>; 2],
    /// Whether the file says which variant it is; if not, it was taken for crazyhouse.
    pub named_variant: bool,
}

/// How a file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// PGN.
    Pgn,
    /// One JSON object a line.
    JsonLines,
}

/// A game, or a file, that is not understood.
#[derive(Debug, Error)]
pub enum InputError {
    /// The file cannot be read on.
    #[error("cannot be read")]
    Read(#[source] io::Error),
    /// Game of a PGN file. Its numbers count from the start of the game.
    #[error("game {game}: {kind}")]
    Pgn {
        /// Game of the file, from 1.
        game: usize,
        /// What is wrong.
        kind: PgnErrorKind,
    },
    /// Line of a JSON file.
    #[error("line {line}: {reason}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Longer than any game.
    #[error("game {game}: longer than {MOST_BYTES} bytes")]
    TooLong {
        /// Game of the file, from 1.
        game: usize,
    },
}

impl InputError {
    /// Whether only one game is lost, so that the next one can be read.
    pub const fn is_of_one_game(&self) -> bool {
        !matches!(self, Self::Read(_))
    }
}

/// Games of a file in their order. After an error of one game it goes on with the next one.
#[derive(Debug)]
pub struct Games<R> {
    input: R,
    kind: InputKind,
    /// Games so far; for JSON, lines.
    number: usize,
    /// First line of the next PGN game, read already.
    ahead: String,
    /// Games that were read together with one before.
    ready: VecDeque<Result<InputGame, InputError>>,
    ended: bool,
}

impl<R: BufRead> Games<R> {
    /// Reads games of `input`. It is JSON if the first character that is no blank opens an object, else PGN.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn new(mut input: R) -> io::Result<Self> {
        let kind = loop {
            let start = input.fill_buf()?;
            let blank = |byte: &u8| byte.is_ascii_whitespace() || [0xef, 0xbb, 0xbf].contains(byte);
            match start.iter().position(|byte| !blank(byte)) {
                None if start.is_empty() => break InputKind::Pgn,
                None => {
                    let length = start.len();
                    input.consume(length);
                }
                Some(at) if start[at] == b'{' => break InputKind::JsonLines,
                Some(_) => break InputKind::Pgn,
            }
        };
        Ok(Self {
            input,
            kind,
            number: 0,
            ahead: String::new(),
            ready: VecDeque::new(),
            ended: false,
        })
    }

    /// How the file is written.
    pub const fn kind(&self) -> InputKind {
        self.kind
    }

    /// Next line with its end, `None` at the end of the file. Of a line that is too long only the start is kept.
    fn line(&mut self) -> io::Result<Option<(String, bool)>> {
        let mut bytes = Vec::new();
        let read = (&mut self.input)
            .take(MOST_BYTES)
            .read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(None);
        }
        let whole = bytes.ends_with(b"\n") || (read as u64) < MOST_BYTES;
        if !whole {
            self.skip_line()?;
        }
        Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), whole)))
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.input.fill_buf()?;
            let (used, last) = match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), bytes.is_empty()),
            };
            self.input.consume(used);
            if last {
                return Ok(());
            }
        }
    }

    fn next_json(&mut self) -> Result<Option<InputGame>, InputError> {
        while let Some((line, whole)) = self.line().map_err(InputError::Read)? {
            self.number += 1;
            let number = self.number;
            let refuse = |reason| InputError::Json {
                line: number,
                reason,
            };
            if !whole {
                return Err(InputError::TooLong { game: number });
            }
            if line.trim().is_empty() {
                continue;
            }
            let value: Value =
                serde_json::from_str(line.trim()).map_err(|error| refuse(error.to_string()))?;
            return json_game(&value).map(Some).map_err(refuse);
        }
        Ok(None)
    }

    /// Text of the next PGN game: up to the first tag that follows a move.
    fn pgn_text(&mut self) -> Result<Option<String>, InputError> {
        let mut text = std::mem::take(&mut self.ahead);
        let mut has_moves = false;
        let mut too_long = false;
        while let Some((line, whole)) = self.line().map_err(InputError::Read)? {
            let line = match line.strip_prefix('\u{feff}') {
                Some(rest) => rest.to_owned(),
                None => line,
            };
            let is_tag = line.starts_with('[') && line.trim_end().ends_with("\"]");
            if is_tag && has_moves {
                self.ahead = line;
                break;
            }
            has_moves |= !is_tag && !line.trim().is_empty();
            too_long |= !whole || (text.len() + line.len()) as u64 > MOST_BYTES;
            if !too_long {
                text.push_str(&line);
            }
        }
        if too_long {
            return Err(InputError::TooLong {
                game: self.number + 1,
            });
        }
        Ok((!text.trim().is_empty()).then_some(text))
    }

    fn next_pgn(&mut self) -> Result<Option<InputGame>, InputError> {
        loop {
            if let Some(game) = self.ready.pop_front() {
                self.number += 1;
                return game.map(Some);
            }
            let text = match self.pgn_text() {
                Ok(Some(text)) => text,
                Ok(None) => return Ok(None),
                Err(error) => {
                    self.number += 1;
                    return Err(error);
                }
            };
            // Usually one; games without tags come together.
            for (index, game) in pgn::games(&text).enumerate() {
                let number = self.number + 1 + index;
                self.ready.push_back(match game {
                    Ok(game) => Ok(pgn_game(&game)),
                    Err(error) => Err(InputError::Pgn {
                        game: number,
                        kind: error.kind,
                    }),
                });
            }
        }
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = Result<InputGame, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match self.kind {
            InputKind::Pgn => self.next_pgn(),
            InputKind::JsonLines => self.next_json(),
        };
        self.ended = match &next {
            Ok(game) => game.is_none(),
            Err(error) => !error.is_of_one_game(),
        };
        next.transpose()
    }
}

fn pgn_game(game: &PgnGame) -> InputGame {
    InputGame {
        start: *game.game.start(),
        moves: game.game.moves().to_vec(),
        result: game.result,
        ratings: ["WhiteElo", "BlackElo"].map(|tag| game.tags.get(tag).and_then(rating)),
        named_variant: game.tags.get("Variant").is_some(),
    }
}

/// Rating of a tag such as `1834?`.
fn rating(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Game of one object: `moves` as a text or list, or `moves_uci`; `winner`, `status`, and where it starts and who plays,
/// if that is said.
fn json_game(value: &Value) -> Result<InputGame, String> {
    let variant = &value["variant"];
    let name = variant.as_str().or_else(|| variant["key"].as_str());
    let variant = match name {
        None => Variant::Crazyhouse,
        Some(name) => Variant::from_name(name)
            .ok_or_else(|| format!("variant {}, expected crazyhouse", excerpt(name)))?,
    };
    let fen = ["start_fen", "initialFen", "initial_fen"]
        .iter()
        .find_map(|key| value[*key].as_str());
    let start = match fen {
        None | Some("" | "startpos") => Position::start(variant),
        Some(fen) => Position::from_fen(fen, variant).map_err(|error| error.to_string())?,
    };
    let words = words(&value["moves_uci"])
        .or_else(|| words(&value["moves"]))
        .ok_or("no moves, expected \"moves\" with a text or a list of moves")?;
    let mut position = start;
    let mut moves = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let read = position.parse_uci(word).ok();
        let read = read.or_else(|| position.parse_san(word).ok());
        let mv =
            read.ok_or_else(|| format!("move {} is not legal, ply {}", excerpt(word), index + 1))?;
        moves.push(mv);
        position = position.play(mv);
    }
    Ok(InputGame {
        start,
        moves,
        result: json_result(value),
        ratings: json_ratings(value),
        named_variant: name.is_some() || fen.is_some() || value["verdict"].is_string(),
    })
}

fn words(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(text) => Some(text.split_ascii_whitespace().collect()),
        Value::Array(items) => items.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn json_result(value: &Value) -> GameResult {
    match value["winner"].as_str() {
        Some("white") => return GameResult::from_winner(Some(Color::White)),
        Some("black") => return GameResult::from_winner(Some(Color::Black)),
        _ => {}
    }
    let status = value["status"].as_str().unwrap_or_default();
    let drawn = ["draw", "stalemate"].contains(&status)
        || status.starts_with("draw-")
        || value["verdict"] == "draw";
    if drawn {
        GameResult::Draw
    } else {
        GameResult::Unfinished
    }
}

fn json_ratings(value: &Value) -> [Option<u32>; 2] {
    let number = |value: &Value| u32::try_from(value.as_i64()?).ok();
    let players = &value["players"];
    if players.is_object() {
        return ["white", "black"].map(|side| number(&players[side]["rating"]));
    }
    let own = number(&value["own_rating"]);
    let opponent = number(&value["opponent_rating"]);
    if value["color"] == "black" {
        [opponent, own]
    } else {
        [own, opponent]
    }
}

fn excerpt(text: &str) -> String {
    let cut: String = text.chars().take(EXCERPT).collect();
    format!("{cut:?}")
}
