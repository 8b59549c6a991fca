//! What the calls of the outbox answer.

use super::event::{CallId, Event};
use super::id::{EventId, Seq, StreamId};
use std::error::Error;
use std::fmt;

/// Counts attachments, so that of two leases of one stream the newer can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Epoch(u64);

impl Epoch {
    pub(super) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    pub(super) const fn numbered(number: u64) -> Self {
        Self(number)
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

/// The right to read one stream, from one attachment on until the next one, [`Outbox::detach`](super::Outbox::detach)
/// or the end of the stream.
///
/// Only the outbox makes one. A copy is the same right: when it has ended, it has ended for every copy. A lease
/// means nothing to an outbox that did not make it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    pub(super) stream: StreamId,
    pub(super) epoch: Epoch,
    pub(super) from: Seq,
}

impl Lease {
    /// The stream that it reads.
    #[must_use]
    pub const fn stream(&self) -> StreamId {
        self.stream
    }

    /// Where the reader started: the cursor that it resumed after, or the start of a new stream. A priming event
    /// carries this id, and a client that shows it misses nothing and repeats nothing.
    #[must_use]
    pub const fn start(&self) -> EventId {
        EventId::new(self.stream, self.from)
    }
}

/// What a reader finds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Next {
    /// Nothing will ever be due: close the connection, then detach.
    Ended,
    /// Write this. It stays in the log until the client has shown that it has it, or a note or a hint gives way.
    Event(Event),
    /// So many notes gave way to the budget before this reader got to them. It is told once: leave a comment on the
    /// stream or in the log, and ask again.
    Gap(u64),
    /// All that was in the log is read, and the server wants the client to come back: close the connection, then
    /// detach.
    HangUp,
    /// Nothing is due now. Ask again when something was added or another lease ended.
    Idle,
    /// The stream belongs to a newer lease or is closed: close the connection.
    Stale,
}

/// What the end of a lease means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[must_use]
pub struct Detached {
    /// Whether the lease was still current. A stale one changes nothing.
    pub current: bool,
    /// Who has to be told of what left with it: the oldest of those responses that their readers took to the end,
    /// and what was on their streams.
    pub expired: Vec<Expired>,
}

/// What became of a message for one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Appended {
    /// There is no room for this note: it was counted, and left a gap at its place.
    Dropped,
    /// The call already has its response: nothing was added.
    Ended,
    /// There is no room for this request, not even if notes and hints gave way: nothing was added. Fail it for
    /// its caller.
    Full,
    /// It is in the log under this id. That is not yet delivery.
    Logged(EventId),
    /// No exchange stream of this name is open: nothing was added.
    NoSuchStream,
}

/// What became of a message that belongs to no exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Enqueued {
    /// The session is over: nothing was added.
    Closed,
    /// An equal hint waits already, and one is enough.
    Coalesced,
    /// There is no room for this note or hint: it was counted. A note left a gap; for a hint see
    /// [`Outbox::take_hint_loss`](super::Outbox::take_hint_loss).
    Dropped,
    /// There is no room for this request, not even if notes and hints gave way: nothing was added. Fail it for
    /// its caller.
    Full,
    /// It waits for a reader. That is not yet delivery.
    Queued,
}

/// How far an unconfirmed message had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Delivery {
    /// No reader ever took it: the client cannot have it.
    NotSent,
    /// A reader took it; whether it arrived is unknown.
    Unknown,
}

/// Something whose time ran out and that somebody has to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use]
pub enum Expired {
    /// Fail this server request for its caller. With [`Delivery::Unknown`] its outcome is unknown: the client
    /// may have it, and its answer would come too late.
    Request {
        /// Which one.
        call: CallId,
        /// Whether the client can have it.
        delivery: Delivery,
    },
    /// The response on this stream is given up: nobody confirmed it within the retention period, or before more
    /// responses were read to the end than the [`Budget`](super::Budget) keeps.
    Response {
        /// The stream of its exchange.
        stream: StreamId,
        /// Whether the client can have it. A client that reads to the end and never comes back leaves
        /// [`Delivery::Unknown`], so that is the usual case and no sign of trouble.
        delivery: Delivery,
    },
}

/// Why a stream cannot be resumed. The client is always the one who named the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResumeError {
    /// No reader was ever given that event.
    Ahead,
    /// The client has already shown a later cursor: a delayed request, which must not take the stream away.
    Behind,
    /// The cursor names the response, which ends its stream: nothing is left, and the stream is now closed.
    Finished,
    /// The stream is closed.
    Gone,
    /// No such stream was ever opened.
    Unknown,
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ahead => "the client named an event that it was never sent",
            Self::Behind => "the client named an event before one that it has already confirmed",
            Self::Finished => "the client already has the response that ended this stream",
            Self::Gone => "the client named a stream that is closed: open a new one",
            Self::Unknown => "the client named a stream that was never opened",
        })
    }
}

impl Error for ResumeError {}

/// Where a stream stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// An exchange with its response in the log, and a reader.
    AnsweredLeased,
    /// An exchange with its response in the log, and no reader.
    AnsweredWaiting,
    /// Not open: closed, abandoned, or never opened.
    Closed,
    /// An exchange without a response yet, and a reader.
    RunningLeased,
    /// An exchange without a response yet, and no reader.
    RunningWaiting,
    /// A standalone stream with a reader.
    StandaloneLeased,
    /// A standalone stream without a reader.
    StandaloneWaiting,
}

/// How much an outbox holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Held {
    /// Messages that wait for a standalone stream.
    pub queued: usize,
    /// Messages in the logs of streams, read or not, that no cursor has acknowledged.
    pub logged: usize,
    /// Responses among those in the logs. They are beside the budget.
    pub responses: usize,
    /// Bytes of all that is queued and logged, without any overhead.
    pub bytes: usize,
}
