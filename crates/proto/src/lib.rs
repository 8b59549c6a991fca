//! What happens when: the decisions of the Model Context Protocol, as plain functions and state machines.
//!
//! Nothing here knows a socket, a clock or a runtime. Bytes, messages and the time go in as arguments; what is to
//! be done comes out as a value. The drivers in `hermes_server` and `hermes_client` carry it out. It is
//! deliberately no place for handlers, schemas, storage or HTTP.
//!
//! * [`framing`]: from bytes to messages' texts; [`limits`]: what is refused unread.
//! * [`opening`] and [`channel`]: the server's side of a byte stream; [`admit`]: who comes in over HTTP, and as what.
//! * [`correlate`] and [`negotiate`]: the client's side.
//! * [`outbox`] and [`session`]: what a server sends to a legacy session over HTTP, who may read it, and who there is;
//!   [`clocks`]: time that is kept; [`exchange`]: one modern request. [`queue`]: what waits for a byte stream or an exchange.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::wildcard_enum_match_arm
    )
)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod admit;
pub mod channel;
pub mod clocks;
pub mod correlate;
pub mod exchange;
mod few;
pub mod framing;
pub mod limits;
pub mod negotiate;
pub mod opening;
pub mod outbox;
pub mod queue;
pub mod session;
