//! Whether a challenge is accepted: a pure function of the challenge, the settings and what else is going on.

mod pick;
mod rules;

pub(super) use pick::{Candidate, pick};

use super::lists::Lists;
use crate::lichess::model::{Challenge, ChallengeUser, Compat, DeclineReason, TimeControl};
use crate::settings::{ChallengeSettings, Clock};
use std::time::Duration;

/// What happens with a challenge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Accept now; the caller keeps a slot before it answers.
    Accept,
    /// Suitable, but there is no slot for it: it waits.
    Queue(Cause),
    /// Decline with this reason.
    Decline(DeclineReason, Cause),
    /// No answer is owed: our own challenge, not for us, or no longer open.
    Ignore,
}

/// Why a challenge is not accepted at once, for the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// Setting that decided, such as `challenge.bot.min_rating`; `None` where no setting could allow it.
    pub setting: Option<String>,
    /// Sentence that names the fact and the setting with its value.
    pub text: String,
}

impl Cause {
    fn of(setting: &str, text: String) -> Self {
        Self {
            setting: Some(setting.to_owned()),
            text,
        }
    }

    fn fixed(text: &str) -> Self {
        Self {
            setting: None,
            text: text.to_owned(),
        }
    }
}

/// Why the bot takes nothing at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pause {
    /// It is about to leave.
    Leaving,
    /// It plays a series that should not be disturbed.
    Series,
}

/// What else is going on when a challenge is judged.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Lower-case id of our account.
    pub account: &'a str,
    /// APIs that can play the game, if the server said so.
    pub compat: Option<Compat>,
    /// Whether nothing new is taken now.
    pub pause: Option<Pause>,
    /// Slots taken: running games, those expected after an accept, and a challenge of ours.
    pub taken: usize,
    /// Those of them that are with bots.
    pub taken_by_bots: usize,
    /// Other challenges that wait for a slot.
    pub queued: usize,
    /// Running, expected and waiting games with the challenger, and challenges to him.
    pub with_opponent: usize,
    /// Names from files and from the web.
    pub lists: &'a Lists,
    /// Challenges of this challenger accepted within `challenge.recent_bot_challenge_age`.
    pub recent: usize,
    /// How long no game with a bot can be started, because the limit of a day is reached.
    pub bot_games_wait: Option<Duration>,
}

type Refusal = (DeclineReason, Cause);

/// Judges a challenge. Fixed properties of the challenge come before the state of the bot, so that `later` is
/// said only to those who would be welcome later.
pub fn decide(challenge: &Challenge, settings: &ChallengeSettings, facts: &Facts<'_>) -> Decision {
    if !is_open_and_for_us(challenge, facts.account) {
        return Decision::Ignore;
    }
    let challenger = challenge.challenger.as_ref();
    let rules = settings.rules_for(challenger.is_some_and(ChallengeUser::is_bot));
    let own = challenge.dest_user.as_ref();
    let refusal = rules::refuse_game(challenge, settings, facts.compat)
        .or_else(|| refuse_opponent(challenger, settings, facts.lists))
        .or_else(|| rules::refuse_clock(&challenge.time_control, rules))
        .or_else(|| rules::refuse_mode(challenge.rated, rules))
        .or_else(|| rules::refuse_rating(challenger, own, rules))
        .or_else(|| refuse_now(challenger, settings, facts));
    if let Some((reason, cause)) = refusal {
        return Decision::Decline(reason, cause);
    }
    let Some(cause) = no_slot(challenger, settings, facts) else {
        return Decision::Accept;
    };
    if facts.queued < settings.queue {
        Decision::Queue(cause)
    } else {
        let queued = facts.queued;
        let text = format!(
            "{}, and {queued} wait with challenge.queue = {}",
            cause.text, settings.queue
        );
        Decision::Decline(DeclineReason::Later, Cause::of("challenge.queue", text))
    }
}

/// What a challenge asks for, in few words: `3+2 rated`.
pub(super) fn describe(challenge: &Challenge) -> String {
    let clock = match &challenge.time_control {
        TimeControl::Clock { show, .. } if !show.is_empty() => show.clone(),
        TimeControl::Clock {
            limit, increment, ..
        } => Clock {
            limit_s: *limit,
            increment_s: *increment,
        }
        .to_string(),
        TimeControl::Correspondence { days_per_turn } => format!("{days_per_turn} days a move"),
        TimeControl::Unlimited => "no clock".to_owned(),
        TimeControl::Unknown => "unknown clock".to_owned(),
    };
    let mode = if challenge.rated { "rated" } else { "casual" };
    let variant = match challenge.variant.key.as_str() {
        "crazyhouse" => String::new(),
        other => format!(" {other}"),
    };
    let rematch = if challenge.rematch_of.is_some() {
        ", rematch"
    } else {
        ""
    };
    format!("{clock} {mode}{variant}{rematch}")
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

fn refuse_opponent(
    challenger: Option<&ChallengeUser>,
    settings: &ChallengeSettings,
    lists: &Lists,
) -> Option<Refusal> {
    use DeclineReason::{Generic, NoBot, OnlyBot};
    let is_closed = !settings.allow.is_empty() || lists.allow.is_some();
    let Some(user) = challenger else {
        return if !settings.accept_anonymous {
            let text = "challenge.accept_anonymous = false".to_owned();
            Some((Generic, Cause::of("challenge.accept_anonymous", text)))
        } else if is_closed {
            let text = "an anonymous player is in no challenge.allow".to_owned();
            Some((Generic, Cause::of("challenge.allow", text)))
        } else {
            None
        };
    };
    let named = |list: &[String]| {
        list.iter().any(|name| {
            let name = name.trim();
            name.eq_ignore_ascii_case(&user.id) || name.eq_ignore_ascii_case(&user.name)
        })
    };
    let id = user.id.to_ascii_lowercase();
    if named(&settings.block) {
        let text = "is in challenge.block".to_owned();
        return Some((Generic, Cause::of("challenge.block", text)));
    }
    if lists.block.contains(&id) {
        let text = "is in a list of challenge.block_lists".to_owned();
        return Some((Generic, Cause::of("challenge.block_lists", text)));
    }
    let listed = lists
        .allow
        .as_ref()
        .is_some_and(|names| names.contains(&id));
    if is_closed && !listed && !named(&settings.allow) {
        let setting = if lists.allow.is_some() {
            "challenge.allow_lists"
        } else {
            "challenge.allow"
        };
        return Some((Generic, Cause::of(setting, format!("is not in {setting}"))));
    }
    match user.is_bot() {
        true if !settings.accept_bots => {
            let text = "challenge.accept_bots = false".to_owned();
            Some((NoBot, Cause::of("challenge.accept_bots", text)))
        }
        false if !settings.accept_humans => {
            let text = "challenge.accept_humans = false".to_owned();
            // "Only bots" would be a lie when bots are refused too.
            let reason = if settings.accept_bots {
                OnlyBot
            } else {
                Generic
            };
            Some((reason, Cause::of("challenge.accept_humans", text)))
        }
        _ => None,
    }
}

/// What stands against any game, or against one with this challenger, at this moment.
fn refuse_now(
    challenger: Option<&ChallengeUser>,
    settings: &ChallengeSettings,
    facts: &Facts<'_>,
) -> Option<Refusal> {
    let is_bot = challenger.is_some_and(ChallengeUser::is_bot);
    let rules = settings.rules_for(is_bot);
    let cause = match facts.pause {
        Some(Pause::Leaving) => Some(Cause::fixed("the bot is about to leave")),
        Some(Pause::Series) => Some(Cause::fixed("a series is being played")),
        None if !settings.enabled => Some(Cause::of(
            "challenge.enabled",
            "challenge.enabled = false".to_owned(),
        )),
        None if settings.concurrency == 0 => Some(Cause::of(
            "challenge.concurrency",
            "challenge.concurrency = 0".to_owned(),
        )),
        None if facts.with_opponent >= rules.max_games_per_opponent => {
            let name = rules.name("max_games_per_opponent");
            let text = format!(
                "{} games or challenges with this opponent, {name} = {}",
                facts.with_opponent, rules.max_games_per_opponent
            );
            Some(Cause::of(&name, text))
        }
        None if is_bot => refuse_bot_now(settings, facts),
        None => None,
    };
    cause.map(|cause| (DeclineReason::Later, cause))
}

fn refuse_bot_now(settings: &ChallengeSettings, facts: &Facts<'_>) -> Option<Cause> {
    let most = settings.max_recent_bot_challenges;
    if most > 0 && facts.recent >= most {
        let text = format!(
            "{} challenges of this bot accepted within {:?}, challenge.max_recent_bot_challenges = {most}",
            facts.recent, settings.recent_bot_challenge_age
        );
        return Some(Cause::of("challenge.max_recent_bot_challenges", text));
    }
    if let Some(wait) = facts.bot_games_wait {
        let text = format!(
            "no game with a bot for another {} min, challenge.max_bot_games_per_day = {} or the limit of Lichess",
            wait.as_secs().div_ceil(60),
            settings.max_bot_games_per_day
        );
        return Some(Cause::of("challenge.max_bot_games_per_day", text));
    }
    if settings.slots_for_bots() == 0 {
        let text = format!(
            "challenge.games_reserved_for_humans = {} leaves bots no slot",
            settings.games_reserved_for_humans
        );
        return Some(Cause::of("challenge.games_reserved_for_humans", text));
    }
    None
}

/// Why there is no slot for a game with this challenger now.
fn no_slot(
    challenger: Option<&ChallengeUser>,
    settings: &ChallengeSettings,
    facts: &Facts<'_>,
) -> Option<Cause> {
    let most = settings.concurrency;
    if facts.taken >= most {
        let text = format!("{} games with challenge.concurrency = {most}", facts.taken);
        return Some(Cause::of("challenge.concurrency", text));
    }
    let is_bot = challenger.is_some_and(ChallengeUser::is_bot);
    if is_bot && facts.taken_by_bots >= settings.slots_for_bots() {
        let text = format!(
            "{} games with bots and challenge.games_reserved_for_humans = {}",
            facts.taken_by_bots, settings.games_reserved_for_humans
        );
        return Some(Cause::of("challenge.games_reserved_for_humans", text));
    }
    None
}

#[cfg(test)]
mod tests;
