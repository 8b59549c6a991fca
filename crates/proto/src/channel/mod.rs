//! The server's side of one two-way byte stream: stdio, and whatever else frames messages by lines.
//!
//! [`Channel`] reads lines and says what to do about them; it runs nothing and sends nothing. Both eras go
//! through it at once: a legacy session, if one is opened, and any number of modern requests that stand alone.

mod batch;
mod machine;
mod posted;
mod running;
mod subscription;
mod verdict;

#[cfg(test)]
mod tests;

pub use machine::{Channel, KeptChannel, Settled, Told, refusal};
pub use posted::Posted;
pub use running::{CallId, InFlight, Running};
pub use subscription::{Change, Filter, MAX_SUBSCRIBED, TooManySubscriptions};
pub use verdict::{Call, Ignored, Notified, Verdict, Verdicts};
