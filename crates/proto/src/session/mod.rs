//! A legacy session over HTTP: its messages, its streams, its life, and who there is.
//!
//! [`Session`] puts two machines together: the [`Channel`](crate::channel::Channel) reads what the client sends
//! and knows the calls in flight; the [`Outbox`](crate::outbox::Outbox) holds what goes to the client. The
//! session knows which call answers on which stream, and how long nothing has happened.
//! [`Roster`] knows which sessions there are, which were, and whom to send away when there are too many.
//!
//! The modern era has no sessions: its requests are [`exchange`](crate::exchange)s.

mod ending;
mod id;
mod kept;
mod machine;
mod roster;

#[cfg(test)]
mod tests;

pub use ending::{Left, Told};
pub use id::{ParseSessionIdError, SessionId};
pub use kept::{KeptSession, Terms};
pub use machine::{Asked, Post, Session};
pub use roster::{Admitted, AtCapacity, Roster};
