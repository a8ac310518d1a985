//! Pages that are not of the API: asked for without the token, and only if they have changed.

use super::answer;
use super::client::Client;
use super::error::Error;
use reqwest::header::{
    ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use reqwest::redirect;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// Most time for a page.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Most bytes of a page; a list of a hundred thousand names is shorter.
const MAX_PAGE: usize = 4 << 20;
/// Most redirects that are followed.
const MAX_REDIRECTS: usize = 3;
/// Longest validator that is kept.
const MAX_VALIDATOR: usize = 500;

/// What a server said to know a version of a page by.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(default)]
pub struct Validators {
    /// Header `ETag`.
    pub etag: Option<String>,
    /// Header `Last-Modified`.
    pub last_modified: Option<String>,
}

/// Answer to the request of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Page {
    /// The known version still stands.
    Unchanged,
    /// Another version.
    New {
        /// Text, at most 4 MiB; what is no UTF-8 is replaced.
        text: String,
        /// What to know it by.
        validators: Validators,
    },
}

impl Client {
    /// Asks another server for a page, unless the version known by `known` still stands. No token and no name of the
    /// account is sent; redirects are followed to https only.
    ///
    /// # Errors
    /// As all requests.
    pub async fn page(&self, url: &Url, known: &Validators) -> Result<Page, Error> {
        const ENDPOINT: &str = "GET (list of names)";
        let redirects = redirect::Policy::custom(|attempt| {
            if attempt.previous().len() <= MAX_REDIRECTS && attempt.url().scheme() == "https" {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        let builder = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(redirects)
            .referer(false)
            .user_agent(self.base_user_agent());
        // The settings allow plain http for this machine alone.
        let builder = if url.scheme() == "https" {
            builder
        } else {
            builder.no_proxy()
        };
        let mut request = builder.build().map_err(Error::Setup)?.get(url.clone());
        for (name, value) in [
            (IF_NONE_MATCH, &known.etag),
            (IF_MODIFIED_SINCE, &known.last_modified),
        ] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let response = request
            .send()
            .await
            .map_err(|source| Error::from_reqwest(ENDPOINT, source))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        if status == 304 {
            return Ok(Page::Unchanged);
        }
        let body = answer::read(ENDPOINT, response, MAX_PAGE).await?;
        let text = String::from_utf8_lossy(&body).into_owned();
        if !(200..300).contains(&status) {
            let now = jiff::Timestamp::now();
            let error = answer::api_error(ENDPOINT, status, &headers, &text, now);
            return Err(Error::Status(Box::new(error)));
        }
        let validators = Validators {
            etag: text_of(&headers, ETAG),
            last_modified: text_of(&headers, LAST_MODIFIED),
        };
        Ok(Page::New { text, validators })
    }
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    (text.len() <= MAX_VALIDATOR).then(|| text.to_owned())
}
