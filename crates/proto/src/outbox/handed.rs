//! Responses that were read to the end and are kept in case the client comes back for them.
//!
//! A client that never shows a cursor would leave all of its responses here until their time is over.

use super::answer::{Delivery, Expired};
use super::budget::Budget;
use super::event::Entry;
use super::id::StreamId;
use super::state::Outbox;
use std::collections::VecDeque;

/// The answered streams without a reader whose last reader was told of the end, in the order in which they lost it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Handed {
    /// Each with the bytes of its response.
    streams: VecDeque<(StreamId, usize)>,
    bytes: usize,
}

impl Handed {
    pub(super) fn add(&mut self, stream: StreamId, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.streams.push_back((stream, bytes));
    }

    /// Takes a stream out, if it is there.
    pub(super) fn remove(&mut self, stream: StreamId) {
        let found = self.streams.iter().position(|(one, _)| *one == stream);
        if let Some((_, bytes)) = found.and_then(|index| self.streams.remove(index)) {
            self.bytes = self.bytes.saturating_sub(bytes);
        }
        if self.streams.is_empty() {
            self.streams = VecDeque::new();
        }
    }

    /// The streams, in their order.
    pub(super) fn streams(&self) -> impl Iterator<Item = StreamId> {
        self.streams.iter().map(|(stream, _)| *stream)
    }

    /// The stream that has to go next, if there are too many.
    fn beyond(&self, budget: Budget) -> Option<StreamId> {
        let too_many = self.streams.len() > budget.handed_responses;
        let too_large = self.bytes > budget.handed_bytes && self.streams.len() > 1;
        self.streams.front().filter(|_| too_many || too_large).map(|(stream, _)| *stream)
    }
}

impl Outbox {
    /// Gives up responses that were read to the end, the first ones first, until so few are left as the budget
    /// allows. Says who has to be told.
    pub(super) fn keep_few_handed(&mut self) -> Vec<Expired> {
        let mut told = Vec::new();
        while let Some(stream) = self.handed.beyond(self.budget) {
            let rest: Vec<(Entry, Delivery)> = self.run_out(stream);
            // An exchange has no hints, so nothing is raised again.
            told.extend(rest.iter().filter_map(|(entry, delivery)| self.books.give_up(entry, *delivery)));
        }
        told
    }
}
