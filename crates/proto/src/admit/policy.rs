//! What the operator of a server has set.

use std::net::SocketAddr;

use hermes_types::Revision;

/// What an HTTP endpoint serves, to whom, and how much of it.
///
/// ```
/// use hermes_proto::admit::{Legacy, Policy};
///
/// let policy = Policy { origins: vec!["https://app.example".to_owned()], ..Policy::default() };
/// assert_eq!((policy.legacy, policy.body_bytes), (Legacy::Sessions, 4 * 1024 * 1024));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The longest body of a POST, in bytes.
    pub body_bytes: usize,
    /// The deepest nesting of arrays and objects in a body, the message itself being the first level.
    pub depth: usize,
    /// Names that the server is reached by, with or without a port: `mcp.example.org`, `[2001:db8::7]:8000`. Without
    /// a port, any port will do. Behind a loopback address its own names need no mention; elsewhere an empty
    /// list admits every name.
    pub hosts: Vec<String>,
    /// How requests of the legacy era are served.
    pub legacy: Legacy,
    /// Origins whose pages may call the server, as browsers spell them: `https://app.example`. A page that a
    /// loopback server serves itself needs no mention.
    pub origins: Vec<String>,
}

impl Default for Policy {
    /// 4 MiB, 128 levels, sessions, and no foreign host or origin.
    fn default() -> Self {
        Self {
            body_bytes: 4 * 1024 * 1024,
            depth: 128,
            hosts: Vec::new(),
            legacy: Legacy::Sessions,
            origins: Vec::new(),
        }
    }
}

impl Policy {
    /// The methods of HTTP that the endpoint serves, as an `Allow` header.
    #[must_use]
    pub const fn allow(&self) -> &'static str {
        match self.legacy {
            Legacy::Sessions => "GET, POST, DELETE",
            Legacy::Stateless | Legacy::Off => "POST",
        }
    }

    /// The revisions that are served, oldest first.
    #[must_use]
    pub const fn revisions(&self) -> &'static [Revision] {
        match self.legacy {
            Legacy::Sessions | Legacy::Stateless => &Revision::ALL,
            Legacy::Off => &Revision::MODERN,
        }
    }
}

/// How requests of the legacy era are served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Legacy {
    /// In sessions, which `initialize` opens.
    #[default]
    Sessions,
    /// Each alone, under the revision that its header names. There are no session ids, and a client's are
    /// ignored; there is no GET stream.
    Stateless,
    /// Not at all: clients are told which revisions there are.
    Off,
}

/// Where a request came in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The server's own address on this connection, where it is known: not the one it listens on, which may be a
    /// wildcard. A server that does not know it assumes a loopback address, which is the strict reading.
    pub local: Option<SocketAddr>,
}

impl Arrival {
    /// Whether only names of this very machine lead here, unless the policy names others.
    pub(super) fn is_loopback(self) -> bool {
        self.local.is_none_or(|local| local.ip().to_canonical().is_loopback())
    }
}
