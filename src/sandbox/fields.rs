//! Form fields of a request: from the query, and from a body that is URL-encoded or flat JSON.

use super::answer::ApiError;
use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::collections::HashMap;

/// Longest body that is read, bytes.
const MAX_BODY: usize = 64 * 1024;

/// Fields by name. Numbers and booleans of a JSON body are kept as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Fields(HashMap<String, String>);

impl Fields {
    /// Fields of an URL-encoded text such as `rated=true&clock.limit=180`.
    pub(super) fn of_urlencoded(text: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(text).into_owned().collect())
    }

    /// Fields of a flat JSON object; anything else gives none.
    pub(super) fn of_json(text: &[u8]) -> Self {
        let Ok(Value::Object(object)) = serde_json::from_slice(text) else {
            return Self::default();
        };
        let scalar = |value: Value| match value {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        Self(
            object
                .into_iter()
                .filter_map(|(k, v)| Some((k, scalar(v)?)))
                .collect(),
        )
    }

    /// Value of a field; `None` when it is absent or empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The same fields, with a value for one that is absent.
    #[must_use]
    pub(super) fn or(mut self, name: &str, value: &str) -> Self {
        if self.get(name).is_none() {
            self.0.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    /// Whether a field says yes (`true`, `1`, `yes`, `on`); absent is no.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.flag(name).unwrap_or(false)
    }

    /// Yes or no of a field, `None` when it is absent.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)
            .map(|value| matches!(value, "true" | "1" | "yes" | "on"))
    }

    /// Whole number of a field.
    ///
    /// # Errors
    /// A form error when the text is no such number.
    pub(super) fn number(&self, name: &str) -> Result<Option<u32>, ApiError> {
        let parse = |text: &str| {
            text.parse()
                .map_err(|_| ApiError::form(name, "Numeric value expected"))
        };
        self.get(name).map(parse).transpose()
    }
}

impl<S: Sync> FromRequest<S> for Fields {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let mut fields = Self::of_urlencoded(request.uri().query().unwrap_or_default().as_bytes());
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, MAX_BODY).await.map_err(|_| {
            ApiError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "the request body is too long",
            )
        })?;
        fields.0.extend(body_fields(&parts.headers, &body).0);
        Ok(fields)
    }
}

fn body_fields(headers: &HeaderMap, body: &Bytes) -> Fields {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if kind.starts_with("application/json") {
        Fields::of_json(body)
    } else {
        Fields::of_urlencoded(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_bodies_give_the_same_fields() {
        let form = Fields::of_urlencoded(b"rated=true&clock.limit=180&variant=crazyhouse");
        let json = Fields::of_json(br#"{"rated":true,"clock.limit":180,"variant":"crazyhouse"}"#);
        assert_eq!(form, json);
        assert!(form.is_true("rated"));
        assert_eq!(form.number("clock.limit").unwrap(), Some(180));
        assert_eq!(form.get("fen"), None);
    }

    #[test]
    fn garbage_gives_no_fields_and_bad_numbers_an_error() {
        assert_eq!(Fields::of_json(b"[1,2"), Fields::default());
        assert!(Fields::of_urlencoded(b"days=soon").number("days").is_err());
    }
}
