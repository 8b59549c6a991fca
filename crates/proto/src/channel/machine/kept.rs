//! The channel of a legacy session over HTTP as plain values.

use hermes_types::{RequestId, Revision};
use serde::{Deserialize, Serialize};

use super::{Channel, Session};
use crate::channel::CallId;
use crate::channel::batch::Batches;
use crate::channel::running::Running;
use crate::correlate::Pending;
use crate::limits::Limits;
use crate::outbox::Unreadable;

/// A channel, as it is kept. Whoever waited for an answer of the client is not kept: they end with their process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptChannel {
    revision: String,
    ready: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) running: Vec<KeptCall>,
    begun: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    batches: Vec<KeptBatch>,
    #[serde(default)]
    batched: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    subscriptions: Vec<String>,
    /// How many requests to the client there were, and which of the last had no answer.
    #[serde(default)]
    asked: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unanswered: Vec<i64>,
}

/// A call in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptCall {
    pub(in crate::channel) call: u64,
    pub(in crate::channel) id: RequestId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::channel) batch: Option<u64>,
}

/// A batch whose responses are not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::channel) struct KeptBatch {
    pub(in crate::channel) batch: u64,
    pub(in crate::channel) text: String,
    pub(in crate::channel) missing: usize,
}

impl<C> Channel<C> {
    /// The channel as plain values; `None` before its handshake. Listen streams are of the other era, and not kept.
    #[must_use]
    pub fn keep(&self) -> Option<KeptChannel> {
        let Session { revision, ready } = self.session.as_ref()?;
        let (running, begun) = self.running.keep();
        let (batches, batched) = self.batches.keep();
        let (asked, unanswered) = self.asked.keep();
        Some(KeptChannel {
            revision: revision.as_str().to_owned(),
            ready: *ready,
            running,
            begun,
            batches,
            batched,
            subscriptions: self.subscriptions.of_session().map(str::to_owned).collect(),
            asked,
            unanswered,
        })
    }

    /// The channel that was [kept](Self::keep).
    ///
    /// # Errors
    /// [`Unreadable`]: no channel was ever like that.
    pub(crate) fn restore(kept: KeptChannel, limits: Limits, in_flight: usize) -> Result<Self, Unreadable> {
        let revision = kept.revision.parse::<Revision>().ok().filter(|revision| !revision.is_modern());
        let revision = revision.ok_or(Unreadable::new("its revision has no sessions"))?;
        let mut channel = Self {
            session: Some(Session { revision, ready: kept.ready }),
            running: Running::restore(kept.running, kept.begun, in_flight)?,
            batches: Batches::restore(kept.batches, kept.batched)?,
            asked: Pending::restore(kept.asked, kept.unanswered),
            ..Self::new(limits, in_flight)
        };
        for uri in kept.subscriptions {
            channel.subscribe(uri).map_err(|_| Unreadable::new("it has too many subscriptions"))?;
        }
        Ok(channel)
    }

    /// The resources that the legacy session wants to hear of.
    pub fn subscribed(&self) -> impl Iterator<Item = &str> {
        self.subscriptions.of_session()
    }
}

impl KeptCall {
    pub(crate) const fn call(&self) -> CallId {
        CallId::numbered(self.call)
    }
}
