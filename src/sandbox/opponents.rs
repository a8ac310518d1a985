//! Scripted opponents: how they choose their moves. The choice depends on the seed and the game only, so the same
//! seed and the same moves give the same replies.

use crate::engine::{Engine, Limits, SearchRequest, Session, SessionOptions};
use crate::lichess::model::DeclineReason;
use crate::rules::{Game, Move, MoveList, Position, Role};
use std::fmt;
use std::str::FromStr;
use std::time::Instant;

/// Hash of the engine opponents, MiB.
const HASH_MIB: usize = 4;

/// Nodes of an `engine` opponent that names no count.
const DEFAULT_NODES: u64 = 1000;

/// Way of playing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Style {
    /// Any legal move.
    Random,
    /// Mates in one, takes what is worth most, likes checks, leaves less hanging than a random player.
    Greedy,
    /// The engine of this crate with a fixed number of nodes a move.
    Engine {
        /// Nodes a move, at least 1.
        nodes: u64,
    },
    /// Any legal move, with manners of its own.
    Mannered(Manner),
}

/// What a scripted opponent does beside playing moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Manner {
    /// Offers draws and accepts them.
    Drawer,
    /// Never makes a move.
    Sleeper,
    /// Writes commands and other things in the chat.
    Chatter,
    /// Leaves after some moves.
    Leaver,
    /// Asks for takebacks.
    Regretter,
}

impl Manner {
    const ALL: [Self; 5] = [
        Self::Drawer,
        Self::Sleeper,
        Self::Chatter,
        Self::Leaver,
        Self::Regretter,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Drawer => "drawer",
            Self::Sleeper => "sleeper",
            Self::Chatter => "chatter",
            Self::Leaver => "leaver",
            Self::Regretter => "regretter",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|manner| manner.word() == word)
    }
}

/// How a scripted opponent answers challenges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScriptedAnswer {
    /// Accepts those that can be played here, as all do at first.
    Accept,
    /// Declines with this reason.
    Decline(DeclineReason),
    /// Does not answer.
    Silent,
}

/// A text that names no way of playing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "opponent {text:?} is unknown; expected random, greedy, engine:NODES, drawer, sleeper, chatter, leaver or regretter"
)]
pub struct UnknownStyle {
    text: String,
}

impl FromStr for Style {
    type Err = UnknownStyle;

    fn from_str(text: &str) -> Result<Self, UnknownStyle> {
        let unknown = || UnknownStyle {
            text: text.to_owned(),
        };
        match text {
            "random" => Ok(Self::Random),
            "greedy" => Ok(Self::Greedy),
            "engine" => Ok(Self::Engine {
                nodes: DEFAULT_NODES,
            }),
            _ => {
                if let Some(manner) = Manner::of_word(text) {
                    return Ok(Self::Mannered(manner));
                }
                let digits = text.strip_prefix("engine:").ok_or_else(unknown)?;
                let nodes = digits
                    .parse()
                    .ok()
                    .filter(|&nodes| nodes > 0)
                    .ok_or_else(unknown)?;
                Ok(Self::Engine { nodes })
            }
        }
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Engine { nodes } => write!(f, "engine:{nodes}"),
            Self::Mannered(manner) => f.write_str(manner.word()),
        }
    }
}

impl Style {
    /// Name of an account that plays like this: `random`, `greedy`, `engine1000`.
    pub fn account_name(self) -> String {
        match self {
            Self::Random => "random".to_owned(),
            Self::Greedy => "greedy".to_owned(),
            Self::Engine { nodes } => format!("engine{nodes}"),
            Self::Mannered(manner) => manner.word().to_owned(),
        }
    }

    /// Style of an account name in small letters. A number after a dash tells accounts of one style apart, as in
    /// `greedy-2`.
    pub fn of_account(id: &str) -> Option<Self> {
        let base = match id.split_once('-') {
            Some((base, number)) if !number.is_empty() && number.len() <= 4 => {
                number.bytes().all(|b| b.is_ascii_digit()).then_some(base)?
            }
            Some(_) => return None,
            None => id,
        };
        match base {
            "random" | "greedy" => base.parse().ok(),
            _ if Manner::of_word(base).is_some() => base.parse().ok(),
            _ => format!("engine:{}", base.strip_prefix("engine")?)
                .parse()
                .ok(),
        }
    }

    /// Whether its accounts carry the title `BOT`; the random players pose as humans.
    pub const fn is_bot(self) -> bool {
        !matches!(self, Self::Random | Self::Mannered(_))
    }

    /// Rating that its accounts start with.
    pub const fn rating(self) -> i32 {
        match self {
            Self::Random | Self::Mannered(_) => 800,
            Self::Greedy => 1200,
            Self::Engine { .. } => 2000,
        }
    }
}

/// A scripted opponent in one game.
#[derive(Debug)]
pub(super) struct Brain {
    style: Style,
    seed: u64,
    session: Option<Session>,
}

impl Brain {
    /// Opponent of a style. `engine` is used by the engine style only.
    pub(super) fn new(style: Style, seed: u64, engine: &Engine) -> Self {
        let options = SessionOptions {
            hash_mib: HASH_MIB,
            threads: 1,
        };
        let session = matches!(style, Style::Engine { .. }).then(|| engine.session(options));
        Self {
            style,
            seed,
            session,
        }
    }

    /// Whether a choice takes long enough to be kept off the threads that serve the network.
    pub(super) const fn is_slow(&self) -> bool {
        self.session.is_some()
    }

    /// Move to play, `None` only without a legal move.
    pub(super) fn choose(&mut self, game: &Game) -> Option<Move> {
        let position = game.position();
        let mut rng = fastrand::Rng::with_seed(self.seed ^ position.key());
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        match (self.style, &mut self.session) {
            (Style::Engine { nodes }, Some(session)) => search(session, game, nodes),
            (Style::Greedy, _) => {
                // Drawing a number for each move breaks ties without favouring the first ones.
                moves
                    .iter()
                    .copied()
                    .max_by_key(|&m| (appetite(position, m), rng.u32(..)))
            }
            _ => rng.choice(moves.iter().copied()),
        }
    }
}

fn search(session: &mut Session, game: &Game, nodes: u64) -> Option<Move> {
    let request = SearchRequest {
        position: *game.position(),
        earlier: game.earlier_keys().to_vec(),
        limits: Limits {
            nodes: Some(nodes),
            ..Limits::default()
        },
        received: Instant::now(),
    };
    session.search_blocking(request, &mut |_| ()).best
}

/// How much a greedy player wants a move: mate above all, then material won less material risked, then checks.
fn appetite(position: &Position, m: Move) -> i32 {
    const MATE: i32 = 10_000;
    const CHECK: i32 = 30;
    let after = position.play(m);
    if after.is_checkmate() {
        return MATE;
    }
    let won = position.captured_role(m).map_or(0, value);
    let promoted = m
        .promoted_to()
        .map_or(0, |role| value(role) - value(Role::Pawn));
    let attacked = !m.is_castle()
        && !(after.attackers_to(m.to(), after.occupied()) & after.by_color(after.turn()))
            .is_empty();
    let risked = if attacked {
        value(position.moved_piece(m).role)
    } else {
        0
    };
    let check = if after.is_check() { CHECK } else { 0 };
    won + promoted - risked + check
}

const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 300,
        Role::Rook => 400,
        Role::Queen => 800,
        Role::King => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Variant::Crazyhouse);
        for uci in moves.split_whitespace() {
            game.push_uci(uci).unwrap();
        }
        game
    }

    #[test]
    fn styles_are_read_from_words_and_account_names() {
        assert_eq!("engine:500".parse(), Ok(Style::Engine { nodes: 500 }));
        assert_eq!("greedy".parse(), Ok(Style::Greedy));
        for manner in Manner::ALL {
            let style = Style::Mannered(manner);
            assert_eq!(style.to_string().parse(), Ok(style));
            assert_eq!(Style::of_account(&style.account_name()), Some(style));
        }
        for bad in ["", "engine:", "engine:0", "engine:x", "Random", "stockfish"] {
            assert!(bad.parse::<Style>().is_err(), "{bad}");
        }
        assert_eq!(
            Style::of_account("engine1000-12"),
            Some(Style::Engine { nodes: 1000 })
        );
        for none in ["alice", "greedy-", "greedy-x", "engine-1", "random-12345"] {
            assert_eq!(Style::of_account(none), None, "{none}");
        }
    }

    #[test]
    fn the_same_seed_and_moves_give_the_same_replies() {
        let engine = Engine::new(1);
        let start = game("e2e4 d7d5");
        for style in [Style::Random, Style::Greedy, Style::Engine { nodes: 200 }] {
            let replies: Vec<_> = (0..2)
                .map(|_| Brain::new(style, 5, &engine).choose(&start))
                .collect();
            assert_eq!(replies[0], replies[1], "{style}");
            assert!(replies[0].is_some());
        }
    }

    #[test]
    fn another_seed_changes_the_replies_of_a_random_player() {
        let engine = Engine::new(1);
        let start = game("");
        let replies: std::collections::HashSet<_> = (0..20)
            .map(|seed| Brain::new(Style::Random, seed, &engine).choose(&start))
            .collect();
        assert!(replies.len() > 5);
    }

    #[test]
    fn a_greedy_player_mates_or_takes_the_queen() {
        let engine = Engine::new(1);
        let mate = game("f2f3 e7e5 g2g4").position().parse_uci("d8h4");
        let mut brain = Brain::new(Style::Greedy, 1, &engine);
        assert_eq!(brain.choose(&game("f2f3 e7e5 g2g4")), mate.ok());
        let takes = game("e2e4 d7d5 d1g4").position().parse_uci("c8g4");
        assert_eq!(brain.choose(&game("e2e4 d7d5 d1g4")), takes.ok());
    }
}
