//! Results of a match, added up and written out.

use super::game::{End, PlayedGame, Thought};
use super::statistics::{Interval, Pentanomial, Sprt, Verdict};
use crate::engine::Score;
use crate::rules::pgn::{self, Eval, GameResult, Note, Tags};
use crate::rules::{Color, FenStyle};
use std::fmt;
use std::time::Duration;

/// Two games from the same opening.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Number of the pair, from 0.
    pub index: usize,
    /// In the first game player A has White, in the second B.
    pub games: [PlayedGame; 2],
}

impl Pair {
    /// Colour of player A in a game of the pair.
    const fn color_of_a(game: usize) -> Color {
        if game == 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// Half points of A in each game: 0, 1 or 2.
    fn half_points(&self) -> [usize; 2] {
        [0, 1].map(|i| match self.games[i].winner {
            None => 1,
            Some(winner) if winner == Self::color_of_a(i) => 2,
            Some(_) => 0,
        })
    }

    /// Both games in PGN, with scores, depths, nodes and clocks behind the moves. `names` are those of A and B;
    /// `time_control` is written if it is given.
    pub fn pgn(&self, names: [&str; 2], time_control: Option<&str>) -> String {
        let mut text = String::new();
        for (i, played) in self.games.iter().enumerate() {
            let mut tags = Tags::new();
            tags.set("Event", "Duel");
            tags.set("Round", format!("{}.{}", self.index + 1, i + 1));
            tags.set("White", names[i]);
            tags.set("Black", names[1 - i]);
            if let Some(control) = time_control {
                tags.set("TimeControl", control);
            }
            tags.set("Termination", played.end.to_string());
            let result = GameResult::from_winner(played.winner);
            text += &pgn::write(&tags, &played.game, &notes(played), result);
        }
        text
    }
}

fn notes(played: &PlayedGame) -> Vec<Note> {
    let moves = played.thoughts.iter().zip(played.game.positions());
    let note = |(thought, before): (&Thought, &crate::rules::Position)| {
        let sign = match before.turn() {
            Color::White => 1,
            Color::Black => -1,
        };
        Note {
            clock: thought.left,
            eval: Some(match thought.score {
                Score::Cp(cp) => Eval::Cp(sign * cp),
                Score::Mate(moves) => Eval::Mate(sign * moves),
            }),
            text: format!("depth {}, {} nodes", thought.depth, thought.nodes),
        }
    };
    moves.map(note).collect()
}

/// Own moves beyond which a game counts as long: by then a player should have put most of its clock to use.
pub const LONG_GAME: usize = 35;

/// What a player did in all games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Searches.
    pub moves: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Searches that found no mate, whose depth says something.
    pub plain_moves: u64,
    /// Sum of the depths of these.
    pub depth: u64,
    /// Games lost on time.
    pub flag_falls: u64,
    /// Games lost by a fault.
    pub faults: u64,
    /// Games on a clock with more than [`LONG_GAME`] own moves.
    pub long_games: u64,
    /// Time that the clock gave in these: at the start and by increments.
    pub clock_given: Duration,
    /// Time thought in these.
    pub clock_used: Duration,
}

impl Totals {
    /// Counts a game, given what the player found in it, as a long one if it is one.
    fn add_clock(&mut self, thoughts: &[&Thought]) {
        if let [.., last] = thoughts
            && let Some(left) = last.left
            && thoughts.len() > LONG_GAME
        {
            let used: Duration = thoughts.iter().map(|thought| thought.spent).sum();
            let lost: Duration = thoughts.iter().map(|thought| thought.lag).sum();
            self.long_games += 1;
            self.clock_used += used;
            self.clock_given += left + used + lost;
        }
    }

    /// Part of the clock put to use in long games, percent; `None` if there were none.
    pub fn clock_use(&self) -> Option<f64> {
        let given = self.clock_given.as_secs_f64();
        (given > 0.0).then(|| 100.0 * self.clock_used.as_secs_f64() / given)
    }
}

/// Everything about a match that does not depend on the speed of the machine, if the players think by nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// Games that A won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that A lost.
    pub losses: u64,
    /// Pairs by the points of A.
    pub pairs: Pentanomial,
    /// Half points of White.
    pub white_half_points: u64,
    /// Plies of all games, openings not counted.
    pub plies: u64,
    /// Games that ended in mate.
    pub checkmates: u64,
    /// Games drawn by stalemate.
    pub stalemates: u64,
    /// Games drawn by repetition.
    pub repetitions: u64,
    /// Games drawn for their length.
    pub too_long: u64,
    /// What A and B did.
    pub players: [Totals; 2],
    /// One line for each fault.
    pub faults: Vec<String>,
}

impl Results {
    /// Games played.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    fn add(&mut self, pair: &Pair) {
        let points = pair.half_points();
        self.pairs.add(points.iter().sum());
        for (i, played) in pair.games.iter().enumerate() {
            match points[i] {
                0 => self.losses += 1,
                1 => self.draws += 1,
                _ => self.wins += 1,
            }
            self.white_half_points += match played.winner {
                Some(Color::White) => 2,
                None => 1,
                Some(Color::Black) => 0,
            };
            self.plies += played.game.moves().len() as u64;
            let a = Pair::color_of_a(i);
            // Player on move at the end, which is the one to blame.
            let last = usize::from(played.game.position().turn() != a);
            match &played.end {
                End::Checkmate => self.checkmates += 1,
                End::Stalemate => self.stalemates += 1,
                End::Repetition => self.repetitions += 1,
                End::TooLong => self.too_long += 1,
                End::FlagFall => self.players[last].flag_falls += 1,
                End::Fault(fault) => {
                    self.players[last].faults += 1;
                    self.faults.push(format!(
                        "game {}.{}, {} with {}: {fault} at {}; opening {}, {} plies",
                        pair.index + 1,
                        i + 1,
                        ["A", "B"][last],
                        played.game.position().turn(),
                        played.last_fen(),
                        played.game.start().fen(FenStyle::Bracket),
                        played.game.moves().len(),
                    ));
                }
            }
            for (thought, before) in played.thoughts.iter().zip(played.game.positions()) {
                let totals = &mut self.players[usize::from(before.turn() != a)];
                totals.moves += 1;
                totals.nodes += thought.nodes;
                if let Score::Cp(_) = thought.score {
                    totals.plain_moves += 1;
                    totals.depth += u64::from(thought.depth);
                }
            }
            for (player, totals) in self.players.iter_mut().enumerate() {
                let own: Vec<_> = played
                    .thoughts
                    .iter()
                    .zip(played.game.positions())
                    .filter(|(_, before)| usize::from(before.turn() != a) == player)
                    .map(|(thought, _)| thought)
                    .collect();
                totals.add_clock(&own);
            }
        }
    }
}

/// State of a match, at its end or on the way.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What was played.
    pub results: Results,
    /// Test that can end the match.
    pub sprt: Option<Sprt>,
    /// Time that A and B thought, summed over all games.
    pub thinking: [Duration; 2],
    /// Time since the match began.
    pub elapsed: Duration,
}

impl Report {
    pub(super) fn new(sprt: Option<Sprt>) -> Self {
        Self {
            results: Results::default(),
            sprt,
            thinking: [Duration::ZERO; 2],
            elapsed: Duration::ZERO,
        }
    }

    pub(super) fn add(&mut self, pair: &Pair) {
        self.results.add(pair);
        for (i, played) in pair.games.iter().enumerate() {
            for (thought, before) in played.thoughts.iter().zip(played.game.positions()) {
                let player = usize::from(before.turn() != Pair::color_of_a(i));
                self.thinking[player] += thought.spent;
            }
        }
    }

    /// What the test says; [`Verdict::Open`] without one.
    pub fn verdict(&self) -> Verdict {
        self.sprt
            .map_or(Verdict::Open, |sprt| sprt.verdict(&self.results.pairs))
    }

    /// State of the match in one line.
    pub fn progress(&self) -> String {
        let Results {
            wins,
            draws,
            losses,
            pairs,
            ..
        } = &self.results;
        let elo = pairs.elo();
        let mut parts = vec![format!(
            "{} pairs: A +{wins} ={draws} -{losses}, {:.1} %, Elo {}",
            pairs.pairs(),
            100.0 * pairs.score(),
            difference(&elo)
        )];
        parts.extend(
            self.sprt
                .map(|sprt| format!("LLR {:+.2}", sprt.ratio(pairs))),
        );
        let faults = self.results.faults.len() as u64;
        for (count, name) in [(self.flag_falls(), "flag falls"), (faults, "faults")] {
            if count > 0 {
                parts.push(format!("{count} {name}"));
            }
        }
        parts.join(", ")
    }

    fn flag_falls(&self) -> u64 {
        self.results.players.iter().map(|t| t.flag_falls).sum()
    }
}

/// As in `+12.3 +- 4.5`. A side that won every game is stronger by nobody knows how much.
fn difference(elo: &Interval) -> String {
    if elo.value.is_finite() {
        format!("{:+.1} +- {:.1}", elo.value, elo.margin())
    } else if elo.value > 0.0 {
        format!("above {:+.1}", elo.low)
    } else {
        format!("below {:+.1}", elo.high)
    }
}

/// Quotient of two sums, 0 for nothing.
fn mean(sum: u64, count: u64) -> f64 {
    sum as f64 / count.max(1) as f64
}

/// Full report in lines, without a line break behind the last.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results = &self.results;
        let (games, pairs) = (results.games(), &results.pairs);
        for fault in &results.faults {
            writeln!(f, "fault in {fault}")?;
        }
        writeln!(
            f,
            "games      {games}: A won {}, drew {}, lost {}; score {:.1} %",
            results.wins,
            results.draws,
            results.losses,
            100.0 * pairs.score()
        )?;
        let [n0, n1, n2, n3, n4] = pairs.counts();
        writeln!(
            f,
            "pairs      {}: {n0} with 0 points for A, {n1} with 0.5, {n2} with 1, {n3} with 1.5, {n4} with 2",
            pairs.pairs()
        )?;
        let elo = pairs.elo();
        writeln!(
            f,
            "Elo        {} (95 %: {:+.1} to {:+.1}), LOS {:.1} %",
            difference(&elo),
            elo.low,
            elo.high,
            100.0 * pairs.los()
        )?;
        if let Some(sprt) = self.sprt {
            let ((elo0, elo1), (low, high)) = (sprt.elos(), sprt.bounds());
            let verdict = match self.verdict() {
                Verdict::Open => "not decided".to_owned(),
                Verdict::H0 => format!("H0 accepted (Elo {elo0})"),
                Verdict::H1 => format!("H1 accepted (Elo {elo1})"),
            };
            let ratio = sprt.ratio(pairs);
            writeln!(
                f,
                "SPRT       Elo {elo0} against {elo1}: LLR {ratio:+.2}, bounds {low:.2} and {high:.2}: {verdict}"
            )?;
        }
        writeln!(
            f,
            "ends       {} by mate, {} by stalemate, {} by repetition, {} too long, {} by flag fall, {} by fault",
            results.checkmates,
            results.stalemates,
            results.repetitions,
            results.too_long,
            self.flag_falls(),
            results.faults.len()
        )?;
        writeln!(
            f,
            "length     {:.1} plies on average; White scored {:.1} %",
            mean(results.plies, games),
            50.0 * mean(results.white_half_points, games)
        )?;
        for (i, totals) in results.players.iter().enumerate() {
            let seconds = self.thinking[i].as_secs_f64().max(1e-9);
            writeln!(
                f,
                "{}          {:.0} nodes a move, depth {:.1}, {:.1} ms a move, {:.0} nps, {} flag falls, {} faults",
                ["A", "B"][i],
                mean(totals.nodes, totals.moves),
                mean(totals.depth, totals.plain_moves),
                1000.0 * self.thinking[i].as_secs_f64() / totals.moves.max(1) as f64,
                totals.nodes as f64 / seconds,
                totals.flag_falls,
                totals.faults
            )?;
        }
        for (i, totals) in results.players.iter().enumerate() {
            if let Some(percent) = totals.clock_use() {
                writeln!(
                    f,
                    "clock {}    {percent:.0} % used in {} games beyond {LONG_GAME} own moves",
                    ["A", "B"][i],
                    totals.long_games
                )?;
            }
        }
        write!(f, "time       {:.1} s", self.elapsed.as_secs_f64())
    }
}
