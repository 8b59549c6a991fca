//! How an outbox keeps to its budget.

use super::answer::Delivery;
use super::books::Exit;
use super::budget::{Load, Tally};
use super::event::{Class, Entry};
use super::id::StreamId;
use super::state::Outbox;
use super::stream::{Phase, Stream};

/// Where room is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    Session,
    /// One exchange.
    Stream(StreamId),
    /// The queue and all standalone streams.
    Unrelated,
}

impl Within {
    fn covers(self, stream: &Stream) -> bool {
        match self {
            Self::Session => true,
            Self::Stream(id) => stream.id == id,
            Self::Unrelated => stream.phase == Phase::Standalone,
        }
    }
}

impl Outbox {
    /// Gives up notes for other sessions' sake, until `bytes` bytes have become free or no note is left: those first
    /// that a reader was given, then the others, the oldest stream first. Says how many bytes became free.
    ///
    /// They leave gaps as if the budget of the session had been smaller.
    pub fn shed(&mut self, bytes: usize) -> usize {
        let before = self.books.bytes;
        let mut freed = 0;
        while freed < bytes && self.give_way(Within::Session, Class::Note) {
            freed = before - self.books.bytes;
        }
        self.let_go();
        freed
    }

    /// Whether a hint gave way to the budget that the client may not have. It is told once: say again whatever
    /// the client has to look at.
    #[must_use]
    pub fn take_hint_loss(&mut self) -> bool {
        std::mem::take(&mut self.hint_loss)
    }

    /// Whether there is room for this message, once everything has given way that gives way to it.
    pub(super) fn has_room(&self, within: Within, entry: &Entry) -> bool {
        let stays = |tally: Tally| tally.firm(entry.class).plus(Load::of(entry));
        matches!(entry.class, Class::Response(_))
            || stays(self.tally(within)).fits(self.budget.stream())
                && stays(self.tally(Within::Session)).fits(self.budget.session())
    }

    /// Lets the oldest give way until a message fits that [has room](Self::has_room).
    pub(super) fn make_room(&mut self, within: Within, entry: &Entry) {
        if matches!(entry.class, Class::Response(_)) {
            return;
        }
        let (stream, session) = (self.budget.stream(), self.budget.session());
        for (place, limit) in [(within, stream), (Within::Session, session)] {
            while !self.tally(place).all().plus(Load::of(entry)).fits(limit)
                && (self.give_way(place, Class::Note) || self.give_way(place, Class::Hint))
            {}
        }
    }

    fn tally(&self, within: Within) -> Tally {
        match within {
            Within::Session => self.books.session,
            Within::Stream(id) => self.stream(id).map_or_else(Tally::default, |stream| stream.tally),
            Within::Unrelated => self.books.unrelated,
        }
    }

    /// The next message of this class gives way, if there is one.
    fn give_way(&mut self, within: Within, class: Class) -> bool {
        for even_unsent in [false, true] {
            let mut streams = self.streams.iter_mut().filter(|stream| within.covers(stream));
            if let Some(given) = streams.find_map(|stream| stream.give_way(class, even_unsent)) {
                self.hint_loss |= class == Class::Hint && given.missed;
                self.books.leave(&given.entry, Exit::Dropped(given.delivery));
                return true;
            }
        }
        if matches!(within, Within::Stream(_)) {
            return false;
        }
        let queued = self.queue.iter().position(|entry| entry.class == class);
        let Some(entry) = queued.and_then(|index| self.queue.remove(index)) else { return false };
        self.hint_loss |= class == Class::Hint;
        self.untold += u64::from(class == Class::Note);
        self.books.leave(&entry, Exit::Dropped(Delivery::NotSent));
        true
    }
}
