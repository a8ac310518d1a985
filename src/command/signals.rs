//! Signals to the process: the first asks to finish, the second to leave.

use super::Failure;
use anyhow::anyhow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// What the signals and the grace period cancel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shutdown {
    /// No new games; running ones go on.
    pub(crate) draining: CancellationToken,
    /// Leave now.
    pub(crate) stop: CancellationToken,
}

/// Registered handlers. Register before anything that must not be killed starts.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// Takes SIGINT and SIGTERM over. As PID 1 in a container the process would else not react to them at all.
    ///
    /// # Errors
    /// Runtime, if the system refuses.
    #[cfg(unix)]
    pub(crate) fn register() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(Failure::runtime)?,
            terminate: signal(SignalKind::terminate()).map_err(Failure::runtime)?,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn register() -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// Name of the next signal.
    pub(crate) async fn next(&mut self) -> &'static str {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
        #[cfg(not(unix))]
        {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
            "Ctrl-C"
        }
    }

    /// Runs `work` on a thread of its own until it is done. The first signal is told to `heard` and sets the flag that
    /// `work` looks at; its name comes with the result. A second one leaves the thread behind: the error says that it
    /// came before `end`. `what` names the work if it panics.
    pub(crate) async fn watch<T: Send + 'static>(
        mut self,
        what: &'static str,
        end: &'static str,
        heard: impl FnOnce(&str),
        work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    ) -> Result<(T, Option<&'static str>), Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let (sender, mut done) = oneshot::channel();
        thread::Builder::new()
            .name(what.to_owned())
            .spawn(move || {
                // Nobody waits any more after a second signal.
                sender.send(work(&told)).ok();
            })
            .map_err(Failure::runtime)?;
        let panicked = |_| Failure::Runtime(anyhow!("the {what} panicked"));
        let signal = tokio::select! {
            result = &mut done => return Ok((result.map_err(panicked)?, None)),
            signal = self.next() => signal,
        };
        heard(signal);
        stop.store(true, Relaxed);
        tokio::select! {
            result = &mut done => Ok((result.map_err(panicked)?, Some(signal))),
            signal = self.next() => Err(Failure::Runtime(anyhow!("{signal} before {end}"))),
        }
    }

    /// Waits for signals and cancels `shutdown` accordingly. Ends when everything is cancelled.
    pub(crate) async fn serve(mut self, shutdown: Shutdown, grace: Duration) {
        let signal = self.next().await;
        tracing::info!(
            signal,
            ?grace,
            "finishing running games; a second signal leaves at once"
        );
        shutdown.draining.cancel();
        tokio::select! {
            signal = self.next() => tracing::warn!(signal, "leaving now"),
            () = tokio::time::sleep(grace) => tracing::warn!(?grace, "games still run after the grace, leaving"),
        }
        shutdown.stop.cancel();
    }
}

/// Requests to read the settings again: SIGHUP, where there is such a signal.
#[derive(Debug)]
pub(crate) struct Hangups {
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Hangups {
    /// Takes SIGHUP over.
    ///
    /// # Errors
    /// Runtime, if the system refuses.
    #[cfg(unix)]
    pub(crate) fn register() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            hangup: signal(SignalKind::hangup()).map_err(Failure::runtime)?,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn register() -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        #[cfg(unix)]
        if self.hangup.recv().await.is_some() {
            return;
        }
        std::future::pending::<()>().await;
    }
}
