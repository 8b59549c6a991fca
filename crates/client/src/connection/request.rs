//! One request: sent, waited for, given up.

use std::sync::Arc;
use std::time::Duration;

use hermes_types::{OutgoingRequest, RequestId};
use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use super::shared::{Shared, Unwritten, line};
use super::slot::{Answer, Heard, Slot};
use crate::error::Closed;
use crate::notice::{Inbox, Progress};

/// How long to wait for an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The limit.
    pub(crate) timeout: Duration,
    /// Progress starts the limit anew, but never beyond this much in all.
    pub(crate) extended: Option<Duration>,
}

/// Whoever wants to hear of progress.
pub(crate) type OnProgress<'a> = Option<&'a mut (dyn FnMut(&Progress) + Send)>;

/// A request that was sent and not answered yet. Dropping it gives it up, and tells the server.
#[derive(Debug)]
pub(crate) struct InFlight {
    shared: Arc<Shared>,
    id: RequestId,
    slot: Arc<Slot>,
    /// What the server is told when it is given up; `None`: nothing.
    reason: Option<&'static str>,
}

impl Shared {
    /// Sends a request whose parameters may depend on its id.
    ///
    /// # Errors
    /// The connection is lost; nothing was sent.
    pub(crate) fn send<P: Serialize>(
        self: &Arc<Self>,
        method: &str,
        listen: Option<Arc<Inbox>>,
        params: impl FnOnce(&RequestId) -> Option<P>,
    ) -> Result<InFlight, Arc<Closed>> {
        let slot = Arc::new(listen.map_or_else(Slot::default, Slot::listening));
        let id = {
            let mut state = self.lock();
            if let Some(closed) = &state.lost {
                return Err(Arc::clone(closed));
            }
            state.pending.open(method, Arc::clone(&slot))
        };
        let in_flight =
            InFlight { shared: Arc::clone(self), id, slot, reason: Some("the caller no longer waits") };
        let params = params(&in_flight.id);
        let message = OutgoingRequest { id: &in_flight.id, method, params };
        if let Some(line) = line(&message) {
            self.write(Unwritten { line, request: Some(in_flight.id.clone()), _room: None });
        }
        Ok(in_flight)
    }
}

impl InFlight {
    pub(crate) const fn id(&self) -> &RequestId {
        &self.id
    }

    /// Says nothing to the server when the request is given up.
    pub(crate) fn silently(mut self) -> Self {
        self.reason = None;
        self
    }

    /// Waits for the answer; `None` when it has not come in time.
    ///
    /// While a question of the server is being answered, the clock does not run out: the server waits for us.
    ///
    /// # Cancel safety
    /// Progress is handed on as it is taken; the answer is taken only when it is returned.
    pub(crate) async fn answer(
        &mut self,
        patience: Patience,
        on_progress: &mut OnProgress<'_>,
    ) -> Option<Answer> {
        let last = patience.extended.map(later);
        let mut deadline = later(patience.timeout);
        loop {
            let until = last.map_or(deadline, |last| deadline.min(last));
            tokio::select! {
                biased;
                heard = self.slot.heard() => match heard {
                    Heard::Answer(answer) => return Some(answer),
                    Heard::Progress(progress) => {
                        if patience.extended.is_some() {
                            deadline = later(patience.timeout);
                        }
                        if let Some(on_progress) = on_progress {
                            on_progress(&progress);
                        }
                    }
                },
                () = sleep_until(until) => {
                    let is_last = last.is_some_and(|last| last <= until);
                    if is_last || !self.shared.is_asked() {
                        self.reason = self.reason.map(|_| "timeout");
                        return None;
                    }
                    deadline = later(patience.timeout);
                }
            }
        }
    }

    /// Waits for the answer without a limit.
    ///
    /// # Cancel safety
    /// The answer is taken only when it is returned.
    pub(crate) async fn end(&self) -> Answer {
        loop {
            if let Heard::Answer(answer) = self.slot.heard().await {
                return answer;
            }
        }
    }
}

/// The time after this much of it; a limit beyond all clocks is thirty years.
fn later(duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    Instant::now() + duration.min(FAR)
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.shared.give_up(&self.id, self.reason);
    }
}
