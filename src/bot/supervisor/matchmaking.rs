//! Challenges of our own: asks [`Matchmaker`](crate::bot::matchmaking::Matchmaker) what to do, does it, and tells it
//! what came of it.

use super::{Done, Supervisor};
use crate::bot::matchmaking::attempt::{self, Heard, Outcome};
use crate::bot::matchmaking::choose::Wanted;
use crate::bot::matchmaking::{Now, Offer, Refusal, SeriesEnd, Step, Terms};
use crate::bot::pauses::doubled;
use crate::bot::record::GameRecord;
use crate::bot::slots::Seat;
use crate::bot::{BotEvent, SeriesNews, Verdict};
use crate::lichess::model::{Challenge, DeclineReason, GameId};
use crate::lichess::{self, Kind};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tracing::{debug, info, warn};

/// Key under which Lichess names the limit of games between bots.
const BOT_GAMES: &str = "bot.vsBot.day";
/// Pause of challenges after a 429 that names no time; doubles while they go on.
const LIMIT_PAUSE: Duration = Duration::from_mins(1);
/// Longest such pause. The credit of a day is the slowest limit.
const LONGEST_LIMIT_PAUSE: Duration = Duration::from_hours(12);

impl Supervisor {
    /// Does what is next, and returns when it should be asked again.
    pub(super) fn make_matches(&mut self, now: Instant) -> Option<Instant> {
        if !self.listening {
            // The reason of a decline is told by the event stream alone.
            return None;
        }
        let settings = Arc::clone(&self.options.settings);
        let challenge = &settings.challenge;
        let reserved = self.reserved_for_arena();
        let is_open = self.slots.taken() + reserved < challenge.concurrency;
        let is_open_to_bots = is_open && self.slots.taken_by_bots() < challenge.slots_for_bots();
        let step = {
            let state = self.store.read();
            self.matchmaker.next(&Now {
                at: now,
                time: Timestamp::now(),
                settings: &settings.matchmaking,
                max_bot_games: challenge.max_bot_games_per_day,
                state: &state,
                draining: self.draining,
                gate: (!self.gate.is_open(now)).then(|| now + self.gate.wait(now)),
                taken: self.slots.taken(),
                is_open,
                is_open_to_bots,
                waiting: self.slots.queued(),
            })
        };
        match step {
            Step::Rest(until) => until,
            Step::Find(terms) => {
                self.find(terms);
                None
            }
            Step::Challenge(offer) => {
                self.challenge(offer);
                None
            }
            Step::End(end) => {
                self.end_series(end);
                None
            }
        }
    }

    fn find(&mut self, terms: Terms) {
        let settings = &self.options.settings;
        let wanted = Wanted {
            account: self.account.to_string(),
            own: self.own_rating,
            terms,
            settings: settings.matchmaking.clone(),
            challenge: settings.challenge.clone(),
            lists: self.lists.clone(),
            playing: self.slots.opponents(),
            state: self.store.read().clone(),
        };
        let lots = self.matchmaker.lots();
        let client = self.options.client.clone();
        let withdraw = self.withdraw.child_token();
        self.pending += 1;
        let handle = self.tasks.spawn(async move {
            let search = attempt::find(client, wanted, lots);
            let found = withdraw.run_until_cancelled(search).await;
            Done::Found(found.unwrap_or(Ok(None)))
        });
        self.courtship = Some(handle.id());
    }

    pub(super) fn on_found(&mut self, found: Result<Option<Offer>, lichess::Error>) {
        let now = Instant::now();
        let settings = Arc::clone(&self.options.settings);
        let offer = match found {
            Ok(offer) => offer,
            Err(error) => {
                self.note_rate_limit(&error);
                let error = &error as &dyn std::error::Error;
                warn!(error, "bots that are online could not be listed");
                None
            }
        };
        self.matchmaker
            .on_search(offer.is_some(), now, &settings.matchmaking);
        let Some(offer) = offer else {
            debug!("no bot to challenge");
            return;
        };
        // Things may have changed meanwhile.
        let reserved = self.reserved_for_arena();
        let is_open = self.slots.taken() + reserved < settings.challenge.concurrency;
        let is_idle = self.slots.taken() == 0 || settings.matchmaking.allow_during_games;
        let is_wanted = settings.matchmaking.enabled && !self.draining;
        if !is_wanted || self.slots.queued() > 0 || !is_open || !is_idle {
            self.matchmaker.on_unsent();
            return;
        }
        self.challenge(offer);
    }

    fn challenge(&mut self, offer: Offer) {
        let now = Timestamp::now();
        self.store
            .change(|state| state.note_challenge(offer.cost(), now));
        let costs = self.store.read().challenge_costs(now);
        info!(
            opponent = offer.opponent,
            offer = %offer,
            bot_games_today = self.store.read().bot_games(now),
            challenges_today = costs,
            "challenging"
        );
        self.slots.set_outgoing(Some(Seat {
            opponent: Some(offer.opponent.clone()),
            is_bot: offer.is_bot,
        }));
        let (heard, hearing) = mpsc::unbounded_channel();
        self.heard = Some(heard);
        let client = self.options.client.clone();
        let timeout = self.options.settings.matchmaking.challenge_timeout;
        let withdraw = self.withdraw.child_token();
        self.pending += 1;
        let handle = self.tasks.spawn(async move {
            let outcome =
                attempt::challenge(client, offer.clone(), timeout, hearing, withdraw).await;
            Done::Challenged(offer, outcome)
        });
        self.courtship = Some(handle.id());
    }

    /// Hands on what the event stream tells to the challenge under way.
    pub(super) fn hear(&self, heard: impl FnOnce() -> Heard) {
        if let Some(channel) = &self.heard {
            // It may just have ended.
            channel.send(heard()).ok();
        }
    }

    /// Notes a challenge of ours that the event stream tells of; whether it was one.
    pub(super) fn hear_of_own(&self, challenge: &Challenge) -> bool {
        let is_ours = challenge
            .challenger
            .as_ref()
            .is_some_and(|user| user.id.eq_ignore_ascii_case(&self.account));
        if is_ours && let Some(dest) = &challenge.dest_user {
            self.hear(|| Heard::Made(challenge.id.clone(), dest.id.to_ascii_lowercase()));
        }
        is_ours
    }

    pub(super) fn hear_declined(&self, challenge: &Challenge) {
        let reason = challenge
            .decline_reason_key
            .as_deref()
            .map(DeclineReason::from_word);
        self.hear(|| Heard::Declined(challenge.id.clone(), reason));
    }

    pub(super) fn on_challenged(&mut self, offer: &Offer, outcome: Outcome) {
        self.heard = None;
        self.slots.set_outgoing(None);
        let now = Instant::now();
        match outcome {
            Outcome::Accepted(id) => self.on_accepted(&id, offer, now),
            Outcome::Declined(reason) => self.on_refusal(offer, &Refusal::Declined(reason), now),
            Outcome::Unanswered => self.on_refusal(offer, &Refusal::Unanswered, now),
            Outcome::Withdrawn => self.matchmaker.on_unsent(),
            Outcome::Failed(error) => self.on_failed(offer, &error, now),
        }
    }

    fn on_accepted(&mut self, id: &GameId, offer: &Offer, now: Instant) {
        info!(game = %id, opponent = offer.opponent, "challenge accepted");
        let time = Timestamp::now();
        self.store.change(|state| {
            state.forgive(&offer.opponent, time);
            if offer.is_bot {
                state.note_bot_game(id, time);
            }
        });
        let is_known = self.slots.is_running(id) || self.finished.contains(id);
        if !is_known {
            let seat = Seat {
                opponent: Some(offer.opponent.clone()),
                is_bot: offer.is_bot,
            };
            self.slots.reserve(id.clone(), seat, now);
        }
        let pairs = self.options.settings.matchmaking.pairs;
        self.matchmaker.on_accepted(id, offer, pairs, now);
        // A game of few moves can be over before the answer to its challenge comes.
        if let Some(verdict) = self.verdicts.get(id).copied() {
            self.tell_over(id, verdict);
        }
    }

    fn on_refusal(&mut self, offer: &Offer, refusal: &Refusal, now: Instant) {
        let settings = &self.options.settings.matchmaking;
        let time = Timestamp::now();
        let rests = refusal.lesson(offer).map(|(topic, times)| {
            let first = settings.backoff.saturating_mul(times);
            let waits = [first.min(settings.max_backoff), settings.max_backoff];
            self.store
                .change(|state| state.note_refusal(&offer.opponent, topic, waits, time))
        });
        let pause = self.matchmaker.on_refused(refusal, now, settings);
        info!(
            opponent = offer.opponent,
            offer = %offer,
            ?rests,
            ?pause,
            "challenge {refusal}"
        );
        self.tell_series(|| SeriesNews::Refused(refusal.to_string()));
    }

    /// Our own limit is a 429; a 400 that names a limit is the opponent's.
    fn on_failed(&mut self, offer: &Offer, error: &lichess::Error, now: Instant) {
        let time = Timestamp::now();
        let limit = error.api().and_then(|api| api.rate_limit.clone());
        match (error.kind(), limit) {
            (Kind::RateLimited { .. }, Some(limit)) if limit.key == BOT_GAMES => {
                warn!(wait = ?limit.wait, "our limit of games with bots is reached");
                self.store
                    .change(|state| state.block_bot_games(limit.wait, time));
                self.matchmaker.on_unsent();
            }
            (Kind::RateLimited { retry_after }, _) => {
                let own = doubled(LIMIT_PAUSE, self.limited, LONGEST_LIMIT_PAUSE);
                self.limited = self.limited.saturating_add(1);
                let wait = retry_after.unwrap_or(own);
                warn!(?wait, "Lichess takes no challenges of ours for now");
                self.store
                    .change(|state| state.block_challenges(wait, time));
                self.note_rate_limit(error);
                self.matchmaker.on_unsent();
            }
            (_, Some(limit)) => {
                self.store
                    .change(|state| state.cap_opponent(&offer.opponent, limit.wait, time));
                self.on_refusal(offer, &Refusal::Capped, now);
            }
            (Kind::Rejected | Kind::NotFound | Kind::Unauthorized, None) => {
                let text = error
                    .api()
                    .map_or_else(|| error.to_string(), |api| api.message.clone());
                self.on_refusal(offer, &Refusal::Refused(text), now);
            }
            (Kind::Transport | Kind::Timeout | Kind::Server | Kind::Decode, None) => {
                let settings = &self.options.settings.matchmaking;
                let pause = self.matchmaker.on_server_busy(now, settings);
                warn!(
                    opponent = offer.opponent,
                    ?pause,
                    error = error as &dyn std::error::Error,
                    "challenge could not be sent"
                );
            }
        }
        if !matches!(error.kind(), Kind::RateLimited { .. }) {
            self.limited = 0;
        }
    }

    /// Notes the end of a game.
    pub(super) fn note_over(&mut self, record: &GameRecord, seat: Option<&Seat>) {
        if let Some(id) = seat.and_then(|seat| seat.opponent.as_deref()) {
            let (id, now) = (id.to_ascii_lowercase(), Timestamp::now());
            self.store
                .change(|state| state.note_result(&id, record.verdict, now));
        }
        self.verdicts.insert(record.id.clone(), record.verdict);
        self.tell_over(&record.id, record.verdict);
    }

    /// Tells the matchmaker that a game of ours is over, or never was.
    pub(super) fn tell_over(&mut self, id: &GameId, verdict: Verdict) {
        let settings = Arc::clone(&self.options.settings);
        let score =
            self.matchmaker
                .on_game_over(id, verdict, Instant::now(), &settings.matchmaking);
        if let Some(score) = score {
            info!(game = %id, verdict = verdict.word(), %score, "game of the series");
            self.tell_series(|| SeriesNews::Game {
                id: id.clone(),
                verdict,
                score,
            });
        }
    }

    fn end_series(&mut self, end: SeriesEnd) {
        match &end.gave_up {
            None => info!(score = %end.score, "series is over"),
            Some(reason) => warn!(score = %end.score, reason, "series given up"),
        }
        self.tell_series(|| SeriesNews::Ended(end));
        self.drain();
    }

    fn tell_series(&self, news: impl FnOnce() -> SeriesNews) {
        if self.matchmaker.series().is_some() {
            self.observer.emit(|| BotEvent::Series(news()));
        }
    }
}
