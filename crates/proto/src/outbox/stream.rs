//! One stream: its log, its reader and its cursors. Pure bookkeeping; the rules are in `state`.

use super::answer::{Delivery, Epoch, Stage};
use super::event::{CallId, Encoded, Entry};
use super::id::Seq;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Instant;

/// What a stream is for and how far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Standalone,
    Running,
    Answered,
}

/// A stream. Always `shown <= at <= last` and `shown <= handed <= last`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stream {
    pub(super) phase: Phase,
    /// The attachment that may read, if any.
    pub(super) lease: Option<Epoch>,
    /// When to act if it is still without a reader.
    pub(super) deadline: Option<Instant>,
    /// What no cursor has acknowledged yet.
    log: BTreeMap<Seq, Entry>,
    /// The newest number given.
    last: Seq,
    /// The newest number that any reader was given.
    handed: Seq,
    /// The newest cursor that the client showed.
    shown: Seq,
    /// The number that the present reader was given last.
    at: Seq,
}

/// An event as its reader gets it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) seq: Seq,
    pub(super) message: Encoded,
    pub(super) replay: bool,
}

impl Stream {
    pub(super) const fn new(phase: Phase, lease: Epoch) -> Self {
        Self {
            phase,
            lease: Some(lease),
            deadline: None,
            log: BTreeMap::new(),
            last: Seq::START,
            handed: Seq::START,
            shown: Seq::START,
            at: Seq::START,
        }
    }

    pub(super) const fn stage(&self) -> Stage {
        match (self.phase, self.lease) {
            (Phase::Answered, Some(_)) => Stage::AnsweredLeased,
            (Phase::Answered, None) => Stage::AnsweredWaiting,
            (Phase::Running, Some(_)) => Stage::RunningLeased,
            (Phase::Running, None) => Stage::RunningWaiting,
            (Phase::Standalone, Some(_)) => Stage::StandaloneLeased,
            (Phase::Standalone, None) => Stage::StandaloneWaiting,
        }
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

    pub(super) fn push(&mut self, entry: Entry) -> Seq {
        self.last = self.last.next();
        self.log.insert(self.last, entry);
        self.last
    }

    /// Whether the present reader has something left in the log.
    pub(super) fn has_unread(&self) -> bool {
        self.log.last_key_value().is_some_and(|(last, _)| *last > self.at)
    }

    pub(super) fn read(&mut self) -> Option<Read> {
        let (&seq, entry) = self.log.range((Bound::Excluded(self.at), Bound::Unbounded)).next()?;
        let read = Read { seq, message: entry.message.clone(), replay: seq <= self.handed };
        self.at = seq;
        self.handed = self.handed.max(seq);
        Some(read)
    }

    /// Puts the reader after `cursor`, and gives up what the cursor acknowledges.
    pub(super) fn rewind(&mut self, cursor: Seq) -> impl Iterator<Item = Entry> + use<> {
        self.at = cursor;
        self.shown = cursor;
        let rest = self.log.split_off(&cursor.next());
        std::mem::replace(&mut self.log, rest).into_values()
    }

    pub(super) fn withdraw(&mut self, call: CallId) -> Option<(Entry, Delivery)> {
        let seq = self.log.iter().find(|(_, entry)| entry.asks(call)).map(|(seq, _)| *seq)?;
        self.log.remove(&seq).map(|entry| (entry, self.delivery(seq)))
    }

    pub(super) fn has_requests(&self) -> bool {
        self.log.values().any(Entry::is_request)
    }

    pub(super) fn take_requests(&mut self) -> Vec<(Entry, Delivery)> {
        let (requests, rest) =
            std::mem::take(&mut self.log).into_iter().partition(|(_, entry)| entry.is_request());
        self.log = rest;
        self.with_delivery(requests)
    }

    pub(super) fn take_all(&mut self) -> Vec<(Entry, Delivery)> {
        let all = std::mem::take(&mut self.log);
        self.with_delivery(all)
    }

    fn with_delivery(&self, entries: BTreeMap<Seq, Entry>) -> Vec<(Entry, Delivery)> {
        entries.into_iter().map(|(seq, entry)| (entry, self.delivery(seq))).collect()
    }

    fn delivery(&self, seq: Seq) -> Delivery {
        if seq > self.handed { Delivery::NotSent } else { Delivery::Unknown }
    }
}
