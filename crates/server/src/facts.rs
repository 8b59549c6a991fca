//! What is known of a connection before anything was said on it.

use std::net::SocketAddr;
use std::sync::Arc;

use hermes_telemetry::transport::kind;
use http::request::Parts;

/// What a transport knows of a connection, for the handlers of all calls that it carries: see
/// [`Server::serve_with`](crate::Server::serve_with).
///
/// ```
/// use std::net::{Ipv4Addr, SocketAddr};
/// use hermes_server::Facts;
///
/// let facts = Facts::new().with_peer(SocketAddr::from((Ipv4Addr::LOCALHOST, 4711))).with_principal("ada");
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Facts {
    pub(crate) head: Option<Arc<Parts>>,
    pub(crate) peer: Option<SocketAddr>,
    pub(crate) principal: Option<Arc<str>>,
    transport: Option<&'static str>,
}

impl Facts {
    /// Nothing is known.
    pub const fn new() -> Self {
        Self { head: None, peer: None, principal: None, transport: None }
    }

    /// The head of the HTTP request that opened the connection: what [`Http`](crate::Http),
    /// [`Extension`](crate::Extension) and, if it is among the extensions, [`Peer`](crate::Peer) give.
    pub fn with_head(mut self, head: Arc<Parts>) -> Self {
        self.head = Some(head);
        self
    }

    /// The address at the other end.
    pub const fn with_peer(mut self, peer: SocketAddr) -> Self {
        self.peer = Some(peer);
        self
    }

    /// What carries the messages, as `network.transport` of OpenTelemetry has it: `unix`, for one. Without it a connection
    /// that has a head or an address is `tcp`, and any other one a `pipe`.
    pub const fn with_transport(mut self, transport: &'static str) -> Self {
        self.transport = Some(transport);
        self
    }

    /// What is spoken over the transport: a request that opened a connection has made a WebSocket of it.
    pub(crate) const fn protocol(&self) -> Option<&'static str> {
        if self.head.is_some() { Some("websocket") } else { None }
    }

    pub(crate) const fn transport(&self) -> &'static str {
        match self.transport {
            Some(transport) => transport,
            None if self.head.is_some() || self.peer.is_some() => kind::TCP,
            None => kind::PIPE,
        }
    }

    /// Whom something in front of the server authenticated.
    pub fn with_principal(mut self, principal: impl Into<Arc<str>>) -> Self {
        self.principal = Some(principal.into());
        self
    }
}
