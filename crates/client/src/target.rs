//! What a client connects to.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_telemetry::transport::Place;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::child::Command;
use crate::connection::{Carrier, Connection, Shared, Streams};
use crate::error::ClientError;
use crate::foreign::{Foreign, caught};
use crate::hooks::Hooks;
use crate::http;
use crate::socket::Socket;
use crate::websocket;

/// A server to connect to: an address, a command, or a way to open a byte stream.
///
/// ```
/// use hermes_client::Target;
/// use hermes_client::child::Command;
///
/// let remote = Target::from("https://example.org/mcp");
/// let shared = Target::from("unix:/run/mcp.sock"); // or "tcp:127.0.0.1:7000"
/// let local = Target::from(Command::new("uvx").arg("mcp-server-time"));
/// // Any other byte stream, here a socket: the function is called again whenever the connection is lost.
/// let socket = Target::streams("the server at /run/mcp.sock", || async {
///     tokio::net::UnixStream::connect("/run/mcp.sock").await.map(tokio::net::UnixStream::into_split)
/// });
/// assert_eq!(socket.to_string(), "the server at /run/mcp.sock");
/// ```
#[derive(Clone)]
pub struct Target(Kind);

#[derive(Clone)]
enum Kind {
    Address { url: String, headers: Vec<(String, String)> },
    Command(Command),
    Streams(Arc<Dialled>),
}

impl Target {
    /// Messages as lines over byte streams that this function opens: any transport that is not built in. `name` says
    /// what it is, for errors.
    pub fn streams<R, W, F>(name: impl Into<String>, dial: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<(R, W)>> + Send + 'static,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let dial = move || -> Opened {
            let dialled = dial();
            Box::pin(async move {
                let (reader, writer) = dialled.await?;
                Ok(Streams::of_host(reader, writer))
            })
        };
        Self(Kind::Streams(Arc::new(Dialled { name: name.into(), dial: Box::new(dial) })))
    }

    /// Sends this header with every request to an address. It has no meaning for anything else.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Kind::Address { headers, .. } = &mut self.0 {
            headers.push((name.into(), value.into()));
        }
        self
    }

    /// The way there. `common` are the headers that go to every address.
    ///
    /// # Errors
    /// [`ClientError::Address`]: the address or a header cannot be used.
    pub(crate) fn way(
        self,
        common: Vec<(String, String)>,
        options: &http::Options,
        hooks: &Hooks,
    ) -> Result<Arc<dyn Dial>, ClientError> {
        Ok(match self.0 {
            Kind::Address { url, headers } => {
                if let Some(socket) = Socket::parse(&url) {
                    return Ok(Arc::new(socket?));
                }
                let headers: Vec<_> = common.into_iter().chain(headers).collect();
                if let Some(websocket) = websocket::way(&url, &headers, options) {
                    return websocket;
                }
                http::way(&url, &headers, options, hooks)?
            }
            Kind::Command(command) => Arc::new(command.or_on_stderr(hooks.on_stderr.as_ref())),
            Kind::Streams(dialled) => dialled,
        })
    }
}

impl From<&str> for Target {
    fn from(url: &str) -> Self {
        Self::from(url.to_owned())
    }
}

impl From<String> for Target {
    fn from(url: String) -> Self {
        Self(Kind::Address { url, headers: Vec::new() })
    }
}

impl From<&String> for Target {
    fn from(url: &String) -> Self {
        Self::from(url.clone())
    }
}

impl From<Command> for Target {
    fn from(command: Command) -> Self {
        Self(Kind::Command(command))
    }
}

/// For messages: without credentials and queries.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Address { url, .. } => f.write_str(&without_secrets(url)),
            Kind::Command(command) => command.fmt(f),
            Kind::Streams(dialled) => f.write_str(&dialled.name),
        }
    }
}

/// Without the values of headers and variables, which may be secrets.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Address { url, headers } => f
                .debug_struct("Address")
                .field("url", &without_secrets(url))
                .field("headers", &headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
                .finish(),
            Kind::Command(command) => command.fmt(f),
            Kind::Streams(dialled) => dialled.fmt(f),
        }
    }
}

/// An address without a user, a password, a query and a fragment, whether it is one or not.
pub(crate) fn without_secrets(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = address.find("://").map_or(("", address), |at| address.split_at(at + 3));
    let authority = rest.split('/').next().unwrap_or_default();
    // A password may have a slash in it: then what looks like a port is none.
    let is_port = |port: &str| port.ends_with(']') || port.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = authority.rsplit_once(':').is_none_or(|(_, port)| is_port(port));
    let secrets = if is_whole || authority.contains('@') { authority.rfind('@') } else { rest.rfind('@') };
    let (_, shown) = rest.split_at(secrets.map_or(0, |at| at + 1));
    format!("{scheme}{shown}")
}

/// A connection that is being opened.
pub(crate) type Dialling<'a> = Pin<Box<dyn Future<Output = Result<Connection, ClientError>> + Send + 'a>>;

/// A way to a server.
pub(crate) trait Dial: fmt::Debug + Send + Sync {
    /// Opens a connection.
    fn dial(&self, shared: Shared) -> Dialling<'_>;

    /// What it will carry messages by.
    fn carrier(&self) -> Carrier {
        Carrier::Stream
    }

    /// Where the server is, as traces say it.
    fn place(&self) -> Place {
        Place::of_streams()
    }

    /// Whether there can be another connection after this one.
    fn is_lasting(&self) -> bool {
        true
    }

    /// The way to a server of an older transport at the same place, which has to say within this time that it is one.
    fn older(&self, _within: Duration) -> Option<Box<dyn Dial>> {
        None
    }

    /// What the server is known by; `None`: by nothing that would be the same another time.
    fn key(&self) -> Option<String>;
}

impl Dial for Command {
    fn dial(&self, shared: Shared) -> Dialling<'_> {
        Box::pin(async move { Ok(Connection::spawn(self, shared)?) })
    }

    fn key(&self) -> Option<String> {
        Some(self.identity())
    }
}

type Opened = Pin<Box<dyn Future<Output = io::Result<Streams>> + Send>>;

/// Byte streams that a function of the host opens.
struct Dialled {
    name: String,
    dial: Box<dyn Fn() -> Opened + Send + Sync>,
}

impl Dial for Dialled {
    fn dial(&self, shared: Shared) -> Dialling<'_> {
        Box::pin(async move {
            let streams = match caught("the function that opens it", || (self.dial)()) {
                Ok(opened) => Foreign(opened).await,
                Err(error) => Err(error),
            };
            let unreachable =
                |error| ClientError::Unreachable { url: self.name.clone(), source: Box::new(error) };
            Ok(Connection::open(streams.map_err(unreachable)?, shared))
        })
    }

    fn key(&self) -> Option<String> {
        None
    }
}

impl fmt::Debug for Dialled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streams").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Byte streams that are there already, once.
pub(crate) struct Once(Mutex<Option<Streams>>);

impl Once {
    pub(crate) fn new(streams: Streams) -> Self {
        Self(Mutex::new(Some(streams)))
    }
}

impl Dial for Once {
    fn dial(&self, shared: Shared) -> Dialling<'_> {
        let streams = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::pin(async move {
            let used_up = || ClientError::Unreachable {
                url: "a stream that has ended".to_owned(),
                source: Box::new(io::Error::from(io::ErrorKind::NotConnected)),
            };
            Ok(Connection::open(streams.ok_or_else(used_up)?, shared))
        })
    }

    fn is_lasting(&self) -> bool {
        false
    }

    fn key(&self) -> Option<String> {
        None
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_shown_without_secrets() {
        let target =
            Target::from("https://me:key@example.org/mcp?token=1#x").header("Authorization", "s3cret");
        let shown = format!("{target} {target:?}");
        assert!(shown.starts_with("https://example.org/mcp Address"), "{shown}");
        assert!(shown.contains("Authorization"), "{shown}");
        for secret in ["key", "token", "s3cret", "me:"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        for (address, shown) in [
            ("no address", "no address"),
            ("http://me:key@example .org/mcp?key", "http://example .org/mcp"),
            ("me:key@example.org/mcp#key", "example.org/mcp"),
            ("https://me:k/ey@example.org/mcp", "https://example.org/mcp"),
            ("https://example.org:8000/a@b", "https://example.org:8000/a@b"),
            ("http://[::1]/a@b", "http://[::1]/a@b"),
            ("tcp:localhost:7000", "tcp:localhost:7000"),
            ("unix:/run/me@home.sock", "unix:/run/me@home.sock"),
        ] {
            assert_eq!(Target::from(address).to_string(), shown);
        }
        assert_eq!(Target::from(Command::new("a").arg("b")).to_string(), "a b");
    }
}
