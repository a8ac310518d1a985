//! Statistics of games played in pairs: Elo with its interval, likelihood of superiority, sequential test.
//!
//! Both games of a pair begin from the same opening with colours exchanged, so they are not independent, and the unit
//! of all sums is the pair. A pair gives 0, 0.5, 1, 1.5 or 2 points: five kinds, hence "pentanomial".

use std::str::FromStr;

/// Quantile of the normal distribution that leaves 2.5 % on either side.
const Z95: f64 = 1.959_963_984_540_054;

/// Score of a pair per game, for each kind of pair.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Number of pairs by the points of the first player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial {
    counts: [u64; 5],
}

/// Value with the ends of its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Estimate.
    pub value: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Half of the width.
    pub fn margin(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl Pentanomial {
    /// So many pairs with 0, 0.5, 1, 1.5 and 2 points.
    pub const fn new(counts: [u64; 5]) -> Self {
        Self { counts }
    }

    /// Counts a pair that gave so many half points, 0 to 4; more count as 4.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points.min(4)] += 1;
    }

    /// Pairs with 0, 0.5, 1, 1.5 and 2 points.
    pub const fn counts(&self) -> [u64; 5] {
        self.counts
    }

    /// All pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Points per game, 0 to 1; 0.5 without pairs.
    pub fn score(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.5;
        }
        self.sum(|score| score) / self.pairs() as f64
    }

    /// Variance of the score of a pair, 0 to 0.25; 0 without pairs.
    pub fn variance(&self) -> f64 {
        let mean = self.score();
        self.sum(|score| (score - mean).powi(2)) / self.pairs().max(1) as f64
    }

    fn sum(&self, term: impl Fn(f64) -> f64) -> f64 {
        let terms = self.counts.iter().zip(SCORES);
        terms.map(|(&n, score)| n as f64 * term(score)).sum()
    }

    /// Variance of a pair in relation to that of a single game that is won or lost with the same mean: 0.5 for two
    /// independent games without draws, less with draws and where the opening decides.
    ///
    /// One pair of two independent games is counted beside the real ones. With few pairs, or after nothing but wins,
    /// the observed variance is zero, and the interval would be a point.
    fn variance_ratio(&self) -> f64 {
        let pairs = self.pairs() as f64;
        let mean = self.score();
        (pairs * self.variance() + 0.125) / (pairs * mean * (1.0 - mean) + 0.25)
    }

    /// Elo difference by the logistic formula, with its 95 % interval; infinite after nothing but wins or losses.
    ///
    /// The interval is Wilson's with the variance of the pairs: with many pairs it is the mean plus and minus 1.96
    /// standard errors, and with few it stays within possible scores.
    pub fn elo(&self) -> Interval {
        let mean = self.score();
        if self.pairs() == 0 {
            return Interval {
                low: f64::NEG_INFINITY,
                value: 0.0,
                high: f64::INFINITY,
            };
        }
        let count = self.pairs() as f64 / self.variance_ratio();
        let spread = Z95 * Z95 / count;
        let centre = (mean + spread / 2.0) / (1.0 + spread);
        let inner = mean * (1.0 - mean) / count + spread / (4.0 * count);
        let half = Z95 * inner.max(0.0).sqrt() / (1.0 + spread);
        Interval {
            low: elo_of_score(centre - half),
            value: elo_of_score(mean),
            high: elo_of_score(centre + half),
        }
    }

    /// Likelihood of superiority: how sure it is that the first player is the stronger one, 0 to 1. It is above
    /// 0.975 exactly if the whole interval of [`Pentanomial::elo`] is above 0.
    pub fn los(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.5;
        }
        let error = (self.variance_ratio() / 4.0 / self.pairs() as f64).sqrt();
        normal_distribution((self.score() - 0.5) / error)
    }

    /// Log-likelihood ratio of the hypothesis "the score is `high`" against "the score is `low`", both within 0 to 1.
    ///
    /// Each hypothesis is represented by the distribution of pairs with that score that makes the counts likeliest.
    fn log_likelihood_ratio(&self, low: f64, high: f64) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        // A kind of pair that has not been seen is not impossible. The small count keeps every score reachable.
        let counts = self.counts.map(|n| (n as f64).max(1e-3));
        let [low, high] = [low, high].map(|score| (score, tilt(&counts, score)));
        let factor = |(mean, tilt): (f64, f64), score: f64| 1.0 + tilt * (score - mean);
        let terms = counts.iter().zip(SCORES);
        terms
            .map(|(n, score)| n * (factor(low, score) / factor(high, score)).ln())
            .sum()
    }
}

/// The likeliest distribution with the mean `mean` has `n / (1 + tilt * (score - mean))` as its weights. Finds the
/// tilt; all counts must be positive and `mean` between 0 and 1.
fn tilt(counts: &[f64; 5], mean: f64) -> f64 {
    // All weights are positive between these two, and the mean falls from one end to the other.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        let terms = counts.iter().zip(SCORES);
        let excess: f64 = terms
            .map(|(n, score)| n * (score - mean) / (1.0 + middle * (score - mean)))
            .sum();
        if excess > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Elo difference of an expected score of 0 to 1.
pub(super) fn elo_of_score(score: f64) -> f64 {
    // Rounding can lead a little out of the range.
    let score = score.clamp(0.0, 1.0);
    400.0 * (score.log10() - (1.0 - score).log10())
}

/// Expected score, 0 to 1, of an Elo difference.
pub(super) fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Distribution function of the normal distribution, by its power series around 0.
fn normal_distribution(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > 1e-17 {
        n += 2.0;
        term *= x * x / n;
        sum += term;
    }
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0.5 + density * sum).clamp(0.0, 1.0)
}

/// Sequential probability ratio test: ends a match as soon as one of two hypotheses is as good as sure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Not yet decided.
    Open,
    /// The difference is rather that of H0, the lower one.
    H0,
    /// The difference is rather that of H1, the higher one.
    H1,
}

/// Why a text or numbers make no test.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "sprt {0:?}, expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA such as 0,10 with ELO0 below ELO1, both within -1000 to \
     1000, ALPHA and BETA above 0 and below 0.5"
)]
pub struct SprtError(String);

impl Sprt {
    /// Largest Elo difference of a hypothesis.
    const MOST_ELO: f64 = 1000.0;

    /// Test of H1 "stronger by `elo1`" against H0 "stronger by `elo0`", with the chances `alpha` to accept H1
    /// although H0 is true and `beta` to accept H0 although H1 is true.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, one of them is not within -1000 to 1000, or a chance is not within 0 to 0.5.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let chance = |p: f64| p > 0.0 && p < 0.5;
        if elo0 < elo1
            && elo0 >= -Self::MOST_ELO
            && elo1 <= Self::MOST_ELO
            && chance(alpha)
            && chance(beta)
        {
            return Ok(Self {
                elo0,
                elo1,
                alpha,
                beta,
            });
        }
        Err(SprtError(format!("{elo0},{elo1},{alpha},{beta}")))
    }

    /// Differences of H0 and H1.
    pub const fn elos(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// Ratios at and beyond which H0 and H1 are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// Log-likelihood ratio of H1 against H0.
    pub fn ratio(&self, pairs: &Pentanomial) -> f64 {
        pairs.log_likelihood_ratio(score_of_elo(self.elo0), score_of_elo(self.elo1))
    }

    /// What follows from the pairs played so far.
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let (low, high) = self.bounds();
        match self.ratio(pairs) {
            ratio if ratio <= low => Verdict::H0,
            ratio if ratio >= high => Verdict::H1,
            _ => Verdict::Open,
        }
    }
}

/// As in `0,10`, with both chances of error 0.05, or `0,10,0.05,0.1`.
impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
        let test = match numbers.as_deref() {
            Some(&[elo0, elo1]) => Self::new(elo0, elo1, 0.05, 0.05),
            Some(&[elo0, elo1, alpha, beta]) => Self::new(elo0, elo1, alpha, beta),
            _ => Err(SprtError(String::new())),
        };
        test.map_err(|_| SprtError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(actual: f64, expected: f64, tolerance: f64) {
        assert!(
            (actual - expected).abs() <= tolerance,
            "{actual}, expected {expected}"
        );
    }

    #[test]
    fn score_and_variance_are_those_of_the_pairs() {
        let pairs = Pentanomial::new([1, 2, 3, 2, 2]);
        // 0 + 2 * 0.25 + 3 * 0.5 + 2 * 0.75 + 2 = 5.5 of 10
        near(pairs.score(), 0.55, 1e-12);
        // (1 * 0.3025 + 2 * 0.09 + 3 * 0.0025 + 2 * 0.04 + 2 * 0.2025) / 10
        near(pairs.variance(), 0.0975, 1e-12);
    }

    #[test]
    fn elo_of_many_pairs_has_the_interval_of_the_standard_error() {
        let pairs = Pentanomial::new([1000, 300, 4000, 400, 1500]);
        let mean = (75.0 + 2000.0 + 300.0 + 1500.0) / 7200.0;
        let elo = pairs.elo();
        near(elo.value, -400.0 * (1.0 / mean - 1.0_f64).log10(), 1e-9);
        let error = (pairs.variance() / 7200.0).sqrt();
        for (end, sign) in [(elo.low, -1.0), (elo.high, 1.0)] {
            let score: f64 = mean + sign * 1.96 * error;
            near(end, -400.0 * (1.0 / score - 1.0).log10(), 0.1);
        }
        near(elo.margin(), (elo.high - elo.low) / 2.0, 1e-12);
    }

    #[test]
    fn few_pairs_give_a_wide_interval_and_no_certainty() {
        let none = Pentanomial::default();
        assert_eq!((none.elo().value, none.los()), (0.0, 0.5));
        let one = Pentanomial::new([0, 0, 1, 0, 0]);
        assert!(one.elo().low < -100.0 && one.elo().high > 100.0);
        near(one.los(), 0.5, 1e-12);
        let won = Pentanomial::new([0, 0, 0, 0, 1]);
        assert!(won.elo().value.is_infinite() && won.elo().value > 0.0);
        assert!(won.elo().low < 0.0, "{:?}", won.elo());
        assert!(won.los() > 0.8 && won.los() < 0.975, "{}", won.los());
        // Twenty wins of twenty games: Wilson's interval for a proportion begins at 20 / (20 + 3.84).
        let clean = Pentanomial::new([0, 0, 0, 0, 10]);
        near(clean.elo().low, elo_of_score(20.0 / 23.8415), 0.5);
    }

    #[test]
    fn both_players_see_the_same_difference() {
        let ours = Pentanomial::new([5, 4, 20, 9, 12]);
        let theirs = Pentanomial::new([12, 9, 20, 4, 5]);
        let (a, b) = (ours.elo(), theirs.elo());
        near(a.value, -b.value, 1e-9);
        near(a.low, -b.high, 1e-9);
        near(ours.los() + theirs.los(), 1.0, 1e-12);
    }

    #[test]
    fn superiority_is_likely_when_the_interval_is_above_zero() {
        for wins in 10..40 {
            let pairs = Pentanomial::new([10, 3, 20, 4, wins]);
            assert_eq!(pairs.los() > 0.975, pairs.elo().low > 0.0, "{wins}");
        }
    }

    #[test]
    fn normal_distribution_has_its_table_values() {
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746),
            (1.96, 0.975_002_105),
            (3.5, 0.999_767_371),
            (-2.0, 0.022_750_132),
            (-6.0, 9.866e-10),
        ] {
            near(normal_distribution(x), expected, 1e-9);
        }
        near(normal_distribution(50.0), 1.0, 0.0);
        near(normal_distribution(f64::NEG_INFINITY), 0.0, 0.0);
    }

    #[test]
    fn ratio_of_pairs_that_are_won_or_lost_whole_is_that_of_coins() {
        // With two outcomes the likeliest distribution of a score is that score itself.
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        let score: f64 = 1.0 / (1.0 + 10f64.powf(-50.0 / 400.0));
        let expected = 60.0 * (score / 0.5).ln() + 40.0 * ((1.0 - score) / 0.5).ln();
        near(
            sprt.ratio(&Pentanomial::new([40, 0, 0, 0, 60])),
            expected,
            0.01,
        );
    }

    #[test]
    fn ratio_is_close_to_the_normal_approximation_for_small_differences() {
        for counts in [
            [200, 100, 900, 130, 260],
            [50, 10, 300, 12, 55],
            [9, 1, 30, 0, 4],
        ] {
            let pairs = Pentanomial::new(counts);
            let (low, high) = (score_of_elo(0.0), score_of_elo(10.0));
            let n = pairs.pairs() as f64;
            let expected =
                n * (high - low) * (2.0 * pairs.score() - low - high) / (2.0 * pairs.variance());
            let ratio = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap().ratio(&pairs);
            near(ratio, expected, 0.05 * expected.abs().max(1.0));
        }
    }

    /// The expected values come from maximising both likelihoods by random search over the distributions.
    #[test]
    fn ratio_is_that_of_the_likeliest_distributions() {
        for (counts, elo0, elo1, expected) in [
            ([10, 5, 100, 8, 20], 0.0, 30.0, 2.012_745),
            ([3, 2, 12, 9, 25], 0.0, 50.0, 5.243_769),
            ([30, 8, 60, 4, 6], -20.0, 20.0, -8.248_578),
        ] {
            let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap();
            near(sprt.ratio(&Pentanomial::new(counts)), expected, 1e-3);
        }
    }

    #[test]
    fn test_accepts_the_hypothesis_that_the_games_speak_for() {
        let sprt: Sprt = "0,10".parse().unwrap();
        let (low, high) = sprt.bounds();
        near(low, -(19.0_f64.ln()), 1e-12);
        near(high, 19.0_f64.ln(), 1e-12);
        assert_eq!(sprt.verdict(&Pentanomial::default()), Verdict::Open);
        let few = Pentanomial::new([2, 1, 5, 1, 3]);
        assert_eq!(sprt.verdict(&few), Verdict::Open);
        let strong = Pentanomial::new([100, 50, 400, 60, 190]);
        assert_eq!(sprt.verdict(&strong), Verdict::H1);
        let weak = Pentanomial::new([190, 60, 400, 50, 100]);
        assert_eq!(sprt.verdict(&weak), Verdict::H0);
    }

    #[test]
    fn tests_are_read_with_and_without_chances_of_error() {
        let sprt: Sprt = "-10, 0, 0.1, 0.05".parse().unwrap();
        assert_eq!(sprt, Sprt::new(-10.0, 0.0, 0.1, 0.05).unwrap());
        near(sprt.bounds().0, (0.05_f64 / 0.9).ln(), 1e-12);
        for bad in [
            "",
            "5",
            "10,0",
            "0,0",
            "a,b",
            "0,10,0.05",
            "0,10,0,0.05",
            "0,10,0.05,0.5",
            "0,inf",
            "nan,1",
            "0,2000",
        ] {
            let error = bad.parse::<Sprt>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("sprt {bad:?}, expected ELO0,ELO1")),
                "{error}"
            );
        }
    }
}
