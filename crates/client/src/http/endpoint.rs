//! Where the server is, and how one asks it.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use hermes_telemetry::transport::{self, Place, kind};
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, StatusCode, Url};

use super::answer::Head;
use super::certificate;
use super::lanes::{Lanes, Versions};
use super::outward::{of_request, of_response};
use super::proxy::{Proxy, is_loopback};
use super::tls::{HTTP2, Trust};
use crate::error::ClientError;
use crate::headers::Headers;
use crate::hooks::{Direction, Hooks};
use crate::mishap::Mishap;
use crate::target::without_secrets;

/// How long a server may take to accept a connection, and to agree on TLS.
const TO_CONNECT: Duration = Duration::from_secs(10);

/// How many redirects are followed in a row.
const REDIRECTS: usize = 5;

/// The address of a server, with the connections to it.
pub(crate) struct Endpoint {
    url: Url,
    /// The address as people are told it: without credentials.
    shown: String,
    /// What the host wants sent with every request.
    headers: HeaderMap,
    proxy: Option<Proxy>,
    lanes: Arc<Lanes>,
    /// Who sees what is sent and received.
    hooks: Hooks,
    /// How many exchanges there were.
    exchanges: Arc<AtomicU64>,
}

impl Endpoint {
    /// # Errors
    /// [`ClientError::Address`]: the address, a header or a certificate cannot be used.
    pub(crate) fn new(
        address: &str,
        headers: &[(String, String)],
        trust: &Trust,
    ) -> Result<Self, ClientError> {
        let bad = |reason: String| ClientError::Address { what: without_secrets(address), reason };
        let url = Url::parse(address).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(bad("it is no http:// or https:// address".to_owned()));
        }
        let proxy = Proxy::before(&url);
        let is_encrypted = url.scheme() == "https" || proxy.as_ref().is_some_and(|proxy| proxy.is_encrypted);
        let tls = trust.config(is_encrypted)?;
        let is_direct = is_loopback(&url);
        let lanes = Lanes::new(move |versions| {
            let mut tls = tls.clone();
            let mut client = Client::builder().redirect(Policy::none()).connect_timeout(TO_CONNECT);
            if versions == Versions::Http2 {
                tls.alpn_protocols = vec![HTTP2.to_vec()];
                client = client.http2_prior_knowledge();
            }
            if is_direct {
                client = client.no_proxy();
            }
            client.tls_backend_preconfigured(tls)
        })
        .map_err(|error| bad(root_cause(&error).to_string()))?;
        Ok(Self {
            shown: shown(&url),
            headers: own_headers(headers)?,
            url,
            proxy,
            lanes: Arc::new(lanes),
            hooks: Hooks::default(),
            exchanges: Arc::default(),
        })
    }

    /// The same, seen by these functions of the host.
    pub(crate) fn seen_by(self, hooks: &Hooks) -> Self {
        Self { hooks: hooks.clone(), ..self }
    }

    /// Another place of the same server, named by a reference that `base` gives a meaning to, and reached over the
    /// same connections.
    ///
    /// # Errors
    /// It is none of the same origin: which origin is meant, or the reference itself if it has no meaning.
    pub(super) fn beside(&self, base: &Url, reference: &str) -> Result<Self, String> {
        let url = base.join(reference).map_err(|_| reference.to_owned())?;
        let origin = url.origin().ascii_serialization();
        let url = self.ours(url).ok_or(origin)?;
        Ok(Self {
            shown: shown(&url),
            url,
            headers: self.headers.clone(),
            proxy: self.proxy.clone(),
            lanes: Arc::clone(&self.lanes),
            hooks: self.hooks.clone(),
            exchanges: Arc::clone(&self.exchanges),
        })
    }

    /// An address with our credentials, if it is of the same origin, wherever there it leads.
    fn ours(&self, mut url: Url) -> Option<Url> {
        if url.origin() != self.url.origin() {
            return None;
        }
        url.set_username(self.url.username()).ok()?;
        url.set_password(self.url.password()).ok()?;
        Some(url)
    }

    /// The address, without credentials.
    pub(super) fn shown(&self) -> String {
        self.shown.clone()
    }

    /// Where the server is, as traces say it.
    pub(super) fn place(&self) -> Place {
        let host = self.url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Place::of_host(kind::HTTP, host, self.url.port_or_known_default())
    }

    /// The proxy that may answer in the server's place.
    pub(super) fn reader_between(&self) -> Option<&Proxy> {
        self.proxy.as_ref().filter(|proxy| proxy.is_reading)
    }

    /// Asks, and gives the head of the answer. The host sees both. A redirect to the same origin that keeps the
    /// request as it is is followed; any other one, and a connection that breaks first, is an error.
    pub(super) async fn ask(
        &self,
        method: Method,
        mut headers: HeaderMap,
        body: Option<&str>,
    ) -> Result<Response, Mishap> {
        // What the protocol sends stands in place of what the host wants sent.
        for name in self.headers.keys() {
            if !headers.contains_key(name) {
                // The host may want to send one several times.
                for value in self.headers.get_all(name) {
                    headers.append(name, value.clone());
                }
            }
        }
        // Whatever compresses holds small events back until a block is full.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let (client, place) = self.lanes.place().map_err(|error| self.broken(&error))?;
        let mut url = self.url.clone();
        let body = body.map(|text| (text, Bytes::copy_from_slice(text.as_bytes())));
        for attempt in 0..REDIRECTS {
            let number = self.exchanges.fetch_add(1, Relaxed) + 1;
            self.hooks.http(Direction::Sent, || of_request(number, &method, &url, &headers));
            // Sent again, it is still the same message.
            if let (0, Some((text, _))) = (attempt, &body) {
                transport::sent(kind::HTTP, text.len());
                self.hooks.wire(Direction::Sent, text);
            }
            let mut request = client.request(method.clone(), url.clone()).headers(headers.clone());
            if let Some((_, body)) = &body {
                request = request.body(body.clone());
            }
            let mut response = request.send().await.map_err(|error| self.broken(&error))?;
            self.lanes.heard(response.version());
            self.hooks.http(Direction::Received, || of_response(number, &response));
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
                _ => {
                    if let Some(mishap) = Head::of(&response).unreadable(self) {
                        return Err(mishap);
                    }
                    // Taken for as long as anybody reads.
                    response.extensions_mut().insert(place);
                    return Ok(response);
                }
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
        self.ours(response.url().join(location).ok()?)
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
        let cause = root_cause(error);
        if !error.is_connect() && !error.is_builder() && !certificate::is_refused(error) {
            transport::failed(kind::HTTP, "broken");
            return self.ended(Some(cause));
        }
        transport::failed(kind::HTTP, "unreachable");
        let source = certificate::problem(error).unwrap_or_else(|| match &self.proxy {
            Some(proxy) => proxy.problem(error, &*cause).into(),
            None => cause,
        });
        Mishap::Unreachable { url: self.shown(), source }
    }

    /// A text of the server without the secrets that the host has it sent: some servers repeat them.
    pub(super) fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        const TOO_SHORT: usize = 8;
        let mut masked = Cow::Borrowed(text);
        for value in self.headers.values().filter(|value| value.is_sensitive()) {
            let Ok(value) = value.to_str() else { continue };
            // The scheme of credentials is none of them.
            let secret = value.split_once(' ').map_or(value, |(_, secret)| secret).trim();
            if secret.len() >= TOO_SHORT && masked.contains(secret) {
                masked = Cow::Owned(masked.replace(secret, "***"));
            }
        }
        masked
    }

    /// The answer ended, or broke, too early.
    pub(super) fn ended(&self, source: Option<Box<dyn Error + Send + Sync>>) -> Mishap {
        Mishap::StreamEnded { url: self.shown(), source }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.shown)
            .field("headers", &self.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>())
            .field("proxy", &self.proxy)
            .field("lanes", &self.lanes)
            .finish()
    }
}

/// The innermost error is the one that says what happened; those around it only say where.
pub(super) fn root_cause(error: &reqwest::Error) -> Box<dyn Error + Send + Sync> {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if error.is_timeout() && error.is_connect() {
        return format!("there was no connection within {} s", TO_CONNECT.as_secs()).into();
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

/// The host's headers. Their values are secrets.
fn own_headers(headers: &[(String, String)]) -> Result<HeaderMap, ClientError> {
    let mut own = Headers::default();
    let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    own.map.insert(USER_AGENT, HeaderValue::from_static(agent));
    for (name, value) in headers {
        own.set(name, value)?;
    }
    Ok(own.map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect(text)
    }

    #[test]
    fn an_address_is_shown_without_secrets() {
        assert_eq!(shown(&url("https://me:key@example.org/mcp?token=1#x")), "https://example.org/mcp");
    }

    #[test]
    fn nothing_that_may_be_a_secret_is_in_what_developers_see() {
        let headers = [("Authorization".to_owned(), "Bearer key".to_owned())];
        let endpoint = Endpoint::new("http://me:key@127.0.0.1:1/mcp?key=1", &headers, &Trust::default());
        let shown = format!("{:?}", endpoint.expect("an endpoint"));
        assert!(shown.contains("authorization") && !shown.contains("key"), "{shown}");
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
            let refused = Endpoint::new(address, &headers, &Trust::default());
            assert!(matches!(refused, Err(ClientError::Address { .. })), "{address} {header:?}");
        }
    }
}
