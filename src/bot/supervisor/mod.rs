//! Owner of the event stream, the slots and all tasks. Never awaits a request itself: every request is a task of its
//! own, and its answer is an event like any other.

mod arenas;
mod challenges;
mod correspondence;
mod games;
mod matchmaking;

use super::account_feed::{AccountEvent, AccountFeed};
use super::adaptive::Levels;
use super::archive::Archive;
use super::arena::Arenas;
use super::explorer::Explorer;
use super::game::{Command, GameEnd, GameMemory};
use super::lists::Lists;
use super::matchmaking::attempt::{Heard, Outcome};
use super::matchmaking::choose::OwnRating;
use super::matchmaking::{Matchmaker, Offer};
use super::record::Verdict;
use super::round_trip::RoundTrip;
use super::slots::Slots;
use super::state::Store;
use super::{BotOptions, Error, Observer, Summary};
use crate::lichess::model::{DeclineReason, Event, GameId, GameInfo};
use crate::lichess::{self, Gate, Kind};
use crate::settings::Settings;
use correspondence::SlowGames;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

/// How often the list of running games is compared with ours: a stream can be silent without looking dead.
const RECONCILE: Duration = Duration::from_mins(3);
/// After a connect the server repeats what is open; challenges not repeated by the first keep-alive line (one comes
/// every 7 s), or by this time, are gone.
const REPLAY: Duration = Duration::from_secs(15);
/// How long tasks may take to end when the bot leaves.
const LEAVE_GRACE: Duration = Duration::from_secs(2);

/// Runs the bot until it may leave.
pub(super) async fn run(
    options: BotOptions,
    archive: Archive,
    store: Store,
    (first, mut lists): (Lists, mpsc::UnboundedReceiver<Lists>),
) -> Result<Summary, Error> {
    let (draining, stop) = (options.draining.clone(), options.stop.clone());
    let mut reload = options.reload.clone();
    let mut supervisor = Supervisor::new(options, archive, store, first);
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
            Some(lists) = lists.recv() => supervisor.lists = lists,
            settings = changed(&mut reload) => supervisor.use_settings(settings),
            () = tokio::time::sleep_until(wake.into()) => {}
        }
        supervisor.on_time(Instant::now());
        supervisor.fill_slots();
        supervisor.match_at = supervisor.make_matches(Instant::now());
        supervisor.tell_queue();
    };
    supervisor.leave().await;
    result.map(|()| supervisor.summary)
}

/// Next settings; nothing for ever if there will be none.
async fn changed(reload: &mut Option<watch::Receiver<Arc<Settings>>>) -> Arc<Settings> {
    if let Some(receiver) = reload
        && receiver.changed().await.is_ok()
    {
        return Arc::clone(&receiver.borrow_and_update());
    }
    *reload = None;
    std::future::pending().await
}

/// What a task of the supervisor ends with.
#[derive(Debug)]
enum Done {
    Game(GameId, GameEnd),
    Accepted(GameId, Result<(), lichess::Error>),
    Declined(GameId, Result<(), lichess::Error>),
    /// The farewells of a game were sent.
    Said,
    Playing(Result<Vec<GameInfo>, lichess::Error>),
    Found(Result<Option<Offer>, lichess::Error>),
    Challenged(Offer, Outcome),
    Arena(String, arenas::Answer),
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
    store: Store,
    observer: Observer,
    round_trip: Arc<Mutex<RoundTrip>>,
    explorer: Arc<Explorer>,
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
    /// Games that take no slot.
    slow: SlowGames,
    levels: Arc<Mutex<Levels>>,
    /// Names of the challengers who wait, for the chat.
    queue: watch::Sender<Vec<String>>,
    failures: HashMap<GameId, u32>,
    /// What is kept of running games whose task may be started again.
    memories: HashMap<GameId, Arc<GameMemory>>,
    finished: VecDeque<GameId>,
    foreign: HashSet<GameId>,
    gate: Gate,
    reconcile_at: Instant,
    reconciling: bool,
    replay: Option<Replay>,
    draining: bool,
    summary: Summary,
    /// Names from files and from the web.
    lists: Lists,
    matchmaker: Matchmaker,
    /// The event stream has been open.
    listening: bool,
    /// When the matchmaker wants to be asked again.
    match_at: Option<Instant>,
    /// Task that looks for an opponent or carries a challenge through.
    courtship: Option<Id>,
    /// Where the challenge under way hears of what the event stream tells.
    heard: Option<mpsc::UnboundedSender<Heard>>,
    /// Takes the challenge under way back.
    withdraw: CancellationToken,
    /// Refusals of challenges by a limit of ours, in a row.
    limited: u32,
    /// Our rating as last told.
    own_rating: Option<OwnRating>,
    arenas: Arenas,
    /// Running games of arenas.
    arena_games: HashSet<GameId>,
    /// Ends of the games that are remembered.
    verdicts: HashMap<GameId, Verdict>,
}

impl Supervisor {
    fn new(mut options: BotOptions, archive: Archive, store: Store, lists: Lists) -> Self {
        let observer = Observer(options.observer.take());
        let matchmaker =
            Matchmaker::new(options.series.take(), Instant::now(), fastrand::Rng::new());
        let arenas = Arenas::new(&options.settings.tournament, Instant::now());
        let perf = options.account.perfs.get("crazyhouse");
        let own_rating = perf.map(|perf| OwnRating {
            rating: perf.rating,
            provisional: perf.prov,
        });
        let id = &options.account.id;
        let name = if id.is_empty() {
            &options.account.username
        } else {
            id
        };
        Self {
            account: name.to_lowercase().into(),
            leave: options.stop.child_token(),
            withdraw: options.stop.child_token(),
            feed: AccountFeed::new(options.client.clone()),
            options,
            archive,
            store,
            observer,
            round_trip: Arc::default(),
            explorer: Arc::default(),
            slots: Slots::default(),
            tasks: JoinSet::new(),
            players: HashMap::new(),
            commands: HashMap::new(),
            pending: 0,
            slow: SlowGames::default(),
            levels: Arc::default(),
            queue: watch::Sender::default(),
            failures: HashMap::new(),
            memories: HashMap::new(),
            finished: VecDeque::new(),
            foreign: HashSet::new(),
            gate: Gate::new(),
            // The first comparison is made when the stream is open.
            reconcile_at: Instant::now() + RECONCILE,
            reconciling: false,
            replay: None,
            draining: false,
            summary: Summary::default(),
            lists,
            matchmaker,
            listening: false,
            match_at: None,
            courtship: None,
            heard: None,
            limited: 0,
            own_rating,
            arenas,
            arena_games: HashSet::new(),
            verdicts: HashMap::new(),
        }
    }

    /// Takes new settings into use. What cannot change while the bot runs was said by whoever read them.
    fn use_settings(&mut self, settings: Arc<Settings>) {
        self.options.settings = settings;
        info!("new settings in use");
    }

    fn is_idle(&self) -> bool {
        self.slots.taken() == 0 && self.pending == 0
    }

    /// Tells the games who waits for a slot.
    fn tell_queue(&self) {
        let names = self.slots.waiting_names();
        self.queue.send_if_modified(|told| {
            let changed = *told != names;
            if changed {
                *told = names;
            }
            changed
        });
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
            self.match_at,
            self.arenas
                .wake()
                .filter(|_| !self.draining)
                .map(|due| due.max(gate)),
        ]
        .into_iter()
        .flatten()
        .fold(self.reconcile_at, Instant::min)
    }

    fn on_time(&mut self, now: Instant) {
        let timeout = self.options.settings.challenge.start_timeout;
        for id in self.slots.release_overdue(now, timeout) {
            warn!(game = %id, "game did not start, its slot is free again");
            self.tell_over(&id, Verdict::Aborted);
        }
        if self
            .replay
            .as_ref()
            .is_some_and(|replay| now >= replay.until)
        {
            self.end_replay();
        }
        if now >= self.reconcile_at {
            self.reconcile(now);
        }
        self.tend_arenas(now);
    }

    fn on_event(&mut self, event: AccountEvent) -> Result<(), Error> {
        match event {
            AccountEvent::Connected => {
                self.listening = true;
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
                Event::GameStart { game } => {
                    self.hear(|| Heard::Started(game.game().clone()));
                    self.on_game(&game);
                }
                Event::GameFinish { game } => {
                    let id = game.game();
                    debug!(game = %id, rating_diff = game.rating_diff, "event stream says it is over");
                    self.slots.release(id);
                    self.command(id, Command::Check);
                    self.note_arena_game(&game);
                    self.on_slow_finish(&game);
                }
                Event::Challenge { challenge, compat } => {
                    if !self.hear_of_own(&challenge) {
                        self.on_challenge(*challenge, compat);
                    }
                }
                Event::ChallengeDeclined { challenge } => {
                    self.hear_declined(&challenge);
                    self.slots.forget_waiting(&challenge.id);
                }
                Event::ChallengeCanceled { challenge } => {
                    self.hear(|| Heard::Canceled(challenge.id.clone()));
                    if self.slots.forget_waiting(&challenge.id) {
                        info!(challenge = %challenge.id, "waiting challenge was withdrawn");
                    }
                }
                Event::Unknown => debug!("event of unknown kind"),
            },
        }
        Ok(())
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
                    if self.courtship.take_if(|task| *task == error.id()).is_some() {
                        self.heard = None;
                        self.slots.set_outgoing(None);
                        self.matchmaker.on_unsent();
                    }
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
            Done::Arena(id, answer) => self.on_arena(&id, answer),
            Done::Found(found) => {
                self.pending -= 1;
                self.on_found(found);
            }
            Done::Challenged(offer, outcome) => {
                self.pending -= 1;
                self.on_challenged(&offer, outcome);
            }
            Done::Said => self.pending -= 1,
            Done::Playing(Ok(games)) => {
                self.reconciling = false;
                self.on_playing(&games);
            }
            Done::Playing(Err(error)) => {
                self.reconciling = false;
                self.note_rate_limit(&error);
                let error = &error as &dyn std::error::Error;
                warn!(error, "list of running games could not be read");
            }
        }
    }

    fn note_rate_limit(&mut self, error: &lichess::Error) {
        if let Kind::RateLimited { retry_after } = error.kind() {
            let now = Instant::now();
            self.gate.close(now, retry_after);
            warn!(pause = ?self.gate.wait(now), "too many requests, the server asks for a pause");
        }
    }

    fn drain(&mut self) {
        self.draining = true;
        self.withdraw.cancel();
        self.leave_arenas();
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
                        GameEnd::Finished(record, _) => self.keep(record),
                        GameEnd::Left => self.summary.left += 1,
                        GameEnd::Closed(_) | GameEnd::Foreign | GameEnd::Parked => {}
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
