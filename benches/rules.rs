//! Speed of the rules, and of shakmaty's beside them: `cargo bench --bench rules`.
//!
//! Perft counts the last ply instead of playing it, on both sides. The time of a column divided by
//! that of its neighbour is the ratio; `items/s` is nodes a second.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use pocketknight::rules::{FenStyle, MoveList, Position, START_FEN, Variant, perft};
use shakmaty::CastlingMode;
use shakmaty::fen::Fen;
use shakmaty::variant::Crazyhouse;

fn main() {
    divan::main();
}

/// Every piece in hand for both sides: nearly all moves are drops.
const ALL_DROPS: &str = "2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1";
/// Middle game with pieces in hand.
const MIDDLE_GAME: &str = "r2qk3/pp2bqR1/2p5/8/3Pn3/3BPpB1/PPPp1PPP/RK1R4[PNNNppb] b - - 89 45";
const POSITIONS: [(&str, &str); 3] = [
    ("start", START_FEN),
    ("middle game", MIDDLE_GAME),
    ("all drops", ALL_DROPS),
];

const PERFTS: [(&str, &str, u32); 3] = [
    ("start 4", START_FEN, 4),
    ("start 5", START_FEN, 5),
    ("all drops 3", ALL_DROPS, 3),
];

/// Named argument, so that the table shows the name and not the FEN.
struct Case<T>(&'static str, T);

impl<T> std::fmt::Display for Case<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

fn ours(fen: &str) -> Position {
    Position::from_fen(fen, Variant::Crazyhouse).expect("the bench positions are valid")
}

fn shakmaty(fen: &str) -> Crazyhouse {
    let fen: Fen = fen.parse().expect("the bench positions are valid");
    fen.into_position(CastlingMode::Standard)
        .expect("the bench positions are valid")
}

fn positions() -> impl Iterator<Item = Case<Position>> {
    POSITIONS
        .into_iter()
        .map(|(name, fen)| Case(name, ours(fen)))
}

mod perfts {
    use super::{Bencher, Case, ItemsCount, PERFTS, black_box};

    fn cases() -> impl Iterator<Item = Case<(&'static str, u32)>> {
        PERFTS
            .into_iter()
            .map(|(name, fen, depth)| Case(name, (fen, depth)))
    }

    #[divan::bench(args = cases(), sample_count = 10)]
    fn ours(bencher: Bencher<'_, '_>, case: &Case<(&str, u32)>) {
        let position = super::ours(case.1.0);
        let nodes = super::perft(&position, case.1.1);
        bencher
            .counter(ItemsCount::new(nodes))
            .bench_local(|| super::perft(black_box(&position), case.1.1));
    }

    #[divan::bench(args = cases(), sample_count = 10)]
    fn shakmaty(bencher: Bencher<'_, '_>, case: &Case<(&str, u32)>) {
        let position = super::shakmaty(case.1.0);
        let nodes = shakmaty::perft(&position, case.1.1);
        bencher
            .counter(ItemsCount::new(nodes))
            .bench_local(|| shakmaty::perft(black_box(&position), case.1.1));
    }
}

/// All legal moves into a list.
#[divan::bench(args = positions())]
fn legal_moves(bencher: Bencher<'_, '_>, case: &Case<Position>) {
    bencher
        .counter(ItemsCount::new(case.1.legal_count()))
        .bench_local(|| {
            let mut list = MoveList::new();
            black_box(&case.1).legal_moves(&mut list);
            list.len()
        });
}

/// One play of each legal move.
#[divan::bench(args = positions())]
fn play(bencher: Bencher<'_, '_>, case: &Case<Position>) {
    let mut list = MoveList::new();
    case.1.legal_moves(&mut list);
    bencher
        .counter(ItemsCount::new(list.len()))
        .bench_local(|| {
            let keys = list.iter().map(|&m| black_box(&case.1).play(m).key());
            keys.fold(0, |all, key| all ^ key)
        });
}

/// Test of every legal move, as for moves out of a hash table.
#[divan::bench(args = positions())]
fn is_legal(bencher: Bencher<'_, '_>, case: &Case<Position>) {
    let mut list = MoveList::new();
    case.1.legal_moves(&mut list);
    bencher
        .counter(ItemsCount::new(list.len()))
        .bench_local(|| {
            list.iter()
                .filter(|&&m| black_box(&case.1).is_legal(m))
                .count()
        });
}

#[divan::bench(args = POSITIONS.map(|(name, fen)| Case(name, fen)))]
fn read_fen(case: &Case<&str>) -> Position {
    ours(black_box(case.1))
}

#[divan::bench(args = positions())]
fn write_fen(case: &Case<Position>) -> String {
    black_box(&case.1).fen(FenStyle::Bracket)
}
