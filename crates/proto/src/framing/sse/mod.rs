//! Server-sent events, as Streamable HTTP uses them.
//!
//! [`EventReader`] reads what the WHATWG standard calls an event stream, whoever wrote it; [`OutgoingEvent`]
//! writes one that every reader understands.

mod reader;
mod writer;

pub use reader::{Event, EventReader, Incoming};
pub use writer::{OutgoingEvent, Unwritable, write_comment};

#[cfg(test)]
mod tests;
