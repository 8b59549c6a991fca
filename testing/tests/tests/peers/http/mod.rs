//! The Hermes client in conversation over HTTP with servers that nobody here wrote.
//!
//! Where an SDK is a library, a small program in `testing/tests/peers/http` is the server; all of these offer the same.
//! Each is driven through everything the client can do, killed in the middle of it, and started again.

mod command;
mod conversation;
#[cfg(feature = "every-peer")]
mod everything;
mod loss;
#[cfg(feature = "every-peer")]
mod more;
pub(crate) mod patience;
#[cfg_attr(not(feature = "every-peer"), expect(dead_code, reason = "what only the other peers need"))]
mod peer;
#[cfg_attr(not(feature = "every-peer"), expect(dead_code, reason = "what only the other peers need"))]
pub(crate) mod server;
mod two;
