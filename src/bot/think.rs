//! How long a move may take: limits of its search, and when to lose patience with it. Pure.

use crate::engine::{Clock, Limits, Strength, budget};
use crate::rules::Move;
use crate::settings::{Limit, Settings};
use std::time::Duration;

/// How far a search may overrun its limit before it is stopped from outside.
const SLACK: Duration = Duration::from_millis(250);
/// Time of a search that gave way to others too often and does so no more.
const IMPATIENT: Duration = Duration::from_secs(1);

/// What the time for a move depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ThinkFacts {
    /// Our time left and increment; `None` in a game without a clock.
    pub clock: Option<(Duration, Duration)>,
    /// Own moves in the list.
    pub own_moves: u32,
    /// Time lost on each move between clock and search.
    pub overhead: Duration,
    /// Time left for our first move, where the server limits it.
    pub first_move_left: Option<Duration>,
    /// What is to be kept to against this opponent.
    pub limit: Limit,
    /// Makes the errors of a level its own in each game.
    pub seed: u64,
}

/// Limits of one search and what follows from them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plan {
    pub limits: Limits,
    /// Whether the time counts from the arrival of the line (the clock runs) or from now.
    pub on_clock: bool,
    /// Time after which a search that still runs is stopped from outside.
    pub patience: Duration,
    /// Whether the search gives way to those of games with a clock; `patience` is then its thinking time.
    pub gentle: bool,
}

impl Plan {
    /// A short search in place of one that never got its turn.
    pub(super) fn without_giving_way(mut self) -> Self {
        let fixed = self.patience.min(IMPATIENT);
        self.limits.movetime = Some(fixed);
        self.patience = fixed + SLACK;
        self.gentle = false;
        self
    }
}

/// Plans a search. The first own move of each side costs no clock time, so it has a fixed time of its own.
pub(super) fn plan(facts: &ThinkFacts, settings: &Settings, search_moves: Vec<Move>) -> Plan {
    let mut limits = Limits {
        search_moves,
        ..Limits::default()
    };
    let engine = &settings.engine;
    let limit = &facts.limit;
    let (nodes, depth) = (engine.max_nodes, engine.max_depth);
    limits.nodes = limit.nodes.or((nodes > 0).then_some(nodes));
    limits.depth = limit.depth.or((depth > 0).then_some(depth));
    let level = limit.elo.and_then(Strength::new);
    limits.strength = level.map(|level| level.with_seed(facts.seed));
    let most = limit.time.unwrap_or(Duration::MAX);
    let fixed = match facts.clock {
        None => {
            return Plan {
                limits,
                on_clock: false,
                patience: settings.game.clockless_move_time.min(most),
                gentle: true,
            };
        }
        Some(_) if facts.own_moves == 0 => {
            let left = facts.first_move_left.map_or(Duration::MAX, |left| left / 2);
            settings.game.first_move_time.min(left).min(most)
        }
        Some((remaining, increment)) => {
            let clock = Clock {
                remaining,
                increment,
                moves_to_go: None,
                overhead: facts.overhead,
                own_moves: facts.own_moves,
            };
            let patience = budget(&clock).hard.min(most) + SLACK.min(remaining / 8);
            limits.movetime = limit.time;
            limits.clock = Some(clock);
            return Plan {
                limits,
                on_clock: true,
                patience,
                gentle: false,
            };
        }
    };
    limits.movetime = Some(fixed);
    Plan {
        limits,
        on_clock: false,
        patience: fixed + SLACK,
        gentle: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn facts() -> ThinkFacts {
        ThinkFacts {
            clock: Some((60 * S, S)),
            own_moves: 5,
            overhead: S / 10,
            first_move_left: None,
            limit: Limit::default(),
            seed: 7,
        }
    }

    #[test]
    fn the_limits_for_an_opponent_go_before_those_for_all() {
        let mut settings = Settings::defaults();
        settings.engine.max_nodes = 5000;
        settings.engine.max_depth = 7;
        let limit = Limit {
            nodes: Some(9000),
            depth: None,
            time: Some(S / 2),
            elo: Some(1500),
        };
        for clock in [Some((600 * S, S)), None] {
            let facts = ThinkFacts {
                clock,
                limit,
                ..facts()
            };
            let made = plan(&facts, &settings, Vec::new());
            assert_eq!(made.limits.nodes, Some(9000));
            assert_eq!(made.limits.depth, Some(7));
            let strength = Strength::new(1500).map(|level| level.with_seed(7));
            assert_eq!(made.limits.strength, strength);
            assert!(made.patience <= S, "{made:?}");
        }
    }

    #[test]
    fn a_running_clock_is_handed_to_the_engine() {
        let made = plan(&facts(), &Settings::defaults(), Vec::new());
        let clock = made.limits.clock.unwrap();
        assert_eq!(
            (clock.remaining, clock.increment, clock.overhead),
            (60 * S, S, S / 10)
        );
        assert_eq!((made.limits.movetime, made.on_clock), (None, true));
        assert!(made.patience < 60 * S);
    }

    #[test]
    fn the_first_own_move_takes_a_fixed_time_off_the_clock() {
        let mut settings = Settings::defaults();
        settings.game.first_move_time = 2 * S;
        let first = ThinkFacts {
            own_moves: 0,
            ..facts()
        };
        let made = plan(&first, &settings, Vec::new());
        assert_eq!(
            (made.limits.movetime, made.limits.clock),
            (Some(2 * S), None)
        );
        assert!(!made.on_clock);
        let hurried = ThinkFacts {
            first_move_left: Some(S),
            ..first
        };
        let made = plan(&hurried, &settings, Vec::new());
        assert_eq!(made.limits.movetime, Some(S / 2));
    }

    #[test]
    fn a_game_without_a_clock_has_bounded_moves_and_gives_way() {
        let mut settings = Settings::defaults();
        settings.game.clockless_move_time = 7 * S;
        let made = plan(
            &ThinkFacts {
                clock: None,
                ..facts()
            },
            &settings,
            Vec::new(),
        );
        assert_eq!(
            (made.patience, made.on_clock, made.gentle),
            (7 * S, false, true)
        );
        assert_eq!((made.limits.movetime, made.limits.clock), (None, None));
    }

    #[test]
    fn strength_limits_and_root_moves_are_passed_on() {
        let mut settings = Settings::defaults();
        settings.engine.max_nodes = 5000;
        settings.engine.max_depth = 7;
        let moves = vec![Move::from_bits(9)];
        let made = plan(&facts(), &settings, moves.clone());
        assert_eq!(
            (made.limits.nodes, made.limits.depth),
            (Some(5000), Some(7))
        );
        assert_eq!(made.limits.search_moves, moves);
        let made = plan(&facts(), &Settings::defaults(), Vec::new());
        assert_eq!((made.limits.nodes, made.limits.depth), (None, None));
    }
}
