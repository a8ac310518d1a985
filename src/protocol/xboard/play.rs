//! Moves and searches: what is thought about and when, and what is said of it.

use super::record::Claims;
use super::text::{coordinates, thinking};
use super::{Event, Front, Mode, NOT_NOW, Paused, Purpose, Running, excerpt};
use crate::book::Choice;
use crate::engine::{Limits, Score, SearchInfo, SearchRequest, SearchResult};
use crate::rules::{Move, MoveList, Position, SanError, UciError};
use std::time::{Duration, Instant};

/// Time for a hint that nobody has thought about yet.
const HINT_TIME: Duration = Duration::from_millis(500);
/// Draw offers are declined before that ply of the game.
const DRAW_FROM_PLY: u32 = 60;

/// Why a text is not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NoMove {
    /// Not written like a move.
    Syntax,
    Illegal,
    Ambiguous,
}

impl NoMove {
    const fn reason(self) -> &'static str {
        match self {
            Self::Syntax => "not written like a move",
            Self::Illegal => "not legal in this position",
            Self::Ambiguous => "ambiguous move",
        }
    }
}

/// Legal move of a text in coordinates or in SAN, both with drops.
fn read_move(position: &Position, text: &str) -> Result<Move, NoMove> {
    match position.parse_uci(text) {
        Ok(m) => Ok(m),
        Err(UciError::Illegal { .. }) => Err(NoMove::Illegal),
        Err(UciError::Syntax { .. }) => position.parse_san(text).map_err(|error| match error {
            SanError::Syntax { .. } => NoMove::Syntax,
            SanError::Illegal { .. } => NoMove::Illegal,
            SanError::Ambiguous { .. } => NoMove::Ambiguous,
        }),
    }
}

/// Whether a draw is good enough for us: not better late in the game, or about to be mated.
fn accepts_draw(score: Option<Score>, ply: u32) -> bool {
    match score {
        None => false,
        Some(Score::Mate(moves)) => moves <= 0,
        Some(Score::Cp(cp)) => ply >= DRAW_FROM_PLY && cp <= 0,
    }
}

impl Front {
    /// Whether the engine is to move and thinks about it.
    pub(super) fn is_thinking(&self) -> bool {
        let search = self.search.as_ref();
        search.is_some_and(|search| search.purpose == Purpose::Move)
    }

    /// Ends whatever is being thought about; nothing more is said of it.
    pub(super) fn abandon(&mut self) {
        // The handle stops the search when it is dropped, and reports of it are passed over.
        self.search = None;
        self.paused = None;
    }

    /// Whether a line without a command is meant as a move.
    pub(super) fn is_like_a_move(&self, text: &str) -> bool {
        read_move(self.record.position(), text) != Err(NoMove::Syntax)
    }

    pub(super) fn user_move(&mut self, text: &str, received: Instant) {
        let position = *self.record.position();
        let read = if self.broken {
            Err("illegal position")
        } else if self.mode == Mode::Play(position.turn()) {
            Err("not your turn")
        } else {
            read_move(&position, text).map_err(NoMove::reason)
        };
        let m = match read {
            Ok(m) if self.record.push(m).is_ok() => m,
            Ok(_) => return self.refuse_move(NoMove::Illegal.reason(), text),
            Err(reason) => return self.refuse_move(reason, text),
        };
        match self.mode {
            Mode::Play(_) => {
                self.excluded.clear();
                self.answer(m, received);
            }
            Mode::Force | Mode::Analyze => {
                self.abandon();
                self.position_changed();
            }
        }
    }

    fn refuse_move(&self, reason: &str, text: &str) {
        self.output
            .line(&format!("Illegal move ({reason}): {}", excerpt(text)));
    }

    /// Thinks about an answer to `m`, which has just been played.
    fn answer(&mut self, m: Move, received: Instant) {
        self.hint = None;
        if let Some(end) = self.record.end(self.options.claims) {
            self.abandon();
            return self.output.line(end);
        }
        if self.continue_pondered(m, received) {
            return;
        }
        self.abandon();
        self.think(received);
    }

    /// Makes a search on the opponent's time that for our move, if `m` is the move it expects.
    fn continue_pondered(&mut self, m: Move, received: Instant) -> bool {
        let (position, ply) = (self.record.position(), self.record.ply());
        let clock = self
            .control
            .limits(position, ply, self.options.overhead)
            .clock;
        let Some(search) = &mut self.search else {
            return false;
        };
        if search.purpose != Purpose::Ponder(m) {
            return false;
        }
        match clock {
            Some(clock) if !search.handle.ponderhit_on(clock, received) => return false,
            Some(_) => {}
            None => search.handle.ponderhit(),
        }
        search.purpose = Purpose::Move;
        search.began = received;
        true
    }

    pub(super) fn go(&mut self, received: Instant) -> Result<(), String> {
        if self.broken {
            return Err("illegal position".to_owned());
        }
        if self.is_thinking() {
            return Err(NOT_NOW.to_owned());
        }
        let position = self.record.position();
        if position.has_legal_move() && self.choice(position).is_none() {
            return Err("every move is excluded".to_owned());
        }
        self.mode = Mode::Play(position.turn());
        self.abandon();
        // Whoever says `go` after a claim wants to play on, but mate is mate.
        match self.record.end(Claims::Never) {
            Some(end) => self.output.line(end),
            None => self.think(received),
        }
        Ok(())
    }

    pub(super) fn play_other(&mut self) -> Result<(), String> {
        if self.broken {
            return Err("illegal position".to_owned());
        }
        self.abandon();
        self.mode = Mode::Play(!self.record.position().turn());
        self.think_ahead();
        Ok(())
    }

    fn think(&mut self, received: Instant) {
        self.settle();
        match self.book_move() {
            Some(m) => self.play_at_once(m, received),
            None => self.start(Purpose::Move, received),
        }
    }

    /// Move of the book, unless moves are excluded.
    fn book_move(&self) -> Option<Move> {
        let book = self.book.as_ref().filter(|_| self.options.own_book)?;
        if self.broken || !self.excluded.is_empty() {
            return None;
        }
        let found = book.choose(self.record.game(), &Choice::default(), fastrand::u64(..))?;
        Some(found.mv)
    }

    /// Plays a move that needs no search.
    fn play_at_once(&mut self, m: Move, received: Instant) {
        let position = *self.record.position();
        let ply = self.record.ply();
        if self.record.push(m).is_err() {
            return;
        }
        self.draw_offered = false;
        self.hint = None;
        if self.debug {
            self.output.line("# book");
        }
        self.output
            .line(&format!("move {}", coordinates(&position, m)));
        self.control.spend(received.elapsed(), ply);
        if let Some(end) = self.record.end(self.options.claims) {
            self.output.line(end);
        }
    }

    pub(super) fn analyze(&mut self) {
        self.settle();
        self.start(Purpose::Analysis, Instant::now());
    }

    /// Thinks on the opponent's time, if that is wanted and an answer of his is expected.
    fn think_ahead(&mut self) {
        if self.ponder
            && let Some(expected) = self.hint
        {
            self.settle();
            self.start(Purpose::Ponder(expected), Instant::now());
        }
    }

    /// Starts a search, unless there is nothing to think about.
    pub(super) fn start(&mut self, purpose: Purpose, received: Instant) {
        let game = self.record.game();
        let mut position = *game.position();
        let mut earlier = game.earlier_keys().to_vec();
        let mut ply = self.record.ply();
        if self.broken || !position.has_legal_move() {
            return;
        }
        if let Purpose::Ponder(expected) = purpose {
            if !position.is_legal(expected) {
                return;
            }
            earlier.push(position.key());
            if expected.is_castle() {
                earlier.clear();
            }
            self.output
                .line(&format!("Hint: {}", coordinates(&position, expected)));
            position = position.play(expected);
            ply += 1;
            if !position.has_legal_move() {
                return;
            }
        }
        let overhead = self.options.overhead;
        let mut limits = match purpose {
            Purpose::Move | Purpose::Ponder(_) => self.control.limits(&position, ply, overhead),
            Purpose::Analysis => Limits {
                infinite: true,
                ..Limits::default()
            },
            Purpose::Hint => Limits {
                movetime: Some(HINT_TIME),
                ..Limits::default()
            },
        };
        limits.ponder = matches!(purpose, Purpose::Ponder(_));
        if matches!(purpose, Purpose::Move | Purpose::Ponder(_)) {
            limits.strength = self.options.strength(self.seed);
        }
        if purpose != Purpose::Hint {
            limits.multipv = self.options.multipv;
        }
        if !limits.ponder {
            let Some(choice) = self.choice(&position) else {
                return;
            };
            limits.search_moves = choice;
        }
        self.searches += 1;
        let number = self.searches;
        let (progress, end) = (self.events.clone(), self.events.clone());
        let handle = self.session.search(
            SearchRequest {
                position,
                earlier,
                limits,
                received,
            },
            // Nobody listens after the end.
            Box::new(move |info| {
                progress.send(Event::Info(number, info.clone())).ok();
            }),
            Box::new(move |result| {
                end.send(Event::Done(number, result)).ok();
            }),
        );
        self.search = Some(Running {
            number,
            handle,
            purpose,
            root: position,
            began: received,
            info: None,
        });
    }

    /// Moves that a search chooses from, none for all; `None` if every move is excluded.
    fn choice(&self, position: &Position) -> Option<Vec<Move>> {
        if self.excluded.is_empty() {
            return Some(Vec::new());
        }
        let legal = legal_moves(position);
        let left: Vec<Move> = legal
            .into_iter()
            .filter(|m| !self.excluded.contains(m))
            .collect();
        (!left.is_empty()).then_some(left)
    }

    /// Takes moves out of the search or back into it; a running analysis starts anew.
    pub(super) fn exclude(&mut self, text: &str, out: bool) -> Result<(), String> {
        let position = *self.record.position();
        if self.is_thinking() {
            return Err(NOT_NOW.to_owned());
        }
        if text == "all" {
            self.excluded = if out {
                legal_moves(&position)
            } else {
                Vec::new()
            };
        } else {
            let m = read_move(&position, text).map_err(NoMove::reason)?;
            self.excluded.retain(|&other| other != m);
            if out {
                self.excluded.push(m);
            }
        }
        if self.mode == Mode::Analyze {
            self.abandon();
            self.analyze();
        }
        Ok(())
    }

    /// Progress of a search.
    pub(super) fn report(&mut self, number: u64, info: SearchInfo) {
        if let Some(search) = &mut self.search
            && search.number == number
        {
            if self.post {
                match search.purpose {
                    Purpose::Move | Purpose::Analysis => {
                        self.output.line(&thinking(&search.root, &info));
                    }
                    Purpose::Ponder(expected) => {
                        // The GUI reads the line from the position that it shows.
                        let mut info = info.clone();
                        info.pv.insert(0, expected);
                        self.output.line(&thinking(self.record.position(), &info));
                    }
                    Purpose::Hint => {}
                }
            }
            if info.multipv == 1 {
                search.info = Some(info);
            }
        }
    }

    /// End of a search.
    pub(super) fn finish(&mut self, number: u64, result: &SearchResult) {
        let Some(search) = self.search.take_if(|search| search.number == number) else {
            return;
        };
        match (search.purpose, result.best) {
            (Purpose::Move, Some(_)) => self.play(&search, result),
            (Purpose::Hint, Some(best)) => {
                self.hint = Some(best);
                self.tell_hint(best);
            }
            _ => {}
        }
    }

    /// Plays the move that was found.
    fn play(&mut self, search: &Running, result: &SearchResult) {
        let position = *self.record.position();
        let ply = self.record.ply();
        let Some(best) = result.best.filter(|&m| self.record.push(m).is_ok()) else {
            return;
        };
        self.score = Some(result.score);
        self.explain(search, result);
        if std::mem::take(&mut self.draw_offered) && accepts_draw(self.score, position.ply()) {
            self.output.line("offer draw");
        }
        self.output
            .line(&format!("move {}", coordinates(&position, best)));
        self.control.spend(search.began.elapsed(), ply);
        self.excluded.clear();
        self.hint = result
            .ponder
            .filter(|&m| self.record.position().is_legal(m));
        if let Some(end) = self.record.end(self.options.claims) {
            self.output.line(end);
        } else {
            self.think_ahead();
        }
    }

    /// Shows the line of the move that is played, if the last one shown was that of another move: a search may change
    /// its mind in an iteration that it does not finish.
    fn explain(&self, search: &Running, result: &SearchResult) {
        if let Some(last) = &search.info
            && self.post
            && last.pv.first() != result.best.as_ref()
        {
            let info = SearchInfo {
                depth: result.depth,
                score: result.score,
                bound: None,
                nodes: result.nodes,
                elapsed: result.elapsed,
                pv: result.pv.clone(),
                ..*last
            };
            self.output.line(&thinking(&search.root, &info));
        }
    }

    pub(super) fn consider_draw(&mut self) {
        let Mode::Play(color) = self.mode else {
            return;
        };
        let position = self.record.position();
        let waiting = position.turn() != color;
        if waiting && accepts_draw(self.score, position.ply()) {
            self.output.line("offer draw");
        } else {
            // The next search may see it differently.
            self.draw_offered = true;
        }
    }

    pub(super) fn give_hint(&mut self) {
        let known = match &self.search {
            Some(search) => match search.purpose {
                Purpose::Ponder(expected) => Some(expected),
                Purpose::Analysis => search
                    .info
                    .as_ref()
                    .and_then(|info| info.pv.first().copied()),
                // Our own move is no business of the user, and a hint is on its way already.
                Purpose::Move | Purpose::Hint => return,
            },
            None => self.hint,
        };
        let known = known.filter(|&m| self.record.position().is_legal(m));
        match known {
            Some(m) if !self.broken => self.tell_hint(m),
            None if self.search.is_none() => self.start(Purpose::Hint, Instant::now()),
            _ => {}
        }
    }

    fn tell_hint(&self, m: Move) {
        self.output
            .line(&format!("Hint: {}", coordinates(self.record.position(), m)));
    }

    /// `stat01: time nodes ply mvleft mvtot` of an analysis.
    pub(super) fn tell_status(&self) {
        let Some(search) = &self.search else {
            return;
        };
        if search.purpose != Purpose::Analysis {
            return;
        }
        let (nodes, depth) = search
            .info
            .as_ref()
            .map_or((0, 0), |info| (info.nodes, info.depth));
        let time = search.began.elapsed().as_millis() / 10;
        let moves = legal_moves(&search.root).len();
        self.output
            .line(&format!("stat01: {time} {nodes} {depth} 0 {moves}"));
    }

    pub(super) fn set_ponder(&mut self, on: bool) {
        self.ponder = on;
        if !on
            && let Some(search) = &self.search
            && let Purpose::Ponder(_) = search.purpose
        {
            self.abandon();
        }
    }

    pub(super) fn pause(&mut self) {
        if let Some(search) = self.search.take() {
            self.paused = Some(Paused {
                purpose: search.purpose,
                used: search.began.elapsed(),
            });
        }
    }

    pub(super) fn resume(&mut self) {
        if let Some(Paused { purpose, used }) = self.paused.take() {
            let now = Instant::now();
            // As if the search had begun so much earlier.
            self.start(purpose, now.checked_sub(used).unwrap_or(now));
        }
    }
}

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.as_slice().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn moves_are_read_in_every_way_that_guis_write_them() {
        let fen = "r3k2r/pPpp1ppp/8/8/8/8/PPPP1PPP/R3K2R[QPqp] w KQkq - 0 1";
        let position = Position::from_fen(fen, Variant::Crazyhouse).unwrap();
        for (text, same) in [
            ("e1g1", "O-O"),
            ("e1h1", "O-O"),
            ("0-0-0", "e1c1"),
            ("P@e4", "p@e4"),
            ("Q@f3", "q@f3"),
            ("b7b8q", "b8=Q"),
            ("b7a8n", "bxa8=N"),
            ("d2d4", "d4"),
        ] {
            let m = read_move(&position, text).unwrap();
            assert_eq!(read_move(&position, same), Ok(m), "{text}");
        }
        for (text, error) in [
            ("e2e5", NoMove::Illegal),
            ("N@e4", NoMove::Illegal),
            ("P@e8", NoMove::Illegal),
            ("b7b8", NoMove::Illegal),
            ("@@@@", NoMove::Syntax),
            ("hello", NoMove::Syntax),
            ("", NoMove::Syntax),
        ] {
            assert_eq!(read_move(&position, text), Err(error), "{text}");
        }
    }

    #[test]
    fn draw_is_taken_late_and_when_not_better_or_before_mate() {
        for (score, ply, expected) in [
            (None, 100, false),
            (Some(Score::Cp(0)), 60, true),
            (Some(Score::Cp(1)), 60, false),
            (Some(Score::Cp(-300)), 59, false),
            (Some(Score::Mate(2)), 100, false),
            (Some(Score::Mate(-2)), 10, true),
        ] {
            assert_eq!(accepts_draw(score, ply), expected, "{score:?} {ply}");
        }
    }
}
