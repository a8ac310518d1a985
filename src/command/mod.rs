//! Subcommands of the binary, one file each, and how they fail.

pub(crate) mod account;
pub(crate) mod analyse;
pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod challenge;
pub(crate) mod config;
pub(crate) mod data;
pub(crate) mod datagen;
pub(crate) mod doctor;
pub(crate) mod duel;
pub(crate) mod figures;
pub(crate) mod network;
pub(crate) mod perft;
pub(crate) mod reload;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod signals;
pub(crate) mod tournament;
pub(crate) mod train;
pub(crate) mod tune;
pub(crate) mod upgrade;

use std::io::{self, Write};

/// Why a command ended without having done its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Failed while running: exit code 1.
    Runtime(anyhow::Error),
    /// Wrong usage or settings: exit code 2.
    Usage(anyhow::Error),
    /// The token or its account cannot be used: exit code 3.
    Token(anyhow::Error),
}

impl Failure {
    pub(crate) fn runtime(error: impl Into<anyhow::Error>) -> Self {
        Self::Runtime(error.into())
    }

    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::Usage(error.into())
    }

    /// Exit code of the process.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::Runtime(_) => 1,
            Self::Usage(_) => 2,
            Self::Token(_) => 3,
        }
    }

    pub(crate) const fn error(&self) -> &anyhow::Error {
        match self {
            Self::Runtime(error) | Self::Usage(error) | Self::Token(error) => error,
        }
    }
}

/// Tells progress on standard error. Nobody may be left to read it.
pub(crate) fn note(text: &str) {
    writeln!(io::stderr(), "{text}").ok();
}

/// Writes the product of a command to standard output. A reader that has gone away (`| head`) is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::runtime(error)),
        _ => Ok(()),
    }
}
