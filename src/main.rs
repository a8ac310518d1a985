//! Binary of Pocketknight: command line, settings, log, and one of the subcommands.

mod cli;
mod command;
mod telemetry;

use clap::Parser;
use cli::{Cli, Command};
use command::Failure;
use pocketknight::engine::Engine;
use pocketknight::protocol::{uci, xboard};
use pocketknight::settings::{Loaded, LogFormat, Settings, Sources};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too, with code 0. Nobody is left to tell that printing failed.
            error.print().ok();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match dispatch(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Standard error may be closed; the code still tells.
            writeln!(std::io::stderr(), "pocketknight: {:#}", failure.error()).ok();
            ExitCode::from(failure.code())
        }
    }
}

fn dispatch(Cli { config, command }: Cli) -> Result<(), Failure> {
    match command {
        Command::Config(args) => command::config::run(&args, config),
        Command::Uci => {
            quiet_log()?;
            let engine = Engine::new(command::run::cores(0));
            uci::run(&engine, std::io::stdin().lock(), std::io::stdout());
            Ok(())
        }
        Command::Xboard => {
            quiet_log()?;
            let engine = Engine::new(command::run::cores(0));
            xboard::run(&engine, std::io::stdin().lock(), std::io::stdout());
            Ok(())
        }
        Command::Analyse(args) => {
            quiet_log()?;
            runtime()?.block_on(command::analyse::run(&args))
        }
        Command::Bench(args) => {
            quiet_log()?;
            command::bench::bench(&args)
        }
        Command::Perft(args) => {
            quiet_log()?;
            command::perft::run(&args)
        }
        Command::Book(command) => {
            quiet_log()?;
            command::book::run(&command)
        }
        Command::Duel(args) => {
            quiet_log()?;
            runtime()?.block_on(command::duel::duel(&args))
        }
        Command::Tune(args) => {
            quiet_log()?;
            runtime()?.block_on(command::tune::run(&args))
        }
        Command::Train(args) => {
            quiet_log()?;
            command::train::run(&args)
        }
        Command::Network(command) => {
            quiet_log()?;
            command::network::run(&command)
        }
        Command::Datagen(args) => {
            quiet_log()?;
            runtime()?.block_on(command::datagen::run(&args))
        }
        Command::Data(command) => {
            quiet_log()?;
            command::data::run(&command)
        }
        Command::Run => {
            let sources = Sources::of_process(config);
            let loaded = Loaded::load(&sources).map_err(Failure::usage)?;
            log(&loaded.settings.log.level, loaded.settings.log.format)?;
            runtime()?.block_on(command::run::run(loaded, sources))
        }
        Command::Challenge(args) => {
            let settings = load(config)?;
            // What happens is printed; the log is for trouble, unless it is asked for.
            log("warn", settings.log.format)?;
            runtime()?.block_on(command::challenge::challenge(&args, settings))
        }
        Command::Upgrade(args) => {
            let settings = load(config)?;
            log("warn", settings.log.format)?;
            runtime()?.block_on(command::upgrade::upgrade(&args, &settings))
        }
        Command::Tournament(command) => {
            let settings = load(config)?;
            log("warn", settings.log.format)?;
            runtime()?.block_on(command::tournament::run(&command, &settings))
        }
        Command::Doctor(args) => {
            log("error", LogFormat::Text)?;
            let sources = Sources::of_process(config);
            runtime()?.block_on(command::doctor::run(&args, &sources))
        }
        Command::Sandbox(args) => {
            let settings = load(config)?;
            log("warn", settings.log.format)?;
            runtime()?.block_on(command::sandbox::sandbox(&args, settings))
        }
    }
}

fn load(config: Option<PathBuf>) -> Result<Settings, Failure> {
    Settings::load(&Sources::of_process(config)).map_err(Failure::usage)
}

fn log(level: &str, format: LogFormat) -> Result<(), Failure> {
    telemetry::init(level, format).map_err(|reason| Failure::Usage(anyhow::anyhow!(reason)))
}

/// Log of commands that read no settings.
fn quiet_log() -> Result<(), Failure> {
    log("warn", LogFormat::Text)
}

/// Two threads carry all network traffic; searches have threads of their own.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Failure::runtime)
}
