//! The requester's side of correlation: which of one's own requests wait for an answer.
//!
//! [`Pending`] mints the ids, knows which request a response or a progress notification belongs to, and
//! settles each request exactly once. It is used by clients for their calls and by servers for what they ask
//! of clients. The other side, which requests of the peer are being worked on, is kept elsewhere.
//!
//! ```text
//!              open                     settle (a response)
//!   (no id) ----------> waiting ------------------------------> finished
//!                          |            give_up (a timeout, a dropped caller), drain (a lost stream)
//!                          +----------------------------------> finished
//! ```
//!
//! | state of the id | input | outcome |
//! |---|---|---|
//! | waiting | `settle` | the request, once |
//! | finished by `settle` | `settle` | [`Orphan::Finished`] |
//! | finished otherwise | `settle` | [`Orphan::Late`], once |
//! | never minted | `settle` | [`Orphan::Unknown`] |
//! | waiting | `give_up` | the request, and whether the peer is to be told |
//! | finished, never minted | `give_up` | nothing |
//!
//! An id is never minted twice, so a late answer cannot settle a later request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hermes_types::{Method, ProgressToken, RequestId};

/// One's own requests that wait for an answer, each with what its caller left to be told by.
///
/// ```
/// use hermes_proto::correlate::{Orphan, Pending};
///
/// let mut pending = Pending::new();
/// let id = pending.open("tools/call", "the caller");
/// assert_eq!(pending.settle(&id).map(|request| request.caller), Ok("the caller"));
/// assert_eq!(pending.settle(&id).map(|request| request.caller), Err(Orphan::Finished));
/// assert!(pending.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pending<C> {
    /// How many ids were minted; they are the integers from 1 on.
    minted: i64,
    waiting: BTreeMap<RequestId, Asked<C>>,
    /// The newest ids that were finished without an answer, which may yet come.
    unanswered: BTreeSet<i64>,
}

/// How many unanswered ids are remembered, so that a peer that never answers costs no more than that.
const REMEMBERED: usize = 1024;

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asked<C> {
    /// Its method.
    pub method: String,
    /// What its caller left.
    pub caller: C,
}

/// A request that is no longer waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp<C> {
    /// The request.
    pub request: Asked<C>,
    /// Whether `notifications/cancelled` is due. `initialize` is never cancelled.
    pub cancel: bool,
}

/// A response that belongs to no request that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orphan {
    /// The request was settled by an earlier response, or given up so long ago that this is forgotten.
    Finished,
    /// The request was given up before. That is nobody's fault.
    Late,
    /// No request ever had this id, or the id is missing.
    Unknown,
}

impl fmt::Display for Orphan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Finished => "a second response to the same request",
            Self::Late => "a response to a request that is not waited for any more",
            Self::Unknown => "a response to a request that was never sent",
        })
    }
}

impl std::error::Error for Orphan {}

impl<C> Default for Pending<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> Pending<C> {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { minted: 0, waiting: BTreeMap::new(), unanswered: BTreeSet::new() }
    }

    /// How many ids were minted, and which of the newest are without an answer, once all are given up that wait.
    pub(crate) fn keep(&self) -> (i64, Vec<i64>) {
        let mut unanswered = self.unanswered.clone();
        for id in self.waiting.keys() {
            remember(&mut unanswered, id);
        }
        (self.minted, unanswered.into_iter().collect())
    }

    /// Requests of a process that has ended: nobody waits for their answers.
    pub(crate) fn restore(minted: i64, unanswered: Vec<i64>) -> Self {
        Self { minted, waiting: BTreeMap::new(), unanswered: unanswered.into_iter().collect() }
    }

    /// Registers a request and mints its id: an integer, greater than all before.
    ///
    /// The same id serves as the request's progress token, should progress be asked for: it is unique among
    /// all requests of this sender.
    pub fn open(&mut self, method: impl Into<String>, caller: C) -> RequestId {
        // 2^63 requests are not reached in any life time; the last id would then be shared.
        self.minted = self.minted.saturating_add(1);
        let id = RequestId::from(self.minted);
        self.waiting.insert(id.clone(), Asked { method: method.into(), caller });
        id
    }

    /// A response has come: takes its request out.
    ///
    /// # Errors
    /// [`Orphan`] when none waits for it. That is reported, not punished: late answers are part of life.
    pub fn settle(&mut self, id: &RequestId) -> Result<Asked<C>, Orphan> {
        self.waiting.remove(id).ok_or_else(|| self.orphan(id))
    }

    fn orphan(&mut self, id: &RequestId) -> Orphan {
        match id.as_i64() {
            Some(number) if self.unanswered.remove(&number) => Orphan::Late,
            Some(number) if (1..=self.minted).contains(&number) => Orphan::Finished,
            Some(_) | None => Orphan::Unknown,
        }
    }

    /// The request is no longer waited for. `None` when it was settled before: then nothing is to be said.
    ///
    /// Source: `basic/utilities/cancellation`, 2025-11-25.
    pub fn give_up(&mut self, id: &RequestId) -> Option<GivenUp<C>> {
        let request = self.waiting.remove(id)?;
        remember(&mut self.unanswered, id);
        let cancel = request.method != Method::Initialize.as_str();
        Some(GivenUp { request, cancel })
    }

    /// The request that a progress notification is about, if it still waits.
    pub fn progressing(&mut self, token: &ProgressToken) -> Option<&mut C> {
        self.waiting.get_mut(token).map(|request| &mut request.caller)
    }

    /// Whether this request waits.
    #[must_use]
    pub fn contains(&self, id: &RequestId) -> bool {
        self.waiting.contains_key(id)
    }

    /// How many requests wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no request waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The stream is lost: takes all requests out, oldest first. The ids stay used.
    pub fn drain(&mut self) -> Vec<(RequestId, Asked<C>)> {
        let waiting: Vec<_> = std::mem::take(&mut self.waiting).into_iter().collect();
        for (id, _) in &waiting {
            remember(&mut self.unanswered, id);
        }
        waiting
    }
}

/// Ids rise, so the smallest is the oldest.
fn remember(unanswered: &mut BTreeSet<i64>, id: &RequestId) {
    unanswered.extend(id.as_i64());
    if unanswered.len() > REMEMBERED {
        unanswered.pop_first();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: R002, R003, R004, R005
    #[test]
    fn ids_are_integers_that_are_never_used_twice() {
        let mut pending = Pending::new();
        let mut seen = Vec::new();
        for round in 0..100 {
            let id = pending.open("ping", round);
            assert!(id.as_i64().is_some());
            assert!(!seen.contains(&id));
            if round % 2 == 0 {
                assert!(pending.settle(&id).is_ok());
            }
            seen.push(id);
        }
        assert_eq!(pending.drain().len(), 50);
        assert!(!seen.contains(&pending.open("ping", 100)), "nor after the stream was lost");
    }

    // spec: R006, R222, R223, R233
    #[test]
    fn b028_only_the_first_response_with_a_known_id_settles_a_request() {
        let mut pending = Pending::new();
        let id = pending.open("tools/call", "a");
        let other = pending.open("tools/call", "b");
        for stranger in [RequestId::from(999), RequestId::from(0), RequestId::from(-1), RequestId::from("zz")]
        {
            assert_eq!(pending.settle(&stranger).unwrap_err(), Orphan::Unknown);
        }
        assert_eq!(pending.settle(&id).map(|request| request.caller), Ok("a"));
        assert_eq!(pending.settle(&id).unwrap_err(), Orphan::Finished);
        assert_eq!(pending.settle(&other).map(|request| request.caller), Ok("b"));
    }

    #[test]
    fn b023_an_id_of_another_type_settles_nothing() {
        let mut pending = Pending::new();
        let id = pending.open("ping", ());
        assert_eq!(id, RequestId::from(1));
        assert_eq!(pending.settle(&RequestId::from("1")).unwrap_err(), Orphan::Unknown);
        assert!(pending.contains(&id));
    }

    // spec: R219, R220, R228
    #[test]
    fn what_is_given_up_is_cancelled_once_unless_it_is_initialize() {
        let mut pending = Pending::new();
        let call = pending.open("tools/call", ());
        let handshake = pending.open("initialize", ());
        assert_eq!(pending.give_up(&call).map(|given_up| given_up.cancel), Some(true));
        assert_eq!(pending.give_up(&call), None);
        assert_eq!(pending.settle(&call).unwrap_err(), Orphan::Late);
        assert_eq!(pending.settle(&call).unwrap_err(), Orphan::Finished);
        assert_eq!(pending.give_up(&handshake).map(|given_up| given_up.cancel), Some(false));
        assert_eq!(pending.give_up(&RequestId::from(77)), None);
        assert!(pending.is_empty());
    }

    // spec: R236, R238
    #[test]
    fn b038_progress_finds_its_request_by_the_exact_token() {
        let mut pending = Pending::new();
        let first = pending.open("tools/call", 10);
        let second = pending.open("tools/call", 20);
        assert_eq!(pending.progressing(&second), Some(&mut 20));
        *pending.progressing(&first).expect("waits") += 1;
        assert_eq!(pending.progressing(&RequestId::from("1")), None);
        assert_eq!(pending.progressing(&RequestId::from(0)), None);
        assert_eq!(pending.settle(&first).map(|request| request.caller), Ok(11));
        assert_eq!(pending.progressing(&first), None, "nothing after the response");
    }

    #[test]
    fn a_lost_stream_gives_all_requests_back_oldest_first() {
        let mut pending = Pending::new();
        for method in ["a", "b", "c"] {
            pending.open(method, ());
        }
        let methods: Vec<_> = pending.drain().into_iter().map(|(_, request)| request.method).collect();
        assert_eq!(methods, ["a", "b", "c"]);
        assert_eq!(pending.len(), 0);
        assert_eq!(pending.settle(&RequestId::from(2)).unwrap_err(), Orphan::Late);
    }

    #[test]
    fn b039_a_peer_that_never_answers_costs_a_bounded_memory() {
        let mut pending = Pending::new();
        let ids: Vec<_> = (0..2 * REMEMBERED).map(|_| pending.open("ping", ())).collect();
        for id in &ids {
            assert!(pending.give_up(id).is_some());
        }
        assert!(pending.is_empty());
        assert_eq!(pending.unanswered.len(), REMEMBERED);
        assert_eq!(ids.first().map(|id| pending.settle(id).unwrap_err()), Some(Orphan::Finished));
        assert_eq!(ids.last().map(|id| pending.settle(id).unwrap_err()), Some(Orphan::Late));
    }
}
