//! UCI: the protocol that chess GUIs speak with engines.
//!
//! One thread reads and answers commands, the search runs on the threads of the engine and reports from there, so
//! `stop` is heard while it runs. A command that cannot be carried out is answered with `info string error: ...` and
//! changes nothing.

mod command;
pub(super) mod options;
mod text;

#[cfg(test)]
mod tests;

use super::lines::{Line, read_line};
use super::output::{Output, chain, excerpt};
use crate::book::{self, Book, Choice};
use crate::engine::{
    Clock, Engine, Evaluation, Limits, SearchHandle, SearchRequest, Session, SessionOptions, bench,
};
use crate::eval_file;
use crate::rules::{CastlingStyle, Game, Move, Position, perft_divide};
use command::{Command, Go, Start};
use options::{Effect, Options};
use std::io::{BufRead, Write};
use std::sync::mpsc;
use std::time::Instant;

const HELP: &str = "\
Pocketknight plays crazyhouse and speaks UCI, https://backscattering.de/chess/uci/
uci, isready, ucinewgame, setoption name N value V, position startpos|fen F moves M,
go [depth N] [nodes N] [movetime MS] [wtime MS btime MS winc MS binc MS movestogo N] [mate N]
   [infinite] [ponder] [searchmoves M], go perft N, stop, ponderhit, quit,
d (board and FEN), eval (worth without a search), bench [DEPTH]";

/// Talks UCI until `quit`, the end of the input, or until nobody reads the output.
///
/// A running search is stopped then, and its best move is still written.
pub fn run(engine: &Engine, mut input: impl BufRead, output: impl Write + Send + 'static) {
    let mut front = Front::new(engine, output);
    while front.output.is_open() {
        let line = match read_line(&mut input) {
            Line::Text(line) => line,
            Line::TooLong => {
                front.output.error("line is too long");
                continue;
            }
            Line::End => break,
        };
        if front.handle(&line) == Next::Quit {
            break;
        }
    }
    front.finish_search();
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    Continue,
    Quit,
}

struct Front {
    output: Output,
    session: Session,
    options: Options,
    game: Game,
    /// The last `position` was refused.
    lacks_position: bool,
    search: Option<Running>,
    book: Option<Book>,
    /// Of the errors of a weaker level, drawn for each game.
    seed: u64,
}

/// Search in progress, or one that ended since the last look.
struct Running {
    handle: SearchHandle,
    /// Closed or filled when the best move has been written.
    done: mpsc::Receiver<()>,
}

impl Front {
    fn new(engine: &Engine, output: impl Write + Send + 'static) -> Self {
        let options = Options::default();
        let session = engine.session(SessionOptions {
            hash_mib: options.hash_mib,
            threads: options.threads,
        });
        Self {
            output: Output::new(output),
            session,
            game: Game::new(options.variant),
            lacks_position: false,
            options,
            search: None,
            book: None,
            seed: fastrand::u64(..),
        }
    }

    fn handle(&mut self, line: &str) -> Next {
        // The clock of a search runs from here on.
        let received = Instant::now();
        match Command::parse(line) {
            Command::Nothing => {}
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.line("readyok"),
            Command::NewGame => {
                self.finish_search();
                self.session.clear();
                self.seed = fastrand::u64(..);
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position { start, moves } => match self.read_game(&start, &moves) {
                Ok(game) => {
                    self.game = game;
                    self.lacks_position = false;
                }
                Err(reason) => self.refuse_position(&reason),
            },
            Command::Go(go) => self.go(&go, received),
            Command::Perft { depth } => self.perft(depth),
            Command::Bench { depth } => self.bench(depth),
            Command::Stop => {
                if let Some(search) = &self.search {
                    search.handle.stop();
                }
            }
            Command::PonderHit => {
                if let Some(search) = &self.search {
                    search.handle.ponderhit();
                }
            }
            Command::Display => self.output.line(&text::board(self.game.position())),
            Command::Evaluate => {
                let position = self.game.position();
                let worth = self.session.evaluation().evaluate(position);
                self.output.line(&text::evaluation(position, worth));
            }
            Command::Help => self.output.line(HELP),
            Command::Quit => return Next::Quit,
            Command::Unknown => {
                let command = excerpt(line);
                self.output.line(&format!(
                    "Unknown command: '{command}'. Type help for more information."
                ));
            }
            Command::Wrong(reason) => self.output.error(&reason),
            Command::WrongGo(reason) => self.refuse_go(&reason),
            Command::WrongPosition(reason) => self.refuse_position(&reason),
        }
        Next::Continue
    }

    /// A move in the old position would be one that the front end does not expect.
    fn refuse_position(&mut self, reason: &str) {
        self.output.error(reason);
        self.lacks_position = true;
    }

    /// Says why there is no search, and that there is no move: the front end waits for one.
    fn refuse_go(&mut self, reason: &str) {
        self.finish_search();
        self.output.error(reason);
        self.output.line("bestmove (none)");
    }

    fn introduce(&self) {
        let mut text = format!(
            "id name Pocketknight {}\nid author the Pocketknight developers\n\n",
            env!("CARGO_PKG_VERSION")
        );
        for option in Options::announce() {
            text.push_str(&option);
            text.push('\n');
        }
        text.push_str("uciok");
        self.output.line(&text);
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.set(name, value) {
            Err(reason) => self.output.error(&reason),
            Ok(Effect::Nothing) => {}
            Ok(effect) => {
                self.finish_search();
                match effect {
                    Effect::Nothing => {}
                    Effect::ResizeHash => self.session.set_hash(self.options.hash_mib),
                    Effect::ChangeThreads => self.session.set_threads(self.options.threads),
                    Effect::ClearHash => self.session.clear(),
                    Effect::ChangeVariant => {
                        // Stored values of one variant are wrong in another one.
                        self.session.clear();
                        self.game = Game::new(self.options.variant);
                        self.lacks_position = false;
                    }
                    Effect::LoadNetwork => self.load_network(),
                    Effect::LoadBook => self.load_book(),
                }
            }
        }
    }

    /// Takes the network of the option; one that cannot be had leaves the search with the one it has.
    fn load_network(&mut self) {
        let Some(path) = &self.options.eval_file else {
            return self.session.set_evaluation(Evaluation::default());
        };
        match eval_file::load(path) {
            Ok(network) => {
                let (architecture, label) = (network.architecture(), network.label());
                self.output
                    .line(&format!("info string network {architecture} {label:?}"));
                self.session.set_evaluation(Evaluation::Network(network));
            }
            Err(error) => self
                .output
                .error(&format!("option EvalFile: {}", chain(&error))),
        }
    }

    /// Takes the book of the option; one that cannot be had leaves none, so that no wrong one is played.
    fn load_book(&mut self) {
        self.book = None;
        let Some(path) = &self.options.book_file else {
            return;
        };
        match book::load(path) {
            Ok(book) => {
                let (positions, moves) = (book.positions(), book.len());
                self.output.line(&format!(
                    "info string book of {positions} positions, {moves} moves"
                ));
                self.book = Some(book);
            }
            Err(error) => self
                .output
                .error(&format!("option BookFile: {}", chain(&error))),
        }
    }

    /// Move of the book, if this search is one for a move to play.
    fn book_move(&self, go: &Go<'_>) -> Option<Move> {
        let analyses = go.infinite || go.ponder || go.mate.is_some() || self.options.analyses;
        if !self.options.own_book || analyses || !go.search_moves.is_empty() {
            return None;
        }
        let book = self.book.as_ref()?;
        let found = book.choose(&self.game, &Choice::default(), fastrand::u64(..))?;
        Some(found.mv)
    }

    fn read_game(&self, start: &Start, moves: &[&str]) -> Result<Game, String> {
        let variant = self.options.variant;
        let mut game = match start {
            Start::Initial => Game::new(variant),
            Start::Fen(fen) => {
                let position = Position::from_fen(fen, variant).map_err(|e| chain(&e))?;
                Game::from_position(position)
            }
        };
        for text in moves {
            game.push_uci(text).map_err(|e| chain(&e))?;
        }
        Ok(game)
    }

    fn go(&mut self, go: &Go<'_>, received: Instant) {
        for word in &go.unknown {
            self.output.error(&format!(
                "go: unknown word {:?}, passed over",
                excerpt(word)
            ));
        }
        if self.lacks_position {
            return self.refuse_go("go: the last position was refused, expected another one");
        }
        let limits = match self.limits(go) {
            Ok(limits) => limits,
            Err(reason) => return self.refuse_go(&reason),
        };
        // Its best move comes before anything of the new search.
        self.finish_search();
        let position = *self.game.position();
        let (style, chances) = (self.castling_style(), self.options.show_wdl);
        if let Some(mv) = self.book_move(go) {
            let mv = position.uci(mv, style);
            return self
                .output
                .line(&format!("info string book\nbestmove {mv}"));
        }
        let (ended, done) = mpsc::channel();
        let (info_output, output) = (self.output.clone(), self.output.clone());
        let handle = self.session.search(
            SearchRequest {
                position,
                earlier: self.game.earlier_keys().to_vec(),
                limits,
                received,
            },
            Box::new(move |info| {
                info_output.line(&text::info(&position, info, style, chances));
            }),
            Box::new(move |result| {
                output.line(&text::best(&position, &result, style));
                // Nobody waits if the front end has gone.
                ended.send(()).ok();
            }),
        );
        self.search = Some(Running { handle, done });
    }

    fn limits(&self, go: &Go<'_>) -> Result<Limits, String> {
        let position = self.game.position();
        let us = position.turn().index();
        let search_moves = go.search_moves.iter().map(|text| position.parse_uci(text));
        Ok(Limits {
            depth: go.depth,
            nodes: go.nodes,
            soft_nodes: None,
            movetime: go.movetime,
            clock: go.time[us].map(|remaining| Clock {
                remaining,
                increment: go.increment[us],
                moves_to_go: go.period_moves,
                overhead: self.options.overhead,
                own_moves: position.fullmoves().saturating_sub(1),
            }),
            mate: go.mate,
            infinite: go.infinite,
            ponder: go.ponder,
            search_moves: search_moves
                .collect::<Result<_, _>>()
                .map_err(|e| chain(&e))?,
            multipv: self.options.multipv,
            strength: self.options.strength(self.seed),
        })
    }

    fn perft(&mut self, depth: u32) {
        self.finish_search();
        let position = self.game.position();
        let style = self.castling_style();
        let counts = perft_divide(position, depth);
        let total: u64 = if depth == 0 {
            1
        } else {
            counts.iter().map(|(_, nodes)| nodes).sum()
        };
        let rows = counts
            .iter()
            .map(|(m, nodes)| format!("{}: {nodes}\n", position.uci(*m, style)));
        let text = rows.collect::<Vec<_>>().concat();
        self.output
            .line(&format!("{text}\nNodes searched: {total}\n"));
    }

    fn bench(&mut self, depth: Option<u32>) {
        self.finish_search();
        let result = bench(depth, 1);
        let micros = result.elapsed.as_micros().max(1);
        let nps = u128::from(result.nodes) * 1_000_000 / micros;
        self.output.line(&format!(
            "\nTotal time (ms) : {}\nNodes searched  : {}\nNodes/second    : {nps}",
            result.elapsed.as_millis(),
            result.nodes
        ));
    }

    const fn castling_style(&self) -> CastlingStyle {
        if self.options.chess960 {
            CastlingStyle::KingTakesRook
        } else {
            CastlingStyle::TwoSquares
        }
    }

    /// Stops the search, if one runs, and waits until its best move has been written.
    fn finish_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.handle.stop();
            // An error means that the sender is gone, so nothing more will be written.
            search.done.recv().ok();
        }
    }
}

impl Output {
    fn error(&self, reason: &str) {
        self.line(&format!("info string error: {reason}"));
    }
}
