//! HTTP+SSE, the transport of 2024-11-05: one stream of events from the server, and a POST for every message to it.
//!
//! ```text
//!   GET --> text/event-stream --> the event `endpoint`: where messages are sent, at the same origin
//!    |              |                      |
//!    |              | no such event first  +-- Shared.unwritten --+-- a request ------> a POST of its own
//!    |              v                      |                      +-- a response -----> a POST of its own
//!    +-------> no connection               |                      +-- a notification -> POSTs, one after the other
//!                                          +-- the event `message` --> Shared
//!                                          +-- the end ------------> the connection is lost
//! ```
//!
//! | what comes | what it leads to |
//! |---|---|
//! | 2xx to a request | its answer is awaited on the stream; a message in the body is taken in too |
//! | another status to a request | the request is settled: by the error in the body, or by what came |
//! | 404 or 410 without an error that names the request | the connection is lost as well: the server has forgotten the stream |
//! | another status to anything else | a warning |
//! | a POST that cannot be sent, or breaks | the request is settled |
//! | the end of the stream, or a break | everything that waits is settled, with the address and what happened |
//!
//! A stream is never resumed, as it has no session that outlives it: whoever holds the connection opens another one.
//!
//! Source: `basic/transports#http-with-sse`, 2024-11-05.

mod courier;
mod dial;
mod stream;

pub(crate) use dial::dial;
pub(super) use stream::ENDPOINT;
