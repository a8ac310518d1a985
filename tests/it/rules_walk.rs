//! Walks through games that property tests choose, from starts with much to get wrong.

use pocketknight::rules::{Move, MoveList, Position, START_FEN, Variant};
use proptest::prelude::*;

/// Starts of walks. Material is what two sets can give, so that other libraries accept it.
pub(crate) const STARTS: [&str; 10] = [
    START_FEN,
    // Castling both ways for both sides, next to nothing in between.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R[] w KQkq - 0 1",
    // Promotions at hand, marked pieces about.
    "r3k2r/pQ~1b1ppp/2p2q2/3pN3/3Pn3/2P2B2/P1q~2PPP/R4RK1[PNpb] b kq - 0 20",
    "rn1q1bnr/ppPk1p1p/6pB/3p4/8/8/PPP1pPPP/RN1QKBNR[Pb] w KQ - 0 12",
    // Everything in hand.
    "2k5/8/8/8/8/8/8/4K3[QRRBBNNPPPPPPPPqrrbbnnpppppppp] w - - 0 1",
    // En passant with pins on rank, file and diagonal.
    "8/8/8/K1pP3r/8/5b2/4P3/7k[Nn] w - c6 0 2",
    // Chess960: inner and outer rooks, kings that hardly move, rooks that shield the king.
    "r1r1k3/8/8/8/8/8/8/RR2K3[Qp] w Bc - 0 1",
    "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/RK5R[Nn] w HAgb - 0 1",
    "2rkr3/pppppppp/8/8/8/8/PPPPPPPP/2RKR3[Bb] w ECec - 0 1",
    "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN[] w GEge - 0 1",
];

/// A start and the choices of a walk from it.
pub(crate) fn walks(plies: usize) -> impl Strategy<Value = (&'static str, Vec<u16>)> {
    (
        prop::sample::select(&STARTS[..]),
        prop::collection::vec(any::<u16>(), 1..plies),
    )
}

pub(crate) fn position(fen: &str, variant: Variant) -> Position {
    Position::from_fen(fen, variant).unwrap()
}

pub(crate) fn legal_moves(position: &Position) -> Vec<Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    list.to_vec()
}

/// Move that a choice stands for; `None` at the end of the game. Half of the choices prefer
/// captures, promotions and castling, without which hands stay empty and rare rules unused.
pub(crate) fn choose(position: &Position, choice: u16) -> Option<Move> {
    let legal = legal_moves(position);
    let is_rare =
        |m: &Move| position.captured_role(*m).is_some() || m.is_promotion() || m.is_castle();
    let rare: Vec<Move> = legal.iter().copied().filter(is_rare).collect();
    let from = if choice.is_multiple_of(2) && !rare.is_empty() {
        rare
    } else {
        legal
    };
    from.get(usize::from(choice / 2) % from.len().max(1))
        .copied()
}
