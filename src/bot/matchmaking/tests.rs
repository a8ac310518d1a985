use super::*;
use crate::bot::lists::Lists;
use crate::bot::state::Topic;
use crate::lichess::model::{Account, DeclineReason, Perf, UserStatus};
use crate::settings::{Clock, RatingPreference, Settings, WeightedClock};
use choose::{OwnRating, Wanted};
use std::collections::HashSet;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

/// Settings and facts that can be changed, with a matchmaker that is told them.
struct Scene {
    maker: Matchmaker,
    settings: MatchmakingSettings,
    state: State,
    start: Instant,
    time: Timestamp,
    passed: Duration,
    taken: usize,
    waiting: usize,
    slots: usize,
    gate: Option<Instant>,
    draining: bool,
}

impl Scene {
    fn new(series: Option<Series>) -> Self {
        let start = Instant::now();
        let mut settings = Settings::defaults().matchmaking;
        settings.enabled = true;
        Self {
            maker: Matchmaker::new(series, start, fastrand::Rng::with_seed(1)),
            settings,
            state: State::default(),
            start,
            time: "2026-08-31T12:00:00Z".parse().unwrap(),
            passed: Duration::ZERO,
            taken: 0,
            waiting: 0,
            slots: 1,
            gate: None,
            draining: false,
        }
    }

    fn now(&self) -> Instant {
        self.start + self.passed
    }

    fn time(&self) -> Timestamp {
        self.time + jiff::SignedDuration::try_from(self.passed).unwrap()
    }

    fn next(&mut self) -> Step {
        let facts = Now {
            at: self.now(),
            time: self.time(),
            settings: &self.settings,
            max_bot_games: 100,
            state: &self.state,
            draining: self.draining,
            gate: self.gate,
            taken: self.taken,
            is_open: self.taken < self.slots,
            is_open_to_bots: self.taken < self.slots,
            waiting: self.waiting,
        };
        self.maker.next(&facts)
    }

    /// Waits as long as the matchmaker wants to.
    fn rest(&mut self) -> Duration {
        match self.next() {
            Step::Rest(Some(until)) => {
                let wait = until - self.now();
                self.passed += wait;
                wait
            }
            other => panic!("{other:?}"),
        }
    }

    fn find(&mut self) -> Terms {
        match self.next() {
            Step::Find(terms) => terms,
            other => panic!("{other:?}"),
        }
    }

    fn challenge(&mut self) -> Offer {
        match self.next() {
            Step::Challenge(offer) => offer,
            other => panic!("{other:?}"),
        }
    }

    fn accepted(&mut self, id: &str, offer: &Offer) {
        let (now, pairs) = (self.now(), self.settings.pairs);
        self.maker.on_accepted(&id.into(), offer, pairs, now);
        self.taken += 1;
    }

    fn over(&mut self, id: &str, verdict: Verdict) -> Option<SeriesScore> {
        self.taken -= 1;
        let now = self.now();
        self.maker
            .on_game_over(&id.into(), verdict, now, &self.settings)
    }

    fn refused(&mut self, refusal: &Refusal) -> Duration {
        let now = self.now();
        self.maker.on_refused(refusal, now, &self.settings)
    }
}

fn series(games: u32, colors: Colors) -> Series {
    Series {
        opponent: "bob".to_owned(),
        is_bot: true,
        games,
        clock: clock("3+2"),
        rated: true,
        colors,
        accept_others: false,
    }
}

fn clock(text: &str) -> Clock {
    text.parse().unwrap()
}

#[test]
fn nobody_is_challenged_unless_it_is_wanted() {
    let mut scene = Scene::new(None);
    scene.settings.enabled = false;
    scene.passed = 24 * HOUR;
    assert_eq!(scene.next(), Step::Rest(None));
    scene.settings.enabled = true;
    scene.draining = true;
    assert_eq!(scene.next(), Step::Rest(None));
}

#[test]
fn a_bot_is_sought_after_the_idle_time_and_not_while_others_play_or_wait() {
    let mut scene = Scene::new(None);
    assert_eq!(scene.rest(), scene.settings.idle_delay);
    scene.taken = 1;
    assert_eq!(scene.next(), Step::Rest(None));
    (scene.taken, scene.waiting) = (0, 1);
    assert_eq!(scene.next(), Step::Rest(None));
    scene.waiting = 0;
    scene.find();
    assert_eq!(scene.next(), Step::Rest(None), "one search at a time");
}

#[test]
fn a_game_that_ends_begins_the_idle_time_anew() {
    let mut scene = Scene::new(None);
    scene.passed = scene.settings.idle_delay;
    let now = scene.now();
    scene.maker.on_game(now);
    assert_eq!(scene.rest(), scene.settings.idle_delay);
}

#[test]
fn free_slots_can_be_used_during_games() {
    let mut scene = Scene::new(None);
    scene.passed = HOUR;
    (scene.taken, scene.slots) = (1, 2);
    assert_eq!(scene.next(), Step::Rest(None));
    scene.settings.allow_during_games = true;
    scene.find();
    let mut full = Scene::new(None);
    full.passed = HOUR;
    full.settings.allow_during_games = true;
    full.taken = 1;
    assert_eq!(full.next(), Step::Rest(None));
}

#[test]
fn budgets_and_pauses_of_the_server_are_kept() {
    let mut scene = Scene::new(None);
    scene.passed = HOUR;
    let time = scene.time();
    for game in 0..80 {
        scene
            .state
            .note_bot_game(&GameId(format!("game{game}")), time);
    }
    assert_eq!(scene.rest(), 24 * HOUR, "games of a day");
    let time = scene.time();
    scene.state.note_challenge(150, time);
    assert_eq!(scene.rest(), 24 * HOUR, "challenges of a day");
    let time = scene.time();
    for _ in 0..25 {
        scene.state.note_challenge(1, time);
    }
    assert_eq!(scene.rest(), MINUTE, "challenges of a minute");
    let time = scene.time();
    scene.state.block_challenges(2 * HOUR, time);
    assert_eq!(scene.rest(), 2 * HOUR, "a limit that the server told");
    let time = scene.time();
    scene.state.block_bot_games(3 * HOUR, time);
    assert_eq!(scene.rest(), 3 * HOUR, "another one");
    scene.gate = Some(scene.now() + MINUTE);
    assert_eq!(scene.rest(), MINUTE, "silence after a 429");
    scene.find();
}

#[test]
fn after_a_search_without_result_and_after_a_refusal_there_is_a_pause() {
    let mut scene = Scene::new(None);
    scene.passed = HOUR;
    let terms = scene.find();
    let now = scene.now();
    scene.maker.on_search(false, now, &scene.settings);
    assert_eq!(scene.rest(), scene.settings.retry_pause);
    scene.find();
    let now = scene.now();
    scene.maker.on_search(true, now, &scene.settings);
    let offer = Offer::to_bot("bob", terms);
    assert_eq!(offer.cost(), 1);
    for _ in 0..3 {
        // Others are asked each time, so the pause stays.
        assert_eq!(
            scene.refused(&Refusal::Unanswered),
            scene.settings.retry_pause
        );
    }
}

#[test]
fn a_pair_swaps_colors_at_once_and_ends_with_the_second_game() {
    let mut scene = Scene::new(None);
    scene.passed = HOUR;
    let terms = scene.find();
    let first = Offer::to_bot("bob", terms);
    scene.accepted("a", &first);
    assert_eq!(scene.next(), Step::Rest(None));
    scene.over("a", Verdict::Loss);
    let second = scene.challenge();
    assert_eq!(second.opponent, "bob");
    assert_eq!(second.color, first.color.map(Side::other));
    assert!(first.color.is_some());
    assert_eq!((second.clock, second.rated), (first.clock, first.rated));
    scene.accepted("b", &second);
    scene.over("b", Verdict::Win);
    assert_eq!(scene.rest(), scene.settings.idle_delay);
}

#[test]
fn a_pair_is_broken_off_by_an_abort_or_a_refusal() {
    let mut scene = Scene::new(None);
    scene.passed = HOUR;
    let first = Offer::to_bot("bob", scene.find());
    scene.accepted("a", &first);
    scene.over("a", Verdict::Aborted);
    assert_eq!(scene.rest(), scene.settings.idle_delay);
    let first = Offer::to_bot("bob", scene.find());
    scene.accepted("b", &first);
    scene.over("b", Verdict::Draw);
    scene.challenge();
    scene.refused(&Refusal::Declined(None));
    assert_eq!(scene.rest(), scene.settings.idle_delay);
    scene.find();
}

#[test]
fn a_series_plays_its_games_with_colors_in_turn_and_ends() {
    let mut scene = Scene::new(Some(series(3, Colors::Pairs)));
    scene.settings.enabled = false;
    let mut colors = Vec::new();
    let verdicts = [Verdict::Win, Verdict::Draw, Verdict::Loss];
    for (id, verdict) in ["a", "b", "c"].into_iter().zip(verdicts) {
        assert!(scene.maker.holds_slot());
        let offer = scene.challenge();
        colors.push(offer.color.unwrap());
        scene.accepted(id, &offer);
        assert!(!scene.maker.holds_slot());
        assert_eq!(scene.over("other", Verdict::Loss), None);
        scene.taken += 1;
        scene.over(id, verdict).unwrap();
    }
    assert_eq!(colors, [Side::White, Side::Black, Side::White]);
    let score = SeriesScore {
        wins: 1,
        losses: 1,
        draws: 1,
        unknown: 0,
    };
    assert_eq!(score.to_string(), "1.5:1.5 (won 1, drawn 1, lost 1)");
    let end = SeriesEnd {
        score,
        gave_up: None,
    };
    assert_eq!(scene.next(), Step::End(end));
}

#[test]
fn a_series_asks_again_more_and_more_slowly_and_gives_up() {
    let mut scene = Scene::new(Some(series(2, Colors::White)));
    let pause = scene.settings.retry_pause;
    for times in [1, 2, 4, 8] {
        scene.challenge();
        let later = Refusal::Declined(Some(DeclineReason::Later));
        assert_eq!(scene.refused(&later), times * pause);
        assert_eq!(scene.rest(), times * pause);
    }
    scene.challenge();
    scene.refused(&Refusal::Unanswered);
    let Step::End(end) = scene.next() else {
        panic!("it should end");
    };
    let reason = end.gave_up.unwrap();
    assert!(
        reason.contains("5 times in a row, last: not answered"),
        "{reason}"
    );
}

#[test]
fn a_refusal_that_will_not_change_ends_a_series() {
    for refusal in [
        Refusal::Declined(Some(DeclineReason::NoBot)),
        Refusal::Declined(Some(DeclineReason::Casual)),
        Refusal::Capped,
        Refusal::Refused("Bob does not accept challenges".to_owned()),
    ] {
        let mut scene = Scene::new(Some(series(2, Colors::Random)));
        assert_eq!(scene.challenge().color, None);
        scene.refused(&refusal);
        let Step::End(end) = scene.next() else {
            panic!("{refusal:?} should end it");
        };
        assert_eq!(end.gave_up, Some(refusal.to_string()));
    }
}

#[test]
fn aborted_games_of_a_series_do_not_count() {
    let mut scene = Scene::new(Some(series(1, Colors::Black)));
    let offer = scene.challenge();
    scene.accepted("a", &offer);
    assert_eq!(scene.over("a", Verdict::Aborted).unwrap().games(), 0);
    scene.rest();
    let offer = scene.challenge();
    scene.accepted("b", &offer);
    assert_eq!(scene.over("b", Verdict::Win).unwrap().games(), 1);
    assert!(matches!(
        scene.next(),
        Step::End(SeriesEnd { gave_up: None, .. })
    ));
}

#[test]
fn a_series_waits_for_a_slot_and_ends_when_the_day_is_used_up() {
    let mut scene = Scene::new(Some(series(1, Colors::Pairs)));
    scene.taken = 1;
    assert_eq!(scene.next(), Step::Rest(None));
    scene.taken = 0;
    let time = scene.time();
    scene.state.block_bot_games(HOUR, time);
    let Step::End(end) = scene.next() else {
        panic!("it should end");
    };
    assert!(end.gave_up.unwrap().contains("another 60 min"));
}

#[test]
fn clocks_are_drawn_by_weight() {
    let clocks: Vec<WeightedClock> = ["1+1", "3+2:8", "0.5+0"]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
    let mut rng = fastrand::Rng::with_seed(7);
    let count = |wanted: &str, drawn: &[Clock]| {
        drawn
            .iter()
            .filter(|clock| **clock == self::clock(wanted))
            .count()
    };
    let drawn: Vec<Clock> = (0..1000)
        .map(|_| choose::clock(&clocks, &mut rng))
        .collect();
    assert!((700..900).contains(&count("3+2", &drawn)));
    assert!(count("1+1", &drawn) > 50 && count("0.5+0", &drawn) > 50);
}

fn account(id: &str, rating: i32, games: u32) -> Account {
    let perf = Perf {
        games,
        rating,
        ..Perf::default()
    };
    Account {
        id: id.to_owned(),
        username: id.to_owned(),
        title: Some("BOT".to_owned()),
        perfs: [("crazyhouse".to_owned(), perf)].into(),
        ..Account::default()
    }
}

fn wanted() -> Wanted {
    Wanted {
        account: "ourbot".to_owned(),
        own: Some(OwnRating {
            rating: 2000,
            provisional: false,
        }),
        terms: Terms {
            clock: clock("3+2"),
            rated: true,
            color: None,
        },
        settings: Settings::defaults().matchmaking,
        challenge: Settings::defaults().challenge,
        lists: Lists::default(),
        playing: HashSet::new(),
        state: State::default(),
    }
}

fn ranked(wanted: &Wanted, bots: &[Account]) -> Vec<String> {
    let mut rng = fastrand::Rng::with_seed(3);
    choose::rank(bots, wanted, Timestamp::UNIX_EPOCH, &mut rng)
}

#[test]
fn only_bots_that_play_crazyhouse_and_are_welcome_are_chosen() {
    let bots = [
        account("ourbot", 2000, 9),
        account("good", 2000, 9),
        account("new", 2000, 0),
        Account {
            perfs: [].into(),
            ..account("never", 0, 0)
        },
        account("blocked", 2000, 9),
        account("listed", 2000, 9),
        account("busy", 2000, 9),
        account("resting", 2000, 9),
        Account {
            disabled: true,
            ..account("closed", 2000, 9)
        },
    ];
    let mut wanted = wanted();
    wanted.challenge.block = vec!["blocked".to_owned()];
    wanted.lists.block.insert("listed".to_owned());
    wanted.playing.insert("busy".to_owned());
    let waits = [HOUR, HOUR];
    let now = Timestamp::UNIX_EPOCH;
    wanted
        .state
        .note_refusal("resting", Topic::Rated, waits, now);
    wanted.state.note_refusal("good", Topic::Casual, waits, now);
    assert_eq!(ranked(&wanted, &bots), ["good"]);
    wanted.settings.opponents = vec!["Never".to_owned(), "busy".to_owned()];
    assert_eq!(ranked(&wanted, &bots), ["never"]);
}

#[test]
fn ratings_bound_and_order_the_choice() {
    let bots = [
        account("low", 1500, 9),
        account("near", 1950, 9),
        account("high", 2400, 9),
    ];
    let mut wanted = wanted();
    let mut order = |preference, difference, window: [i32; 2]| {
        wanted.settings.rating_preference = preference;
        wanted.settings.max_rating_difference = difference;
        [wanted.settings.min_rating, wanted.settings.max_rating] = window;
        ranked(&wanted, &bots)
    };
    let all = [0, 4000];
    assert_eq!(
        order(RatingPreference::High, 4000, all),
        ["high", "near", "low"]
    );
    assert_eq!(
        order(RatingPreference::Low, 4000, all),
        ["low", "near", "high"]
    );
    assert_eq!(
        order(RatingPreference::Close, 4000, all),
        ["near", "high", "low"]
    );
    assert_eq!(order(RatingPreference::High, 400, all), ["high", "near"]);
    assert_eq!(order(RatingPreference::High, 4000, [1600, 2000]), ["near"]);
    wanted.own = Some(OwnRating {
        rating: 1000,
        provisional: true,
    });
    wanted.settings.max_rating_difference = 100;
    [wanted.settings.min_rating, wanted.settings.max_rating] = all;
    assert_eq!(ranked(&wanted, &bots).len(), 3, "our rating is not settled");
}

#[test]
fn the_first_idle_one_is_taken() {
    let ranked = ["away", "busy", "idle", "other"].map(str::to_owned);
    let status = |id: &str, online, playing| UserStatus {
        id: id.to_owned(),
        online,
        playing,
        ..UserStatus::default()
    };
    let statuses = [
        status("other", true, false),
        status("idle", true, false),
        status("busy", true, true),
        status("away", false, false),
    ];
    assert_eq!(choose::idle(&ranked, &statuses).as_deref(), Some("idle"));
    assert_eq!(choose::idle(&ranked, &[]), None);
}

#[test]
fn each_reason_teaches_what_not_to_ask_again() {
    let offer = Offer::to_bot("bob", wanted().terms);
    let topic = |reason| {
        Refusal::Declined(reason)
            .lesson(&offer)
            .map(|(topic, _)| topic)
    };
    assert_eq!(topic(Some(DeclineReason::TooFast)), Some(Topic::Blitz));
    assert_eq!(topic(Some(DeclineReason::Casual)), Some(Topic::Rated));
    assert_eq!(topic(Some(DeclineReason::Later)), Some(Topic::Any));
    assert_eq!(topic(Some(DeclineReason::NoBot)), Some(Topic::Any));
    assert_eq!(Refusal::Capped.lesson(&offer), None);
    let times = |reason| Refusal::Declined(Some(reason)).lesson(&offer).unwrap().1;
    assert!(times(DeclineReason::NoBot) > times(DeclineReason::Generic));
    assert!(times(DeclineReason::Generic) > times(DeclineReason::Later));
}
