use super::*;
use crate::bot::lists::Lists;
use crate::lichess::model::{Speed, VariantKey};
use crate::settings::{ChallengeRules, Provisional, Settings, Sources};
use std::sync::LazyLock;

static NO_LISTS: LazyLock<Lists> = LazyLock::new(Lists::default);

fn settings() -> ChallengeSettings {
    Settings::defaults().challenge
}

/// Settings with other rules for both kinds of opponents.
fn with(change: impl Fn(&mut ChallengeRules)) -> ChallengeSettings {
    let mut settings = settings();
    settings.rules_mut().into_iter().for_each(change);
    settings
}

/// Settings of a file.
fn of_file(text: &str) -> ChallengeSettings {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bot.toml");
    std::fs::write(&path, text).unwrap();
    let sources = Sources {
        file: Some(path),
        ..Sources::default()
    };
    Settings::load(&sources).unwrap().challenge
}

/// What is said, without the cause.
#[derive(PartialEq, Debug)]
enum Answer {
    Accept,
    Queue,
    Decline(DeclineReason),
    Ignore,
}

fn decide(challenge: &Challenge, settings: &ChallengeSettings, facts: &Facts<'_>) -> Answer {
    match super::decide(challenge, settings, facts) {
        Decision::Accept => Answer::Accept,
        Decision::Queue(_) => Answer::Queue,
        Decision::Decline(reason, _) => Answer::Decline(reason),
        Decision::Ignore => Answer::Ignore,
    }
}

/// Reason and cause of a decline.
fn cause(
    challenge: &Challenge,
    settings: &ChallengeSettings,
    facts: &Facts<'_>,
) -> (DeclineReason, Cause) {
    match super::decide(challenge, settings, facts) {
        Decision::Decline(reason, cause) => (reason, cause),
        other => panic!("{other:?}"),
    }
}

fn facts() -> Facts<'static> {
    Facts {
        account: "ourbot",
        compat: Some(Compat {
            bot: true,
            board: true,
        }),
        pause: None,
        taken: 0,
        taken_by_bots: 0,
        queued: 0,
        with_opponent: 0,
        lists: &NO_LISTS,
        recent: 0,
        bot_games_wait: None,
    }
}

fn user(name: &str, title: Option<&str>, rating: i32) -> ChallengeUser {
    ChallengeUser {
        id: name.to_lowercase(),
        name: name.to_owned(),
        title: title.map(str::to_owned),
        rating: Some(rating),
        ..ChallengeUser::default()
    }
}

fn clock(limit: u32, increment: u32) -> TimeControl {
    TimeControl::Clock {
        limit,
        increment,
        show: String::new(),
    }
}

fn challenge() -> Challenge {
    Challenge {
        id: "Zh000001".into(),
        url: String::new(),
        status: "created".to_owned(),
        challenger: Some(user("Alice", None, 1834)),
        dest_user: Some(user("OurBot", Some("BOT"), 2000)),
        variant: VariantKey::crazyhouse(),
        rated: false,
        speed: Speed::Blitz,
        time_control: clock(180, 2),
        color: "random".to_owned(),
        final_color: None,
        direction: None,
        initial_fen: None,
        rematch_of: None,
        rules: Vec::new(),
        decline_reason: None,
        decline_reason_key: None,
    }
}

fn judge(challenge: &Challenge, settings: &ChallengeSettings) -> Answer {
    decide(challenge, settings, &facts())
}

const fn declined(reason: DeclineReason) -> Answer {
    Answer::Decline(reason)
}

#[test]
fn defaults_accept_crazyhouse_from_humans_bots_and_anonymous_rated_or_not() {
    for challenger in [
        Some(user("Alice", None, 1834)),
        Some(user("OtherBot", Some("BOT"), 2100)),
        None,
    ] {
        for rated in [false, true] {
            for (limit, increment) in [(30, 0), (0, 1), (60, 0), (180, 2), (600, 5), (1800, 30)] {
                let challenge = Challenge {
                    challenger: challenger.clone(),
                    rated,
                    time_control: clock(limit, increment),
                    ..challenge()
                };
                let decision = decide(&challenge, &settings(), &facts());
                assert_eq!(
                    decision,
                    Answer::Accept,
                    "{limit}+{increment} of {challenger:?}"
                );
            }
        }
    }
}

#[test]
fn own_challenges_and_those_of_others_are_left_alone() {
    let ours = Challenge {
        challenger: Some(user("OurBot", Some("BOT"), 2000)),
        ..challenge()
    };
    let outgoing = Challenge {
        direction: Some("out".to_owned()),
        ..challenge()
    };
    let foreign = Challenge {
        dest_user: Some(user("Bob", None, 1500)),
        ..challenge()
    };
    for challenge in [ours, outgoing, foreign] {
        assert_eq!(decide(&challenge, &settings(), &facts()), Answer::Ignore);
    }
    for status in ["canceled", "declined", "accepted"] {
        let closed = Challenge {
            status: status.to_owned(),
            ..challenge()
        };
        assert_eq!(
            decide(&closed, &settings(), &facts()),
            Answer::Ignore,
            "{status}"
        );
    }
}

#[test]
fn each_property_of_the_game_has_its_reason() {
    let variant = |key: &str| VariantKey {
        key: key.to_owned(),
        ..VariantKey::default()
    };
    let cases = [
        (
            Challenge {
                variant: variant("standard"),
                ..challenge()
            },
            DeclineReason::Variant,
        ),
        (
            Challenge {
                variant: variant("atomic"),
                ..challenge()
            },
            DeclineReason::Variant,
        ),
        (
            Challenge {
                time_control: clock(15, 0),
                ..challenge()
            },
            DeclineReason::TooFast,
        ),
        (
            Challenge {
                time_control: TimeControl::Unlimited,
                ..challenge()
            },
            DeclineReason::TimeControl,
        ),
        (
            Challenge {
                time_control: TimeControl::Correspondence { days_per_turn: 3 },
                ..challenge()
            },
            DeclineReason::TimeControl,
        ),
        (
            Challenge {
                time_control: TimeControl::Unknown,
                ..challenge()
            },
            DeclineReason::TimeControl,
        ),
        (
            Challenge {
                rules: vec!["noAbort".to_owned()],
                ..challenge()
            },
            DeclineReason::Generic,
        ),
    ];
    for (challenge, reason) in cases {
        assert_eq!(
            decide(&challenge, &settings(), &facts()),
            declined(reason),
            "{challenge:?}"
        );
    }
    let harmless = Challenge {
        rules: vec!["noGiveTime".to_owned()],
        ..challenge()
    };
    assert_eq!(decide(&harmless, &settings(), &facts()), Answer::Accept);
    let board_only = Facts {
        compat: Some(Compat {
            bot: false,
            board: true,
        }),
        ..facts()
    };
    let decision = decide(&challenge(), &settings(), &board_only);
    assert_eq!(decision, declined(DeclineReason::Generic));
    let replayed = Facts {
        compat: None,
        ..facts()
    };
    assert_eq!(decide(&challenge(), &settings(), &replayed), Answer::Accept);
}

#[test]
fn rated_and_casual_ask_for_the_other_kind() {
    let (rated, casual) = (
        Challenge {
            rated: true,
            ..challenge()
        },
        challenge(),
    );
    let only_casual = with(|rules| rules.rated = false);
    let only_rated = with(|rules| rules.casual = false);
    let neither = with(|rules| (rules.rated, rules.casual) = (false, false));
    assert_eq!(judge(&rated, &only_casual), declined(DeclineReason::Casual));
    assert_eq!(judge(&casual, &only_casual), Answer::Accept);
    assert_eq!(judge(&casual, &only_rated), declined(DeclineReason::Rated));
    assert_eq!(judge(&rated, &only_rated), Answer::Accept);
    assert_eq!(judge(&rated, &neither), declined(DeclineReason::Generic));
    assert_eq!(judge(&casual, &neither), declined(DeclineReason::Generic));
}

#[test]
fn humans_bots_and_anonymous_players_can_be_refused() {
    let human = challenge();
    let bot = Challenge {
        challenger: Some(user("OtherBot", Some("BOT"), 2100)),
        ..challenge()
    };
    let master = Challenge {
        challenger: Some(user("Master", Some("GM"), 2800)),
        ..challenge()
    };
    let anonymous = Challenge {
        challenger: None,
        ..challenge()
    };

    let no_bots = ChallengeSettings {
        accept_bots: false,
        ..settings()
    };
    assert_eq!(judge(&bot, &no_bots), declined(DeclineReason::NoBot));
    assert_eq!(judge(&master, &no_bots), Answer::Accept);
    let no_humans = ChallengeSettings {
        accept_humans: false,
        ..settings()
    };
    assert_eq!(judge(&human, &no_humans), declined(DeclineReason::OnlyBot));
    assert_eq!(judge(&bot, &no_humans), Answer::Accept);
    let nobody = ChallengeSettings {
        accept_humans: false,
        accept_bots: false,
        ..settings()
    };
    assert_eq!(judge(&human, &nobody), declined(DeclineReason::Generic));
    let known = ChallengeSettings {
        accept_anonymous: false,
        ..settings()
    };
    assert_eq!(judge(&anonymous, &known), declined(DeclineReason::Generic));
    assert_eq!(judge(&human, &known), Answer::Accept);
}

#[test]
fn block_and_allow_lists_ignore_case() {
    let blocked = ChallengeSettings {
        block: vec!["ALICE".to_owned()],
        ..settings()
    };
    let allowed = ChallengeSettings {
        allow: vec![" alice ".to_owned()],
        ..settings()
    };
    let others = ChallengeSettings {
        allow: vec!["Bob".to_owned()],
        ..settings()
    };
    let anonymous = Challenge {
        challenger: None,
        ..challenge()
    };
    assert_eq!(
        judge(&challenge(), &blocked),
        declined(DeclineReason::Generic)
    );
    assert_eq!(judge(&challenge(), &allowed), Answer::Accept);
    assert_eq!(
        judge(&challenge(), &others),
        declined(DeclineReason::Generic)
    );
    assert_eq!(judge(&anonymous, &others), declined(DeclineReason::Generic));
}

#[test]
fn clock_range_and_speeds_say_too_fast_or_too_slow() {
    let range = with(|rules| {
        (rules.min_initial_s, rules.max_initial_s) = (60, 600);
        (rules.min_increment_s, rules.max_increment_s) = (1, 10);
    });
    let speeds = |words: &[&str]| {
        with(|rules| rules.speeds = words.iter().map(|word| (*word).to_owned()).collect())
    };
    let cases = [
        (&range, clock(60, 1), Answer::Accept),
        (&range, clock(600, 10), Answer::Accept),
        (&range, clock(45, 1), declined(DeclineReason::TooFast)),
        (&range, clock(60, 0), declined(DeclineReason::TooFast)),
        (&range, clock(900, 1), declined(DeclineReason::TooSlow)),
        (&range, clock(60, 11), declined(DeclineReason::TooSlow)),
        (&speeds(&["blitz", "Rapid"]), clock(180, 2), Answer::Accept),
        (&speeds(&["blitz", "Rapid"]), clock(600, 0), Answer::Accept),
        (
            &speeds(&["blitz", "rapid"]),
            clock(60, 0),
            declined(DeclineReason::TooFast),
        ),
        (
            &speeds(&["blitz", "rapid"]),
            clock(1800, 0),
            declined(DeclineReason::TooSlow),
        ),
        (
            &speeds(&["bullet", "rapid"]),
            clock(300, 0),
            declined(DeclineReason::TimeControl),
        ),
        (
            &speeds(&[]),
            clock(300, 0),
            declined(DeclineReason::TimeControl),
        ),
    ];
    for (settings, time_control, expected) in cases {
        let challenge = Challenge {
            time_control,
            ..challenge()
        };
        assert_eq!(
            decide(&challenge, settings, &facts()),
            expected,
            "{challenge:?}"
        );
    }
}

#[test]
fn rating_window_is_inclusive_and_unknown_ratings_need_an_open_lower_end() {
    let window = with(|rules| (rules.min_rating, rules.max_rating) = (1500, 2000));
    let of = |rating: Option<i32>, provisional: bool| {
        let user = ChallengeUser {
            rating,
            provisional,
            ..user("Alice", None, 0)
        };
        let challenge = Challenge {
            challenger: Some(user),
            ..challenge()
        };
        decide(&challenge, &window, &facts())
    };
    assert_eq!(of(Some(1500), false), Answer::Accept);
    assert_eq!(of(Some(2000), true), Answer::Accept);
    assert_eq!(of(Some(1499), false), declined(DeclineReason::Generic));
    assert_eq!(of(Some(2001), true), declined(DeclineReason::Generic));
    assert_eq!(of(None, false), declined(DeclineReason::Generic));
    let unrated = ChallengeUser {
        rating: None,
        ..user("Alice", None, 0)
    };
    let challenge = Challenge {
        challenger: Some(unrated),
        ..challenge()
    };
    assert_eq!(decide(&challenge, &settings(), &facts()), Answer::Accept);
}

#[test]
fn full_slots_queue_two_and_then_say_later() {
    let settings = ChallengeSettings {
        concurrency: 2,
        queue: 2,
        ..settings()
    };
    let at = |taken, queued| {
        decide(
            &challenge(),
            &settings,
            &Facts {
                taken,
                queued,
                ..facts()
            },
        )
    };
    assert_eq!(at(0, 0), Answer::Accept);
    assert_eq!(at(1, 0), Answer::Accept);
    assert_eq!(at(2, 0), Answer::Queue);
    assert_eq!(at(2, 1), Answer::Queue);
    assert_eq!(at(2, 2), declined(DeclineReason::Later));
    assert_eq!(at(3, 0), Answer::Queue);
}

#[test]
fn nothing_new_is_accepted_while_leaving_or_switched_off() {
    let off = ChallengeSettings {
        enabled: false,
        ..settings()
    };
    let paused = ChallengeSettings {
        concurrency: 0,
        ..settings()
    };
    assert_eq!(
        decide(&challenge(), &off, &facts()),
        declined(DeclineReason::Later)
    );
    assert_eq!(
        decide(&challenge(), &paused, &facts()),
        declined(DeclineReason::Later)
    );
    for pause in [Pause::Leaving, Pause::Series] {
        let paused = Facts {
            pause: Some(pause),
            ..facts()
        };
        assert_eq!(
            decide(&challenge(), &settings(), &paused),
            declined(DeclineReason::Later)
        );
    }
}

#[test]
fn one_opponent_cannot_take_all_slots() {
    let mut settings = with(|rules| rules.max_games_per_opponent = 2);
    settings.concurrency = 4;
    let at = |with_opponent| {
        decide(
            &challenge(),
            &settings,
            &Facts {
                with_opponent,
                ..facts()
            },
        )
    };
    assert_eq!(at(1), Answer::Accept);
    assert_eq!(at(2), declined(DeclineReason::Later));
}

#[test]
fn rematch_offers_are_judged_like_challenges() {
    let rematch = Challenge {
        rematch_of: Some("Zh000000".into()),
        ..challenge()
    };
    assert_eq!(decide(&rematch, &settings(), &facts()), Answer::Accept);
    let blocked = ChallengeSettings {
        block: vec!["alice".to_owned()],
        ..settings()
    };
    assert_eq!(
        decide(&rematch, &blocked, &facts()),
        declined(DeclineReason::Generic)
    );
}

fn bot() -> Challenge {
    Challenge {
        challenger: Some(user("OtherBot", Some("BOT"), 2100)),
        ..challenge()
    }
}

fn timed(limit: u32, increment: u32) -> Challenge {
    Challenge {
        time_control: clock(limit, increment),
        ..challenge()
    }
}

#[test]
fn humans_and_bots_have_rules_of_their_own() {
    let settings = of_file(
        "[challenge]\nmin_rating = 1800\nspeeds = [\"blitz\"]\n[challenge.bot]\nmin_rating = 2200\nrated = false\n\
         [challenge.human]\nspeeds = [\"blitz\", \"bullet\"]\n",
    );
    assert_eq!(judge(&challenge(), &settings), Answer::Accept);
    assert_eq!(judge(&timed(60, 0), &settings), Answer::Accept);
    let (reason, why) = cause(&bot(), &settings, &facts());
    assert_eq!(reason, DeclineReason::Generic);
    assert_eq!(why.setting.as_deref(), Some("challenge.bot.min_rating"));
    assert_eq!(
        why.text,
        "rating 2100 is below challenge.bot.min_rating = 2200"
    );
    let weak = Challenge {
        challenger: Some(user("Weak", None, 1500)),
        ..challenge()
    };
    let (_, why) = cause(&weak, &settings, &facts());
    assert_eq!(why.text, "rating 1500 is below challenge.min_rating = 1800");
    let fast = Challenge {
        time_control: clock(60, 0),
        ..bot()
    };
    let (reason, why) = cause(&fast, &settings, &facts());
    assert_eq!(reason, DeclineReason::TooFast);
    assert_eq!(why.text, "bullet is not in challenge.speeds = blitz");
    let rated = Challenge {
        rated: true,
        challenger: Some(user("Strong", Some("BOT"), 2300)),
        ..challenge()
    };
    let (reason, why) = cause(&rated, &settings, &facts());
    assert_eq!(reason, DeclineReason::Casual);
    assert_eq!(why.text, "challenge.bot.rated = false");
}

#[test]
fn exact_clocks_alone_count_if_there_are_any() {
    let settings = of_file("[challenge]\nspeeds = []\nclocks = [\"3+2\", \"0.5+0\"]\n");
    assert_eq!(judge(&timed(180, 2), &settings), Answer::Accept);
    assert_eq!(judge(&timed(30, 0), &settings), Answer::Accept);
    let (reason, why) = cause(&timed(300, 0), &settings, &facts());
    assert_eq!(reason, DeclineReason::TimeControl);
    assert_eq!(why.text, "5+0 is not in challenge.clocks = 3+2, 0.5+0");
}

#[test]
fn the_estimated_duration_has_two_ends() {
    let settings =
        of_file("[challenge]\nmin_estimated_duration = \"1m\"\nmax_estimated_duration = \"10m\"\n");
    assert_eq!(
        judge(&timed(45, 0), &settings),
        declined(DeclineReason::TooFast)
    );
    assert_eq!(judge(&timed(20, 1), &settings), Answer::Accept);
    assert_eq!(judge(&timed(600, 0), &settings), Answer::Accept);
    assert_eq!(
        judge(&timed(600, 1), &settings),
        declined(DeclineReason::TooSlow)
    );
}

#[test]
fn bullet_can_be_bound_to_an_increment() {
    let settings = of_file("[challenge.bot]\nbullet_requires_increment = true\n");
    let by_bot = |limit, increment| Challenge {
        time_control: clock(limit, increment),
        ..bot()
    };
    assert_eq!(
        judge(&by_bot(60, 0), &settings),
        declined(DeclineReason::TooFast)
    );
    assert_eq!(judge(&by_bot(60, 1), &settings), Answer::Accept);
    assert_eq!(judge(&by_bot(180, 0), &settings), Answer::Accept);
    assert_eq!(judge(&timed(60, 0), &settings), Answer::Accept);
}

#[test]
fn games_without_a_clock_are_accepted_only_if_allowed() {
    let of = |time_control| Challenge {
        time_control,
        ..challenge()
    };
    let days = |days_per_turn| of(TimeControl::Correspondence { days_per_turn });
    let settings =
        of_file("[challenge.human]\ncorrespondence = true\nmin_days = 2\nmax_days = 7\n");
    assert_eq!(judge(&days(3), &settings), Answer::Accept);
    assert_eq!(judge(&days(1), &settings), declined(DeclineReason::TooFast));
    assert_eq!(
        judge(&days(10), &settings),
        declined(DeclineReason::TooSlow)
    );
    let unlimited = of(TimeControl::Unlimited);
    assert_eq!(
        judge(&unlimited, &settings),
        declined(DeclineReason::TimeControl)
    );
    let settings = of_file("[challenge]\nunlimited = true\n");
    assert_eq!(judge(&unlimited, &settings), Answer::Accept);
    let (_, why) = cause(&days(3), &settings, &facts());
    assert_eq!(why.text, "challenge.correspondence = false");
}

#[test]
fn the_difference_of_ratings_is_asked_when_both_are_settled() {
    let settings = with(|rules| rules.max_rating_difference = 200);
    let of = |theirs: Option<i32>, ours: Option<i32>, provisional| Challenge {
        challenger: Some(ChallengeUser {
            rating: theirs,
            ..user("Alice", None, 0)
        }),
        dest_user: Some(ChallengeUser {
            rating: ours,
            provisional,
            ..user("OurBot", Some("BOT"), 0)
        }),
        ..challenge()
    };
    let at = |theirs, ours, provisional| judge(&of(theirs, ours, provisional), &settings);
    assert_eq!(at(Some(1800), Some(2000), false), Answer::Accept);
    assert_eq!(
        at(Some(1799), Some(2000), false),
        declined(DeclineReason::Generic)
    );
    assert_eq!(
        at(Some(2201), Some(2000), false),
        declined(DeclineReason::Generic)
    );
    for open in [
        at(Some(1000), Some(2000), true),
        at(Some(1000), None, false),
        at(None, Some(2000), false),
    ] {
        assert_eq!(open, Answer::Accept);
    }
}

#[test]
fn provisional_ratings_are_judged_accepted_or_declined() {
    let new = |rating| Challenge {
        challenger: Some(ChallengeUser {
            provisional: true,
            ..user("New", None, rating)
        }),
        ..challenge()
    };
    let at = |provisional, rating| {
        let settings = with(|rules| (rules.min_rating, rules.provisional) = (1500, provisional));
        judge(&new(rating), &settings)
    };
    assert_eq!(
        at(Provisional::Judge, 1400),
        declined(DeclineReason::Generic)
    );
    assert_eq!(at(Provisional::Judge, 1600), Answer::Accept);
    assert_eq!(at(Provisional::Accept, 1400), Answer::Accept);
    assert_eq!(
        at(Provisional::Decline, 1600),
        declined(DeclineReason::Generic)
    );
}

#[test]
fn names_of_lists_count_like_names_of_the_settings() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let blocking = Lists {
        block: names(&["alice"]),
        allow: None,
    };
    let at = |lists: &Lists, settings: &ChallengeSettings| {
        let facts = Facts { lists, ..facts() };
        decide(&challenge(), settings, &facts)
    };
    assert_eq!(at(&blocking, &settings()), declined(DeclineReason::Generic));
    let allowing = |list: &[&str]| Lists {
        block: names(&[]),
        allow: Some(names(list)),
    };
    assert_eq!(at(&allowing(&["alice"]), &settings()), Answer::Accept);
    let decline = declined(DeclineReason::Generic);
    assert_eq!(
        at(&allowing(&[]), &settings()),
        decline,
        "a list that is empty allows nobody"
    );
    let named = ChallengeSettings {
        allow: vec!["alice".to_owned()],
        ..settings()
    };
    assert_eq!(at(&allowing(&["bob"]), &named), Answer::Accept);
}

#[test]
fn only_known_extra_rules_are_accepted() {
    let of = |rule: &str| Challenge {
        rules: vec![rule.to_owned()],
        ..challenge()
    };
    let (reason, why) = cause(&of("noAbort"), &settings(), &facts());
    assert_eq!(reason, DeclineReason::Generic);
    assert_eq!(why.setting.as_deref(), Some("challenge.rules"));
    assert_eq!(
        judge(&of("noSuchRule"), &settings()),
        declined(DeclineReason::Generic)
    );
    for rule in ["noRematch", "noGiveTime", "noClaimWin", "noEarlyDraw"] {
        assert_eq!(judge(&of(rule), &settings()), Answer::Accept, "{rule}");
    }
    let daring = of_file("[challenge]\nrules = [\"noAbort\"]\n");
    assert_eq!(judge(&of("noAbort"), &daring), Answer::Accept);
}

#[test]
fn slots_reserved_for_humans_are_closed_to_bots() {
    let settings = ChallengeSettings {
        concurrency: 3,
        games_reserved_for_humans: 1,
        ..settings()
    };
    let at = |challenge: &Challenge, taken, taken_by_bots| {
        let facts = Facts {
            taken,
            taken_by_bots,
            ..facts()
        };
        decide(challenge, &settings, &facts)
    };
    assert_eq!(at(&bot(), 1, 1), Answer::Accept);
    assert_eq!(at(&bot(), 2, 2), Answer::Queue);
    assert_eq!(at(&challenge(), 2, 2), Answer::Accept);
    assert_eq!(at(&bot(), 2, 1), Answer::Accept);
    let humans_only = ChallengeSettings {
        games_reserved_for_humans: 3,
        ..settings
    };
    assert_eq!(judge(&bot(), &humans_only), declined(DeclineReason::Later));
}

#[test]
fn limits_on_bots_leave_humans_alone() {
    let settings = ChallengeSettings {
        max_recent_bot_challenges: 3,
        ..settings()
    };
    let busy = Facts {
        recent: 3,
        ..facts()
    };
    let capped = Facts {
        bot_games_wait: Some(Duration::from_secs(61)),
        ..facts()
    };
    let (reason, why) = cause(&bot(), &settings, &busy);
    assert_eq!(reason, DeclineReason::Later);
    assert_eq!(
        why.setting.as_deref(),
        Some("challenge.max_recent_bot_challenges")
    );
    let (reason, why) = cause(&bot(), &settings, &capped);
    assert_eq!(reason, DeclineReason::Later);
    assert!(
        why.text.starts_with("no game with a bot for another 2 min"),
        "{}",
        why.text
    );
    for facts in [busy, capped] {
        assert_eq!(decide(&challenge(), &settings, &facts), Answer::Accept);
    }
    let just_below = Facts {
        recent: 2,
        ..facts()
    };
    assert_eq!(decide(&bot(), &settings, &just_below), Answer::Accept);
}

#[test]
fn a_challenge_is_described_in_few_words() {
    let rated = Challenge {
        rated: true,
        ..timed(180, 2)
    };
    assert_eq!(describe(&rated), "3+2 rated");
    let odd = Challenge {
        variant: VariantKey {
            key: "atomic".to_owned(),
            ..VariantKey::default()
        },
        time_control: TimeControl::Correspondence { days_per_turn: 3 },
        rematch_of: Some("Zh000000".into()),
        ..challenge()
    };
    assert_eq!(describe(&odd), "3 days a move casual atomic, rematch");
}
