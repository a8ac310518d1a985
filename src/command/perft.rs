//! `pocketknight perft`.

use super::bench::per_second;
use super::{Failure, print};
use crate::cli::PerftArgs;
use anyhow::{Context, anyhow};
use pocketknight::rules::{CastlingStyle, Position, perft, perft_divide, run_suite};
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(args: &PerftArgs) -> Result<(), Failure> {
    if let Some(path) = &args.suite {
        return suite(path, args.max_nodes);
    }
    let position = match &args.fen {
        Some(fen) => Position::from_fen(fen, args.variant)
            .with_context(|| format!("--fen {fen:?}"))
            .map_err(Failure::Usage)?,
        None => Position::start(args.variant),
    };
    let depth = args.depth.unwrap_or_default();
    let start = Instant::now();
    let nodes = if args.divide && depth > 0 {
        let counts = perft_divide(&position, depth);
        let style = CastlingStyle::KingTakesRook;
        let row = |(m, nodes): &(_, u64)| format!("{}: {nodes}\n", position.uci(*m, style));
        let lines = counts.iter().map(row).collect::<Vec<_>>().concat();
        print(&lines)?;
        counts.iter().map(|(_, nodes)| nodes).sum()
    } else {
        perft(&position, depth)
    };
    let elapsed = start.elapsed();
    let (seconds, nps) = (elapsed.as_secs_f64(), per_second(nodes, elapsed));
    print(&format!("{nodes} nodes {seconds:.3} s {nps} nps\n"))
}

fn suite(path: &Path, max_nodes: Option<u64>) -> Result<(), Failure> {
    let name = path.display();
    let json = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read --suite {name}"))
        .map_err(Failure::Usage)?;
    let start = Instant::now();
    let mut printed = Ok(());
    let summary = run_suite(&json, max_nodes, &mut |row| {
        if !row.passed() {
            let text = format!(
                "{} depth {}: {} nodes, expected {} ({} {})\n",
                row.id, row.depth, row.actual, row.expected, row.variant, row.fen
            );
            if printed.is_ok() {
                printed = print(&text);
            }
        }
    })
    .with_context(|| format!("--suite {name}"))
    .map_err(Failure::Usage)?;
    printed?;
    let elapsed = start.elapsed();
    print(&format!(
        "{} positions, {} counts, {} wrong, {} left out, {} nodes {:.3} s {} nps\n",
        summary.positions,
        summary.rows,
        summary.failed,
        summary.skipped,
        summary.nodes,
        elapsed.as_secs_f64(),
        per_second(summary.nodes, elapsed)
    ))?;
    if summary.failed > 0 {
        return Err(Failure::Runtime(anyhow!(
            "{} counts of {name} are wrong",
            summary.failed
        )));
    }
    Ok(())
}
