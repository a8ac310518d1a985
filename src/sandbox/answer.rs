//! Answers of the server: success and the error bodies in the shapes of Lichess.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

/// Type of the streams.
pub(super) const ND_JSON: &str = "application/x-ndjson";

/// Body of a successful action.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done;

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        with_json(StatusCode::OK, &json!({"ok": true}))
    }
}

/// An error answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    body: Value,
}

impl ApiError {
    /// `{"error": text}` under the given status.
    pub(super) fn new(status: StatusCode, text: &str) -> Self {
        Self {
            status,
            body: json!({ "error": text }),
        }
    }

    /// 400 with a text.
    pub(super) fn bad_request(text: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// 404 with a text.
    pub(super) fn not_found(text: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, text)
    }

    /// 429 with the usual text.
    pub(super) fn too_many_requests() -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "Too many requests. Try again later.",
        )
    }

    /// 400 of a form: each field with its message, written twice as Lichess does. Messages about the form as a
    /// whole go under the field `global`.
    pub(super) fn form(field: &str, message: &str) -> Self {
        let fields = Map::from_iter([(field.to_owned(), json!([message]))]);
        let mut body = fields.clone();
        body.insert("error".to_owned(), Value::Object(fields));
        Self {
            status: StatusCode::BAD_REQUEST,
            body: Value::Object(body),
        }
    }

    /// Body of the answer.
    pub(super) const fn body(&self) -> &Value {
        &self.body
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        with_json(self.status, &self.body)
    }
}

/// Answer with a JSON body.
pub(super) fn with_json(status: StatusCode, body: &Value) -> Response {
    (
        status,
        [(CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_error_names_its_field_twice() {
        let error = ApiError::form("clock.limit", "Invalid clock");
        let text = r#"{"clock.limit":["Invalid clock"],"error":{"clock.limit":["Invalid clock"]}}"#;
        assert_eq!(error.body().to_string(), text);
        assert_eq!(error.status, StatusCode::BAD_REQUEST);
    }
}
