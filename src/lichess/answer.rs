//! Answers as texts: bounded reading of bodies, and the many shapes of error bodies.

use super::error::{ApiError, Error, RateLimit};
use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::{Map, Value};
use std::time::Duration;

/// Most characters of a body in an error or log line.
const SHOWN: usize = 200;

/// Longest wait believed. Longer ones would only overflow sums with an `Instant`.
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Reads a body up to `limit` bytes.
pub(super) async fn read(
    endpoint: &'static str,
    response: reqwest::Response,
    limit: usize,
) -> Result<Bytes, Error> {
    match read_start(response, limit).await {
        (_, Some(Stop::Failed(source))) => Err(Error::from_reqwest(endpoint, source)),
        (_, Some(Stop::Limit)) => Err(Error::TooLong { endpoint, limit }),
        (body, None) => Ok(body),
    }
}

/// Why a body was not read to its end.
pub(super) enum Stop {
    /// It is longer than the limit.
    Limit,
    /// The connection failed.
    Failed(reqwest::Error),
}

/// Reads what there is of a body, up to `limit` bytes, and tells why it stopped before the end.
pub(super) async fn read_start(
    mut response: reqwest::Response,
    limit: usize,
) -> (Bytes, Option<Stop>) {
    let mut body = BytesMut::new();
    let stop = loop {
        match response.chunk().await {
            Ok(None) => break None,
            Err(error) => break Some(Stop::Failed(error)),
            Ok(Some(chunk)) if chunk.len() > limit - body.len() => {
                body.extend_from_slice(&chunk[..limit - body.len()]);
                break Some(Stop::Limit);
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
        }
    };
    (body.freeze(), stop)
}

/// Start of a text for people: at most 200 characters on one line, without control characters.
pub(super) fn cut(text: &str) -> String {
    let mut shown = String::new();
    let mut characters = 0;
    for c in text.trim().chars() {
        if characters == SHOWN {
            shown.push('…');
            break;
        }
        shown.push(if c.is_control() { ' ' } else { c });
        characters += 1;
    }
    shown
}

/// Makes sense of an answer with an error status, whatever its body is.
pub(super) fn api_error(
    endpoint: &'static str,
    status: u16,
    headers: &HeaderMap,
    body: &str,
    now: Timestamp,
) -> ApiError {
    let object = match serde_json::from_str(body) {
        Ok(Value::Object(object)) => object,
        // Some other JSON, HTML of a proxy, plain text or nothing: shown as it is.
        _ => Map::new(),
    };
    let fields = fields(&object);
    let rate_limit = object.get("ratelimit").and_then(rate_limit);
    let retry_after = rate_limit
        .as_ref()
        .map(|limit| limit.wait)
        .or_else(|| retry_after(headers.get(RETRY_AFTER)?.to_str().ok()?, now));
    let mut message = match object.get("error") {
        Some(Value::String(text)) => cut(text),
        _ if !fields.is_empty() => cut(&describe(&fields)),
        _ => cut(body),
    };
    if let Some(target) = headers.get(LOCATION) {
        message = cut(&format!(
            "redirect to {}",
            String::from_utf8_lossy(target.as_bytes())
        ));
    } else if message.is_empty() {
        "empty answer".clone_into(&mut message);
    }
    let fields = fields.into_iter().map(|(name, _)| name).collect();
    ApiError {
        endpoint,
        status,
        message,
        fields,
        rate_limit,
        retry_after,
    }
}

/// Field errors `{"field": ["text", ...]}`, under `error`, at top level, or both.
fn fields(object: &Map<String, Value>) -> Vec<(String, String)> {
    let inner = object.get("error").and_then(Value::as_object);
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, value) in inner.into_iter().chain([object]).flatten() {
        let Value::Array(texts) = value else { continue };
        if found.iter().any(|(known, _)| known == name) {
            continue;
        }
        let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
        found.push((name.clone(), texts.join(", ")));
    }
    found
}

fn describe(fields: &[(String, String)]) -> String {
    let parts: Vec<String> = fields
        .iter()
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    parts.join("; ")
}

fn rate_limit(value: &Value) -> Option<RateLimit> {
    let seconds = value.get("seconds")?.as_f64()?;
    let key = value.get("key").and_then(Value::as_str).unwrap_or_default();
    Some(RateLimit {
        key: cut(key),
        wait: wait(seconds),
    })
}

/// `Retry-After`: seconds or a date.
fn retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse::<u64>() {
        return Some(wait(seconds as f64));
    }
    let date = jiff::fmt::rfc2822::parse(text.trim()).ok()?.timestamp();
    Some(wait(date.duration_since(now).as_secs_f64()))
}

fn wait(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0))
        .unwrap_or(LONGEST_WAIT)
        .min(LONGEST_WAIT)
}
