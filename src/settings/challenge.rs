//! Section `[challenge]`: which challenges are accepted. `[challenge.human]` and `[challenge.bot]` override single
//! rules.

use super::clock::Clock;
use super::names::NameList;
use super::reader::Reader;
use super::{HOUR, SECOND};
use std::collections::BTreeSet;
use std::time::Duration;

/// Speeds of Lichess that the bot can play.
pub const SPEEDS: [&str; 5] = ["ultraBullet", "bullet", "blitz", "rapid", "classical"];

/// Extra rules of Lichess.
const RULES: [&str; 5] = [
    "noAbort",
    "noRematch",
    "noGiveTime",
    "noClaimWin",
    "noEarlyDraw",
];

/// Longest game by estimate: the longest clock with the largest increment.
const LONGEST: Duration = Duration::from_hours(5);

/// Who of those that wait gets a free slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preference {
    /// Nobody is preferred.
    #[default]
    None,
    /// Humans.
    Human,
    /// Bots.
    Bot,
}

/// Order among equals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SortBy {
    /// Who waits longest.
    #[default]
    First,
    /// The highest rating.
    Best,
}

/// What is done about provisional ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Provisional {
    /// They are judged like others.
    #[default]
    Judge,
    /// They are accepted whatever they are.
    Accept,
    /// They are declined.
    Decline,
}

/// Section `[challenge]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChallengeSettings {
    /// Accept challenges at all.
    pub enabled: bool,
    /// Most games at the same time; 0 declines everything.
    pub concurrency: usize,
    /// Accept challenges of humans.
    pub accept_humans: bool,
    /// Accept challenges of bots.
    pub accept_bots: bool,
    /// Accept challenges of players who are not logged in.
    pub accept_anonymous: bool,
    /// Rules for humans and anonymous players.
    pub human: ChallengeRules,
    /// Rules for bots.
    pub bot: ChallengeRules,
    /// Ids (lower case) of users who are never accepted.
    pub block: Vec<String>,
    /// Ids (lower case) of the only users who are accepted; empty: everybody.
    pub allow: Vec<String>,
    /// Challenges that may wait for a free slot.
    pub queue: usize,
    /// A slot kept for an accepted challenge is freed if no game starts in this time.
    pub start_timeout: Duration,
    /// Extra rules that a challenge may carry, such as `noRematch`.
    pub rules: Vec<String>,
    /// Slots that games with bots may not take.
    pub games_reserved_for_humans: usize,
    /// Who of those that wait gets a free slot.
    pub preference: Preference,
    /// Order among equals.
    pub sort_by: SortBy,
    /// Time of [`Self::max_recent_bot_challenges`].
    pub recent_bot_challenge_age: Duration,
    /// Most challenges of one bot accepted within that time; 0: no limit.
    pub max_recent_bot_challenges: usize,
    /// Most games with bots in 24 hours.
    pub max_bot_games_per_day: u32,
    /// Lists of users who are never accepted.
    pub block_lists: Vec<NameList>,
    /// Lists of the only users who are accepted, beside [`Self::allow`].
    pub allow_lists: Vec<NameList>,
    /// How often the lists are read again.
    pub list_refresh: Duration,
}

/// Rules about the game and the rating, for one kind of opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChallengeRules {
    /// Section that overrides `[challenge]`.
    section: &'static str,
    /// Keys that it overrides.
    own: BTreeSet<&'static str>,
    /// Accepted speeds, spelt as in [`SPEEDS`].
    pub speeds: Vec<String>,
    /// If not empty: the only clocks, whatever speeds and limits say.
    pub clocks: Vec<Clock>,
    /// Accept rated games.
    pub rated: bool,
    /// Accept casual games.
    pub casual: bool,
    /// Shortest initial clock, seconds.
    pub min_initial_s: u32,
    /// Longest initial clock, seconds.
    pub max_initial_s: u32,
    /// Smallest increment, seconds.
    pub min_increment_s: u32,
    /// Largest increment, seconds.
    pub max_increment_s: u32,
    /// Shortest estimated game: initial time and 40 increments.
    pub min_estimated_duration: Duration,
    /// Longest estimated game.
    pub max_estimated_duration: Duration,
    /// Decline bullet games without increment.
    pub bullet_requires_increment: bool,
    /// Accept games with days for each move.
    pub correspondence: bool,
    /// Fewest days for a move.
    pub min_days: u32,
    /// Most days for a move.
    pub max_days: u32,
    /// Accept games without any clock.
    pub unlimited: bool,
    /// Lowest rating of the challenger.
    pub min_rating: i32,
    /// Highest rating of the challenger.
    pub max_rating: i32,
    /// Greatest difference to our rating.
    pub max_rating_difference: i32,
    /// What is done about provisional ratings.
    pub provisional: Provisional,
    /// Running and waiting games with one opponent, and challenges to him.
    pub max_games_per_opponent: usize,
}

impl ChallengeSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "challenge";
        let who = [
            ("none", Preference::None),
            ("human", Preference::Human),
            ("bot", Preference::Bot),
        ];
        let order = [("first", SortBy::First), ("best", SortBy::Best)];
        let enabled = r.flag(S, "enabled");
        let concurrency = r.number(S, "concurrency", 0..=1000);
        let [accept_humans, accept_bots, accept_anonymous] =
            ["accept_humans", "accept_bots", "accept_anonymous"].map(|key| r.flag(S, key));
        let base = ChallengeRules::read(r, S, None);
        Self {
            enabled,
            concurrency,
            accept_humans,
            accept_bots,
            accept_anonymous,
            block: r.users(S, "block"),
            allow: r.users(S, "allow"),
            queue: r.number(S, "queue", 0..=1000),
            start_timeout: r.duration(S, "start_timeout", SECOND..=HOUR),
            rules: r.words(S, "rules", &RULES),
            games_reserved_for_humans: r.number(S, "games_reserved_for_humans", 0..=1000),
            preference: r.choice(S, "preference", &who),
            sort_by: r.choice(S, "sort_by", &order),
            recent_bot_challenge_age: r.duration(S, "recent_bot_challenge_age", SECOND..=24 * HOUR),
            max_recent_bot_challenges: r.number(S, "max_recent_bot_challenges", 0..=100),
            max_bot_games_per_day: r.number(S, "max_bot_games_per_day", 0..=1000),
            block_lists: r.parsed(S, "block_lists", NameList::EXPECTED),
            allow_lists: r.parsed(S, "allow_lists", NameList::EXPECTED),
            list_refresh: r.duration(S, "list_refresh", HOUR..=168 * HOUR),
            // Sections are shown in the order in which they are read, so these come last.
            human: ChallengeRules::read(r, "challenge.human", Some(&base)),
            bot: ChallengeRules::read(r, "challenge.bot", Some(&base)),
        }
    }

    /// Slots that games with bots may take.
    pub const fn slots_for_bots(&self) -> usize {
        self.concurrency
            .saturating_sub(self.games_reserved_for_humans)
    }

    /// Rules for one kind of opponent.
    pub const fn rules_for(&self, is_bot: bool) -> &ChallengeRules {
        if is_bot { &self.bot } else { &self.human }
    }

    /// Rules of both kinds, to change them alike.
    pub const fn rules_mut(&mut self) -> [&mut ChallengeRules; 2] {
        [&mut self.human, &mut self.bot]
    }
}

impl ChallengeRules {
    /// Name of the setting that a rule comes from, such as `challenge.bot.min_rating`.
    pub fn name(&self, key: &str) -> String {
        let section = if self.own.contains(key) {
            self.section
        } else {
            "challenge"
        };
        format!("{section}.{key}")
    }

    fn read(r: &mut Reader, s: &'static str, base: Option<&Self>) -> Self {
        let provisional = [
            ("judge", Provisional::Judge),
            ("accept", Provisional::Accept),
            ("decline", Provisional::Decline),
        ];
        let mut own = BTreeSet::new();
        /// Reads a key, or takes it from the outer section if it is left to that.
        macro_rules! rule {
            ($key:ident, $read:expr) => {
                match base {
                    Some(base) if r.inherits(s, stringify!($key)) => base.$key.clone(),
                    _ => {
                        own.insert(stringify!($key));
                        $read(&mut *r, stringify!($key))
                    }
                }
            };
        }
        let rules =
            Self {
                speeds: rule!(speeds, |r: &mut Reader, key| r.words(s, key, &SPEEDS)),
                clocks: rule!(clocks, |r: &mut Reader, key| r.parsed(
                    s,
                    key,
                    Clock::EXPECTED
                )),
                rated: rule!(rated, |r: &mut Reader, key| r.flag(s, key)),
                casual: rule!(casual, |r: &mut Reader, key| r.flag(s, key)),
                min_initial_s: rule!(min_initial_s, |r: &mut Reader, key| r.number(
                    s,
                    key,
                    0..=10800
                )),
                max_initial_s: rule!(max_initial_s, |r: &mut Reader, key| r.number(
                    s,
                    key,
                    0..=10800
                )),
                min_increment_s: rule!(min_increment_s, |r: &mut Reader, key| r.number(
                    s,
                    key,
                    0..=180
                )),
                max_increment_s: rule!(max_increment_s, |r: &mut Reader, key| r.number(
                    s,
                    key,
                    0..=180
                )),
                min_estimated_duration: rule!(min_estimated_duration, |r: &mut Reader, key| r
                    .duration(s, key, Duration::ZERO..=LONGEST)),
                max_estimated_duration: rule!(max_estimated_duration, |r: &mut Reader, key| r
                    .duration(s, key, Duration::ZERO..=LONGEST)),
                bullet_requires_increment: rule!(
                    bullet_requires_increment,
                    |r: &mut Reader, key| r.flag(s, key)
                ),
                correspondence: rule!(correspondence, |r: &mut Reader, key| r.flag(s, key)),
                min_days: rule!(min_days, |r: &mut Reader, key| r.number(s, key, 1..=14)),
                max_days: rule!(max_days, |r: &mut Reader, key| r.number(s, key, 1..=14)),
                unlimited: rule!(unlimited, |r: &mut Reader, key| r.flag(s, key)),
                min_rating: rule!(min_rating, |r: &mut Reader, key| r.number(s, key, 0..=4000)),
                max_rating: rule!(max_rating, |r: &mut Reader, key| r.number(s, key, 0..=4000)),
                max_rating_difference: rule!(max_rating_difference, |r: &mut Reader, key| r
                    .number(s, key, 0..=4000)),
                provisional: rule!(provisional, |r: &mut Reader, key| r.choice(
                    s,
                    key,
                    &provisional
                )),
                max_games_per_opponent: rule!(max_games_per_opponent, |r: &mut Reader, key| r
                    .number(s, key, 1..=1000)),
                section: s,
                own,
            };
        rules.check_order(r);
        rules
    }

    /// The lower end of a range must not be above the upper one.
    fn check_order(&self, r: &mut Reader) {
        let pairs = [
            (
                "min_initial_s",
                "max_initial_s",
                self.min_initial_s <= self.max_initial_s,
            ),
            (
                "min_increment_s",
                "max_increment_s",
                self.min_increment_s <= self.max_increment_s,
            ),
            (
                "min_estimated_duration",
                "max_estimated_duration",
                self.min_estimated_duration <= self.max_estimated_duration,
            ),
            ("min_days", "max_days", self.min_days <= self.max_days),
            (
                "min_rating",
                "max_rating",
                self.min_rating <= self.max_rating,
            ),
        ];
        for (low, high, ordered) in pairs {
            // A section that takes both from outside would only repeat what is said there.
            if ordered || !(self.own.contains(low) || self.own.contains(high)) {
                continue;
            }
            // The one that is set here is to blame.
            if self.own.contains(low) {
                r.refuse(self.section, low, &format!("at most {}", self.name(high)));
            } else {
                r.refuse(self.section, high, &format!("at least {}", self.name(low)));
            }
        }
    }
}
