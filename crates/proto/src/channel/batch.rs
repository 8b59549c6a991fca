//! Batches of 2025-03-26: their responses leave as one array, once all are there.

use std::collections::BTreeMap;

use super::machine::KeptBatch;
use crate::outbox::Unreadable;

/// One received batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BatchId(u64);

impl BatchId {
    pub(super) const fn numbered(number: u64) -> Self {
        Self(number)
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Batch {
    /// The array as far as it is written, without the closing bracket.
    text: Vec<u8>,
    /// Requests whose response is still to come.
    missing: usize,
}

/// The batches whose responses are not complete.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Batches {
    open: BTreeMap<BatchId, Batch>,
    next: u64,
}

impl Batches {
    /// None open.
    pub(super) const fn new() -> Self {
        Self { open: BTreeMap::new(), next: 0 }
    }

    /// The open batches, and how many there ever were.
    pub(super) fn keep(&self) -> (Vec<KeptBatch>, u64) {
        let kept = self.open.iter().map(|(id, Batch { text, missing })| KeptBatch {
            batch: id.0,
            // Responses are JSON, and JSON is text.
            text: String::from_utf8_lossy(text).into_owned(),
            missing: *missing,
        });
        (kept.collect(), self.next)
    }

    /// The batches that were kept.
    ///
    /// # Errors
    /// [`Unreadable`]: one of them waits for nothing.
    pub(super) fn restore(kept: Vec<KeptBatch>, next: u64) -> Result<Self, Unreadable> {
        if kept.iter().any(|batch| batch.missing == 0 || batch.batch >= next) {
            return Err(Unreadable::new("a batch waits for nothing"));
        }
        let open = kept.into_iter().map(|KeptBatch { batch, text, missing }| {
            (BatchId(batch), Batch { text: text.into_bytes(), missing })
        });
        Ok(Self { open: open.collect(), next })
    }

    /// Opens a batch, held open by its reader until [`Batches::withdraw`].
    pub(super) fn open(&mut self) -> BatchId {
        let id = BatchId(self.next);
        self.next += 1;
        self.open.insert(id, Batch { text: Vec::new(), missing: 1 });
        id
    }

    /// One more response is to be waited for.
    pub(super) fn expect(&mut self, id: BatchId) {
        if let Some(batch) = self.open.get_mut(&id) {
            batch.missing += 1;
        }
    }

    /// Adds a response that nobody waited for, such as a refusal.
    pub(super) fn add(&mut self, id: BatchId, response: &[u8]) {
        if let Some(batch) = self.open.get_mut(&id) {
            batch.text.push(if batch.text.is_empty() { b'[' } else { b',' });
            batch.text.extend_from_slice(response);
        }
    }

    /// An expected response came; gives the whole array when it was the last.
    pub(super) fn settle(&mut self, id: BatchId, response: &[u8]) -> Option<Vec<u8>> {
        self.add(id, response);
        self.withdraw(id)
    }

    /// An expected response will not come; gives the array when it was the last one missing. A batch
    /// without any response gives none.
    pub(super) fn withdraw(&mut self, id: BatchId) -> Option<Vec<u8>> {
        let batch = self.open.get_mut(&id)?;
        batch.missing -= 1;
        if batch.missing > 0 {
            return None;
        }
        let mut text = self.open.remove(&id)?.text;
        if text.is_empty() {
            return None;
        }
        text.push(b']');
        Some(text)
    }
}
