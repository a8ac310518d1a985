//! One game of the engine against itself.

use super::game_record::{Ending, GameRecord, ScoredMove};
use super::openings::{OpeningOptions, random_opening};
use crate::engine::{Evaluation, Limits, Score, SearchInfo, SearchRequest, SearchResult, Searcher};
use crate::rules::{Color, Game, Move, Outcome};
use std::time::Instant;

/// Table of the searches of one game, MiB.
const HASH_MIB: usize = 4;
/// Hard limit of a search, in soft limits.
const HARD_LIMIT: u64 = 6;
/// Scored plies at the start of a game among which some are drawn by lot.
const LOTTERY_PLIES: usize = 16;
/// One ply in so many of them.
const LOTTERY_ODDS: u32 = 10;
/// Lines of which one is drawn.
const LOTTERY_LINES: usize = 4;
/// Most that a drawn move may be worse than the best one.
const LOTTERY_MARGIN: i32 = 60;
/// Score from which on a side may be lost.
const LOST: i32 = 2_000;
/// Consecutive plies that have to agree on that.
const LOST_PLIES: i32 = 5;
/// Nodes of the search that confirms a mate, in nodes of an ordinary one.
const CONFIRMATION: u64 = 4;
/// Plies after which a game is a draw, opening included.
const MOST_PLIES: usize = 300;
/// Occurrences of a position that make a draw.
const REPETITIONS: u32 = 3;

/// Plays games against itself, one at a time. The playing thread needs a stack of
/// [`crate::engine::SEARCH_STACK_BYTES`].
#[derive(Debug)]
pub struct SelfPlayer {
    searcher: Searcher,
    nodes: u64,
    opening: OpeningOptions,
}

impl SelfPlayer {
    /// Player that judges by `evaluation` and begins no new iteration of a search after `nodes`; a search ends after
    /// six times as many.
    pub fn new(evaluation: Evaluation, nodes: u64, opening: OpeningOptions) -> Self {
        Self {
            searcher: Searcher::new(HASH_MIB, evaluation),
            nodes,
            opening,
        }
    }

    /// Plays game number `index` of `seed`. The same numbers, evaluation, options and engine give the same game,
    /// whatever was played before.
    ///
    /// One in ten of the first 16 scored plies is not the best move but drawn from those of the best four that are at
    /// most 60 units worse, for variety. It is recorded with its own score. The game ends
    ///
    /// * by mate, stalemate, or the third occurrence of a position;
    /// * when the search sees a mate and a search of four times the nodes sees one that takes no longer;
    /// * when the scores of five plies in a row give one side more than 2,000;
    /// * as a draw after 300 plies.
    pub fn play(&mut self, seed: u64, index: u64) -> GameRecord {
        self.searcher.clear();
        let mut random = stream(seed, index);
        let mut game = random_opening(&mut random, &mut self.searcher, &self.opening);
        let opening = game.moves().to_vec();
        let mut plies = Vec::new();
        let mut verdict = Verdict::default();
        let ending = loop {
            let turn = game.position().turn();
            let drawn = plies.len() < LOTTERY_PLIES && random.u32(0..LOTTERY_ODDS) == 0;
            let choice = if drawn {
                self.draw(&game, &mut random)
            } else {
                self.best(&game)
            };
            let Some((mv, score)) = choice else {
                break over(&game).unwrap_or(Ending::Stalemate);
            };
            // The mate must be confirmed before the move is made: afterwards it is another position.
            let mate = self.confirmed_mate(&game, score);
            if game.push(mv).is_err() {
                // The search answers with legal moves only.
                break Ending::PlyLimit;
            }
            let score = score.as_cp() as i16;
            plies.push(ScoredMove { mv, score });
            if let Some(ending) = over(&game) {
                break ending;
            }
            if let Some(wins) = mate {
                let winner = if wins { turn } else { !turn };
                break Ending::MateFound { winner };
            }
            if let Some(winner) = verdict.add(turn, score) {
                break Ending::Resignation { winner };
            }
            if game.moves().len() >= MOST_PLIES {
                break Ending::PlyLimit;
            }
        };
        GameRecord {
            opening,
            plies,
            ending,
        }
    }

    fn search(
        &mut self,
        game: &Game,
        nodes: u64,
        lines: usize,
        on_info: &mut dyn FnMut(&SearchInfo),
    ) -> SearchResult {
        let request = SearchRequest {
            position: *game.position(),
            earlier: game.earlier_keys().to_vec(),
            limits: Limits {
                soft_nodes: Some(nodes),
                nodes: Some(nodes.saturating_mul(HARD_LIMIT)),
                multipv: lines,
                ..Limits::default()
            },
            received: Instant::now(),
        };
        self.searcher.search_lines(request, on_info)
    }

    /// Best move; `None` without a legal one.
    fn best(&mut self, game: &Game) -> Option<(Move, Score)> {
        let result = self.search(game, self.nodes, 1, &mut |_| {});
        Some((result.best?, result.score))
    }

    /// One of the good moves; the best one if it decides the game. `None` without a legal move.
    fn draw(&mut self, game: &Game, random: &mut fastrand::Rng) -> Option<(Move, Score)> {
        let mut lines: Vec<(Move, Score)> = Vec::with_capacity(LOTTERY_LINES);
        let result = self.search(game, self.nodes, LOTTERY_LINES, &mut |info| {
            if info.multipv == 1 {
                lines.clear();
            }
            if let Some(&mv) = info.pv.first() {
                lines.push((mv, info.score));
            }
        });
        // The last depth may have been cut short after a better move came up; the reports are of the one before.
        let best = lines.first().copied();
        let Some((_, Score::Cp(best))) = best else {
            return best.or(Some((result.best?, result.score)));
        };
        lines.retain(|(_, score)| score.as_cp() >= best - LOTTERY_MARGIN);
        random.choice(&lines).copied()
    }

    /// Whether the side to move wins, if `score` is a mate that stands up to a longer search. A mate in one move
    /// needs none, it will be on the board.
    fn confirmed_mate(&mut self, game: &Game, score: Score) -> Option<bool> {
        let Score::Mate(moves) = score else {
            return None;
        };
        if moves == 1 {
            return None;
        }
        let nodes = self.nodes.saturating_mul(CONFIRMATION);
        match self.search(game, nodes, 1, &mut |_| {}).score {
            Score::Mate(again)
                if (again > 0) == (moves > 0) && again.unsigned_abs() <= moves.unsigned_abs() =>
            {
                Some(moves > 0)
            }
            _ => None,
        }
    }
}

/// Random numbers of one game. Neighbouring games and seeds have streams that have nothing to do with each other.
fn stream(seed: u64, index: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(mix(mix(seed).wrapping_add(index)))
}

/// A bijection that spreads every bit of `x` over the whole word (the last step of `SplitMix64`).
const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Ending that the rules give to the present position.
fn over(game: &Game) -> Option<Ending> {
    match game.outcome() {
        Some(Outcome::Checkmate { winner }) => Some(Ending::Checkmate { winner }),
        Some(Outcome::Stalemate) => Some(Ending::Stalemate),
        Some(Outcome::FivefoldRepetition) => Some(Ending::Repetition),
        None => (game.repetitions() >= REPETITIONS).then_some(Ending::Repetition),
    }
}

/// How long both sides have agreed on who has won.
#[derive(Default)]
struct Verdict {
    /// Plies in a row, negative for Black.
    plies: i32,
}

impl Verdict {
    /// Takes the score of a ply that `turn` played; tells the winner once enough agree.
    fn add(&mut self, turn: Color, score: i16) -> Option<Color> {
        let side = if turn == Color::White { 1 } else { -1 };
        let leader = match i32::from(score) {
            score if score > LOST => side,
            score if score < -LOST => -side,
            _ => 0,
        };
        self.plies = if leader * self.plies > 0 {
            self.plies + leader
        } else {
            leader
        };
        let winner = if leader > 0 {
            Color::White
        } else {
            Color::Black
        };
        (self.plies.abs() >= LOST_PLIES).then_some(winner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player() -> SelfPlayer {
        let opening = OpeningOptions {
            nodes: 100,
            ..OpeningOptions::default()
        };
        SelfPlayer::new(Evaluation::Material, 40, opening)
    }

    #[test]
    fn games_are_legal_differ_and_can_be_played_again() {
        let games: Vec<_> = {
            let mut player = player();
            (0..6).map(|index| player.play(1, index)).collect()
        };
        for (index, game) in games.iter().enumerate() {
            assert_eq!(game.check(), Ok(()), "game {index}");
            assert!(!game.plies.is_empty());
            assert!(game.opening.len() + game.plies.len() <= MOST_PLIES);
            assert!(games[..index].iter().all(|other| other != game));
        }
        // Another player, in another order.
        let mut player = player();
        for index in (0..6).rev() {
            assert_eq!(player.play(1, index), games[index as usize]);
        }
        assert_ne!(player.play(2, 0), games[0]);
    }

    #[test]
    fn five_plies_have_to_agree_on_the_winner() {
        let mut verdict = Verdict::default();
        let mut add = |turn, score| verdict.add(turn, score);
        for _ in 0..2 {
            assert_eq!(add(Color::White, 2_500), None);
            assert_eq!(add(Color::Black, -2_500), None);
        }
        // One ply of doubt, then of the contrary.
        assert_eq!(add(Color::White, 2_000), None);
        assert_eq!(add(Color::Black, 2_500), None);
        for _ in 0..2 {
            assert_eq!(add(Color::White, -2_500), None);
            assert_eq!(add(Color::Black, 31_000), None);
            assert_eq!(add(Color::White, 2_001), None);
            assert_eq!(add(Color::Black, 2_001), None);
        }
        assert_eq!(add(Color::White, -2_500), None);
        assert_eq!(add(Color::Black, 2_500), None);
        assert_eq!(add(Color::White, -2_500), None);
        assert_eq!(add(Color::Black, 2_500), Some(Color::Black));
    }

    #[test]
    fn a_mate_that_a_search_sees_ends_the_game_unplayed() {
        let mut endings = [0; Ending::REASONS];
        let mut player = player();
        for index in 0..12 {
            let game = player.play(7, index);
            endings[game.ending.reason()] += 1;
            if let Ending::MateFound { winner } = game.ending {
                let last = game.plies.last().unwrap();
                let turn = game.replay().last().unwrap().unwrap().0.turn();
                assert_eq!(last.score > 0, turn == winner);
                assert!(last.score.abs() > 31_000);
            }
        }
        assert!(endings[5] > 0, "{endings:?}");
    }
}
