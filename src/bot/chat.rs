//! What the bot says in the chat: answers to commands, greetings and farewells. Pure functions of the line, the facts
//! and the settings; nothing that anybody writes changes how the bot plays.

use super::search::Thought;
use crate::engine::Score;
use crate::lichess::MAX_CHAT;
use crate::lichess::model::{ChatLine, ChatRoom, Player};
use crate::rules::Color;
use crate::settings::{ChatSettings, GameSettings, Settings, Template};
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Pause between two lines of ours in one game.
const PAUSE: Duration = Duration::from_secs(1);
/// Pause after the server said that there were too many.
const RATE_LIMIT_PAUSE: Duration = Duration::from_mins(1);
/// Lines that may wait to be sent; more are dropped.
const MOST_WAITING: usize = 6;
/// Users whose last answer is remembered.
const MOST_USERS: usize = 500;

/// Name of this program.
pub(super) const PROGRAM: &str = "Pocketknight";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A line to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Post {
    pub room: ChatRoom,
    pub text: String,
}

/// What may be told about a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChatFacts<'a> {
    pub me: &'a Player,
    pub opponent: &'a Player,
    /// Lower-case id of our account.
    pub account: &'a str,
    /// What the running search thinks, or else the last one; from our side.
    pub thought: Option<&'a Thought>,
    /// Takebacks accepted in this game.
    pub takebacks: u32,
    /// Names of the challengers who wait for a free slot.
    pub queue: &'a [String],
    /// Usual time in which a move is answered.
    pub ping: Option<Duration>,
    /// Speed word.
    pub speed: &'a str,
    /// Clock such as `3+2`.
    pub clock: &'a str,
    /// Cores that all games share.
    pub cores: usize,
    /// Result from our side; empty before the end.
    pub result: &'a str,
}

/// Answer to a line, to be sent in the same room; `None` if there is none to give.
pub(super) fn reply(line: &ChatLine, facts: &ChatFacts<'_>, settings: &Settings) -> Option<String> {
    let chat = &settings.chat;
    let is = |name: &str| line.username.eq_ignore_ascii_case(name);
    let ours = is(facts.account) || is(&facts.me.display_name());
    if !chat.enabled || ours || is("lichess") {
        return None;
    }
    if facts.opponent.is_bot() && !chat.answer_bots && is(&facts.opponent.display_name()) {
        return None;
    }
    let word = line.text.split_whitespace().next()?.strip_prefix('!')?;
    let word = match word.to_ascii_lowercase().as_str() {
        "commands" => "help".to_owned(),
        "motor" => "engine".to_owned(),
        word => word.to_owned(),
    };
    let known = chat.commands.iter().find(|command| **command == word)?;
    if for_spectators(known) && line.room != ChatRoom::Spectator {
        return None;
    }
    let text = match known.as_str() {
        "help" => help(line.room, chat),
        "name" => format!(
            "{} plays crazyhouse with {PROGRAM} {VERSION}.",
            facts.me.display_name()
        ),
        "engine" => format!(
            "{PROGRAM} {VERSION}: its own search and network, up to {} threads of {} cores, {} MiB of hash.",
            settings.engine.threads, facts.cores, settings.engine.hash_mib
        ),
        "eval" => evaluation(facts),
        "pv" => line_of(facts.thought),
        "draw" => draw_policy(&settings.game),
        "takeback" => takeback_policy(facts, &settings.game),
        "rating" => format!("{}, {}.", rated(facts.me), rated(facts.opponent)),
        "queue" if facts.queue.is_empty() => "No challenge is waiting.".to_owned(),
        "queue" => format!("Waiting: {}.", facts.queue.join(", ")),
        "ping" => match facts.ping {
            Some(ping) => format!("Moves are answered in {} ms.", ping.as_millis()),
            None => "No move was measured yet.".to_owned(),
        },
        _ => return None,
    };
    Some(text)
}

/// Commands that would help a player.
fn for_spectators(command: &str) -> bool {
    matches!(command, "eval" | "pv")
}

fn help(room: ChatRoom, chat: &ChatSettings) -> String {
    let words: Vec<String> = chat
        .commands
        .iter()
        .filter(|command| room == ChatRoom::Spectator || !for_spectators(command))
        .map(|command| format!("!{command}"))
        .collect();
    format!("Commands: {}", words.join(" "))
}

fn evaluation(facts: &ChatFacts<'_>) -> String {
    let Some(thought) = facts.thought else {
        return "I have not thought yet.".to_owned();
    };
    let score = match thought.score {
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("mate in {moves}"),
        Score::Mate(moves) => format!("mated in {}", moves.unsigned_abs()),
    };
    format!(
        "{score} for {}, depth {}, {} nodes.",
        facts.me.display_name(),
        thought.depth,
        in_short(thought.nodes)
    )
}

fn in_short(nodes: u64) -> String {
    match nodes {
        0..10_000 => nodes.to_string(),
        10_000..1_000_000 => format!("{}k", nodes / 1000),
        _ => format!("{}.{}M", nodes / 1_000_000, nodes / 100_000 % 10),
    }
}

/// Expected line with move numbers, as long as it fits.
fn line_of(thought: Option<&Thought>) -> String {
    let Some(thought) = thought.filter(|thought| !thought.pv.is_empty()) else {
        return "I expect nothing yet.".to_owned();
    };
    let mut position = thought.position;
    let mut text = String::new();
    for (index, &mv) in thought.pv.iter().enumerate() {
        if !position.is_legal(mv) {
            break;
        }
        let number = position.fullmoves();
        let mut word = match position.turn() {
            Color::White => format!("{number}. "),
            Color::Black if index == 0 => format!("{number}... "),
            Color::Black => String::new(),
        };
        word.push_str(&position.san(mv));
        if text.chars().count() + 1 + word.chars().count() > MAX_CHAT {
            break;
        }
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&word);
        position = position.play(mv);
    }
    text
}

fn draw_policy(game: &GameSettings) -> String {
    let mut text = if game.accept_draw {
        format!(
            "I accept draws from ply {} on when my score is at most {:+.2}",
            game.accept_draw_min_ply,
            f64::from(game.accept_draw_score_cp) / 100.0
        )
    } else {
        "I accept no draws".to_owned()
    };
    let draw = &game.draw;
    if draw.offer {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "; I offer one after {} moves within {:.2} of 0, from ply {} on",
            draw.offer_moves,
            f64::from(draw.offer_score_cp) / 100.0,
            draw.offer_min_ply
        );
    }
    text + "."
}

fn takeback_policy(facts: &ChatFacts<'_>, game: &GameSettings) -> String {
    match game.takebacks_for(facts.opponent.is_bot()) {
        0 => "I accept no takebacks.".to_owned(),
        most => format!(
            "I accept {most} takebacks in a game; {} so far.",
            facts.takebacks
        ),
    }
}

fn rated(player: &Player) -> String {
    let unsettled = if player.provisional { "?" } else { "" };
    player.rating.map_or_else(
        || format!("{} has no rating", player.display_name()),
        |rating| format!("{} {rating}{unsettled}", player.display_name()),
    )
}

/// Greetings after the first move.
pub(super) fn greetings(facts: &ChatFacts<'_>, settings: &Settings) -> Vec<Post> {
    let chat = &settings.chat;
    posts(facts, settings, [&chat.hello, &chat.hello_spectators])
}

/// Farewells after the game.
pub(super) fn farewells(facts: &ChatFacts<'_>, settings: &Settings) -> Vec<Post> {
    let chat = &settings.chat;
    posts(facts, settings, [&chat.goodbye, &chat.goodbye_spectators])
}

fn posts(facts: &ChatFacts<'_>, settings: &Settings, texts: [&Template; 2]) -> Vec<Post> {
    let chat = &settings.chat;
    let greet = if facts.opponent.is_bot() {
        chat.greet_bots
    } else {
        chat.greet_humans
    };
    if !chat.enabled || !greet {
        return Vec::new();
    }
    let engine = &settings.engine;
    let rating = |player: &Player| player.rating.map_or("?".to_owned(), |r| r.to_string());
    let value = |name: &str| match name {
        "me" => facts.me.display_name(),
        "opponent" => facts.opponent.display_name(),
        "engine" => PROGRAM.to_owned(),
        "version" => VERSION.to_owned(),
        "speed" => facts.speed.to_owned(),
        "clock" => facts.clock.to_owned(),
        "rating" => rating(facts.me),
        "opponent_rating" => rating(facts.opponent),
        "cores" => facts.cores.to_string(),
        "threads" => engine.threads.to_string(),
        "hash" => engine.hash_mib.to_string(),
        "result" => facts.result.to_owned(),
        _ => String::new(),
    };
    [ChatRoom::Player, ChatRoom::Spectator]
        .into_iter()
        .zip(texts)
        .map(|(room, text)| Post {
            room,
            text: text.fill(value),
        })
        .filter(|post| !post.text.trim().is_empty())
        .collect()
}

/// Who was answered when, so that nobody gets too many answers.
#[derive(Debug, Default)]
pub(super) struct Answered {
    users: HashMap<String, Instant>,
}

impl Answered {
    /// Whether a user may be answered at `now`; if so, it counts.
    pub(super) fn admit(&mut self, user: &str, pause: Duration, now: Instant) -> bool {
        self.users
            .retain(|_, at| now.saturating_duration_since(*at) < pause);
        let user = user.to_lowercase();
        if self.users.len() >= MOST_USERS || self.users.contains_key(&user) {
            return false;
        }
        self.users.insert(user, now);
        true
    }
}

/// Lines of a game on their way: one after the other, with pauses.
#[derive(Debug)]
pub(super) struct Outbox {
    waiting: VecDeque<Post>,
    sending: bool,
    not_before: Instant,
    has_player_room: bool,
}

impl Outbox {
    pub(super) const fn new(has_player_room: bool, now: Instant) -> Self {
        Self {
            waiting: VecDeque::new(),
            sending: false,
            not_before: now,
            has_player_room,
        }
    }

    /// Whether the game has such a room.
    pub(super) fn has_room(&self, room: ChatRoom) -> bool {
        self.has_player_room || room != ChatRoom::Player
    }

    /// Lets a line wait for its turn; dropped when too many wait, or its room does not exist.
    pub(super) fn push(&mut self, post: Post) {
        if self.has_room(post.room) && self.waiting.len() < MOST_WAITING {
            self.waiting.push_back(post);
        }
    }

    /// Line to be sent now; [`Outbox::sent`] must follow.
    pub(super) fn next(&mut self, now: Instant) -> Option<Post> {
        if self.sending || now < self.not_before {
            return None;
        }
        let post = self.waiting.pop_front()?;
        self.sending = true;
        Some(post)
    }

    /// The request for the last line has ended.
    pub(super) fn sent(&mut self, rate_limited: bool, now: Instant) {
        self.sending = false;
        let pause = if rate_limited {
            self.waiting.clear();
            RATE_LIMIT_PAUSE
        } else {
            PAUSE
        };
        self.not_before = now + pause;
    }

    /// When [`Outbox::next`] must be asked.
    pub(super) fn deadline(&self) -> Option<Instant> {
        (!self.sending && !self.waiting.is_empty()).then_some(self.not_before)
    }
}

#[cfg(test)]
mod tests;
