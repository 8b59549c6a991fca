//! Reading what goes to a client, event by event.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hermes_proto::outbox::{Encoded, EventId, Lease, Next};

use super::exchange::Exchanging;
use super::session::{SessionLink, Taken};

/// One thing to write on a stream of events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A message, and its id if a client may come back to it.
    Message {
        /// Where it is, for `Last-Event-ID`.
        id: Option<EventId>,
        /// The JSON text.
        text: Text,
    },
    /// An id and no message: a client that is cut off from here on can come back to it.
    Priming(EventId),
    /// So many progress and log messages gave way before this client read them.
    Gap(u64),
    /// The server is about to hang up; the client is to come back after so long.
    Retry(Duration),
}

/// A JSON text, shared or not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Text {
    /// It stays in the log of its stream.
    Kept(Encoded),
    /// It is written and gone.
    Once(Vec<u8>),
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Kept(text) => text.as_bytes(),
            Self::Once(text) => text,
        }
    }
}

/// Everything that goes to a client on one stream, to be asked for.
///
/// Whoever writes asks for the next event when it can write; nothing is pushed, so a client that does not read
/// costs nothing but what waits in the log. Dropping the stream says that its connection is gone: a legacy call
/// goes on, and its result waits; a modern request is cancelled.
pub struct EventStream(Source);

enum Source {
    Exchange(Exchanging),
    Log {
        link: Arc<SessionLink>,
        lease: Lease,
        priming: Option<EventId>,
        numbered: bool,
        over: bool,
        taken: Option<Box<Taken>>,
    },
    Over,
}

impl EventStream {
    pub(super) const fn of_exchange(exchange: Exchanging) -> Self {
        Self(Source::Exchange(exchange))
    }

    /// The stream that this lease reads. With `priming` its first event is an id without a message.
    pub(super) fn of_log(link: Arc<SessionLink>, lease: Lease, priming: bool) -> Self {
        let priming = priming.then(|| lease.start());
        let numbered = link.id().is_some();
        let taken = link.taken();
        Self(Source::Log { link, lease, priming, numbered, over: false, taken })
    }

    /// The next event; `None` when the stream is over, and its connection is to be closed.
    ///
    /// # Cancel safety
    /// Nothing is lost between two polls. An event that was given and not written can be had again in the
    /// legacy era, by resuming from the one before.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let event = match &mut self.0 {
            Source::Over => return Poll::Ready(None),
            Source::Exchange(exchange) => exchange
                .poll_next(cx)
                .map(|text| text.map(|text| Event::Message { id: None, text: Text::Once(text) })),
            Source::Log { link, priming, taken, .. } if priming.is_some() => {
                link.poll_opened(taken.as_deref(), cx).map(|()| priming.take().map(Event::Priming))
            }
            Source::Log { link, lease, numbered, over, taken, .. } => {
                if *over {
                    Poll::Ready(None)
                } else {
                    link.poll_next(lease, taken.as_deref_mut(), cx).map(|next| match next {
                        Next::Event(event) => {
                            let id = numbered.then_some(event.id);
                            Some(Event::Message { id, text: Text::Kept(event.message) })
                        }
                        Next::Gap(count) => Some(Event::Gap(count)),
                        Next::HangUp => {
                            *over = true;
                            Some(Event::Retry(link.retry()))
                        }
                        Next::Ended | Next::Idle | Next::Stale => None,
                    })
                }
            }
        };
        if matches!(event, Poll::Ready(None)) {
            self.end();
        }
        event
    }

    fn end(&mut self) {
        if let Source::Log { link, lease, .. } = std::mem::replace(&mut self.0, Source::Over) {
            link.detach(&lease);
        }
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventStream")
    }
}
