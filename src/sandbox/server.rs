//! The running server: its listener, its clockwork, and its accounts.

use super::accounts::User;
use super::challenges::ChallengeStatus;
use super::faults::{Fault, Faults};
use super::hall::{Errand, Hall, SharedHall};
use super::opponents::ScriptedAnswer;
use super::players;
use super::request::Request;
use super::routes::{self, App};
use super::table::{Progress, Table};
use crate::engine::Engine;
use crate::lichess::model::GameId;
use axum::serve::ListenerExt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Pause between two looks at the clocks.
const SWEEP: Duration = Duration::from_millis(50);

/// Scopes of the ready-made tokens.
const SCOPES: &[&str] = &["bot:play", "challenge:read", "challenge:write"];

/// How a server behaves.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Port on loopback; 0 takes any free one.
    pub port: u16,
    /// Seed of ids, lots and scripted opponents.
    pub seed: u64,
    /// Pause after which a silent stream gets a blank line.
    pub keep_alive: Duration,
    /// Time after which a fallen flag is noticed without a move.
    pub flag_grace: Duration,
    /// Time after which the win can be claimed against an absent player; `None` for the times of Lichess.
    pub countdown: Option<Duration>,
    /// Pause of the scripted opponents before each move.
    pub think_delay: Duration,
    /// Whether calls are limited as on Lichess.
    pub rate_limits: bool,
    /// Search threads shared by the `engine` opponents.
    pub engine_cores: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            port: 0,
            seed: 1,
            keep_alive: Duration::from_secs(7),
            flag_grace: Duration::from_millis(500),
            countdown: None,
            think_delay: Duration::ZERO,
            rate_limits: true,
            engine_cores: 1,
        }
    }
}

/// A running server. Dropping it stops it at once; [`Server::shut_down`] waits for its tasks.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    hall: SharedHall,
    faults: Faults,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Server {
    /// Starts a server on loopback.
    ///
    /// # Errors
    /// When the port cannot be used.
    pub async fn start(options: ServerOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let (hall, errands) = Hall::open(options.clone(), stop.clone());
        let mut tasks = JoinSet::new();
        let faults = Faults::default();
        let app = App {
            hall: hall.clone(),
            faults: faults.clone(),
            keep_alive: options.keep_alive,
            stop: stop.clone(),
        };
        tasks.spawn(serve(listener, app));
        tasks.spawn(sweep(hall.clone(), stop.clone()));
        tasks.spawn(play(hall.clone(), errands, options, stop.clone()));
        Ok(Self {
            address,
            hall,
            faults,
            stop,
            tasks,
        })
    }

    /// Base address for clients, such as `http://127.0.0.1:8080/`.
    ///
    /// # Panics
    /// Never: a socket address always makes an address of this form.
    pub fn url(&self) -> Url {
        format!("http://{}", self.address)
            .parse()
            .expect("an address and port make a URL")
    }

    /// Makes a bot account and returns its token.
    pub fn add_bot(&self, name: &str) -> String {
        self.add_user(User::new(name, true))
    }

    /// Makes an account that is no bot yet and returns its token.
    pub fn add_human(&self, name: &str) -> String {
        self.add_user(User::new(name, false))
    }

    /// Makes another token for an account, with the given scopes only.
    pub fn add_token(&self, name: &str, scopes: &[&str]) -> String {
        self.hall.lock().accounts.issue(name, scopes)
    }

    /// Sets whether an account allows takebacks; bots do not by default. Counts for games that start later.
    pub fn allow_takebacks(&self, name: &str, allowed: bool) {
        if let Some(user) = self.hall.lock().accounts.get_mut(&name.to_lowercase()) {
            user.takebacks = allowed;
        }
    }

    /// Makes the account of a scripted opponent such as `greedy-2`, and sets how it answers challenges. Says whether
    /// there can be such an opponent.
    pub fn set_answer(&self, name: &str, answer: ScriptedAnswer) -> bool {
        let mut hall = self.hall.lock();
        let scripted = hall.accounts.find(name).filter(|user| user.style.is_some());
        let id = scripted.map(|user| user.id.clone());
        let known = id.is_some();
        hall.answers.extend(id.map(|id| (id, answer)));
        known
    }

    /// Lets requests meet a fault.
    pub fn inject(&self, fault: Fault) {
        self.faults.add(fault);
    }

    /// Breaks the open event stream of an account in the middle. Says whether there was one.
    pub fn cut_events(&self, name: &str) -> bool {
        self.hall.lock().cut_events(&name.to_lowercase())
    }

    /// Breaks the open streams of an account in one game. Returns how many there were.
    pub fn cut_game(&self, name: &str, id: &GameId) -> usize {
        self.hall.lock().cut_game(&name.to_lowercase(), id)
    }

    /// Breaks all open game streams of an account.
    pub fn cut_games(&self, name: &str) {
        self.hall.lock().cut_games(&name.to_lowercase());
    }

    /// Stops accepting connections, ends all streams and waits for the tasks.
    pub async fn shut_down(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }

    /// Lets a scripted opponent challenge an account.
    pub(super) fn challenge(
        &self,
        opponent: &str,
        account: &str,
        request: Request,
    ) -> Result<(GameId, watch::Receiver<ChallengeStatus>), String> {
        let mut hall = self.hall.lock();
        hall.accounts.find(opponent);
        let sent = hall.challenge(opponent, account, request, Instant::now());
        sent.map(|sent| (sent.id, sent.status))
            .map_err(|error| error.body().to_string())
    }

    /// Withdraws a challenge, or aborts its game.
    pub(super) fn cancel(&self, challenger: &str, id: &GameId) {
        // It may just have been answered; then there is nothing to withdraw.
        drop(self.hall.lock().cancel(challenger, id, Instant::now()));
    }

    /// Follows a game.
    pub(super) fn watch(&self, id: &GameId) -> Option<watch::Receiver<Progress>> {
        self.hall.lock().table(id).map(Table::watch)
    }

    /// Looks at a game.
    pub(super) fn with_table<T>(&self, id: &GameId, look: impl FnOnce(&Table) -> T) -> Option<T> {
        self.hall.lock().table(id).map(look)
    }

    fn add_user(&self, user: User) -> String {
        let mut hall = self.hall.lock();
        let token = hall.accounts.issue(&user.id, SCOPES);
        hall.accounts.add(user);
        token
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn serve(listener: TcpListener, app: App) {
    let stop = app.stop.clone();
    let listener = listener.tap_io(|connection| {
        // Without this a line of a stream can wait for the acknowledgement of the one before.
        if let Err(error) = connection.set_nodelay(true) {
            tracing::debug!(%error, "cannot switch off packet coalescing");
        }
    });
    let server = axum::serve(listener, routes::router(app));
    let server = server.with_graceful_shutdown(async move { stop.cancelled().await });
    if let Err(error) = server.await {
        tracing::error!(%error, "the sandbox server stopped");
    }
}

async fn sweep(hall: SharedHall, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(SWEEP);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        hall.lock().sweep(Instant::now());
    }
}

async fn play(
    hall: SharedHall,
    errands: mpsc::UnboundedReceiver<Errand>,
    options: ServerOptions,
    stop: CancellationToken,
) {
    let engine = Engine::new(options.engine_cores.max(1));
    let work = players::run(hall, errands, engine, options.think_delay);
    stop.run_until_cancelled(work).await;
}
