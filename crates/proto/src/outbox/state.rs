//! The outbox itself: rules R1 to R4 as plain calls.

use super::answer::{Appended, Delivery, Enqueued, Epoch, Expired, Held, Lease, Next, ResumeError, Stage};
use super::books::{Books, Counters, Exit};
use super::event::{CallId, Class, Encoded, Entry, Event, Related, Unrelated};
use super::id::{EventId, Seq, StreamId};
use super::stream::{Phase, Read, Stream};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// How long an outbox waits for a client that is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Patience {
    /// For a reader, before the events of a standalone stream are raised again or failed, and before nested
    /// requests on an exchange stream are failed. Longer than a client waits before it reconnects.
    pub grace: Duration,
    /// For a reader, before a response is given up.
    pub retention: Duration,
}

/// The server's messages to the client of one legacy session. See the [module](super) for the rules.
///
/// Every call takes effect at once and answers what the caller has to know; none waits, asks the time or does
/// anything to a connection. Put it behind a lock, and after a call that adds something or ends a lease wake the
/// reader concerned: the stream appended to, or [`Outbox::taker`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Outbox {
    patience: Patience,
    queue: VecDeque<Entry>,
    streams: BTreeMap<StreamId, Stream>,
    opened: u64,
    epoch: Epoch,
    closed: bool,
    books: Books,
}

impl Outbox {
    /// An empty outbox of a new session.
    #[must_use]
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            queue: VecDeque::new(),
            streams: BTreeMap::new(),
            opened: 0,
            epoch: Epoch::default(),
            closed: false,
            books: Books::default(),
        }
    }

    /// Opens a standalone stream and attaches its reader: a GET without a cursor. The new lease takes from the queue.
    #[must_use]
    pub fn attach(&mut self) -> Lease {
        self.begin(Phase::Standalone)
    }

    /// Opens the stream of an exchange and attaches its reader: a POST that holds a request.
    #[must_use]
    pub fn open(&mut self) -> Lease {
        self.begin(Phase::Running)
    }

    /// Continues the stream that `cursor` names, after that event: a GET with `Last-Event-ID`
    /// (`basic/transports`, 2025-03-26 to 2025-11-25, "Resumability and Redelivery").
    ///
    /// The cursor acknowledges every event at or before it. An earlier lease of the stream becomes stale, whether
    /// or not its connection is known to be dead.
    ///
    /// # Errors
    ///
    /// [`ResumeError`]: the cursor is none that this client can have for an open stream. Nothing changes, save
    /// that [`ResumeError::Finished`] closes the stream whose end the client has confirmed. Answer with a new
    /// stream or with a refusal, but not with an old event.
    pub fn resume(&mut self, cursor: EventId) -> Result<Lease, ResumeError> {
        let Some(stream) = self.streams.get_mut(&cursor.stream()) else {
            let issued = (1..=self.opened).contains(&cursor.stream().number());
            return Err(if issued { ResumeError::Gone } else { ResumeError::Unknown });
        };
        if cursor.seq() > stream.handed() {
            return Err(ResumeError::Ahead);
        }
        if cursor.seq() < stream.shown() {
            return Err(ResumeError::Behind);
        }
        for entry in stream.rewind(cursor.seq()) {
            self.books.leave(&entry, Exit::Acknowledged);
        }
        if stream.phase == Phase::Answered && cursor.seq() == stream.last() {
            self.streams.remove(&cursor.stream());
            return Err(ResumeError::Finished);
        }
        self.epoch = self.epoch.next();
        stream.lease = Some(self.epoch);
        stream.deadline = None;
        Ok(Lease { stream: cursor.stream(), epoch: self.epoch, from: cursor.seq() })
    }

    /// Ends a lease: its connection is gone, or the server hangs up on it. Says whether the lease was still current;
    /// a stale one changes nothing.
    pub fn detach(&mut self, lease: &Lease, now: Instant) -> bool {
        let patience = self.patience;
        let Some(stream) = read_by(&mut self.streams, lease) else { return false };
        stream.lease = None;
        stream.deadline = match stream.phase {
            Phase::Standalone => now.checked_add(patience.grace),
            Phase::Running if stream.has_requests() => now.checked_add(patience.grace),
            Phase::Running => None,
            Phase::Answered => now.checked_add(patience.retention),
        };
        true
    }

    /// Adds a message that belongs to no exchange. It waits for the taker, however long there is none.
    pub fn enqueue(&mut self, class: Unrelated, message: Encoded) -> Enqueued {
        if self.closed {
            return Enqueued::Closed;
        }
        let entry = Entry::unrelated(class, message);
        self.books.accept(&entry);
        if self.queue.iter().any(|waiting| waiting.same_hint(&entry)) {
            self.books.leave(&entry, Exit::Coalesced);
            return Enqueued::Coalesced;
        }
        self.queue.push_back(entry);
        Enqueued::Queued
    }

    /// Adds a message to the stream of its exchange, whether or not anybody reads it now.
    pub fn append(&mut self, stream: StreamId, class: Related, message: Encoded, now: Instant) -> Appended {
        let id = stream;
        let Some(stream) = self.streams.get_mut(&id) else { return Appended::NoSuchStream };
        match stream.phase {
            Phase::Standalone => return Appended::NoSuchStream,
            Phase::Answered => return Appended::Ended,
            Phase::Running => {}
        }
        let waiting = stream.lease.is_none();
        match class {
            Related::Note => {}
            // The stream may have been without a reader for long: a new request gets a grace period of its own
            // then, but does not prolong that of an earlier one.
            Related::Request(_) if waiting && stream.deadline.is_none() => {
                stream.deadline = now.checked_add(self.patience.grace);
            }
            Related::Request(_) => {}
            Related::Response => {
                stream.phase = Phase::Answered;
                stream.deadline = if waiting { now.checked_add(self.patience.retention) } else { None };
            }
        }
        let entry = Entry::related(class, id, message);
        self.books.accept(&entry);
        Appended::Logged(EventId::new(id, stream.push(entry)))
    }

    /// The caller of a server request has its outcome: the client answered, or the caller gave up. The request
    /// is dropped wherever it waits, so that nobody is asked in vain, and will not be failed.
    ///
    /// Says whether the client can have it, or `None` if it is not held: confirmed, failed, settled or never
    /// added.
    pub fn settle(&mut self, call: CallId) -> Option<Delivery> {
        let queued = self.queue.iter().position(|entry| entry.asks(call));
        let (entry, delivery) = match queued.and_then(|index| self.queue.remove(index)) {
            Some(entry) => (entry, Delivery::NotSent),
            None => self.streams.values_mut().find_map(|stream| stream.withdraw(call))?,
        };
        self.books.leave(&entry, Exit::Settled);
        Some(delivery)
    }

    /// What the holder of this lease has to do now. Events come in the order of their numbers, first those left in
    /// the stream's log, then, for the [taker](Self::taker), those of the queue.
    pub fn next(&mut self, lease: &Lease) -> Next {
        if self.closed {
            return Next::Ended;
        }
        let takes = self.taker() == Some(lease.stream);
        let Some(stream) = read_by(&mut self.streams, lease) else { return Next::Stale };
        if takes
            && !stream.has_unread()
            && let Some(entry) = self.queue.pop_front()
        {
            stream.push(entry);
        }
        match (stream.read(), stream.phase) {
            (Some(Read { seq, message, replay }), _) => {
                let counters = &mut self.books.counters;
                *(if replay { &mut counters.replayed } else { &mut counters.handed }) += 1;
                Next::Event(Event { id: EventId::new(lease.stream, seq), message })
            }
            (None, Phase::Answered) => Next::Ended,
            (None, Phase::Running | Phase::Standalone) => Next::Idle,
        }
    }

    /// When to call [`Outbox::expire`] next, if at all.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.streams.values().filter_map(|stream| stream.deadline).min()
    }

    /// Does what is due at `now` to streams without a reader, and says who has to be told. Hints may be in the
    /// queue again afterwards: wake the [taker](Self::taker).
    #[must_use]
    pub fn expire(&mut self, now: Instant) -> Vec<Expired> {
        let is_due = |stream: &Stream| stream.deadline.is_some_and(|due| due <= now);
        let due: Vec<StreamId> =
            self.streams.iter().filter(|(_, stream)| is_due(stream)).map(|(id, _)| *id).collect();
        let mut told = Vec::new();
        let mut raised = Vec::new();
        for id in due {
            for (entry, delivery) in self.run_out(id) {
                match entry.class {
                    Class::Hint => raised.push(entry),
                    Class::Note | Class::Request(_) | Class::Response(_) => {
                        told.extend(self.books.give_up(&entry, delivery));
                    }
                }
            }
        }
        self.raise(raised);
        told
    }

    /// Ends the session: every stream is closed, every reader finds [`Next::Ended`], nothing more is accepted. Says
    /// who has to be told.
    #[must_use]
    pub fn close_all(&mut self) -> Vec<Expired> {
        self.closed = true;
        let logged = std::mem::take(&mut self.streams).into_values().flat_map(|mut stream| stream.take_all());
        let queued = std::mem::take(&mut self.queue).into_iter().map(|entry| (entry, Delivery::NotSent));
        logged.chain(queued).filter_map(|(entry, delivery)| self.books.give_up(&entry, delivery)).collect()
    }

    /// The standalone stream that takes from the queue: the one attached last. Wake its reader when something was
    /// enqueued, when another standalone lease ended, and after [`Outbox::expire`].
    #[must_use]
    pub fn taker(&self) -> Option<StreamId> {
        self.streams
            .iter()
            .filter(|(_, stream)| stream.phase == Phase::Standalone)
            .filter_map(|(id, stream)| Some((stream.lease?, *id)))
            .max()
            .map(|(_, id)| id)
    }

    /// Where a stream stands.
    #[must_use]
    pub fn stage(&self, stream: StreamId) -> Stage {
        self.streams.get(&stream).map_or(Stage::Closed, Stream::stage)
    }

    /// How much is held now.
    #[must_use]
    pub fn held(&self) -> Held {
        let logged = self.streams.values().map(Stream::len).sum();
        Held { queued: self.queue.len(), logged, bytes: self.books.bytes }
    }

    /// What happened since this was called last. The counts start again from zero, so that an operator can
    /// add them up over sessions without keeping the sessions.
    #[must_use]
    pub fn take_counters(&mut self) -> Counters {
        std::mem::take(&mut self.books.counters)
    }

    fn begin(&mut self, phase: Phase) -> Lease {
        self.opened = self.opened.saturating_add(1);
        self.epoch = self.epoch.next();
        let stream = StreamId::nth(self.opened);
        if !self.closed {
            self.streams.insert(stream, Stream::new(phase, self.epoch));
        }
        Lease { stream, epoch: self.epoch, from: Seq::START }
    }

    /// Takes what can wait no longer on a stream whose time has run out, and closes it unless its call still runs.
    fn run_out(&mut self, id: StreamId) -> Vec<(Entry, Delivery)> {
        let Some(stream) = self.streams.get_mut(&id) else { return Vec::new() };
        if stream.phase == Phase::Running {
            stream.deadline = None;
            return stream.take_requests();
        }
        let rest = stream.take_all();
        self.streams.remove(&id);
        rest
    }

    /// Puts hints back before everything that waits, in their order, save those that wait already.
    fn raise(&mut self, hints: Vec<Entry>) {
        for hint in hints.into_iter().rev() {
            self.books.counters.reraised += 1;
            if self.queue.iter().any(|waiting| waiting.same_hint(&hint)) {
                self.books.leave(&hint, Exit::Coalesced);
            } else {
                self.queue.push_front(hint);
            }
        }
    }
}

/// The stream that this lease may read, if it is not stale: the one place that tells.
fn read_by<'s>(streams: &'s mut BTreeMap<StreamId, Stream>, lease: &Lease) -> Option<&'s mut Stream> {
    streams.get_mut(&lease.stream).filter(|stream| stream.lease == Some(lease.epoch))
}
