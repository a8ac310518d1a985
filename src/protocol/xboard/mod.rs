//! XBoard's protocol (CECP, version 2): what XBoard, `WinBoard` and many other GUIs speak with engines.
//!
//! The caller's thread reads lines, a second one obeys them, and searches run on the threads of the engine. Lines and
//! reports of searches reach the second thread through one channel, so everything happens in one order and a running
//! search never keeps a command waiting. A command that cannot be carried out is answered with one line and changes
//! nothing.

mod clock;
mod command;
mod options;
mod play;
mod record;
mod text;

#[cfg(test)]
mod tests;

use super::lines::{Line, read_line};
use super::output::{Output, chain, excerpt};
use crate::book::{self, Book};
use crate::engine::{
    Engine, Evaluation, Score, SearchHandle, SearchInfo, SearchResult, Session, SessionOptions,
};
use crate::eval_file;
use crate::rules::{Color, Move, Position, Variant};
use clock::TimeControl;
use command::Command;
use options::{Effect, Options};
use record::Record;
use std::io::{BufRead, Write};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Lines read ahead of what has been obeyed.
const MOST_WAITING: usize = 64;
const NOT_NOW: &str = "command not legal now";

/// Talks the protocol until `quit`, the end of the input, or until nobody reads the output.
///
/// A running search is stopped then, and its move is not told any more.
pub fn run(engine: &Engine, mut input: impl BufRead, output: impl Write + Send + 'static) {
    let (events, inbox) = mpsc::channel();
    let (places, taken) = mpsc::sync_channel(MOST_WAITING);
    let front = Front::new(engine, output, events.clone());
    thread::scope(|scope| {
        scope.spawn(move || front.run(&inbox, &taken));
        loop {
            let line = read_line(&mut input);
            let last = match &line {
                Line::Text(text) => Command::parse(text) == Command::Quit,
                Line::TooLong => false,
                Line::End => true,
            };
            // The other side is gone when nobody reads the output.
            let sent =
                places.send(()).is_ok() && events.send(Event::Line(line, Instant::now())).is_ok();
            if last || !sent {
                break;
            }
        }
    });
}

/// What the front waits for.
enum Event {
    /// Line of the GUI, and when it came.
    Line(Line, Instant),
    /// Progress of the search with that number.
    Info(u64, SearchInfo),
    /// End of the search with that number.
    Done(u64, SearchResult),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    Continue,
    Quit,
}

/// What the engine does with the moves that it is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// It plays neither side.
    Force,
    /// It plays that side.
    Play(Color),
    /// It thinks about every position and plays nothing.
    Analyze,
}

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// Our move.
    Move,
    /// Our move after the one that we expect of the opponent.
    Ponder(Move),
    Analysis,
    /// A move to suggest.
    Hint,
}

/// Search in progress.
struct Running {
    number: u64,
    /// Stops the search when it is dropped.
    handle: SearchHandle,
    purpose: Purpose,
    root: Position,
    began: Instant,
    /// Last report on the best line.
    info: Option<SearchInfo>,
}

/// Search that `pause` has ended, and how long it had been running.
struct Paused {
    purpose: Purpose,
    used: Duration,
}

/// Changes of the session that wait for the end of our move.
#[derive(Default)]
struct Pending {
    evaluation: Option<Evaluation>,
    clear: bool,
}

struct Front {
    output: Output,
    events: mpsc::Sender<Event>,
    session: Session,
    /// What the session has of the options.
    settled: SessionOptions,
    pending: Pending,
    options: Options,
    book: Option<Book>,
    variant: Variant,
    record: Record,
    /// The GUI has set up a position that cannot be played: no move is legal until the next one.
    broken: bool,
    mode: Mode,
    control: TimeControl,
    ponder: bool,
    post: bool,
    /// The GUI takes lines with `#`.
    debug: bool,
    search: Option<Running>,
    /// Number of the latest search.
    searches: u64,
    paused: Option<Paused>,
    /// Pings that came while we were to move.
    pings: Vec<String>,
    /// Moves that the next search leaves out.
    excluded: Vec<Move>,
    /// Our latest score in this game.
    score: Option<Score>,
    /// Expected answer to our latest move.
    hint: Option<Move>,
    draw_offered: bool,
    /// Of the errors of a weaker level, drawn for each game.
    seed: u64,
    /// Lines of the old edit mode are passed over.
    editing: bool,
}

impl Front {
    fn new(
        engine: &Engine,
        output: impl Write + Send + 'static,
        events: mpsc::Sender<Event>,
    ) -> Self {
        let options = Options::default();
        let settled = SessionOptions {
            hash_mib: options.hash_mib,
            threads: options.threads,
        };
        Self {
            output: Output::new(output),
            events,
            session: engine.session(settled),
            settled,
            pending: Pending::default(),
            options,
            book: None,
            variant: Variant::Crazyhouse,
            record: Record::new(Variant::Crazyhouse),
            broken: false,
            mode: Mode::Play(Color::Black),
            control: TimeControl::default(),
            ponder: false,
            post: false,
            debug: false,
            search: None,
            searches: 0,
            paused: None,
            pings: Vec::new(),
            excluded: Vec::new(),
            score: None,
            hint: None,
            draw_offered: false,
            seed: fastrand::u64(..),
            editing: false,
        }
    }

    fn run(mut self, inbox: &mpsc::Receiver<Event>, taken: &mpsc::Receiver<()>) {
        for event in inbox {
            match event {
                Event::Line(line, received) => {
                    // A place is free again; the reader put it there before the line.
                    taken.recv().ok();
                    match line {
                        Line::Text(line) => {
                            if self.handle(&line, received) == Next::Quit {
                                break;
                            }
                        }
                        Line::TooLong => self.output.line("Error (line is too long): ..."),
                        Line::End => break,
                    }
                }
                Event::Info(number, info) => self.report(number, info),
                Event::Done(number, result) => self.finish(number, &result),
            }
            if !self.is_thinking() {
                for ping in self.pings.drain(..) {
                    self.output.line(&ping);
                }
            }
            if !self.output.is_open() {
                break;
            }
        }
    }

    fn handle(&mut self, line: &str, received: Instant) -> Next {
        let command = Command::parse(line);
        if self.editing {
            let ended = command == Command::Status;
            self.editing = !ended
                && match command {
                    Command::EditLine => true,
                    Command::Unknown => line.trim_ascii().len() == 3,
                    _ => false,
                };
            if ended || self.editing {
                return Next::Continue;
            }
        }
        self.obey(command, line, received).unwrap_or_else(|reason| {
            // Some GUIs look for the first closing bracket.
            let reason = reason.replace(['(', ')'], "");
            self.output
                .line(&format!("Error ({reason}): {}", excerpt(line)));
            Next::Continue
        })
    }

    /// Carries out a command.
    ///
    /// # Errors
    /// Why it cannot be carried out. Nothing has changed then.
    fn obey(
        &mut self,
        command: Command<'_>,
        line: &str,
        received: Instant,
    ) -> Result<Next, String> {
        match command {
            Command::Nothing => {}
            Command::Protover => self.output.line(&Options::features().join("\n")),
            Command::Accepted(feature) => self.debug |= feature == "debug",
            Command::New => self.new_game(),
            Command::Variant(name) => self.set_variant(name)?,
            Command::Quit => return Ok(Next::Quit),
            Command::Force | Command::Result => {
                self.abandon();
                self.mode = Mode::Force;
            }
            Command::Go => self.go(received)?,
            Command::PlayOther => self.play_other()?,
            Command::MoveNow => {
                if let Some(search) = self.search.as_ref().filter(|_| self.is_thinking()) {
                    search.handle.stop();
                }
            }
            Command::UserMove(text) => self.user_move(text, received),
            Command::Level(level) => self.control.set_level(level, self.record.ply()),
            Command::MoveTime(time) => self.control.set_movetime(time),
            Command::Depth(depth) => self.control.set_depth(depth),
            Command::Time(left) => self.control.set_own(left),
            // Answered when it is not our move, which may be now.
            Command::Ping(number) => self.pings.push(format!("pong {}", excerpt(number))),
            Command::Draw => self.consider_draw(),
            Command::SetBoard(fen) => self.set_board(fen),
            Command::Edit => {
                self.editing = true;
                return Err("not supported, use setboard".to_owned());
            }
            Command::Hint => self.give_hint(),
            Command::Book => self.output.line(" There is no opening book.\n"),
            Command::Undo => self.undo()?,
            Command::Remove => self.remove()?,
            Command::Ponder(on) => self.set_ponder(on),
            Command::Post(on) => self.post = on,
            Command::Analyze => {
                self.abandon();
                self.mode = Mode::Analyze;
                self.analyze();
            }
            Command::Exit if self.mode == Mode::Analyze => {
                self.abandon();
                self.mode = Mode::Force;
            }
            Command::Exit => return Err(NOT_NOW.to_owned()),
            Command::Status => self.tell_status(),
            Command::Pause => self.pause(),
            Command::Resume => self.resume(),
            Command::Memory(value) => {
                self.options.set_memory(value)?;
                self.settle();
            }
            Command::Cores(value) => {
                self.options.set_cores(value)?;
                self.settle();
            }
            Command::Option { name, value } => self.set_option(name, value)?,
            Command::Exclude(text) => self.exclude(text, true)?,
            Command::Include(text) => self.exclude(text, false)?,
            Command::Unknown => {
                let text = line.trim_ascii();
                if !self.is_like_a_move(text) {
                    return Err("unknown command".to_owned());
                }
                self.user_move(text, received);
            }
            Command::EditLine => return Err("unknown command".to_owned()),
            Command::Wrong(reason) => return Err(reason),
        }
        Ok(Next::Continue)
    }

    /// Forgets the last game. The initial position of crazyhouse, Black for us, unless we analyze.
    fn new_game(&mut self) {
        self.abandon();
        self.variant = Variant::Crazyhouse;
        self.control.restart();
        self.seed = fastrand::u64(..);
        self.pending.clear = true;
        if self.mode != Mode::Analyze {
            self.mode = Mode::Play(Color::Black);
        }
        self.settle();
        self.set_record(Record::new(self.variant));
    }

    fn set_variant(&mut self, name: &str) -> Result<(), String> {
        let variant = Variant::from_name(name).ok_or("unsupported variant")?;
        self.abandon();
        // Stored values of one variant are wrong in another one.
        self.pending.clear |= variant != self.variant;
        self.variant = variant;
        self.settle();
        self.set_record(Record::new(variant));
        if let Some(text) = text::setup(variant) {
            self.output.line(&text);
        }
        Ok(())
    }

    fn set_board(&mut self, fen: &str) {
        self.abandon();
        match Position::from_fen(fen, self.variant) {
            Ok(position) => {
                if let Mode::Play(_) = self.mode {
                    // We wait for a move of whoever is on move.
                    self.mode = Mode::Play(!position.turn());
                }
                self.set_record(Record::from_position(position));
            }
            Err(error) => {
                self.broken = true;
                self.output.line(&format!(
                    "tellusererror Illegal position: {}",
                    chain(&error)
                ));
            }
        }
    }

    /// Replaces the game; no search runs.
    fn set_record(&mut self, record: Record) {
        self.record = record;
        self.broken = false;
        self.score = None;
        self.draw_offered = false;
        self.position_changed();
    }

    /// To be called after any change of the position that is not a move of the game being played.
    fn position_changed(&mut self) {
        self.hint = None;
        self.excluded.clear();
        if self.mode == Mode::Analyze {
            self.analyze();
        }
    }

    fn undo(&mut self) -> Result<(), String> {
        if let Mode::Play(_) = self.mode {
            return Err(NOT_NOW.to_owned());
        }
        self.take_back(1)
    }

    fn remove(&mut self) -> Result<(), String> {
        if self.mode == Mode::Play(self.record.position().turn()) {
            return Err(NOT_NOW.to_owned());
        }
        self.take_back(2)
    }

    fn take_back(&mut self, plies: usize) -> Result<(), String> {
        if self.broken || !self.record.take_back(plies) {
            return Err("no move to take back".to_owned());
        }
        self.abandon();
        self.position_changed();
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let before = self.options.clone();
        match self.options.set(name, value)? {
            Effect::Later => {}
            Effect::ClearHash => self.pending.clear = true,
            Effect::LoadNetwork => match self.load_network() {
                Ok(evaluation) => self.pending.evaluation = Some(evaluation),
                Err(reason) => {
                    self.options = before;
                    return Err(reason);
                }
            },
            Effect::LoadBook => match self.load_book() {
                Ok(book) => self.book = book,
                Err(reason) => {
                    self.options = before;
                    return Err(reason);
                }
            },
        }
        if self.mode == Mode::Analyze && self.options.multipv != before.multipv {
            self.abandon();
            self.analyze();
        }
        self.settle();
        Ok(())
    }

    fn load_book(&self) -> Result<Option<Book>, String> {
        let Some(path) = &self.options.book_file else {
            return Ok(None);
        };
        let book = book::load(path).map_err(|error| chain(&error))?;
        if self.debug {
            let (positions, moves) = (book.positions(), book.len());
            self.output
                .line(&format!("# book of {positions} positions, {moves} moves"));
        }
        Ok(Some(book))
    }

    fn load_network(&self) -> Result<Evaluation, String> {
        let Some(path) = &self.options.eval_file else {
            return Ok(Evaluation::default());
        };
        let network = eval_file::load(path).map_err(|error| chain(&error))?;
        if self.debug {
            let (architecture, label) = (network.architecture(), network.label());
            self.output
                .line(&format!("# network {architecture} {label:?}"));
        }
        Ok(Evaluation::Network(network))
    }

    /// Brings the session up to the options, unless we are to move: then it waits for the move. Other searches start
    /// anew.
    fn settle(&mut self) {
        let wanted = SessionOptions {
            hash_mib: self.options.hash_mib,
            threads: self.options.threads,
        };
        let pending = self.pending.clear || self.pending.evaluation.is_some();
        if self.is_thinking() || (wanted == self.settled && !pending) {
            return;
        }
        let interrupted = self.search.take().map(|search| search.purpose);
        let Pending { evaluation, clear } = std::mem::take(&mut self.pending);
        if wanted.threads != self.settled.threads {
            self.session.set_threads(wanted.threads);
        }
        if wanted.hash_mib != self.settled.hash_mib {
            self.session.set_hash(wanted.hash_mib);
        }
        if let Some(evaluation) = evaluation {
            self.session.set_evaluation(evaluation);
        }
        if clear {
            self.session.clear();
        }
        self.settled = wanted;
        if let Some(purpose) = interrupted {
            self.start(purpose, Instant::now());
        }
    }
}
