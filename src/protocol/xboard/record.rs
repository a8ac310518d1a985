//! Game that is being played, with the two ways to count its repetitions.

use crate::rules::{Color, Game, IllegalMove, Move, Outcome, Position, Repetition, Rule, Variant};

/// Occurrences that give a right to a draw.
const CLAIMED: u32 = 3;

/// Which third occurrence of a position is claimed as a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Claims {
    Never,
    /// One that is a third occurrence by both rules below: what XBoard finds right when it checks claims.
    #[default]
    XBoard,
    /// One by the rule of FICS.
    Fics,
    /// One by the rule of Lichess.
    Lichess,
}

impl Claims {
    pub(super) const ALL: [Self; 4] = [Self::Never, Self::XBoard, Self::Fics, Self::Lichess];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::XBoard => "XBoard",
            Self::Fics => "FICS",
            Self::Lichess => "Lichess",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|claims| claims.name().eq_ignore_ascii_case(name))
    }
}

/// Moves played from a position on.
#[derive(Debug)]
pub(super) struct Record {
    game: Game,
    fics: Repetition,
}

impl Record {
    pub(super) fn new(variant: Variant) -> Self {
        Self::from_position(Position::start(variant))
    }

    pub(super) fn from_position(start: Position) -> Self {
        let mut fics = Repetition::new(Rule::Fics);
        fics.push(&start, false);
        Self {
            game: Game::from_position(start),
            fics,
        }
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) const fn game(&self) -> &Game {
        &self.game
    }

    /// Plies played.
    pub(super) fn ply(&self) -> usize {
        self.game.moves().len()
    }

    /// # Errors
    /// When the move is not legal; nothing has changed then.
    pub(super) fn push(&mut self, m: Move) -> Result<(), IllegalMove> {
        let cuts = self.fics.cuts(self.game.position(), m);
        self.game.push(m)?;
        self.fics.push(self.game.position(), cuts);
        Ok(())
    }

    /// Takes back that many plies; false, and nothing has changed, if there are fewer.
    pub(super) fn take_back(&mut self, plies: usize) -> bool {
        let Some(left) = self.ply().checked_sub(plies) else {
            return false;
        };
        self.game.truncate(left);
        self.fics.truncate(left + 1);
        true
    }

    /// Line that claims the end of the game, if the current position is one.
    pub(super) fn end(&self, claims: Claims) -> Option<&'static str> {
        const REPETITION: &str = "1/2-1/2 {Draw by repetition}";
        match self.game.outcome() {
            Some(Outcome::Checkmate {
                winner: Color::White,
            }) => return Some("1-0 {White mates}"),
            Some(Outcome::Checkmate {
                winner: Color::Black,
            }) => return Some("0-1 {Black mates}"),
            Some(Outcome::Stalemate) => return Some("1/2-1/2 {Stalemate}"),
            // Automatic on Lichess only; here the claims decide.
            Some(Outcome::FivefoldRepetition) | None => {}
        }
        let lichess = self.game.repetitions() >= CLAIMED;
        let fics = self.fics.count() >= CLAIMED;
        let claimed = match claims {
            Claims::Never => false,
            Claims::XBoard => lichess && fics,
            Claims::Fics => fics,
            Claims::Lichess => lichess,
        };
        claimed.then_some(REPETITION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(record: &mut Record, moves: &str) {
        for text in moves.split_whitespace() {
            let m = record.position().parse_uci(text).unwrap();
            record.push(m).unwrap();
        }
    }

    fn claims(record: &Record) -> [bool; 4] {
        Claims::ALL.map(|claims| record.end(claims).is_some())
    }

    #[test]
    fn plain_repetition_is_claimed_by_every_rule() {
        let mut record = Record::new(Variant::Crazyhouse);
        play(&mut record, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
        assert_eq!(claims(&record), [false; 4]);
        play(&mut record, "f6g8");
        assert_eq!(claims(&record), [false, true, true, true]);
        assert!(record.take_back(1));
        assert_eq!(claims(&record), [false; 4]);
        play(&mut record, "f6g8");
        assert_eq!(
            record.end(Claims::XBoard),
            Some("1/2-1/2 {Draw by repetition}")
        );
    }

    #[test]
    fn lost_castling_rights_are_no_matter_to_fics_alone() {
        let start = "r3k3/8/8/8/8/8/8/4K2R[] w K - 0 1";
        let mut record =
            Record::from_position(Position::from_fen(start, Variant::Crazyhouse).unwrap());
        play(&mut record, "e1e2 a8b8 e2e1 b8a8 e1e2 a8b8 e2e1 b8a8");
        assert_eq!(claims(&record), [false, false, true, false]);
    }

    #[test]
    fn no_more_is_taken_back_than_was_played() {
        let mut record = Record::new(Variant::Crazyhouse);
        play(&mut record, "e2e4");
        assert!(!record.take_back(2));
        assert_eq!(record.ply(), 1);
        assert!(record.take_back(1));
        assert_eq!(record.ply(), 0);
    }
}
