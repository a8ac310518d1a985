//! Record of a finished game: what it was, how it ended, and its PGN.

use super::ponder::Tally;
use crate::engine::Score;
use crate::lichess::model::{GameFull, GameId, GameState, GameStatus, Side, Speed};
use crate::rules::Game;
use crate::rules::pgn::{self, Eval, GameResult, Note, Tags};
use jiff::Timestamp;
use serde::Serialize;
use std::time::Duration;
use url::Url;

/// Outcome from our side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// We won.
    Win,
    /// We lost.
    Loss,
    /// Drawn.
    Draw,
    /// Ended before it counted.
    Aborted,
    /// Ended in a way that this version does not know.
    Unknown,
}

impl Verdict {
    /// Outcome of a final status for the player of `color`.
    pub fn of(status: GameStatus, winner: Option<Side>, color: Side) -> Self {
        match (winner, status) {
            (Some(side), _) if side == color => Self::Win,
            (Some(_), _) => Self::Loss,
            (None, GameStatus::Aborted) => Self::Aborted,
            (
                None,
                GameStatus::Draw
                | GameStatus::Stalemate
                | GameStatus::Timeout
                | GameStatus::OutOfTime
                | GameStatus::InsufficientMaterialClaim,
            ) => Self::Draw,
            (None, _) => Self::Unknown,
        }
    }

    /// Lower-case word, as in the results file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Aborted => "aborted",
            Self::Unknown => "unknown",
        }
    }
}

/// What is known about a played move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Played {
    /// Time left to the side that moved, if the line told it.
    pub clock: Option<Duration>,
    /// Score of our search, from our side; own moves only.
    pub score: Option<Score>,
    /// Depth of our search, plies.
    pub depth: u32,
    /// What is to be said of it, such as `book`.
    pub note: &'static str,
}

/// One finished game; a line of the results file is this as JSON, without the PGN.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct GameRecord {
    /// Game id.
    pub id: GameId,
    /// Page of the game.
    pub url: String,
    /// Start of the game.
    pub started: Timestamp,
    /// When its end was seen.
    pub finished: Timestamp,
    /// Our color.
    pub color: Side,
    /// Opponent's name.
    pub opponent: String,
    /// Opponent's title, such as `BOT`.
    pub opponent_title: Option<String>,
    /// Opponent's rating before the game.
    pub opponent_rating: Option<i32>,
    /// Our rating before the game.
    pub own_rating: Option<i32>,
    /// Rated or casual.
    pub rated: bool,
    /// Speed word, such as `blitz`.
    pub speed: &'static str,
    /// Initial time in ms, if there is a clock.
    pub initial_ms: Option<i64>,
    /// Increment in ms, if there is a clock.
    pub increment_ms: Option<i64>,
    /// Final status.
    pub status: GameStatus,
    /// Winner, if any.
    pub winner: Option<Side>,
    /// Outcome from our side.
    pub verdict: Verdict,
    /// Plies played.
    pub plies: usize,
    /// Moves in UCI, as the server lists them.
    pub moves: String,
    /// Replies of the opponent that we had a guess about, and thought about on the opponent's time.
    pub ponder_guesses: u32,
    /// Those that were the expected ones.
    pub ponder_hits: u32,
    /// The game as PGN.
    #[serde(skip)]
    pub pgn: String,
}

impl GameRecord {
    pub(super) fn new(
        server: &Url,
        full: &GameFull,
        state: &GameState,
        color: Side,
        game: &Game,
        played: &[Played],
        pondered: Tally,
    ) -> Self {
        let finished = Timestamp::now();
        let started = Timestamp::from_millisecond(full.created_at)
            .ok()
            .filter(|_| full.created_at > 0)
            .unwrap_or(finished);
        let (own, opponent) = match color {
            Side::White => (&full.white, &full.black),
            Side::Black => (&full.black, &full.white),
        };
        let verdict = Verdict::of(state.status, state.winner, color);
        let mut record = Self {
            id: full.id.clone(),
            // Ids are letters and digits; anything else cannot be joined and leaves the server's address.
            url: server
                .join(full.id.as_str())
                .map_or_else(|_| server.to_string(), String::from),
            started,
            finished,
            color,
            opponent: opponent.display_name(),
            opponent_title: opponent.title.clone(),
            opponent_rating: opponent.rating,
            own_rating: own.rating,
            rated: full.rated,
            speed: full.speed.word(),
            initial_ms: full.clock.map(|clock| clock.initial),
            increment_ms: full.clock.map(|clock| clock.increment),
            status: state.status,
            winner: state.winner,
            verdict,
            plies: game.moves().len(),
            moves: state.moves.trim().to_owned(),
            ponder_guesses: pondered.guesses,
            ponder_hits: pondered.hits,
            pgn: String::new(),
        };
        record.pgn = pgn::write(
            &tags(&record, full),
            game,
            &notes(played, color),
            result(verdict, color),
        );
        record
    }
}

const fn result(verdict: Verdict, color: Side) -> GameResult {
    match (verdict, color) {
        (Verdict::Win, Side::White) | (Verdict::Loss, Side::Black) => GameResult::WhiteWins,
        (Verdict::Win, Side::Black) | (Verdict::Loss, Side::White) => GameResult::BlackWins,
        (Verdict::Draw, _) => GameResult::Draw,
        (Verdict::Aborted | Verdict::Unknown, _) => GameResult::Unfinished,
    }
}

fn tags(record: &GameRecord, full: &GameFull) -> Tags {
    let mut tags = Tags::new();
    let rated = if record.rated { "rated" } else { "casual" };
    let speed = match full.speed {
        Speed::Unknown => "",
        speed => speed.word(),
    };
    tags.set(
        "Event",
        format!("{rated} {speed} crazyhouse game").replace("  ", " "),
    );
    tags.set("Site", &record.url);
    let utc = record.started;
    tags.set("Date", utc.strftime("%Y.%m.%d").to_string());
    tags.set("Round", "-");
    let players = [(&full.white, "White"), (&full.black, "Black")];
    for (player, side) in players {
        tags.set(side, player.display_name());
    }
    tags.set("GameId", record.id.as_str());
    tags.set("UTCDate", utc.strftime("%Y.%m.%d").to_string());
    tags.set("UTCTime", utc.strftime("%H:%M:%S").to_string());
    for (player, side) in players {
        let unsettled = if player.provisional { "?" } else { "" };
        let rating = player.rating.map(|rating| format!("{rating}{unsettled}"));
        tags.set(
            &format!("{side}Elo"),
            rating.unwrap_or_else(|| "?".to_owned()),
        );
        if let Some(title) = &player.title {
            tags.set(&format!("{side}Title"), title.as_str());
        }
    }
    let control = full.clock.map_or_else(
        || "-".to_owned(),
        |clock| format!("{}+{}", clock.initial / 1000, clock.increment / 1000),
    );
    tags.set("TimeControl", control);
    tags.set("Termination", termination(record.status));
    tags
}

/// Words of Lichess' exports.
const fn termination(status: GameStatus) -> &'static str {
    match status {
        GameStatus::OutOfTime | GameStatus::Timeout => "Time forfeit",
        GameStatus::Aborted | GameStatus::NoStart => "Abandoned",
        GameStatus::Cheat => "Rules infraction",
        GameStatus::Created
        | GameStatus::Started
        | GameStatus::UnknownFinish
        | GameStatus::Other => "Unterminated",
        GameStatus::Mate
        | GameStatus::Resign
        | GameStatus::Stalemate
        | GameStatus::Draw
        | GameStatus::InsufficientMaterialClaim
        | GameStatus::VariantEnd => "Normal",
    }
}

fn notes(played: &[Played], color: Side) -> Vec<Note> {
    let sign = match color {
        Side::White => 1,
        Side::Black => -1,
    };
    played
        .iter()
        .map(|played| Note {
            clock: played.clock,
            eval: played.score.map(|score| match score {
                Score::Cp(cp) => Eval::Cp(sign * cp),
                Score::Mate(moves) => Eval::Mate(sign * moves),
            }),
            text: played.note.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn record(color: Side, status: GameStatus, winner: Option<Side>) -> GameRecord {
        let full: GameFull = serde_json::from_str(
            r#"{"id":"Zh000001","variant":{"key":"crazyhouse"},"speed":"blitz","rated":true,
            "createdAt":1780000000000,"white":{"id":"alice","name":"Alice","title":null,"rating":1834,
            "provisional":true},"black":{"id":"ourbot","name":"OurBot","title":"BOT","rating":2000},
            "initialFen":"startpos","clock":{"initial":180000,"increment":2000},"state":{"type":"gameState"}}"#,
        )
        .unwrap();
        let list = "f2f3 e7e5 g2g4 d8h4";
        let state = GameState {
            moves: list.to_owned(),
            status,
            winner,
            ..GameState::default()
        };
        let mut game = Game::new(Variant::Crazyhouse);
        for text in list.split(' ') {
            game.push_uci(text).unwrap();
        }
        let played = [
            Played::default(),
            Played {
                clock: Some(Duration::from_secs(179)),
                score: Some(Score::Cp(85)),
                depth: 9,
                ..Played::default()
            },
            Played::default(),
            Played {
                clock: None,
                score: Some(Score::Mate(1)),
                depth: 3,
                note: "book",
            },
        ];
        let server = Url::parse("https://lichess.org").unwrap();
        let pondered = Tally {
            guesses: 3,
            hits: 2,
        };
        GameRecord::new(&server, &full, &state, color, &game, &played, pondered)
    }

    #[test]
    fn the_pgn_carries_players_clock_scores_and_result() {
        let record = record(Side::Black, GameStatus::Mate, Some(Side::Black));
        assert_eq!(record.verdict, Verdict::Win);
        let games = pgn::read(&record.pgn).unwrap();
        let [game] = games.as_slice() else {
            panic!("one game expected:\n{}", record.pgn)
        };
        let tags = [
            ("Event", "rated blitz crazyhouse game"),
            ("Site", "https://lichess.org/Zh000001"),
            ("White", "Alice"),
            ("Black", "OurBot"),
            ("BlackTitle", "BOT"),
            ("WhiteElo", "1834?"),
            ("TimeControl", "180+2"),
            ("Variant", "Crazyhouse"),
            ("UTCDate", "2026.05.28"),
            ("Result", "0-1"),
            ("Termination", "Normal"),
        ];
        for (name, value) in tags {
            assert_eq!(game.tags.get(name), Some(value), "{name}");
        }
        assert_eq!(game.result, GameResult::BlackWins);
        assert_eq!(game.notes[1].eval, Some(Eval::Cp(-85)), "from White's side");
        assert_eq!(game.notes[1].clock, Some(Duration::from_secs(179)));
        assert_eq!(game.notes[3].text, "book");
        assert_eq!(game.game.moves().len(), 4);
    }

    #[test]
    fn the_json_line_has_the_facts_and_no_pgn() {
        let record = record(Side::Black, GameStatus::Mate, Some(Side::Black));
        let json = serde_json::to_value(&record).unwrap();
        assert_eq!(json["id"], "Zh000001");
        assert_eq!(json["verdict"], "win");
        assert_eq!(json["status"], "mate");
        assert_eq!(json["moves"], "f2f3 e7e5 g2g4 d8h4");
        assert_eq!(json["opponent"], "Alice");
        assert_eq!(
            (&json["ponder_guesses"], &json["ponder_hits"]),
            (&3.into(), &2.into())
        );
        assert!(json.get("pgn").is_none());
    }

    #[test]
    fn verdicts_follow_winner_and_status() {
        use GameStatus as S;
        let cases = [
            (S::Mate, Some(Side::White), Verdict::Win),
            (S::OutOfTime, Some(Side::Black), Verdict::Loss),
            (S::Draw, None, Verdict::Draw),
            (S::Stalemate, None, Verdict::Draw),
            (S::Timeout, None, Verdict::Draw),
            (S::Aborted, None, Verdict::Aborted),
            (S::NoStart, Some(Side::White), Verdict::Win),
            (S::Other, None, Verdict::Unknown),
        ];
        for (status, winner, verdict) in cases {
            assert_eq!(
                Verdict::of(status, winner, Side::White),
                verdict,
                "{status:?}"
            );
        }
    }
}
