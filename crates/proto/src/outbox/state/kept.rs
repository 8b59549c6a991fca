//! An outbox as plain values, and what the end of its process means for it.

use std::error::Error;
use std::fmt;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::super::answer::{Epoch, Lease};
use super::super::books::Books;
use super::super::budget::Budget;
use super::super::due::Due;
use super::super::event::{CallId, Class, Encoded, Entry};
use super::super::id::{Seq, StreamId};
use super::super::stream::{KeptStream, Phase, Stream};
use super::{Outbox, Patience};
use crate::clocks::Clocks;

/// Gives a message's text a number under which it is kept. The same text, [shared](Encoded), gets the same number.
pub type Number<'a> = &'a mut dyn FnMut(&Encoded) -> u64;

/// Finds the text that was kept under a number.
pub type Find<'a> = &'a dyn Fn(u64) -> Option<Encoded>;

/// All of an outbox but its streams, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptOutbox {
    opened: u64,
    epoch: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    queue: Vec<KeptEntry>,
    /// The streams that were read to the end, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    handed: Vec<u64>,
    #[serde(default)]
    untold: u64,
    #[serde(default)]
    hint_loss: bool,
}

/// A held message, as it is kept. Whether it belongs to a call follows from where it is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct KeptEntry {
    class: KeptClass,
    text: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptClass {
    Hint,
    Note,
    Request(u64),
    Response,
}

/// What is kept contradicts itself, and nothing can be made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unreadable(&'static str);

impl Unreadable {
    pub(crate) const fn new(what: &'static str) -> Self {
        Self(what)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "what the store has kept of this session contradicts itself: {}", self.0)
    }
}

impl Error for Unreadable {}

impl KeptEntry {
    pub(in super::super) fn keep(entry: &Entry, number: Number<'_>) -> Self {
        let class = match entry.class {
            Class::Hint => KeptClass::Hint,
            Class::Note => KeptClass::Note,
            Class::Request(call) => KeptClass::Request(call.number()),
            Class::Response(_) => KeptClass::Response,
        };
        Self { class, text: number(&entry.message) }
    }

    /// The entry again; `of` is the exchange that it belongs to.
    pub(in super::super) fn restore(
        &self,
        of: Option<StreamId>,
        find: Find<'_>,
    ) -> Result<Entry, Unreadable> {
        let class = match (self.class, of) {
            (KeptClass::Hint, None) => Class::Hint,
            (KeptClass::Note, _) => Class::Note,
            (KeptClass::Request(call), _) => Class::Request(CallId::new(call)),
            (KeptClass::Response, Some(stream)) => Class::Response(stream),
            (KeptClass::Hint, Some(_)) => return Err(Unreadable("a hint belongs to a call")),
            (KeptClass::Response, None) => return Err(Unreadable("a response belongs to no call")),
        };
        let message = find(self.text).ok_or(Unreadable("the text of a message is missing"))?;
        Ok(Entry { class, unrelated: of.is_none(), message })
    }
}

impl Outbox {
    /// The outbox as plain values; each text is kept under the number that `number` gives it.
    #[must_use]
    pub fn keep(&self, clocks: &Clocks, number: Number<'_>) -> (KeptOutbox, Vec<KeptStream>) {
        let head = KeptOutbox {
            opened: self.opened,
            epoch: self.epoch.number(),
            queue: self.queue.iter().map(|entry| KeptEntry::keep(entry, number)).collect(),
            handed: self.handed.streams().map(StreamId::number).collect(),
            untold: self.untold,
            hint_loss: self.hint_loss,
        };
        (head, self.streams.iter().map(|stream| stream.keep(clocks, number)).collect())
    }

    /// The outbox that was [kept](Self::keep), with nothing but its accounts started anew.
    ///
    /// # Errors
    /// [`Unreadable`]: no outbox was ever like that.
    pub(crate) fn restore(
        head: &KeptOutbox,
        streams: &[KeptStream],
        (patience, budget): (Patience, Budget),
        clocks: &Clocks,
        find: Find<'_>,
    ) -> Result<Self, Unreadable> {
        let mut outbox =
            Self { opened: head.opened, epoch: Epoch::numbered(head.epoch), ..Self::new(patience, budget) };
        (outbox.untold, outbox.hint_loss) = (head.untold, head.hint_loss);
        for entry in &head.queue {
            outbox.queue.push_back(entry.restore(None, find)?);
        }
        for kept in streams {
            let stream = Stream::restore(kept, patience, clocks, find)?;
            if stream.id.number() > outbox.opened
                || outbox.streams.back().is_some_and(|last| last.id >= stream.id)
            {
                return Err(Unreadable("a stream has a number that it cannot have"));
            }
            outbox.streams.push_back(stream);
        }
        for id in &head.handed {
            let bytes = outbox.stream(StreamId::nth(*id)).map(Stream::last_bytes);
            outbox.handed.add(StreamId::nth(*id), bytes.ok_or(Unreadable("a stream is missing"))?);
        }
        outbox.count_anew();
        Ok(outbox)
    }

    /// The process has ended, and with it every connection and every caller: nobody reads, all requests are
    /// failed, and whatever could be read may have been read. Nothing that waits ends before the grace time is over.
    pub(crate) fn interrupt(&mut self, now: Instant) {
        self.queue.retain(|entry| !entry.is_request());
        let leases: Vec<_> = self.streams.iter().filter_map(Stream::reader).collect();
        self.streams.iter_mut().for_each(|stream| drop(stream.take_requests()));
        for (stream, epoch) in leases {
            // Responses that have no room any more were read to the end, and nobody is there to be told.
            let _ = self.detach(&Lease { stream, epoch, from: Seq::START }, now);
        }
        let least = now.checked_add(self.patience.grace);
        for stream in &mut self.streams {
            stream.interrupt();
            stream.deadline = match stream.phase {
                Phase::Running | Phase::Abandoned => None,
                Phase::Standalone | Phase::Answered => stream.deadline.max(least),
            };
        }
        self.let_go();
        self.count_anew();
    }

    /// Starts the accounts with what is held.
    fn count_anew(&mut self) {
        self.due = Due::of(&self.streams);
        self.books = Books::default();
        let logged = self.streams.iter().flat_map(Stream::entries);
        self.queue.iter().chain(logged).for_each(|entry| self.books.accept(entry));
    }

    /// How many messages wait for a standalone stream.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }
}
