//! Counting of move sequences, the checksum of move generation.

use super::mv::{Move, MoveList};
use super::position::Position;

/// Number of legal move sequences of exactly `depth` plies. The last ply is counted, not played.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_count(),
        _ => {
            let mut list = MoveList::new();
            position.legal_moves(&mut list);
            list.iter()
                .map(|&m| perft(&position.play(m), depth - 1))
                .sum()
        }
    }
}

/// [`perft`] of the position after each legal move, in generation order. Depth 0 gives nothing.
pub fn perft_divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    list.iter()
        .map(|&m| (m, perft(&position.play(m), depth - 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn start_position_has_the_known_counts() {
        let start = Position::start(Variant::Crazyhouse);
        for (depth, nodes) in [
            (0, 1),
            (1, 20),
            (2, 400),
            (3, 8902),
            (4, 197_281),
            (5, 4_888_832),
        ] {
            assert_eq!(perft(&start, depth), nodes, "depth {depth}");
        }
    }

    #[test]
    fn divide_adds_up_to_perft() {
        let start = Position::start(Variant::Crazyhouse);
        let rows = perft_divide(&start, 3);
        assert_eq!(rows.len(), 20);
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), 8902);
        assert!(perft_divide(&start, 0).is_empty());
    }
}
