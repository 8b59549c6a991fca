//! Serving single messages: what a transport needs that is handed one request at a time, as HTTP is.
//!
//! An [`Endpoint`] is a [`Server`](crate::Server) with its sessions. A transport asks
//! `hermes_proto::admit` what a request is, hands it to the endpoint, and sends the [`Reply`]. The endpoint knows
//! nothing of HTTP; the transport knows nothing of handlers.

mod client;
mod exchange;
mod graves;
mod keeping;
mod options;
mod post;
mod reader;
mod restore;
mod session;
mod shared;
mod stats;
mod sweep;
mod writer;

pub use options::{Options, SessionEvent, SessionHook};
pub use post::Reply;
pub use reader::{Event, EventStream, Text};
pub use shared::{AtCapacity, Endpoint, SessionListing, SessionRef};
pub use stats::Metrics;

use shared::Shared;
use stats::Stats;
