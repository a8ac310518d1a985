//! The API token: the only place where it is readable.

use super::error::Error;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

/// Longest token that is believed to be one; Lichess asks clients to allow 512 characters.
const MAX_LEN: usize = 4096;

/// API token that shows itself to nobody but the request that needs it.
#[derive(Clone, Debug)]
pub(super) struct Token(SecretString);

impl Token {
    /// Takes a token over if it can stand in a header.
    ///
    /// The alphabet is that of bearer tokens (RFC 6750), which holds what Lichess issues and leaves
    /// out the comma, which separates tokens in `/api/token/test`.
    pub(super) fn new(secret: SecretString) -> Result<Self, Error> {
        let token = Self(secret);
        let fits = token.with(|text| {
            !text.is_empty()
                && text.len() <= MAX_LEN
                && text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b))
        });
        if fits { Ok(token) } else { Err(Error::Token) }
    }

    /// Value of the `Authorization` header, marked so that nothing prints it.
    pub(super) fn authorization(&self) -> HeaderValue {
        let mut value = self
            .with(|text| HeaderValue::try_from(format!("Bearer {text}")))
            .expect("the alphabet checked in `new` is legal in a header");
        value.set_sensitive(true);
        value
    }

    /// Body of `/api/token/test`.
    pub(super) fn test_body(&self) -> String {
        self.with(str::to_owned)
    }

    /// A text from the server without the token, should the server have repeated it.
    pub(super) fn redact(&self, text: String) -> String {
        self.with(|token| {
            if text.contains(token) {
                text.replace(token, "[token]")
            } else {
                text
            }
        })
    }

    fn with<R>(&self, use_it: impl FnOnce(&str) -> R) -> R {
        use_it(self.0.expose_secret())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Result<Token, Error> {
        Token::new(SecretString::from(text))
    }

    #[test]
    fn tokens_that_cannot_stand_in_a_header_are_refused_without_being_shown() {
        for text in [
            "",
            "lip_a b",
            "lip_a\n",
            "a,b",
            "lip_\u{e9}",
            &"x".repeat(MAX_LEN + 1),
        ] {
            let error = token(text).unwrap_err();
            assert!(
                text.is_empty() || !error.to_string().contains(text),
                "{error}"
            );
        }
        assert!(token("lip_ABCdef012").is_ok());
        assert!(token(&"x".repeat(512)).is_ok());
    }

    #[test]
    fn a_token_shows_in_neither_debug_nor_texts() {
        let token = token("lip_secret").unwrap();
        assert!(!format!("{token:?}{:?}", token.authorization()).contains("secret"));
        assert_eq!(
            token.redact("{\"lip_secret\":1}".to_owned()),
            "{\"[token]\":1}"
        );
        assert_eq!(token.authorization().as_bytes(), b"Bearer lip_secret");
    }
}
