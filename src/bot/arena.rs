//! Arenas: when to look at one, join it, come back to it and leave it. Pure; the time is passed in.
//!
//! The server pairs whoever has joined and is connected, and its games come as any others do. So all there is to do
//! is to join in time, to join again when the server has put us out (it does so to who misses a first move), and to
//! leave before the bot goes.

use super::pauses::doubled;
use crate::lichess::model::Tournament;
use crate::settings::TournamentSettings;
use std::time::{Duration, Instant};

/// Pause before a request that failed for a passing reason is made again; doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(15);
const LONGEST_PAUSE: Duration = Duration::from_mins(10);
/// Pause before an arena is joined again from which the server has put us out; 30 joins in 10 minutes are allowed.
const COME_BACK: Duration = Duration::from_secs(30);
/// How often a running arena is looked at, to know when it is over.
const LOOK_AGAIN: Duration = Duration::from_mins(5);

/// What is to be asked of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// Look at an arena.
    Look(String),
    /// Join it.
    Join(String),
}

/// How a request failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// It may do better later.
    Passing {
        /// Pause that the server asks for.
        pause: Option<Duration>,
    },
    /// The server said no.
    Final,
}

/// What became of an arena, to be told to the operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// Nothing new.
    Nothing,
    /// It is not for us, and why.
    Refused(&'static str),
    /// We are in.
    Joined,
    /// It is over.
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Nothing is known of it.
    Unseen,
    /// To be joined.
    Waiting,
    /// We are in it.
    Joined,
    /// Over, or not for us.
    Closed,
}

#[derive(Debug)]
struct Arena {
    id: String,
    phase: Phase,
    /// When something is to be asked next; `None` while an answer is under way.
    due: Option<Instant>,
    failures: u32,
    /// It has begun, as far as we know.
    begun: bool,
}

/// All arenas of the settings.
#[derive(Debug, Default)]
pub(super) struct Arenas {
    arenas: Vec<Arena>,
}

impl Arenas {
    pub(super) fn new(settings: &TournamentSettings, now: Instant) -> Self {
        let arena = |id: &String| Arena {
            id: id.clone(),
            phase: Phase::Unseen,
            due: Some(now),
            failures: 0,
            begun: false,
        };
        Self {
            arenas: settings.join.iter().map(arena).collect(),
        }
    }

    /// What is to be asked now. The answer belongs into [`Arenas::on_look`] or [`Arenas::on_join`].
    pub(super) fn step(&mut self, now: Instant) -> Option<Request> {
        let arena = self
            .arenas
            .iter_mut()
            .find(|arena| arena.due.is_some_and(|due| now >= due))?;
        arena.due = None;
        let id = arena.id.clone();
        match arena.phase {
            Phase::Unseen | Phase::Joined => Some(Request::Look(id)),
            Phase::Waiting => Some(Request::Join(id)),
            Phase::Closed => None,
        }
    }

    /// When [`Arenas::step`] will have something to ask.
    pub(super) fn wake(&self) -> Option<Instant> {
        self.arenas.iter().filter_map(|arena| arena.due).min()
    }

    /// Takes in what an arena looks like.
    pub(super) fn on_look(
        &mut self,
        id: &str,
        answer: Result<&Tournament, Failure>,
        settings: &TournamentSettings,
        now: Instant,
    ) -> Told {
        let Some(arena) = self.get(id) else {
            return Told::Nothing;
        };
        let tournament = match answer {
            Ok(tournament) => tournament,
            Err(failure) => return arena.fail(failure, now),
        };
        arena.failures = 0;
        if tournament.is_finished {
            let was_in = arena.phase == Phase::Joined;
            arena.close();
            return if was_in {
                Told::Over
            } else {
                Told::Refused("it is over")
            };
        }
        if let Some(reason) = tournament.closed_to_bot() {
            arena.close();
            return Told::Refused(reason);
        }
        let seconds = |s: Option<i64>| {
            s.and_then(|s| u64::try_from(s).ok())
                .map(Duration::from_secs)
        };
        let starts_in = seconds(tournament.seconds_to_start);
        arena.begun = starts_in.is_none();
        let pause = if arena.phase == Phase::Joined {
            let next = starts_in.or_else(|| seconds(tournament.seconds_to_finish));
            // A second more, since the server rounds down.
            next.map_or(LOOK_AGAIN, |s| (s + Duration::from_secs(1)).min(LOOK_AGAIN))
        } else {
            arena.phase = Phase::Waiting;
            starts_in.map_or(Duration::ZERO, |s| s.saturating_sub(settings.join_before))
        };
        arena.due = now.checked_add(pause);
        Told::Nothing
    }

    /// Takes in whether we are in.
    pub(super) fn on_join(&mut self, id: &str, answer: Result<(), Failure>, now: Instant) -> Told {
        let Some(arena) = self.get(id) else {
            return Told::Nothing;
        };
        match answer {
            Ok(()) => {
                arena.failures = 0;
                arena.phase = Phase::Joined;
                // How long it lasts is told by a look.
                arena.due = Some(now);
                Told::Joined
            }
            Err(failure) => arena.fail(failure, now),
        }
    }

    /// Takes in that we lost a game of an arena for want of a first move: the server has put us out of it.
    pub(super) fn on_no_start(&mut self, id: &str, now: Instant) {
        if let Some(arena) = self.get(id)
            && arena.phase == Phase::Joined
        {
            arena.phase = Phase::Waiting;
            arena.due = Some(now + COME_BACK);
        }
    }

    /// Whether the games of an arena may come any moment.
    pub(super) fn is_playing(&self) -> bool {
        let playing = |arena: &Arena| arena.phase == Phase::Joined && arena.begun;
        self.arenas.iter().any(playing)
    }

    /// Ends everything and lists the arenas that the server should pair us in no more.
    pub(super) fn leave(&mut self) -> Vec<String> {
        let joined = |arena: &Arena| arena.phase == Phase::Joined;
        let left = self.arenas.drain(..).filter(joined);
        left.map(|arena| arena.id).collect()
    }

    fn get(&mut self, id: &str) -> Option<&mut Arena> {
        self.arenas.iter_mut().find(|arena| arena.id == id)
    }
}

impl Arena {
    fn close(&mut self) {
        self.phase = Phase::Closed;
        self.due = None;
    }

    fn fail(&mut self, failure: Failure, now: Instant) -> Told {
        match failure {
            Failure::Passing { pause } => {
                let own = doubled(FIRST_PAUSE, self.failures, LONGEST_PAUSE);
                self.failures = self.failures.saturating_add(1);
                let pause = pause.unwrap_or_default().max(own);
                self.due = now.checked_add(pause);
                Told::Nothing
            }
            Failure::Final => {
                self.close();
                Told::Refused("the server refuses it")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    const ID: &str = "abcd1234";

    fn settings() -> TournamentSettings {
        let mut settings = Settings::defaults().tournament;
        settings.join = vec![ID.to_owned()];
        settings
    }

    fn open() -> Tournament {
        Tournament {
            id: ID.to_owned(),
            variant: "crazyhouse".to_owned(),
            bots_allowed: true,
            ..Tournament::default()
        }
    }

    fn starting_in(seconds: i64) -> Tournament {
        Tournament {
            seconds_to_start: Some(seconds),
            ..open()
        }
    }

    fn running(seconds: i64) -> Tournament {
        Tournament {
            seconds_to_finish: Some(seconds),
            ..open()
        }
    }

    fn look() -> Request {
        Request::Look(ID.to_owned())
    }

    fn join() -> Request {
        Request::Join(ID.to_owned())
    }

    const PASSING: Failure = Failure::Passing { pause: None };

    #[test]
    fn an_arena_is_joined_shortly_before_it_starts() {
        let (settings, now) = (settings(), Instant::now());
        let mut arenas = Arenas::new(&settings, now);
        assert_eq!(arenas.step(now), Some(look()));
        assert_eq!(arenas.step(now), None, "the answer is under way");
        let arena = starting_in(3600);
        assert_eq!(
            arenas.on_look(ID, Ok(&arena), &settings, now),
            Told::Nothing
        );
        let due = now + Duration::from_hours(1).saturating_sub(settings.join_before);
        assert_eq!(arenas.wake(), Some(due));
        assert_eq!(arenas.step(now), None);
        assert_eq!(arenas.step(due), Some(join()));
        assert_eq!(arenas.on_join(ID, Ok(()), due), Told::Joined);
        assert!(!arenas.is_playing(), "it has not begun");
        assert_eq!(arenas.step(due), Some(look()));
        arenas.on_look(ID, Ok(&starting_in(120)), &settings, due);
        let start = arenas.wake().unwrap();
        assert_eq!(start, due + Duration::from_secs(121));
        assert_eq!(arenas.step(start), Some(look()));
        arenas.on_look(ID, Ok(&running(3000)), &settings, start);
        assert!(arenas.is_playing());
        let over = Tournament {
            is_finished: true,
            ..open()
        };
        let later = arenas.wake().unwrap();
        assert_eq!(arenas.step(later), Some(look()));
        assert_eq!(arenas.on_look(ID, Ok(&over), &settings, later), Told::Over);
        assert!(!arenas.is_playing());
        assert_eq!(arenas.wake(), None);
    }

    #[test]
    fn arenas_that_are_not_for_us_are_named_and_left_alone() {
        let no_bots = Tournament {
            bots_allowed: false,
            ..open()
        };
        let other = Tournament {
            variant: "standard".to_owned(),
            ..open()
        };
        let over = Tournament {
            is_finished: true,
            ..open()
        };
        for (arena, word) in [(no_bots, "bots"), (other, "crazyhouse"), (over, "over")] {
            let (settings, now) = (settings(), Instant::now());
            let mut arenas = Arenas::new(&settings, now);
            arenas.step(now);
            let told = arenas.on_look(ID, Ok(&arena), &settings, now);
            assert!(
                matches!(told, Told::Refused(reason) if reason.contains(word)),
                "{told:?}"
            );
            assert_eq!(arenas.wake(), None);
        }
    }

    #[test]
    fn failures_are_tried_again_ever_more_rarely_and_refusals_are_not() {
        let (settings, mut now) = (settings(), Instant::now());
        let mut arenas = Arenas::new(&settings, now);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            assert_eq!(arenas.step(now), Some(look()));
            arenas.on_look(ID, Err(PASSING), &settings, now);
            let due = arenas.wake().unwrap();
            pauses.push((due - now).as_secs());
            now = due;
        }
        assert_eq!(pauses, [15, 30, 60, 120, 240, 480, 600, 600]);
        arenas.step(now);
        let asked = Duration::from_hours(2);
        let limited = Failure::Passing { pause: Some(asked) };
        arenas.on_look(ID, Err(limited), &settings, now);
        assert_eq!(arenas.wake(), Some(now + asked));
        now += asked;
        arenas.step(now);
        arenas.on_look(ID, Ok(&running(600)), &settings, now);
        assert_eq!(arenas.step(now), Some(join()));
        assert!(matches!(
            arenas.on_join(ID, Err(Failure::Final), now),
            Told::Refused(_)
        ));
        assert_eq!(arenas.wake(), None);
    }

    #[test]
    fn a_missed_first_move_costs_a_pause_and_leaving_withdraws() {
        let (settings, now) = (settings(), Instant::now());
        let mut arenas = Arenas::new(&settings, now);
        arenas.step(now);
        arenas.on_look(ID, Ok(&running(3000)), &settings, now);
        arenas.step(now);
        arenas.on_join(ID, Ok(()), now);
        arenas.step(now);
        arenas.on_look(ID, Ok(&running(3000)), &settings, now);
        assert!(arenas.is_playing());
        arenas.on_no_start(ID, now);
        assert!(!arenas.is_playing());
        assert_eq!(arenas.step(now), None);
        assert_eq!(arenas.step(now + COME_BACK), Some(join()));
        arenas.on_join(ID, Ok(()), now + COME_BACK);
        arenas.on_no_start("other", now);
        assert_eq!(arenas.leave(), [ID]);
        assert_eq!(arenas.wake(), None);
        assert!(arenas.leave().is_empty());
    }
}
