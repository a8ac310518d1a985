//! Whom to challenge: pure choices from lists.

use super::Terms;
use super::offer::topics;
use crate::bot::lists::Lists;
use crate::bot::state::State;
use crate::lichess::model::{Account, Perf, UserStatus};
use crate::settings::{
    ChallengeSettings, Clock, MatchmakingSettings, RatingPreference, WeightedClock,
};
use jiff::Timestamp;
use std::collections::HashSet;

/// Our own rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bot) struct OwnRating {
    /// Crazyhouse rating.
    pub rating: i32,
    /// Not settled yet.
    pub provisional: bool,
}

/// What a choice among bots depends on.
#[derive(Debug)]
pub(in crate::bot) struct Wanted {
    /// Lower-case id of our account.
    pub account: String,
    /// Our rating as last told.
    pub own: Option<OwnRating>,
    /// Game to be offered.
    pub terms: Terms,
    /// Settings in force.
    pub settings: MatchmakingSettings,
    /// Block lists, which hold both ways.
    pub challenge: ChallengeSettings,
    /// Names from files and from the web.
    pub lists: Lists,
    /// Opponents of running games.
    pub playing: HashSet<String>,
    /// What is kept.
    pub state: State,
}

/// A clock drawn by weight; clocks must not be empty.
pub(super) fn clock(clocks: &[WeightedClock], rng: &mut fastrand::Rng) -> Clock {
    let sum: u32 = clocks.iter().map(|entry| entry.weight).sum();
    let mut lot = rng.u32(..sum.max(1));
    for entry in clocks {
        match lot.checked_sub(entry.weight) {
            Some(rest) => lot = rest,
            None => return entry.clock,
        }
    }
    Clock {
        limit_s: 180,
        increment_s: 2,
    }
}

/// Our rating by the list of online bots, where we may be, else as it was last told.
pub(in crate::bot) fn own_rating(bots: &[Account], wanted: &Wanted) -> Option<OwnRating> {
    let own = bots.iter().find(|bot| bot.id == wanted.account);
    own.and_then(crazyhouse)
        .map(|perf| OwnRating {
            rating: perf.rating,
            provisional: perf.prov,
        })
        .or(wanted.own)
}

/// Ids of the bots that may be challenged, the most wanted first.
pub(in crate::bot) fn rank(
    bots: &[Account],
    wanted: &Wanted,
    now: Timestamp,
    rng: &mut fastrand::Rng,
) -> Vec<String> {
    let own = own_rating(bots, wanted);
    let mut fitting: Vec<(&str, i32)> = bots
        .iter()
        .filter_map(|bot| Some((bot.id.as_str(), fit(bot, wanted, own, now)?.rating)))
        .collect();
    // The lot decides among equals.
    rng.shuffle(&mut fitting);
    let distance = |rating: i32| own.map_or(0, |own| i64::from(rating).abs_diff(own.rating.into()));
    match wanted.settings.rating_preference {
        RatingPreference::None => {}
        RatingPreference::High => fitting.sort_by_key(|(_, rating)| std::cmp::Reverse(*rating)),
        RatingPreference::Low => fitting.sort_by_key(|(_, rating)| *rating),
        RatingPreference::Close => fitting.sort_by_key(|(_, rating)| distance(*rating)),
    }
    fitting.into_iter().map(|(id, _)| id.to_owned()).collect()
}

/// The rating of a bot that may be challenged.
fn fit(bot: &Account, wanted: &Wanted, own: Option<OwnRating>, now: Timestamp) -> Option<Perf> {
    let settings = &wanted.settings;
    let named = |list: &[String]| list.iter().any(|name| name.eq_ignore_ascii_case(&bot.id));
    let is_ours = bot.id == wanted.account || bot.disabled || !bot.is_bot();
    let is_blocked = named(&wanted.challenge.block) || wanted.lists.block.contains(&bot.id);
    let is_busy = wanted.playing.contains(&bot.id);
    if is_ours || is_blocked || is_busy {
        return None;
    }
    if !settings.opponents.is_empty() && !named(&settings.opponents) {
        return None;
    }
    let topics = topics(wanted.terms.clock, wanted.terms.rated);
    let known = wanted.state.opponent(&bot.id);
    if known.is_some_and(|known| known.is_resting(&topics, now)) {
        return None;
    }
    // A bot named by the operator need not have played crazyhouse yet.
    let perf = match crazyhouse(bot) {
        Some(perf) => perf,
        None if named(&settings.opponents) || settings.min_games == 0 => Perf {
            prov: true,
            rating: 1500,
            ..Perf::default()
        },
        None => return None,
    };
    let in_window = (settings.min_rating..=settings.max_rating).contains(&perf.rating);
    if perf.games < settings.min_games && !named(&settings.opponents) || !in_window {
        return None;
    }
    // Against an unsettled rating of ours a window would find nobody.
    let difference = own
        .filter(|own| !own.provisional)
        .map_or(0, |own| i64::from(own.rating).abs_diff(perf.rating.into()));
    (difference <= u64::try_from(settings.max_rating_difference).unwrap_or(0)).then_some(perf)
}

fn crazyhouse(bot: &Account) -> Option<Perf> {
    bot.perfs
        .get("crazyhouse")
        .copied()
        .filter(|perf| perf.games > 0)
}

/// The first of some ids who is online and not in a game.
pub(in crate::bot) fn idle(ranked: &[String], statuses: &[UserStatus]) -> Option<String> {
    let is_idle = |id: &&String| {
        let status = statuses.iter().find(|status| status.id == **id);
        status.is_some_and(|status| status.online && !status.playing)
    };
    ranked.iter().find(is_idle).cloned()
}
