//! Servers behind a socket: `unix:PATH` and `tcp:HOST:PORT`.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use hermes_telemetry::transport::{self, Place, kind};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use crate::connection::{Connection, Shared, Streams};
use crate::error::ClientError;
use crate::target::{Dial, Dialling};

/// How long a server may take to accept a connection.
const TO_CONNECT: Duration = Duration::from_secs(10);

/// A socket on which messages are lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Socket {
    Unix(PathBuf),
    Tcp(String),
}

impl Socket {
    /// Reads an address; `None` when it is none of a socket.
    ///
    /// # Errors
    /// [`ClientError::Address`]: what it names cannot be.
    pub(crate) fn parse(address: &str) -> Option<Result<Self, ClientError>> {
        let bad = |reason: &str| ClientError::Address { what: address.to_owned(), reason: reason.to_owned() };
        let (scheme, place) = address.split_once(':')?;
        match scheme.to_ascii_lowercase().as_str() {
            "unix" => {
                // Both ways in which addresses of files are written.
                let path = place.strip_prefix("//").unwrap_or(place);
                Some(if path.is_empty() {
                    Err(bad("the path is missing: write unix:/run/mcp.sock"))
                } else {
                    Ok(Self::Unix(PathBuf::from(path)))
                })
            }
            "tcp" => {
                let place = place.strip_prefix("//").unwrap_or(place);
                let port = place.rsplit_once(':').filter(|(host, _)| !host.is_empty());
                Some(match port.map(|(_, port)| port.parse::<u16>()) {
                    Some(Ok(1..)) => Ok(Self::Tcp(place.to_owned())),
                    _ => Err(bad("a host and a port are wanted: write tcp:127.0.0.1:7000")),
                })
            }
            _ => None,
        }
    }
}

impl Dial for Socket {
    fn dial(&self, shared: Shared) -> Dialling<'_> {
        Box::pin(async move {
            let unreachable = |source| {
                transport::failed(self.place().transport, "unreachable");
                ClientError::Unreachable { url: self.to_string(), source: Box::new(source) }
            };
            let streams = match self {
                // A full queue of connections makes one wait: within the time that there is to open one.
                Self::Unix(path) => {
                    let (reader, writer) = UnixStream::connect(path).await.map_err(unreachable)?.into_split();
                    Streams { reader: Box::new(reader), writer: Box::new(writer) }
                }
                Self::Tcp(place) => {
                    let connecting = timeout(TO_CONNECT, TcpStream::connect(place)).await;
                    let stream = connecting.unwrap_or_else(|_| Err(late())).map_err(unreachable)?;
                    // A message that waits for company waits for nothing.
                    let _ = stream.set_nodelay(true);
                    let (reader, writer) = stream.into_split();
                    Streams { reader: Box::new(reader), writer: Box::new(writer) }
                }
            };
            Ok(Connection::open(streams, shared))
        })
    }

    fn place(&self) -> Place {
        match self {
            Self::Unix(path) => Place::of_host(kind::UNIX, path.display().to_string(), None),
            Self::Tcp(place) => {
                let (host, port) = place.rsplit_once(':').unwrap_or((place, ""));
                let host = host.trim_start_matches('[').trim_end_matches(']');
                Place::of_host(kind::TCP, host, port.parse().ok())
            }
        }
    }

    fn key(&self) -> Option<String> {
        Some(self.to_string())
    }
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "nobody accepted the connection in time")
}

impl fmt::Display for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(place) => write!(f, "tcp:{place}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_without_brackets_and_marks() {
        let place = |address| Socket::parse(address).expect(address).expect(address).place();
        assert_eq!(place("unix:///run/mcp.sock"), Place::of_host("unix", "/run/mcp.sock", None));
        assert_eq!(place("tcp://[::1]:7000"), Place::of_host("tcp", "::1", Some(7000)));
    }

    #[test]
    fn sockets_have_addresses() {
        for (address, shown) in [
            ("unix:/run/mcp.sock", "unix:/run/mcp.sock"),
            ("unix:///run/mcp.sock", "unix:/run/mcp.sock"),
            ("unix:mcp.sock", "unix:mcp.sock"),
            ("TCP:localhost:7000", "tcp:localhost:7000"),
            ("tcp://[::1]:7000", "tcp:[::1]:7000"),
        ] {
            let socket = Socket::parse(address).expect(address).expect(address);
            assert_eq!(socket.to_string(), shown);
        }
        for address in [
            "unix:",
            "unix://",
            "tcp:",
            "tcp:localhost",
            "tcp::7000",
            "tcp:localhost:0",
            "tcp:a:b",
            "tcp:a:70000",
        ] {
            let refused = Socket::parse(address).expect(address);
            assert!(matches!(refused, Err(ClientError::Address { .. })), "{address}");
        }
        for address in ["http://localhost:1", "unix", "", "files"] {
            assert_eq!(Socket::parse(address).map(|_| ()), None, "{address}");
        }
    }
}
