//! Answers as texts: bounded reading of bodies, and the many shapes of error bodies.

use super::error::{ApiError, Error, RateLimit};
use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value};
use std::time::Duration;

/// Most characters of a body in an error or log line.
const SHOWN: usize = 200;

/// Longest wait believed. Longer ones would only overflow sums with an `Instant`.
const LONGEST_WAIT: Duration = Duration::from_hours(30 * 24);

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

/// Decodes an object. The derived decoders alone would take a list too, field by field, and find
/// nothing missing in an empty one.
pub(super) fn object<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    if text.trim_ascii_start().starts_with(b"[") {
        return Err(serde_json::Error::custom("a list, expected an object"));
    }
    serde_json::from_slice(text)
}

/// Start of a text for people: at most 200 characters on one line, without control characters.
pub(super) fn cut(text: &str) -> String {
    let text = text.trim();
    let mut shown: String = text
        .chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lichess::Kind;
    use reqwest::header::HeaderValue;

    fn read_error(status: u16, headers: &[(&str, &str)], body: &str) -> ApiError {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = reqwest::header::HeaderName::try_from(*name).unwrap();
            map.insert(name, HeaderValue::from_str(value).unwrap());
        }
        api_error("POST /x", status, &map, body, now)
    }

    #[test]
    fn every_shape_of_error_body_gives_a_message() {
        let cases = [
            (r#"{"error":"No such token"}"#, "No such token"),
            (
                r#"{"error":{"text":["too long","odd"]}}"#,
                "text: too long, odd",
            ),
            (
                r#"{"clock.limit":["Invalid clock"],"error":{"clock.limit":["Invalid clock"]}}"#,
                "clock.limit: Invalid clock",
            ),
            (
                r#"{"global":["no"],"days":["bad"]}"#,
                "days: bad; global: no",
            ),
            (r#"{"error":{"a":["1"]},"b":["2"]}"#, "a: 1; b: 2"),
            (r#"{"error":""}"#, "empty answer"),
            (r#"{"error":null}"#, r#"{"error":null}"#),
            (r#"{"error":{"a":"b"}}"#, r#"{"error":{"a":"b"}}"#),
            ("[1,2]", "[1,2]"),
            ("\"text\"", "\"text\""),
            ("  <html>\r\n<h1>502</h1> ", "<html>  <h1>502</h1>"),
            ("", "empty answer"),
        ];
        for (body, message) in cases {
            assert_eq!(read_error(400, &[], body).message, message, "{body}");
        }
        let error = read_error(400, &[], cases[2].0);
        assert_eq!(error.fields, ["clock.limit"]);
        assert_eq!(
            error.to_string(),
            "POST /x: status 400: clock.limit: Invalid clock"
        );
    }

    #[test]
    fn a_limit_of_the_opponent_is_a_refusal_with_a_time() {
        let error = read_error(
            400,
            &[],
            r#"{"error":"OtherBot played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":4321}}"#,
        );
        assert_eq!(error.kind(), Kind::Rejected);
        let limit = error.rate_limit.unwrap();
        assert_eq!(
            (limit.key.as_str(), limit.wait.as_secs()),
            ("bot.vsBot.day", 4321)
        );
        assert_eq!(error.retry_after, Some(Duration::from_secs(4321)));
    }

    #[test]
    fn the_wait_comes_from_the_body_before_the_header() {
        let body = r#"{"ratelimit":{"seconds":7}}"#;
        let wait = |headers: &[(&str, &str)], body| {
            read_error(429, headers, body)
                .retry_after
                .map(|wait| wait.as_secs())
        };
        assert_eq!(wait(&[("retry-after", "9")], body), Some(7));
        assert_eq!(wait(&[("retry-after", " 9 ")], "<html>"), Some(9));
        assert_eq!(wait(&[], "<html>"), None);
        // 1800000000 s is Fri, 15 Jan 2027 08:00:00 GMT.
        assert_eq!(
            wait(&[("retry-after", "Fri, 15 Jan 2027 08:01:00 GMT")], ""),
            Some(60)
        );
        assert_eq!(
            wait(&[("retry-after", "Fri, 15 Jan 2027 07:00:00 GMT")], ""),
            Some(0)
        );
        assert_eq!(wait(&[("retry-after", "soon")], ""), None);
    }

    #[test]
    fn waits_without_sense_are_brought_into_range() {
        for (seconds, expected) in [
            ("-5", Some(0)),
            ("2.5", Some(2)),
            ("18446744073709551615", Some(30 * 24 * 3600)),
            ("1e300", Some(30 * 24 * 3600)),
            ("null", None),
            ("\"60\"", None),
        ] {
            let body = format!("{{\"ratelimit\":{{\"key\":5,\"seconds\":{seconds}}}}}");
            let error = read_error(429, &[], &body);
            assert_eq!(
                error.retry_after.map(|wait| wait.as_secs()),
                expected,
                "{seconds}"
            );
        }
        assert_eq!(read_error(429, &[], r#"{"ratelimit":3}"#).rate_limit, None);
    }

    #[test]
    fn statuses_have_kinds() {
        let kind = |status| read_error(status, &[], "").kind();
        assert_eq!(kind(429), Kind::RateLimited { retry_after: None });
        for (statuses, expected) in [
            ([401, 403].as_slice(), Kind::Unauthorized),
            (&[404], Kind::NotFound),
            (&[408], Kind::Timeout),
            (&[500, 502, 503, 504, 522, 599], Kind::Server),
            (
                &[101, 301, 302, 308, 400, 405, 409, 410, 418, 999],
                Kind::Rejected,
            ),
        ] {
            for &status in statuses {
                assert_eq!(kind(status), expected, "{status}");
            }
        }
        assert!(kind(429).is_transient() && kind(502).is_transient());
        assert!(!kind(401).is_transient() && !kind(400).is_transient());
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(cut(&"é".repeat(201)), format!("{}…", "é".repeat(200)));
        assert_eq!(cut("a\u{1b}[31m\tb"), "a [31m b");
    }
}
