//! Playing weaker than possible: levels on a scale of Elo differences.
//!
//! A level thinks about fewer positions, and lower ones also misjudge each of them by an error of their own. The error
//! belongs to the position: a level that likes a position too much goes on liking it, makes plans for it, and finds
//! out later, as a weak human does. Moves depend on level, seed and position only, never on time or earlier searches.

/// How strongly to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    elo: u32,
    seed: u64,
}

/// What a level is made of.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Level {
    elo: u32,
    /// Nodes for one move.
    nodes: f64,
    /// Standard deviation of the error of an evaluation, in units of [`super::Score`].
    error: f64,
}

const fn level(elo: u32, nodes: f64, error: f64) -> Level {
    Level { elo, nodes, error }
}

/// Levels that were measured, see `docs/strength.md`. Those between are interpolated: nodes by their logarithm.
const LEVELS: [Level; 9] = [
    level(306, 100.0, 700.0),
    level(562, 120.0, 450.0),
    level(882, 170.0, 300.0),
    level(1250, 250.0, 200.0),
    level(1587, 400.0, 140.0),
    level(1931, 800.0, 90.0),
    level(2268, 1600.0, 50.0),
    level(2547, 4000.0, 20.0),
    level(2800, 10_000.0, 0.0),
];

impl Strength {
    /// Lowest level.
    pub const LOWEST: u32 = 500;
    /// Highest level, far below the full strength of the engine.
    pub const HIGHEST: u32 = LEVELS[LEVELS.len() - 1].elo;

    /// Level of that number, [`Self::LOWEST`] to [`Self::HIGHEST`]; `None` for any other. Differences are those of
    /// Elo, measured between neighbouring levels; the zero is arbitrary.
    pub const fn new(elo: u32) -> Option<Self> {
        if elo < Self::LOWEST || elo > Self::HIGHEST {
            return None;
        }
        Some(Self { elo, seed: 0 })
    }

    /// The same level with errors of its own, so that it does not play the same game twice.
    pub const fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Number of the level.
    pub const fn elo(self) -> u32 {
        self.elo
    }

    /// Most nodes of a search for one line.
    pub(crate) fn nodes(self) -> u64 {
        let logarithm = self.between(|level| level.nodes.ln());
        (logarithm.exp().round() as u64).max(1)
    }

    /// How it misjudges positions.
    pub(crate) fn blur(self) -> Blur {
        Blur {
            error: self.between(|level| level.error).round() as i64,
            // Seeds that differ in a bit must differ in all.
            seed: mix(self.seed),
        }
    }

    /// Property of the level, linear between the measured ones.
    fn between(self, property: impl Fn(&Level) -> f64) -> f64 {
        let above = LEVELS
            .partition_point(|level| level.elo < self.elo)
            .clamp(1, LEVELS.len() - 1);
        let (low, high) = (&LEVELS[above - 1], &LEVELS[above]);
        let part = f64::from(self.elo - low.elo) / f64::from(high.elo - low.elo);
        property(low) * (1.0 - part) + property(high) * part
    }
}

/// Error in judging positions, the same for the same position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Blur {
    error: i64,
    seed: u64,
}

impl Blur {
    /// Error for the position with this key. Bell-shaped around 0, at most 3.5 standard deviations.
    pub(crate) fn error(self, key: u64) -> i32 {
        /// Mean and standard deviation of the sum of four numbers below 65536.
        const SUM: (i64, i64) = (131_070, 37_837);
        let bits = mix(key ^ self.seed);
        let sum: i64 = [0, 16, 32, 48]
            .iter()
            .map(|shift| (bits >> shift & 0xffff) as i64)
            .sum();
        ((sum - SUM.0) * self.error / SUM.1) as i32
    }
}

/// Bits that look random, of bits that do not (the finaliser of `splitmix64`).
const fn mix(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_reach_from_end_to_end_and_rise() {
        assert!(Strength::new(Strength::LOWEST - 1).is_none());
        assert!(Strength::new(Strength::HIGHEST + 1).is_none());
        let mut last: Option<Strength> = None;
        for elo in Strength::LOWEST..=Strength::HIGHEST {
            let strength = Strength::new(elo).unwrap();
            assert_eq!(strength.elo(), elo);
            if let Some(last) = last {
                assert!(strength.nodes() >= last.nodes(), "{elo}");
                assert!(strength.blur().error <= last.blur().error, "{elo}");
            }
            last = Some(strength);
        }
        for level in &LEVELS[1..] {
            let strength = Strength::new(level.elo).unwrap();
            assert_eq!(strength.nodes(), level.nodes as u64);
            assert_eq!(strength.blur().error, level.error as i64);
        }
    }

    #[test]
    fn errors_belong_to_the_position_and_are_as_large_as_the_level_says() {
        let strength = Strength::new(Strength::LOWEST).unwrap();
        let (blur, other) = (strength.blur(), strength.with_seed(1).blur());
        let errors: Vec<f64> = (0..10_000).map(|key| f64::from(blur.error(key))).collect();
        assert_eq!(blur.error(77), blur.error(77));
        assert!((0..100).any(|key| blur.error(key) != other.error(key)));
        let mean = errors.iter().sum::<f64>() / 10_000.0;
        let spread = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 10_000.0).sqrt();
        let expected = blur.error as f64;
        assert!(mean.abs() < 0.05 * expected, "{mean}");
        assert!((spread - expected).abs() < 0.05 * expected, "{spread}");
    }
}
