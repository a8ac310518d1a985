//! What goes on beside the moves: draw offers, takebacks, an opponent who left or never moves. Decides what to answer;
//! pure, the time is passed in.

use super::draw::{self, DrawFacts};
use crate::engine::Score;
use crate::lichess::model::OpponentGone;
use crate::settings::GameSettings;
use std::time::{Duration, Instant};

/// The server repeats "gone" every 5 s; after so much silence the opponent may be back, which a reopened stream
/// does not always tell.
const GONE_EXPIRES: Duration = Duration::from_secs(15);

/// What is to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Accept or decline a draw.
    Draw(bool),
    /// Accept or decline a takeback.
    Takeback(bool),
    /// Claim the win: the opponent has left.
    ClaimVictory,
    /// Abort: the opponent does not begin.
    Abort,
}

/// Running game as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OfferFacts {
    pub now: Instant,
    /// Plies played.
    pub ply: u32,
    /// Whether we are to move.
    pub my_turn: bool,
    /// Whether a move of ours is on its way, which declines a takeback.
    pub committed: bool,
    /// Whether the opponent's draw offer stands.
    pub draw_offered: bool,
    /// Whether the opponent's takeback proposal stands.
    pub takeback_proposed: bool,
    /// Score of our last search.
    pub score: Option<Score>,
    /// Whether the opponent is a bot.
    pub opponent_is_bot: bool,
    /// Whether the game belongs to a tournament, where nothing can be aborted.
    pub tournament: bool,
}

#[derive(Debug)]
struct Gone {
    claimable: bool,
    heard: Instant,
}

/// State of one game's offers.
#[derive(Debug)]
pub(super) struct Offers {
    draw_answered: bool,
    takeback_answered: bool,
    takebacks: u32,
    gone: Option<Gone>,
    waiting_since: Instant,
    abort_refused: bool,
}

impl Offers {
    pub(super) const fn new(now: Instant) -> Self {
        Self {
            draw_answered: false,
            takeback_answered: false,
            takebacks: 0,
            gone: None,
            waiting_since: now,
            abort_refused: false,
        }
    }

    /// The move list changed.
    pub(super) const fn moved(&mut self, now: Instant) {
        self.waiting_since = now;
        self.draw_answered = false;
        self.takeback_answered = false;
    }

    /// A line tells that the opponent left or came back.
    pub(super) fn opponent_gone(&mut self, line: OpponentGone, now: Instant) {
        self.gone = line.gone.then(|| Gone {
            claimable: line
                .claim_win_in_seconds
                .is_some_and(|seconds| seconds <= 0),
            heard: now,
        });
    }

    /// The server refused to abort; it will not change its mind.
    pub(super) const fn abort_refused(&mut self) {
        self.abort_refused = true;
    }

    /// What to send now, one thing at a time.
    pub(super) fn step(&mut self, facts: &OfferFacts, settings: &GameSettings) -> Option<Action> {
        if !facts.takeback_proposed {
            self.takeback_answered = false;
        } else if !self.takeback_answered && !facts.committed {
            self.takeback_answered = true;
            let accept = self.takebacks < settings.max_takebacks;
            self.takebacks += u32::from(accept);
            return Some(Action::Takeback(accept));
        }
        // On our own turn the offer is answered with the move, when the score of this position is known.
        if !facts.draw_offered {
            self.draw_answered = false;
        } else if !self.draw_answered && !facts.my_turn {
            self.draw_answered = true;
            let judged = DrawFacts {
                score: facts.score,
                ply: facts.ply,
            };
            return Some(Action::Draw(draw::accepts(judged, settings)));
        }
        if !facts.my_turn && facts.ply >= 2 && settings.claim_victory {
            let claimable = self.gone.as_mut().filter(|gone| {
                gone.claimable && facts.now.saturating_duration_since(gone.heard) < GONE_EXPIRES
            });
            if let Some(gone) = claimable {
                // Once for each line that says so.
                gone.claimable = false;
                return Some(Action::ClaimVictory);
            }
        }
        if self
            .abort_deadline(facts, settings)
            .is_some_and(|deadline| facts.now >= deadline)
        {
            self.waiting_since = facts.now;
            return Some(Action::Abort);
        }
        None
    }

    /// When the game is to be aborted if the opponent does not begin; challenge games have no timer of the server.
    pub(super) fn abort_deadline(
        &self,
        facts: &OfferFacts,
        settings: &GameSettings,
    ) -> Option<Instant> {
        if facts.my_turn || facts.ply >= 2 || facts.tournament || self.abort_refused {
            return None;
        }
        let patience = if facts.opponent_is_bot {
            settings.abort_after_bot
        } else {
            settings.abort_after_human
        };
        self.waiting_since.checked_add(patience)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    const S: Duration = Duration::from_secs(1);

    fn settings() -> GameSettings {
        Settings::defaults().game
    }

    fn facts(now: Instant) -> OfferFacts {
        OfferFacts {
            now,
            ply: 80,
            my_turn: false,
            committed: false,
            draw_offered: false,
            takeback_proposed: false,
            score: Some(Score::Cp(-200)),
            opponent_is_bot: false,
            tournament: false,
        }
    }

    fn gone(seconds: i64) -> OpponentGone {
        OpponentGone {
            gone: true,
            claim_win_in_seconds: Some(seconds),
        }
    }

    #[test]
    fn a_draw_offer_on_the_opponents_turn_is_answered_once() {
        let now = Instant::now();
        let mut offers = Offers::new(now);
        let offered = OfferFacts {
            draw_offered: true,
            ..facts(now)
        };
        assert_eq!(offers.step(&facts(now), &settings()), None);
        assert_eq!(offers.step(&offered, &settings()), Some(Action::Draw(true)));
        assert_eq!(offers.step(&offered, &settings()), None);
        assert_eq!(offers.step(&facts(now), &settings()), None);
        let better = OfferFacts {
            score: Some(Score::Cp(50)),
            ..offered
        };
        assert_eq!(offers.step(&better, &settings()), Some(Action::Draw(false)));
    }

    #[test]
    fn a_draw_offer_on_our_turn_waits_for_the_search() {
        let now = Instant::now();
        let mut offers = Offers::new(now);
        let offered = OfferFacts {
            draw_offered: true,
            my_turn: true,
            ..facts(now)
        };
        assert_eq!(offers.step(&offered, &settings()), None);
    }

    #[test]
    fn takebacks_are_accepted_up_to_the_limit_and_not_under_a_move_on_its_way() {
        let now = Instant::now();
        let mut offers = Offers::new(now);
        let settings = GameSettings {
            max_takebacks: 1,
            ..settings()
        };
        let proposed = OfferFacts {
            takeback_proposed: true,
            ..facts(now)
        };
        let committed = OfferFacts {
            committed: true,
            ..proposed
        };
        assert_eq!(offers.step(&committed, &settings), None);
        assert_eq!(
            offers.step(&proposed, &settings),
            Some(Action::Takeback(true))
        );
        assert_eq!(offers.step(&proposed, &settings), None);
        offers.moved(now);
        assert_eq!(
            offers.step(&proposed, &settings),
            Some(Action::Takeback(false))
        );
    }

    #[test]
    fn victory_is_claimed_at_zero_on_the_opponents_turn_once_for_each_line() {
        let now = Instant::now();
        let mut offers = Offers::new(now);
        offers.opponent_gone(gone(5), now);
        assert_eq!(offers.step(&facts(now), &settings()), None);
        offers.opponent_gone(gone(0), now);
        let ours = OfferFacts {
            my_turn: true,
            ..facts(now)
        };
        assert_eq!(offers.step(&ours, &settings()), None);
        assert_eq!(
            offers.step(&facts(now), &settings()),
            Some(Action::ClaimVictory)
        );
        assert_eq!(offers.step(&facts(now), &settings()), None);
        offers.opponent_gone(gone(0), now);
        let unwanted = GameSettings {
            claim_victory: false,
            ..settings()
        };
        assert_eq!(offers.step(&facts(now), &unwanted), None);
        assert_eq!(
            offers.step(&facts(now), &settings()),
            Some(Action::ClaimVictory)
        );
    }

    #[test]
    fn an_opponent_who_is_back_or_silent_for_long_is_not_gone() {
        let now = Instant::now();
        let mut offers = Offers::new(now);
        offers.opponent_gone(gone(0), now);
        assert_eq!(offers.step(&facts(now + 15 * S), &settings()), None);
        offers.opponent_gone(gone(0), now);
        offers.opponent_gone(
            OpponentGone {
                gone: false,
                claim_win_in_seconds: None,
            },
            now,
        );
        assert_eq!(offers.step(&facts(now), &settings()), None);
    }

    #[test]
    fn a_game_is_aborted_only_while_the_opponent_owes_the_first_move() {
        let now = Instant::now();
        let (human, bot) = (60 * S, 30 * S);
        let start = OfferFacts {
            ply: 0,
            ..facts(now)
        };
        let later = |wait, facts| OfferFacts {
            now: now + wait,
            ..facts
        };
        let mut offers = Offers::new(now);
        assert_eq!(
            offers.abort_deadline(&start, &settings()),
            Some(now + human)
        );
        assert_eq!(offers.step(&later(59 * S, start), &settings()), None);
        assert_eq!(
            offers.step(&later(human, start), &settings()),
            Some(Action::Abort)
        );
        assert_eq!(offers.step(&later(human, start), &settings()), None);
        assert_eq!(
            offers.step(&later(human * 2, start), &settings()),
            Some(Action::Abort)
        );
        offers.abort_refused();
        assert_eq!(offers.step(&later(human * 5, start), &settings()), None);

        let mut offers = Offers::new(now);
        let machine = OfferFacts {
            opponent_is_bot: true,
            ply: 1,
            ..facts(now)
        };
        assert_eq!(
            offers.step(&later(bot, machine), &settings()),
            Some(Action::Abort)
        );
        let no_case = [
            OfferFacts {
                my_turn: true,
                ..machine
            },
            OfferFacts { ply: 2, ..machine },
            OfferFacts {
                tournament: true,
                ..machine
            },
        ];
        for facts in no_case {
            assert_eq!(
                Offers::new(now).step(&later(bot, facts), &settings()),
                None,
                "{facts:?}"
            );
        }
    }
}
