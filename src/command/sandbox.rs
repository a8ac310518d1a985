//! `pocketknight sandbox`.

use super::Failure;
use crate::cli::SandboxArgs;
use pocketknight::settings::Settings;

pub(crate) async fn sandbox(_args: &SandboxArgs, _settings: Settings) -> Result<(), Failure> {
    Err(Failure::Runtime(anyhow::anyhow!(
        "the sandbox is not built in yet"
    )))
}
