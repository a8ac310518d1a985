//! One game between two players, by the rules of Lichess.

use super::player::Pace;
use crate::engine::{Clock, Limits, Score, SearchRequest, SearchResult, Searcher, Strength};
use crate::rules::{CastlingStyle, Color, FenStyle, Game, Outcome, Position};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Plies after which a game is drawn. Few games are longer than 100.
pub const PLY_LIMIT: usize = 400;
/// Occurrences of a position that draw a game: the third one can be claimed, and programs do.
const REPETITIONS: u32 = 3;
/// Part of each move that the clock loses outside of the search, mostly while other threads hold the core.
const OVERHEAD: Duration = Duration::from_millis(10);

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Mate.
    Checkmate,
    /// No move and no check.
    Stalemate,
    /// A position for the third time.
    Repetition,
    /// [`PLY_LIMIT`] reached.
    TooLong,
    /// The side to move had overstepped its clock.
    FlagFall,
    /// The side to move did something that a player must not do.
    Fault(Fault),
}

/// As in the `Termination` tag of PGN.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkmate => f.write_str("checkmate"),
            Self::Stalemate => f.write_str("stalemate"),
            Self::Repetition => f.write_str("repetition"),
            Self::TooLong => write!(f, "{PLY_LIMIT} plies"),
            Self::FlagFall => f.write_str("time forfeit"),
            Self::Fault(fault) => write!(f, "fault: {fault}"),
        }
    }
}

/// What a player must not do. Each is a bug of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// No move although there is a legal one.
    NoMove,
    /// A move that is not legal, in coordinate notation.
    Illegal(String),
    /// The search panicked.
    Panic,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMove => f.write_str("no move"),
            Self::Illegal(text) => write!(f, "illegal move {text}"),
            Self::Panic => f.write_str("the search panicked"),
        }
    }
}

/// What a player found for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thought {
    /// Score for the side that moved.
    pub score: Score,
    /// Last finished depth, plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time from the beginning of the turn to its end.
    pub spent: Duration,
    /// Time that the clock lost beyond that.
    pub lag: Duration,
    /// Time left after the move, the increment included; `None` without a clock.
    pub left: Option<Duration>,
}

/// Game that was played to its end.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// Opening position and moves.
    pub game: Game,
    /// One for each move, and one more for a search whose move was not played.
    pub thoughts: Vec<Thought>,
    /// Side that won.
    pub winner: Option<Color>,
    /// How it ended.
    pub end: End,
}

impl PlayedGame {
    /// The last position in bracket form.
    pub fn last_fen(&self) -> String {
        self.game.position().fen(FenStyle::Bracket)
    }
}

/// Something that finds moves.
pub(super) trait Thinker {
    fn think(&mut self, request: SearchRequest) -> SearchResult;
}

impl Thinker for Searcher {
    fn think(&mut self, request: SearchRequest) -> SearchResult {
        self.search(request)
    }
}

/// Player at the board.
pub(super) struct Seat<'a> {
    pub(super) pace: Pace,
    pub(super) strength: Option<Strength>,
    /// Time that the clock loses on each move beyond the thinking.
    pub(super) lag: Duration,
    pub(super) thinker: &'a mut dyn Thinker,
}

/// Time left to a side with a clock.
#[derive(Clone, Copy, Debug)]
struct TimeLeft(Option<Duration>);

impl TimeLeft {
    const fn of(pace: Pace) -> Self {
        match pace {
            Pace::Clock(control) => Self(Some(control.base)),
            _ => Self(None),
        }
    }

    /// Takes the time of a move off the clock, and adds the increment. False if the flag fell before.
    fn spend(&mut self, spent: Duration, pace: Pace) -> bool {
        let (Some(left), Pace::Clock(control)) = (&mut self.0, pace) else {
            return true;
        };
        let rest = left.checked_sub(spent);
        *left = rest.map_or(Duration::ZERO, |rest| rest + control.increment);
        rest.is_some()
    }
}

/// Plays a game from `opening`; `seats` holds White and Black, both without memory of earlier games. `None` if
/// `stop` was set meanwhile.
pub(super) fn play(
    mut seats: [Seat<'_>; 2],
    opening: Position,
    stop: &dyn Fn() -> bool,
) -> Option<PlayedGame> {
    let mut game = Game::from_position(opening);
    let mut thoughts = Vec::with_capacity(64);
    let mut clocks = [0, 1].map(|side: usize| TimeLeft::of(seats[side].pace));
    loop {
        let (end, winner) = if let Some(ended) = ended(&game) {
            ended
        } else {
            if stop() {
                return None;
            }
            let turn = game.position().turn();
            let (seat, clock) = (&mut seats[turn.index()], &mut clocks[turn.index()]);
            match take_turn(seat, clock, &mut game, &mut thoughts) {
                Ok(()) => continue,
                Err(end) => (end, Some(!turn)),
            }
        };
        return Some(PlayedGame {
            game,
            thoughts,
            winner,
            end,
        });
    }
}

/// How the game has ended by the position on the board, and who won it.
fn ended(game: &Game) -> Option<(End, Option<Color>)> {
    let end = match game.outcome() {
        Some(Outcome::Checkmate { winner }) => return Some((End::Checkmate, Some(winner))),
        Some(Outcome::Stalemate) => End::Stalemate,
        Some(Outcome::FivefoldRepetition) => End::Repetition,
        None if game.repetitions() >= REPETITIONS => End::Repetition,
        None if game.moves().len() >= PLY_LIMIT => End::TooLong,
        None => return None,
    };
    Some((end, None))
}

/// Lets a player think and plays its move; an error is the end of the game, which the player has lost.
fn take_turn(
    seat: &mut Seat<'_>,
    clock: &mut TimeLeft,
    game: &mut Game,
    thoughts: &mut Vec<Thought>,
) -> Result<(), End> {
    let position = *game.position();
    let received = Instant::now();
    let mut limits = limits(seat, *clock, &position);
    // Errors of its own for each side: two weak players do not believe in the same things.
    let seed = position.turn().index() as u64;
    limits.strength = seat.strength.map(|strength| strength.with_seed(seed));
    let request = SearchRequest {
        position,
        earlier: game.earlier_keys().to_vec(),
        limits,
        received,
    };
    // A search that panicked is good as new at its next start, and the match goes on.
    let result = catch_unwind(AssertUnwindSafe(|| seat.thinker.think(request)))
        .map_err(|_| End::Fault(Fault::Panic))?;
    let spent = received.elapsed();
    let in_time = clock.spend(spent + seat.lag, seat.pace);
    thoughts.push(Thought {
        score: result.score,
        depth: result.depth,
        nodes: result.nodes,
        spent,
        lag: seat.lag,
        left: clock.0,
    });
    if !in_time {
        return Err(End::FlagFall);
    }
    let best = result.best.ok_or(End::Fault(Fault::NoMove))?;
    let text = || position.uci(best, CastlingStyle::KingTakesRook);
    game.push(best)
        .map_err(|_| End::Fault(Fault::Illegal(text())))
}

fn limits(seat: &Seat<'_>, clock: TimeLeft, position: &Position) -> Limits {
    let mut limits = Limits::default();
    match seat.pace {
        Pace::Nodes(nodes) => limits.nodes = Some(nodes),
        Pace::MoveTime(time) => limits.movetime = Some(time),
        Pace::Clock(control) => {
            limits.clock = Some(Clock {
                remaining: clock.0.unwrap_or(control.base),
                increment: control.increment,
                moves_to_go: None,
                // A lag is known to who suffers it, as measured by the bot.
                overhead: OVERHEAD + seat.lag,
                // The moves of the opening count as played.
                own_moves: position.fullmoves().saturating_sub(1),
            });
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Evaluation;
    use crate::rules::{Move, Variant};
    use crate::training::duel::TimeControl;

    /// Plays its moves in turn, again and again.
    struct Parrot(Vec<Option<&'static str>>, usize);

    impl Parrot {
        fn new(moves: &[&'static str]) -> Self {
            Self(moves.iter().map(|m| Some(*m)).collect(), 0)
        }
    }

    impl Thinker for Parrot {
        fn think(&mut self, request: SearchRequest) -> SearchResult {
            let text = self.0[self.1 % self.0.len()];
            self.1 += 1;
            let known = |text| request.position.parse_uci(text);
            let illegal = Move::from_bits(0x0fff);
            SearchResult {
                best: text.map(|text| known(text).unwrap_or(illegal)),
                nodes: 7,
                depth: 3,
                ..SearchResult::default()
            }
        }
    }

    struct Thrower;

    impl Thinker for Thrower {
        fn think(&mut self, _: SearchRequest) -> SearchResult {
            panic!("thrown on purpose");
        }
    }

    fn seat(pace: Pace, thinker: &mut dyn Thinker) -> Seat<'_> {
        Seat {
            pace,
            strength: None,
            lag: Duration::ZERO,
            thinker,
        }
    }

    fn start() -> Position {
        Position::start(Variant::Crazyhouse)
    }

    fn match_up<'a>(
        white: &'a mut dyn Thinker,
        black: &'a mut dyn Thinker,
        pace: Pace,
    ) -> PlayedGame {
        let seats = [white, black].map(|thinker| seat(pace, thinker));
        play(seats, start(), &|| false).unwrap()
    }

    #[test]
    fn mate_ends_the_game_for_the_side_that_gave_it() {
        let mut white = Parrot::new(&["f2f3", "g2g4"]);
        let mut black = Parrot::new(&["e7e5", "d8h4"]);
        let played = match_up(&mut white, &mut black, Pace::Nodes(1));
        assert_eq!(
            (played.end, played.winner),
            (End::Checkmate, Some(Color::Black))
        );
        assert_eq!((played.game.moves().len(), played.thoughts.len()), (4, 4));
        assert_eq!((played.thoughts[0].nodes, played.thoughts[0].depth), (7, 3));
    }

    #[test]
    fn third_occurrence_of_a_position_is_a_draw() {
        let mut white = Parrot::new(&["g1f3", "f3g1"]);
        let mut black = Parrot::new(&["g8f6", "f6g8"]);
        let played = match_up(&mut white, &mut black, Pace::Nodes(1));
        assert_eq!((played.end, played.winner), (End::Repetition, None));
        assert_eq!(played.game.moves().len(), 8);
    }

    #[test]
    fn wrong_or_missing_moves_lose_and_are_named() {
        let mut good = Parrot::new(&["e2e4"]);
        let mut bad = Parrot::new(&["e2e4"]);
        let played = match_up(&mut good, &mut bad, Pace::Nodes(1));
        assert_eq!(played.winner, Some(Color::White));
        assert!(
            matches!(&played.end, End::Fault(Fault::Illegal(_))),
            "{:?}",
            played.end
        );
        assert!(played.end.to_string().starts_with("fault: illegal move "));
        assert!(played.last_fen().contains(" b KQkq "));

        let played = match_up(&mut Parrot(vec![None], 0), &mut good, Pace::Nodes(1));
        assert_eq!(played.end, End::Fault(Fault::NoMove));
        assert_eq!(played.winner, Some(Color::Black));
    }

    #[test]
    fn panic_in_a_search_loses_the_game_and_nothing_else() {
        let mut good = Parrot::new(&["e2e4"]);
        let played = match_up(&mut good, &mut Thrower, Pace::Nodes(1));
        assert_eq!(played.end, End::Fault(Fault::Panic));
        assert_eq!(played.winner, Some(Color::White));
    }

    #[test]
    fn clock_is_charged_and_loses_when_it_is_empty() {
        let control = TimeControl {
            base: Duration::from_secs(2),
            increment: Duration::from_millis(20),
        };
        let pace = Pace::Clock(control);
        let mut clock = TimeLeft::of(pace);
        assert!(clock.spend(Duration::from_millis(500), pace));
        assert_eq!(clock.0, Some(Duration::from_millis(1520)));
        assert!(clock.spend(Duration::from_millis(1520), pace));
        assert_eq!(clock.0, Some(Duration::from_millis(20)));
        assert!(!clock.spend(Duration::from_millis(21), pace));
        assert_eq!(clock.0, Some(Duration::ZERO));
        let mut none = TimeLeft::of(Pace::Nodes(5));
        assert!(none.spend(Duration::from_secs(1000), Pace::Nodes(5)));
    }

    #[test]
    fn search_sees_the_clock_and_the_moves_played() {
        let control: TimeControl = "2+0.02".parse().unwrap();
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] b KQkq - 0 9";
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        let left = TimeLeft(Some(Duration::from_millis(700)));
        let mut parrot = Parrot::new(&["e7e5"]);
        let mut seat = seat(Pace::Clock(control), &mut parrot);
        seat.lag = Duration::from_millis(150);
        let clock = limits(&seat, left, &position).clock.unwrap();
        assert_eq!(clock.remaining, Duration::from_millis(700));
        assert_eq!(clock.increment, Duration::from_millis(20));
        assert_eq!(clock.own_moves, 8);
        assert_eq!(clock.overhead, OVERHEAD + seat.lag);
    }

    #[test]
    fn clock_that_no_search_can_keep_makes_the_flag_fall() {
        let pace = Pace::Clock(TimeControl {
            base: Duration::from_nanos(1),
            increment: Duration::ZERO,
        });
        let mut searchers = [0, 1].map(|_| Searcher::new(1, Evaluation::Material));
        let [white, black] = &mut searchers;
        let played = match_up(white, black, pace);
        assert_eq!(
            (played.end, played.winner),
            (End::FlagFall, Some(Color::Black))
        );
        assert_eq!((played.game.moves().len(), played.thoughts.len()), (0, 1));
    }

    #[test]
    fn lag_is_taken_off_the_clock_of_its_player_alone() {
        let pace = Pace::Clock("10+0".parse().unwrap());
        let mut white = Parrot::new(&["f2f3", "g2g4"]);
        let mut black = Parrot::new(&["e7e5", "d8h4"]);
        let (mut slow, quick) = (seat(pace, &mut white), seat(pace, &mut black));
        slow.lag = Duration::from_secs(4);
        let played = play([slow, quick], start(), &|| false).unwrap();
        let left = |ply: usize| played.thoughts[ply].left.unwrap();
        assert!(left(0) <= Duration::from_secs(6) && left(2) <= Duration::from_secs(2));
        assert!(left(1) > Duration::from_secs(6), "{:?}", left(1));

        let mut white = Parrot::new(&["g1f3", "f3g1"]);
        let mut black = Parrot::new(&["g8f6", "f6g8"]);
        let (mut slow, quick) = (seat(pace, &mut white), seat(pace, &mut black));
        slow.lag = Duration::from_secs(4);
        let played = play([slow, quick], start(), &|| false).unwrap();
        assert_eq!(
            (played.end, played.winner),
            (End::FlagFall, Some(Color::Black))
        );
    }

    #[test]
    fn stopped_game_has_no_result() {
        let mut white = Parrot::new(&["e2e4"]);
        let mut black = Parrot::new(&["e7e5"]);
        let pace = Pace::Nodes(1);
        let (white, black) = (&mut white as &mut dyn Thinker, &mut black as _);
        let seats = [white, black].map(|thinker| seat(pace, thinker));
        assert!(play(seats, start(), &|| true).is_none());
    }
}
