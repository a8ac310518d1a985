//! Arenas: bots that have joined are paired with the scripted opponents, one game after another.

use super::Hall;
use crate::lichess::model::{GameStatus, Tournament, TournamentClock, TournamentList};
use crate::rules::Color;
use crate::sandbox::answer::ApiError;
use crate::sandbox::challenges::{Challenge, ChallengeStatus};
use crate::sandbox::fields::Fields;
use crate::sandbox::request::{ColorWish, Request};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Opponent of everybody.
const OPPONENT: &str = "greedy";

/// An arena on the server.
#[derive(Debug)]
pub(super) struct Arena {
    variant: String,
    bots_allowed: bool,
    password: Option<String>,
    clock: TournamentClock,
    starts: Instant,
    ends: Instant,
    /// Who has joined, and whether he wants to be paired.
    members: BTreeMap<String, bool>,
    games: u32,
}

impl Hall {
    /// Opens an arena; fields `clock.limit`, `clock.increment`, `minutes`, `startIn` (seconds), `password`, `variant`
    /// and `botsAllowed`, each with a default.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(crate) fn open_arena(
        &mut self,
        fields: &Fields,
        now: Instant,
    ) -> Result<Tournament, ApiError> {
        let number = |name: &str, default: u32, most: u32| match fields.get(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .ok()
                .filter(|n| *n <= most)
                .ok_or_else(|| ApiError::form(name, &format!("expected 0 to {most}"))),
        };
        let starts = now + Duration::from_secs(number("startIn", 0, 3600)?.into());
        let minutes = number("minutes", 10, 600)?;
        let arena = Arena {
            variant: fields.get("variant").unwrap_or("crazyhouse").to_owned(),
            bots_allowed: fields.get("botsAllowed") != Some("false"),
            password: fields.get("password").map(str::to_owned),
            clock: TournamentClock {
                limit: number("clock.limit", 60, 10_800)?,
                increment: number("clock.increment", 1, 60)?,
            },
            starts,
            ends: starts + Duration::from_secs(60 * u64::from(minutes)),
            members: BTreeMap::new(),
            games: 0,
        };
        let id = self.new_id().0;
        let shown = arena.show(&id, now);
        self.arenas.insert(id, arena);
        Ok(shown)
    }

    /// An arena.
    ///
    /// # Errors
    /// 404 if there is none.
    pub(crate) fn show_arena(&self, id: &str, now: Instant) -> Result<Tournament, ApiError> {
        let arena = self.arenas.get(id);
        arena
            .map(|arena| arena.show(id, now))
            .ok_or_else(|| ApiError::not_found("Not found"))
    }

    /// Arenas to come and running ones.
    pub(crate) fn list_arenas(&self, now: Instant) -> TournamentList {
        let mut list = TournamentList::default();
        for (id, arena) in &self.arenas {
            let shown = arena.show(id, now);
            match (shown.is_finished, shown.seconds_to_start) {
                (true, _) => {}
                (false, Some(_)) => list.created.push(shown),
                (false, None) => list.started.push(shown),
            }
        }
        list
    }

    /// Lets an account join, or come back.
    ///
    /// # Errors
    /// 404 if there is none, 400 if the account may not join.
    pub(crate) fn join_arena(
        &mut self,
        user: &str,
        id: &str,
        password: Option<&str>,
        now: Instant,
    ) -> Result<(), ApiError> {
        let arena = self.arenas.get_mut(id);
        let arena = arena.ok_or_else(|| ApiError::not_found("Not found"))?;
        if now >= arena.ends {
            return Err(ApiError::bad_request("This tournament is over"));
        }
        if !arena.bots_allowed {
            return Err(ApiError::bad_request("Bots are not allowed here"));
        }
        if arena.password.as_deref() != password && !arena.members.contains_key(user) {
            return Err(ApiError::bad_request("Wrong entry code"));
        }
        arena.members.insert(user.to_owned(), true);
        Ok(())
    }

    /// Takes an account out before the start, or pauses it.
    ///
    /// # Errors
    /// 404 if it is not in the arena.
    pub(crate) fn withdraw_from_arena(&mut self, user: &str, id: &str) -> Result<(), ApiError> {
        let arena = self.arenas.get_mut(id);
        let member = arena.and_then(|arena| arena.members.get_mut(user));
        *member.ok_or_else(|| ApiError::not_found("Not found"))? = false;
        Ok(())
    }

    /// Starts the games of all arenas that can start now.
    pub(super) fn pair_arenas(&mut self, now: Instant) {
        let due: Vec<(String, String)> = self
            .arenas
            .iter()
            .filter(|(_, arena)| (arena.starts..arena.ends).contains(&now))
            .flat_map(|(id, arena)| {
                let wanted = arena.members.iter().filter(|(_, wants)| **wants);
                wanted.map(|(user, _)| (id.clone(), user.clone()))
            })
            .filter(|(_, user)| self.is_online(user) && self.current_game(user).is_none())
            .collect();
        for (id, user) in due {
            self.pair(&id, &user, now);
        }
    }

    fn pair(&mut self, id: &str, user: &str, now: Instant) {
        // Makes the account when it is first needed.
        let _known = self.accounts.find(OPPONENT).is_some();
        let Some(arena) = self.arenas.get_mut(id) else {
            return;
        };
        arena.games += 1;
        let color = if arena.games % 2 == 1 {
            Color::White
        } else {
            Color::Black
        };
        let TournamentClock { limit, increment } = arena.clock;
        let challenge = Challenge {
            id: self.new_id(),
            challenger: user.to_owned(),
            dest: OPPONENT.to_owned(),
            request: Request::crazyhouse(limit, increment, true, ColorWish::Random),
            final_color: color,
            status: watch::Sender::new(ChallengeStatus::Accepted),
            declined: None,
            seen: now,
        };
        if let Err(error) = self.open_table(&challenge, Some(id.to_owned()), now) {
            tracing::warn!(arena = id, user, answer = %error.body(), "no game of the arena");
        }
    }

    /// What the end of a game means for its arena: who lost for want of a first move is out until he joins again.
    pub(super) fn note_in_arena(&mut self, id: &str, loser: Option<&str>, status: GameStatus) {
        if status == GameStatus::NoStart
            && let Some(loser) = loser
            && let Some(arena) = self.arenas.get_mut(id)
            && let Some(wants) = arena.members.get_mut(loser)
        {
            *wants = false;
        }
    }
}

impl Arena {
    fn show(&self, id: &str, now: Instant) -> Tournament {
        let seconds = |at: Instant| at.saturating_duration_since(now).as_secs() as i64;
        let started = now >= self.starts;
        let finished = now >= self.ends;
        Tournament {
            id: id.to_owned(),
            full_name: "Sandbox Arena".to_owned(),
            variant: self.variant.clone(),
            clock: self.clock,
            bots_allowed: self.bots_allowed,
            seconds_to_start: (!started).then(|| seconds(self.starts)),
            seconds_to_finish: (started && !finished).then(|| seconds(self.ends)),
            is_finished: finished,
        }
    }
}
