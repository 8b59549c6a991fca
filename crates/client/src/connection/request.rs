//! One request: sent, waited for, given up.

use std::sync::Arc;
use std::time::Duration;

use hermes_types::{OutgoingRequest, RequestId};
use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use super::shared::{Kind, Shared, Unwritten, line};
use super::slot::{Answer, Heard, Slot};
use crate::error::Closed;
use crate::headers::Headers;
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
        self.send_with(method, Headers::default(), listen, params)
    }

    /// The same, with headers where the carrier has any.
    ///
    /// # Errors
    /// The connection is lost; nothing was sent.
    pub(crate) fn send_with<P: Serialize>(
        self: &Arc<Self>,
        method: &str,
        headers: Headers,
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
            let kind = Kind::Request { id: in_flight.id.clone(), headers };
            self.write(Unwritten { line, kind, room: None });
        }
        Ok(in_flight)
    }
}

impl InFlight {
    pub(crate) const fn id(&self) -> &RequestId {
        &self.id
    }

    /// The status of HTTP under which its answer has come, if it is no success.
    pub(crate) fn status(&self) -> Option<u16> {
        self.slot.status()
    }

    /// Says nothing to the server when the request is given up.
    pub(crate) fn silently(mut self) -> Self {
        self.reason = None;
        self
    }

    /// Waits for the answer.
    ///
    /// While a question of the server is being answered, the clock does not run out: the server waits for us.
    ///
    /// # Errors
    /// It has not come within this time.
    ///
    /// # Cancel safety
    /// Progress is handed on as it is taken; the answer is taken only when it is returned.
    pub(crate) async fn answer(
        &mut self,
        patience: Patience,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Answer, Duration> {
        let mut limit = Limit::new(patience);
        self.slot.waits_until(limit.next());
        loop {
            tokio::select! {
                biased;
                heard = self.slot.heard() => match heard {
                    Heard::Answer(answer) => return Ok(answer),
                    Heard::Progress(progress) => {
                        limit.progress();
                        if let Some(on_progress) = on_progress {
                            on_progress(&progress);
                        }
                    }
                },
                () = sleep_until(limit.next()) => {}
            }
            // Looked at after progress too: a flood of it must not keep the time from running out.
            if let Some(after) = limit.exceeded(&self.shared) {
                self.reason = self.reason.map(|_| "timeout");
                return Err(after);
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

/// When to stop waiting.
struct Limit {
    patience: Patience,
    /// Progress moves it, if it may.
    soft: Instant,
    /// Nothing moves it.
    hard: Option<Instant>,
}

impl Limit {
    fn new(patience: Patience) -> Self {
        Self { patience, soft: later(patience.timeout), hard: patience.extended.map(later) }
    }

    fn next(&self) -> Instant {
        self.hard.map_or(self.soft, |hard| hard.min(self.soft))
    }

    fn progress(&mut self) {
        if self.hard.is_some() {
            self.soft = later(self.patience.timeout);
        }
    }

    /// The limit that has been reached, if one has.
    fn exceeded(&mut self, shared: &Shared) -> Option<Duration> {
        let now = Instant::now();
        if self.hard.is_some_and(|hard| hard <= now) {
            return self.patience.extended;
        }
        if now < self.soft {
            return None;
        }
        if shared.is_asked() {
            self.soft = later(self.patience.timeout);
            return None;
        }
        Some(self.patience.timeout)
    }
}

/// The time after this much of it; a limit beyond all clocks is thirty years.
pub(crate) fn later(duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    Instant::now() + duration.min(FAR)
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.shared.give_up(&self.id, self.reason);
    }
}
