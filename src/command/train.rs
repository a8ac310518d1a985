//! `pocketknight train`.

use super::figures::{head, load, row, summary};
use super::run::cores;
use super::{Failure, note, print};
use crate::cli::{ScoreScale, TrainArgs};
use anyhow::{Context, anyhow};
use pocketknight::engine::nnue::{Architecture, Network, SCALE};
use pocketknight::eval_file;
use pocketknight::training::{
    Checkpoint, Curve, Difference, EpochProgress, Goal, Linear, Model, Sample, Settings, Trainer,
    fit_score_scale, game_files, is_special, judge_constant, judge_network, part_of, write_whole,
};
use std::path::Path;
use std::time::Instant;

/// Positions from which on a step has so many, if nothing else was asked for: few positions need small steps to have
/// enough of them, many learn faster from large ones.
const BATCHES: [(usize, u32); 5] = [
    (0, 1_024),
    (200_000, 2_048),
    (400_000, 4_096),
    (2_000_000, 8_192),
    (5_000_000, 16_384),
];
/// Positions on which model and network are compared.
const COMPARED: usize = 20_000;
/// Largest mean difference of the two, units of the engine.
const MOST_DIFFERENCE: f64 = 3.0;

pub(crate) fn run(args: &TrainArgs) -> Result<(), Failure> {
    check_places(args)?;
    let checkpoint = args
        .resume
        .as_deref()
        .map(|path| {
            Checkpoint::read(path)
                .with_context(|| format!("--resume {}", path.display()))
                .map_err(Failure::Usage)
        })
        .transpose()?;
    let first = match &args.init {
        Some(path) => {
            let network = eval_file::load(path).map_err(Failure::usage)?;
            Some(Model::from_network(&network))
        }
        None => None,
    };
    let threads = match &checkpoint {
        Some(checkpoint) => checkpoint.settings().threads,
        None => args.threads.unwrap_or(cores(0) as u32),
    };

    let (learn, check) = samples(args, threads as usize)?;
    let fitted = fit_score_scale(&learn);
    if let Some((scale, log_loss)) = fitted {
        print(&format!(
            "score scale that tells the results best: {scale:.0} (log-loss {log_loss:.4})\n"
        ))?;
    }
    let (mut trainer, mut curve) = if let Some(checkpoint) = checkpoint {
        let resumed = checkpoint.resume(&learn).context("--resume");
        resumed.map_err(Failure::Usage)?
    } else {
        let scale = match args.goal.score_scale {
            ScoreScale::Units(units) => units,
            ScoreScale::Fit => fitted.map_or(SCALE as f32, |(scale, _)| scale),
        };
        let settings = settings(args, scale, threads, learn.len());
        (Trainer::new(settings, &learn, first), Curve::default())
    };
    let settings = *trainer.settings();
    print(&describe(&settings))?;
    let threads = threads as usize;
    let mut table = head();
    if !check.is_empty() {
        table += &row("constant", &judge_constant(&check, settings.goal, threads));
    }
    if args.baseline {
        let linear = Linear::train(&learn, settings.goal, settings.seed);
        table += &row("linear", &linear.judge(&check, settings.goal, threads));
    }
    epochs(args, &mut trainer, &mut curve, &check)?;
    finish(args, &trainer, &check, table)
}

/// Trains to the end.
fn epochs(
    args: &TrainArgs,
    trainer: &mut Trainer<'_>,
    curve: &mut Curve,
    check: &[Sample],
) -> Result<(), Failure> {
    let settings = *trainer.settings();
    let done_before = trainer.epochs();
    let begin = Instant::now();
    while trainer.epochs() < settings.epochs {
        let loss = trainer.epoch(&mut |progress| {
            let epoch = f64::from(progress.epoch - 1) + progress.seen as f64 / progress.of as f64;
            curve.training.push((epoch, progress.loss));
            note(&progress_line(&progress, &settings, done_before, begin));
        });
        let epoch = trainer.epochs();
        let checked = if check.is_empty() {
            String::new()
        } else {
            let threads = settings.threads as usize;
            let figures = trainer.model().judge(check, settings.goal, threads);
            curve.validation.push((epoch.into(), figures.loss));
            format!(
                ", validation {:.6} (score {:.6}, result {:.6}, log-loss {:.6})",
                figures.loss, figures.score, figures.result, figures.log_loss
            )
        };
        print(&format!(
            "epoch {epoch} of {}: training {loss:.6}{checked}\n",
            settings.epochs
        ))?;
        if let Some(path) = &args.checkpoint {
            Checkpoint::of(trainer, curve)
                .write(path)
                .with_context(|| format!("--checkpoint {}", path.display()))
                .map_err(Failure::Runtime)?;
        }
        draw(args, &settings, curve)?;
    }
    // With a checkpoint of a training that is over there was no epoch to draw after.
    draw(args, &settings, curve)
}

fn draw(args: &TrainArgs, settings: &Settings, curve: &Curve) -> Result<(), Failure> {
    let Some(path) = &args.curve else {
        return Ok(());
    };
    let picture = curve.to_svg(&settings.architecture.to_string());
    write(path, "--curve", picture.as_bytes())
}

/// Rounds, checks and writes the network, and prints `table` with its figures.
fn finish(
    args: &TrainArgs,
    trainer: &Trainer<'_>,
    check: &[Sample],
    mut table: String,
) -> Result<(), Failure> {
    let settings = trainer.settings();
    let (goal, threads) = (settings.goal, settings.threads as usize);
    let model = trainer.model();
    let label = args
        .label
        .clone()
        .unwrap_or_else(|| label(trainer.samples().len()));
    let bytes = model.export(&label).map_err(Failure::runtime)?;
    let network = Network::from_bytes(&bytes).map_err(Failure::runtime)?;
    let compared = if check.is_empty() {
        trainer.samples()
    } else {
        table += &row("model", &model.judge(check, goal, threads));
        table += &row("network", &judge_network(&network, check, goal, threads));
        print(&table)?;
        check
    };
    let compared = &compared[..compared.len().min(COMPARED)];
    let difference = Difference::between(model, &network, compared);
    print(&format!(
        "network and model differ by {:.2} units on average, {:.2} at most, on {} positions\n",
        difference.mean, difference.most, difference.samples
    ))?;
    if difference.mean > MOST_DIFFERENCE {
        return Err(Failure::Runtime(anyhow!(
            "the network differs by {:.2} units on average from its model, expected at most {MOST_DIFFERENCE}; \
             nothing written",
            difference.mean
        )));
    }
    write(&args.out, "--out", &bytes)?;
    print(&format!(
        "{}: {}, {:?}, {} bytes, checksum {:08x}\n",
        args.out.display(),
        settings.architecture,
        network.label(),
        bytes.len(),
        network.checksum()
    ))
}

/// Samples to learn from and samples to check with.
fn samples(args: &TrainArgs, threads: usize) -> Result<(Vec<Sample>, Vec<Sample>), Failure> {
    let filter = args.filter.filter();
    let dataset = load(&args.data, filter, threads)?;
    print(&format!("data: {}\n", summary(&dataset)))?;
    let (learn, check) = if args.validation_data.is_empty() {
        dataset.split(args.validation)
    } else {
        let other = load(&args.validation_data, filter, threads)?;
        print(&format!("validation data: {}\n", summary(&other)))?;
        (dataset.into_samples(), other.into_samples())
    };
    print(&format!(
        "{} positions to learn from, {} to check with\n",
        learn.len(),
        check.len()
    ))?;
    if learn.is_empty() {
        return Err(Failure::Usage(anyhow!("--data: nothing to learn from")));
    }
    Ok((learn, check))
}

fn settings(args: &TrainArgs, score_scale: f32, threads: u32, samples: usize) -> Settings {
    let (_, batch) = BATCHES
        .into_iter()
        .rfind(|&(least, _)| samples >= least)
        .unwrap_or(BATCHES[0]);
    Settings {
        architecture: Architecture {
            hidden: args.hidden,
            king_buckets: args.king_buckets,
            heads: args.heads,
        },
        goal: Goal {
            lambda: args.goal.lambda,
            score_scale,
        },
        rate: args.lr,
        weight_decay: args.weight_decay,
        epochs: args.epochs,
        batch: args.batch.unwrap_or(batch),
        warmup: args.warmup,
        seed: args.seed,
        threads,
    }
}

fn describe(settings: &Settings) -> String {
    format!(
        "network {}, {} parameters; lambda {}, score scale {:.0}, rate {}, weight decay {}, {} epochs, batch {}, \
         warm-up {}, seed {}, {} threads\n",
        settings.architecture,
        settings.architecture.parameters(),
        settings.goal.lambda,
        settings.goal.score_scale,
        settings.rate,
        settings.weight_decay,
        settings.epochs,
        settings.batch,
        settings.warmup,
        settings.seed,
        settings.threads
    )
}

fn progress_line(
    progress: &EpochProgress,
    settings: &Settings,
    done_before: u32,
    begin: Instant,
) -> String {
    let seconds = begin.elapsed().as_secs_f64().max(1e-3);
    let of = progress.of as f64;
    let epochs = f64::from(progress.epoch - 1 - done_before);
    let rate = (epochs * of + progress.seen as f64) / seconds;
    let left = f64::from(settings.epochs - progress.epoch) * of + of - progress.seen as f64;
    let left = (left / rate) as u64;
    format!(
        "epoch {} of {}: {} of {} positions, loss {:.6}, {:.0} positions/s, {}:{:02} min left",
        progress.epoch,
        settings.epochs,
        progress.seen,
        progress.of,
        progress.loss,
        rate,
        left / 60,
        left % 60
    )
}

/// As in `12.1 M positions`.
fn label(samples: usize) -> String {
    if samples >= 100_000 {
        format!("{:.1} M positions", samples as f64 / 1e6)
    } else {
        format!("{samples} positions")
    }
}

/// Finds out whether everything can be written, before hours are spent; and that nothing is written over another
/// file of the training.
fn check_places(args: &TrainArgs) -> Result<(), Failure> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let data = [args.data.as_slice(), &args.validation_data].concat();
    let mut taken: Vec<_> = game_files(&data)
        .map_err(Failure::usage)?
        .iter()
        .map(|path| whole(path))
        .chain(args.init.as_deref().map(whole))
        .collect();
    let written = [
        ("--out", Some(&args.out)),
        ("--curve", args.curve.as_ref()),
        ("--checkpoint", args.checkpoint.as_ref()),
    ];
    for (option, path) in written {
        let Some(path) = path else {
            continue;
        };
        check_place(path)
            .with_context(|| format!("{option} {}", path.display()))
            .map_err(Failure::Usage)?;
        if taken.contains(&whole(path)) {
            return Err(Failure::Usage(anyhow!(
                "{option} {}: this file is in use as another option, expected one of its own",
                path.display()
            )));
        }
        taken.push(whole(path));
    }
    Ok(())
}

/// Whether a file can be written there. A file that exists stays as it is.
fn check_place(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() || path.file_name().is_none() {
        return Err(anyhow!("this is a directory, expected a file"));
    }
    if is_special(path) {
        return Err(anyhow!("this is a device or a pipe, expected a file"));
    }
    if let Some(dir) = path.parent()
        && dir != Path::new("")
        && !dir.is_dir()
    {
        return Err(anyhow!("{} is no directory to write to", dir.display()));
    }
    // What is there already is replaced only by a whole new file, which begins beside it.
    let part = part_of(path);
    let missing = !part.exists();
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&part)
        .context("cannot be written")?;
    if missing {
        std::fs::remove_file(&part)?;
    }
    Ok(())
}

fn write(path: &Path, option: &str, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(path, bytes)
        .with_context(|| format!("{option} {}", path.display()))
        .map_err(Failure::Runtime)
}
