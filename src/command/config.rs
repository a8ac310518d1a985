//! `pocketknight config`: what is set, and settings of other bots.

use super::{Failure, note, print};
use crate::cli::{ConfigArgs, ConfigCommand, ConfigImportArgs};
use anyhow::{Context, anyhow};
use pocketknight::settings::import::{ImportOptions, import};
use pocketknight::settings::{Loaded, Sources};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Longest file that is read; what is longer is refused as no settings file.
const MOST_BYTES: u64 = 2 << 20;

pub(crate) fn run(args: &ConfigArgs, file: Option<PathBuf>) -> Result<(), Failure> {
    match &args.command {
        None => {
            let loaded = Loaded::load(&Sources::of_process(file)).map_err(Failure::usage)?;
            print(&loaded.to_string())
        }
        Some(ConfigCommand::Import(args)) => take_over(args),
    }
}

fn take_over(args: &ConfigImportArgs) -> Result<(), Failure> {
    let name = args.file.display();
    let text = read(&args.file)
        .with_context(|| format!("cannot read {name}"))
        .map_err(Failure::Usage)?;
    let options = ImportOptions {
        keep_engine: args.keep_engine,
    };
    let import = import(&text, options)
        .with_context(|| name.to_string())
        .map_err(Failure::Usage)?;
    match &args.out {
        None => print(&import.to_string())?,
        Some(out) => write(out, &import.to_string())
            .with_context(|| format!("cannot write {}", out.display()))
            .map_err(Failure::Runtime)?,
    }
    note(&format!(
        "{name}, settings of {}: {} taken over, {} not; the token goes into LICHESS_BOT_TOKEN or a file named by \
         lichess.token_file",
        import.origin.name(),
        import.taken.len(),
        import.left.len()
    ));
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<String> {
    if !path.metadata()?.is_file() {
        return Err(anyhow!("it is not a file"));
    }
    let mut text = String::new();
    File::open(path)?
        .take(MOST_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}

/// Writes a new file; one that is there already is somebody's settings.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file?.write_all(text.as_bytes())?;
    Ok(())
}
