//! `pocketknight bench`.

use super::{Failure, print};
use crate::cli::BenchArgs;
use pocketknight::engine;

pub(crate) fn bench(args: &BenchArgs) -> Result<(), Failure> {
    let result = engine::bench(args.depth, args.threads);
    let nps = per_second(result.nodes, result.elapsed);
    let seconds = result.elapsed.as_secs_f64();
    print(&format!("{} nodes {nps} nps\n", result.nodes))?;
    if args.threads > 1 {
        print(&format!("{seconds:.2} s on {} threads\n", args.threads))?;
    }
    Ok(())
}

/// Rate of a count; of a time too short to measure the count itself.
pub(crate) fn per_second(count: u64, elapsed: std::time::Duration) -> u64 {
    let micros = elapsed.as_micros();
    let rate = (u128::from(count) * 1_000_000).checked_div(micros);
    rate.map_or(count, |rate| u64::try_from(rate).unwrap_or(u64::MAX))
}
