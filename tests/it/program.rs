//! The real binary as a child process, with a deadline on everything.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Far more than anything here takes, even on a loaded machine.
const DEADLINE: Duration = Duration::from_mins(2);

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Program with an empty environment and, unless said otherwise, an empty working directory.
pub(crate) struct Program {
    command: Command,
    stdin: Vec<u8>,
    dir: tempfile::TempDir,
}

impl Program {
    pub(crate) fn new(args: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pocketknight"));
        command.args(args).env_clear().current_dir(dir.path());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self {
            command,
            stdin: Vec::new(),
            dir,
        }
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    pub(crate) fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.stdin = text.as_ref().to_vec();
        self
    }

    /// Runs to the end.
    pub(crate) fn finish(mut self) -> Finished {
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The program may end without reading everything.
        stdin.write_all(&self.stdin).ok();
        drop(stdin);
        let stdout = read_all(child.stdout.take().unwrap());
        let stderr = read_all(child.stderr.take().unwrap());
        let end = Instant::now() + DEADLINE;
        let mut outputs = [stdout, stderr].map(|output| {
            let left = end.saturating_duration_since(Instant::now());
            output.recv_timeout(left).unwrap_or_else(|_| {
                child.kill().ok();
                panic!("{:?} did not end", self.command)
            })
        });
        let [stdout, stderr] = outputs.each_mut().map(std::mem::take);
        Finished {
            code: child.wait().unwrap().code(),
            stdout,
            stderr,
        }
    }

    /// Starts a conversation by lines.
    pub(crate) fn converse(mut self) -> Conversation {
        self.command.stderr(Stdio::inherit());
        self.start(|child| Box::new(child.stdout.take().unwrap()))
    }

    /// Starts the program and reads its log.
    pub(crate) fn log(mut self) -> Conversation {
        self.command.stdout(Stdio::null());
        self.start(|child| Box::new(child.stderr.take().unwrap()))
    }

    fn start(mut self, output: fn(&mut Child) -> Box<dyn Read + Send>) -> Conversation {
        let mut child = self.command.spawn().unwrap();
        let stdin = child.stdin.take();
        let output = BufReader::new(output(&mut child));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Conversation {
            child,
            stdin,
            lines,
            _dir: self.dir,
        }
    }
}

fn read_all(mut output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).ok();
        sender
            .send(String::from_utf8_lossy(&bytes).into_owned())
            .ok();
    });
    receiver
}

/// Running program that is talked to line by line. Killed when dropped.
pub(crate) struct Conversation {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    // Working directory; removed at the end.
    _dir: tempfile::TempDir,
}

impl Conversation {
    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Lines up to and including the first that contains `part`.
    pub(crate) fn until(&mut self, part: &str) -> Vec<String> {
        let end = Instant::now() + DEADLINE;
        let mut lines = Vec::new();
        loop {
            match self.line_before(end) {
                Ok(line) => {
                    let found = line.contains(part);
                    lines.push(line);
                    if found {
                        return lines;
                    }
                }
                Err(error) => panic!("no line with {part:?} ({error}) after {lines:?}"),
            }
        }
    }

    fn line_before(&self, end: Instant) -> Result<String, RecvTimeoutError> {
        self.lines
            .recv_timeout(end.saturating_duration_since(Instant::now()))
    }

    /// Sends a signal such as `TERM`.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Ends the input.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end; gives the lines not yet read and the exit code.
    pub(crate) fn end(mut self) -> (Vec<String>, Option<i32>) {
        let end = Instant::now() + DEADLINE;
        let mut lines = Vec::new();
        loop {
            match self.line_before(end) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("did not end after {lines:?}"),
            }
        }
        let code = self.child.wait().unwrap().code();
        (lines, code)
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
