//! Who calls: the bearer token, its scopes, and the User-Agent.

use super::accounts::Grant;
use super::answer::ApiError;
use super::routes::App;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

/// Scopes that open the event stream.
pub(super) const EVENTS: &[&str] = &["challenge:read", "bot:play", "board:play"];

/// Scope of the bot endpoints.
pub(super) const BOT: &[&str] = &["bot:play"];

/// Scopes that send and answer challenges.
pub(super) const CHALLENGE: &[&str] = &["bot:play", "challenge:write", "board:play"];

/// Scope that gives opponents time.
pub(super) const ADD_TIME: &[&str] = &["challenge:write"];

/// Scopes that read challenges.
pub(super) const CHALLENGE_READ: &[&str] = &["challenge:read", "bot:play"];

/// Scopes that join and leave arenas.
pub(super) const TOURNAMENT: &[&str] = &["tournament:write", "bot:play"];

/// An authenticated caller.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// Id of the account.
    pub user: String,
    /// Text of the User-Agent.
    pub agent: String,
    grant: Grant,
}

impl Caller {
    /// Lets the caller pass if his token has one of the scopes.
    ///
    /// # Errors
    /// 403 that names the first scope of the list.
    pub(super) fn require(&self, scopes: &[&str]) -> Result<(), ApiError> {
        if self.grant.has_any(scopes) {
            return Ok(());
        }
        let missing = scopes.first().copied().unwrap_or_default();
        Err(ApiError::new(
            StatusCode::FORBIDDEN,
            &format!("Missing scope: {missing}"),
        ))
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let unauthorized = |text| ApiError::new(StatusCode::UNAUTHORIZED, text);
        let token =
            bearer(&parts.headers).ok_or_else(|| unauthorized("Missing authorization header"))?;
        let hall = app.hall.lock();
        let grant = hall
            .accounts
            .grant(token)
            .ok_or_else(|| unauthorized("No such token"))?;
        let agent = text_of(&parts.headers, &USER_AGENT);
        if named_user(agent).is_some_and(|name| !name.eq_ignore_ascii_case(&grant.user)) {
            let text = "The user in the user-agent doesn't match the token bearer";
            return Err(unauthorized(text));
        }
        Ok(Self {
            user: grant.user.clone(),
            agent: agent.to_owned(),
            grant: grant.clone(),
        })
    }
}

/// Adds the scopes of the token to every authenticated answer.
pub(super) async fn add_scopes_header(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Response {
    let scopes = bearer(request.headers()).and_then(|token| {
        app.hall
            .lock()
            .accounts
            .grant(token)
            .map(|grant| grant.scopes.join(", "))
    });
    let mut response = next.run(request).await;
    if let Some(value) = scopes.and_then(|scopes| HeaderValue::from_str(&scopes).ok()) {
        response
            .headers_mut()
            .insert(HeaderName::from_static("x-oauth-scopes"), value);
    }
    response
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    text_of(headers, &AUTHORIZATION)
        .strip_prefix("Bearer ")
        .map(str::trim)
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Name that a User-Agent gives as `user:NAME` or `as:NAME`.
fn named_user(agent: &str) -> Option<&str> {
    agent.split_whitespace().find_map(|word| {
        word.strip_prefix("user:")
            .or_else(|| word.strip_prefix("as:"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_agent_can_name_the_account() {
        assert_eq!(named_user("bot/1.0 (mail) user:OurBot"), Some("OurBot"));
        assert_eq!(named_user("bot/1.0 as:OurBot"), Some("OurBot"));
        assert_eq!(named_user("python-requests/2.0"), None);
    }
}
