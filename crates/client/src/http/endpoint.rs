//! Where the server is, and how one asks it.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, StatusCode, Url};

use super::tls;
use crate::error::ClientError;
use crate::mishap::Mishap;

/// How long a server may take to accept a connection.
const TO_CONNECT: Duration = Duration::from_secs(10);

/// How many redirects are followed in a row.
const REDIRECTS: usize = 5;

/// The address of a server, with one pool of connections to it.
#[derive(Debug)]
pub(crate) struct Endpoint {
    url: Url,
    /// The address as people are told it: without credentials.
    shown: String,
    /// What the host wants sent with every request.
    headers: HeaderMap,
    client: Client,
}

impl Endpoint {
    /// # Errors
    /// [`ClientError::Address`]: the address or a header cannot be used.
    pub(crate) fn new(url: &str, headers: &[(String, String)]) -> Result<Self, ClientError> {
        let bad = |reason: String| ClientError::Address { what: url.to_owned(), reason };
        let url = Url::parse(url).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(bad("it is no http:// or https:// address".to_owned()));
        }
        let config = tls::config(url.scheme() == "https").map_err(|error| bad(error.to_string()))?;
        let mut client = Client::builder()
            .tls_backend_preconfigured(config)
            .redirect(Policy::none())
            .connect_timeout(TO_CONNECT);
        if is_loopback(&url) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| bad(root_cause(&error).to_string()))?;
        Ok(Self { shown: shown(&url), headers: own_headers(headers)?, url, client })
    }

    /// The address, without credentials.
    pub(super) fn shown(&self) -> String {
        self.shown.clone()
    }

    /// Asks, and gives the head of the answer. A redirect to the same origin that keeps the request as it is is
    /// followed; any other one, and a connection that breaks first, is an error.
    pub(super) async fn ask(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Response, Mishap> {
        let mut all = self.headers.clone();
        // What the protocol sends stands in place of what the host wants sent.
        for (name, value) in &headers {
            all.insert(name, value.clone());
        }
        let mut url = self.url.clone();
        for _ in 0..REDIRECTS {
            let mut request = self.client.request(method.clone(), url.clone()).headers(all.clone());
            if let Some(body) = &body {
                request = request.body(body.clone());
            }
            let response = request.send().await.map_err(|error| self.broken(&error))?;
            match response.status() {
                StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => {
                    match self.elsewhere(&response) {
                        Some(next) => url = next,
                        None => return Err(self.redirect(&response)),
                    }
                }
                status if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
                    return Err(self.redirect(&response));
                }
                _ => return Ok(response),
            }
        }
        Err(Mishap::Redirect {
            url: self.shown(),
            status: StatusCode::TEMPORARY_REDIRECT.as_u16(),
            location: Some(format!("{}, again and again", shown(&url))),
        })
    }

    /// Where a redirect leads, if that is the same origin.
    fn elsewhere(&self, response: &Response) -> Option<Url> {
        let location = response.headers().get(LOCATION)?.to_str().ok()?;
        let url = response.url().join(location).ok()?;
        (url.origin() == self.url.origin()).then_some(url)
    }

    fn redirect(&self, response: &Response) -> Mishap {
        let location = response.headers().get(LOCATION).map(|value| value.as_bytes());
        Mishap::Redirect {
            url: self.shown(),
            status: response.status().as_u16(),
            location: location.map(|location| String::from_utf8_lossy(location).into_owned()),
        }
    }

    /// No connection is one thing; a connection that breaks once it may have carried the request is another.
    fn broken(&self, error: &reqwest::Error) -> Mishap {
        let is_connect = error.is_connect() || error.is_builder();
        let (url, source) = (self.shown(), root_cause(error));
        if is_connect { Mishap::Unreachable { url, source } } else { self.ended(Some(source)) }
    }

    /// The answer ended, or broke, too early.
    pub(super) fn ended(&self, source: Option<Box<dyn Error + Send + Sync>>) -> Mishap {
        Mishap::StreamEnded { url: self.shown(), source }
    }
}

/// The innermost error is the one that says what happened; those around it only say where.
pub(super) fn root_cause(error: &reqwest::Error) -> Box<dyn Error + Send + Sync> {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if error.is_timeout() && error.is_connect() {
        return "nobody accepted the connection in time".into();
    }
    cause.to_string().into()
}

/// An address without credentials: neither a user nor a query.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // An address with a host has room for both.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

/// Whether no proxy can be meant.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// The host's headers. Their values are secrets.
fn own_headers(headers: &[(String, String)]) -> Result<HeaderMap, ClientError> {
    let mut map = HeaderMap::new();
    let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    map.insert(USER_AGENT, HeaderValue::from_static(agent));
    for (name, value) in headers {
        let bad = |reason: &str| ClientError::Address {
            what: format!("the header {name:?}"),
            reason: reason.to_owned(),
        };
        let name = HeaderName::try_from(name.as_str()).map_err(|_| bad("it is no name for a header"))?;
        let mut value = HeaderValue::try_from(value.as_str())
            .map_err(|_| bad("its value has characters that no header may have"))?;
        value.set_sensitive(true);
        map.insert(name, value);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect(text)
    }

    #[test]
    fn no_proxy_is_meant_for_this_machine() {
        for text in ["http://localhost:1/", "http://127.0.0.9/", "http://[::1]:8/", "http://a.localhost/"] {
            assert!(is_loopback(&url(text)), "{text}");
        }
        for text in ["http://example.org/", "http://10.0.0.1/", "http://localhost.example.org/"] {
            assert!(!is_loopback(&url(text)), "{text}");
        }
    }

    #[test]
    fn an_address_is_shown_without_secrets() {
        assert_eq!(shown(&url("https://me:key@example.org/mcp?token=1#x")), "https://example.org/mcp");
    }

    #[test]
    fn what_is_no_address_and_no_header_is_refused_before_anything_is_sent() {
        for (address, header) in [
            ("example.org/mcp", ("a", "b")),
            ("ftp://example.org", ("a", "b")),
            ("http://", ("a", "b")),
            ("http://example.org", ("a b", "c")),
            ("http://example.org", ("a", "b\nc")),
        ] {
            let headers = [(header.0.to_owned(), header.1.to_owned())];
            let refused = Endpoint::new(address, &headers);
            assert!(matches!(refused, Err(ClientError::Address { .. })), "{address} {header:?}");
        }
    }
}
