//! Log on standard error (standard output belongs to UCI), and panics in the log.

use pocketknight::settings::LogFormat;
use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::Subscriber;

/// Variable that overrides `log.level`.
const VARIABLE: &str = "POCKETKNIGHT_LOG";

/// Starts logging with the filter of `POCKETKNIGHT_LOG`, else with `level`.
///
/// # Errors
/// Text that says what is wrong with the filter.
pub(crate) fn init(level: &str, format: LogFormat) -> Result<(), String> {
    let variable = std::env::var(VARIABLE)
        .ok()
        .filter(|text| !text.trim().is_empty());
    let (filter, origin) = match &variable {
        Some(text) => (text.trim(), VARIABLE),
        None => (level, "log.level"),
    };
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        format!("{origin} = {filter:?}: expected a level or a tracing filter, {error}")
    })?;
    let builder = Subscriber::builder()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // Fails only if a subscriber is set already, and then that one serves.
    match format {
        LogFormat::Json => builder.json().try_init().ok(),
        LogFormat::Text => {
            let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            builder.with_ansi(color).with_target(false).try_init().ok()
        }
    };
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Puts a panic into the log, with the spans of the game that it happened in.
fn log_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let message = info.payload_as_str().unwrap_or("no message");
    let thread = std::thread::current();
    let thread = thread.name().unwrap_or("unnamed");
    tracing::error!(message, location, thread, "panic");
}
