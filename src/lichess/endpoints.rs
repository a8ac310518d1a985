//! One method per endpoint. Each needs the scope `bot:play` unless it says otherwise.
//!
//! Every method fails with an [`Error`] whose [`kind`](Error::kind) tells what to do about it.

#![expect(clippy::missing_errors_doc, reason = "said once above")]

use super::answer::{cut, object};
use super::client::{Client, Limit, body, finish};
use super::error::{ApiError, Error};
use super::model::{
    Account, Challenge, ChallengeRequest, ChatRoom, DeclineReason, GameId, GameInfo, PlayingList,
    TokenInfo, Tournament, TournamentList, UserStatus,
};
use super::stream::{ChallengeStream, EventStream, GameStream, LineStream};
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, DATE};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Longest chat line, in the server's unit (UTF-16 code units).
pub const MAX_CHAT: usize = 140;

/// Longest text in a path: a user name or game id is far shorter.
const MAX_SEGMENT: usize = 64;

/// What became of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveOutcome {
    /// Played, or the draw it carried was agreed.
    Accepted,
    /// Not played: illegal, not our turn, or the game is over.
    Rejected {
        /// What the server says, for people.
        reason: String,
    },
}

/// Answer of a ping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pong {
    /// Time from the request to the answer.
    pub took: Duration,
    /// The server's clock, in whole seconds.
    pub date: Option<jiff::Timestamp>,
}

type Result<T, E = Error> = std::result::Result<T, E>;

/// Server.
impl Client {
    /// `GET /__ping`: how long an answer takes. No token is sent.
    pub async fn ping(&self) -> Result<Pong> {
        const ENDPOINT: &str = "GET /__ping";
        let start = Instant::now();
        let request = self.request(Method::GET, "/__ping", Limit::Request);
        let response = self.send_anonymous(ENDPOINT, request).await?;
        let took = start.elapsed();
        let date = response.headers().get(DATE);
        let date = date
            .and_then(|value| value.to_str().ok())
            .and_then(|text| jiff::fmt::rfc2822::parse(text.trim()).ok())
            .map(|zoned| zoned.timestamp());
        finish(response).await;
        Ok(Pong { took, date })
    }
}

/// Account.
impl Client {
    /// `GET /api/account`: the token's owner. Any scope; 30 calls in 5 minutes.
    pub async fn account(&self) -> Result<Account> {
        const ENDPOINT: &str = "GET /api/account";
        let account: Account = self.get_json(ENDPOINT, "/api/account", &[]).await?;
        // Which player we are in a game is told by the id.
        if account.id.is_empty() {
            let reason = "an account without id".to_owned();
            return Err(Error::Decode {
                endpoint: ENDPOINT,
                reason,
                body: String::new(),
            });
        }
        Ok(account)
    }

    /// `POST /api/token/test`: owner and scopes of the token, `None` if the server does not know
    /// it or the client has none.
    pub async fn token_info(&self) -> Result<Option<TokenInfo>> {
        const ENDPOINT: &str = "POST /api/token/test";
        let Some(token) = self.token() else {
            return Ok(None);
        };
        let request = self
            .request(Method::POST, "/api/token/test", Limit::Request)
            .header(CONTENT_TYPE, "text/plain")
            .body(token.test_body());
        let response = self.send_anonymous(ENDPOINT, request).await?;
        let mut answers: BTreeMap<String, Option<TokenInfo>> =
            self.json(ENDPOINT, response).await?;
        // One token was asked for, so there is one answer, and no need to look the token up.
        Ok(answers.pop_first().and_then(|(_, info)| info))
    }

    /// `POST /api/bot/account/upgrade`: makes the account a bot account, for good. Rejected if it
    /// has played a game.
    pub async fn upgrade(&self) -> Result<()> {
        let endpoint = "POST /api/bot/account/upgrade";
        self.post(endpoint, "/api/bot/account/upgrade", &[]).await
    }

    /// `GET /api/account/playing`: running games, most urgent first, at most 50.
    pub async fn playing(&self) -> Result<Vec<GameInfo>> {
        let endpoint = "GET /api/account/playing";
        let list: PlayingList = self
            .get_json(endpoint, "/api/account/playing", &[("nb", "50")])
            .await?;
        Ok(list.now_playing)
    }
}

/// Streams.
impl Client {
    /// `GET /api/stream/event`: challenges and games. Ends any other event stream of the account;
    /// 30 connects in 10 minutes.
    pub async fn stream_events(&self) -> Result<EventStream> {
        self.open("GET /api/stream/event", "/api/stream/event")
            .await
    }

    /// `GET /api/bot/game/stream/{id}`: a game, whole in its first line.
    pub async fn stream_game(&self, game: &GameId) -> Result<GameStream> {
        const ENDPOINT: &str = "GET /api/bot/game/stream/{id}";
        let id = segment(ENDPOINT, game.as_str())?;
        self.open(ENDPOINT, &format!("/api/bot/game/stream/{id}"))
            .await
    }
}

/// Actions in a game.
impl Client {
    /// `POST /api/bot/game/{id}/move/{uci}`: plays a move, with a draw offer (or the acceptance of
    /// one) if `offering_draw`. An error leaves it uncertain whether the move counted, unless
    /// [`Error::is_unsent`]: the game's stream knows.
    pub async fn make_move(
        &self,
        game: &GameId,
        uci: &str,
        offering_draw: bool,
    ) -> Result<MoveOutcome> {
        const ENDPOINT: &str = "POST /api/bot/game/{id}/move/{uci}";
        let (id, uci) = (segment(ENDPOINT, game.as_str())?, segment(ENDPOINT, uci)?);
        let path = format!("/api/bot/game/{id}/move/{uci}");
        let mut request = without_body(self.request(Method::POST, &path, Limit::Move));
        // Sending `false` would decline the opponent's offer, so the word is left out.
        if offering_draw {
            request = request.query(&[("offeringDraw", "true")]);
        }
        match self.send(ENDPOINT, request).await {
            Ok(response) => {
                finish(response).await;
                Ok(MoveOutcome::Accepted)
            }
            Err(Error::Status(error)) if error.status == 400 => {
                let ApiError {
                    message: reason, ..
                } = *error;
                Ok(MoveOutcome::Rejected { reason })
            }
            Err(error) => Err(error),
        }
    }

    /// `POST /api/bot/game/{id}/abort`: possible before two plies were played.
    pub async fn abort(&self, game: &GameId) -> Result<()> {
        self.game_action("POST /api/bot/game/{id}/abort", game, "abort")
            .await
    }

    /// `POST /api/bot/game/{id}/resign`: aborts instead while that is possible.
    pub async fn resign(&self, game: &GameId) -> Result<()> {
        self.game_action("POST /api/bot/game/{id}/resign", game, "resign")
            .await
    }

    /// `POST /api/bot/game/{id}/draw/{yes|no}`: offers or accepts, or declines. Success does not
    /// mean that anything happened.
    pub async fn draw(&self, game: &GameId, yes: bool) -> Result<()> {
        let action = if yes { "draw/yes" } else { "draw/no" };
        self.game_action("POST /api/bot/game/{id}/draw/{yes|no}", game, action)
            .await
    }

    /// `POST /api/bot/game/{id}/takeback/{yes|no}`: proposes or accepts, or declines. Success does
    /// not mean that anything happened.
    pub async fn takeback(&self, game: &GameId, yes: bool) -> Result<()> {
        let action = if yes { "takeback/yes" } else { "takeback/no" };
        self.game_action("POST /api/bot/game/{id}/takeback/{yes|no}", game, action)
            .await
    }

    /// `POST /api/bot/game/{id}/claim-victory`: wins against an opponent long gone. Success does
    /// not mean that it did.
    pub async fn claim_victory(&self, game: &GameId) -> Result<()> {
        self.game_action(
            "POST /api/bot/game/{id}/claim-victory",
            game,
            "claim-victory",
        )
        .await
    }

    /// `POST /api/round/{id}/add-time/{seconds}`: gives the opponent 5 to 60 seconds. Needs the scope
    /// `challenge:write`. Success does not mean that anything happened: both accounts must allow it.
    pub async fn add_time(&self, game: &GameId, seconds: u32) -> Result<()> {
        const ENDPOINT: &str = "POST /api/round/{id}/add-time/{seconds}";
        let id = segment(ENDPOINT, game.as_str())?;
        self.post(
            ENDPOINT,
            &format!("/api/round/{id}/add-time/{seconds}"),
            &[],
        )
        .await
    }

    /// `POST /api/bot/game/{id}/chat`: writes a line. It is cut to the 140 characters that the
    /// server takes; a blank one is not sent.
    pub async fn chat(&self, game: &GameId, room: ChatRoom, text: &str) -> Result<()> {
        const ENDPOINT: &str = "POST /api/bot/game/{id}/chat";
        let text = chat_text(text);
        if text.is_empty() {
            return Ok(());
        }
        let id = segment(ENDPOINT, game.as_str())?;
        let form = [("room", room.word()), ("text", text)];
        self.post(ENDPOINT, &format!("/api/bot/game/{id}/chat"), &form)
            .await
    }

    /// `GET /game/export/{id}`: the game as PGN. No scope; a running game is shown three moves
    /// late.
    pub async fn export_pgn(&self, game: &GameId) -> Result<String> {
        const ENDPOINT: &str = "GET /game/export/{id}";
        let id = segment(ENDPOINT, game.as_str())?;
        let request = self
            .request(Method::GET, &format!("/game/export/{id}"), Limit::Request)
            .header(ACCEPT, "application/x-chess-pgn");
        let response = self.send(ENDPOINT, request).await?;
        let body = body(ENDPOINT, response).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    async fn game_action(&self, endpoint: &'static str, game: &GameId, action: &str) -> Result<()> {
        let id = segment(endpoint, game.as_str())?;
        self.post(endpoint, &format!("/api/bot/game/{id}/{action}"), &[])
            .await
    }
}

/// Challenges and opponents.
impl Client {
    /// `POST /api/challenge/{id}/accept`: also accepts an offered rematch. The game starts with a
    /// `gameStart`.
    pub async fn accept_challenge(&self, challenge: &GameId) -> Result<()> {
        const ENDPOINT: &str = "POST /api/challenge/{id}/accept";
        let id = segment(ENDPOINT, challenge.as_str())?;
        self.post(ENDPOINT, &format!("/api/challenge/{id}/accept"), &[])
            .await
    }

    /// `POST /api/challenge/{id}/decline`: also declines an offered rematch.
    pub async fn decline_challenge(&self, challenge: &GameId, reason: DeclineReason) -> Result<()> {
        const ENDPOINT: &str = "POST /api/challenge/{id}/decline";
        let id = segment(ENDPOINT, challenge.as_str())?;
        let form = [("reason", reason.word())];
        self.post(ENDPOINT, &format!("/api/challenge/{id}/decline"), &form)
            .await
    }

    /// `POST /api/challenge/{id}/cancel`: takes a challenge of ours back, or aborts the game it
    /// became if that is still possible.
    pub async fn cancel_challenge(&self, challenge: &GameId) -> Result<()> {
        const ENDPOINT: &str = "POST /api/challenge/{id}/cancel";
        let id = segment(ENDPOINT, challenge.as_str())?;
        self.post(ENDPOINT, &format!("/api/challenge/{id}/cancel"), &[])
            .await
    }

    /// `POST /api/challenge/{username}`: challenges a player. The challenge goes offline after
    /// about 20 s, of which no event tells.
    pub async fn create_challenge(
        &self,
        user: &str,
        challenge: &ChallengeRequest,
    ) -> Result<Challenge> {
        const ENDPOINT: &str = "POST /api/challenge/{username}";
        let path = format!("/api/challenge/{}", segment(ENDPOINT, user)?);
        let request = self
            .request(Method::POST, &path, Limit::Request)
            .form(&challenge.form());
        let response = self.send(ENDPOINT, request).await?;
        let body = body(ENDPOINT, response).await?;
        // Older servers wrap the object.
        if let Ok(Wrapped { challenge }) = object(&body) {
            return Ok(challenge);
        }
        object(&body).map_err(|error| self.undecodable(ENDPOINT, &error, &body))
    }

    /// The same with `keepAliveStream`: the challenge stays open while the stream is, at most for `most`. Its first
    /// line is the challenge, its last what became of it; between them come blank lines, seldom.
    pub async fn challenge_stream(
        &self,
        user: &str,
        challenge: &ChallengeRequest,
        most: Duration,
    ) -> Result<ChallengeStream> {
        const ENDPOINT: &str = "POST /api/challenge/{username}";
        let path = format!("/api/challenge/{}", segment(ENDPOINT, user)?);
        let mut form = challenge.form();
        form.push(("keepAliveStream", "true".to_owned()));
        let request = self
            .slow_stream_request(Method::POST, &path, most)
            .header(ACCEPT, "application/x-ndjson")
            .form(&form);
        Ok(LineStream::new(self.send(ENDPOINT, request).await?))
    }

    /// `GET /api/users/status`: who of up to 100 ids is online and playing. No scope.
    pub async fn users_status(&self, ids: &[String]) -> Result<Vec<UserStatus>> {
        const ENDPOINT: &str = "GET /api/users/status";
        /// Most ids that the server takes.
        const MOST: usize = 100;
        let mut known = Vec::new();
        for id in ids.iter().take(MOST) {
            known.push(segment(ENDPOINT, id)?);
        }
        let request = self
            .request(Method::GET, "/api/users/status", Limit::Request)
            .query(&[("ids", known.join(","))]);
        let response = self.send(ENDPOINT, request).await?;
        let body = body(ENDPOINT, response).await?;
        serde_json::from_slice(&body).map_err(|error| self.undecodable(ENDPOINT, &error, &body))
    }

    /// `GET /api/bot/online`: up to `limit` (1 to 512) bots that are online. No scope. Users of
    /// unexpected shape are left out.
    pub async fn online_bots(&self, limit: u32) -> Result<Vec<Account>> {
        const ENDPOINT: &str = "GET /api/bot/online";
        let request = self
            .request(Method::GET, "/api/bot/online", Limit::Request)
            .query(&[("nb", limit.clamp(1, 512))]);
        let response = self.send(ENDPOINT, request).await?;
        let body = body(ENDPOINT, response).await?;
        let lines = body.split(|&b| b == b'\n');
        Ok(lines
            .filter_map(|line| object(line).ok())
            .filter(|bot: &Account| !bot.id.is_empty())
            .collect())
    }
}

#[derive(Deserialize)]
struct Wrapped {
    challenge: Challenge,
}

/// Arenas.
impl Client {
    /// `GET /api/tournament`: arenas that run or start soon. No scope.
    pub async fn tournaments(&self) -> Result<TournamentList> {
        self.get_json("GET /api/tournament", "/api/tournament", &[])
            .await
    }

    /// `GET /api/tournament/{id}`: one arena. No scope.
    pub async fn tournament(&self, id: &str) -> Result<Tournament> {
        const ENDPOINT: &str = "GET /api/tournament/{id}";
        let path = format!("/api/tournament/{}", segment(ENDPOINT, id)?);
        self.get_json(ENDPOINT, &path, &[]).await
    }

    /// `POST /api/tournament/{id}/join`: joins an arena, or takes it up again after a pause; 30 times in 10 minutes.
    /// Rejected if the arena lets no bots in or wants another password.
    pub async fn join_tournament(
        &self,
        id: &str,
        password: Option<&str>,
        team: Option<&str>,
    ) -> Result<()> {
        const ENDPOINT: &str = "POST /api/tournament/{id}/join";
        let path = format!("/api/tournament/{}/join", segment(ENDPOINT, id)?);
        let form: Vec<(&str, &str)> = [("password", password), ("team", team)]
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect();
        self.post(ENDPOINT, &path, &form).await
    }

    /// `POST /api/tournament/{id}/withdraw`: leaves an arena that has not started, or pauses in one that runs.
    pub async fn withdraw_tournament(&self, id: &str) -> Result<()> {
        const ENDPOINT: &str = "POST /api/tournament/{id}/withdraw";
        let path = format!("/api/tournament/{}/withdraw", segment(ENDPOINT, id)?);
        self.post(ENDPOINT, &path, &[]).await
    }
}

/// Shapes of requests.
impl Client {
    async fn get_json<T: DeserializeOwned>(
        &self,
        endpoint: &'static str,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T> {
        let request = self.request(Method::GET, path, Limit::Request).query(query);
        let response = self.send(endpoint, request).await?;
        self.json(endpoint, response).await
    }

    pub(super) async fn json<T: DeserializeOwned>(
        &self,
        endpoint: &'static str,
        response: reqwest::Response,
    ) -> Result<T> {
        let body = body(endpoint, response).await?;
        object(&body).map_err(|error| self.undecodable(endpoint, &error, &body))
    }

    async fn post(&self, endpoint: &'static str, path: &str, form: &[(&str, &str)]) -> Result<()> {
        let request = self.request(Method::POST, path, Limit::Request);
        let request = if form.is_empty() {
            without_body(request)
        } else {
            request.form(form)
        };
        let response = self.send(endpoint, request).await?;
        finish(response).await;
        Ok(())
    }

    async fn open<T: DeserializeOwned>(
        &self,
        endpoint: &'static str,
        path: &str,
    ) -> Result<LineStream<T>> {
        let request = self
            .stream_request(path)
            .header(ACCEPT, "application/x-ndjson");
        Ok(LineStream::new(self.send(endpoint, request).await?))
    }
}

/// Says that there is no body; some servers refuse a POST that leaves its length open.
fn without_body(request: RequestBuilder) -> RequestBuilder {
    request.header(CONTENT_LENGTH, 0)
}

/// A text from outside as part of a path: only what ids, names and moves consist of, so that no
/// text can reach another endpoint.
fn segment<'a>(endpoint: &'static str, value: &'a str) -> Result<&'a str> {
    let fits = (1..=MAX_SEGMENT).contains(&value.len())
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_@".contains(&b));
    if fits {
        Ok(value)
    } else {
        Err(Error::Segment {
            endpoint,
            value: cut(value),
        })
    }
}

/// Trims a chat line and cuts it to what the server takes.
fn chat_text(text: &str) -> &str {
    let text = text.trim();
    let mut units = 0;
    let end = text
        .char_indices()
        .find(|(_, c)| {
            units += c.len_utf16();
            units > MAX_CHAT
        })
        .map_or(text.len(), |(at, _)| at);
    text[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_names_and_moves_reach_a_path() {
        for good in ["Zh000001", "e2e4", "P@e4", "e7e8q", "Some-Bot_1"] {
            assert_eq!(segment("x", good).unwrap(), good);
        }
        let long = "a".repeat(65);
        for bad in [
            "", ".", "..", "a/b", "a?b", "a#b", "a b", "a%2f", "é", "a\n", &long,
        ] {
            assert!(segment("x", bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn chat_lines_are_cut_to_what_the_server_takes() {
        assert_eq!(chat_text("  good luck \n"), "good luck");
        assert_eq!(chat_text(" \t "), "");
        assert_eq!(chat_text(&"a".repeat(141)).len(), 140);
        assert_eq!(chat_text(&"é".repeat(141)).chars().count(), 140);
        // A character outside the basic plane counts twice.
        assert_eq!(chat_text(&"🙂".repeat(100)).chars().count(), 70);
        assert_eq!(
            chat_text(&format!("{} b", "a".repeat(139))),
            "a".repeat(139)
        );
    }
}
