//! Streams by what is asked about all of them, so that nobody has to look at each: hundreds may be kept for a client
//! that never shows a cursor.

use super::id::StreamId;
use super::stream::{Phase, Stream};
use std::collections::VecDeque;
use std::time::Instant;

/// What of some streams is asked about all of them at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Due {
    /// Those that have a deadline, the first first. Most deadlines come in their order and go in it, and then both ends
    /// of a queue are all that is touched.
    deadlines: VecDeque<(Instant, StreamId)>,
    /// The standalone ones; most sessions have one at most.
    standalone: Vec<StreamId>,
}

impl Due {
    /// The same of all of these.
    pub(super) fn of<'s>(streams: impl IntoIterator<Item = &'s Stream>) -> Self {
        let mut due = Self::default();
        streams.into_iter().for_each(|stream| due.add(stream));
        due
    }

    /// A stream is there.
    pub(super) fn add(&mut self, stream: &Stream) {
        if let Some(deadline) = stream.deadline {
            self.insert((deadline, stream.id));
        }
        if stream.phase == Phase::Standalone {
            self.standalone.push(stream.id);
        }
    }

    /// A stream is there no longer.
    pub(super) fn remove(&mut self, stream: &Stream) {
        self.shift(stream.id, stream.deadline, None);
        if stream.phase == Phase::Standalone {
            self.standalone.retain(|id| *id != stream.id);
        }
        if self.standalone.is_empty() {
            self.standalone = Vec::new();
        }
    }

    /// The deadline of a stream is another one than before.
    pub(super) fn shift(&mut self, stream: StreamId, before: Option<Instant>, after: Option<Instant>) {
        if before == after {
            return;
        }
        if let Some(index) = before.and_then(|before| self.find(&(before, stream)).ok()) {
            self.deadlines.remove(index);
            if self.deadlines.is_empty() {
                // An empty queue keeps its memory, and most sessions are idle most of the time.
                self.deadlines = VecDeque::new();
            }
        }
        if let Some(after) = after {
            self.insert((after, stream));
        }
    }

    fn insert(&mut self, deadline: (Instant, StreamId)) {
        if let Err(index) = self.find(&deadline) {
            self.deadlines.insert(index, deadline);
        }
    }

    /// Where a deadline is, or where it would be.
    fn find(&self, deadline: &(Instant, StreamId)) -> Result<usize, usize> {
        match (self.deadlines.front(), self.deadlines.back()) {
            (Some(first), _) if first == deadline => Ok(0),
            (_, Some(last)) if last < deadline => Err(self.deadlines.len()),
            _ => self.deadlines.binary_search(deadline),
        }
    }

    /// The first deadline.
    pub(super) fn first(&self) -> Option<Instant> {
        self.deadlines.front().map(|(deadline, _)| *deadline)
    }

    /// The standalone streams.
    pub(super) fn standalone(&self) -> impl Iterator<Item = StreamId> {
        self.standalone.iter().copied()
    }
}
