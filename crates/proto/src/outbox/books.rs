//! The accounts: nothing leaves an outbox without being entered here.

use super::answer::{Delivery, Expired};
use super::budget::Tally;
use super::event::{Class, Entry};

/// What happened in an outbox, in messages. For operators: sum them over sessions.
///
/// What was accepted is still held or has left in exactly one way:
///
/// ```text
/// accepted = held + acknowledged + finished + coalesced + settled + failed + abandoned
///          + expired_unsent + expired_unconfirmed + dropped_unsent + dropped_unconfirmed + dropped_hints
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Taken in, into the queue or a log.
    pub accepted: u64,
    /// Server requests for which there was no room. They were not taken in; each was refused to its caller.
    pub refused: u64,
    /// Given to a reader for the first time. A reader writes; that is not yet delivery.
    pub handed: u64,
    /// Given to a reader again, because the client resumed from before them.
    pub replayed: u64,
    /// Left because the client showed a cursor at or after them.
    pub acknowledged: u64,
    /// Responses that left because their reader sent them whole, with no event id to come back by.
    pub finished: u64,
    /// Hints that left because an equal one is held.
    pub coalesced: u64,
    /// Server requests that left because their caller has an outcome.
    pub settled: u64,
    /// Server requests that left because their time ran out or their call was abandoned; each was reported to
    /// its caller.
    pub failed: u64,
    /// Notes that left because their call was abandoned.
    pub abandoned: u64,
    /// Left because their time ran out before any reader took them. Not zero: something was lost.
    pub expired_unsent: u64,
    /// Left after a reader took them, with no word from the client: their time ran out, or too many other responses
    /// were read to the end after theirs.
    pub expired_unconfirmed: u64,
    /// Notes that gave way to the budget before any reader took them. Not zero: something was lost.
    pub dropped_unsent: u64,
    /// Notes that gave way to the budget after a reader took them. That is how a listener who stays for weeks, and
    /// therefore never shows a cursor, is kept small.
    pub dropped_unconfirmed: u64,
    /// Hints that gave way to the budget, taken or not.
    pub dropped_hints: u64,
    /// Hints that went back from the log of a closed stream into the queue. They stay held.
    pub reraised: u64,
}

impl Counters {
    /// How many have left, in whichever way: what was accepted less what is held.
    #[must_use]
    pub const fn left(&self) -> u64 {
        self.acknowledged
            + self.finished
            + self.coalesced
            + self.settled
            + self.failed
            + self.abandoned
            + self.expired_unsent
            + self.expired_unconfirmed
            + self.dropped_unsent
            + self.dropped_unconfirmed
            + self.dropped_hints
    }
}

/// Why a message is no longer held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Abandoned,
    Acknowledged,
    Coalesced,
    /// It gave way to the budget.
    Dropped(Delivery),
    Finished,
    Settled,
}

/// Counters, and what is held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Books {
    pub(super) counters: Counters,
    pub(super) bytes: usize,
    /// Of all that is held.
    pub(super) session: Tally,
    /// Of what belongs to no call.
    pub(super) unrelated: Tally,
}

impl Books {
    pub(super) fn accept(&mut self, entry: &Entry) {
        self.counters.accepted += 1;
        self.bytes += entry.message.len();
        self.session.add(entry);
        if entry.unrelated {
            self.unrelated.add(entry);
        }
    }

    pub(super) fn leave(&mut self, entry: &Entry, exit: Exit) {
        self.strike(entry);
        let counters = &mut self.counters;
        *match (exit, entry.class) {
            (Exit::Abandoned, _) => &mut counters.abandoned,
            (Exit::Acknowledged, _) => &mut counters.acknowledged,
            (Exit::Coalesced, _) => &mut counters.coalesced,
            (Exit::Dropped(_), Class::Hint) => &mut counters.dropped_hints,
            (Exit::Dropped(Delivery::NotSent), _) => &mut counters.dropped_unsent,
            (Exit::Dropped(Delivery::Unknown), _) => &mut counters.dropped_unconfirmed,
            (Exit::Finished, _) => &mut counters.finished,
            (Exit::Settled, _) => &mut counters.settled,
        } += 1;
    }

    /// Enters that time ran out for a message, and says who has to be told.
    pub(super) fn give_up(&mut self, entry: &Entry, delivery: Delivery) -> Option<Expired> {
        self.strike(entry);
        let count = match (entry.class, delivery) {
            (Class::Request(_), _) => &mut self.counters.failed,
            (_, Delivery::NotSent) => &mut self.counters.expired_unsent,
            (_, Delivery::Unknown) => &mut self.counters.expired_unconfirmed,
        };
        *count += 1;
        match entry.class {
            Class::Request(call) => Some(Expired::Request { call, delivery }),
            Class::Response(stream) => Some(Expired::Response { stream, delivery }),
            Class::Hint | Class::Note => None,
        }
    }

    /// Enters a note or a hint that found no room.
    pub(super) fn turn_away(&mut self, entry: &Entry) {
        self.accept(entry);
        self.leave(entry, Exit::Dropped(Delivery::NotSent));
    }

    fn strike(&mut self, entry: &Entry) {
        self.bytes -= entry.message.len();
        self.session.remove(entry);
        if entry.unrelated {
            self.unrelated.remove(entry);
        }
    }
}
