//! Fixed positions at a fixed depth: the node count is the signature of the search.

use super::{Engine, Limits, SearchRequest, SessionOptions};
use crate::rules::{Position, Variant};
use std::time::{Duration, Instant};

/// Depth of the signature.
const DEPTH: u32 = 11;

/// Openings, middlegames with little and with much in hand, and mates.
const POSITIONS: [&str; 24] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
    "r1b1kb1r/pp1ppppp/n7/q1p5/1n2PP2/2PP4/PP4PP/RNBQKBNR[] w kq - 1 7",
    "r1bqkbnr/ppp1p1pp/n2p4/1P3p2/P1P5/8/3PPPPP/RNBQKBNR[] b KQkq - 0 4",
    "rnbq1b1r/1ppppkpp/p4p1n/8/5N2/2NP4/PPP1PPPP/R1BQKB1R[] w KQ - 2 5",
    "r1bqk2r/ppppnpbp/n5p1/4p3/4P2P/2N2PPN/PPPP4/R1BQKB1R[] b KQkq - 2 6",
    "rnbqkbnr/ppp2pp1/3pp2p/8/7P/P4N2/1PPPPPP1/RNBQKB1R[] b KQkq - 0 4",
    "r1bqk2r/1pppbp1p/2n1p2p/pB1PP3/8/P4N2/1PP2PPP/RN1QK2R[Nb] b KQkq - 0 8",
    "r1b1kb1r/pppnqppp/3p1n2/3P2B1/7P/P1N5/1PP2PP1/R2QKBNR[Pp] w KQkq - 1 9",
    "r2qkb1r/1bp1pppp/pp6/3pPn2/3P1B2/P1N4P/1PP1P1P1/R2Q1KR1[NNb] b kq - 0 12",
    "N1b4r/Pp2bk1p/n1p1pp2/2p5/Q2n4/P7/1PP1PPPP/R1B1KB1R[PRpnq] b KQ - 0 17",
    "rnb1kb2/1pppnpp1/8/1q4RP/p3p3/P4N2/1PPPPPpP/R1BQK1R1[Nb] b Qq - 1 14",
    "r2q2kr/p1p1p2p/2p1b1pQ/3p1pN1/1P1bN3/8/P1PP1PPP/R1B1K2R[Npnb] b KQ - 1 25",
    "r2q1rk1/pp1bppb1/3n3p/2pp4/5Qp1/2PP4/PPN1PPPP/R1B1KBR1[Nn] b Q - 3 15",
    "r1b1kb1r/pp1p3p/4q3/1BppnNpn/8/4PPPP/PPPP2K1/R1BQ3R[Pn] w kq - 1 15",
    "r1bqkb2/p1ppp1pP/1p5r/1P4np/2P5/7P/P1PBPPP1/R2QKB1R[NNn] b KQ - 0 13",
    "2b2N1R/1pb1ppPp/r1k2n1p/p1P5/8/Pn1P1P1P/3QPP2/2R1KB1R[Ppnbq] w K - 2 29",
    "r1b3k1/pp1p2pp/3pp3/6P1/4p3/P1P1P2P/2PP3P/R1BQ1rK1[NNNQnbbr] w - - 0 18",
    "r3k1r1/2pp3p/pp2p1b1/4N3/8/P5PR/1PPPP1K1/RNBQ1B2[PPBQppnn] b q - 0 23",
    "2bB1br1/1ppp1kpR/4p3/5p2/3P2P1/4PN2/n1P2PP1/4K3[RRQppppnnbq] b - - 0 25",
    "1r2k3/pPp2p1p/1pp1bQ2/6B1/1b1PP3/3P4/P5PP/1q2NK1R[PPBpnnnrr] w - - 0 40",
    "3qkb2/2ppppp1/r7/2P4p/3P2n1/3Q4/1BN1PPPP/4KBNR[PPPNBRpr] w K - 0 16",
    "r2q4/1pp2P2/p1npkp1p/3p4/1P1P2P1/4P3/1PPB2nP/R2Q2K1[PBRnnbbr] w - - 0 28",
    "NnkqQ~3/ppb1p3/2p1Pp2/P6Q/4P3/2N1n1pP/1P1PK1P1/R1B2B1R[PPBRR] w - - 5 29",
    "rnbq1b1k/1ppppPp1/p7/3NN1Pp/3P2P1/8/P1pKB1P1/R5r~R[Rpnbq] w - - 1 21",
];

/// Outcome of [`bench()`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchResult {
    /// Nodes of all positions. Equal on every machine for one version of the search.
    pub nodes: u64,
    /// Time used.
    pub elapsed: Duration,
}

/// Searches the fixed positions to `depth`, or to the depth of the signature, on so many threads (1 to 256). Only one
/// thread gives the same count every time.
pub fn bench(depth: Option<u32>, threads: usize) -> BenchResult {
    let mut session = Engine::new(threads).session(SessionOptions {
        threads,
        ..SessionOptions::default()
    });
    let start = Instant::now();
    let mut nodes = 0;
    for fen in POSITIONS {
        // Every position of the list is valid, which a test shows.
        let Ok(position) = Position::from_fen(fen, Variant::Crazyhouse) else {
            continue;
        };
        let limits = Limits {
            depth: Some(depth.unwrap_or(DEPTH)),
            ..Limits::default()
        };
        let request = SearchRequest {
            position,
            earlier: Vec::new(),
            limits,
            received: Instant::now(),
        };
        nodes += session.search_blocking(request, &mut |_| {}).nodes;
    }
    BenchResult {
        nodes,
        elapsed: start.elapsed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_valid_and_the_count_is_repeatable() {
        for fen in POSITIONS {
            assert!(
                Position::from_fen(fen, Variant::Crazyhouse).is_ok(),
                "{fen}"
            );
        }
        let first = bench(Some(4), 1);
        assert!(first.nodes > 0);
        assert_eq!(first.nodes, bench(Some(4), 1).nodes);
    }
}
