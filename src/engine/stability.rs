//! How settled the best move of a search is, as a factor on the time spent on it. Pure.

/// Iterations with the same best move after which it counts as settled.
const SETTLED: u32 = 8;

/// Memory of the iterations of one search.
#[derive(Debug, Default)]
pub(crate) struct Stability {
    best: u16,
    /// Iterations with the same best move.
    same: u32,
    /// Value of the iteration before.
    value: Option<i32>,
    /// Value of the last search of the game.
    last_move: Option<i32>,
}

impl Stability {
    /// At the start of a search; `last_move` is what the move before of this game was worth, if there was one.
    pub(crate) fn new(last_move: Option<i32>) -> Self {
        Self {
            last_move,
            ..Self::default()
        }
    }

    /// Factor on the soft limit after an iteration with this result; `share` is the part of all nodes that the best
    /// move took, 0 to 1.
    pub(crate) fn factor(&mut self, best: u16, value: i32, share: f64) -> f64 {
        self.same = if best == self.best {
            (self.same + 1).min(SETTLED)
        } else {
            0
        };
        self.best = best;
        let fall = |earlier: Option<i32>| {
            let fall = earlier.map_or(0, |earlier| earlier - value);
            f64::from(fall.clamp(-400, 400))
        };
        let falls = fall(self.value) / 400.0 + fall(self.last_move) / 600.0;
        self.value = Some(value);
        let stable = 1.3 - 0.08 * f64::from(self.same);
        let falling = (1.0 + falls).clamp(0.75, 1.7);
        stable * (1.6 - share) * falling
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settled_move_takes_less_time_and_a_new_one_more() {
        let mut stability = Stability::default();
        let mut factors = Vec::new();
        for _ in 0..10 {
            factors.push(stability.factor(7, 30, 0.5));
        }
        assert!(factors.is_sorted_by(|a, b| a >= b), "{factors:?}");
        assert!(factors[9] < 0.8 && factors[0] > 1.1, "{factors:?}");
        assert!(stability.factor(8, 30, 0.5) > 1.1);
    }

    #[test]
    fn a_move_that_took_most_nodes_has_no_rival() {
        let factor = |share| Stability::default().factor(7, 30, share);
        assert!(factor(0.95) < factor(0.5) && factor(0.5) < factor(0.1));
    }

    #[test]
    fn a_falling_score_buys_time() {
        let after = |earlier, last_move| {
            let mut stability = Stability::new(last_move);
            stability.factor(7, earlier, 0.5);
            stability.factor(7, 0, 0.5)
        };
        let steady = after(0, None);
        assert!(after(200, None) > steady && after(-200, None) < steady);
        assert!(after(0, Some(200)) > steady && after(0, Some(-200)) < steady);
        // However bad the news, a move does not eat the clock.
        assert!(after(30_000, Some(30_000)) < 2.5 * steady);
        assert!(after(-30_000, Some(-30_000)) > 0.5 * steady);
    }
}
