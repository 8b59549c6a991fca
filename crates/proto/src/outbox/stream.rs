//! One stream: its log, its reader and its cursors. Pure bookkeeping; the rules are in `state`.

use super::answer::{Delivery, Epoch, Lease, Stage};
use super::budget::{Load, Tally};
use super::event::{CallId, Class, Encoded, Entry};
use super::id::{Seq, StreamId};
use std::collections::VecDeque;
use std::time::Instant;

mod kept;

pub use kept::KeptStream;

/// What a stream is for and how far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Standalone,
    Running,
    Answered,
    /// Closed to everybody; the reader that was there has yet to hear of it.
    Abandoned,
}

/// A stream. Always `shown <= at <= last` and `shown <= handed <= last`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stream {
    pub(super) id: StreamId,
    pub(super) phase: Phase,
    /// The attachment that may read, if any.
    pub(super) lease: Option<Epoch>,
    /// When to act if it is still without a reader.
    pub(super) deadline: Option<Instant>,
    /// Whether the reader has been asked to close its connection.
    pub(super) hangs_up: bool,
    /// Whether the present reader, or the one that was there last, was told that the stream has ended.
    pub(super) is_read_out: bool,
    /// What no cursor has acknowledged yet, by rising numbers.
    log: VecDeque<(Seq, Entry)>,
    /// Of the log.
    pub(super) tally: Tally,
    /// The newest number given.
    last: Seq,
    /// The newest number that any reader was given.
    handed: Seq,
    /// The newest cursor that the client showed.
    shown: Seq,
    /// The number that the present reader was given last.
    at: Seq,
    /// The notes that gave way, of those that no cursor has acknowledged.
    gap: Gap,
    /// How many notes gave way before the present reader got there, as far as it has not been told.
    untold: u64,
    /// The newest hint that gave way behind its reader, who may yet turn out to be dead; the start if no such hint is
    /// unacknowledged.
    hint_gap: Seq,
}

/// Numbers whose notes gave way. Between the first and the last there may be others, which is why they are counted:
/// a cursor in between may then be told of a few that it has, and never of too few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Gap {
    first: Seq,
    last: Seq,
    count: u64,
}

/// An event as its reader gets it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) seq: Seq,
    pub(super) message: Encoded,
    pub(super) replay: bool,
}

/// A message that gave way.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) entry: Entry,
    pub(super) delivery: Delivery,
    /// Whether the present reader had not got there.
    pub(super) missed: bool,
}

impl Gap {
    fn add(&mut self, seq: Seq) {
        self.first = if self.count == 0 { seq } else { self.first.min(seq) };
        self.last = self.last.max(seq);
        self.count += 1;
    }

    /// Forgets what lies at or before `cursor`.
    fn acknowledge(&mut self, cursor: Seq) {
        if cursor >= self.last {
            *self = Self::default();
        } else if cursor >= self.first {
            self.first = cursor.next();
            self.count = self.count.min(self.last.since(cursor));
        }
    }
}

impl Stream {
    pub(super) fn new(id: StreamId, phase: Phase, lease: Epoch) -> Self {
        Self {
            id,
            phase,
            lease: Some(lease),
            deadline: None,
            hangs_up: false,
            is_read_out: false,
            log: VecDeque::new(),
            tally: Tally::default(),
            last: Seq::START,
            handed: Seq::START,
            shown: Seq::START,
            at: Seq::START,
            gap: Gap::default(),
            untold: 0,
            hint_gap: Seq::START,
        }
    }

    pub(super) const fn stage(&self) -> Stage {
        match (self.phase, self.lease) {
            (Phase::Abandoned, _) => Stage::Closed,
            (Phase::Answered, Some(_)) => Stage::AnsweredLeased,
            (Phase::Answered, None) => Stage::AnsweredWaiting,
            (Phase::Running, Some(_)) => Stage::RunningLeased,
            (Phase::Running, None) => Stage::RunningWaiting,
            (Phase::Standalone, Some(_)) => Stage::StandaloneLeased,
            (Phase::Standalone, None) => Stage::StandaloneWaiting,
        }
    }

    pub(super) fn is_read_by(&self, lease: &Lease) -> bool {
        self.lease == Some(lease.epoch)
    }

    /// The newest number given. On an answered exchange it is the response's.
    pub(super) const fn last(&self) -> Seq {
        self.last
    }

    pub(super) const fn handed(&self) -> Seq {
        self.handed
    }

    pub(super) const fn shown(&self) -> Seq {
        self.shown
    }

    pub(super) fn len(&self) -> usize {
        self.log.len()
    }

    /// How many bytes the newest message has: on an answered exchange, the response.
    pub(super) fn last_bytes(&self) -> usize {
        self.log.back().map_or(0, |(_, entry)| entry.message.len())
    }

    /// Whether the response is all that was ever said here.
    pub(super) fn is_only_response(&self) -> bool {
        self.phase == Phase::Answered && self.last == Seq::START.next()
    }

    pub(super) fn push(&mut self, entry: Entry) -> Seq {
        self.last = self.last.next();
        self.tally.add(&entry);
        if self.log.is_empty() {
            // Most exchanges have their response and nothing else, and may be kept for long.
            self.log.reserve_exact(1);
        }
        self.log.push_back((self.last, entry));
        self.last
    }

    /// Uses up a number for a note that found no room.
    pub(super) fn skip(&mut self) {
        self.last = self.last.next();
        self.gap.add(self.last);
        self.untold += 1;
    }

    /// Whether the present reader has something left in the log.
    pub(super) fn has_unread(&self) -> bool {
        self.log.back().is_some_and(|(last, _)| *last > self.at)
    }

    pub(super) fn read(&mut self) -> Option<Read> {
        let (seq, entry) = self.log.get(self.after(self.at))?;
        let read = Read { seq: *seq, message: entry.message.clone(), replay: *seq <= self.handed };
        self.at = read.seq;
        self.handed = self.handed.max(read.seq);
        Some(read)
    }

    /// How many notes the present reader will not find, told once.
    pub(super) fn take_untold(&mut self) -> u64 {
        std::mem::take(&mut self.untold)
    }

    /// Whether a hint gave way that no cursor has acknowledged, told once.
    pub(super) fn take_hint_gap(&mut self) -> bool {
        std::mem::take(&mut self.hint_gap) > Seq::START
    }

    /// Puts the reader after `cursor`, and gives up what the cursor acknowledges.
    pub(super) fn rewind(&mut self, cursor: Seq) -> Vec<Entry> {
        self.at = cursor;
        self.shown = cursor;
        self.gap.acknowledge(cursor);
        self.untold = self.gap.count;
        if cursor >= self.hint_gap {
            self.hint_gap = Seq::START;
        }
        let rest = self.log.split_off(self.after(cursor));
        let acknowledged = std::mem::replace(&mut self.log, rest);
        acknowledged.into_iter().map(|(_, entry)| entry).inspect(|entry| self.tally.remove(entry)).collect()
    }

    pub(super) fn withdraw(&mut self, call: CallId) -> Option<(Entry, Delivery)> {
        let index = self.log.iter().position(|(_, entry)| entry.asks(call))?;
        self.take_at(index).map(|(_, entry, delivery)| (entry, delivery))
    }

    /// Takes an earlier hint that says the same as this one.
    pub(super) fn take_equal(&mut self, hint: &Entry) -> Option<Entry> {
        let index = self.log.iter().position(|(_, earlier)| earlier.same_hint(hint))?;
        self.take_at(index).map(|(_, entry, _)| entry)
    }

    /// Takes the oldest message of this class to make room, if a reader was given it or that does not matter.
    pub(super) fn give_way(&mut self, class: Class, even_unsent: bool) -> Option<Given> {
        let within = if even_unsent { self.log.len() } else { self.after(self.handed) };
        let index = self.log.iter().take(within).position(|(_, entry)| entry.class == class)?;
        let (seq, entry, delivery) = self.take_at(index)?;
        let missed = seq > self.at;
        if class != Class::Hint {
            self.gap.add(seq);
            self.untold += u64::from(missed);
        } else if !missed {
            self.hint_gap = self.hint_gap.max(seq);
        }
        Some(Given { entry, delivery, missed })
    }

    pub(super) fn has_requests(&self) -> bool {
        self.tally.requests.events > 0
    }

    pub(super) fn take_requests(&mut self) -> Vec<(Entry, Delivery)> {
        let (requests, rest): (VecDeque<_>, _) =
            std::mem::take(&mut self.log).into_iter().partition(|(_, entry)| entry.is_request());
        self.log = rest;
        self.tally.requests = Load::default();
        self.with_delivery(requests)
    }

    pub(super) fn take_all(&mut self) -> Vec<(Entry, Delivery)> {
        self.tally = Tally::default();
        let all = std::mem::take(&mut self.log);
        self.with_delivery(all)
    }

    fn with_delivery(&self, entries: VecDeque<(Seq, Entry)>) -> Vec<(Entry, Delivery)> {
        entries.into_iter().map(|(seq, entry)| (entry, self.delivery(seq))).collect()
    }

    /// The place in the log of the first message after this number.
    fn after(&self, seq: Seq) -> usize {
        self.log.partition_point(|(one, _)| *one <= seq)
    }

    fn take_at(&mut self, index: usize) -> Option<(Seq, Entry, Delivery)> {
        let (seq, entry) = self.log.remove(index)?;
        self.tally.remove(&entry);
        Some((seq, entry, self.delivery(seq)))
    }

    fn delivery(&self, seq: Seq) -> Delivery {
        if seq > self.handed { Delivery::NotSent } else { Delivery::Unknown }
    }
}
