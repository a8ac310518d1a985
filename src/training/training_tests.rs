//! A whole training on a small set: what is learned, and that it can be repeated to the bit.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::curve::Curve;
use super::goal::Goal;
use super::sample::Sample;
use super::sample::tests::random_positions;
use super::trainer::{Settings, Trainer};
use super::validation::{judge_constant, judge_network};
use super::{Difference, Model};
use crate::engine::nnue::{Architecture, Network};
use crate::rules::{Color, Position, Role};

const GOAL: Goal = Goal {
    lambda: 0.9,
    score_scale: 300.0,
};

fn settings(king_buckets: usize, heads: usize) -> Settings {
    Settings {
        architecture: Architecture {
            hidden: 32,
            king_buckets,
            heads,
        },
        goal: GOAL,
        rate: 5e-3,
        weight_decay: 0.01,
        epochs: 4,
        batch: 256,
        warmup: 10,
        seed: 7,
        threads: 2,
    }
}

/// Pieces on the board and in hand.
fn material(position: &Position) -> i16 {
    let worth = |color: Color| -> i16 {
        let roles = Role::DROPPABLE.into_iter().zip([100, 240, 240, 300, 570]);
        roles
            .map(|(role, worth)| {
                let board = position.pieces(color, role).count() as i16;
                worth * (board + i16::from(position.pocket(color).count(role)))
            })
            .sum()
    };
    worth(position.turn()) - worth(!position.turn())
}

/// Random positions, each with its material as the score and the side with more of it as the winner.
pub(super) fn material_samples(games: usize) -> Vec<Sample> {
    let label = |position: &Position| {
        let score = material(position);
        let winner = match score {
            0 => None,
            1.. => Some(position.turn()),
            _ => Some(!position.turn()),
        };
        Sample::new(position, score, winner)
    };
    random_positions(games, 120, 8).iter().map(label).collect()
}

fn trained(settings: Settings, samples: &[Sample]) -> Model {
    let mut trainer = Trainer::new(settings, samples, None);
    while trainer.epochs() < settings.epochs {
        trainer.epoch(&mut |_| {});
    }
    trainer.model().clone()
}

#[test]
fn material_is_learned_and_the_exported_network_knows_it() {
    let samples = material_samples(120);
    let (learn, check) = samples.split_at(samples.len() * 9 / 10);
    for (king_buckets, heads) in [(1, 1), (4, 9)] {
        let settings = Settings {
            rate: 0.01,
            epochs: 5,
            ..settings(king_buckets, heads)
        };
        let model = trained(settings, learn);
        let constant = judge_constant(check, GOAL, 1).loss;
        let loss = model.judge(check, GOAL, 2).loss;
        assert!(loss < constant / 3.0, "{loss}, constant {constant}");
        let network = Network::from_bytes(&model.export("test").unwrap()).unwrap();
        let rounded = judge_network(&network, check, GOAL, 2).loss;
        assert!((rounded - loss).abs() < 0.02 * loss, "{rounded} {loss}");
        // The model is rounded already; only whole units of the engine are left.
        let difference = Difference::between(&model, &network, check);
        assert!(difference.most < 1.01, "{difference:?}");
    }
}

#[test]
fn the_same_seed_and_threads_give_the_same_bytes_and_others_do_not() {
    let samples = material_samples(10);
    let settings = Settings {
        epochs: 2,
        ..settings(4, 9)
    };
    let bytes = |settings| trained(settings, &samples).export("").unwrap();
    let first = bytes(settings);
    assert_eq!(first, bytes(settings));
    let other = Settings {
        seed: 8,
        ..settings
    };
    assert_ne!(first, bytes(other));
}

#[test]
fn a_training_goes_on_from_a_checkpoint_as_if_uninterrupted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("check point");
    let samples = material_samples(10);
    for king_buckets in [1, 4] {
        let settings = settings(king_buckets, 1);
        let mut trainer = Trainer::new(settings, &samples, None);
        let mut curve = Curve::default();
        for _ in 0..2 {
            let loss = trainer.epoch(&mut |_| {});
            curve.training.push((trainer.epochs().into(), loss));
        }
        Checkpoint::of(&trainer, &curve).write(&path).unwrap();
        drop(trainer);

        let checkpoint = Checkpoint::read(&path).unwrap();
        assert_eq!(checkpoint.settings(), &settings);
        let (mut trainer, losses) = checkpoint.clone().resume(&samples).unwrap();
        assert_eq!(losses, curve);
        assert_eq!(trainer.epochs(), 2);
        while trainer.epochs() < settings.epochs {
            trainer.epoch(&mut |_| {});
        }
        assert_eq!(trainer.model(), &trained(settings, &samples));

        let error = checkpoint.resume(&samples[1..]).unwrap_err();
        assert!(matches!(error, CheckpointError::Samples { .. }), "{error}");
    }
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint");
    let samples = material_samples(1);
    let trainer = Trainer::new(settings(1, 1), &samples, None);
    Checkpoint::of(&trainer, &Curve::default())
        .write(&path)
        .unwrap();
    let good = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Checkpoint::read(&path).unwrap_err().to_string()
    };
    assert!(refused(&[]).contains("PKTC"));
    assert!(refused(b"PKTC").contains("cut off"));
    assert!(refused(b"PKTC\x01\0\0\0").contains("cut off"));
    assert!(refused(b"PKTC\x02\0\0\0").contains("format version 2"));
    for at in [20, good.len() / 2, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        assert!(refused(&bytes).contains("checksum"), "{at}");
        assert!(refused(&good[..at]).contains("checksum"), "{at}");
    }
    assert!(Checkpoint::read(&dir.path().join("none")).is_err());
}

#[test]
fn training_goes_on_from_a_network() {
    let samples = material_samples(40);
    let settings = settings(4, 1);
    let model = trained(settings, &samples);
    let network = Network::from_bytes(&model.export("").unwrap()).unwrap();
    let mut trainer = Trainer::new(settings, &samples, Some(Model::from_network(&network)));
    let before = trainer.model().judge(&samples, GOAL, 1).loss;
    let expected = judge_network(&network, &samples, GOAL, 1).loss;
    assert!(
        (before - expected).abs() < 0.02 * expected,
        "{before} {expected}"
    );
    trainer.epoch(&mut |_| {});
    let after = trainer.model().judge(&samples, GOAL, 1).loss;
    assert!(after < before, "{after} {before}");
}
