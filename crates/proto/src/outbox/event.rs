//! What travels: encoded messages, and as much of their meaning as delivery needs.

use super::id::{EventId, StreamId};
use std::fmt;
use std::sync::Arc;

/// One message, already encoded for the revision in force. Copies share the bytes.
///
/// Its `Debug` shows the length only: messages carry people's data, and logs do not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoded(Arc<[u8]>);

impl Encoded {
    /// The bytes as they go on the wire, without any framing.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl AsRef<[u8]> for Encoded {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Arc<[u8]>> for Encoded {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self(bytes)
    }
}

impl From<Encoded> for Arc<[u8]> {
    fn from(encoded: Encoded) -> Self {
        encoded.0
    }
}

impl From<Vec<u8>> for Encoded {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl<const N: usize> From<[u8; N]> for Encoded {
    fn from(bytes: [u8; N]) -> Self {
        Self(Arc::new(bytes))
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoded({} bytes)", self.0.len())
    }
}

/// A request of the server to the client, as its caller knows it. Whoever makes them never uses one twice in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u64);

impl CallId {
    /// The call with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number it was made from.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// A message that belongs to one exchange and travels on its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Related {
    /// Progress or a log message of this call.
    Note,
    /// A request of the server that came up inside this call.
    Request(CallId),
    /// The response to the call. The stream ends after it.
    Response,
}

/// A message that belongs to no exchange and travels on a standalone stream. A response cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unrelated {
    /// Level-triggered: `list_changed`, `resources/updated`. It says that something is different now, not what happened,
    /// so two equal ones that wait are one, and one whose fate is unknown may be raised again.
    Hint,
    /// Anything else that wants no answer, such as a log message. Sent at most once.
    Note,
    /// A request of the server. Sent at most once.
    Request(CallId),
}

/// What a reader takes from a stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Its id on the wire.
    pub id: EventId,
    /// The message to write.
    pub message: Encoded,
}

/// The meaning of a held message, whichever way it came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    Hint,
    Note,
    Request(CallId),
    Response(StreamId),
}

/// A held message. It has no number: that belongs to the place it is held in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) class: Class,
    /// Whether it belongs to no call.
    pub(super) unrelated: bool,
    pub(super) message: Encoded,
}

impl Entry {
    pub(super) fn related(class: Related, stream: StreamId, message: Encoded) -> Self {
        let class = match class {
            Related::Note => Class::Note,
            Related::Request(call) => Class::Request(call),
            Related::Response => Class::Response(stream),
        };
        Self { class, unrelated: false, message }
    }

    pub(super) fn unrelated(class: Unrelated, message: Encoded) -> Self {
        let class = match class {
            Unrelated::Hint => Class::Hint,
            Unrelated::Note => Class::Note,
            Unrelated::Request(call) => Class::Request(call),
        };
        Self { class, unrelated: true, message }
    }

    pub(super) fn asks(&self, call: CallId) -> bool {
        self.class == Class::Request(call)
    }

    pub(super) const fn is_request(&self) -> bool {
        matches!(self.class, Class::Request(_))
    }

    /// Two hints with the same text. Deciding this by the text, and not by a name that a caller gives, makes it
    /// impossible that an older text takes the place of a newer one.
    pub(super) fn same_hint(&self, other: &Self) -> bool {
        self.class == Class::Hint && self == other
    }
}
