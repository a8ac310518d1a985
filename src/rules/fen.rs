//! Forsyth-Edwards notation with hands, in the dialects that crazyhouse programs write.
//!
//! | dialect | hand | empty hand | promoted pieces |
//! |---|---|---|---|
//! | bracket | `...RNBQKBNR[Pp] w` | `[]` | `Q~` |
//! | Lichess | `...RNBQKBNR/Pp w` | trailing `/` | `Q~` |
//! | XBoard | `...RNBQKBNR[Pp] w` | `[-]` | `Q~` |
//! | Chess.com | seventh field: `... 0 26 NNBRpr h1` | field absent | squares in an eighth field |
//!
//! Reading takes all of them without being told which one it is.

use super::bitboard::Bitboard;
use super::excerpt::excerpt;
use super::piece::{Color, Piece, Role, Variant};
use super::position::Position;
use super::setup::{Setup, SetupError};
use super::square::Square;
use std::fmt::Write as _;
use thiserror::Error;

/// FEN of the initial array, which every Lichess game of crazyhouse starts from.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";

/// Longest text that is looked at, in bytes. A position takes about 200 at most.
const MAX_LENGTH: usize = 1024;

/// Half-move clocks and move numbers above this are read as this. No real game comes near, and
/// arithmetic on plies stays far away from overflow.
const MAX_COUNTER: u32 = 9_999;

/// Dialect to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FenStyle {
    /// `[Pp]`, `[]` when empty: UCI engines and rule libraries.
    #[default]
    Bracket,
    /// Ninth rank section, a trailing `/` when empty: what Lichess writes.
    Lichess,
    /// Hand and promoted squares as seventh and eighth field.
    ChessCom,
    /// `[Pp]`, `[-]` when empty: `XBoard` and Cute Chess.
    XBoard,
}

/// Why a text is no position. Values are cut to a few characters.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// Nothing but white space.
    #[error("fen is empty")]
    Empty,
    /// Longer than any position can be.
    #[error("fen is {length} bytes long, expected at most {MAX_LENGTH}")]
    TooLong {
        /// Bytes of the text.
        length: usize,
    },
    /// Board part is not eight ranks of eight squares.
    #[error("fen board {value:?}: {problem}")]
    Board {
        /// Board part.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A `~` that does not follow a piece that a pawn can turn into.
    #[error("fen board {value:?}: expected ~ only directly after a queen, rook, bishop or knight")]
    PromotedMark {
        /// Board part.
        value: String,
    },
    /// Hand with anything but pieces, or not properly closed, or given twice.
    #[error("fen hand {value:?}: {problem}")]
    Hand {
        /// Hand part.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Side to move.
    #[error("fen side to move {value:?}, expected w or b")]
    Turn {
        /// Second field.
        value: String,
    },
    /// Castling rights that are badly written or have no king and rook to castle with.
    #[error("fen castling {value:?}: {problem}")]
    Castling {
        /// Third field.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// En-passant square.
    #[error("fen en passant {value:?}, expected - or a square that the last double step passed")]
    EnPassant {
        /// Fourth field.
        value: String,
    },
    /// Half-move clock or move number.
    #[error("fen {field} {value:?}, expected a number of digits only")]
    Counter {
        /// Which of the two.
        field: &'static str,
        /// Fifth or sixth field.
        value: String,
    },
    /// Something after the move number that is no hand of the Chess.com form.
    #[error("fen field {value:?} after the move number, expected nothing or a hand such as NNBRpr")]
    ExtraField {
        /// First field that is too much.
        value: String,
    },
    /// List of promoted squares of the Chess.com form.
    #[error("fen promoted squares {value:?}: {problem}")]
    ChessCom {
        /// Eighth field.
        value: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Well written, but no legal position.
    #[error(transparent)]
    Position(#[from] SetupError),
}

impl Position {
    /// Position of a FEN in any dialect.
    ///
    /// Fields after the board may be missing from the end: White to move, no castling, no en
    /// passant, counters 0 and 1. An en-passant square without a legal capture is dropped.
    ///
    /// # Errors
    /// When the text is badly written or stands for no legal position.
    pub fn from_fen(fen: &str, variant: Variant) -> Result<Self, FenError> {
        Ok(Self::from_setup(&Setup::parse_fen(fen, variant)?)?)
    }

    /// FEN in the given dialect. The en-passant square is written only if a capture is legal,
    /// castling as X-FEN, hands in the order `PNBRQpnbrq`.
    pub fn fen(&self, style: FenStyle) -> String {
        self.to_setup().fen(style)
    }
}

impl Setup {
    /// Content of a FEN in any dialect, without asking whether the position is legal.
    ///
    /// # Errors
    /// When the text is badly written. Castling rights need a king and a rook on the back rank
    /// already here, since the rook's file is part of the set-up.
    pub fn parse_fen(fen: &str, variant: Variant) -> Result<Self, FenError> {
        if fen.len() > MAX_LENGTH {
            return Err(FenError::TooLong { length: fen.len() });
        }
        // Lichess puts underscores for spaces into addresses.
        let mut fields = fen
            .split(|c: char| c.is_ascii_whitespace() || c == '_')
            .filter(|field| !field.is_empty());
        let placement = fields.next().ok_or(FenError::Empty)?;
        let mut setup = Self::empty(variant);
        let has_hand = parse_placement(&mut setup, placement)?;
        if let Some(turn) = fields.next() {
            setup.turn = match turn {
                "w" => Color::White,
                "b" => Color::Black,
                _ => {
                    return Err(FenError::Turn {
                        value: excerpt(turn),
                    });
                }
            };
        }
        if let Some(castling) = fields.next() {
            parse_castling(&mut setup, castling)?;
        }
        if let Some(square) = fields.next() {
            setup.en_passant = parse_en_passant(square, setup.turn)?;
        }
        if let Some(number) = fields.next() {
            setup.halfmoves = parse_counter("half-move clock", number)?;
        }
        if let Some(number) = fields.next() {
            setup.fullmoves = parse_counter("move number", number)?.max(1);
        }
        if let Some(hand) = fields.next() {
            parse_chess_com(&mut setup, has_hand, hand, fields.next())?;
        }
        match fields.next() {
            Some(extra) => Err(FenError::ExtraField {
                value: excerpt(extra),
            }),
            None => Ok(setup),
        }
    }

    /// FEN of this content in the given dialect; see [`Position::fen`].
    pub fn fen(&self, style: FenStyle) -> String {
        let mut fen = String::with_capacity(96);
        let marks = if style == FenStyle::ChessCom {
            Bitboard::EMPTY
        } else {
            self.promoted
        };
        self.write_board(&mut fen, marks);
        let hand = self.hand_letters();
        match (style, hand.as_str()) {
            (FenStyle::Lichess, hand) => {
                fen.push('/');
                fen.push_str(hand);
            }
            (FenStyle::XBoard, "") => fen.push_str("[-]"),
            (FenStyle::Bracket | FenStyle::XBoard, hand) => {
                fen.push('[');
                fen.push_str(hand);
                fen.push(']');
            }
            (FenStyle::ChessCom, _) => {}
        }
        fen.push_str(if self.turn == Color::White {
            " w "
        } else {
            " b "
        });
        self.write_castling(&mut fen);
        fen.push(' ');
        push(
            &mut fen,
            self.en_passant
                .map_or_else(|| "-".to_owned(), |square| square.to_string()),
        );
        push(
            &mut fen,
            format_args!(" {} {}", self.halfmoves, self.fullmoves),
        );
        if style == FenStyle::ChessCom {
            self.write_chess_com(&mut fen, &hand);
        }
        fen
    }

    fn write_board(&self, fen: &mut String, marks: Bitboard) {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let square = Square::at(file, rank);
                let Some(piece) = self.board[square.index()] else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    push(fen, empty);
                    empty = 0;
                }
                fen.push(piece.letter());
                if marks.has(square) {
                    fen.push('~');
                }
            }
            if empty > 0 {
                push(fen, empty);
            }
            if rank > 0 {
                fen.push('/');
            }
        }
    }

    fn hand_letters(&self) -> String {
        let mut letters = String::new();
        for color in Color::ALL {
            for role in Role::DROPPABLE {
                for _ in 0..self.pockets[color.index()].count(role) {
                    letters.push(Piece { color, role }.letter());
                }
            }
        }
        letters
    }

    /// X-FEN: `K` and `Q` for the outermost rooks, file letters for rooks further inside.
    fn write_castling(&self, fen: &mut String) {
        let start = fen.len();
        for color in Color::ALL {
            for side in 0..2 {
                let Some(file) = self.castling[color.index()][side] else {
                    continue;
                };
                let letter = if self.outermost_rook(color, side) == Some(file) {
                    if side == KING_SIDE { 'k' } else { 'q' }
                } else {
                    (b'a' + (file & 7)) as char
                };
                fen.push(if color == Color::White {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                });
            }
        }
        if fen.len() == start {
            fen.push('-');
        }
    }

    fn write_chess_com(&self, fen: &mut String, hand: &str) {
        let promoted: Vec<String> = self.promoted.map(|square| square.to_string()).collect();
        if hand.is_empty() && promoted.is_empty() {
            return;
        }
        // How the site writes promoted pieces beside empty hands, or several of them, is not known.
        push(
            fen,
            format_args!(" {}", if hand.is_empty() { "-" } else { hand }),
        );
        if !promoted.is_empty() {
            push(fen, format_args!(" {}", promoted.join(",")));
        }
    }

    fn king_file(&self, color: Color) -> Option<u8> {
        let king = Piece {
            color,
            role: Role::King,
        };
        let mut files = (0..8).filter(|&file| self.back_rank(color, file) == Some(king));
        let file = files.next()?;
        files.next().is_none().then_some(file)
    }

    fn back_rank(&self, color: Color, file: u8) -> Option<Piece> {
        self.board[Square::at(file, color.relative_rank(0)).index()]
    }

    /// File of the rook that is furthest from the king on one side of it.
    fn outermost_rook(&self, color: Color, side: usize) -> Option<u8> {
        let king = self.king_file(color)?;
        let rook = Some(Piece {
            color,
            role: Role::Rook,
        });
        let is_rook = |file: &u8| self.back_rank(color, *file) == rook;
        if side == KING_SIDE {
            (king + 1..8).rev().find(is_rook)
        } else {
            (0..king).find(is_rook)
        }
    }
}

/// Index of the king side in [`Setup::castling`].
const KING_SIDE: usize = 0;
/// Index of the queen side in [`Setup::castling`].
const QUEEN_SIDE: usize = 1;

fn push(fen: &mut String, part: impl std::fmt::Display) {
    write!(fen, "{part}").expect("writing to a string does not fail");
}

/// Board and hand, which form one word. Returns whether a hand was given.
fn parse_placement(setup: &mut Setup, text: &str) -> Result<bool, FenError> {
    if let Some((board, rest)) = text.split_once('[') {
        let hand_error = |problem| FenError::Hand {
            value: excerpt(rest),
            problem,
        };
        let hand = rest
            .strip_suffix(']')
            .ok_or(hand_error("expected ] at the end"))?;
        if board.bytes().filter(|&b| b == b'/').count() >= 8 {
            return Err(hand_error(
                "expected one hand, found a ninth rank and brackets",
            ));
        }
        parse_board(setup, board)?;
        parse_hand(setup, hand)?;
        return Ok(true);
    }
    if text.contains(']') {
        let problem = "expected [ before the hand";
        return Err(FenError::Hand {
            value: excerpt(text),
            problem,
        });
    }
    match text.match_indices('/').nth(7) {
        Some((slash, _)) => {
            parse_board(setup, &text[..slash])?;
            parse_hand(setup, &text[slash + 1..])?;
            Ok(true)
        }
        None => parse_board(setup, text).map(|()| false),
    }
}

fn parse_board(setup: &mut Setup, text: &str) -> Result<(), FenError> {
    let error = |problem| FenError::Board {
        value: excerpt(text),
        problem,
    };
    let mut rank: u8 = 7;
    let mut file: u8 = 0;
    // Square of the piece just read, which a mark may follow.
    let mut last: Option<(Square, Role)> = None;
    for letter in text.chars() {
        match letter {
            '/' => {
                if file != 8 {
                    return Err(error("expected eight squares in each rank"));
                }
                rank = rank.checked_sub(1).ok_or(error("expected eight ranks"))?;
                file = 0;
            }
            '1'..='8' => {
                file += letter as u8 - b'0';
                if file > 8 {
                    return Err(error("expected eight squares in each rank"));
                }
            }
            '~' => match last {
                Some((square, role)) if Role::PROMOTABLE.contains(&role) => {
                    setup.promoted.insert(square);
                }
                _ => {
                    return Err(FenError::PromotedMark {
                        value: excerpt(text),
                    });
                }
            },
            _ => {
                let piece =
                    Piece::from_letter(letter).ok_or(error("expected pieces, digits 1-8 and /"))?;
                if file > 7 {
                    return Err(error("expected eight squares in each rank"));
                }
                let square = Square::at(file, rank);
                setup.board[square.index()] = Some(piece);
                file += 1;
                last = Some((square, piece.role));
                continue;
            }
        }
        last = None;
    }
    if rank == 0 && file == 8 {
        Ok(())
    } else {
        Err(error("expected eight ranks of eight squares"))
    }
}

fn parse_hand(setup: &mut Setup, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    for letter in text.chars() {
        let piece = Piece::from_letter(letter)
            .filter(|piece| piece.role != Role::King)
            .ok_or_else(|| FenError::Hand {
                value: excerpt(text),
                problem: "expected only letters of PNBRQpnbrq, or - alone",
            })?;
        // Saturates far above what a legal position can hold, so that it is refused later on.
        let count = &mut setup.pockets[piece.color.index()].0[piece.role.index()];
        *count = count.saturating_add(1);
    }
    Ok(())
}

fn parse_castling(setup: &mut Setup, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    let error = |problem| FenError::Castling {
        value: excerpt(text),
        problem,
    };
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let lower = letter.to_ascii_lowercase();
        if !matches!(lower, 'k' | 'q' | 'a'..='h') {
            return Err(error("expected - or letters of KQkq or rook files"));
        }
        let king = setup
            .king_file(color)
            .ok_or(error("expected one king on the back rank"))?;
        let (side, file) = match lower {
            'k' => (KING_SIDE, setup.outermost_rook(color, KING_SIDE)),
            'q' => (QUEEN_SIDE, setup.outermost_rook(color, QUEEN_SIDE)),
            _ => {
                let file = lower as u8 - b'a';
                let rook = Some(Piece {
                    color,
                    role: Role::Rook,
                });
                let side = if file > king { KING_SIDE } else { QUEEN_SIDE };
                (side, (setup.back_rank(color, file) == rook).then_some(file))
            }
        };
        let file = file.ok_or(error("expected a rook to castle with"))?;
        if setup.castling[color.index()][side].replace(file).is_some() {
            return Err(error("expected each right once"));
        }
    }
    Ok(())
}

fn parse_en_passant(text: &str, turn: Color) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    match *text.as_bytes() {
        [file, rank] => Square::from_ascii(file, rank),
        _ => None,
    }
    .filter(|square| turn.relative_rank(square.rank()) == 5)
    .map(Some)
    .ok_or_else(|| FenError::EnPassant {
        value: excerpt(text),
    })
}

fn parse_counter(field: &'static str, text: &str) -> Result<u32, FenError> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(FenError::Counter {
            field,
            value: excerpt(text),
        });
    }
    // Only too many digits can fail here.
    Ok(text.parse().unwrap_or(MAX_COUNTER).min(MAX_COUNTER))
}

/// Seventh and eighth field: the hand and the promoted squares, or those squares alone.
fn parse_chess_com(
    setup: &mut Setup,
    has_hand: bool,
    hand: &str,
    squares: Option<&str>,
) -> Result<(), FenError> {
    let squares = match squares {
        None if parse_squares(hand).is_some() => Some(hand),
        _ => {
            if hand != "-" && !hand.chars().all(|c| Piece::from_letter(c).is_some()) {
                return Err(FenError::ExtraField {
                    value: excerpt(hand),
                });
            }
            if has_hand {
                let problem = "expected one hand, found another after the move number";
                return Err(FenError::Hand {
                    value: excerpt(hand),
                    problem,
                });
            }
            parse_hand(setup, hand)?;
            squares
        }
    };
    let Some(text) = squares else { return Ok(()) };
    let error = |problem| FenError::ChessCom {
        value: excerpt(text),
        problem,
    };
    for square in parse_squares(text).ok_or(error("expected squares such as h1"))? {
        match setup.board[square.index()] {
            Some(piece) if Role::PROMOTABLE.contains(&piece.role) => setup.promoted.insert(square),
            _ => {
                return Err(error(
                    "expected a queen, rook, bishop or knight on each square",
                ));
            }
        }
    }
    Ok(())
}

/// One square or more, one after the other or with commas between them.
fn parse_squares(text: &str) -> Option<Vec<Square>> {
    let bytes: Vec<u8> = text.bytes().filter(|&b| b != b',').collect();
    let (pairs, rest) = bytes.as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        return None;
    }
    pairs
        .iter()
        .map(|&[file, rank]| Square::from_ascii(file, rank))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(fen: &str) -> Result<Position, FenError> {
        Position::from_fen(fen, Variant::Crazyhouse)
    }

    fn bracket(fen: &str) -> String {
        parse(fen).unwrap().fen(FenStyle::Bracket)
    }

    #[test]
    fn missing_fields_take_their_defaults() {
        let board = "4k3/8/8/8/8/8/8/4K3";
        for fields in ["", " w", " w -", " w - -", " w - - 0"] {
            assert_eq!(
                bracket(&format!("{board}{fields}")),
                format!("{board}[] w - - 0 1")
            );
        }
    }

    #[test]
    fn line_ends_tabs_and_underscores_separate_like_spaces() {
        let fen = "\r\n4k3/8/8/8/8/8/8/4K3[Pq]\t_b  -_-  3 \r 7\r\n";
        assert_eq!(bracket(fen), "4k3/8/8/8/8/8/8/4K3[Pq] b - - 3 7");
    }

    #[test]
    fn counters_beyond_reason_are_held_at_a_limit() {
        let nines = "9".repeat(40);
        let fen = bracket(&format!("4k3/8/8/8/8/8/8/4K3[] w - - {nines} {nines}"));
        assert_eq!(fen, "4k3/8/8/8/8/8/8/4K3[] w - - 9999 9999");
    }

    #[test]
    fn inner_rooks_are_written_as_files_and_outer_ones_as_king_or_queen_side() {
        let inner = "r1r1k3/8/8/8/8/8/8/RR2K3[] w Bc - 0 1";
        assert_eq!(bracket(inner), inner);
        let outer = "r1r1k3/8/8/8/8/8/8/RR2K3[] w Aa - 0 1";
        assert_eq!(bracket(outer), "r1r1k3/8/8/8/8/8/8/RR2K3[] w Qq - 0 1");
    }

    #[test]
    fn several_promoted_squares_of_the_chess_com_form_come_back() {
        let fen = "Q~4rr1/4k3/8/8/8/8/8/4K2R~[] b - - 0 52";
        let position = parse(fen).unwrap();
        let written = position.fen(FenStyle::ChessCom);
        assert_eq!(written, "Q4rr1/4k3/8/8/8/8/8/4K2R b - - 0 52 - h1,a8");
        assert_eq!(bracket(&written), fen);
        assert_eq!(bracket("Q4rr1/4k3/8/8/8/8/8/4K2R b - - 0 52 h1a8"), fen);
    }

    #[test]
    fn messages_name_the_field_the_value_and_what_was_expected() {
        let message = |fen: &str| parse(fen).unwrap_err().to_string();
        assert_eq!(
            message("4k3/8/8/8/8/8/8/4K3[] W - - 0 1"),
            "fen side to move \"W\", expected w or b"
        );
        assert_eq!(
            message("4k3/8/8/8/8/8/8/4K3[K] w - - 0 1"),
            "fen hand \"K\": expected only letters of PNBRQpnbrq, or - alone"
        );
        assert_eq!(
            message("4k3/8/8/8/8/8/8/4K3[R] w K - 0 1"),
            "fen castling \"K\": expected a rook to castle with"
        );
        assert_eq!(
            message("4k3/8/8/8/8/8/8/4K3[] w - - 0 -1"),
            "fen move number \"-1\", expected a number of digits only"
        );
        let long = message(&format!("{} w", "p".repeat(900)));
        assert!(long.len() < 120, "{long}");
    }

    #[test]
    fn both_hands_at_once_are_refused_whatever_the_form() {
        for fen in [
            "4k3/8/8/8/8/8/8/4K3/P[p] w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3[p]/P w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3[p] w - - 0 1 P",
        ] {
            assert!(matches!(parse(fen), Err(FenError::Hand { .. })), "{fen}");
        }
    }
}
