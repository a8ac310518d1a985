use super::*;
use std::sync::atomic::AtomicBool;

fn state(names: &[&str], iterations: u64) -> State {
    let schedule = Schedule {
        iterations,
        rate: Schedule::usual_rate(iterations),
    };
    State::new(names.iter().copied(), schedule, 50, 1, 3).unwrap()
}

fn run(state: State, concurrency: usize, rounds: usize) -> State {
    let mut tune = Tune {
        state,
        concurrency,
        evaluation: Evaluation::Material,
    };
    let mut left = rounds;
    let stop = AtomicBool::new(false);
    tune.run(&stop, &mut |_| {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    tune.state
}

#[test]
fn values_follow_the_results() {
    let mut state = state(&["razor", "futility"], 400);
    // Games as they would end if a larger razor were better and the other constant did not matter.
    while state.done < 400 {
        let [first, second] = state.pair_of(state.done);
        let better = first.get("razor") > second.get("razor");
        state.learn(&[if better { 1 } else { -1 }]);
    }
    let moved = |name: &str| {
        let tuned = state.tuned.iter().find(|t| t.info.name == name).unwrap();
        (tuned.value - tuned.start) / tuned.info.step()
    };
    assert!(moved("razor") > 4.0, "{}", moved("razor"));
    assert!(moved("futility").abs() < 2.0, "{}", moved("futility"));
}

#[test]
fn values_stay_within_their_range() {
    let mut state = state(&["razor_depth", "delta"], 50);
    while state.done < 50 {
        let [first, second] = state.pair_of(state.done);
        let lower = first.get("delta") < second.get("delta");
        state.learn(&[if lower { 2000 } else { -2000 }]);
    }
    assert_eq!(state.params().get("delta"), Some(0));
    for tuned in &state.tuned {
        let range = f64::from(tuned.info.least)..=f64::from(tuned.info.most);
        assert!(range.contains(&tuned.value), "{tuned:?}");
    }
}

#[test]
fn threads_and_interruptions_do_not_matter() {
    let whole = run(state(&["razor", "delta", "see_quiet"], 40), 1, 3);
    assert_eq!(whole.done, 40);
    let part = run(state(&["razor", "delta", "see_quiet"], 40), 2, 1);
    assert_eq!(part.done, 16);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tune.json");
    part.write(&path).unwrap();
    let again = State::read(&path).unwrap();
    assert_eq!(again, part);
    assert!(again.is_same_tuning(&whole));
    assert_eq!(run(again, 2, 9), whole);
    assert!(whole.tuned.iter().any(|t| (t.value - t.start).abs() > 0.0));
}

#[test]
fn files_that_are_no_state_are_refused_by_name_and_value() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tune.json");
    let good = state(&["razor"], 40);
    good.write(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let start = format!("{:?}", good.tuned[0].start);
    for (from, to, expected) in [
        ("\"format\": 1", "\"format\": 2", "format is 2, expected 1"),
        ("\"done\": 0", "\"done\": 41", "done is 41"),
        ("\"iterations\": 40", "\"iterations\": 0", "iterations is 0"),
        ("\"nodes\": 50", "\"nodes\": 0", "nodes is 0"),
        ("\"hash_mib\": 1", "\"hash_mib\": 0", "hash_mib is 0"),
        ("\"razor\"", "\"razr\"", "search constant \"razr\""),
        (start.as_str(), "1.0", "razor is 1, expected 50 to 2000"),
        ("{", "", "not the state of a tuning"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = State::read(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(matches!(State::read(dir.path()), Err(StateError::NoFile)));
    let schedule = good.schedule;
    let make = |names: &[&str]| State::new(names.iter().copied(), schedule, 1, 1, 1);
    assert!(make(&["razr"]).is_err());
    assert!(make(&["razor", "razor"]).is_err());
}

#[test]
fn another_seed_is_another_tuning() {
    let one = state(&["razor"], 40);
    let mut other = one.clone();
    other.seed = 4;
    assert!(!one.is_same_tuning(&other));
}
