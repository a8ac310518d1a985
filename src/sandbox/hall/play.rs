//! What players do in their games.

use super::Hall;
use crate::lichess::model::{ChatRoom, GameId};
use crate::rules::Color;
use crate::sandbox::answer::ApiError;
use crate::sandbox::game::{Claim, Refusal};
use crate::sandbox::table::Table;
use std::time::{Duration, Instant};

/// Longest line of the chat, characters.
const LONGEST_LINE: usize = 140;

/// An action in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// A move in UCI.
    Move {
        /// Move.
        uci: String,
        /// Draw offer sent with it.
        offering_draw: Option<bool>,
    },
    /// Abort.
    Abort,
    /// Resign.
    Resign,
    /// Offer, accept or decline a draw.
    Draw(bool),
    /// Propose, accept or decline a takeback.
    Takeback(bool),
    /// Claim the win or a draw against an absent opponent.
    Claim(Claim),
    /// Give the opponent time.
    AddTime(Duration),
    /// Write in the chat.
    Chat {
        /// Room.
        room: ChatRoom,
        /// Text of 1 to 140 characters.
        text: String,
    },
}

impl Hall {
    /// Carries out an action of a bot through its API.
    ///
    /// # Errors
    /// 404 and 400 as the endpoint of the action answers.
    pub(crate) fn act(
        &mut self,
        user: &str,
        id: &GameId,
        action: Action,
        now: Instant,
    ) -> Result<(), ApiError> {
        let (_, color) = self.seat_at(user, id)?;
        self.act_as(color, id, action, now)
    }

    /// A scripted player leaves the board.
    pub(crate) fn leave(&mut self, id: &GameId, color: Color, now: Instant) {
        if let Some(table) = self.tables.get_mut(id) {
            let seat = &mut table.seats[color.index()];
            seat.left = true;
            seat.presence.set_here(false, now);
        }
    }

    /// Carries out an action of one side, whoever plays it.
    ///
    /// # Errors
    /// 404 for an unknown game, 400 with the reason when the action is refused.
    pub(crate) fn act_as(
        &mut self,
        color: Color,
        id: &GameId,
        action: Action,
        now: Instant,
    ) -> Result<(), ApiError> {
        let table = self
            .tables
            .get_mut(id)
            .ok_or_else(|| ApiError::not_found("No such game"))?;
        let was_over = table.referee.is_over();
        apply(table, color, action, now)?;
        if table.referee.is_over() && !was_over {
            self.conclude(id, now);
        }
        Ok(())
    }
}

fn apply(table: &mut Table, color: Color, action: Action, now: Instant) -> Result<(), ApiError> {
    let opponent_is_gone = table.seat(!color).presence.is_claimable(now);
    let referee = &mut table.referee;
    let notices = match action {
        Action::Move { uci, offering_draw } => referee.play(color, &uci, offering_draw, now),
        Action::Abort if table.tournament.is_some() => Err(Refusal::NoAbort),
        Action::Abort => referee.abort(now),
        Action::Resign => referee.resign(color, now),
        Action::Draw(yes) => Ok(referee.draw(color, yes, now)),
        Action::Takeback(yes) => Ok(referee.takeback(color, yes, now)),
        Action::Claim(claim) => referee.claim(color, claim, opponent_is_gone, now),
        Action::AddTime(time) => Ok(referee.add_time(color, time)),
        Action::Chat { room, text } => {
            check_line(&text)?;
            // Links are dropped silently, as Lichess does.
            if !text.contains("://") {
                let author = table.seat(color).player.display_name();
                table.say(room, &author, &text);
            }
            return Ok(());
        }
    };
    let notices = notices.map_err(|refusal| refused(&refusal))?;
    table.spread(&notices, now);
    Ok(())
}

fn refused(refusal: &Refusal) -> ApiError {
    ApiError::bad_request(&refusal.to_string())
}

fn check_line(text: &str) -> Result<(), ApiError> {
    if text.trim().is_empty() {
        return Err(ApiError::form("text", "This field is required"));
    }
    if text.chars().count() > LONGEST_LINE {
        return Err(ApiError::form("text", "Maximum length is 140"));
    }
    Ok(())
}
