//! Whether a challenge is accepted: a pure function of the challenge, the settings and what else is going on.

use crate::lichess::model::{Challenge, ChallengeUser, Compat, DeclineReason, Speed, TimeControl};
use crate::settings::ChallengeSettings;

/// What happens with a challenge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Accept now; the caller keeps a slot before it answers.
    Accept,
    /// Suitable, but all slots are taken: it waits.
    Queue,
    /// Decline with this reason.
    Decline(DeclineReason),
    /// No answer is owed: our own challenge, not for us, or no longer open.
    Ignore,
}

/// What else is going on when a challenge is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts<'a> {
    /// Lower-case id of our account.
    pub account: &'a str,
    /// APIs that can play the game, if the server said so.
    pub compat: Option<Compat>,
    /// Whether no new games are wanted because the bot is about to leave.
    pub draining: bool,
    /// Slots taken: running games and those expected after an accept.
    pub taken: usize,
    /// Challenges that wait for a slot.
    pub queued: usize,
    /// Running, expected and waiting games with the challenger.
    pub with_opponent: usize,
}

/// Judges a challenge. Fixed properties of the challenge come before the state of the bot, so that `later` is
/// said only to those who would be welcome later.
pub fn decide(challenge: &Challenge, settings: &ChallengeSettings, facts: &Facts<'_>) -> Decision {
    if !is_open_and_for_us(challenge, facts.account) {
        return Decision::Ignore;
    }
    let refusal = refuse_game(challenge, facts.compat)
        .or_else(|| refuse_opponent(challenge.challenger.as_ref(), settings))
        .or_else(|| refuse_clock(&challenge.time_control, settings))
        .or_else(|| refuse_mode(challenge.rated, settings))
        .or_else(|| refuse_rating(challenge.challenger.as_ref(), settings));
    if let Some(reason) = refusal {
        return Decision::Decline(reason);
    }
    if !settings.enabled
        || facts.draining
        || settings.concurrency == 0
        || facts.with_opponent >= settings.max_games_per_opponent
    {
        return Decision::Decline(DeclineReason::Later);
    }
    if facts.taken < settings.concurrency {
        Decision::Accept
    } else if facts.queued < settings.queue {
        Decision::Queue
    } else {
        Decision::Decline(DeclineReason::Later)
    }
}

fn is_open_and_for_us(challenge: &Challenge, account: &str) -> bool {
    let ours = |user: &ChallengeUser| user.id.eq_ignore_ascii_case(account);
    let by_us = challenge.challenger.as_ref().is_some_and(ours)
        || challenge.direction.as_deref() == Some("out");
    let for_another = challenge.dest_user.as_ref().is_some_and(|user| !ours(user));
    // An expired challenge ("offline") can still be accepted for a while.
    let open = matches!(challenge.status.as_str(), "" | "created" | "offline");
    open && !by_us && !for_another
}

/// What no setting can allow: other variants, and rules that could leave the game stuck.
fn refuse_game(challenge: &Challenge, compat: Option<Compat>) -> Option<DeclineReason> {
    if challenge.variant.key != "crazyhouse" {
        return Some(DeclineReason::Variant);
    }
    match challenge.time_control {
        TimeControl::Clock {
            limit, increment, ..
        } => {
            if Speed::of_clock(limit, increment) == Speed::UltraBullet {
                return Some(DeclineReason::TooFast);
            }
        }
        TimeControl::Correspondence { .. } | TimeControl::Unlimited | TimeControl::Unknown => {
            return Some(DeclineReason::TimeControl);
        }
    }
    // With noAbort a game whose first move is missing can be neither aborted nor resigned.
    let no_abort = challenge
        .rules
        .iter()
        .any(|rule| rule.eq_ignore_ascii_case("noAbort"));
    let unplayable = compat.is_some_and(|compat| !compat.bot);
    (no_abort || unplayable).then_some(DeclineReason::Generic)
}

fn refuse_opponent(
    challenger: Option<&ChallengeUser>,
    settings: &ChallengeSettings,
) -> Option<DeclineReason> {
    let listed = |list: &[String], user: &ChallengeUser| {
        list.iter().any(|name| {
            let name = name.trim();
            name.eq_ignore_ascii_case(&user.id) || name.eq_ignore_ascii_case(&user.name)
        })
    };
    let Some(user) = challenger else {
        let refused = !settings.accept_anonymous || !settings.allow.is_empty();
        return refused.then_some(DeclineReason::Generic);
    };
    if listed(&settings.block, user)
        || !(settings.allow.is_empty() || listed(&settings.allow, user))
    {
        return Some(DeclineReason::Generic);
    }
    match user.is_bot() {
        true if !settings.accept_bots => Some(DeclineReason::NoBot),
        // "Only bots" would be a lie when bots are refused too.
        false if !settings.accept_humans && settings.accept_bots => Some(DeclineReason::OnlyBot),
        false if !settings.accept_humans => Some(DeclineReason::Generic),
        _ => None,
    }
}

fn refuse_clock(control: &TimeControl, settings: &ChallengeSettings) -> Option<DeclineReason> {
    let TimeControl::Clock {
        limit, increment, ..
    } = *control
    else {
        return Some(DeclineReason::TimeControl);
    };
    if limit < settings.min_initial_s || increment < settings.min_increment_s {
        return Some(DeclineReason::TooFast);
    }
    if limit > settings.max_initial_s || increment > settings.max_increment_s {
        return Some(DeclineReason::TooSlow);
    }
    let order = [Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical];
    let accepted = |speed: &Speed| {
        settings
            .speeds
            .iter()
            .any(|word| word.eq_ignore_ascii_case(speed.word()))
    };
    let speed = Speed::of_clock(limit, increment);
    if accepted(&speed) {
        return None;
    }
    let place = order.iter().position(|known| *known == speed)?;
    let faster = order[..place].iter().any(accepted);
    let slower = order[place + 1..].iter().any(accepted);
    Some(match (faster, slower) {
        (false, true) => DeclineReason::TooFast,
        (true, false) => DeclineReason::TooSlow,
        _ => DeclineReason::TimeControl,
    })
}

/// The reason words ask for what is wanted: a refused rated challenge is answered with `casual`.
fn refuse_mode(rated: bool, settings: &ChallengeSettings) -> Option<DeclineReason> {
    match (rated, settings.rated, settings.casual) {
        (true, true, _) | (false, _, true) => None,
        (true, false, true) => Some(DeclineReason::Casual),
        (false, true, false) => Some(DeclineReason::Rated),
        (_, false, false) => Some(DeclineReason::Generic),
    }
}

/// A provisional rating is judged by its number like any other; a player without a rating passes only a window
/// without a lower end.
fn refuse_rating(
    challenger: Option<&ChallengeUser>,
    settings: &ChallengeSettings,
) -> Option<DeclineReason> {
    let fits = match challenger.and_then(|user| user.rating) {
        Some(rating) => {
            i64::from(rating) >= i64::from(settings.min_rating)
                && i64::from(rating) <= i64::from(settings.max_rating)
        }
        None => settings.min_rating <= 0,
    };
    (!fits).then_some(DeclineReason::Generic)
}

#[cfg(test)]
mod tests;
