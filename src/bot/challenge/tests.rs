use super::*;
use crate::lichess::model::VariantKey;
use crate::settings::Settings;

fn settings() -> ChallengeSettings {
    Settings::defaults().challenge
}

fn facts() -> Facts<'static> {
    Facts {
        account: "ourbot",
        compat: Some(Compat {
            bot: true,
            board: true,
        }),
        draining: false,
        taken: 0,
        queued: 0,
        with_opponent: 0,
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

fn judge(challenge: &Challenge, settings: &ChallengeSettings) -> Decision {
    decide(challenge, settings, &facts())
}

fn declined(reason: DeclineReason) -> Decision {
    Decision::Decline(reason)
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
                    Decision::Accept,
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
        assert_eq!(decide(&challenge, &settings(), &facts()), Decision::Ignore);
    }
    for status in ["canceled", "declined", "accepted"] {
        let closed = Challenge {
            status: status.to_owned(),
            ..challenge()
        };
        assert_eq!(
            decide(&closed, &settings(), &facts()),
            Decision::Ignore,
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
    assert_eq!(decide(&harmless, &settings(), &facts()), Decision::Accept);
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
    assert_eq!(
        decide(&challenge(), &settings(), &replayed),
        Decision::Accept
    );
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
    let only_casual = ChallengeSettings {
        rated: false,
        ..settings()
    };
    let only_rated = ChallengeSettings {
        casual: false,
        ..settings()
    };
    let neither = ChallengeSettings {
        rated: false,
        casual: false,
        ..settings()
    };
    assert_eq!(judge(&rated, &only_casual), declined(DeclineReason::Casual));
    assert_eq!(judge(&casual, &only_casual), Decision::Accept);
    assert_eq!(judge(&casual, &only_rated), declined(DeclineReason::Rated));
    assert_eq!(judge(&rated, &only_rated), Decision::Accept);
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
    assert_eq!(judge(&master, &no_bots), Decision::Accept);
    let no_humans = ChallengeSettings {
        accept_humans: false,
        ..settings()
    };
    assert_eq!(judge(&human, &no_humans), declined(DeclineReason::OnlyBot));
    assert_eq!(judge(&bot, &no_humans), Decision::Accept);
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
    assert_eq!(judge(&human, &known), Decision::Accept);
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
    assert_eq!(judge(&challenge(), &allowed), Decision::Accept);
    assert_eq!(
        judge(&challenge(), &others),
        declined(DeclineReason::Generic)
    );
    assert_eq!(judge(&anonymous, &others), declined(DeclineReason::Generic));
}

#[test]
fn clock_range_and_speeds_say_too_fast_or_too_slow() {
    let range = ChallengeSettings {
        min_initial_s: 60,
        max_initial_s: 600,
        min_increment_s: 1,
        max_increment_s: 10,
        ..settings()
    };
    let speeds = |words: &[&str]| ChallengeSettings {
        speeds: words.iter().map(|word| (*word).to_owned()).collect(),
        ..settings()
    };
    let cases = [
        (&range, clock(60, 1), Decision::Accept),
        (&range, clock(600, 10), Decision::Accept),
        (&range, clock(45, 1), declined(DeclineReason::TooFast)),
        (&range, clock(60, 0), declined(DeclineReason::TooFast)),
        (&range, clock(900, 1), declined(DeclineReason::TooSlow)),
        (&range, clock(60, 11), declined(DeclineReason::TooSlow)),
        (
            &speeds(&["blitz", "Rapid"]),
            clock(180, 2),
            Decision::Accept,
        ),
        (
            &speeds(&["blitz", "Rapid"]),
            clock(600, 0),
            Decision::Accept,
        ),
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
    let window = ChallengeSettings {
        min_rating: 1500,
        max_rating: 2000,
        ..settings()
    };
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
    assert_eq!(of(Some(1500), false), Decision::Accept);
    assert_eq!(of(Some(2000), true), Decision::Accept);
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
    assert_eq!(decide(&challenge, &settings(), &facts()), Decision::Accept);
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
    assert_eq!(at(0, 0), Decision::Accept);
    assert_eq!(at(1, 0), Decision::Accept);
    assert_eq!(at(2, 0), Decision::Queue);
    assert_eq!(at(2, 1), Decision::Queue);
    assert_eq!(at(2, 2), declined(DeclineReason::Later));
    assert_eq!(at(3, 0), Decision::Queue);
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
    let leaving = Facts {
        draining: true,
        ..facts()
    };
    assert_eq!(
        decide(&challenge(), &settings(), &leaving),
        declined(DeclineReason::Later)
    );
}

#[test]
fn one_opponent_cannot_take_all_slots() {
    let settings = ChallengeSettings {
        concurrency: 4,
        max_games_per_opponent: 2,
        ..settings()
    };
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
    assert_eq!(at(1), Decision::Accept);
    assert_eq!(at(2), declined(DeclineReason::Later));
}

#[test]
fn rematch_offers_are_judged_like_challenges() {
    let rematch = Challenge {
        rematch_of: Some("Zh000000".into()),
        ..challenge()
    };
    assert_eq!(decide(&rematch, &settings(), &facts()), Decision::Accept);
    let blocked = ChallengeSettings {
        block: vec!["alice".to_owned()],
        ..settings()
    };
    assert_eq!(
        decide(&rematch, &blocked, &facts()),
        declined(DeclineReason::Generic)
    );
}
