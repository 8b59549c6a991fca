//! Who comes in over HTTP, and as what: the whole decision table of the Streamable HTTP transport, both eras.
//!
//! Nothing here knows an HTTP library: a method is a text, and headers are looked up through a closure. In the
//! order in which a server asks:
//!
//! ```text
//!  head ---> guard ---> door --+-- Post ---> body ---> Modern | Session | Handshake | Stateless | Notification
//!              |          |    +-- Get ----> get ----> a stream of a session
//!              |          |    +-- Delete -> delete -> the session to end
//!              |          |    +-- Preflight
//!              v          v           |          |
//!           Refused    Refused     Refused    Refused
//! ```
//!
//! * [`guard`]: `Host` and `Origin`, on every path and method.
//! * [`door()`]: the method, and the headers that say how to read and answer. Whoever authenticates clients does it
//!   behind this step and before the next.
//! * [`utf8`] and [`body()`], [`get`], [`delete`]: era, revision and session. Whatever they refuse has touched no session.
//! * [`mirrored`]: once a tool is found, its `Mcp-Param-*` headers. The status of a response after that is
//!   [`FaultKind::http_status`](hermes_types::FaultKind::http_status).
//!
//! Every refusal is a [`Refused`] with a status from 400 on, and a JSON-RPC error that carries the request's id where
//! that could be read.

mod accept;
mod body;
mod door;
mod field;
mod headers;
mod mirror;
mod number;
mod origin;
mod place;
mod policy;
mod refused;
mod sentinel;
mod streams;

#[cfg(test)]
mod tests;

pub use accept::Accept;
pub use body::{Admission, body, utf8};
pub use door::{Door, door};
pub use field::Field;
pub use mirror::{BadMirror, Mirror, mirrored};
pub use origin::{Guest, guard};
pub use policy::{Arrival, Legacy, Policy};
pub use refused::{Gone, Refused, Standing, not_initialized, session_expired};
pub use sentinel::{BadSentinel, decode_sentinel, encode_sentinel};
pub use streams::{Attach, delete, get};
