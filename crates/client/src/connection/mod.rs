//! One connection to a server: a task that reads, a task that writes, and what they share.
//!
//! Over a byte stream it is this; over HTTP one task takes what is to be sent, and begins an exchange for each
//! message. What is shared is the same for both.
//!
//! ```text
//!   a call --- request ---> Shared.unwritten --- write loop ---> bytes to the server
//!     ^                                                                 |
//!     |                                                                 v
//!   Slot <--- settle --- Shared.pending <--- read loop <--- bytes from the server
//!                             |
//!                             +--- a server's request ---> a task with the handler ---> Shared.unwritten
//!                             +--- a notification -------> the inboxes of whoever listens
//! ```
//!
//! All state is behind one mutex of the standard library, which is never held across an `await`. Neither loop ever
//! waits for the host: answers go to slots, notifications to bounded queues, handlers run on tasks of their own.

mod exchange;
mod incoming;
mod link;
mod read;
mod request;
pub(crate) mod shared;
mod slot;
mod write;

pub(crate) use link::{Connection, Streams};
pub(crate) use request::{InFlight, OnProgress, Patience, later};
pub(crate) use shared::{Carrier, Shared};
pub(crate) use slot::Answer;
