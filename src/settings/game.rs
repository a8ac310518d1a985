//! Section `[game]`: conduct during a game, with the sections in it.

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
    /// Takebacks of bots are declined.
    pub takebacks_humans_only: bool,
    /// An opponent with less time than this and than us, and without increment, is about to flag.
    pub flagging_clock: Duration,
    /// Seconds given to a human whose clock runs low, 5 to 60; `None`: none.
    pub give_time_s: Option<u32>,
    /// What a low clock is.
    pub give_time_below: Duration,
    /// How often time is given in one game.
    pub give_time_max: u32,
    /// Section `[game.draw]`.
    pub draw: DrawSettings,
    /// Section `[game.resign]`.
    pub resign: ResignSettings,
    /// Section `[game.correspondence]`.
    pub correspondence: CorrespondenceSettings,
}

/// Section `[game.draw]`: offering draws, and who is offered one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawSettings {
    /// Offer draws.
    pub offer: bool,
    /// How far from 0 the own score may be, centipawns.
    pub offer_score_cp: i32,
    /// Own moves in a row with such a score.
    pub offer_moves: usize,
    /// No offer before this ply.
    pub offer_min_ply: u32,
    /// Offer to humans and accept from them.
    pub humans: bool,
    /// Offer to bots and accept from them.
    pub bots: bool,
    /// Lowest rating of an opponent who is offered a draw or whose offer is accepted; 0: any, and those without one.
    pub min_rating: i32,
    /// Own clock below which any offer is accepted if there is no increment and the opponent has more.
    pub short_clock: Duration,
}

/// Section `[game.resign]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignSettings {
    /// Resign at all.
    pub enabled: bool,
    /// Highest own score of a lost game, centipawns.
    pub score_cp: i32,
    /// Own moves in a row with such a score.
    pub moves: usize,
    /// Mate against us in at most so many moves is reason enough; 0: it is not.
    pub mate_in: u32,
    /// Never before this ply.
    pub min_ply: u32,
    /// Resign to humans.
    pub humans: bool,
    /// Resign to bots.
    pub bots: bool,
    /// Lowest rating of an opponent who is resigned to; 0: any, and those without one.
    pub min_rating: i32,
}

/// Section `[game.correspondence]`: games without a clock and with days for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CorrespondenceSettings {
    /// Pause between two looks whether the opponent has moved.
    pub checkin_period: Duration,
    /// How long a game stays open after our move.
    pub stay: Duration,
    /// Such games open at a time.
    pub games_at_once: usize,
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
            takebacks_humans_only: r.flag(S, "takebacks_humans_only"),
            flagging_clock: r.duration(S, "flagging_clock", Duration::ZERO..=HOUR),
            give_time_s: Self::read_give_time(r),
            give_time_below: r.duration(S, "give_time_below", SECOND..=HOUR),
            give_time_max: r.number(S, "give_time_max", 0..=1000),
            draw: DrawSettings::read(r),
            resign: ResignSettings::read(r),
            correspondence: CorrespondenceSettings::read(r),
        }
    }

    /// Takebacks accepted in a game with one kind of opponent.
    pub const fn takebacks_for(&self, is_bot: bool) -> u32 {
        if self.takebacks_humans_only && is_bot {
            0
        } else {
            self.max_takebacks
        }
    }

    /// Lichess takes 5 to 60 seconds.
    fn read_give_time(r: &mut Reader) -> Option<u32> {
        const KEY: &str = "give_time_s";
        let seconds = r.number("game", KEY, 0..=60);
        if (1..5).contains(&seconds) {
            r.refuse("game", KEY, "0, or 5 to 60");
        }
        (seconds > 0).then_some(seconds)
    }
}

impl DrawSettings {
    fn read(r: &mut Reader) -> Self {
        const S: &str = "game.draw";
        Self {
            offer: r.flag(S, "offer"),
            offer_score_cp: r.number(S, "offer_score_cp", 0..=100_000),
            offer_moves: r.number(S, "offer_moves", 1..=1000),
            offer_min_ply: r.number(S, "offer_min_ply", 2..=100_000),
            humans: r.flag(S, "humans"),
            bots: r.flag(S, "bots"),
            min_rating: r.number(S, "min_rating", 0..=4000),
            short_clock: r.duration(S, "short_clock", Duration::ZERO..=HOUR),
        }
    }
}

impl ResignSettings {
    fn read(r: &mut Reader) -> Self {
        const S: &str = "game.resign";
        Self {
            enabled: r.flag(S, "enabled"),
            score_cp: r.number(S, "score_cp", -100_000..=0),
            moves: r.number(S, "moves", 1..=1000),
            mate_in: r.number(S, "mate_in", 0..=100),
            min_ply: r.number(S, "min_ply", 2..=100_000),
            humans: r.flag(S, "humans"),
            bots: r.flag(S, "bots"),
            min_rating: r.number(S, "min_rating", 0..=4000),
        }
    }
}

impl CorrespondenceSettings {
    fn read(r: &mut Reader) -> Self {
        const S: &str = "game.correspondence";
        Self {
            checkin_period: r.duration(S, "checkin_period", MINUTE..=24 * HOUR),
            stay: r.duration(S, "stay", Duration::ZERO..=HOUR),
            games_at_once: r.number(S, "games_at_once", 1..=100),
        }
    }
}
