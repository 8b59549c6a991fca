//! What a carrier of exchanges takes from the connection, and leaves with it.

use std::sync::Arc;

use hermes_types::{RequestId, Revision};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::shared::{Shared, Unwritten};
use super::slot::Answer;
use crate::event::Event;
use crate::hooks::Direction;
use crate::mishap::Mishap;
use crate::{Noise, Warning};

impl Shared {
    /// The next message to send; `None` when nothing more will be sent. For one reader.
    ///
    /// # Cancel safety
    /// A message is taken only when it is returned.
    pub(crate) async fn next_unwritten(&self) -> Option<Unwritten> {
        loop {
            // Looked at first: what was queued before it finished is still sent.
            let is_finishing = *self.finishing.borrow();
            let next = self.lock().unwritten.pop_front();
            if next.is_some() || is_finishing {
                return next;
            }
            self.to_write.notified().await;
        }
    }

    /// Begins the exchange of a request, unless it was given up meanwhile.
    pub(crate) fn begin(&self, id: &RequestId, spawn: impl FnOnce() -> AbortHandle) {
        let mut state = self.lock();
        if state.pending.contains(id) {
            // The lock is held: the task cannot have come to its end before this.
            let exchange = spawn();
            state.exchanges.insert(id.clone(), exchange);
        }
    }

    /// The exchange of a request has ended: so has the request.
    pub(crate) fn end(&self, id: &RequestId, mishap: Option<Mishap>) {
        self.lock().exchanges.remove(id);
        if let (true, Some(mishap)) = (self.waits_for(id), mishap) {
            self.settle(id, Answer::Failed(mishap));
        }
    }

    /// Whether somebody waits for the answer to this request.
    pub(crate) fn waits_for(&self, id: &RequestId) -> bool {
        self.lock().pending.contains(id)
    }

    /// When whoever waits for the answer to this request gives up, as far as that is known.
    pub(crate) fn waits_until(&self, id: &RequestId) -> Option<Instant> {
        self.lock().pending.progressing(id).and_then(|slot| slot.until())
    }

    /// What comes next for this request comes under this status of HTTP, which is no success.
    pub(crate) fn under(&self, id: &RequestId, status: u16) {
        if let Some(slot) = self.lock().pending.progressing(id) {
            slot.under(status);
        }
    }

    /// Takes in a text of the server. `exchange` is the request in whose exchange it came.
    pub(crate) fn hear(self: &Arc<Self>, text: &str, exchange: Option<&RequestId>) {
        self.wire(Direction::Received, text);
        match self.limits.too_deep(text) {
            Some(head) => self.unreadable(&head, Noise::TooDeep),
            None => self.message(text, exchange),
        }
    }

    /// Reports what came and is no message.
    pub(crate) fn put_up_with(&self, kind: Noise) {
        self.noise(kind, "");
    }

    /// The revision that is agreed on.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.lock().revision
    }

    /// Reports something that spoils nothing.
    pub(crate) fn warn(&self, warning: &Warning) {
        match warning {
            Warning::SessionReplaced => self.lasting.tell(Event::SessionReplaced),
            Warning::PushStreamLost { reason } => self.lasting.tell(Event::PushStreamLost(reason.clone())),
            _ => {}
        }
        self.hooks.warn(warning);
    }
}
