//! Servers behind a WebSocket: `ws://…` and `wss://…`.
//!
//! A custom transport in the sense of the specification: the messages of stdio, one in each text frame. What has to be
//! said before there is a WebSocket (headers, credentials, TLS) is said as over HTTP; redirects are not followed, and
//! proxies are not used.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hermes_telemetry::transport::{self, Place, kind};
use hermes_websocket::tungstenite::client_async_with_config;
use hermes_websocket::tungstenite::tungstenite::client::IntoClientRequest as _;
use hermes_websocket::tungstenite::tungstenite::handshake::client::{Request, Response};
use hermes_websocket::tungstenite::tungstenite::{Error, http};
use hermes_websocket::{Manners, SUBPROTOCOL, Watched, lines};
use reqwest::Url;
use reqwest::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL, USER_AGENT, WWW_AUTHENTICATE};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, split};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::connection::{Connection, Shared, Streams};
use crate::error::{ClientError, HttpAnswer, HttpProblem};
use crate::headers::Headers;
use crate::http::Options;
use crate::target::{Dial, Dialling};

/// How long a server may take to accept a connection.
const TO_CONNECT: Duration = Duration::from_secs(10);

/// What is sent to open a WebSocket, in the words of errors.
const OPENING: &str = "the request for a WebSocket";

/// The way to a WebSocket; `None`: the address is none of one.
pub(crate) fn way(
    url: &str,
    headers: &[(String, String)],
    options: &Options,
) -> Option<Result<Arc<dyn Dial>, ClientError>> {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_encrypted = match scheme.as_deref() {
        Some("ws") => false,
        Some("wss") => true,
        _ => return None,
    };
    Some(WebSocket::new(url, is_encrypted, headers, options).map(|way| Arc::new(way) as _))
}

/// An address at which WebSockets are opened.
#[derive(Debug)]
struct WebSocket {
    host: String,
    port: u16,
    /// The address without a query, as people are told it.
    shown: String,
    request: Request,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

impl WebSocket {
    fn new(
        text: &str,
        is_encrypted: bool,
        headers: &[(String, String)],
        options: &Options,
    ) -> Result<Self, ClientError> {
        let bad = |reason: &str| ClientError::Address {
            what: crate::target::without_secrets(text),
            reason: reason.to_owned(),
        };
        let mut url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("credentials do not belong there: send the header Authorization"));
        }
        url.set_fragment(None);
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| bad("it has no host"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = url.port_or_known_default().unwrap_or(if is_encrypted { 443 } else { 80 });
        let mut request =
            url.as_str().into_client_request().map_err(|_| bad("it is no address of a WebSocket"))?;
        let own = request.headers_mut();
        let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        own.insert(USER_AGENT, HeaderValue::from_static(agent));
        let mut given = Headers::default();
        headers.iter().try_for_each(|(name, value)| given.set(name, value))?;
        for (name, value) in &given.map {
            own.insert(name, value.clone());
        }
        own.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
        let mut config = options.trust.config(is_encrypted)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let tls = match is_encrypted {
            true => {
                let name = ServerName::try_from(host.clone()).map_err(|_| bad("its host has no name"))?;
                Some((Arc::new(config), name))
            }
            false => None,
        };
        url.set_query(None);
        Ok(Self { host, port, shown: url.into(), request, tls })
    }

    fn unreachable(&self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ClientError {
        transport::failed(kind::WEBSOCKET, "unreachable");
        ClientError::Unreachable { url: self.shown.clone(), source: source.into() }
    }

    async fn open(&self, shared: Shared) -> Result<Connection, ClientError> {
        let place = (self.host.as_str(), self.port);
        let stream = self.soon(TcpStream::connect(place)).await?;
        // A message that waits for company waits for nothing.
        let _ = stream.set_nodelay(true);
        match &self.tls {
            None => self.upgrade(stream, shared).await,
            Some((config, name)) => {
                let connector = TlsConnector::from(Arc::clone(config));
                let stream = self.soon(connector.connect(name.clone(), stream)).await?;
                self.upgrade(stream, shared).await
            }
        }
    }

    /// What a server that is there does at once.
    async fn soon<T>(&self, connecting: impl Future<Output = io::Result<T>>) -> Result<T, ClientError> {
        let late = |_| Err(io::Error::new(io::ErrorKind::TimedOut, "nobody accepted the connection in time"));
        let connected = timeout(TO_CONNECT, connecting).await.unwrap_or_else(late);
        connected.map_err(|error| self.unreachable(error))
    }

    async fn upgrade<S>(&self, stream: S, shared: Shared) -> Result<Connection, ClientError>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let manners = Manners::new(shared.limits.line_bytes);
        let stream = Watched::new(stream);
        let opened = client_async_with_config(self.request.clone(), stream, Some(manners.config())).await;
        let (socket, _) = opened.map_err(|error| self.refused(error))?;
        let (lines, running) = lines(socket, manners);
        // It ends with the lines, which the connection owns.
        tokio::spawn(running);
        let (reader, writer) = split(lines);
        Ok(Connection::open(Streams { reader: Box::new(reader), writer: Box::new(writer) }, shared))
    }

    /// What the server says instead of opening a WebSocket.
    fn refused(&self, error: Error) -> ClientError {
        let response: Response = match error {
            Error::Http(response) => *response,
            Error::Io(error) => return self.unreachable(error),
            error => return self.unreachable(error),
        };
        let text = |name| {
            let value: Option<&HeaderValue> = response.headers().get(name);
            value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let status = response.status().as_u16();
        let body = response.body().as_deref().unwrap_or_default();
        let excerpt = String::from_utf8_lossy(body).split_whitespace().collect::<Vec<_>>().join(" ");
        let excerpt = excerpt.chars().take(200).collect();
        let (method, url) = (OPENING.to_owned(), self.shown.clone());
        match response.status() {
            http::StatusCode::UNAUTHORIZED | http::StatusCode::FORBIDDEN => {
                ClientError::Unauthorized { method, url, status, challenge: text(WWW_AUTHENTICATE), excerpt }
            }
            status if status.is_redirection() => ClientError::Redirect {
                method,
                url,
                status: status.as_u16(),
                location: text(http::header::LOCATION),
            },
            _ => ClientError::Http(Box::new(HttpAnswer {
                method,
                url,
                status,
                content_type: text(http::header::CONTENT_TYPE),
                problem: HttpProblem::Status,
                retry_after: None,
                proxy: None,
                excerpt,
            })),
        }
    }
}

impl Dial for WebSocket {
    fn dial(&self, shared: Shared) -> Dialling<'_> {
        Box::pin(self.open(shared))
    }

    fn place(&self) -> Place {
        Place::of_host(kind::WEBSOCKET, self.host.as_str(), Some(self.port))
    }

    fn key(&self) -> Option<String> {
        Some(self.shown.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(url: &str) -> Option<Result<Arc<dyn Dial>, ClientError>> {
        way(url, &[("X-Key".to_owned(), "s3cret".to_owned())], &Options::default())
    }

    #[test]
    fn websockets_have_addresses_and_keep_their_secrets() {
        let way = open("WS://localhost:7000/mcp?token=hidden").expect("a WebSocket").expect("an address");
        assert_eq!(way.key().as_deref(), Some("ws://localhost:7000/mcp"));
        let shown = format!("{way:?}");
        assert!(shown.contains("x-key") && !shown.contains("s3cret"), "{shown}");
        assert!(open("http://localhost").is_none() && open("ws:x").is_none());
        for bad in ["ws://", "ws://me:key@localhost/mcp"] {
            let refused = open(bad).expect(bad).expect_err(bad);
            assert!(matches!(&refused, ClientError::Address { .. }), "{refused:?}");
            assert!(!refused.to_string().contains("key@"), "{refused}");
        }
    }
}
