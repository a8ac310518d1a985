//! `pocketknight book`: makes opening books and looks into them.

use super::{Failure, note, print};
use crate::cli::{BookBuildArgs, BookCommand, BookShowArgs};
use anyhow::{Context, anyhow};
use pocketknight::book::{
    self, Book, BookMove, BuildOptions, Builder, Games, InputGame, InputKind, Skipped, key,
};
use pocketknight::rules::pgn::GameResult;
use pocketknight::rules::{CastlingStyle, Game, Position, Variant};
use pocketknight::training::{EXTENSION, GameReader, game_files, is_special};
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Faulty games of a file that are told one by one.
const TOLD: u64 = 3;

pub(crate) fn run(command: &BookCommand) -> Result<(), Failure> {
    match command {
        BookCommand::Build(args) => build(args),
        BookCommand::Info { file } => print(&info(&load(file)?)),
        BookCommand::Show(args) => show(args),
    }
}

fn load(file: &Path) -> Result<Book, Failure> {
    book::load(file).map_err(Failure::usage)
}

/// What became of the games of one file.
#[derive(Default)]
struct Tally {
    taken: u64,
    unfinished: u64,
    rating: u64,
    faulty: u64,
    unnamed: u64,
}

impl Tally {
    fn text(&self) -> String {
        let mut text = format!("{} games taken", self.taken);
        for (count, what) in [
            (self.unfinished, "without a result"),
            (self.rating, "below --min-rating"),
            (self.faulty, "not understood"),
        ] {
            if count > 0 {
                write!(text, ", {count} {what}").ok();
            }
        }
        if self.unnamed > 0 {
            write!(
                text,
                "; {} name no variant and were read as crazyhouse",
                self.unnamed
            )
            .ok();
        }
        text
    }
}

fn build(args: &BookBuildArgs) -> Result<(), Failure> {
    let mut builder = Builder::new(BuildOptions {
        max_ply: args.max_ply,
        min_count: args.min_count,
        min_rating: args.min_rating,
        weighting: args.weights.into(),
        margin: f64::from(args.margin) / 100.0,
    });
    for path in &args.inputs {
        for file in files(path)? {
            let tally = add_file(&mut builder, &file)
                .with_context(|| file.display().to_string())
                .map_err(Failure::Usage)?;
            note(&format!("{}: {}", file.display(), tally.text()));
        }
    }
    if builder.games() == 0 {
        return Err(Failure::Runtime(anyhow!("no game to make a book of")));
    }
    let book = builder.finish();
    if book.is_empty() {
        return Err(Failure::Runtime(anyhow!(
            "no move was played in {} games, expected more games or a smaller --min-count",
            args.min_count
        )));
    }
    book::save(&book, &args.out).map_err(Failure::runtime)?;
    print(&info(&book))
}

/// Files of an input: a folder stands for the files of self-play games in it.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if path.is_dir() {
        game_files(&[path]).map_err(Failure::usage)
    } else if is_special(path) {
        Err(Failure::Usage(anyhow!("{} is not a file", path.display())))
    } else {
        Ok(vec![path.to_owned()])
    }
}

fn add_file(builder: &mut Builder, path: &Path) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    if path.extension().is_some_and(|name| name == EXTENSION) {
        add_self_play(builder, path, &mut tally)?;
        return Ok(tally);
    }
    let games = Games::new(BufReader::new(File::open(path)?))?;
    let kind = match games.kind() {
        InputKind::Pgn => "PGN",
        InputKind::JsonLines => "JSON lines",
    };
    for game in games {
        match game {
            Ok(game) => {
                tally.unnamed += u64::from(!game.named_variant);
                add(builder, &game, &mut tally)?;
            }
            Err(error) if error.is_of_one_game() => {
                tally.faulty += 1;
                if tally.faulty <= TOLD {
                    note(&format!("{} ({kind}), {error}", path.display()));
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(tally)
}

fn add(builder: &mut Builder, game: &InputGame, tally: &mut Tally) -> anyhow::Result<()> {
    match builder.add(game)? {
        None => tally.taken += 1,
        Some(Skipped::Unfinished) => tally.unfinished += 1,
        Some(Skipped::Rating) => tally.rating += 1,
    }
    Ok(())
}

fn add_self_play(builder: &mut Builder, path: &Path, tally: &mut Tally) -> anyhow::Result<()> {
    for record in GameReader::open(path)? {
        let record = record?;
        let scored = record.plies.iter().map(|ply| ply.mv);
        let game = InputGame {
            start: Position::start(Variant::Crazyhouse),
            moves: record.opening.iter().copied().chain(scored).collect(),
            result: GameResult::from_winner(record.ending.winner()),
            ratings: [None, None],
            named_variant: true,
        };
        add(builder, &game, tally)?;
    }
    Ok(())
}

fn info(book: &Book) -> String {
    let by_key = |position: &Position| book.moves(key(position)).count();
    let start = by_key(&Position::start(Variant::Crazyhouse));
    let bytes = book.to_bytes().len();
    format!(
        "positions   {}\nmoves       {}\ngames       {}\nlast ply    {}\nweights     {}\nfirst moves {start}\nbytes       {bytes}\n",
        book.positions(),
        book.len(),
        book.games(),
        book.max_ply(),
        book.weighting().word(),
    )
}

fn show(args: &BookShowArgs) -> Result<(), Failure> {
    let book = load(&args.file)?;
    let start = match &args.fen {
        None => Position::start(args.variant),
        Some(fen) => Position::from_fen(fen, args.variant)
            .context("--fen")
            .map_err(Failure::Usage)?,
    };
    let mut game = Game::from_position(start);
    for word in args.moves.iter().flat_map(|text| text.split_whitespace()) {
        let position = game.position();
        let read = position
            .parse_uci(word)
            .or_else(|_| position.parse_san(word));
        let mv = read.context("--moves").map_err(Failure::Usage)?;
        game.push(mv).context("--moves").map_err(Failure::Usage)?;
    }
    let position = game.position();
    let moves: Vec<BookMove> = book.moves(key(position)).collect();
    if moves.is_empty() {
        return Err(Failure::Runtime(anyhow!(
            "the book has no move of this position"
        )));
    }
    print(&table(&book, position, &moves))
}

fn table(book: &Book, position: &Position, moves: &[BookMove]) -> String {
    let weighting = book.weighting();
    let weight: u64 = moves.iter().map(|found| found.weight(weighting)).sum();
    let games: u64 = moves.iter().map(BookMove::count).sum();
    let percent = |part: u64, whole: u64| {
        if whole == 0 {
            0.0
        } else {
            part as f64 * 100.0 / whole as f64
        }
    };
    let mut text = format!(
        "{:<8} {:<8} {:>9} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7}\n",
        "move", "uci", "games", "%", "won %", "drawn %", "lost %", "score", "chosen"
    );
    for found in moves {
        let count = found.count();
        let (san, uci) = if position.is_legal(found.mv) {
            let uci = position.uci(found.mv, CastlingStyle::KingTakesRook);
            (position.san(found.mv), uci)
        } else {
            ("illegal".to_owned(), found.mv.to_string())
        };
        writeln!(
            text,
            "{san:<8} {uci:<8} {count:>9} {:>6.1} {:>7.1} {:>7.1} {:>7.1} {:>6.1}% {:>6.1}%",
            percent(count, games),
            percent(found.wins.into(), count),
            percent(found.draws.into(), count),
            percent(found.losses.into(), count),
            found.score() * 100.0,
            percent(found.weight(weighting), weight),
        )
        .ok();
    }
    text
}
