//! Streams of chosen notifications, in both eras.
//!
//! ```text
//!               lost, and not refused                    the pause is over
//!    there ------------------------------> Heard::Lost ---------------------> being opened
//!      ^                                       ^                                   |   |
//!      |                                       |  lost again: a longer pause       |   |
//!      |                                       +-----------------------------------+   |
//!      +--------------------------------- Heard::Gap ----------------------------------+
//!                                                                                      |
//!    the server ends it, refuses it, or the client is at its end  <--------------------+
//! ```
//!
//! In the legacy era there is no such stream: what is chosen is picked from the notifications of the session. There the
//! session is what is lost, and what is told again when it is replaced.

mod heard;
mod open;

pub use heard::{Heard, Listening};
