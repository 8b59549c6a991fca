//! The accounts: nothing leaves an outbox without being entered here.

use super::answer::{Delivery, Expired};
use super::event::{Class, Entry};

/// What happened in an outbox, in messages. For operators: sum them over sessions.
///
/// What was accepted is still held or has left in exactly one way:
///
/// ```text
/// accepted = held + acknowledged + coalesced + settled + failed + expired_unsent + expired_unconfirmed
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Taken in, into the queue or a log.
    pub accepted: u64,
    /// Given to a reader for the first time. A reader writes; that is not yet delivery.
    pub handed: u64,
    /// Given to a reader again, because the client resumed from before them.
    pub replayed: u64,
    /// Left because the client showed a cursor at or after them.
    pub acknowledged: u64,
    /// Hints that left because an equal one waits.
    pub coalesced: u64,
    /// Server requests that left because their caller has an outcome.
    pub settled: u64,
    /// Server requests that left because their time ran out; each was reported to its caller.
    pub failed: u64,
    /// Left because their time ran out before any reader took them. Not zero: something was lost.
    pub expired_unsent: u64,
    /// Left because their time ran out after a reader took them, with no word from the client.
    pub expired_unconfirmed: u64,
    /// Hints that went back from the log of a closed stream into the queue. They stay held.
    pub reraised: u64,
}

/// Why a message is no longer held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Acknowledged,
    Coalesced,
    Settled,
}

/// Counters, and the bytes held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Books {
    pub(super) counters: Counters,
    pub(super) bytes: usize,
}

impl Books {
    pub(super) fn accept(&mut self, entry: &Entry) {
        self.counters.accepted += 1;
        self.bytes += entry.message.len();
    }

    pub(super) fn leave(&mut self, entry: &Entry, exit: Exit) {
        self.bytes -= entry.message.len();
        match exit {
            Exit::Acknowledged => self.counters.acknowledged += 1,
            Exit::Coalesced => self.counters.coalesced += 1,
            Exit::Settled => self.counters.settled += 1,
        }
    }

    /// Enters that time ran out for a message, and says who has to be told.
    pub(super) fn give_up(&mut self, entry: &Entry, delivery: Delivery) -> Option<Expired> {
        self.bytes -= entry.message.len();
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
}
