//! What stands between: a proxy that the environment names.
//!
//! `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` are read, in capitals first, as curl reads them; proxies are
//! spoken to over HTTP, HTTPS and SOCKS. Which one is used is reqwest's decision. The same rules tell here which one that
//! is, so that an error can name it.

use std::error::Error;
use std::net::IpAddr;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

/// A proxy on the way to a server.
#[derive(Clone, Debug)]
pub(super) struct Proxy {
    /// Its address, without credentials.
    pub(super) shown: String,
    /// Whether it is spoken to over TLS.
    pub(super) is_encrypted: bool,
    /// Whether it reads what it passes on, and may answer in the server's place.
    pub(super) is_reading: bool,
}

impl Proxy {
    /// The one that the environment puts before this address.
    pub(super) fn before(url: &Url) -> Option<Self> {
        if is_loopback(url) {
            return None;
        }
        let uri = url.as_str().parse().ok()?;
        let proxy = Matcher::from_system().intercept(&uri)?;
        let scheme = proxy.uri().scheme_str().unwrap_or_default();
        Some(Self {
            shown: proxy.uri().to_string(),
            is_encrypted: scheme == "https",
            is_reading: url.scheme() == "http" && matches!(scheme, "http" | "https"),
        })
    }

    /// Why there is no connection by way of it. `cause` is the innermost error.
    pub(super) fn problem(&self, error: &(dyn Error + 'static), cause: &dyn Error) -> String {
        let Self { shown, is_reading, .. } = self;
        match tunnel(error).as_deref() {
            Some("proxy authorization required") => self.wants_credentials(),
            Some("unsuccessful") => format!("the proxy {shown} refuses to connect to it"),
            Some("failed to create underlying connection") => {
                format!("the proxy {shown} cannot be reached: {cause}")
            }
            Some(_) => format!("the proxy {shown} breaks off: {cause}"),
            None if *is_reading => format!("the proxy {shown} cannot be reached: {cause}"),
            None => format!("by way of the proxy {shown}: {cause}"),
        }
    }

    /// It answers 407.
    pub(super) fn wants_credentials(&self) -> String {
        format!(
            "the proxy {} wants other credentials (HTTP 407): give them in the variable that names it, as \
             http://USER:PASSWORD@HOST:PORT",
            self.shown
        )
    }
}

/// Whether no proxy can be meant.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// What went wrong with a tunnel; its error has no type that could be named.
fn tunnel(error: &(dyn Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(reason) = error.to_string().strip_prefix("tunnel error: ") {
            return Some(reason.to_owned());
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_is_meant_for_this_machine() {
        let url = |text: &str| Url::parse(text).expect(text);
        for text in ["http://localhost:1/", "http://127.0.0.9/", "http://[::1]:8/", "http://a.localhost/"] {
            assert!(is_loopback(&url(text)), "{text}");
            assert!(Proxy::before(&url(text)).is_none(), "{text}");
        }
        for text in ["http://example.org/", "http://10.0.0.1/", "http://localhost.example.org/"] {
            assert!(!is_loopback(&url(text)), "{text}");
        }
    }
}
