//! The outbox itself: rules R1 to R3 as plain calls. What time does (R4) is in `grace`, how it keeps to its budget
//! (R5) in `room` and `handed`.

use super::answer::{Appended, Delivery, Detached, Enqueued, Epoch, Held, Lease, Next, ResumeError, Stage};
use super::books::{Books, Counters, Exit};
use super::budget::Budget;
use super::due::Due;
use super::event::{CallId, Encoded, Entry, Event, Related, Unrelated};
use super::handed::Handed;
use super::id::{EventId, Seq, StreamId};
use super::room::Within;
use super::stream::{Phase, Read, Stream};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

mod kept;

pub(super) use kept::KeptEntry;
pub use kept::{Find, KeptOutbox, Number, Unreadable};

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
    pub(super) budget: Budget,
    pub(super) queue: VecDeque<Entry>,
    /// In the order in which they were opened.
    pub(super) streams: VecDeque<Stream>,
    /// Of them.
    pub(super) due: Due,
    /// Which of them were read to their end.
    pub(super) handed: Handed,
    opened: u64,
    epoch: Epoch,
    pub(super) closed: bool,
    pub(super) books: Books,
    /// How many notes gave way in the queue, as far as no reader has been told.
    pub(super) untold: u64,
    /// Whether a hint gave way that the client may not have.
    pub(super) hint_loss: bool,
}

impl Outbox {
    /// An empty outbox of a new session. It owns no memory on the heap as long as nothing is held and no stream is
    /// open.
    #[must_use]
    pub fn new(patience: Patience, budget: Budget) -> Self {
        Self {
            patience,
            budget,
            queue: VecDeque::new(),
            streams: VecDeque::new(),
            due: Due::default(),
            handed: Handed::default(),
            opened: 0,
            epoch: Epoch::default(),
            closed: false,
            books: Books::default(),
            untold: 0,
            hint_loss: false,
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
    /// The cursor acknowledges every event at or before it; it may name one that has given way since. An earlier lease
    /// of the stream becomes stale, whether or not its connection is known to be dead. A reader that missed
    /// notes finds [`Next::Gap`] first.
    ///
    /// # Errors
    ///
    /// [`ResumeError`]: the cursor is none that this client can have for an open stream. Nothing changes, save
    /// that [`ResumeError::Finished`] closes the stream whose end the client has confirmed. Answer with a new
    /// stream or with a refusal, but not with an old event.
    pub fn resume(&mut self, cursor: EventId) -> Result<Lease, ResumeError> {
        let issued = (1..=self.opened).contains(&cursor.stream().number());
        let epoch = self.epoch.next();
        let Some(stream) = self.open_mut(cursor.stream()) else {
            return Err(if issued { ResumeError::Gone } else { ResumeError::Unknown });
        };
        if cursor.seq() > stream.handed() {
            return Err(ResumeError::Ahead);
        }
        if cursor.seq() < stream.shown() {
            return Err(ResumeError::Behind);
        }
        let acknowledged = stream.rewind(cursor.seq());
        let finished = stream.phase == Phase::Answered && cursor.seq() == stream.last();
        let hint_loss = stream.take_hint_gap();
        stream.lease = Some(epoch);
        let deadline = stream.deadline.take();
        stream.hangs_up = false;
        // Whoever comes back has not read to the end, whatever was thought.
        if std::mem::take(&mut stream.is_read_out) {
            self.handed.remove(cursor.stream());
        }
        self.due.shift(cursor.stream(), deadline, None);
        self.epoch = epoch;
        self.hint_loss |= hint_loss;
        for entry in acknowledged {
            self.books.leave(&entry, Exit::Acknowledged);
        }
        if finished {
            self.remove(cursor.stream());
            return Err(ResumeError::Finished);
        }
        Ok(Lease { stream: cursor.stream(), epoch: self.epoch, from: cursor.seq() })
    }

    /// Ends a lease: its connection is gone, or the server closes it. Says whether the lease was still current; a
    /// stale one changes nothing.
    ///
    /// With the reader of a response that was told of the end, the oldest of such responses may leave, for which
    /// the [`Budget`] has no more room.
    pub fn detach(&mut self, lease: &Lease, now: Instant) -> Detached {
        let patience = self.patience;
        let Some(stream) = self.read_by(lease) else { return Detached::default() };
        stream.lease = None;
        stream.hangs_up = false;
        let deadline = match stream.phase {
            Phase::Abandoned => None,
            Phase::Running if !stream.has_requests() => None,
            Phase::Running | Phase::Standalone => now.checked_add(patience.grace),
            Phase::Answered => now.checked_add(patience.retention),
        };
        let before = std::mem::replace(&mut stream.deadline, deadline);
        let (phase, read_out) = (stream.phase, stream.is_read_out.then(|| stream.last_bytes()));
        self.due.shift(lease.stream, before, deadline);
        match (phase, read_out) {
            (Phase::Abandoned, _) => self.remove(lease.stream),
            (_, Some(bytes)) => self.handed.add(lease.stream, bytes),
            (_, None) => {}
        }
        Detached { current: true, expired: self.keep_few_handed() }
    }

    /// Adds a message that belongs to no exchange. It waits for the taker, however long there is none, unless there
    /// is no room for it.
    pub fn enqueue(&mut self, class: Unrelated, message: Encoded) -> Enqueued {
        if self.closed {
            return Enqueued::Closed;
        }
        let entry = Entry::unrelated(class, message);
        if self.queue.iter().any(|waiting| waiting.same_hint(&entry)) {
            self.books.accept(&entry);
            self.books.leave(&entry, Exit::Coalesced);
            return Enqueued::Coalesced;
        }
        if !self.has_room(Within::Unrelated, &entry) {
            return match class {
                Unrelated::Request(_) => {
                    self.books.counters.refused += 1;
                    Enqueued::Full
                }
                Unrelated::Note => {
                    self.books.turn_away(&entry);
                    self.untold += 1;
                    Enqueued::Dropped
                }
                Unrelated::Hint => {
                    self.books.turn_away(&entry);
                    self.hint_loss = true;
                    Enqueued::Dropped
                }
            };
        }
        self.make_room(Within::Unrelated, &entry);
        self.books.accept(&entry);
        self.queue.push_back(entry);
        Enqueued::Queued
    }

    /// Adds a message to the stream of its exchange, whether or not anybody reads it now. A response always fits.
    pub fn append(&mut self, stream: StreamId, class: Related, message: Encoded, now: Instant) -> Appended {
        let id = stream;
        match self.stage(id) {
            Stage::AnsweredLeased | Stage::AnsweredWaiting => return Appended::Ended,
            Stage::Closed | Stage::StandaloneLeased | Stage::StandaloneWaiting => {
                return Appended::NoSuchStream;
            }
            Stage::RunningLeased | Stage::RunningWaiting => {}
        }
        let entry = Entry::related(class, id, message);
        let fits = self.has_room(Within::Stream(id), &entry);
        if fits {
            self.make_room(Within::Stream(id), &entry);
        }
        let patience = self.patience;
        let Some(stream) = find(&mut self.streams, id) else { return Appended::NoSuchStream };
        let waiting = stream.lease.is_none();
        let before = stream.deadline;
        match class {
            Related::Note if !fits => {
                stream.skip();
                self.books.turn_away(&entry);
                return Appended::Dropped;
            }
            Related::Request(_) if !fits => {
                self.books.counters.refused += 1;
                return Appended::Full;
            }
            Related::Note => {}
            // The stream may have been without a reader for long: a new request gets a grace period of its own
            // then, but does not prolong that of an earlier one.
            Related::Request(_) if waiting && stream.deadline.is_none() => {
                stream.deadline = now.checked_add(patience.grace);
            }
            Related::Request(_) => {}
            Related::Response => {
                stream.phase = Phase::Answered;
                stream.deadline = if waiting { now.checked_add(patience.retention) } else { None };
            }
        }
        self.due.shift(id, before, stream.deadline);
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
            None => self.streams.iter_mut().find_map(|stream| stream.withdraw(call))?,
        };
        self.books.leave(&entry, Exit::Settled);
        self.let_go();
        Some(delivery)
    }

    /// What the holder of this lease has to do now. Events come in the order of their numbers, first those left in
    /// the stream's log, then, for the [taker](Self::taker), those of the queue.
    pub fn next(&mut self, lease: &Lease) -> Next {
        if self.closed {
            return Next::Ended;
        }
        let takes = self.taker() == Some(lease.stream);
        let Some(stream) = find(&mut self.streams, lease.stream).filter(|stream| stream.is_read_by(lease))
        else {
            return Next::Stale;
        };
        let mut gap = stream.take_untold();
        if takes {
            gap += std::mem::take(&mut self.untold);
        }
        if gap > 0 {
            return Next::Gap(gap);
        }
        if takes
            && !stream.has_unread()
            && let Some(entry) = self.queue.pop_front()
        {
            // The client looks once for both, and what a listener has not confirmed stays as small as what there is
            // to look at.
            if let Some(earlier) = stream.take_equal(&entry) {
                self.books.leave(&earlier, Exit::Coalesced);
            }
            stream.push(entry);
        }
        let next = match (stream.read(), stream.phase) {
            (Some(Read { seq, message, replay }), _) => {
                let counters = &mut self.books.counters;
                *(if replay { &mut counters.replayed } else { &mut counters.handed }) += 1;
                Next::Event(Event { id: EventId::new(lease.stream, seq), message })
            }
            (None, Phase::Abandoned) => Next::Ended,
            (None, Phase::Answered) => {
                stream.is_read_out = true;
                Next::Ended
            }
            (None, Phase::Running | Phase::Standalone) if stream.hangs_up => Next::HangUp,
            (None, Phase::Running | Phase::Standalone) => Next::Idle,
        };
        self.let_go();
        next
    }

    /// The standalone stream that takes from the queue: the one attached last that has not been asked to
    /// [hang up](Self::hang_up). Wake its reader when something was enqueued, when another standalone lease
    /// ended or hangs up, and after [`Outbox::expire`].
    #[must_use]
    pub fn taker(&self) -> Option<StreamId> {
        let standalone = self.due.standalone().filter_map(|id| self.stream(id));
        standalone
            .filter(|stream| !stream.hangs_up)
            .filter_map(|stream| Some((stream.lease?, stream.id)))
            .max()
            .map(|(_, id)| id)
    }

    /// Where a stream stands.
    #[must_use]
    pub fn stage(&self, stream: StreamId) -> Stage {
        self.stream(stream).map_or(Stage::Closed, Stream::stage)
    }

    /// How much is held now.
    #[must_use]
    pub fn held(&self) -> Held {
        let logged = self.streams.iter().map(Stream::len).sum();
        let responses = self.streams.iter().filter(|stream| stream.phase == Phase::Answered).count();
        Held { queued: self.queue.len(), logged, responses, bytes: self.books.bytes }
    }

    /// How many bytes are held now, as [`Held::bytes`] but at no cost: for a budget over all sessions.
    #[must_use]
    pub const fn bytes_held(&self) -> usize {
        self.books.bytes
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
            let stream = Stream::new(stream, phase, self.epoch);
            self.due.add(&stream);
            self.streams.push_back(stream);
        }
        Lease { stream, epoch: self.epoch, from: Seq::START }
    }

    pub(super) fn stream(&self, id: StreamId) -> Option<&Stream> {
        self.streams.get(place(&self.streams, id)?)
    }

    /// The stream of this name, if it is open.
    pub(super) fn open_mut(&mut self, id: StreamId) -> Option<&mut Stream> {
        find(&mut self.streams, id).filter(|stream| stream.phase != Phase::Abandoned)
    }

    /// The stream that this lease may read, if it is not stale.
    pub(super) fn read_by(&mut self, lease: &Lease) -> Option<&mut Stream> {
        find(&mut self.streams, lease.stream).filter(|stream| stream.is_read_by(lease))
    }

    pub(super) fn remove(&mut self, id: StreamId) {
        if let Some(stream) = place(&self.streams, id).and_then(|place| self.streams.remove(place)) {
            self.due.remove(&stream);
        }
        self.handed.remove(id);
        self.let_go();
    }

    /// Returns memory that nothing uses: most sessions are idle most of the time.
    pub(super) fn let_go(&mut self) {
        if self.streams.is_empty() {
            self.streams = VecDeque::new();
        }
        if self.queue.is_empty() {
            self.queue = VecDeque::new();
        }
    }
}

/// The stream of this name.
pub(super) fn find(streams: &mut VecDeque<Stream>, id: StreamId) -> Option<&mut Stream> {
    let place = place(streams, id)?;
    streams.get_mut(place)
}

/// Where a stream is. They are in the order of their names, and mostly the newest or the oldest is meant.
fn place(streams: &VecDeque<Stream>, id: StreamId) -> Option<usize> {
    match (streams.front(), streams.back()) {
        (_, Some(newest)) if newest.id == id => Some(streams.len() - 1),
        (Some(oldest), _) if oldest.id == id => Some(0),
        _ => streams.binary_search_by_key(&id, |stream| stream.id).ok(),
    }
}
