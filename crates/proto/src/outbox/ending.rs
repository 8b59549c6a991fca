//! How streams and the session end, other than by time and cursors.

use super::answer::{Delivery, Expired, Lease};
use super::books::Exit;
use super::due::Due;
use super::event::Class;
use super::handed::Handed;
use super::id::{Seq, StreamId};
use super::state::{Outbox, find};
use super::stream::Phase;

impl Outbox {
    /// Whether the response is all that was ever said on the stream that this lease reads. Then it can be sent as one
    /// JSON body: read it with [`Outbox::next`], and [finish](Self::finish) when it is sent.
    #[must_use]
    pub fn only_response(&self, lease: &Lease) -> bool {
        self.stream(lease.stream).is_some_and(|stream| stream.is_read_by(lease) && stream.is_only_response())
    }

    /// Whether nothing was ever said on the stream that this lease reads.
    #[must_use]
    pub fn is_silent(&self, lease: &Lease) -> bool {
        self.stream(lease.stream)
            .is_some_and(|stream| stream.is_read_by(lease) && stream.last() == Seq::START)
    }

    /// The response was sent as one JSON body. The client has seen no event id and cannot come back for it, so the
    /// stream is closed, and the response counts as [finished](super::Counters::finished).
    ///
    /// Says whether it was so: a stale lease, or one of a stream where more was said than the response, changes
    /// nothing.
    pub fn finish(&mut self, lease: &Lease) -> bool {
        if !self.only_response(lease) {
            return false;
        }
        let rest = find(&mut self.streams, lease.stream).map(|stream| stream.take_all());
        for (entry, _) in rest.into_iter().flatten() {
            self.books.leave(&entry, Exit::Finished);
        }
        self.remove(lease.stream);
        true
    }

    /// The call of this stream was cancelled: there will be no response. What is held on it is given up and the
    /// stream is closed; a reader that is there finds [`Next::Ended`](super::Next::Ended). Says which requests have
    /// to be failed.
    ///
    /// Once there is a response, or on a stream of another kind, it changes nothing: a cancellation that comes too
    /// late takes nothing away from the client.
    #[must_use]
    pub fn abandon(&mut self, stream: StreamId) -> Vec<Expired> {
        let id = stream;
        let Some(stream) = find(&mut self.streams, id).filter(|stream| stream.phase == Phase::Running) else {
            return Vec::new();
        };
        stream.phase = Phase::Abandoned;
        self.due.shift(id, stream.deadline.take(), None);
        stream.take_untold();
        let (rest, waiting) = (stream.take_all(), stream.lease.is_none());
        if waiting {
            self.remove(id);
        }
        let mut told = Vec::new();
        for (entry, delivery) in rest {
            if matches!(entry.class, Class::Request(_)) {
                told.extend(self.books.give_up(&entry, delivery));
            } else {
                self.books.leave(&entry, Exit::Abandoned);
            }
        }
        told
    }

    /// Asks the reader of this stream to close its connection when it has read the log, so that the client comes back
    /// with its cursor: polling (`basic/transports`, 2025-11-25, "Sending Messages to the Server"). It finds
    /// [`Next::HangUp`], and takes nothing more from the queue: wake it, and the [taker](Self::taker).
    ///
    /// Says whether somebody reads the stream; if not, nothing changes.
    ///
    /// [`Next::HangUp`]: super::Next::HangUp
    pub fn hang_up(&mut self, stream: StreamId) -> bool {
        let Some(stream) = self.open_mut(stream).filter(|stream| stream.lease.is_some()) else {
            return false;
        };
        stream.hangs_up = true;
        true
    }

    /// Ends the session: every stream is closed, every reader finds [`Next::Ended`](super::Next::Ended), nothing more
    /// is accepted. Says who has to be told.
    #[must_use]
    pub fn close_all(&mut self) -> Vec<Expired> {
        self.closed = true;
        (self.handed, self.due) = (Handed::default(), Due::default());
        let logged = std::mem::take(&mut self.streams).into_iter().flat_map(|mut stream| stream.take_all());
        let queued = std::mem::take(&mut self.queue).into_iter().map(|entry| (entry, Delivery::NotSent));
        logged.chain(queued).filter_map(|(entry, delivery)| self.books.give_up(&entry, delivery)).collect()
    }
}
