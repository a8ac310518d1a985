//! Rules about what a challenge asks for: the game, its clock, the mode, the rating.

use super::{Cause, Refusal};
use crate::lichess::model::{Challenge, ChallengeUser, Compat, DeclineReason, Speed, TimeControl};
use crate::settings::{ChallengeRules, ChallengeSettings, Clock, Provisional};
use std::time::Duration;

/// What cannot be played, and extra rules that are not wanted.
pub(super) fn refuse_game(
    challenge: &Challenge,
    settings: &ChallengeSettings,
    compat: Option<Compat>,
) -> Option<Refusal> {
    let fixed = |reason, text| Some((reason, Cause::fixed(text)));
    if challenge.variant.key != "crazyhouse" {
        return fixed(DeclineReason::Variant, "only crazyhouse is played");
    }
    match challenge.time_control {
        TimeControl::Clock {
            limit, increment, ..
        } => {
            if Speed::of_clock(limit, increment) == Speed::UltraBullet {
                return fixed(DeclineReason::TooFast, "ultraBullet is closed to bots");
            }
        }
        TimeControl::Unknown => {
            return fixed(DeclineReason::TimeControl, "a clock of unknown kind");
        }
        TimeControl::Correspondence { .. } | TimeControl::Unlimited => {}
    }
    let is_known = |rule: &&String| settings.rules.iter().any(|r| r.eq_ignore_ascii_case(rule));
    if let Some(rule) = challenge.rules.iter().find(|rule| !is_known(rule)) {
        let text = format!("the rule {rule:?} is not in challenge.rules");
        return Some((DeclineReason::Generic, Cause::of("challenge.rules", text)));
    }
    if compat.is_some_and(|compat| !compat.bot) {
        return fixed(DeclineReason::Generic, "closed to the Bot API");
    }
    None
}

/// What is wrong with the clock.
pub(super) fn refuse_clock(control: &TimeControl, rules: &ChallengeRules) -> Option<Refusal> {
    match *control {
        TimeControl::Clock {
            limit, increment, ..
        } => refuse_real_time(
            Clock {
                limit_s: limit,
                increment_s: increment,
            },
            rules,
        ),
        TimeControl::Correspondence { days_per_turn } => refuse_days(days_per_turn, rules),
        TimeControl::Unlimited if rules.unlimited => None,
        TimeControl::Unlimited => Some(switched_off(rules, "unlimited")),
        TimeControl::Unknown => Some((
            DeclineReason::TimeControl,
            Cause::fixed("a clock of unknown kind"),
        )),
    }
}

fn switched_off(rules: &ChallengeRules, key: &str) -> Refusal {
    let name = rules.name(key);
    let text = format!("{name} = false");
    (DeclineReason::TimeControl, Cause::of(&name, text))
}

fn refuse_days(days: u32, rules: &ChallengeRules) -> Option<Refusal> {
    if !rules.correspondence {
        return Some(switched_off(rules, "correspondence"));
    }
    let unit = "days a move";
    outside(days, rules, "min_days", rules.min_days, unit, true)
        .or_else(|| outside(days, rules, "max_days", rules.max_days, unit, false))
}

fn refuse_real_time(clock: Clock, rules: &ChallengeRules) -> Option<Refusal> {
    if !rules.clocks.is_empty() {
        if rules.clocks.contains(&clock) {
            return None;
        }
        let name = rules.name("clocks");
        let known: Vec<String> = rules.clocks.iter().map(ToString::to_string).collect();
        let text = format!("{clock} is not in {name} = {}", known.join(", "));
        return Some((DeclineReason::TimeControl, Cause::of(&name, text)));
    }
    let (limit, increment) = (clock.limit_s, clock.increment_s);
    let seconds = "s initial time";
    let added = "s increment";
    outside(
        limit,
        rules,
        "min_initial_s",
        rules.min_initial_s,
        seconds,
        true,
    )
    .or_else(|| {
        outside(
            increment,
            rules,
            "min_increment_s",
            rules.min_increment_s,
            added,
            true,
        )
    })
    .or_else(|| {
        outside(
            limit,
            rules,
            "max_initial_s",
            rules.max_initial_s,
            seconds,
            false,
        )
    })
    .or_else(|| {
        outside(
            increment,
            rules,
            "max_increment_s",
            rules.max_increment_s,
            added,
            false,
        )
    })
    .or_else(|| refuse_estimate(clock, rules))
    .or_else(|| refuse_speed(clock, rules))
    .or_else(|| refuse_bullet(clock, rules))
}

/// A number below the least value of a key (too fast), or above the greatest (too slow).
fn outside(
    number: u32,
    rules: &ChallengeRules,
    key: &str,
    bound: u32,
    unit: &str,
    is_least: bool,
) -> Option<Refusal> {
    let (wrong, word, reason) = if is_least {
        (number < bound, "below", DeclineReason::TooFast)
    } else {
        (number > bound, "above", DeclineReason::TooSlow)
    };
    let name = rules.name(key);
    let text = format!("{number} {unit} is {word} {name} = {bound}");
    wrong.then(|| (reason, Cause::of(&name, text)))
}

fn refuse_estimate(clock: Clock, rules: &ChallengeRules) -> Option<Refusal> {
    let estimate =
        Duration::from_secs(u64::from(clock.limit_s) + 40 * u64::from(clock.increment_s));
    let (key, bound, word, reason) = if estimate < rules.min_estimated_duration {
        let bound = rules.min_estimated_duration;
        (
            "min_estimated_duration",
            bound,
            "below",
            DeclineReason::TooFast,
        )
    } else if estimate > rules.max_estimated_duration {
        let bound = rules.max_estimated_duration;
        (
            "max_estimated_duration",
            bound,
            "above",
            DeclineReason::TooSlow,
        )
    } else {
        return None;
    };
    let name = rules.name(key);
    let text = format!("{estimate:?} by estimate is {word} {name} = {bound:?}");
    Some((reason, Cause::of(&name, text)))
}

fn refuse_speed(clock: Clock, rules: &ChallengeRules) -> Option<Refusal> {
    let order = [Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical];
    let accepted = |speed: &Speed| {
        rules
            .speeds
            .iter()
            .any(|word| word.eq_ignore_ascii_case(speed.word()))
    };
    let speed = Speed::of_clock(clock.limit_s, clock.increment_s);
    if accepted(&speed) {
        return None;
    }
    let place = order.iter().position(|known| *known == speed)?;
    let faster = order[..place].iter().any(accepted);
    let slower = order[place + 1..].iter().any(accepted);
    let reason = match (faster, slower) {
        (false, true) => DeclineReason::TooFast,
        (true, false) => DeclineReason::TooSlow,
        _ => DeclineReason::TimeControl,
    };
    let name = rules.name("speeds");
    let text = format!(
        "{} is not in {name} = {}",
        speed.word(),
        rules.speeds.join(", ")
    );
    Some((reason, Cause::of(&name, text)))
}

fn refuse_bullet(clock: Clock, rules: &ChallengeRules) -> Option<Refusal> {
    let is_bullet = Speed::of_clock(clock.limit_s, clock.increment_s) == Speed::Bullet;
    if !is_bullet || clock.increment_s > 0 || !rules.bullet_requires_increment {
        return None;
    }
    let name = rules.name("bullet_requires_increment");
    let text = format!("bullet without increment, {name} = true");
    Some((DeclineReason::TooFast, Cause::of(&name, text)))
}

/// The reason words ask for what is wanted: a refused rated challenge is answered with `casual`.
pub(super) fn refuse_mode(rated: bool, rules: &ChallengeRules) -> Option<Refusal> {
    let (key, reason) = match (rated, rules.rated, rules.casual) {
        (true, true, _) | (false, _, true) => return None,
        (true, false, true) => ("rated", DeclineReason::Casual),
        (false, true, false) => ("casual", DeclineReason::Rated),
        (true, false, false) => ("rated", DeclineReason::Generic),
        (false, false, false) => ("casual", DeclineReason::Generic),
    };
    let name = rules.name(key);
    let text = format!("{name} = false");
    Some((reason, Cause::of(&name, text)))
}

/// A player without a rating passes only a window without a lower end. The difference is asked only if both have a
/// rating and ours is settled: a new bot would else accept nobody.
pub(super) fn refuse_rating(
    challenger: Option<&ChallengeUser>,
    own: Option<&ChallengeUser>,
    rules: &ChallengeRules,
) -> Option<Refusal> {
    let refuse = |key: &str, text: &dyn Fn(&str) -> String| {
        let name = rules.name(key);
        Some((DeclineReason::Generic, Cause::of(&name, text(&name))))
    };
    let provisional = challenger.is_some_and(|user| user.provisional);
    match rules.provisional {
        Provisional::Accept if provisional => return None,
        Provisional::Decline if provisional => {
            return refuse("provisional", &|name| {
                format!("the rating is provisional, {name} = decline")
            });
        }
        _ => {}
    }
    let Some(rating) = challenger.and_then(|user| user.rating) else {
        return if rules.min_rating > 0 {
            refuse("min_rating", &|name| {
                format!("no rating, {name} = {}", rules.min_rating)
            })
        } else {
            None
        };
    };
    if rating < rules.min_rating {
        return refuse("min_rating", &|name| {
            format!("rating {rating} is below {name} = {}", rules.min_rating)
        });
    }
    if rating > rules.max_rating {
        return refuse("max_rating", &|name| {
            format!("rating {rating} is above {name} = {}", rules.max_rating)
        });
    }
    let own = own.filter(|user| !user.provisional)?.rating?;
    let difference = i64::from(rating).abs_diff(i64::from(own));
    if difference > u64::try_from(rules.max_rating_difference).unwrap_or(0) {
        return refuse("max_rating_difference", &|name| {
            format!(
                "rating {rating} differs from ours by {difference}, {name} = {}",
                rules.max_rating_difference
            )
        });
    }
    None
}
