//! Command line: what can be asked for. Nothing is done here.

mod book;
mod train;

pub(crate) use book::{BookBuildArgs, BookCommand, BookShowArgs};
pub(crate) use train::{LossArgs, ScoreScale, TrainArgs};

use clap::{Args, Parser, Subcommand};
use pocketknight::bot::Colors;
use pocketknight::rules::Variant;
use pocketknight::sandbox::{MatchClock, Style};
use pocketknight::settings::{Clock, UnknownClock};
use pocketknight::training::duel::{PlayerSpec, Sprt, TimeControl};
use std::path::PathBuf;
use std::time::Duration;

/// A Lichess bot that plays crazyhouse, with its own engine inside.
#[derive(Parser, Debug)]
#[command(
    name = "pocketknight",
    version,
    arg_required_else_help = true,
    after_help = "Try it without an account: pocketknight sandbox\n\
                  Exit codes: 0 done, 1 failed while running, 2 wrong usage or settings, 3 token refused"
)]
pub(crate) struct Cli {
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        help = "Settings file; default: $POCKETKNIGHT_CONFIG, or config/pocketknight.toml if there is one"
    )]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Play on Lichess as a bot account until told to stop
    Run,
    /// Play games against one opponent, show the score, then end
    Challenge(ChallengeArgs),
    /// Turn the account of the token into a bot account, for ever
    Upgrade(UpgradeArgs),
    /// List, join and leave arenas that let bots in
    #[command(subcommand)]
    Tournament(TournamentCommand),
    /// Check token, account, server, engine and files, and say what to do
    Doctor(DoctorArgs),
    /// Play against a built-in server that speaks like Lichess; needs no account and no network
    Sandbox(SandboxArgs),
    /// Speak UCI on standard input and output, for chess GUIs
    Uci,
    /// Speak the XBoard protocol on standard input and output
    Xboard,
    /// Analyse a position, or all moves of games
    #[command(visible_alias = "analyze")]
    Analyse(AnalyseArgs),
    /// Search fixed positions and print the node count, which is a signature of the engine
    Bench(BenchArgs),
    /// Count the move sequences of a position
    Perft(PerftArgs),
    /// Make opening books from games, and look into them
    #[command(subcommand)]
    Book(BookCommand),
    /// Play a match between two evaluations and print the Elo difference
    Duel(Box<DuelArgs>),
    /// Play games of the engine against itself, for training
    Datagen(DatagenArgs),
    /// Look at, check or shuffle files of games
    #[command(subcommand)]
    Data(DataCommand),
    /// Train a network on files of games
    Train(Box<TrainArgs>),
    /// Tune constants of the search by games between neighbouring values
    Tune(Box<TuneArgs>),
    /// Look into network files
    #[command(subcommand)]
    Network(NetworkCommand),
    /// Print all settings in force and where each comes from, or take over those of another bot
    Config(ConfigArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ConfigCommand>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum ConfigCommand {
    /// Translate the settings of lichess-bot or BotLi (config.yml)
    Import(ConfigImportArgs),
}

#[derive(Args, Debug)]
#[command(
    after_help = "The token is not taken over: set LICHESS_BOT_TOKEN, or name a file in lichess.token_file.\n\
    What has no counterpart is listed at the end of the new file, with the reason."
)]
pub(crate) struct ConfigImportArgs {
    /// Settings of the other bot
    pub(crate) file: PathBuf,
    /// New file, such as config/pocketknight.toml; default: standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Go on playing with the engine of the other bot, as [engine.uci]
    #[arg(long)]
    pub(crate) keep_engine: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object: ok, and checks with name, state (ok, warning or failure), text and advice
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TournamentCommand {
    /// Arenas of crazyhouse that let bots in
    List,
    /// Join an arena, or come back to it; a running bot plays its games
    Join {
        /// Id or address of the arena
        #[arg(value_name = "ARENA")]
        id: String,
        /// Its password, if it wants one
        #[arg(long)]
        password: Option<String>,
        /// Team to play for in a team battle; default: tournament.team
        #[arg(long, value_name = "ID")]
        team: Option<String>,
    },
    /// Leave an arena before its start, or pause in it
    Leave {
        /// Id or address of the arena
        #[arg(value_name = "ARENA")]
        id: String,
    },
}

#[derive(Args, Debug)]
#[command(
    after_help = "Other challenges are declined meanwhile, unless --accept-others is given.\n\
                  Ends with code 1 if not all games were played"
)]
pub(crate) struct ChallengeArgs {
    /// Name of the opponent, a bot or a human
    pub(crate) user: String,
    /// Number of games; aborted ones do not count
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) games: u32,
    /// Clock: minutes, plus sign, seconds added a move
    #[arg(long, value_name = "MINUTES+INCREMENT", default_value = "3+2", value_parser = bot_clock)]
    pub(crate) clock: Clock,
    /// Play rated games
    #[arg(long)]
    pub(crate) rated: bool,
    /// Color of the bot: white, black, random, or pairs, which is White and Black in turn
    #[arg(long, default_value = "pairs", value_parser = colors)]
    pub(crate) color: Colors,
    /// Accept challenges of others in the other slots
    #[arg(long)]
    pub(crate) accept_others: bool,
}

/// Clock that Lichess lets bots challenge with.
fn bot_clock(text: &str) -> Result<Clock, String> {
    let clock: Clock = text
        .parse()
        .map_err(|error: UnknownClock| error.to_string())?;
    if clock.is_for_bots() {
        Ok(clock)
    } else {
        Err("expected initial time + 40 increments of at least 30 s, and increments of at most 60 s".to_owned())
    }
}

fn colors(text: &str) -> Result<Colors, String> {
    match text {
        "white" => Ok(Colors::White),
        "black" => Ok(Colors::Black),
        "random" => Ok(Colors::Random),
        "pairs" => Ok(Colors::Pairs),
        _ => Err("expected white, black, random or pairs".to_owned()),
    }
}

#[derive(Args, Debug)]
pub(crate) struct UpgradeArgs {
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "All scores are those of White: +1.00 stands for 62 % of the games won, mate 3 for a mate by \
    White in three moves.\n\
    A move is an inaccuracy, a mistake or a blunder if it lost 0.1, 0.2 or 0.3 of the winning chance between -1 \
    and 1, as on Lichess.\n\
    --json of a position: fen, variant, outcome (only if the game is over), depth, nodes, time_ms, and lines, the \
    best first, each with cp or mate, wdl (won, drawn, lost of 1000 games), san, uci.\n\
    --json of games: for each move game, ply, san, uci, fen before it, before and after (cp or mate, wdl), best_san \
    and best_uci (the best line), loss, judgement; behind each game one object with summary."
)]
pub(crate) struct AnalyseArgs {
    /// Position; default: the start position
    #[arg(long, conflicts_with = "pgn")]
    pub(crate) fen: Option<String>,
    /// File of games, of which every move is judged
    #[arg(long, value_name = "FILE")]
    pub(crate) pgn: Option<PathBuf>,
    /// crazyhouse, loop or chessgi; a PGN file says it itself
    #[arg(long, default_value = "crazyhouse", value_parser = variant, conflicts_with = "pgn")]
    pub(crate) variant: Variant,
    /// Greatest depth of a search, plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) depth: Option<u32>,
    /// Time of a search [default for one position: 5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Nodes of a search [default for each position of a game: 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Number of best lines of a position; in a game those of each position before a move
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) multipv: u32,
    /// Threads of the search; with more than one the result differs from run to run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: u32,
    /// Transposition table, MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) hash: u32,
    /// Network to judge positions by; default: the one inside the program
    #[arg(long, value_name = "FILE")]
    pub(crate) eval_file: Option<PathBuf>,
    /// Show the board of the position
    #[arg(long, conflicts_with_all = ["pgn", "json"])]
    pub(crate) board: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Depth in plies; only the default depth gives the signature
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) depth: Option<u32>,
    /// Search threads; with more than one the node count differs from run to run
    #[arg(long, default_value_t = 1, value_parser = threads)]
    pub(crate) threads: usize,
}

#[derive(Args, Debug)]
pub(crate) struct PerftArgs {
    /// Position; default: the start position
    #[arg(long)]
    pub(crate) fen: Option<String>,
    /// crazyhouse, loop or chessgi
    #[arg(long, default_value = "crazyhouse", value_parser = variant)]
    pub(crate) variant: Variant,
    /// Number of plies
    #[arg(long, required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) depth: Option<u32>,
    /// Show each first move with its count
    #[arg(long)]
    pub(crate) divide: bool,
    /// Check all counts of a JSON file of positions instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "divide", "depth"])]
    pub(crate) suite: Option<PathBuf>,
    /// Leave out rows of the suite with more nodes than this
    #[arg(long, value_name = "N", requires = "suite")]
    pub(crate) max_nodes: Option<u64>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum NetworkCommand {
    /// Check a network file and print what it is
    Info {
        /// Network file
        file: PathBuf,
    },
    /// Print how well a network tells scores and results of games
    Loss(LossArgs),
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("target").required(true).args(["games", "positions"]))]
pub(crate) struct DatagenArgs {
    /// Number of games, those of earlier runs included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub(crate) games: Option<u64>,
    /// End after so many positions instead, those of earlier runs included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) positions: Option<u64>,
    /// Nodes of a search after which it begins no new iteration
    #[arg(long, value_name = "K", default_value_t = 400, value_parser = clap::value_parser!(u32).range(10..=10_000_000))]
    pub(crate) nodes: u32,
    /// Threads, each of which writes a file of its own
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: u32,
    /// Seed: the same one gives the same games
    #[arg(long, value_name = "S")]
    pub(crate) seed: u64,
    /// Directory of the files; games that are there already are kept and counted
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// What to judge positions by: a file of a network, material, or default, which is what the bot plays with
    #[arg(long, value_name = "FILE|material|default", default_value = "default")]
    pub(crate) network: PathBuf,
}

#[derive(Subcommand, Debug)]
pub(crate) enum DataCommand {
    /// Count games, results, and the positions that a filter drops
    Stat(DataPaths),
    /// Check all sums and replay every game; fails at the first fault
    Verify(DataPaths),
    /// Put the games of all files into one, in random order; needs as much memory as the files are large
    Shuffle {
        #[command(flatten)]
        from: DataPaths,
        /// New file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Seed of the order
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
    },
}

#[derive(Args, Debug)]
pub(crate) struct DataPaths {
    /// Files of games, or directories with files whose names end in .games
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Example: pocketknight duel new.pknn old.pknn --nodes 5000 --sprt 0,10 --concurrency 2\n\
                        Ends with code 1 if a player was at fault or a signal came before the end"
)]
pub(crate) struct DuelArgs {
    /// First player: a network file, default or material, with settings of its own behind commas: hash=MIB, and one
    /// of nodes=N, movetime=MS, tc=SECONDS+INCREMENT; lag=MS takes so much off its clock on each move; constants of the
    /// search as `tune --list` shows them, as NAME=VALUE
    pub(crate) a: PlayerSpec,
    /// Second player
    pub(crate) b: PlayerSpec,
    /// Nodes a move [default: 5000]
    #[arg(long, value_name = "N", conflicts_with_all = ["tc", "movetime"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Clock of both: seconds, plus sign, seconds added a move; who oversteps it loses
    #[arg(long, value_name = "SECONDS+INCREMENT", conflicts_with = "movetime")]
    pub(crate) tc: Option<TimeControl>,
    /// Time a move, milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub(crate) movetime: Option<u64>,
    /// Nodes a move of the second player, if other than those of the first
    #[arg(long, value_name = "N", conflicts_with_all = ["tc", "movetime"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes_b: Option<u64>,
    /// Number of games, two for each opening; an odd number is rounded up [default: 400, with --sprt at most 40000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2_000_000))]
    pub(crate) games: Option<u32>,
    /// Games at the same time
    #[arg(long, value_name = "C", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) concurrency: u32,
    /// File of openings, a FEN or EPD a line; default: 4 to 8 random plies
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: Option<PathBuf>,
    /// Seed of the random openings, or of the order of those in the file
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Transposition table of each player, MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) hash: u32,
    /// End as soon as it is known whether the first player is stronger by ELO1 rather than by ELO0 (errors 5 % each)
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub(crate) sprt: Option<Sprt>,
    /// Write the games to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) pgn: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    /// Constants to tune; default: all but depths and switches
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// File of the state: begun if it is not there, gone on with if it is
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    pub(crate) state: Option<PathBuf>,
    /// Show all constants with their values, ranges and steps, and do nothing else
    #[arg(long)]
    pub(crate) list: bool,
    /// Number of games, two for each iteration; an odd number is rounded up
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) games: u32,
    /// Nodes a move
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) nodes: u64,
    /// Part of a step by which a game moves a value at the end; default: 0.5 through the root of the iterations
    #[arg(long, value_name = "R", value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// Games at the same time
    #[arg(long, value_name = "C", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) concurrency: u32,
    /// Transposition table of each player, MiB
    #[arg(long, value_name = "MIB", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) hash: u32,
    /// Seed of openings and of all that is drawn by lot
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Rate of a tuning.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("expected a number above 0, at most 1".to_owned()),
    }
}

#[derive(Args, Debug)]
pub(crate) struct SandboxArgs {
    /// Number of games
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) games: u32,
    /// Games at the same time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) concurrency: u32,
    /// Clock of both sides: seconds, plus sign, seconds added a move
    #[arg(long, default_value = "60+1")]
    pub(crate) clock: MatchClock,
    /// random, greedy, engine:NODES (the engine with that many nodes a move), or a random player with manners: drawer,
    /// sleeper, chatter, leaver, regretter; several are taken in turn
    #[arg(
        long,
        default_value = "random,greedy,engine:1000",
        value_delimiter = ','
    )]
    pub(crate) opponent: Vec<Style>,
    /// Seed of the opponents; the same seed gives the same opponents' choices
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Pause of the opponents before each move, milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub(crate) delay: u64,
    /// Only start the server and leave it running for other clients
    #[arg(long, conflicts_with_all = ["games", "concurrency", "clock", "opponent"])]
    pub(crate) serve: bool,
    /// Port of the server on loopback; 0: any free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}

/// Seconds with or without a fraction, up to a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| (0.001..=86_400.0).contains(s));
    let seconds: f64 = seconds.ok_or("expected seconds from 0.001 to 86400")?;
    Ok(Duration::from_secs_f64(seconds))
}

fn threads(text: &str) -> Result<usize, String> {
    let known = text.parse().ok().filter(|n| (1..=256).contains(n));
    known.ok_or_else(|| "expected a whole number from 1 to 256".to_owned())
}

pub(super) fn variant(text: &str) -> Result<Variant, String> {
    Variant::from_name(text).ok_or_else(|| "expected crazyhouse, loop or chessgi".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definition_is_sound() {
        Cli::command().debug_assert();
    }
}
