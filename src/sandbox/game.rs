//! Referee of one game: what a player may do, what it leads to, and when the game is over. Pure: the caller says
//! what time it is and spreads the notices that come back.

use super::clock::{ClockTerms, FlagFell, GameClock};
use crate::lichess::model::GameStatus;
use crate::rules::{CastlingStyle, Color, Game, Move, Outcome, Position, Variant};
use std::time::{Duration, Instant};

/// A move tried when more plies than this have been played draws the game instead.
pub(super) const MAX_PLIES: usize = 600;

/// Plies that must lie between two draw offers of the same side.
const PLIES_BETWEEN_OFFERS: usize = 20;

/// Plies before which `noEarlyDraw` allows no offer.
const EARLY_DRAW_PLIES: usize = 60;

/// What was agreed before the game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Terms {
    /// Real-time clock; `None` for correspondence and unlimited games.
    pub clock: Option<ClockTerms>,
    /// A bot plays, so that a threefold repetition is claimed by the server.
    pub with_bot: bool,
    /// Both sides allow takebacks.
    pub takebacks: bool,
    /// Extra rules of the challenge: `noAbort`, `noClaimWin`, `noEarlyDraw` (others change nothing here).
    pub rules: Vec<String>,
}

impl Terms {
    fn has_rule(&self, rule: &str) -> bool {
        self.rules.iter().any(|r| r == rule)
    }
}

/// Why an action was refused; the text is what the server answers.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// Text that is no move in UCI.
    #[error("Invalid UCI: {0}")]
    InvalidUci(String),
    /// The other side is to move, or nobody is.
    #[error("Not your turn, or game already over")]
    NotYourTurn,
    /// A well-formed move that the rules forbid.
    #[error("{0}")]
    IllegalMove(String),
    /// Too late to abort, or not allowed in this game.
    #[error("This game can no longer be aborted")]
    NoAbort,
    /// Resigning is not possible, for example after the end.
    #[error("This game cannot be resigned")]
    NoResign,
    /// The opponent is not gone, or not for long enough.
    #[error("You cannot claim the win on this game")]
    NoWinClaim,
    /// The same for a draw.
    #[error("You cannot claim draw on this game")]
    NoDrawClaim,
}

/// What is claimed against an opponent who left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// The win.
    Win,
    /// A draw.
    Draw,
}

/// What the players have to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Notice {
    /// A new `gameState`. It is the last one when the game is over.
    State,
    /// A line of the user `lichess` in the players' chat.
    System(&'static str),
}

/// One game and its rules.
#[derive(Clone, Debug)]
pub(super) struct Referee {
    terms: Terms,
    game: Game,
    /// Moves as the server writes them: castling as king takes rook, drops with a capital.
    moves: Vec<String>,
    clock: Option<GameClock>,
    status: GameStatus,
    winner: Option<Color>,
    draw_offer: Option<Color>,
    /// Ply at which a side last offered a draw, by [`Color::index`].
    last_offer: [Option<usize>; 2],
    takeback: Option<Color>,
    /// Moves refused by the rules while it was the side's turn, by [`Color::index`].
    illegal_moves: [u32; 2],
}

impl Referee {
    /// Game at the start position, already running.
    pub(super) fn new(terms: Terms) -> Self {
        let clock = terms.clock.map(GameClock::new);
        Self {
            terms,
            game: Game::new(Variant::Crazyhouse),
            moves: Vec::new(),
            clock,
            status: GameStatus::Started,
            winner: None,
            draw_offer: None,
            last_offer: [None; 2],
            takeback: None,
            illegal_moves: [0; 2],
        }
    }

    /// Start position and moves.
    pub(super) const fn game(&self) -> &Game {
        &self.game
    }

    /// Moves as the server writes them, oldest first.
    pub(super) fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Clock, if the game has one.
    pub(super) const fn clock(&self) -> Option<&GameClock> {
        self.clock.as_ref()
    }

    /// Status.
    pub(super) const fn status(&self) -> GameStatus {
        self.status
    }

    /// Winner of a decided game.
    pub(super) const fn winner(&self) -> Option<Color> {
        self.winner
    }

    /// Whether the game has ended.
    pub(super) const fn is_over(&self) -> bool {
        self.status.is_over()
    }

    /// Side to move.
    pub(super) fn turn(&self) -> Color {
        self.game.position().turn()
    }

    /// Plies played.
    pub(super) const fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Whether `color` has a draw offer on the table.
    pub(super) fn offers_draw(&self, color: Color) -> bool {
        self.draw_offer == Some(color)
    }

    /// Whether `color` has a takeback proposal on the table.
    pub(super) fn proposes_takeback(&self, color: Color) -> bool {
        self.takeback == Some(color)
    }

    /// Moves of `color` refused by the rules while it was his turn.
    pub(super) const fn illegal_moves(&self, color: Color) -> u32 {
        self.illegal_moves[color.index()]
    }

    /// Plays a move given in UCI. `offering_draw` is handled before the move: `true` offers a draw or accepts
    /// the opponent's offer (the move is then not played), `false` while an own offer stands declines the other's.
    ///
    /// # Errors
    /// Text that is no move, a move out of turn, or one that the rules forbid. A move that comes after the flag
    /// fell is not refused: it ends the game.
    pub(super) fn play(
        &mut self,
        color: Color,
        uci: &str,
        offering_draw: Option<bool>,
        now: Instant,
    ) -> Result<Vec<Notice>, Refusal> {
        if self.is_over() || self.turn() != color {
            return Err(Refusal::NotYourTurn);
        }
        let Some(text) = well_formed(uci) else {
            self.illegal_moves[color.index()] += 1;
            return Err(Refusal::InvalidUci(uci.chars().take(20).collect()));
        };
        let mut notices = Vec::new();
        match offering_draw {
            Some(true) if !self.offers_draw(color) => {
                notices.extend(self.draw(color, true, now));
                if self.is_over() {
                    return Ok(notices);
                }
            }
            Some(false) if self.offers_draw(color) => notices.extend(self.draw(color, false, now)),
            _ => {}
        }
        if self.plies() > MAX_PLIES {
            self.finish(GameStatus::Draw, None, now);
            notices.push(Notice::State);
            return Ok(notices);
        }
        let position = *self.game.position();
        let m = find_move(&position, &text).map_err(|reason| {
            self.illegal_moves[color.index()] += 1;
            Refusal::IllegalMove(reason)
        })?;
        if let Some(clock) = &mut self.clock
            && clock.press(color, now) == Err(FlagFell)
        {
            self.flag(color, now);
            notices.push(Notice::State);
            return Ok(notices);
        }
        if self.draw_offer == Some(!color) {
            self.draw_offer = None;
            notices.push(Notice::System("Draw offer declined"));
        }
        if self.takeback.take() == Some(!color) {
            notices.push(Notice::System("Takeback declined"));
        }
        self.game
            .push(m)
            .map_err(|error| Refusal::IllegalMove(error.to_string()))?;
        self.moves
            .push(position.uci(m, CastlingStyle::KingTakesRook));
        match self.game.outcome() {
            Some(Outcome::Checkmate { winner }) => {
                self.finish(GameStatus::Mate, Some(winner), now);
            }
            Some(Outcome::Stalemate) => self.finish(GameStatus::Stalemate, None, now),
            Some(Outcome::FivefoldRepetition) => self.finish(GameStatus::Draw, None, now),
            // The server looks for a threefold only after moves on the board, not after drops.
            None if self.terms.with_bot && !m.is_drop() && self.is_threefold() => {
                self.finish(GameStatus::Draw, None, now);
            }
            None => {}
        }
        notices.push(Notice::State);
        Ok(notices)
    }

    /// Aborts a game in which fewer than two plies were played.
    ///
    /// # Errors
    /// When it is too late, or the game has the rule `noAbort`.
    pub(super) fn abort(&mut self, now: Instant) -> Result<Vec<Notice>, Refusal> {
        if !self.is_abortable() {
            return Err(Refusal::NoAbort);
        }
        self.finish(GameStatus::Aborted, None, now);
        Ok(vec![Notice::State])
    }

    /// Resigns; aborts instead while the game is abortable.
    ///
    /// # Errors
    /// After the end, or before two plies in a game with the rule `noAbort`.
    pub(super) fn resign(&mut self, color: Color, now: Instant) -> Result<Vec<Notice>, Refusal> {
        if self.is_abortable() {
            return self.abort(now);
        }
        if self.is_over() || self.plies() < 2 {
            return Err(Refusal::NoResign);
        }
        self.finish(GameStatus::Resign, Some(!color), now);
        Ok(vec![Notice::State])
    }

    /// Offers or accepts a draw (`yes`), or declines the opponent's offer. What is not possible changes nothing.
    pub(super) fn draw(&mut self, color: Color, yes: bool, now: Instant) -> Vec<Notice> {
        if self.is_over() {
            return Vec::new();
        }
        if !yes {
            if self.offers_draw(!color) {
                self.draw_offer = None;
                return vec![Notice::System("Draw offer declined")];
            }
            return Vec::new();
        }
        if self.is_threefold() {
            self.finish(GameStatus::Draw, None, now);
            return vec![Notice::State];
        }
        if self.offers_draw(!color) {
            self.finish(GameStatus::Draw, None, now);
            return vec![Notice::System("Draw offer accepted"), Notice::State];
        }
        if !self.may_offer_draw(color) {
            return Vec::new();
        }
        self.draw_offer = Some(color);
        self.last_offer[color.index()] = Some(self.plies());
        let text = match color {
            Color::White => "White offers draw",
            Color::Black => "Black offers draw",
        };
        vec![Notice::System(text), Notice::State]
    }

    /// Proposes or accepts a takeback (`yes`), or declines the opponent's or cancels the own proposal. What is
    /// not possible changes nothing.
    pub(super) fn takeback(&mut self, color: Color, yes: bool, now: Instant) -> Vec<Notice> {
        if self.is_over() || !self.terms.takebacks {
            return Vec::new();
        }
        match (yes, self.takeback) {
            (true, Some(by)) if by != color => {
                self.takeback = None;
                self.draw_offer = None;
                // The proposer gets his own last move back: one ply if he has just moved, else the answer too.
                let plies = if self.turn() == color { 1 } else { 2 };
                for _ in 0..plies {
                    self.take_back_ply(now);
                }
                vec![Notice::System("Takeback accepted"), Notice::State]
            }
            (true, None) if self.plies() >= 2 => {
                self.takeback = Some(color);
                vec![Notice::System("Takeback sent"), Notice::State]
            }
            (false, Some(by)) => {
                self.takeback = None;
                let text = if by == color {
                    "Takeback cancelled"
                } else {
                    "Takeback declined"
                };
                vec![Notice::System(text), Notice::State]
            }
            _ => Vec::new(),
        }
    }

    /// Whether the absence of the opponent of `color` counts: the opponent is to move, both sides have moved, the
    /// clock is real and the rules allow the claim.
    pub(super) fn may_claim(&self, color: Color) -> bool {
        !self.is_over()
            && self.turn() != color
            && self.plies() >= 2
            && self.clock.is_some()
            && !self.terms.has_rule("noClaimWin")
    }

    /// Claims the win (or a draw) against an opponent who left. `gone` says whether he has been away for long
    /// enough. Where nothing can be claimed at all the server answers with success and does nothing.
    ///
    /// # Errors
    /// When the opponent is there, or has not been away for long enough.
    pub(super) fn claim(
        &mut self,
        color: Color,
        claim: Claim,
        gone: bool,
        now: Instant,
    ) -> Result<Vec<Notice>, Refusal> {
        if !self.may_claim(color) {
            return Ok(Vec::new());
        }
        let (winner, refusal) = match claim {
            Claim::Win => (Some(color), Refusal::NoWinClaim),
            Claim::Draw => (None, Refusal::NoDrawClaim),
        };
        if !gone {
            return Err(refusal);
        }
        self.finish(GameStatus::Timeout, winner, now);
        Ok(vec![Notice::State])
    }

    /// Gives the opponent of `color` time, in a running game with a clock.
    pub(super) fn add_time(&mut self, color: Color, time: Duration) -> Vec<Notice> {
        match &mut self.clock {
            Some(clock) if !self.status.is_over() => {
                clock.add(!color, time);
                vec![Notice::State]
            }
            _ => Vec::new(),
        }
    }

    /// Ends the game if the time of the side to move ran out at least `grace` ago.
    pub(super) fn check_flag(&mut self, now: Instant, grace: Duration) -> Vec<Notice> {
        let flagged = self
            .clock
            .as_ref()
            .and_then(|clock| clock.flagged(now, grace));
        match flagged {
            Some(color) if !self.is_over() => {
                self.flag(color, now);
                vec![Notice::State]
            }
            _ => Vec::new(),
        }
    }

    /// Whether the game can still be aborted.
    pub(super) fn is_abortable(&self) -> bool {
        !self.is_over() && self.plies() < 2 && !self.terms.has_rule("noAbort")
    }

    fn flag(&mut self, loser: Color, now: Instant) {
        // In crazyhouse material is never insufficient, but a standing offer of the winner makes it a draw.
        let winner = (!self.offers_draw(!loser)).then_some(!loser);
        self.finish(GameStatus::OutOfTime, winner, now);
    }

    fn finish(&mut self, status: GameStatus, winner: Option<Color>, now: Instant) {
        self.status = status;
        self.winner = winner;
        self.draw_offer = None;
        self.takeback = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
    }

    fn is_threefold(&self) -> bool {
        self.game.repetitions() >= 3
    }

    fn may_offer_draw(&self, color: Color) -> bool {
        let plies = self.plies();
        let rested =
            self.last_offer[color.index()].is_none_or(|ply| plies >= ply + PLIES_BETWEEN_OFFERS);
        let early = self.terms.has_rule("noEarlyDraw") && plies < EARLY_DRAW_PLIES;
        plies >= 2 && !self.offers_draw(color) && rested && !early
    }

    fn take_back_ply(&mut self, now: Instant) {
        if self.moves.pop().is_none() {
            return;
        }
        self.game.pop();
        let mover = self.turn();
        if let Some(clock) = &mut self.clock {
            clock.take_back(mover, now);
        }
    }
}

/// Brings a move into the form that the rules read, as leniently as the server does; `None` for what it calls
/// invalid. Drops need a capital letter; anything after the square of a drop, and a promotion letter that is no
/// small one, are left out.
fn well_formed(uci: &str) -> Option<String> {
    let bytes = uci.as_bytes();
    let square = |at: usize| {
        matches!(bytes.get(at..at + 2), Some([b'a'..=b'h', b'1'..=b'8'])).then(|| &uci[at..at + 2])
    };
    if bytes.get(1) == Some(&b'@') {
        let role = matches!(bytes[0], b'P' | b'N' | b'B' | b'R' | b'Q').then(|| &uci[..1])?;
        return Some(format!("{role}@{}", square(2)?));
    }
    let (from, to) = (square(0)?, square(2)?);
    let promotion = match bytes.get(4) {
        Some(b'q') => "q",
        Some(b'r') => "r",
        Some(b'b') => "b",
        Some(b'n') => "n",
        _ => "",
    };
    Some(format!("{from}{to}{promotion}"))
}

/// Legal move of a well-formed text. A promotion without a letter is one to a queen.
fn find_move(position: &Position, text: &str) -> Result<Move, String> {
    position.parse_uci(text).or_else(|first| {
        if text.len() == 4 && !text.contains('@') {
            position
                .parse_uci(&format!("{text}q"))
                .map_err(|_| first.to_string())
        } else {
            Err(first.to_string())
        }
    })
}

#[cfg(test)]
mod tests;
