//! How much may be held, and what of it is what.

use super::event::{Class, Entry};

/// How much an outbox may hold, in messages and in bytes of their texts.
///
/// A result always fits, whatever its size, and takes no room from anything else. Only when a reader has taken a
/// response to the end of its stream and is gone, and the client may still come back for it, does it count: beyond
/// so many, those that were read first leave before their time ([`Detached`](super::Detached)). One
/// that no reader took to the end waits for its client all the time that
/// [`Patience::retention`](super::Patience::retention) gives it.
///
/// What belongs to no call counts as one stream, wherever it is: the queue and all standalone streams together.
///
/// A message that finds no room makes some. Notes give way to everything, those first that a reader was given,
/// then the others, the oldest first; hints give way to hints and requests, in the same order, when no
/// note is left; requests give way to nothing, and one that does not fit beside those held is refused
/// ([`Appended::Full`](super::Appended::Full), [`Enqueued::Full`](super::Enqueued::Full)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Bytes of one stream.
    pub stream_bytes: usize,
    /// Messages of one stream.
    pub stream_events: usize,
    /// Bytes of the session.
    pub session_bytes: usize,
    /// Messages of the session.
    pub session_events: usize,
    /// Bytes of the session's responses that were read to the end and wait to be confirmed. The one that was read
    /// last waits however large it is.
    pub handed_bytes: usize,
    /// How many such responses of the session wait.
    pub handed_responses: usize,
}

impl Budget {
    /// The default for the bytes of one stream, 1 MiB: 1024 messages of 1 KiB, when a line of progress has some 200
    /// bytes. Only log messages that carry data get there.
    pub const STREAM_BYTES: usize = 1 << 20;
    /// The default for the messages of one stream: what a call says in a minute and a half at ten times a second,
    /// longer than a client that was cut off needs to come back.
    pub const STREAM_EVENTS: usize = 1 << 10;
    /// The default for the bytes of a session, 4 MiB: four streams that use all of theirs.
    pub const SESSION_BYTES: usize = 4 * Self::STREAM_BYTES;
    /// The default for the messages of a session: four streams that use all of theirs.
    pub const SESSION_EVENTS: usize = 4 * Self::STREAM_EVENTS;

    /// The default for the responses that were read to the end: more than are on their way to one client at a time.
    pub const HANDED_RESPONSES: usize = 256;
    /// The default for the bytes of those: 256 responses of 16 KiB.
    pub const HANDED_BYTES: usize = 4 << 20;

    pub(super) const fn stream(self) -> Load {
        Load { events: self.stream_events, bytes: self.stream_bytes }
    }

    pub(super) const fn session(self) -> Load {
        Load { events: self.session_events, bytes: self.session_bytes }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            stream_bytes: Self::STREAM_BYTES,
            stream_events: Self::STREAM_EVENTS,
            session_bytes: Self::SESSION_BYTES,
            session_events: Self::SESSION_EVENTS,
            handed_bytes: Self::HANDED_BYTES,
            handed_responses: Self::HANDED_RESPONSES,
        }
    }
}

/// An amount of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Load {
    pub(super) events: usize,
    bytes: usize,
}

impl Load {
    pub(super) fn of(entry: &Entry) -> Self {
        Self { events: 1, bytes: entry.message.len() }
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            events: self.events.saturating_add(other.events),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    pub(super) const fn fits(self, limit: Self) -> bool {
        self.events <= limit.events && self.bytes <= limit.bytes
    }
}

/// What is held in one place, by what may happen to it. Responses are in none: those that wait after they were read are counted apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Tally {
    pub(super) notes: Load,
    pub(super) hints: Load,
    pub(super) requests: Load,
}

impl Tally {
    pub(super) fn add(&mut self, entry: &Entry) {
        if let Some(load) = self.kind(entry.class) {
            *load = load.plus(Load::of(entry));
        }
    }

    pub(super) fn remove(&mut self, entry: &Entry) {
        if let Some(load) = self.kind(entry.class) {
            load.events -= 1;
            load.bytes -= entry.message.len();
        }
    }

    pub(super) const fn all(&self) -> Load {
        self.notes.plus(self.hints).plus(self.requests)
    }

    /// What does not give way to a message of this class.
    pub(super) const fn firm(&self, class: Class) -> Load {
        match class {
            Class::Note => self.hints.plus(self.requests),
            Class::Hint | Class::Request(_) | Class::Response(_) => self.requests,
        }
    }

    const fn kind(&mut self, class: Class) -> Option<&mut Load> {
        match class {
            Class::Note => Some(&mut self.notes),
            Class::Hint => Some(&mut self.hints),
            Class::Request(_) => Some(&mut self.requests),
            Class::Response(_) => None,
        }
    }
}
