//! Settings of BotLi.

use super::engine::{self, ONLINE, POLYGLOT, TABLEBASE, TOKEN};
use super::value::{
    chat, flag, list, modes, number, scaled, seconds, selection, speeds, toml_list, variants,
};
use super::yaml::{Node, Value};
use super::{Asked, Outcome};
use crate::settings::layers::quoted;

const LONGEST_CLOCK: i64 = 10_800;

pub(super) fn rule(asked: &Asked<'_>) -> Outcome {
    let node = asked.node;
    match asked.path {
        ["token"] => Outcome::leave(TOKEN),
        ["url"] => match node.text() {
            Some(url) => Outcome::take("lichess.url", &quoted(url)),
            None => Outcome::leave("expected a text"),
        },
        ["engines" | "opening_books" | "online_moves" | "messages"]
        | ["opening_books", "books"] => Outcome::Descend,
        ["engines", kind, ..] if Some(*kind) != ours(asked.root.get("engines")) => {
            Outcome::leave("engine for other games")
        }
        ["engines", _, ..] => engine::rule(asked, 2),
        ["syzygy" | "gaviota", ..] | ["online_moves", "online_egtb", ..] => {
            Outcome::leave(TABLEBASE)
        }
        ["opening_books", "books", kind, rest @ ..] => {
            let books = asked.root.get("opening_books").and_then(|t| t.get("books"));
            if Some(*kind) == ours(books) {
                book(asked, rest)
            } else {
                Outcome::leave("book for other games")
            }
        }
        ["opening_books", "priority"] => {
            Outcome::leave("the order is fixed: book, then explorer beside the engine")
        }
        ["opening_books" | "books", ..] => Outcome::leave(POLYGLOT),
        ["online_moves", "opening_explorer", rest @ ..] => explorer(asked, rest),
        ["online_moves", ..] => Outcome::leave(ONLINE),
        ["offer_draw", rest @ ..] => offer_draw(asked, rest),
        ["resign", rest @ ..] => resign(asked, rest),
        ["challenge", rest @ ..] => challenge(asked, rest),
        ["matchmaking", rest @ ..] => matchmaking(asked, rest),
        ["messages", "greeting"] => chat(node, "chat.hello"),
        ["messages", "goodbye"] => chat(node, "chat.goodbye"),
        ["messages", "greeting_spectators"] => chat(node, "chat.hello_spectators"),
        ["messages", "goodbye_spectators"] => chat(node, "chat.goodbye_spectators"),
        ["whitelist"] => Outcome::leave(
            "users that are accepted against all rules; here challenge.allow are the only ones accepted",
        ),
        ["blacklist"] => list(node, "challenge.block"),
        ["online_blacklists"] => list(node, "challenge.block_lists"),
        _ => Outcome::leave("no counterpart"),
    }
}

/// Entry of a table by kinds of games that is used for crazyhouse.
fn ours(table: Option<&Node>) -> Option<&'static str> {
    ["crazyhouse", "variants", "standard"]
        .into_iter()
        .find(|kind| table.is_some_and(|table| table.get(kind).is_some()))
}

fn book(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    match rest {
        [] => Outcome::Descend,
        ["selection"] => selection(asked.node, "book.selection"),
        ["max_depth"] => number(asked.node, "book.max_ply", 0, 1000),
        ["allow_repetitions"] => Outcome::leave("a third repetition never comes out of the book"),
        ["max_moves"] => Outcome::leave("no counterpart; see book.max_ply"),
        _ => Outcome::leave(POLYGLOT),
    }
}

fn explorer(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["enabled"] => {
            let table = asked.root.get("online_moves");
            let table = table.and_then(|table| table.get("opening_explorer"));
            let variants = table.and_then(|table| table.get("use_for_variants"));
            match (node.truth(), variants.and_then(Node::truth)) {
                (Some(true), Some(true)) => Outcome::take("book.explorer.enabled", &true),
                (Some(true), _) => Outcome::leave("it was not used for variants"),
                (Some(false), _) => Outcome::take("book.explorer.enabled", &false),
                (None, _) => Outcome::leave("expected true or false"),
            }
        }
        ["use_for_variants"] => Outcome::leave("part of book.explorer.enabled"),
        ["min_time"] => seconds(node, "book.explorer.min_clock"),
        ["timeout"] => seconds(node, "book.explorer.timeout"),
        ["min_games"] => number(node, "book.explorer.min_games", 1, 1_000_000_000),
        ["max_depth"] => number(node, "book.explorer.max_ply", 0, 1000),
        _ => Outcome::leave("see [book.explorer] for what can be said"),
    }
}

fn offer_draw(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["enabled"] => flag(node, "game.draw.offer"),
        ["score"] => number(node, "game.draw.offer_score_cp", 0, 100_000),
        ["consecutive_moves"] => number(node, "game.draw.offer_moves", 1, 1000),
        ["min_game_length"] => scaled(node, "game.draw.offer_min_ply", 2, 0, 100_000),
        ["against_humans"] => flag(node, "game.draw.humans"),
        ["min_rating"] => number(node, "game.draw.min_rating", 0, 4000),
        _ => Outcome::leave("no counterpart"),
    }
}

fn resign(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["enabled"] => flag(node, "game.resign.enabled"),
        ["score"] => number(node, "game.resign.score_cp", -100_000, 0),
        ["consecutive_moves"] => number(node, "game.resign.moves", 1, 1000),
        ["against_humans"] => flag(node, "game.resign.humans"),
        ["min_rating"] => number(node, "game.resign.min_rating", 0, 4000),
        _ => Outcome::leave("no counterpart"),
    }
}

fn challenge(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["concurrency"] => number(node, "challenge.concurrency", 0, i64::MAX),
        ["max_takebacks"] => number(node, "game.max_takebacks", 0, 100_000),
        ["bullet_with_increment_only"] => flag(node, "challenge.bot.bullet_requires_increment"),
        ["min_increment"] => number(node, "challenge.min_increment_s", 0, 180),
        ["max_increment"] => number(node, "challenge.max_increment_s", 0, 180),
        ["min_initial"] => number(node, "challenge.min_initial_s", 0, LONGEST_CLOCK),
        ["max_initial"] => number(node, "challenge.max_initial_s", 0, LONGEST_CLOCK),
        ["variants"] => variants(node),
        ["time_controls"] => speeds(node),
        ["bot_modes"] => modes(node, "challenge.bot.rated", "challenge.bot.casual"),
        ["human_modes"] => modes(node, "challenge.human.rated", "challenge.human.casual"),
        _ => Outcome::leave("no counterpart"),
    }
}

fn matchmaking(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["delay"] => seconds(node, "matchmaking.idle_delay"),
        ["timeout"] => seconds(node, "matchmaking.challenge_timeout"),
        ["selection"] => Outcome::leave("clocks are drawn by lot, by their weights"),
        ["types"] => types(node),
        _ => Outcome::leave("no counterpart"),
    }
}

/// Clocks of all types of crazyhouse, and whether they are rated.
fn types(node: &Node) -> Outcome {
    let Value::Table(types) = &node.value else {
        return Outcome::leave("expected a table of types");
    };
    let text = |node: &Node, name: &str| node.get(name).and_then(Node::text).map(str::to_owned);
    let ours: Vec<&Node> = types
        .iter()
        .map(|(_, kind)| kind)
        .filter(|kind| text(kind, "variant").as_deref() == Some("crazyhouse"))
        .collect();
    let clocks: Vec<String> = ours
        .iter()
        .filter_map(|kind| {
            let clock = text(kind, "tc")?;
            Some(match text(kind, "weight") {
                Some(weight) => format!("{clock}:{weight}"),
                None => clock,
            })
        })
        .collect();
    if clocks.is_empty() {
        return Outcome::leave("none of them is of crazyhouse");
    }
    let rated = |kind: &&Node| kind.get("rated").and_then(Node::truth).unwrap_or(true);
    let mode = match (ours.iter().any(rated), ours.iter().all(rated)) {
        (_, true) => "rated",
        (false, _) => "casual",
        _ => "random",
    };
    let difference = ours
        .iter()
        .filter_map(|kind| kind.get("max_rating_diff")?.number())
        .max();
    let mut values = vec![
        ("matchmaking.clocks", toml_list(&clocks)),
        ("matchmaking.mode", quoted(mode)),
    ];
    if let Some(difference) = difference {
        let difference = difference.clamp(0, 4000).to_string();
        values.push(("matchmaking.max_rating_difference", difference));
    }
    Outcome::Take(values)
}
