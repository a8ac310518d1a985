//! Reading positions.

use super::{FenError, KING_SIDE, QUEEN_SIDE};
use crate::rules::excerpt::excerpt;
use crate::rules::piece::{Color, Piece, Role, Variant};
use crate::rules::setup::Setup;
use crate::rules::square::Square;

/// Longest text that is looked at, in bytes. A position takes about 200 at most.
pub(super) const MAX_LENGTH: usize = 1024;

/// Half-move clocks and move numbers above this are read as this. No real game comes near, and
/// arithmetic on plies stays far away from overflow.
const MAX_COUNTER: u32 = 9_999;

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
