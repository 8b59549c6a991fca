//! What a server answers: which kind of content, and what is wrong with it.

use std::time::Duration;

use hermes_types::Message;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use tokio::time::timeout;

use super::endpoint::{Endpoint, root_cause};
use crate::Noise;
use crate::error::{HttpAnswer, HttpProblem};
use crate::mishap::Mishap;

/// How much of a refusal is read, in bytes, and for how long: it only says why.
const REFUSAL: usize = 64 * 1024;
const REFUSAL_TIME: Duration = Duration::from_secs(2);

/// The head of an answer, as far as it matters.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) status: StatusCode,
    content_type: Option<String>,
    /// How the content is compressed, if it is.
    encoding: Option<String>,
    challenge: Option<String>,
    pub(super) retry_after: Option<Duration>,
}

/// What the content of an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Events,
    Other,
}

impl Head {
    pub(super) fn of(response: &Response) -> Self {
        let headers = response.headers();
        Self {
            status: response.status(),
            content_type: text(headers, &CONTENT_TYPE),
            encoding: text(headers, &CONTENT_ENCODING).filter(|name| !name.eq_ignore_ascii_case("identity")),
            challenge: text(headers, &WWW_AUTHENTICATE),
            // A date is for caches: what cannot be counted in seconds is no answer to a client that waits.
            retry_after: text(headers, &RETRY_AFTER)
                .and_then(|seconds| seconds.trim().parse().ok())
                .map(Duration::from_secs),
        }
    }

    pub(super) fn form(&self) -> Form {
        let essence =
            self.content_type.as_deref().and_then(|name| name.split(';').next()).unwrap_or_default();
        match essence.trim().to_ascii_lowercase().as_str() {
            "application/json" => Form::Json,
            "text/event-stream" => Form::Events,
            _ => Form::Other,
        }
    }

    /// The answer is not what it should be.
    pub(super) fn mishap(&self, endpoint: &Endpoint, problem: HttpProblem, body: &str) -> Mishap {
        let excerpt = excerpt(&endpoint.masked(body));
        let (url, status) = (endpoint.shown(), self.status.as_u16());
        let proxy = endpoint.reader_between();
        if let (StatusCode::PROXY_AUTHENTICATION_REQUIRED, Some(proxy)) = (self.status, proxy) {
            return Mishap::Unreachable { url, source: proxy.wants_credentials().into() };
        }
        if matches!(self.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Mishap::Unauthorized { url, status, challenge: self.challenge.clone(), excerpt };
        }
        Mishap::Answer(Box::new(HttpAnswer {
            method: String::new(),
            url,
            proxy: proxy.map(|proxy| proxy.shown.clone()),
            status,
            content_type: self.content_type.clone(),
            problem,
            retry_after: self.retry_after,
            excerpt,
        }))
    }

    /// What is wrong with content that cannot be read at all: it is compressed, which nobody has asked for.
    pub(super) fn unreadable(&self, endpoint: &Endpoint) -> Option<Mishap> {
        let encoding =
            self.encoding.clone().filter(|_| self.status.is_success() && self.form() != Form::Other)?;
        Some(self.mishap(endpoint, HttpProblem::Compressed(encoding), ""))
    }

    /// What is wrong with content that was read and has no answer in it.
    pub(super) fn unanswered(&self, endpoint: &Endpoint, body: &str) -> Mishap {
        let problem = match Message::decode(body) {
            _ if body.trim().is_empty() => HttpProblem::NoAnswer,
            Ok(_) => HttpProblem::NotTheAnswer,
            Err(malformed) => HttpProblem::Malformed(Noise::of(malformed.reason)),
        };
        self.mishap(endpoint, problem, body)
    }
}

/// Reads the whole content, of at most `limit` bytes.
///
/// # Errors
/// It broke, is too long or no UTF-8.
pub(super) async fn content(
    endpoint: &Endpoint,
    head: &Head,
    mut response: Response,
    limit: usize,
) -> Result<String, Mishap> {
    let too_long = |bytes| head.mishap(endpoint, HttpProblem::Malformed(Noise::TooLong { bytes }), "");
    let announced = response.content_length().unwrap_or_default();
    if announced > limit as u64 {
        return Err(too_long(announced));
    }
    let mut content = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if content.len().saturating_add(chunk.len()) > limit => {
                return Err(too_long((content.len() + chunk.len()) as u64));
            }
            Ok(Some(chunk)) => content.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => return Err(endpoint.ended(Some(root_cause(&error)))),
        }
    }
    String::from_utf8(content).map_err(|_| head.mishap(endpoint, HttpProblem::Malformed(Noise::NotUtf8), ""))
}

/// What there is of the content of a refusal.
pub(super) async fn refusal(mut response: Response) -> String {
    let mut content = Vec::new();
    if Head::of(&response).encoding.is_some() {
        return String::new();
    }
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            content.extend_from_slice(&chunk);
            if content.len() > REFUSAL {
                break;
            }
        }
    };
    // What has come until then is enough.
    let _ = timeout(REFUSAL_TIME, read).await;
    String::from_utf8_lossy(&content).into_owned()
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The beginning of a body, on one line.
fn excerpt(body: &str) -> String {
    const LENGTH: usize = 200;
    let mut words = String::new();
    for word in body.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if words.len() > LENGTH {
            return words.chars().take(LENGTH).chain(['…']).collect();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_of_bounded_length() {
        assert_eq!(excerpt(" <html>\r\n\t<b>\u{1b}[1mno</b> "), "<html> <b> [1mno</b>");
        assert_eq!(excerpt(&"é".repeat(500)).chars().count(), 201);
        assert_eq!(excerpt(""), "");
    }
}
