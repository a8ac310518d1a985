//! Book-keeping of games: which run, which are expected after an accept, which challenges wait for a slot.
//!
//! A slot is taken before the accept is sent, not when the game starts: two challenges that come close together
//! must not both get the last one. Pure; the time is passed in.

use super::challenge::Candidate;
use crate::lichess::model::{Challenge, ChallengeUser, GameId};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// Who the other side of a game is: the lower-case id, `None` for anonymous players and the Lichess AI.
pub(super) type OpponentId = Option<String>;

/// Who a slot is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seat {
    /// The other side.
    pub opponent: OpponentId,
    /// Whether that is a bot.
    pub is_bot: bool,
}

#[derive(Debug)]
struct Reserved {
    seat: Seat,
    since: Instant,
}

/// Slots of one account.
#[derive(Debug, Default)]
pub(super) struct Slots {
    running: HashMap<GameId, Seat>,
    reserved: HashMap<GameId, Reserved>,
    /// A challenge of ours that is not answered yet.
    outgoing: Option<Seat>,
    queue: VecDeque<Challenge>,
}

impl Slots {
    /// Running and expected games, and a challenge of ours.
    pub(super) fn taken(&self) -> usize {
        self.seats().count()
    }

    /// Those of them that are with bots.
    pub(super) fn taken_by_bots(&self) -> usize {
        self.seats().filter(|seat| seat.is_bot).count()
    }

    /// Ids of those who are being played or expected.
    pub(super) fn opponents(&self) -> HashSet<String> {
        let ids = self.seats().filter_map(|seat| seat.opponent.as_deref());
        ids.map(str::to_ascii_lowercase).collect()
    }

    fn seats(&self) -> impl Iterator<Item = &Seat> {
        let reserved = self.reserved.values().map(|entry| &entry.seat);
        self.running.values().chain(reserved).chain(&self.outgoing)
    }

    /// Takes a slot for a challenge of ours, or gives it back.
    pub(super) fn set_outgoing(&mut self, seat: Option<Seat>) {
        self.outgoing = seat;
    }

    /// Who a slot is reserved for.
    pub(super) fn expected_opponent(&self, id: &GameId) -> OpponentId {
        self.reserved.get(id)?.seat.opponent.clone()
    }

    /// Whether a slot is reserved for a game with a bot.
    pub(super) fn expects_bot(&self, id: &GameId) -> bool {
        self.reserved.get(id).is_some_and(|entry| entry.seat.is_bot)
    }

    /// Challenges that wait.
    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn is_running(&self, id: &GameId) -> bool {
        self.running.contains_key(id)
    }

    /// Whether the challenge was accepted or waits already.
    pub(super) fn knows(&self, id: &GameId) -> bool {
        self.running.contains_key(id)
            || self.reserved.contains_key(id)
            || self.queue.iter().any(|challenge| challenge.id == *id)
    }

    /// Running, expected and waiting games with one opponent and a challenge to him, without the game `except` (the
    /// one that a rematch offer follows: it is over, though its task may not have noticed). Anonymous players cannot
    /// be told apart and are not counted.
    pub(super) fn with_opponent(&self, opponent: Option<&str>, except: Option<&GameId>) -> usize {
        let Some(opponent) = opponent else { return 0 };
        let same = |other: Option<&str>| other.is_some_and(|id| id.eq_ignore_ascii_case(opponent));
        let games = self
            .running
            .iter()
            .filter(|(id, seat)| except != Some(*id) && same(seat.opponent.as_deref()))
            .count();
        let reserved = self.reserved.values().map(|entry| &entry.seat);
        let expected = reserved
            .chain(&self.outgoing)
            .filter(|seat| same(seat.opponent.as_deref()))
            .count();
        let challenger = |challenge: &&Challenge| {
            same(challenge.challenger.as_ref().map(|user| user.id.as_str()))
        };
        games + expected + self.queue.iter().filter(challenger).count()
    }

    /// Takes a slot for a game that should start soon.
    pub(super) fn reserve(&mut self, id: GameId, seat: Seat, now: Instant) {
        self.reserved.insert(id, Reserved { seat, since: now });
    }

    /// Gives a reserved slot back; whether there was one.
    pub(super) fn release(&mut self, id: &GameId) -> bool {
        self.reserved.remove(id).is_some()
    }

    /// Gives back the slots of games that did not start in time.
    pub(super) fn release_overdue(&mut self, now: Instant, timeout: Duration) -> Vec<GameId> {
        let overdue: Vec<GameId> = self
            .reserved
            .iter()
            .filter(|(_, entry)| now.saturating_duration_since(entry.since) >= timeout)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &overdue {
            self.reserved.remove(id);
        }
        overdue
    }

    /// When the next reserved slot becomes overdue.
    pub(super) fn next_overdue(&self, timeout: Duration) -> Option<Instant> {
        self.reserved
            .values()
            .filter_map(|entry| entry.since.checked_add(timeout))
            .min()
    }

    /// Turns a reservation, if there is one, into a running game. False if the game runs already.
    pub(super) fn start(&mut self, id: GameId, seat: Seat) -> bool {
        if self.running.contains_key(&id) {
            return false;
        }
        self.release(&id);
        self.forget_waiting(&id);
        // The game may be told before the answer to the challenge that became it.
        self.outgoing
            .take_if(|outgoing| outgoing.opponent.is_some() && outgoing.opponent == seat.opponent);
        self.running.insert(id, seat);
        true
    }

    /// Frees the slot of a running game and returns who it was for; `None` if it was not running.
    pub(super) fn finish(&mut self, id: &GameId) -> Option<Seat> {
        self.running.remove(id)
    }

    /// Lets a challenge wait. A second copy of a waiting one replaces it in its place.
    pub(super) fn enqueue(&mut self, challenge: Challenge) {
        match self.queue.iter_mut().find(|other| other.id == challenge.id) {
            Some(place) => *place = challenge,
            None => self.queue.push_back(challenge),
        }
    }

    /// Takes the challenge that has waited longest.
    pub(super) fn dequeue(&mut self) -> Option<Challenge> {
        self.queue.pop_front()
    }

    /// What there is to choose from among the waiting challenges, in their order.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let of = |challenge: &Challenge| {
            let user = challenge.challenger.as_ref();
            Candidate {
                is_bot: user.is_some_and(ChallengeUser::is_bot),
                rating: user.and_then(|user| user.rating),
            }
        };
        self.queue.iter().map(of).collect()
    }

    /// Takes a waiting challenge by its place.
    pub(super) fn take_waiting(&mut self, place: usize) -> Option<Challenge> {
        self.queue.remove(place)
    }

    /// Drops a waiting challenge that was cancelled; whether it was there.
    pub(super) fn forget_waiting(&mut self, id: &GameId) -> bool {
        let before = self.queue.len();
        self.queue.retain(|challenge| challenge.id != *id);
        self.queue.len() != before
    }

    /// Names of those whose challenges wait, in order.
    pub(super) fn waiting_names(&self) -> Vec<String> {
        let name = |challenge: &Challenge| {
            challenge
                .challenger
                .as_ref()
                .map_or_else(|| "anonymous".to_owned(), |user| user.name.clone())
        };
        self.queue.iter().map(name).collect()
    }

    /// Ids of the waiting challenges.
    pub(super) fn waiting_ids(&self) -> HashSet<GameId> {
        self.queue
            .iter()
            .map(|challenge| challenge.id.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(id: &str, opponent: &str) -> Challenge {
        let json = format!(
            r#"{{"id":"{id}","challenger":{{"id":"{opponent}","name":"{opponent}"}},"variant":{{"key":"crazyhouse"}}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn id(text: &str) -> GameId {
        text.into()
    }

    /// Slot for a human.
    fn of(name: &str) -> Seat {
        Seat {
            opponent: OpponentId::from(name.to_owned()),
            is_bot: false,
        }
    }

    fn bot(name: &str) -> Seat {
        Seat {
            is_bot: true,
            ..of(name)
        }
    }

    #[test]
    fn a_slot_is_taken_from_the_accept_until_the_game_ends() {
        let (mut slots, now) = (Slots::default(), Instant::now());
        slots.reserve(id("a"), of("alice"), now);
        assert_eq!(slots.taken(), 1);
        assert!(slots.start(id("a"), of("alice")));
        assert_eq!(slots.taken(), 1);
        assert!(
            !slots.release(&id("a")),
            "the game took the reservation over"
        );
        assert_eq!(slots.finish(&id("a")), Some(of("alice")));
        assert_eq!(slots.taken(), 0);
        assert_eq!(slots.finish(&id("a")), None);
    }

    #[test]
    fn a_game_announced_twice_starts_once() {
        let mut slots = Slots::default();
        assert!(slots.start(id("a"), of("alice")));
        assert!(!slots.start(id("a"), of("alice")));
        assert_eq!(slots.taken(), 1);
    }

    #[test]
    fn a_failed_or_overdue_accept_gives_its_slot_back() {
        let (mut slots, now) = (Slots::default(), Instant::now());
        let timeout = Duration::from_secs(30);
        slots.reserve(id("a"), of("alice"), now);
        assert!(slots.release(&id("a")));
        assert!(!slots.release(&id("a")));
        slots.reserve(id("b"), of("bob"), now);
        slots.reserve(id("c"), of("carol"), now + Duration::from_secs(10));
        assert_eq!(slots.next_overdue(timeout), Some(now + timeout));
        assert!(
            slots
                .release_overdue(now + Duration::from_secs(29), timeout)
                .is_empty()
        );
        assert_eq!(
            slots.release_overdue(now + Duration::from_secs(31), timeout),
            [id("b")]
        );
        assert_eq!(slots.taken(), 1);
    }

    #[test]
    fn games_of_one_opponent_are_counted_whatever_their_stage() {
        let (mut slots, now) = (Slots::default(), Instant::now());
        slots.start(id("a"), of("alice"));
        slots.reserve(id("b"), of("Alice"), now);
        slots.enqueue(waiting("c", "alice"));
        slots.enqueue(waiting("d", "bob"));
        slots.start(
            id("e"),
            Seat {
                opponent: None,
                is_bot: false,
            },
        );
        assert_eq!(slots.with_opponent(Some("alice"), None), 3);
        assert_eq!(slots.with_opponent(Some("alice"), Some(&id("a"))), 2);
        assert_eq!(slots.with_opponent(Some("bob"), None), 1);
        assert_eq!(slots.with_opponent(None, None), 0);
    }

    #[test]
    fn a_challenge_of_ours_takes_a_slot_and_counts_for_the_opponent() {
        let (mut slots, now) = (Slots::default(), Instant::now());
        slots.start(id("a"), of("alice"));
        slots.reserve(id("b"), bot("carol"), now);
        slots.set_outgoing(Some(bot("bob")));
        assert_eq!((slots.taken(), slots.taken_by_bots()), (3, 2));
        assert_eq!(slots.with_opponent(Some("Bob"), None), 1);
        assert!(slots.expects_bot(&id("b")) && !slots.expects_bot(&id("a")));
        slots.set_outgoing(None);
        assert_eq!((slots.taken(), slots.taken_by_bots()), (2, 1));
        slots.set_outgoing(Some(bot("bob")));
        slots.start(id("c"), bot("bob"));
        assert_eq!(slots.taken(), 3, "the challenge has become the game");
        slots.finish(&id("c"));
        assert_eq!(slots.with_opponent(Some("bob"), None), 0);
    }

    #[test]
    fn waiting_challenges_keep_their_order_and_can_be_withdrawn() {
        let mut slots = Slots::default();
        for (game, opponent) in [("a", "alice"), ("b", "bob"), ("c", "carol"), ("a", "alice")] {
            slots.enqueue(waiting(game, opponent));
        }
        assert_eq!(slots.queued(), 3);
        assert!(slots.forget_waiting(&id("b")));
        assert!(!slots.forget_waiting(&id("b")));
        assert_eq!(slots.waiting_ids(), HashSet::from([id("a"), id("c")]));
        let order: Vec<GameId> = std::iter::from_fn(|| slots.dequeue())
            .map(|challenge| challenge.id)
            .collect();
        assert_eq!(order, [id("a"), id("c")]);
    }

    #[test]
    fn a_waiting_challenge_that_starts_as_a_game_waits_no_longer() {
        let mut slots = Slots::default();
        slots.enqueue(waiting("a", "alice"));
        assert!(slots.knows(&id("a")));
        assert!(slots.start(id("a"), of("alice")));
        assert_eq!((slots.taken(), slots.queued()), (1, 0));
        assert!(slots.knows(&id("a")));
    }
}
