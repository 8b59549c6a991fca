//! The requests in flight, as their receiver sees them. A duplicate id is refused here and nowhere else.

use hermes_types::RequestId;

use super::batch::BatchId;
use super::machine::KeptCall;
use crate::few::Few;
use crate::outbox::Unreadable;

/// One accepted request, from its acceptance to its end. Never used again, unlike the peer's ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u64);

impl CallId {
    /// The first, and the only one where there is just one call.
    pub(crate) const FIRST: Self = Self(0);

    pub(crate) const fn numbered(number: u64) -> Self {
        Self(number)
    }

    pub(crate) const fn number(self) -> u64 {
        self.0
    }
}

/// What is remembered of a request in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InFlight {
    /// The peer's id.
    pub request_id: RequestId,
    /// The batch that its response belongs to.
    pub(super) batch: Option<BatchId>,
}

/// Why a request is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotAccepted {
    /// Its id is in flight already.
    Duplicate,
    /// As many requests as allowed are in flight.
    Full,
}

/// The requests in flight on one channel.
///
/// ```text
///              begin(id)                    end(call)
///   (free) ------------------> in flight ------------------> (free)
///                                  |
///                                  +-- begin(id): Duplicate, nothing changes
/// ```
///
/// | state of the id | input | output | next |
/// |---|---|---|---|
/// | free | `begin(id)`, room left | a new [`CallId`] | in flight |
/// | free | `begin(id)`, no room | refused, `NotAccepted::Full` | free |
/// | in flight | `begin(id)` | `NotAccepted::Duplicate` | in flight, the first call untouched |
/// | in flight | `end(call)` | what was remembered | free |
/// | free, or in flight for a later call | `end(call)` | `None` | unchanged |
///
/// Source: `basic/index`, all revisions: ids are not reused while in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Running {
    calls: Few<CallId, InFlight>,
    by_id: Few<RequestId, CallId>,
    next: u64,
    limit: usize,
}

impl Running {
    /// Nothing in flight, and room for `limit` requests.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { calls: Few::new(), by_id: Few::new(), next: 0, limit }
    }

    /// Accepts a request.
    ///
    /// # Errors
    /// `NotAccepted`: the request has to be refused; what is in flight stays as it is.
    pub(super) fn begin(
        &mut self,
        request_id: &RequestId,
        batch: Option<BatchId>,
    ) -> Result<CallId, NotAccepted> {
        // The one place where a duplicate id is refused.
        if self.by_id.contains(request_id) {
            return Err(NotAccepted::Duplicate);
        }
        if self.calls.len() >= self.limit {
            return Err(NotAccepted::Full);
        }
        let call = CallId(self.next);
        self.next += 1;
        self.by_id.add(request_id.clone(), call);
        self.calls.add(call, InFlight { request_id: request_id.clone(), batch });
        Ok(call)
    }

    /// The calls, and how many there ever were.
    pub(super) fn keep(&self) -> (Vec<KeptCall>, u64) {
        let kept = self.calls().map(|(call, is)| KeptCall {
            call: call.number(),
            id: is.request_id.clone(),
            batch: is.batch.map(BatchId::number),
        });
        (kept.collect(), self.next)
    }

    /// The calls that were kept.
    ///
    /// # Errors
    /// [`Unreadable`]: two have one id, or there were never so many.
    pub(super) fn restore(kept: Vec<KeptCall>, next: u64, limit: usize) -> Result<Self, Unreadable> {
        let mut running = Self { next, ..Self::new(limit) };
        for KeptCall { call, id, batch } in kept {
            let call = CallId(call);
            let is_new = running.by_id.add(id.clone(), call);
            let in_flight = InFlight { request_id: id, batch: batch.map(BatchId::numbered) };
            if call.0 >= next || !is_new || !running.calls.add(call, in_flight) {
                return Err(Unreadable::new("two calls are one"));
            }
        }
        Ok(running)
    }

    /// Ends a call; gives what was remembered, once.
    pub(super) fn end(&mut self, call: CallId) -> Option<InFlight> {
        let ended = self.calls.remove(&call)?;
        self.by_id.remove(&ended.request_id);
        Some(ended)
    }

    /// The call that a request id stands for now.
    #[must_use]
    pub fn find(&self, request_id: &RequestId) -> Option<CallId> {
        self.by_id.get(request_id).copied()
    }

    /// The peer's id of a call in flight.
    #[must_use]
    pub fn id_of(&self, call: CallId) -> Option<&RequestId> {
        self.calls.get(&call).map(|in_flight| &in_flight.request_id)
    }

    /// Whether the call still waits for its outcome.
    #[must_use]
    pub fn contains(&self, call: CallId) -> bool {
        self.calls.contains(&call)
    }

    /// The calls in flight, oldest first.
    pub fn calls(&self) -> impl Iterator<Item = (CallId, &InFlight)> {
        self.calls.iter().map(|(call, in_flight)| (*call, in_flight))
    }

    /// How many there may be.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.calls.len() == 0
    }
}
