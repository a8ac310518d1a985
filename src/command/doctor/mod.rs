//! `pocketknight doctor`: is everything in order to play?

mod local;
mod report;
mod server;

use super::{Failure, account, print};
use crate::cli::DoctorArgs;
use anyhow::anyhow;
use pocketknight::settings::{Loaded, Settings, Sources};
use report::{Check, Report, State};

pub(crate) async fn run(args: &DoctorArgs, sources: &Sources) -> Result<(), Failure> {
    let report = Report::new(examine(sources).await);
    if args.json {
        let text = serde_json::to_string(&report).map_err(Failure::runtime)?;
        print(&format!("{text}\n"))?;
    } else {
        print(&report.to_string())?;
    }
    match report.count(State::Failure) {
        0 => Ok(()),
        1 => Err(Failure::Runtime(anyhow!("1 check failed"))),
        failed => Err(Failure::Runtime(anyhow!("{failed} checks failed"))),
    }
}

async fn examine(sources: &Sources) -> Vec<Check> {
    let loaded = match Loaded::load(sources) {
        Ok(loaded) => loaded,
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            let advice = "correct them; `pocketknight config` tells the same and, then, all values";
            return vec![Check::failure("settings", text, advice)];
        }
    };
    let changed = loaded
        .values
        .iter()
        .filter(|value| value.origin != "default");
    let file = sources.settings_file();
    let mut checks = vec![local::settings(file.as_deref(), changed.count())];
    let settings = loaded.settings;
    checks.push(local::data(&settings.data));
    checks.push(local::engine(&settings));
    checks.extend(local::other_engine(&settings).await);
    checks.extend(local::book(&settings));
    checks.extend(online(&settings).await);
    checks
}

/// Checks that ask the server, as far as there is a token to ask with.
async fn online(settings: &Settings) -> Vec<Check> {
    let token = local::token(&settings.lichess);
    let usable = token.state == State::Ok;
    let mut checks = vec![token];
    if !usable {
        return checks;
    }
    let client = match account::client(settings) {
        Ok(client) => client,
        Err(failure) => {
            let text = format!("{:#}", failure.error());
            checks.push(Check::failure("server", text, "correct [lichess]"));
            return checks;
        }
    };
    let answers = server::latency(&client).await;
    let reached = answers.iter().all(|check| check.state != State::Failure);
    checks.extend(answers);
    if reached {
        checks.extend(server::account(&client, settings).await);
        checks.extend(server::explorer(&client, settings).await);
    }
    checks
}
