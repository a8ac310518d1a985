//! A running engine: started, told its options, asked for moves, ended.

use super::lines::Lines;
use super::messages::{self, Told};
use super::options::{OptionProblem, Options};
use super::{Answer, EngineSpec, Fault, Limits, Request};
use crate::rules::{CastlingStyle, Game, Move, Variant};
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout};
use tracing::debug;

/// Time from the start of the program to `uciok`.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Time to set the options: networks are read and large tables made.
const READY: Duration = Duration::from_secs(30);
/// Time for a line to be taken.
const SEND: Duration = Duration::from_secs(2);
/// Time from `stop` to the best move.
const STOP: Duration = Duration::from_secs(2);
/// Time from `quit` to the end of the process, which is killed then.
const QUIT: Duration = Duration::from_millis(500);
/// Time for the search that tries an engine out.
const TRIAL: Duration = Duration::from_millis(100);
/// Longest wait for its answer.
const TRIAL_LIMIT: Duration = Duration::from_secs(10);

/// Why an engine cannot be used.
#[derive(Debug, Error)]
pub enum StartError {
    /// The program cannot be started.
    #[error("engine.uci.path {}: cannot be started", path.display())]
    Spawn {
        /// Program.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It ended or fell silent before it was ready.
    #[error("engine.uci.path {}: {fault} before it said {word}; is it a UCI engine?", path.display())]
    Handshake {
        /// Program.
        path: PathBuf,
        /// What was waited for.
        word: &'static str,
        /// What happened.
        fault: Fault,
    },
    /// It plays other games.
    #[error(
        "engine.uci.path {}: {name} does not play crazyhouse, expected an option UCI_Variant that has it", path.display()
    )]
    NoCrazyhouse {
        /// Program.
        path: PathBuf,
        /// Name of the engine.
        name: String,
    },
    /// Options that it does not take.
    #[error("engine.uci.options of {name}:{}", listed(problems))]
    Options {
        /// Name of the engine.
        name: String,
        /// All of them.
        problems: Vec<OptionProblem>,
    },
    /// The first search had no answer.
    #[error("engine.uci.path {}: {name} failed its first search: {fault}", path.display())]
    Trial {
        /// Program.
        path: PathBuf,
        /// Name of the engine.
        name: String,
        /// What happened.
        fault: Fault,
    },
}

/// What a running search is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Control {
    Stop,
    PonderHit,
}

/// Running engine. Dropping it kills the process.
#[derive(Debug)]
pub struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<ChildStdout>,
    name: String,
    castling: CastlingStyle,
    ponders: bool,
    /// Hands the engine's messages on to the log.
    _stderr: JoinSet<()>,
}

impl Process {
    /// Starts an engine and sets it up for crazyhouse with the options of the settings.
    ///
    /// # Errors
    /// When it cannot be started, does not speak UCI, does not play crazyhouse, or does not take an option.
    pub async fn start(spec: &EngineSpec) -> Result<Self, StartError> {
        let mut process = Self::spawn(spec).map_err(|source| StartError::Spawn {
            path: spec.path.clone(),
            source,
        })?;
        let failed = |word| {
            let path = spec.path.clone();
            move |fault| StartError::Handshake { path, word, fault }
        };
        let mut options = Options::default();
        let mut name = String::new();
        let introduction = process.ask("uci", "uciok", |line| {
            options.hear(line);
            if let Some(text) = line.strip_prefix("id name ") {
                name = text.chars().take(100).collect();
            }
        });
        within(HANDSHAKE, introduction)
            .await
            .map_err(failed("uciok"))?;
        process.name = if name.is_empty() {
            spec.path.display().to_string()
        } else {
            name
        };
        let Some(variant) = options
            .name("UCI_Variant")
            .filter(|_| options.knows_crazyhouse())
        else {
            return Err(StartError::NoCrazyhouse {
                path: spec.path.clone(),
                name: process.name.clone(),
            });
        };
        let mut commands = vec![format!("setoption name {variant} value crazyhouse")];
        if let Some(ponder) = options.name("Ponder") {
            process.ponders = spec.ponder;
            commands.push(format!("setoption name {ponder} value {}", spec.ponder));
        }
        let wanted = options
            .commands(&spec.options)
            .map_err(|problems| StartError::Options {
                name: process.name.clone(),
                problems,
            })?;
        commands.extend(wanted);
        commands.push("ucinewgame".to_owned());
        let set_up = async {
            for command in &commands {
                process.send(command).await?;
            }
            process.ask("isready", "readyok", |_| {}).await
        };
        within(READY, set_up).await.map_err(failed("readyok"))?;
        Ok(process)
    }

    /// Starts an engine, lets it search the start position for a moment, and ends it. Returns its name and what it
    /// found.
    ///
    /// # Errors
    /// As [`Process::start`], and when the search has no legal move as its answer.
    pub async fn trial(spec: &EngineSpec) -> Result<(String, Answer), StartError> {
        let mut process = Self::start(spec).await?;
        let request = Request {
            game: Game::new(Variant::Crazyhouse),
            limits: Limits {
                movetime: Some(TRIAL),
                ..Limits::default()
            },
            ponder: false,
        };
        let (_control, mut controlled) = mpsc::unbounded_channel();
        let found = within(
            TRIAL_LIMIT,
            process.search(&request, &mut controlled, &mut |_| {}),
        )
        .await;
        let name = process.name.clone();
        process.quit().await;
        match found {
            Ok(answer) => Ok((name, answer)),
            Err(fault) => Err(StartError::Trial {
                path: spec.path.clone(),
                name,
                fault,
            }),
        }
    }

    fn spawn(spec: &EngineSpec) -> io::Result<Self> {
        // A name alone is looked up in the search path of the system; a path means a file seen from here, also if the
        // engine is to run elsewhere.
        let program = if spec.path.components().count() > 1 {
            std::path::absolute(&spec.path)?
        } else {
            spec.path.clone()
        };
        let mut command = Command::new(program);
        command
            .args(&spec.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(dir) = &spec.working_dir {
            command.current_dir(dir);
        }
        // The token is nobody's business but ours.
        for (name, _) in std::env::vars_os() {
            let upper = name.to_string_lossy().to_ascii_uppercase();
            if upper.starts_with("POCKETKNIGHT__") || upper == "LICHESS_BOT_TOKEN" {
                command.env_remove(&name);
            }
        }
        // A Ctrl-C is for us alone: running games are to be finished.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("no pipe to the engine");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let mut task = JoinSet::new();
        task.spawn(log(stderr));
        Ok(Self {
            child,
            stdin,
            lines: Lines::new(stdout),
            name: String::new(),
            castling: spec.castling(),
            ponders: false,
            _stderr: task,
        })
    }

    /// Name of the engine.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it thinks on the opponent's time.
    pub fn ponders(&self) -> bool {
        self.ponders
    }

    /// Sends a command and hears lines until one is `word`.
    async fn ask(
        &mut self,
        command: &str,
        word: &str,
        mut hear: impl FnMut(&str),
    ) -> Result<(), Fault> {
        self.send(command).await?;
        loop {
            let line = self.line().await?;
            if line == word {
                return Ok(());
            }
            hear(&line);
        }
    }

    async fn send(&mut self, line: &str) -> Result<(), Fault> {
        debug!(line, "to the engine");
        let text = format!("{line}\n");
        let write = async {
            self.stdin.write_all(text.as_bytes()).await?;
            self.stdin.flush().await
        };
        match timeout(SEND, write).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.ended().await),
            Err(_) => Err(Fault::Silent),
        }
    }

    /// Next line. Cancel safe.
    async fn line(&mut self) -> Result<String, Fault> {
        match self.lines.next().await {
            Ok(Some(line)) => Ok(line),
            Ok(None) | Err(_) => Err(self.ended().await),
        }
    }

    /// The process has closed a pipe: how did it end?
    async fn ended(&mut self) -> Fault {
        let status = timeout(QUIT, self.child.wait()).await;
        Fault::Ended {
            status: status
                .ok()
                .and_then(Result::ok)
                .map(|status| status.to_string()),
        }
    }

    /// Hears the engine while nothing is asked of it; returns when it has ended.
    pub(super) async fn idle(&mut self) -> Fault {
        loop {
            match self.line().await {
                Ok(line) => debug!(line, "from the idle engine"),
                Err(fault) => return fault,
            }
        }
    }

    /// Searches. Ends by the limits of the request, or soon after `control` says so or is dropped. `on_best` hears the
    /// first move of each best line.
    pub(super) async fn search(
        &mut self,
        request: &Request,
        control: &mut mpsc::UnboundedReceiver<Control>,
        on_best: &mut (dyn FnMut(Move) + Send),
    ) -> Result<Answer, Fault> {
        let began = Instant::now();
        let root = *request.game.position();
        let position = messages::position(request, self.castling);
        self.send(&position).await?;
        self.send(&messages::go(&request.limits, request.ponder))
            .await?;
        let mut told = Told::default();
        let mut stopped: Option<Instant> = None;
        loop {
            let deadline = stopped.unwrap_or(began) + STOP;
            tokio::select! {
                biased;
                command = control.recv(), if stopped.is_none() => {
                    if command == Some(Control::PonderHit) {
                        self.send("ponderhit").await?;
                    } else {
                        stopped = Some(Instant::now());
                        self.send("stop").await?;
                    }
                }
                line = self.line() => {
                    let line = line?;
                    if let Some(answer) = messages::answer(&line, &root, &told, began.elapsed()) {
                        return answer;
                    }
                    told.hear(&line, &root);
                    if let Some(best) = told.best {
                        on_best(best);
                    }
                }
                () = sleep_until(deadline.into()), if stopped.is_some() => {
                    return Err(Fault::Silent);
                }
            }
        }
    }

    /// Asks the engine to end, and kills it if it does not.
    pub async fn quit(mut self) {
        // It may be gone already.
        self.send("quit").await.ok();
        if timeout(QUIT, self.child.wait()).await.is_err() {
            self.kill().await;
        }
    }

    /// Kills the process.
    pub(super) async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            debug!(%error, "the engine has ended before it was killed");
        }
    }
}

/// Each on a line of its own.
fn listed(problems: &[OptionProblem]) -> String {
    problems.iter().fold(String::new(), |mut text, problem| {
        text.push_str("\n  ");
        text.push_str(&problem.to_string());
        text
    })
}

/// Result of something that may take so long.
async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    timeout(limit, work).await.unwrap_or(Err(Fault::Silent))
}

async fn log(stderr: ChildStderr) {
    let mut lines = Lines::new(stderr);
    while let Ok(Some(line)) = lines.next().await {
        debug!(line, "engine on standard error");
    }
}
