//! Section `[game]`: conduct during a game.

use super::reader::Reader;
use super::{HOUR, MINUTE, SECOND};
use std::time::Duration;

/// Section `[game]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSettings {
    /// Thinking time of the first own move.
    pub first_move_time: Duration,
    /// Thinking time of each move in a game without a clock.
    pub clockless_move_time: Duration,
    /// Abort when a human does not make the first move in this time.
    pub abort_after_human: Duration,
    /// The same for bots.
    pub abort_after_bot: Duration,
    /// Claim the win when the opponent has left.
    pub claim_victory: bool,
    /// Accept draw offers when not better.
    pub accept_draw: bool,
    /// Highest own score at which a draw offer is accepted, centipawns.
    pub accept_draw_score_cp: i32,
    /// Draw offers before this ply are declined.
    pub accept_draw_min_ply: u32,
    /// Takebacks accepted in one game.
    pub max_takebacks: u32,
}

impl GameSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "game";
        Self {
            first_move_time: r.duration(S, "first_move_time", Duration::ZERO..=MINUTE),
            clockless_move_time: r.duration(S, "clockless_move_time", Duration::ZERO..=HOUR),
            abort_after_human: r.duration(S, "abort_after_human", SECOND..=24 * HOUR),
            abort_after_bot: r.duration(S, "abort_after_bot", SECOND..=24 * HOUR),
            claim_victory: r.flag(S, "claim_victory"),
            accept_draw: r.flag(S, "accept_draw"),
            accept_draw_score_cp: r.number(S, "accept_draw_score_cp", -100_000..=100_000),
            accept_draw_min_ply: r.number(S, "accept_draw_min_ply", 0..=100_000),
            max_takebacks: r.number(S, "max_takebacks", 0..=100_000),
        }
    }
}
