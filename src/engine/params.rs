//! Constants of the search, by name, so that they can be tuned.
//!
//! Unit of values, unless another one is named: 300 stand for odds of e to 1. Depths are plies. `docs/search.md` says
//! how the values were found.

use std::fmt;

/// One constant of the search and the range in which it makes sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamInfo {
    /// Name.
    pub name: &'static str,
    /// Value in use.
    pub default: i32,
    /// Least value.
    pub least: i32,
    /// Greatest value.
    pub most: i32,
    /// Change that games can tell, in tuning.
    step: i32,
    /// Whether it is tuned unless others are named: depths and switches are not.
    pub usual: bool,
}

impl ParamInfo {
    /// Change of the value that games can tell, as the last distance in tuning.
    pub const fn step(&self) -> f64 {
        self.step as f64
    }
}

/// Why a constant cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParamError {
    /// No constant has this name.
    #[error("search constant {0:?}, expected a name that `pocketknight tune --list` shows")]
    Unknown(String),
    /// Out of range.
    #[error("search constant {name} = {value}, expected {least} to {most}")]
    Range {
        /// Name.
        name: &'static str,
        /// What was given.
        value: i32,
        /// Least value.
        least: i32,
        /// Greatest value.
        most: i32,
    },
}

/// Step of a constant; 1 for those that are tuned only if named.
macro_rules! step {
    () => {
        1
    };
    ($step:literal) => {
        $step
    };
}

/// Whether a step is given.
macro_rules! usual {
    () => {
        false
    };
    ($step:literal) => {
        true
    };
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $default:literal in $least:literal..=$most:literal $(step $step:literal)?;)*) => {
        /// Values of all constants of the search.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct Params {
            $($(#[$doc])* pub(crate) $name: i32,)*
        }

        impl Params {
            /// All constants with their ranges.
            pub const LIST: &'static [ParamInfo] = &[
                $(ParamInfo { name: stringify!($name), default: $default, least: $least, most: $most,
                    step: step!($($step)?), usual: usual!($($step)?) },)*
            ];

            /// Values in use.
            pub const DEFAULT: Self = Self { $($name: $default,)* };

            fn slot(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

params! {
    /// First half width of the aspiration window.
    aspiration = 25 in 5..=200 step 6;
    /// First depth that is searched with a window.
    aspiration_depth = 4 in 1..=20;

    /// Reverse futility: deepest depth.
    reverse_futility_depth = 6 in 0..=20;
    /// Reverse futility: margin of each ply.
    reverse_futility = 36 in 10..=300 step 8;

    /// Razoring: deepest depth.
    razor_depth = 2 in 0..=10;
    /// Razoring: margin of each ply below alpha.
    razor = 364 in 50..=2000 step 50;

    /// Null move: least depth.
    null_depth = 3 in 1..=20;
    /// Null move: how far the evaluation must be above beta.
    null_margin = 61 in -100..=500 step 20;
    /// Null move: reduction before depth and evaluation count, plies.
    null_base = 3 in 1..=8;
    /// Null move: from this depth on a fail high is verified.
    null_verify_depth = 14 in 5..=127;

    /// Internal iterative reduction: least depth.
    iir_depth = 5 in 2..=127;

    /// Mate search at the root: positions looked at for each 16 nodes of the search.
    mate_root = 4 in 0..=256;

    /// Late-move pruning: quiet moves tried at depth 0, before the square of the depth is added.
    late_moves = 4 in 1..=50 step 1;
    /// Late-move pruning: moves that the square of the depth adds, 1/1024.
    late_moves_slope = 2085 in 100..=5000 step 150;
    /// Late-move pruning: deepest depth.
    late_moves_depth = 6 in 0..=20;

    /// Futility of a quiet move: deepest reduced depth.
    futility_depth = 7 in 0..=20;
    /// Futility of a quiet move: margin at reduced depth 0.
    futility = 7 in 0..=600 step 25;
    /// Futility of a quiet move: margin of each ply.
    futility_ply = 29 in 0..=400 step 15;

    /// History pruning: deepest reduced depth.
    history_prune_depth = 3 in 0..=20;
    /// History pruning: history of each ply of depth.
    history_prune = -2822 in -20000..=0 step 700;

    /// Exchange pruning: loss of each ply, quiet moves.
    see_quiet = -100 in -400..=0 step 12;
    /// Exchange pruning: loss of each ply, noisy moves.
    see_noisy = -114 in -600..=0 step 25;
    /// Exchange pruning: deepest depth.
    see_depth = 9 in 0..=20;

    /// Late-move reduction: constant part, 1/1024 plies.
    lmr_base = 673 in -1024..=3072 step 100;
    /// Late-move reduction: what the product of the logarithms of depth and move is divided by, 1/1024.
    lmr_divisor = 2304 in 1024..=6144 step 200;
    /// Late-move reduction: more at cut nodes, 1/1024 plies, as all that follow.
    lmr_cut = 1464 in -1024..=4096 step 250;
    /// Late-move reduction: more without improvement.
    lmr_not_improving = 822 in -1024..=4096 step 150;
    /// Late-move reduction: less on expected lines.
    lmr_pv = 541 in -1024..=4096 step 200;
    /// Late-move reduction: less for checks.
    lmr_check = 474 in -1024..=4096 step 200;
    /// Late-move reduction: less for noisy moves.
    lmr_noisy = 1045 in -1024..=4096 step 200;
    /// Late-move reduction: more for drops that give no check.
    lmr_drop = 172 in -1024..=4096 step 200;
    /// Late-move reduction: more if the table move is noisy.
    lmr_noisy_table = 0 in -1024..=4096 step 200;
    /// Late-move reduction: history worth one ply less.
    lmr_history = 6280 in 1024..=32768 step 1000;
    /// Re-search after a reduction: one ply deeper if the value is above the best one by this.
    deeper = 120 in 0..=1000 step 25;
    /// Re-search after a reduction: one ply shallower if the value is above the best one by less than this.
    shallower = 20 in 0..=200 step 6;

    /// Singular extension: least depth (127: off).
    singular_depth = 6 in 4..=127;
    /// Singular extension: margin of each ply below the value of the table, 1/16.
    singular_margin = 37 in 0..=160 step 6;
    /// Singular extension: two plies if no other move comes as near as this.
    singular_double = 69 in 0..=1000 step 12;
    /// Check extension: deepest depth (0: off).
    check_extension_depth = 0 in 0..=20;

    /// Probcut: least depth (127: off).
    probcut_depth = 5 in 3..=127;
    /// Probcut: margin above beta.
    probcut = 200 in 20..=1000 step 40;

    /// Correction of the evaluation by what searches of the same pawns made of it, 1/1024.
    correct_pawns = 700 in 0..=4096 step 200;
    /// The same by both hands.
    correct_hands = 700 in 0..=4096 step 200;
    /// The same by the places of minor pieces and kings.
    correct_minors = 700 in 0..=4096 step 200;
    /// The same by the last two moves.
    correct_moves = 700 in 0..=4096 step 200;

    /// Ordering: share of the history four plies before, 1/1024.
    history_four = 0 in 0..=4096 step 200;
    /// Ordering: share of the history by the hands, 1/1024.
    history_hands = 0 in 0..=4096 step 200;
    /// Histories: bonus of each ply of depth.
    history_bonus = 233 in 20..=600 step 25;
    /// Histories: greatest bonus.
    history_bonus_most = 1700 in 200..=8000 step 250;

    /// Quiescence, delta pruning: what a capture may gain beyond its victim.
    delta = 119 in 0..=800 step 35;
    /// Quiescence: quiet evasions tried while the score is not lost.
    quiet_evasions = 2 in 0..=20;
    /// Quiescence: quiet checks of pieces on the board at the first ply (0: no, 1: yes).
    board_checks = 0 in 0..=1;
    /// Quiescence: plies with drops that give check.
    check_plies = 1 in 0..=8;

    /// Ordering: worth of a check that loses nothing.
    check_bonus = 9374 in 0..=32000 step 2000;
    /// Ordering: cost of landing where an enemy pawn can take a better piece.
    pawn_attack_malus = 3000 in 0..=16000 step 600;
}

impl Params {
    /// Sets the constant `name`.
    ///
    /// # Errors
    /// If there is none of this name, or the value is out of its range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let unknown = || ParamError::Unknown(name.to_owned());
        let info = Self::LIST.iter().find(|info| info.name == name);
        let info = info.ok_or_else(unknown)?;
        if !(info.least..=info.most).contains(&value) {
            return Err(ParamError::Range {
                name: info.name,
                value,
                least: info.least,
                most: info.most,
            });
        }
        *self.slot(name).ok_or_else(unknown)? = value;
        Ok(())
    }

    /// Value of the constant `name`, if there is one.
    pub fn get(mut self, name: &str) -> Option<i32> {
        self.slot(name).copied()
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What differs from the values in use.
impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("Params");
        for info in Self::LIST {
            let value = self.get(info.name).unwrap_or(info.default);
            if value != info.default {
                all.field(info.name, &value);
            }
        }
        all.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_set_by_name_within_their_range() {
        let mut params = Params::default();
        params.set("razor", 400).unwrap();
        assert_eq!(params.get("razor"), Some(400));
        assert_eq!(params.razor, 400);
        let error = params.set("razor", 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "search constant razor = 1, expected 50 to 2000"
        );
        assert!(params.set("razr", 100).is_err());
        assert_eq!(format!("{params:?}"), "Params { razor: 400, .. }");
    }

    #[test]
    fn every_value_in_use_lies_in_its_range() {
        for info in Params::LIST {
            let mut params = Params::default();
            assert!(params.set(info.name, info.default).is_ok(), "{info:?}");
            assert_eq!(params, Params::default());
        }
    }
}
