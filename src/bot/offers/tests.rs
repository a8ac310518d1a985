use super::super::standing::tests::{standing, with_clocks};
use super::*;
use crate::settings::Settings;

const S: Duration = Duration::from_secs(1);

fn settings() -> GameSettings {
    Settings::defaults().game
}

fn facts(now: Instant) -> OfferFacts {
    OfferFacts {
        now,
        standing: Standing {
            ply: 80,
            ..standing()
        },
        my_turn: false,
        committed: false,
        draw_offered: false,
        takeback_proposed: false,
        repeated: false,
        score: Some(Score::Cp(-200)),
        tournament: false,
    }
}

fn at_ply(ply: u32, facts: OfferFacts) -> OfferFacts {
    OfferFacts {
        standing: Standing {
            ply,
            ..facts.standing
        },
        ..facts
    }
}

fn against_bot(facts: OfferFacts) -> OfferFacts {
    OfferFacts {
        standing: Standing {
            opponent_is_bot: true,
            ..facts.standing
        },
        ..facts
    }
}

fn gone(seconds: i64) -> OpponentGone {
    OpponentGone {
        gone: true,
        claim_win_in_seconds: Some(seconds),
    }
}

#[test]
fn a_draw_offer_on_the_opponents_turn_is_answered_once() {
    let now = Instant::now();
    let mut offers = Offers::new(now, 0);
    let offered = OfferFacts {
        draw_offered: true,
        ..facts(now)
    };
    assert_eq!(offers.step(&facts(now), &settings()), None);
    assert_eq!(offers.step(&offered, &settings()), Some(Action::Draw(true)));
    assert_eq!(offers.step(&offered, &settings()), None);
    assert_eq!(offers.step(&facts(now), &settings()), None);
    let better = OfferFacts {
        score: Some(Score::Cp(50)),
        ..offered
    };
    assert_eq!(offers.step(&better, &settings()), Some(Action::Draw(false)));
}

#[test]
fn a_draw_offer_on_our_turn_waits_for_the_search() {
    let now = Instant::now();
    let mut offers = Offers::new(now, 0);
    let offered = OfferFacts {
        draw_offered: true,
        my_turn: true,
        ..facts(now)
    };
    assert_eq!(offers.step(&offered, &settings()), None);
}

#[test]
fn takebacks_are_accepted_up_to_the_limit_and_not_under_a_move_on_its_way() {
    let now = Instant::now();
    let mut offers = Offers::new(now, 0);
    let settings = GameSettings {
        max_takebacks: 1,
        ..settings()
    };
    let proposed = OfferFacts {
        takeback_proposed: true,
        ..facts(now)
    };
    let committed = OfferFacts {
        committed: true,
        ..proposed
    };
    assert_eq!(offers.step(&committed, &settings), None);
    assert_eq!(
        offers.step(&proposed, &settings),
        Some(Action::Takeback(true))
    );
    assert_eq!(offers.step(&proposed, &settings), None);
    offers.moved(now);
    assert_eq!(
        offers.step(&proposed, &settings),
        Some(Action::Takeback(false))
    );
}

#[test]
fn victory_is_claimed_at_zero_on_the_opponents_turn_once_for_each_line() {
    let now = Instant::now();
    let mut offers = Offers::new(now, 0);
    offers.opponent_gone(gone(5), now);
    assert_eq!(offers.step(&facts(now), &settings()), None);
    offers.opponent_gone(gone(0), now);
    let ours = OfferFacts {
        my_turn: true,
        ..facts(now)
    };
    assert_eq!(offers.step(&ours, &settings()), None);
    assert_eq!(
        offers.step(&facts(now), &settings()),
        Some(Action::ClaimVictory)
    );
    assert_eq!(offers.step(&facts(now), &settings()), None);
    offers.opponent_gone(gone(0), now);
    let unwanted = GameSettings {
        claim_victory: false,
        ..settings()
    };
    assert_eq!(offers.step(&facts(now), &unwanted), None);
    assert_eq!(
        offers.step(&facts(now), &settings()),
        Some(Action::ClaimVictory)
    );
}

#[test]
fn an_opponent_who_is_back_or_silent_for_long_is_not_gone() {
    let now = Instant::now();
    let mut offers = Offers::new(now, 0);
    offers.opponent_gone(gone(0), now);
    assert_eq!(offers.step(&facts(now + 15 * S), &settings()), None);
    offers.opponent_gone(gone(0), now);
    offers.opponent_gone(
        OpponentGone {
            gone: false,
            claim_win_in_seconds: None,
        },
        now,
    );
    assert_eq!(offers.step(&facts(now), &settings()), None);
}

#[test]
fn a_game_is_aborted_only_while_the_opponent_owes_the_first_move() {
    let now = Instant::now();
    let (human, bot) = (60 * S, 30 * S);
    let start = at_ply(0, facts(now));
    let later = |wait, facts| OfferFacts {
        now: now + wait,
        ..facts
    };
    let mut offers = Offers::new(now, 0);
    assert_eq!(
        offers.abort_deadline(&start, &settings()),
        Some(now + human)
    );
    assert_eq!(offers.step(&later(59 * S, start), &settings()), None);
    assert_eq!(
        offers.step(&later(human, start), &settings()),
        Some(Action::Abort)
    );
    assert_eq!(offers.step(&later(human, start), &settings()), None);
    assert_eq!(
        offers.step(&later(human * 2, start), &settings()),
        Some(Action::Abort)
    );
    offers.abort_refused();
    assert_eq!(offers.step(&later(human * 5, start), &settings()), None);

    let mut offers = Offers::new(now, 0);
    let machine = against_bot(at_ply(1, facts(now)));
    assert_eq!(
        offers.step(&later(bot, machine), &settings()),
        Some(Action::Abort)
    );
    let no_case = [
        OfferFacts {
            my_turn: true,
            ..machine
        },
        at_ply(2, machine),
        OfferFacts {
            standing: Standing {
                clocks: None,
                ..machine.standing
            },
            ..machine
        },
        OfferFacts {
            tournament: true,
            ..machine
        },
    ];
    for facts in no_case {
        assert_eq!(
            Offers::new(now, 0).step(&later(bot, facts), &settings()),
            None,
            "{facts:?}"
        );
    }
}

#[test]
fn takebacks_of_bots_are_declined_and_those_before_a_restart_count() {
    let now = Instant::now();
    let settings = GameSettings {
        max_takebacks: 2,
        ..settings()
    };
    let proposed = OfferFacts {
        takeback_proposed: true,
        ..facts(now)
    };
    let of_bot = against_bot(proposed);
    let step = |offers: &mut Offers, facts, settings| offers.step(facts, settings);
    let (yes, no) = (Some(Action::Takeback(true)), Some(Action::Takeback(false)));
    assert_eq!(step(&mut Offers::new(now, 0), &of_bot, &settings), no);
    let all = GameSettings {
        takebacks_humans_only: false,
        ..settings.clone()
    };
    assert_eq!(step(&mut Offers::new(now, 0), &of_bot, &all), yes);
    let mut offers = Offers::new(now, 1);
    assert_eq!(step(&mut offers, &proposed, &settings), yes);
    assert_eq!(offers.takebacks(), 2);
    assert_eq!(step(&mut Offers::new(now, 2), &proposed, &settings), no);
}

#[test]
fn draws_are_offered_no_more_often_than_the_server_hears_them() {
    let mut offers = Offers::new(Instant::now(), 0);
    assert!(offers.may_offer_draw(100));
    offers.draw_offered(100);
    assert!(offers.may_offer_draw(100), "the same move sent again");
    assert!(!offers.may_offer_draw(119));
    assert!(offers.may_offer_draw(120));
}

#[test]
fn a_third_occurrence_that_still_stands_is_claimed_once_by_the_worse_side() {
    let now = Instant::now();
    let mut offers = Offers::new(now, 0);
    let repeated = OfferFacts {
        repeated: true,
        ..facts(now)
    };
    let better = OfferFacts {
        score: Some(Score::Cp(1)),
        ..repeated
    };
    assert_eq!(offers.step(&better, &settings()), None);
    assert_eq!(
        offers.step(&repeated, &settings()),
        Some(Action::Draw(true))
    );
    assert_eq!(offers.step(&repeated, &settings()), None);
}

#[test]
fn time_is_given_to_a_human_who_runs_out_of_it_and_only_so_often() {
    let now = Instant::now();
    let giving = GameSettings {
        give_time_s: Some(15),
        give_time_max: 2,
        ..settings()
    };
    let short = OfferFacts {
        standing: with_clocks(60, 9, 0),
        score: Some(Score::Cp(0)),
        ..facts(now)
    };
    let enough = OfferFacts {
        standing: with_clocks(60, 10, 0),
        ..short
    };
    let ours = OfferFacts {
        my_turn: true,
        ..short
    };
    let arena = OfferFacts {
        tournament: true,
        ..short
    };
    let given = Some(Action::GiveTime(15));
    let mut offers = Offers::new(now, 0);
    for nothing in [enough, ours, arena, against_bot(short)] {
        assert_eq!(offers.step(&nothing, &giving), None, "{nothing:?}");
    }
    assert_eq!(offers.step(&short, &settings()), None, "off by default");
    assert_eq!(offers.step(&short, &giving), given);
    assert_eq!(offers.step(&short, &giving), None);
    offers.moved(now);
    assert_eq!(offers.step(&short, &giving), given);
    offers.moved(now);
    assert_eq!(offers.step(&short, &giving), None);

    let mut offers = Offers::new(now, 0);
    assert_eq!(offers.step(&short, &giving), given);
    offers.moved(now);
    offers.time_refused();
    assert_eq!(offers.step(&short, &giving), None);
}
