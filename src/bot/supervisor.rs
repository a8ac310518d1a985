//! Owner of the event stream, the slots and all tasks. Never awaits a request itself: every request is a task of its
//! own, and its answer is an event like any other.

use super::account_feed::{AccountEvent, AccountFeed};
use super::archive::Archive;
use super::challenge::{self, Decision, Facts};
use super::game::{self, Command, GameContext, GameEnd};
use super::round_trip::RoundTrip;
use super::slots::Slots;
use super::{BotEvent, BotOptions, Error, Observer, Summary};
use crate::lichess::model::{Challenge, Compat, DeclineReason, Event, GameId, GameInfo};
use crate::lichess::{self, Gate, Kind};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug, error, info, info_span, warn};

/// How often the list of running games is compared with ours: a stream can be silent without looking dead.
const RECONCILE: Duration = Duration::from_secs(180);
/// Pause before it is compared again when that was wanted while an answer was under way.
const RECONCILE_AGAIN: Duration = Duration::from_secs(1);
/// After a connect the server repeats what is open; challenges not repeated by the first keep-alive line (one comes
/// every 7 s), or by this time, are gone.
const REPLAY: Duration = Duration::from_secs(15);
/// Pause before a failed game is looked up again; doubles with each failure of the same game.
const RESTART_PAUSE: Duration = Duration::from_millis(250);
/// Failures after which a game is given up.
const MAX_RESTARTS: u32 = 6;
/// Finished games that are remembered, so that an old list of games does not start them again.
const REMEMBERED: usize = 200;
/// How long tasks may take to end when the bot leaves.
const LEAVE_GRACE: Duration = Duration::from_secs(2);

/// Runs the bot until it may leave.
pub(super) async fn run(options: BotOptions, archive: Archive) -> Result<Summary, Error> {
    let (draining, stop) = (options.draining.clone(), options.stop.clone());
    let mut supervisor = Supervisor::new(options, archive);
    let result = loop {
        if supervisor.draining && supervisor.is_idle() {
            break Ok(());
        }
        let wake = supervisor.wake();
        tokio::select! {
            biased;
            () = stop.cancelled() => break Ok(()),
            Some(done) = supervisor.tasks.join_next_with_id(), if !supervisor.tasks.is_empty() => {
                supervisor.on_done(done);
            }
            event = supervisor.feed.next() => {
                if let Err(error) = supervisor.on_event(event) {
                    break Err(error);
                }
            }
            () = draining.cancelled(), if !supervisor.draining => supervisor.drain(),
            () = tokio::time::sleep_until(wake.into()) => {}
        }
        supervisor.on_time(Instant::now());
        supervisor.fill_slots();
    };
    supervisor.leave().await;
    result.map(|()| supervisor.summary)
}

/// What a task of the supervisor ends with.
#[derive(Debug)]
enum Done {
    Game(GameId, GameEnd),
    Accepted(GameId, Result<(), lichess::Error>),
    Declined(GameId, Result<(), lichess::Error>),
    Playing(Result<Vec<GameInfo>, lichess::Error>),
}

/// Challenges known before a connect and not yet repeated after it.
#[derive(Debug)]
struct Replay {
    until: Instant,
    missing: HashSet<GameId>,
}

struct Supervisor {
    options: BotOptions,
    account: Arc<str>,
    archive: Archive,
    observer: Observer,
    round_trip: Arc<Mutex<RoundTrip>>,
    /// Ends all games when the bot leaves for whatever reason.
    leave: CancellationToken,
    feed: AccountFeed,
    slots: Slots,
    tasks: JoinSet<Done>,
    /// Which game a task plays, to know whose task panicked.
    players: HashMap<Id, GameId>,
    commands: HashMap<GameId, mpsc::UnboundedSender<Command>>,
    /// Requests under way that the bot should not leave behind.
    pending: usize,
    failures: HashMap<GameId, u32>,
    finished: VecDeque<GameId>,
    foreign: HashSet<GameId>,
    gate: Gate,
    reconcile_at: Instant,
    reconciling: bool,
    replay: Option<Replay>,
    draining: bool,
    summary: Summary,
}

impl Supervisor {
    fn new(mut options: BotOptions, archive: Archive) -> Self {
        let observer = Observer(options.observer.take());
        let id = &options.account.id;
        let name = if id.is_empty() {
            &options.account.username
        } else {
            id
        };
        Self {
            account: name.to_lowercase().into(),
            leave: options.stop.child_token(),
            feed: AccountFeed::new(options.client.clone()),
            options,
            archive,
            observer,
            round_trip: Arc::default(),
            slots: Slots::default(),
            tasks: JoinSet::new(),
            players: HashMap::new(),
            commands: HashMap::new(),
            pending: 0,
            failures: HashMap::new(),
            finished: VecDeque::new(),
            foreign: HashSet::new(),
            gate: Gate::new(),
            // The first comparison is made when the stream is open.
            reconcile_at: Instant::now() + RECONCILE,
            reconciling: false,
            replay: None,
            draining: false,
            summary: Summary::default(),
        }
    }

    fn is_idle(&self) -> bool {
        self.slots.taken() == 0 && self.pending == 0
    }

    fn wake(&self) -> Instant {
        let now = Instant::now();
        let gate = now + self.gate.wait(now);
        let waiting = self.slots.queued() > 0 && !self.gate.is_open(now);
        [
            self.slots
                .next_overdue(self.options.settings.challenge.start_timeout),
            self.replay.as_ref().map(|replay| replay.until),
            waiting.then_some(gate),
        ]
        .into_iter()
        .flatten()
        .fold(self.reconcile_at, Instant::min)
    }

    fn on_time(&mut self, now: Instant) {
        let timeout = self.options.settings.challenge.start_timeout;
        for id in self.slots.release_overdue(now, timeout) {
            warn!(game = %id, "game did not start, its slot is free again");
        }
        if self
            .replay
            .as_ref()
            .is_some_and(|replay| now >= replay.until)
            && let Some(replay) = self.replay.take()
        {
            for id in replay.missing {
                if self.slots.forget_waiting(&id) {
                    info!(challenge = %id, "waiting challenge is gone");
                }
            }
        }
        if now >= self.reconcile_at {
            self.reconcile(now);
        }
    }

    fn on_event(&mut self, event: AccountEvent) -> Result<(), Error> {
        match event {
            AccountEvent::Connected => {
                let now = Instant::now();
                let missing = self.slots.waiting_ids();
                self.replay = Some(Replay {
                    until: now + REPLAY,
                    missing,
                });
                self.reconcile(now);
            }
            AccountEvent::Alive => self.end_replay(),
            AccountEvent::Refused(error) => return Err(Error::Refused(error)),
            AccountEvent::Line(event) => match event {
                Event::GameStart { game } => self.on_game(*game),
                Event::GameFinish { game } => {
                    let id = game.game();
                    debug!(game = %id, rating_diff = game.rating_diff, "event stream says it is over");
                    self.slots.release(id);
                    self.command(id, Command::Check);
                }
                Event::Challenge { challenge, compat } => self.on_challenge(*challenge, compat),
                Event::ChallengeCanceled { challenge } | Event::ChallengeDeclined { challenge } => {
                    if self.slots.forget_waiting(&challenge.id) {
                        info!(challenge = %challenge.id, "waiting challenge was withdrawn");
                    }
                }
                Event::Unknown => debug!("event of unknown kind"),
            },
        }
        Ok(())
    }

    fn end_replay(&mut self) {
        let Some(replay) = self.replay.take() else {
            return;
        };
        for id in replay.missing {
            if self.slots.forget_waiting(&id) {
                info!(challenge = %id, "waiting challenge is gone");
            }
        }
    }

    fn on_challenge(&mut self, challenge: Challenge, compat: Option<Compat>) {
        if let Some(replay) = &mut self.replay {
            replay.missing.remove(&challenge.id);
        }
        if self.slots.knows(&challenge.id) {
            return;
        }
        let challenger = challenge.challenger.as_ref();
        let facts = Facts {
            account: &self.account,
            compat,
            draining: self.draining,
            taken: self.slots.taken(),
            queued: self.slots.queued(),
            with_opponent: self.slots.with_opponent(
                challenger.map(|user| user.id.as_str()),
                challenge.rematch_of.as_ref(),
            ),
        };
        let decision = challenge::decide(&challenge, &self.options.settings.challenge, &facts);
        if decision != Decision::Ignore {
            info!(
                challenge = %challenge.id,
                from = challenger.map_or("anonymous", |user| user.name.as_str()),
                rating = challenger.and_then(|user| user.rating),
                variant = challenge.variant.key,
                clock = ?challenge.time_control,
                rated = challenge.rated,
                ?decision,
                "challenge"
            );
        }
        match decision {
            Decision::Ignore => {}
            Decision::Decline(reason) => self.decline(challenge.id, reason),
            Decision::Accept if self.gate.is_open(Instant::now()) => self.accept(&challenge),
            Decision::Accept | Decision::Queue => self.slots.enqueue(challenge),
        }
    }

    fn accept(&mut self, challenge: &Challenge) {
        let id = challenge.id.clone();
        let opponent = challenge.challenger.as_ref().map(|user| user.id.clone());
        self.slots.reserve(id.clone(), opponent, Instant::now());
        let client = self.options.client.clone();
        self.pending += 1;
        self.tasks.spawn(async move {
            let result = client.accept_challenge(&id).await;
            Done::Accepted(id, result)
        });
    }

    fn decline(&mut self, id: GameId, reason: DeclineReason) {
        if !self.gate.is_open(Instant::now()) {
            debug!(challenge = %id, "not declined: the server asked for a pause");
            return;
        }
        let client = self.options.client.clone();
        self.pending += 1;
        self.tasks.spawn(async move {
            let result = client.decline_challenge(&id, reason).await;
            Done::Declined(id, result)
        });
    }

    fn reconcile(&mut self, now: Instant) {
        if self.reconciling {
            // The answer under way may be too old for whoever asks now.
            self.reconcile_at = now + RECONCILE_AGAIN;
            return;
        }
        self.reconcile_at = now + RECONCILE;
        let wait = self.gate.wait(now);
        if !wait.is_zero() {
            self.reconcile_at = now + wait;
            return;
        }
        self.reconciling = true;
        let client = self.options.client.clone();
        self.tasks
            .spawn(async move { Done::Playing(client.playing().await) });
    }

    /// Accepts waiting challenges while there are free slots.
    fn fill_slots(&mut self) {
        while !self.draining
            && self.slots.taken() < self.options.settings.challenge.concurrency
            && self.gate.is_open(Instant::now())
        {
            let Some(challenge) = self.slots.dequeue() else {
                return;
            };
            info!(challenge = %challenge.id, "waiting challenge gets its slot");
            self.accept(&challenge);
        }
    }

    /// Plays a game that the server says is running, unless it is played already.
    fn on_game(&mut self, info: GameInfo) {
        let id = info.game().clone();
        let over = info
            .status
            .as_ref()
            .is_some_and(|status| status.name.is_over());
        if id.0.is_empty() || over || self.slots.is_running(&id) || self.finished.contains(&id) {
            return;
        }
        let playable = info.compat.is_none_or(|compat| compat.bot);
        if info.variant.key != "crazyhouse" || !playable {
            // Somebody else with this account began it, and may be playing it.
            self.slots.release(&id);
            if self.foreign.insert(id.clone()) {
                warn!(
                    game = %id,
                    variant = info.variant.key,
                    playable,
                    "game that this program does not play, left alone"
                );
            }
            return;
        }
        if !self.slots.start(id.clone(), info.opponent.id.clone()) {
            return;
        }
        let concurrency = self.options.settings.challenge.concurrency;
        if self.slots.taken() > concurrency {
            warn!(game = %id, concurrency, "more games than wanted, playing it all the same");
        }
        let span = info_span!(
            "game",
            id = %id,
            opponent = info.opponent.username,
            speed = info.speed.word(),
            color = info.color.map(|color| color.to_string()),
        );
        let context = GameContext {
            client: self.options.client.clone(),
            settings: Arc::clone(&self.options.settings),
            engine: self.options.engine.clone(),
            account: Arc::clone(&self.account),
            id: id.clone(),
            color: info.color,
            round_trip: Arc::clone(&self.round_trip),
            observer: self.observer.clone(),
            stop: self.leave.child_token(),
        };
        let (sender, commands) = mpsc::unbounded_channel();
        self.commands.insert(id.clone(), sender);
        self.observer.emit(|| BotEvent::GameStarted {
            id: id.clone(),
            opponent: info.opponent.username.clone(),
            color: info.color,
        });
        let game = id.clone();
        let task = async move {
            let end = game::play(context, commands).await;
            Done::Game(game, end)
        };
        let handle = self.tasks.spawn(task.instrument(span));
        self.players.insert(handle.id(), id);
    }

    fn command(&self, id: &GameId, command: Command) {
        if let Some(commands) = self.commands.get(id) {
            // The task may just have ended; its result is on the way.
            commands.send(command).ok();
        }
    }

    fn on_done(&mut self, done: Result<(Id, Done), JoinError>) {
        let (task, done) = match done {
            Ok(done) => done,
            Err(error) => {
                let Some(id) = self.players.remove(&error.id()) else {
                    // A request: it has no code of its own that could panic, but its slot must not be lost.
                    error!(
                        error = &error as &dyn std::error::Error,
                        "request task failed"
                    );
                    self.pending = self.pending.saturating_sub(1);
                    self.reconciling = false;
                    return;
                };
                error!(game = %id, error = &error as &dyn std::error::Error, "game task failed");
                self.on_failure(id);
                return;
            }
        };
        match done {
            Done::Game(id, end) => {
                self.players.remove(&task);
                self.on_end(id, end);
            }
            Done::Accepted(id, result) => {
                self.pending -= 1;
                if let Err(error) = result {
                    self.on_refused_accept(&id, &error);
                }
            }
            Done::Declined(id, result) => {
                self.pending -= 1;
                if let Err(error) = result {
                    self.note_rate_limit(&error);
                    let error = &error as &dyn std::error::Error;
                    debug!(challenge = %id, error, "challenge could not be declined");
                }
            }
            Done::Playing(Ok(games)) => {
                self.reconciling = false;
                self.on_playing(games);
            }
            Done::Playing(Err(error)) => {
                self.reconciling = false;
                self.note_rate_limit(&error);
                let error = &error as &dyn std::error::Error;
                warn!(error, "list of running games could not be read");
            }
        }
    }

    fn on_refused_accept(&mut self, id: &GameId, error: &lichess::Error) {
        self.note_rate_limit(error);
        let uncertain = matches!(
            error.kind(),
            Kind::Transport | Kind::Timeout | Kind::Server | Kind::Decode
        ) && !error.is_unsent();
        let error = error as &dyn std::error::Error;
        if uncertain {
            // It may have counted: the slot is kept until the game starts or the time is over.
            warn!(challenge = %id, error, "accept not answered");
            self.reconcile_at = Instant::now();
        } else {
            info!(challenge = %id, error, "challenge could not be accepted");
            self.slots.release(id);
        }
    }

    fn note_rate_limit(&mut self, error: &lichess::Error) {
        if let Kind::RateLimited { retry_after } = error.kind() {
            let now = Instant::now();
            self.gate.close(now, retry_after);
            warn!(pause = ?self.gate.wait(now), "too many requests, the server asks for a pause");
        }
    }

    fn on_playing(&mut self, games: Vec<GameInfo>) {
        let listed: HashSet<GameId> = games.iter().map(|info| info.game().clone()).collect();
        for id in self.commands.keys().filter(|id| !listed.contains(*id)) {
            self.command(id, Command::Check);
        }
        for info in games {
            self.on_game(info);
        }
    }

    fn on_end(&mut self, id: GameId, end: GameEnd) {
        self.commands.remove(&id);
        match end {
            GameEnd::Finished(record) => {
                self.slots.finish(&id);
                self.failures.remove(&id);
                self.remember(id);
                self.summary.count(record.verdict);
                self.archive.store((*record).clone());
                self.observer.emit(|| BotEvent::GameFinished { record });
            }
            GameEnd::Foreign => {
                self.slots.finish(&id);
                self.foreign.insert(id.clone());
                self.remember(id);
            }
            GameEnd::Left => {
                self.slots.finish(&id);
                self.summary.left += 1;
            }
            GameEnd::Closed(error) => {
                warn!(game = %id, error = &error as &dyn std::error::Error, "game is closed to us");
                self.on_failure(id);
            }
        }
    }

    fn remember(&mut self, id: GameId) {
        self.finished.push_back(id);
        if self.finished.len() > REMEMBERED {
            self.finished.pop_front();
        }
    }

    /// A game whose task failed keeps its slot and is looked up again: if the server still lists it, it is started
    /// anew, from the full state.
    fn on_failure(&mut self, id: GameId) {
        self.commands.remove(&id);
        let opponent = self.slots.finish(&id).flatten();
        let failures = self.failures.entry(id.clone()).or_default();
        *failures += 1;
        if *failures > MAX_RESTARTS {
            error!(game = %id, "game failed too often, given up");
            self.failures.remove(&id);
            self.remember(id);
            return;
        }
        let now = Instant::now();
        let pause = RESTART_PAUSE * 2_u32.pow(*failures - 1);
        self.reconcile_at = self.reconcile_at.min(now + pause);
        self.slots.reserve(id, opponent, now);
    }

    fn drain(&mut self) {
        self.draining = true;
        info!(
            games = self.slots.taken(),
            "accepting nothing new, finishing the running games"
        );
        while let Some(challenge) = self.slots.dequeue() {
            self.decline(challenge.id, DeclineReason::Later);
        }
    }

    /// Ends all tasks.
    async fn leave(&mut self) {
        self.leave.cancel();
        let end_all = async {
            while let Some(done) = self.tasks.join_next().await {
                if let Ok(Done::Game(id, end)) = done {
                    self.players.retain(|_, game| *game != id);
                    match end {
                        GameEnd::Finished(record) => {
                            self.summary.count(record.verdict);
                            self.archive.store((*record).clone());
                            self.observer.emit(|| BotEvent::GameFinished { record });
                        }
                        GameEnd::Left => self.summary.left += 1,
                        GameEnd::Closed(_) | GameEnd::Foreign => {}
                    }
                }
            }
        };
        if tokio::time::timeout(LEAVE_GRACE, end_all).await.is_err() {
            warn!("requests do not end, left behind");
            self.tasks.shutdown().await;
        }
    }
}
