//! Texts of `pocketknight sandbox --serve`: what a client needs to know.

use super::server::Server;
use std::fmt::Write;

/// Help that the server gives at its root.
pub(super) const HELP: &str = "\
This server speaks the Lichess Bot API for crazyhouse, as far as a bot needs it.

Use the base address instead of https://lichess.org and one of the tokens that were printed at the start.

To play a scripted opponent, challenge it (variant crazyhouse): it accepts at once.
  random        any legal move
  greedy        mates in one, takes what it can, gives checks
  engine1000    the engine with 1000 nodes a move; any other number works too
  greedy-2      another account of the same kind, for several games at the same time

To be challenged by one:
  curl -d user=sandboxbot1 -d opponent=greedy BASE/sandbox/challenge
with any field of a Lichess challenge besides (color, rated, clock.limit, clock.increment, variant, rules, ...).

To open an arena in which bots that join it (POST /api/tournament/ID/join) play one:
  curl -d minutes=10 BASE/sandbox/tournament
with startIn (seconds), clock.limit, clock.increment, password, botsAllowed, variant if wanted.
";

/// Text printed when the server has started: address, accounts with their tokens, and how to be challenged.
pub fn welcome(server: &Server, accounts: &[(String, String)]) -> String {
    let base = server.url();
    let base = base.as_str().trim_end_matches('/');
    let mut text = format!("sandbox server at {base}\n\nbot accounts and their tokens:\n");
    for (name, token) in accounts {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:18} {token}");
    }
    text.push('\n');
    text.push_str(&HELP.replace("BASE", base));
    text
}
