//! Settings of lichess-bot.

use super::engine::{self, ONLINE, POLYGLOT, TABLEBASE, TOKEN};
use super::value::{
    chat, flag, list, minutes, modes, number, scaled, seconds, selection, speeds, toml_list,
    variants, word,
};
use super::yaml::Node;
use super::{Asked, Outcome};
use crate::settings::layers::quoted;

/// Longest initial clock that Lichess has, seconds.
const LONGEST_CLOCK: i64 = 10_800;

pub(super) fn rule(asked: &Asked<'_>) -> Outcome {
    let node = asked.node;
    match asked.path {
        ["token"] => Outcome::leave(TOKEN),
        ["url"] => match node.text() {
            Some(url) => Outcome::take("lichess.url", &quoted(url)),
            None => Outcome::leave("expected a text"),
        },
        ["engine", "polyglot", rest @ ..] => polyglot(asked, rest),
        ["engine", "draw_or_resign", rest @ ..] => draw_or_resign(asked, rest),
        ["engine", "online_moves", rest @ ..] => online_moves(asked, rest),
        ["engine", "lichess_bot_tbs", ..] => Outcome::leave(TABLEBASE),
        ["engine", "xboard_options" | "homemade_options", ..] => {
            Outcome::leave("only UCI engines can be used")
        }
        ["engine", ..] => engine::rule(asked, 1),
        ["challenge", rest @ ..] => challenge(asked, rest),
        ["matchmaking", rest @ ..] => matchmaking(asked, rest),
        ["greeting" | "correspondence"] => Outcome::Descend,
        ["greeting", "hello"] => chat(node, "chat.hello"),
        ["greeting", "goodbye"] => chat(node, "chat.goodbye"),
        ["greeting", "hello_spectators"] => chat(node, "chat.hello_spectators"),
        ["greeting", "goodbye_spectators"] => chat(node, "chat.goodbye_spectators"),
        ["correspondence", "move_time"] => seconds(node, "game.clockless_move_time"),
        ["correspondence", "checkin_period"] => seconds(node, "game.correspondence.checkin_period"),
        ["correspondence", "disconnect_time"] => seconds(node, "game.correspondence.stay"),
        ["correspondence", "ponder"] => {
            Outcome::leave("nothing is thought about on the opponent's time without a clock")
        }
        ["abort_time"] => match node.number() {
            Some(number) => {
                let time = quoted(&format!("{number}s"));
                Outcome::Take(vec![
                    ("game.abort_after_human", time.clone()),
                    ("game.abort_after_bot", time),
                ])
            }
            None => Outcome::leave("expected a whole number"),
        },
        ["move_overhead"] => Outcome::leave(
            "the round trip is measured; engine.move_overhead is the least that is kept back",
        ),
        ["fake_think_time"] => Outcome::leave("moves are not delayed"),
        ["rate_limiting_delay"] => {
            Outcome::leave("not needed; the bot waits when the server asks it to")
        }
        ["quit_after_all_games_finish"] => {
            Outcome::leave("always so: the first signal lets games finish, see shutdown.grace")
        }
        ["pgn_directory"] => Outcome::leave("games are written to games in the folder data.dir"),
        ["pgn_file_grouping"] => Outcome::leave("games are written to one file a month"),
        _ => Outcome::leave("no counterpart"),
    }
}

fn polyglot(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    match rest {
        [] => Outcome::Descend,
        ["selection"] => selection(asked.node, "book.selection"),
        ["max_depth"] => scaled(asked.node, "book.max_ply", 2, 0, 1000),
        ["min_weight" | "normalization"] => {
            Outcome::leave("weights of Polyglot books; book.min_count counts games")
        }
        _ => Outcome::leave(POLYGLOT),
    }
}

fn draw_or_resign(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["resign_enabled"] => flag(node, "game.resign.enabled"),
        ["resign_score"] => number(node, "game.resign.score_cp", -100_000, 0),
        ["resign_moves"] => number(node, "game.resign.moves", 1, 1000),
        ["offer_draw_enabled"] => flag(node, "game.draw.offer"),
        ["offer_draw_score"] => number(node, "game.draw.offer_score_cp", 0, 100_000),
        ["offer_draw_moves"] => number(node, "game.draw.offer_moves", 1, 1000),
        ["offer_draw_pieces"] => {
            Outcome::leave("captured pieces come back in crazyhouse; see game.draw.offer_min_ply")
        }
        ["resign_for_egtb_minus_two" | "offer_draw_for_egtb_zero"] => Outcome::leave(TABLEBASE),
        _ => Outcome::leave("no counterpart"),
    }
}

fn online_moves(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["max_out_of_book_moves"] => number(node, "book.explorer.max_misses", 1, 1000),
        ["max_depth"] => scaled(node, "book.explorer.max_ply", 2, 0, 1000),
        ["lichess_opening_explorer", inner @ ..] => match inner {
            [] => Outcome::Descend,
            ["enabled"] => flag(node, "book.explorer.enabled"),
            ["min_games"] => number(node, "book.explorer.min_games", 1, 1_000_000_000),
            ["min_time"] => seconds(node, "book.explorer.min_clock"),
            ["source"] => match node.text() {
                Some("lichess") => Outcome::leave("lichess is the only one"),
                _ => Outcome::leave("only the games of all Lichess players can be asked for"),
            },
            _ => Outcome::leave("see [book.explorer] for what can be said"),
        },
        ["online_egtb", ..] => Outcome::leave(TABLEBASE),
        ["max_retries"] => Outcome::leave("the explorer is asked once"),
        _ => Outcome::leave(ONLINE),
    }
}

fn challenge(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["concurrency"] => number(node, "challenge.concurrency", 0, i64::MAX),
        ["sort_by"] => word(
            node,
            "challenge.sort_by",
            &[("best", "best"), ("first", "first")],
        ),
        ["preference"] => word(
            node,
            "challenge.preference",
            &[("none", "none"), ("human", "human"), ("bot", "bot")],
        ),
        ["accept_bot"] => flag(node, "challenge.accept_bots"),
        ["only_bot"] => match node.truth() {
            Some(only) => Outcome::take("challenge.accept_humans", &!only),
            None => Outcome::leave("expected true or false"),
        },
        ["max_increment"] => number(node, "challenge.max_increment_s", 0, 180),
        ["min_increment"] => number(node, "challenge.min_increment_s", 0, 180),
        ["max_base"] => number(node, "challenge.max_initial_s", 0, LONGEST_CLOCK),
        ["min_base"] => number(node, "challenge.min_initial_s", 0, LONGEST_CLOCK),
        ["max_days"] => number(node, "challenge.max_days", 1, 14),
        ["min_days"] => number(node, "challenge.min_days", 1, 14),
        ["variants"] => variants(node),
        ["time_controls"] => speeds(node),
        ["modes"] => modes(node, "challenge.rated", "challenge.casual"),
        ["block_list"] => list(node, "challenge.block"),
        ["allow_list"] => list(node, "challenge.allow"),
        ["online_block_list"] => list(node, "challenge.block_lists"),
        ["recent_bot_challenge_age"] => seconds(node, "challenge.recent_bot_challenge_age"),
        ["max_recent_bot_challenges"] => {
            number(node, "challenge.max_recent_bot_challenges", 0, i64::MAX)
        }
        ["bullet_requires_increment"] => flag(node, "challenge.bullet_requires_increment"),
        ["max_simultaneous_games_per_user"] => {
            number(node, "challenge.max_games_per_opponent", 1, i64::MAX)
        }
        ["min_rating"] => number(node, "challenge.min_rating", 0, 4000),
        ["max_rating"] => number(node, "challenge.max_rating", 0, 4000),
        ["rating_difference"] => number(node, "challenge.max_rating_difference", 0, 4000),
        ["games_reserved_for_humans"] => {
            number(node, "challenge.games_reserved_for_humans", 0, i64::MAX)
        }
        _ => Outcome::leave("no counterpart"),
    }
}

fn matchmaking(asked: &Asked<'_>, rest: &[&str]) -> Outcome {
    let node = asked.node;
    match rest {
        [] => Outcome::Descend,
        ["allow_matchmaking"] => flag(node, "matchmaking.enabled"),
        ["allow_during_games"] => flag(node, "matchmaking.allow_during_games"),
        ["challenge_timeout"] => minutes(node, "matchmaking.idle_delay"),
        ["challenge_initial_time"] => clocks(asked),
        ["challenge_increment"] => Outcome::leave("part of matchmaking.clocks"),
        ["challenge_mode"] => word(
            node,
            "matchmaking.mode",
            &[
                ("rated", "rated"),
                ("casual", "casual"),
                ("random", "random"),
            ],
        ),
        ["challenge_variant"] => variants(node),
        ["challenge_days"] => Outcome::leave("only games with a clock are begun"),
        ["opponent_min_rating"] => number(node, "matchmaking.min_rating", 0, 4000),
        ["opponent_max_rating"] => number(node, "matchmaking.max_rating", 0, 4000),
        ["opponent_rating_difference"] => {
            number(node, "matchmaking.max_rating_difference", 0, 4000)
        }
        ["rating_preference"] => word(
            node,
            "matchmaking.rating_preference",
            &[("none", "none"), ("high", "high"), ("low", "low")],
        ),
        ["challenge_filter"] => Outcome::leave(
            "bots that declined are left alone for a time by reason, see matchmaking.backoff",
        ),
        ["block_list" | "include_challenge_block_list" | "online_block_list"] => {
            Outcome::leave("challenge.block counts in both directions; add the names there")
        }
        _ => Outcome::leave("no counterpart"),
    }
}

/// Every initial time with every increment, as lichess-bot draws them.
fn clocks(asked: &Asked<'_>) -> Outcome {
    let matchmaking = asked.root.get("matchmaking");
    let increments = matchmaking
        .and_then(|table| table.get("challenge_increment"))
        .and_then(Node::texts)
        .unwrap_or_default();
    let initials = asked.node.texts().unwrap_or_default();
    let mut clocks = Vec::new();
    for initial in &initials {
        let Ok(seconds) = initial.parse::<u32>() else {
            return Outcome::leave("expected seconds");
        };
        for increment in &increments {
            let minutes = f64::from(seconds) / 60.0;
            clocks.push(format!("{minutes}+{increment}"));
        }
    }
    if clocks.is_empty() {
        Outcome::leave("without increments it makes no clock")
    } else {
        Outcome::take("matchmaking.clocks", &toml_list(&clocks))
    }
}
