//! Speed of the trainer on one thread: `cargo bench --bench training`. `items/s` is positions a second.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use pocketknight::engine::nnue::Architecture;
use pocketknight::rules::{Color, MoveList, Position, Variant};
use pocketknight::training::{Evaluator, Goal, Model, Sample, Settings, Trainer};

fn main() {
    divan::main();
}

/// Samples of an epoch.
const SAMPLES: usize = 1 << 16;

fn settings(hidden: usize, king_buckets: usize) -> Settings {
    Settings {
        architecture: Architecture {
            hidden,
            king_buckets,
            heads: 1,
        },
        goal: Goal {
            lambda: 0.7,
            score_scale: 300.0,
        },
        rate: 1e-3,
        weight_decay: 0.01,
        epochs: 1_000,
        batch: 16_384,
        warmup: 100,
        seed: 1,
        threads: 1,
    }
}

/// Positions of games of random moves.
fn samples() -> Vec<Sample> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut samples = Vec::with_capacity(SAMPLES);
    while samples.len() < SAMPLES {
        let mut position = Position::start(Variant::Crazyhouse);
        for _ in 0..100 {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let Some(&mv) = random.choice(moves.as_slice()) else {
                break;
            };
            position = position.play(mv);
            let winner = random.choice([Color::White, Color::Black]);
            samples.push(Sample::new(&position, random.i16(-900..900), winner));
        }
    }
    samples.truncate(SAMPLES);
    samples
}

/// An epoch: forward, backward and steps.
#[divan::bench(args = [(128, 1), (256, 1), (512, 4)], sample_count = 10)]
fn epoch(bencher: Bencher<'_, '_>, (hidden, king_buckets): (usize, usize)) {
    let samples = samples();
    let mut trainer = Trainer::new(settings(hidden, king_buckets), &samples, None);
    bencher
        .counter(ItemsCount::new(SAMPLES))
        .bench_local(|| trainer.epoch(&mut |_| {}));
}

/// Forward only, as in validation.
#[divan::bench(args = [128, 256], sample_count = 10)]
fn evaluation(bencher: Bencher<'_, '_>, hidden: usize) {
    let samples = samples();
    let model = Model::random(settings(hidden, 1).architecture, 1);
    let mut evaluator = Evaluator::new(model.architecture());
    bencher.counter(ItemsCount::new(SAMPLES)).bench_local(|| {
        samples
            .iter()
            .map(|sample| evaluator.evaluate(&model, black_box(sample)))
            .sum::<f32>()
    });
}
