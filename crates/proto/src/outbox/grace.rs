//! What time does: rule R4.

use super::answer::{Delivery, Expired};
use super::books::Exit;
use super::event::{Class, Entry};
use super::id::StreamId;
use super::state::{Outbox, find};
use super::stream::{Phase, Stream};
use std::time::Instant;

impl Outbox {
    /// When to call [`Outbox::expire`] next, if at all.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.due.first()
    }

    /// Does what is due at `now` to streams without a reader, and says who has to be told. Hints may be in the
    /// queue again afterwards: wake the [taker](Self::taker).
    #[must_use]
    pub fn expire(&mut self, now: Instant) -> Vec<Expired> {
        let is_due = |stream: &&Stream| stream.deadline.is_some_and(|due| due <= now);
        let due: Vec<StreamId> = self.streams.iter().filter(is_due).map(|stream| stream.id).collect();
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

    /// Takes what can wait no longer on a stream whose time has run out, and closes it unless its call still runs.
    pub(super) fn run_out(&mut self, id: StreamId) -> Vec<(Entry, Delivery)> {
        let Some(stream) = find(&mut self.streams, id) else { return Vec::new() };
        if stream.phase == Phase::Running {
            self.due.shift(id, stream.deadline.take(), None);
            return stream.take_requests();
        }
        let rest = stream.take_all();
        self.hint_loss |= stream.take_hint_gap();
        self.remove(id);
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
