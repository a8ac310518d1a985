//! Hidden layer of the positions on the path of a search, brought up to date when it is asked for.
//!
//! Each ply notes which features its move changed. An evaluation looks back to the last ply whose accumulator is
//! known and applies the changes from there on. When a king enters another bucket or half of the board, all rows of
//! its side change; the accumulator then starts from the last one of that view, kept in a cache with the position it
//! was made for, so that only the difference between the two positions counts.

use super::super::score::MAX_PLY;
use super::features::{self, Delta, Feature, MOST_FEATURES, View};
use super::kernels::{Block, Kernels};
use super::network::Network;
use super::threats::{MOST_THREATS, Threats};
use crate::rules::{Bitboard, Color, Piece, Pocket, Position, Role};
use arrayvec::ArrayVec;
use std::sync::Arc;

/// Plies that can be noted: those of the search, the root, and what lies one ply beyond.
const PLIES: usize = MAX_PLY + 2;
/// Most rows in one list: a cached position may have nothing in common with the one asked for.
const MOST_ROWS: usize = 2 * MOST_FEATURES + 64;
/// Rows of one list.
type Rows = ArrayVec<u32, MOST_ROWS>;

/// Notes of one ply.
#[derive(Clone, Debug, Default)]
struct Ply {
    /// What the move that led here changed.
    delta: Delta,
    /// Views of White and Black.
    views: [View; 2],
    /// Whether the accumulators of White's and Black's view are known.
    ready: [bool; 2],
}

/// Position that an accumulator of the cache was made for, as far as the features show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    pieces: [[Bitboard; 6]; 2],
    promoted: Bitboard,
    pockets: [Pocket; 2],
}

impl Seen {
    const NOTHING: Self = Self {
        pieces: [[Bitboard::EMPTY; 6]; 2],
        promoted: Bitboard::EMPTY,
        pockets: [Pocket([0; 5]); 2],
    };

    fn of(position: &Position) -> Self {
        Self {
            pieces: Color::ALL.map(|color| Role::ALL.map(|role| position.pieces(color, role))),
            promoted: position.promoted(),
            pockets: Color::ALL.map(|color| position.pocket(color)),
        }
    }

    /// Features that `other` has and `self` has not.
    fn missing(&self, other: &Self, mut tell: impl FnMut(Feature)) {
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = Piece { color, role };
                let mine = self.pieces[color.index()][role.index()];
                let theirs = other.pieces[color.index()][role.index()];
                for square in theirs.without(mine) {
                    tell(Feature::piece(piece, square));
                }
                let (mine, theirs) = (mine & self.promoted, theirs & other.promoted);
                for square in theirs.without(mine) {
                    Feature::mark(piece, square).map(&mut tell);
                }
            }
            let (mine, theirs) = (self.pockets[color.index()], other.pockets[color.index()]);
            for role in Role::DROPPABLE {
                for count in mine.count(role) + 1..=theirs.count(role) {
                    Feature::pocket(color, role, count).map(&mut tell);
                }
            }
        }
    }
}

/// Accumulators of one search thread for one network.
pub(crate) struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    plies: Vec<Ply>,
    /// White's and Black's accumulator of each ply.
    lanes: Vec<Block>,
    /// White's and Black's accumulator of the position being evaluated, with its threats.
    complete: Vec<Block>,
    /// For each view the position of its accumulator in `cached_lanes`.
    cached: Vec<Seen>,
    cached_lanes: Vec<Block>,
}

impl std::fmt::Debug for Accumulators {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Accumulators")
            .field("network", &self.network)
            .field("kernels", &self.kernels)
            .finish_non_exhaustive()
    }
}

impl Accumulators {
    /// Room for a whole path.
    pub(crate) fn new(network: Arc<Network>) -> Self {
        Self::with_kernels(network, Kernels::best())
    }

    pub(crate) fn with_kernels(network: Arc<Network>, kernels: Kernels) -> Self {
        let width = network.width();
        let views = 4 * network.architecture().king_buckets;
        let empty = network.biases.iter().copied().cycle();
        Self {
            kernels,
            plies: vec![Ply::default(); PLIES],
            lanes: vec![Block::ZERO; PLIES * 2 * width],
            complete: vec![Block::ZERO; 2 * width],
            cached: vec![Seen::NOTHING; views],
            cached_lanes: empty.take(views * width).collect(),
            network,
        }
    }

    /// Network in use.
    pub(crate) const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Begins a path at `root`, ply 0.
    pub(crate) fn start(&mut self, root: &Position) {
        self.enter(0, root);
        self.plies[0].delta.clear();
    }

    /// Where the changes of the move that leads to `ply` are to be told; [`Accumulators::enter`] follows.
    #[inline(always)]
    pub(crate) fn delta(&mut self, ply: usize) -> &mut Delta {
        let delta = &mut self.plies[ply].delta;
        delta.clear();
        delta
    }

    /// Notes that `position` stands at `ply` now, its changes having been told.
    #[inline(always)]
    pub(crate) fn enter(&mut self, ply: usize, position: &Position) {
        let buckets = self.network.architecture().king_buckets;
        let note = &mut self.plies[ply];
        note.views = [
            View::of(position, Color::White, buckets),
            View::of(position, Color::Black, buckets),
        ];
        note.ready = [false; 2];
    }

    /// Worth of `position`, which stands at `ply`, for the side to move: 300 for odds of e to 1.
    pub(crate) fn evaluate(&mut self, ply: usize, position: &Position) -> i32 {
        for color in Color::ALL {
            if !self.plies[ply].ready[color.index()] {
                self.bring(ply, color, position);
            }
        }
        let width = self.network.width();
        let threats = Threats::of(position);
        for color in Color::ALL {
            let view = self.plies[ply].views[color.index()];
            let mut rows = ArrayVec::<u32, MOST_THREATS>::new();
            threats.each(position, color, view, |threat| {
                rows.push(view.threat_row(threat) as u32);
            });
            let from = &self.lanes[(2 * ply + color.index()) * width..][..width];
            let to = &mut self.complete[color.index() * width..][..width];
            (self.kernels.update)(&self.network.rows, from, to, &rows, &[]);
        }
        let head = features::head(position, self.network.architecture().heads);
        let (white, black) = self.complete.split_at(width);
        let (own, other) = match position.turn() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        self.network.output(self.kernels, own, other, head)
    }

    /// Makes the accumulator of `color` at `ply` known.
    fn bring(&mut self, ply: usize, color: Color, position: &Position) {
        let side = color.index();
        let view = self.plies[ply].views[side];
        let mut known = ply;
        while !self.plies[known].ready[side] {
            if known == 0 || self.plies[known - 1].views[side] != view {
                self.refresh(ply, color, position);
                return;
            }
            known -= 1;
        }
        let width = self.network.width();
        for ply in known + 1..=ply {
            let note = &mut self.plies[ply];
            note.ready[side] = true;
            let list = |features: &[Feature]| -> ArrayVec<u32, 8> {
                features.iter().map(|&f| view.row(f) as u32).collect()
            };
            let (added, removed) = (list(&note.delta.added), list(&note.delta.removed));
            let (before, here) = self.lanes.split_at_mut(2 * ply * width);
            let from = &before[(2 * (ply - 1) + side) * width..][..width];
            let to = &mut here[side * width..][..width];
            (self.kernels.update)(&self.network.rows, from, to, &added, &removed);
        }
    }

    /// Makes the accumulator of `color` at `ply` from the last one of its view.
    fn refresh(&mut self, ply: usize, color: Color, position: &Position) {
        let side = color.index();
        let note = &mut self.plies[ply];
        note.ready[side] = true;
        let view = note.views[side];
        let now = Seen::of(position);
        let cached = &mut self.cached[view.index()];
        let (mut added, mut removed) = (Rows::new(), Rows::new());
        cached.missing(&now, |feature| added.push(view.row(feature) as u32));
        now.missing(cached, |feature| removed.push(view.row(feature) as u32));
        *cached = now;
        let width = self.network.width();
        let to = &mut self.lanes[(2 * ply + side) * width..][..width];
        let from = &mut self.cached_lanes[view.index() * width..][..width];
        (self.kernels.update)(&self.network.rows, from, to, &added, &removed);
        from.copy_from_slice(to);
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::PORTABLE;
    use super::super::network::{Architecture, tests::random};
    use super::*;
    use crate::rules::{MoveList, Variant};

    fn networks() -> impl Iterator<Item = Arc<Network>> {
        let sizes = [(32, 1, 1), (64, 4, 9), (256, 1, 9)];
        sizes.into_iter().map(|(hidden, king_buckets, heads)| {
            let architecture = Architecture {
                hidden,
                king_buckets,
                heads,
            };
            Arc::new(Network::from_bytes(&random(architecture, 7)).unwrap())
        })
    }

    /// Value of a position without any history.
    fn fresh(network: &Arc<Network>, kernels: Kernels, position: &Position) -> i32 {
        let mut accumulators = Accumulators::with_kernels(Arc::clone(network), kernels);
        accumulators.start(position);
        accumulators.evaluate(0, position)
    }

    /// The value, worked out one feature and one lane at a time.
    fn plain(network: &Network, position: &Position) -> i32 {
        let width = network.width();
        let architecture = network.architecture();
        let head = features::head(position, architecture.heads);
        let mut sum = i64::from(network.output_biases[head]);
        for (at, color) in [position.turn(), !position.turn()].into_iter().enumerate() {
            let mut lanes: Vec<i64> = network
                .biases
                .iter()
                .flat_map(|block| block.0.map(i64::from))
                .collect();
            features::each_row(position, color, architecture.king_buckets, |row| {
                let row = &network.rows[row as usize * width..][..width];
                let weights = row.iter().flat_map(|block| block.0);
                for (lane, weight) in lanes.iter_mut().zip(weights) {
                    *lane += i64::from(weight);
                }
            });
            let outputs = &network.outputs[(2 * head + at) * width..][..width];
            let outputs = outputs.iter().flat_map(|block| block.0);
            for (lane, weight) in lanes.into_iter().zip(outputs) {
                sum += lane.clamp(0, 255).pow(2) * i64::from(weight);
            }
        }
        (sum * 300 / (255 * 255 * 64)) as i32
    }

    #[test]
    fn updated_equals_fresh_equals_worked_out_by_hand() {
        let mut random = fastrand::Rng::with_seed(11);
        for network in networks() {
            for variant in Variant::ALL {
                let mut path = Accumulators::new(Arc::clone(&network));
                let mut position = Position::start(variant);
                path.start(&position);
                for ply in 1..MAX_PLY {
                    let mut moves = MoveList::new();
                    position.legal_moves(&mut moves);
                    if moves.is_empty() {
                        break;
                    }
                    let m = moves[random.usize(0..moves.len())];
                    position = position.play_with(m, path.delta(ply));
                    path.enter(ply, &position);
                    // Some plies are skipped, as in a search.
                    if random.bool() {
                        let value = path.evaluate(ply, &position);
                        assert_eq!(value, fresh(&network, PORTABLE, &position));
                        assert_eq!(value, plain(&network, &position), "{position:?}");
                        assert_eq!(value, network.evaluate(&position), "{position:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn updated_equals_fresh_in_every_position_of_the_games_file() {
        let text = include_str!("../../../tests/data/games.jsonl");
        let networks: Vec<_> = networks().collect();
        let mut plies = 0;
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let fen = row["start_fen"].as_str().unwrap();
            let mut position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
            let mut paths: Vec<_> = networks
                .iter()
                .map(|network| Accumulators::new(Arc::clone(network)))
                .collect();
            for path in &mut paths {
                path.start(&position);
            }
            for (ply, text) in row["moves_uci"].as_array().unwrap().iter().enumerate() {
                let m = position.parse_uci(text.as_str().unwrap()).unwrap();
                let before = position;
                for path in &mut paths {
                    // A search is never deeper than its frames; a longer game begins a new path.
                    let ply = ply % (MAX_PLY - 1) + 1;
                    if ply == 1 {
                        path.start(&before);
                    }
                    position = before.play_with(m, path.delta(ply));
                    path.enter(ply, &position);
                    let value = path.evaluate(ply, &position);
                    assert_eq!(value, fresh(path.network(), PORTABLE, &position));
                }
                plies += 1;
            }
        }
        assert!(plies > 1000);
    }

    /// Compares the value of every node of a thinned-out tree with a fresh one.
    fn walk(path: &mut Accumulators, network: &Arc<Network>, position: &Position, ply: usize) {
        let value = path.evaluate(ply, position);
        assert_eq!(value, fresh(network, Kernels::best(), position));
        if ply == 3 {
            return;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for &m in moves.iter().step_by(7) {
            let child = position.play_with(m, path.delta(ply + 1));
            path.enter(ply + 1, &child);
            walk(path, network, &child, ply + 1);
        }
    }

    #[test]
    fn branches_of_a_tree_do_not_disturb_each_other() {
        let network = networks().nth(1).unwrap();
        let mut path = Accumulators::new(Arc::clone(&network));
        let fen = "r1b1k2r/pp3ppp/2n1q~3/8/1b6/2N5/PPP2PPP/R2QK2R[BNPbnp] w KQkq - 0 12";
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        path.start(&position);
        walk(&mut path, &network, &position, 0);
    }
}
