//! A stream as plain values.

use serde::{Deserialize, Serialize};

use super::super::answer::Epoch;
use super::super::event::Entry;
use super::super::id::{Seq, StreamId};
use super::super::state::{Find, KeptEntry, Number, Patience, Unreadable};
use super::{Gap, Phase, Stream};
use crate::clocks::Clocks;

/// One stream, as it is kept: its log, its cursors, and when its time runs out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptStream {
    id: u64,
    phase: KeptPhase,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lease: Option<u64>,
    /// In milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline: Option<u64>,
    #[serde(default)]
    hangs_up: bool,
    #[serde(default)]
    is_read_out: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    log: Vec<(u64, KeptEntry)>,
    last: u64,
    handed: u64,
    shown: u64,
    at: u64,
    #[serde(default)]
    gap: (u64, u64, u64),
    #[serde(default)]
    untold: u64,
    #[serde(default)]
    hint_gap: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptPhase {
    Abandoned,
    Answered,
    Running,
    Standalone,
}

impl KeptStream {
    /// The number of the stream, which it shares with no other of its session.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.id
    }
}

impl Stream {
    pub(in super::super) fn keep(&self, clocks: &Clocks, number: Number<'_>) -> KeptStream {
        KeptStream {
            id: self.id.number(),
            phase: match self.phase {
                Phase::Abandoned => KeptPhase::Abandoned,
                Phase::Answered => KeptPhase::Answered,
                Phase::Running => KeptPhase::Running,
                Phase::Standalone => KeptPhase::Standalone,
            },
            lease: self.lease.map(Epoch::number),
            deadline: self.deadline.map(|due| clocks.write(due)),
            hangs_up: self.hangs_up,
            is_read_out: self.is_read_out,
            log: self.log.iter().map(|(seq, entry)| (seq.number(), KeptEntry::keep(entry, number))).collect(),
            last: self.last.number(),
            handed: self.handed.number(),
            shown: self.shown.number(),
            at: self.at.number(),
            gap: (self.gap.first.number(), self.gap.last.number(), self.gap.count),
            untold: self.untold,
            hint_gap: self.hint_gap.number(),
        }
    }

    /// # Errors
    /// [`Unreadable`]: no stream was ever like that.
    pub(in super::super) fn restore(
        kept: &KeptStream,
        patience: Patience,
        clocks: &Clocks,
        find: Find<'_>,
    ) -> Result<Self, Unreadable> {
        let id = StreamId::nth(kept.id);
        let phase = match kept.phase {
            KeptPhase::Abandoned => Phase::Abandoned,
            KeptPhase::Answered => Phase::Answered,
            KeptPhase::Running => Phase::Running,
            KeptPhase::Standalone => Phase::Standalone,
        };
        // A wall clock that was set back must not make anything wait for longer than it was meant to.
        let longest = clocks.now().checked_add(match phase {
            Phase::Answered => patience.retention,
            Phase::Abandoned | Phase::Running | Phase::Standalone => patience.grace,
        });
        let deadline = kept.deadline.map(|due| clocks.read(due));
        let mut stream = Self {
            deadline: deadline.map(|due| longest.map_or(due, |longest| due.min(longest))),
            lease: kept.lease.map(Epoch::numbered),
            hangs_up: kept.hangs_up,
            is_read_out: kept.is_read_out,
            last: Seq::numbered(kept.last),
            handed: Seq::numbered(kept.handed),
            shown: Seq::numbered(kept.shown),
            at: Seq::numbered(kept.at),
            gap: Gap { first: Seq::numbered(kept.gap.0), last: Seq::numbered(kept.gap.1), count: kept.gap.2 },
            untold: kept.untold,
            hint_gap: Seq::numbered(kept.hint_gap),
            ..Self::new(id, phase, Epoch::default())
        };
        let told = stream.shown..=stream.last;
        if !told.contains(&stream.at) || !told.contains(&stream.handed) {
            return Err(Unreadable::new("the cursors of a stream are out of order"));
        }
        let of = (phase != Phase::Standalone).then_some(id);
        let mut before = stream.shown;
        for (seq, entry) in &kept.log {
            let (seq, entry) = (Seq::numbered(*seq), entry.restore(of, find)?);
            if seq <= before || seq > stream.last {
                return Err(Unreadable::new("the events of a stream are out of order"));
            }
            before = seq;
            stream.tally.add(&entry);
            stream.log.push_back((seq, entry));
        }
        Ok(stream)
    }

    /// Who reads it, if somebody does.
    pub(in super::super) fn reader(&self) -> Option<(StreamId, Epoch)> {
        self.lease.map(|epoch| (self.id, epoch))
    }

    /// The process of its reader has ended: whatever could be read may have been.
    pub(in super::super) fn interrupt(&mut self) {
        self.handed = self.last;
    }

    pub(in super::super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.log.iter().map(|(_, entry)| entry)
    }
}
