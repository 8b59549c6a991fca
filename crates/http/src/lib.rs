//! Streamable HTTP for Model Context Protocol servers: all five revisions on one URL.
//!
//! [`StreamableHttp`] is a server over HTTP. [`StreamableHttp::service`] gives a `tower::Service` that mounts in any
//! router; [`StreamableHttp::serve`] listens by itself (HTTP/1.1 and HTTP/2 without TLS: TLS is for what stands in front).
//!
//! What a request means is decided in `hermes_proto::admit`, what answers it in `hermes_server::endpoint`. This crate
//! moves headers and bytes between them. It is deliberately no web framework: it serves one endpoint.

#[cfg(feature = "serve")]
mod arrival;
mod body;
mod cors;
mod events;
mod head;
#[cfg(feature = "serve")]
mod head_timer;
mod http_sse;
#[cfg(feature = "serve")]
mod metrics;
#[cfg(feature = "serve")]
mod serve;
mod service;
mod streamable;
#[cfg(feature = "websocket")]
mod websocket;
#[cfg(not(feature = "websocket"))]
#[path = "no_websocket.rs"]
mod websocket;

pub use body::Body;
pub use hermes_server::endpoint::{Endpoint, Metrics, SessionEvent, SessionListing};
pub use http_sse::HttpSse;
#[cfg(feature = "serve")]
pub use serve::{Bound, ServeError};
pub use service::{Local, McpService, Principal};
pub use streamable::StreamableHttp;
