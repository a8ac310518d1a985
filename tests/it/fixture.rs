//! The sandbox server as the other side of a program or of the bot.

use crate::program::Program;
use pocketknight::bot::{BotOptions, MoveSources};
use pocketknight::engine::Engine;
use pocketknight::lichess::{Client, ClientOptions};
use pocketknight::sandbox::{Server, ServerOptions};
use pocketknight::settings::Settings;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Server and a runtime that serves it while the test waits for a program.
pub(crate) struct Fixture {
    pub(crate) runtime: tokio::runtime::Runtime,
    server: Option<Server>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime
            .block_on(Server::start(ServerOptions::default()))
            .unwrap();
        Self {
            runtime,
            server: Some(server),
        }
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    pub(crate) fn program(&self, args: &[&str], token: &str) -> Program {
        Program::new(args)
            .env("POCKETKNIGHT__LICHESS__URL", self.server().url().as_str())
            .env("LICHESS_BOT_TOKEN", token)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.shut_down());
        }
    }
}

/// Settings for games of so many nodes a move, with the records in `dir`.
pub(crate) fn quick_settings(dir: &Path, nodes: u64) -> Settings {
    let mut settings = Settings::defaults();
    dir.clone_into(&mut settings.data.dir);
    settings.engine.max_nodes = nodes;
    settings.engine.hash_mib = 1;
    settings
}

/// The bot on the account `name`, whose token this is, with one core.
pub(crate) async fn bot_options(
    server: &Server,
    name: &str,
    token: String,
    settings: Settings,
) -> BotOptions {
    let client = Client::new(ClientOptions::new(server.url(), Some(token.into()))).unwrap();
    BotOptions {
        account: client.account().await.unwrap(),
        client: client.with_user(name).unwrap(),
        settings: Arc::new(settings),
        reload: None,
        series: None,
        engine: Engine::new(1),
        sources: MoveSources::default(),
        draining: CancellationToken::new(),
        stop: CancellationToken::new(),
        observer: None,
    }
}
