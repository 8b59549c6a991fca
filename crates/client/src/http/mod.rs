//! Streamable HTTP: an exchange for every message, in both eras.
//!
//! ```text
//!  Shared.unwritten ---> drive --+-- a request ------> an exchange: POST --> JSON or events --> Shared
//!                                |                       | it breaks behind an event id (legacy)
//!                                |                       +--> GET + Last-Event-ID, again and again, up to its end
//!                                +-- a response -----> a POST of its own
//!                                +-- a notification -> POSTs, one after the other
//!                                +-- the end --------> DELETE
//!
//!  after `notifications/initialized`: the standalone stream, a GET that is opened again whenever it ends
//! ```
//!
//! What an exchange is for is settled when it ends, whatever way it ends: a result, an error of the server, or an
//! error that says what came instead. Nothing waits for something that cannot come any more.
//!
//! What goes into the headers is read from the body itself, so the two never differ, whichever operation made the
//! message.
//!
//! Servers that speak nothing newer than HTTP+SSE are in [`sse`].
//!
//! Sources: `basic/transports/streamable-http`, 2026-07-28; `basic/transports#streamable-http`, 2025-11-25.

mod answer;
mod certificate;
mod connect;
mod drive;
mod endpoint;
mod events;
mod exchange;
mod heal;
mod lanes;
mod lost;
mod options;
mod outline;
mod outward;
mod proxy;
mod session;
mod sse;
mod standalone;
mod talk;
mod tls;
mod vigil;

pub use certificate::CertificateProblem;
pub(crate) use connect::{Options, way};
