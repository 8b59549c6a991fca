//! The session itself: calls, the streams they answer on, and the idle clock.

use std::time::Instant;

use hermes_types::{Method, RequestId, Revision};

use super::ending::Left;
use crate::channel::{CallId, Change, Channel, Posted, Settled, TooManySubscriptions, Verdict};
use crate::few::Few;
use crate::outbox::{
    Appended, CallId as Question, Counters, Delivery, Encoded, Enqueued, EventId, Expired, Lease, Next,
    Outbox, Related, ResumeError, Stage, StreamId, Unrelated,
};

/// One legacy session over HTTP, as its server sees it.
///
/// ```text
///  POST ──receive──▶ Run, and its exchange stream ──settle──▶ response in its log ──next──▶ the reader
///                    │                                              ▲
///                    ├── notifications/cancelled: the stream closes  │ close: every running call is
///                    └── Refuse, Reply: at once                      │ answered first
///
///            close                        last reader gone
///   open ─────────────▶ closing ─────────────────────────────▶ forgotten
///     └─ idle: no call, no reader, no message since …; the driver closes it then
/// ```
///
/// | state | input | output | next |
/// |---|---|---|---|
/// | open | `receive` | the channel's verdicts, and a lease of the stream that answers its calls | open |
/// | open | `settle` | the stream to wake, if the call was still running | open |
/// | open | `attach`, `resume` | a lease | open |
/// | open | `close` | the calls to answer, the callers to fail | closing |
/// | closing | `receive`, `attach`, `resume` | nothing is accepted | closing |
/// | closing | `next`, all read | [`Next::Ended`] | closing |
///
/// *One outcome:* a call is settled once, on its own stream. *No loss:* a response is in the log before anybody
/// reads it. *No hang:* every way out of the running state ends the stream.
///
/// `C` is what a caller leaves with a request to the client, and is told by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session<C> {
    pub(super) channel: Channel<C>,
    pub(super) outbox: Outbox,
    /// Where the messages of running calls go.
    pub(super) posts: Few<CallId, Post>,
    /// Attached connections, also those whose lease is stale: each is one that a client keeps open.
    pub(super) readers: usize,
    /// When something happened last.
    pub(super) active: Instant,
    pub(super) closing: bool,
}

/// The HTTP exchange that a call came with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Post {
    /// The stream that answers it.
    pub stream: StreamId,
    /// Whether its client reads events. Without it only the response reaches the client this way.
    pub events: bool,
}

/// What became of a question to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Asked {
    /// Its id.
    pub id: RequestId,
    /// The stream whose reader is to be woken.
    pub wake: Option<StreamId>,
}

impl<C> Session<C> {
    /// A session whose messages go through this channel and this outbox.
    #[must_use]
    pub const fn new(channel: Channel<C>, outbox: Outbox, now: Instant) -> Self {
        Self { channel, outbox, posts: Few::new(), readers: 0, active: now, closing: false }
    }

    /// What to do about the body of a POST.
    ///
    /// As [`Channel::handle`]; but a call that is cancelled closes its stream, and the responses of a batch
    /// that was only waiting for it go to the batch's own stream, not to whoever cancelled.
    fn handle<'a>(&mut self, body: Posted<'a>, now: Instant) -> Vec<Verdict<'a, C>> {
        if self.closing {
            return Vec::new();
        }
        self.active = now;
        let mut verdicts = Vec::from(self.channel.handle_posted(body));
        for verdict in &mut verdicts {
            match verdict {
                Verdict::Cancel { call, released, .. } => self.cancelled(*call, released.take(), now),
                // It is answered, so it must not be asked again, wherever it still waits.
                Verdict::Settle { id, .. } => drop(question(id).and_then(|it| self.outbox.settle(it))),
                Verdict::Handshake { .. }
                | Verdict::Ignore(_)
                | Verdict::Notify(_)
                | Verdict::Refuse { .. }
                | Verdict::Reply(_)
                | Verdict::Run(_) => {}
            }
        }
        verdicts
    }

    fn cancelled(&mut self, call: CallId, batch: Option<Vec<u8>>, now: Instant) {
        let Some(post) = self.posts.remove(&call) else { return };
        if let Some(array) = batch {
            let _ = self.outbox.append(post.stream, Related::Response, array.into(), now);
        } else if !self.posts.iter().any(|(_, other)| other.stream == post.stream) {
            // Nobody waits any more: the stream of a cancelled call ends without a response. Whoever asked
            // something on its behalf learns it by the end of the call.
            for expired in self.outbox.abandon(post.stream) {
                if let Expired::Request { call, .. } = expired {
                    drop(asked(call).and_then(|id| self.channel.give_up(&id)));
                }
            }
        }
    }

    /// Takes in the body of a POST: what is to be done, and the lease of the stream that answers its calls.
    ///
    /// Both in one step, so that nothing comes between them: neither a cancellation, in the same body or from
    /// elsewhere, nor the end of the session finds a call whose outcome has no place. A call that its own batch
    /// cancels is not to be run, and is not among the verdicts.
    pub fn receive<'a>(
        &mut self,
        body: impl Into<Posted<'a>>,
        events: bool,
        now: Instant,
    ) -> (Vec<Verdict<'a, C>>, Option<Lease>) {
        let mut verdicts = self.handle(body.into(), now);
        let running = self.channel.running();
        verdicts.retain(|verdict| verdict.call().is_none_or(|call| running.contains(call)));
        let calls = || verdicts.iter().filter_map(Verdict::call);
        let lease = calls().next().is_some().then(|| self.open(calls(), events));
        (verdicts, lease)
    }

    /// Opens the stream that answers a POST: before its calls run, so that no outcome can miss it.
    fn open(&mut self, calls: impl IntoIterator<Item = CallId>, events: bool) -> Lease {
        let lease = self.outbox.open();
        self.readers = self.readers.saturating_add(1);
        let post = Post { stream: lease.stream(), events };
        for call in calls {
            self.posts.add(call, post);
        }
        lease
    }

    /// A call has its outcome. Gives the stream whose reader is to be woken; `None` if nobody waits: the call
    /// has ended before, or its batch is not complete.
    pub fn settle(&mut self, call: CallId, response: Vec<u8>, now: Instant) -> Option<StreamId> {
        self.active = now;
        let settled = self.channel.settle(call, response);
        let post = self.posts.remove(&call)?;
        match settled {
            Settled::Held | Settled::Late => None,
            Settled::Send(response) => {
                let _ = self.outbox.append(post.stream, Related::Response, response.into(), now);
                Some(post.stream)
            }
        }
    }

    /// Progress or a log message of a call. Gives the stream whose reader is to be woken, or `None` if the
    /// message went nowhere: the call is over, or its client reads no events.
    pub fn note(&mut self, call: CallId, message: Encoded, now: Instant) -> Option<StreamId> {
        let post = self.posts.get(&call).filter(|post| post.events)?;
        match self.outbox.append(post.stream, Related::Note, message, now) {
            Appended::Logged(_) => Some(post.stream),
            Appended::Dropped | Appended::Ended | Appended::Full | Appended::NoSuchStream => None,
        }
    }

    /// Asks the client something on behalf of a call, on the call's own stream. A call whose client reads no
    /// events on it asks on the standalone stream, if there is one.
    ///
    /// # Errors
    /// The caller comes back: there is no way to ask. Nobody would ever answer, so nothing was sent.
    pub fn ask(
        &mut self,
        call: CallId,
        method: Method,
        caller: C,
        encode: impl FnOnce(&RequestId) -> Vec<u8>,
        now: Instant,
    ) -> Result<Asked, C> {
        let Some(post) = self.posts.get(&call).copied() else { return Err(caller) };
        let id = self.channel.ask(method, caller);
        let (Some(question), false) = (question(&id), self.closing) else { return self.unasked(&id) };
        let message = Encoded::from(encode(&id));
        let wake = if post.events {
            match self.outbox.append(post.stream, Related::Request(question), message, now) {
                Appended::Logged(_) => Some(post.stream),
                Appended::Dropped | Appended::Ended | Appended::Full | Appended::NoSuchStream => None,
            }
        } else {
            let taker = self.outbox.taker();
            taker.filter(|_| self.outbox.enqueue(Unrelated::Request(question), message) == Enqueued::Queued)
        };
        match wake {
            Some(_) => Ok(Asked { id, wake }),
            None => self.unasked(&id),
        }
    }

    fn unasked(&mut self, id: &RequestId) -> Result<Asked, C> {
        match self.channel.give_up(id) {
            Some(caller) => Err(caller),
            None => Ok(Asked { id: id.clone(), wake: None }),
        }
    }

    /// Nobody waits for the answer to a question any more. If the client can have seen it, `cancelled` tells
    /// it so, on the call's stream if that is still there. Gives the stream whose reader is to be woken.
    pub fn give_up(
        &mut self,
        id: &RequestId,
        call: CallId,
        cancelled: impl FnOnce() -> Option<Encoded>,
        now: Instant,
    ) -> Option<StreamId> {
        self.channel.give_up(id)?;
        let delivery = self.outbox.settle(question(id)?)?;
        if delivery == Delivery::NotSent {
            return None;
        }
        let message = cancelled()?;
        if let Some(stream) = self.note(call, message.clone(), now) {
            return Some(stream);
        }
        let _ = self.outbox.enqueue(Unrelated::Note, message);
        self.outbox.taker()
    }

    /// The session wants to hear of this resource.
    ///
    /// # Errors
    /// [`TooManySubscriptions`]; nothing changes.
    pub fn subscribe(&mut self, uri: String) -> Result<(), TooManySubscriptions> {
        self.channel.subscribe(uri)
    }

    /// The session no longer wants to hear of this resource.
    pub fn unsubscribe(&mut self, uri: &str) {
        self.channel.unsubscribe(uri);
    }

    /// Whether the session is to hear of a change.
    #[must_use]
    pub fn wants(&self, change: &Change) -> bool {
        !self.closing && self.channel.tell(change).session.is_some()
    }

    /// Something changed. Gives the stream whose reader is to be woken; without one the message waits.
    pub fn tell(&mut self, message: Encoded) -> Option<StreamId> {
        if self.closing {
            return None;
        }
        let _ = self.outbox.enqueue(Unrelated::Hint, message);
        self.outbox.taker()
    }

    /// Says something that belongs to no call and wants no answer, such as a log message. Gives the stream whose reader
    /// is to be woken; without one the message waits, and is the first to give way.
    pub fn remark(&mut self, message: Encoded) -> Option<StreamId> {
        if self.closing {
            return None;
        }
        let _ = self.outbox.enqueue(Unrelated::Note, message);
        self.outbox.taker()
    }

    /// Opens a standalone stream: a GET without a cursor. `None` once the session is closing.
    pub fn attach(&mut self, now: Instant) -> Option<Lease> {
        if self.closing {
            return None;
        }
        self.active = now;
        self.readers = self.readers.saturating_add(1);
        Some(self.outbox.attach())
    }

    /// Goes on with a stream: a GET with `Last-Event-ID`.
    ///
    /// # Errors
    /// [`ResumeError`]; see [`Outbox::resume`].
    pub fn resume(&mut self, cursor: EventId, now: Instant) -> Result<Lease, ResumeError> {
        if self.closing {
            return Err(ResumeError::Gone);
        }
        self.active = now;
        let lease = self.outbox.resume(cursor)?;
        self.readers = self.readers.saturating_add(1);
        Ok(lease)
    }

    /// What the reader with this lease has to do now.
    pub fn next(&mut self, lease: &Lease) -> Next {
        let next = self.outbox.next(lease);
        if self.closing && next == Next::Idle { Next::Ended } else { next }
    }

    /// A reader is gone, to be called once for each lease that was given. Gives the stream whose reader may go
    /// on instead, and whom to tell of what left with this one.
    pub fn detach(&mut self, lease: &Lease, now: Instant) -> Left<C> {
        self.active = now;
        self.readers = self.readers.saturating_sub(1);
        let detached = self.outbox.detach(lease, now);
        Left { wake: self.outbox.taker(), told: self.told(detached.expired) }
    }

    /// Whether the stream holds the response and nothing else: then it can be sent as one JSON text.
    #[must_use]
    pub fn has_only_response(&self, lease: &Lease) -> bool {
        self.outbox.only_response(lease)
    }

    /// Whether nothing was ever said on the stream that this lease reads.
    #[must_use]
    pub fn is_silent(&self, lease: &Lease) -> bool {
        self.outbox.is_silent(lease)
    }

    /// Whether nothing will ever come on the stream of this lease for its reader.
    #[must_use]
    pub fn is_over(&self, lease: &Lease) -> bool {
        self.outbox.stage(lease.stream()) == Stage::Closed
    }

    /// Takes the response out to send it as one JSON text, and closes the stream: the client knows no id that
    /// it could resume after. `None` while there is no response, or the lease is stale.
    pub fn take_response(&mut self, lease: &Lease) -> Option<Encoded> {
        if !self.outbox.only_response(lease) {
            return None;
        }
        match self.outbox.next(lease) {
            Next::Event(event) => {
                self.outbox.finish(lease);
                Some(event.message)
            }
            Next::Ended | Next::Gap(_) | Next::HangUp | Next::Idle | Next::Stale => None,
        }
    }

    /// Closes the connection that reads a call's stream, so that its client comes back for the rest: polling.
    /// Gives the stream whose reader is to be woken; `None` if nobody reads it as events.
    ///
    /// Source: `basic/transports`, 2025-11-25, "Sending Messages to the Server".
    pub fn hang_up(&mut self, call: CallId) -> Option<StreamId> {
        let post = self.posts.get(&call).filter(|post| post.events)?;
        self.outbox.hang_up(post.stream).then_some(post.stream)
    }

    /// When [`Session::expire`] has something to do, if ever.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.outbox.deadline()
    }

    /// Since when nothing has happened: no call runs, no connection is open, no message came. `None` while the
    /// session is in use.
    #[must_use]
    pub fn idle_since(&self) -> Option<Instant> {
        (self.readers == 0 && self.channel.running().is_empty()).then_some(self.active)
    }

    /// The session's revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.channel.session().unwrap_or(Revision::LATEST_LEGACY)
    }

    /// Whether anybody reads this session's streams.
    #[must_use]
    pub const fn has_readers(&self) -> bool {
        self.readers > 0
    }

    /// Whether the session is over.
    #[must_use]
    pub const fn is_closing(&self) -> bool {
        self.closing
    }

    /// The calls in flight.
    #[must_use]
    pub const fn channel(&self) -> &Channel<C> {
        &self.channel
    }

    /// The standalone stream that takes what belongs to no call.
    #[must_use]
    pub fn taker(&self) -> Option<StreamId> {
        self.outbox.taker()
    }

    /// How many bytes of messages are held.
    #[must_use]
    pub const fn bytes_held(&self) -> usize {
        self.outbox.bytes_held()
    }

    /// Gives up progress and log messages for other sessions' sake; see [`Outbox::shed`].
    pub fn shed(&mut self, bytes: usize) -> usize {
        self.outbox.shed(bytes)
    }

    /// What happened in the outbox since this was called last.
    #[must_use]
    pub fn take_counters(&mut self) -> Counters {
        self.outbox.take_counters()
    }
}

/// A request to the client, as the outbox knows it: the channel mints integers from 1 on.
fn question(id: &RequestId) -> Option<Question> {
    id.as_i64().and_then(|number| u64::try_from(number).ok()).map(Question::new)
}

/// The id of a request to the client.
pub(super) fn asked(question: Question) -> Option<RequestId> {
    i64::try_from(question.number()).ok().map(RequestId::from)
}
