//! One connection: its channel, what waits to be written, and who waits for what.
//!
//! The channel decides; the link carries the decisions out under one lock, so that what is decided and what
//! is queued never disagree: nothing of a call is queued after its response or its cancellation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use hermes_proto::channel::{
    CallId, Change, Channel, Filter, Settled, TooManySubscriptions, Verdicts, refusal,
};
use hermes_proto::framing::Line;
use hermes_proto::opening::Handshake;
use hermes_types::{
    CancelledNotificationParams, Encode, ErrorObject, Fault, FaultKind, Method, OutgoingRequest,
    OutgoingResponse, RawJson, RequestId, Revision, ServerCapabilities,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenResult, Wire,
};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use crate::ask::AskError;
use crate::news::{news, notification};
use crate::queue::{Class, Outgoing, Queue, Taken};
use crate::session::{Session, Stop};
use crate::settings::Settings;

/// What a client answered to a request of ours.
pub(crate) type Answer = Result<RawJson, ErrorObject>;

/// One connection.
pub(crate) struct Link {
    pub(crate) settings: Arc<Settings>,
    state: Mutex<State>,
    /// Something waits to be written, or nothing more will.
    written: Notify,
    /// Less waits to be written than before.
    drained: Notify,
    /// A call has ended.
    ended: Notify,
    session: OnceLock<Session>,
    /// When the connection closes, once that is known.
    closing: watch::Sender<Option<Instant>>,
}

struct State {
    channel: Channel<oneshot::Sender<Answer>>,
    queue: Queue,
    /// What waits until the session's handshake is complete.
    held: Vec<Outgoing>,
    calls: HashMap<CallId, Live>,
    finished: bool,
}

/// A call in flight, as far as the channel does not know it.
struct Live {
    revision: Revision,
    stop: Arc<Stop>,
}

impl Link {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self {
            state: Mutex::new(State {
                channel: Channel::new(settings.limits, settings.in_flight),
                queue: Queue::new(settings.notes),
                held: Vec::new(),
                calls: HashMap::new(),
                finished: false,
            }),
            written: Notify::new(),
            drained: Notify::new(),
            ended: Notify::new(),
            session: OnceLock::new(),
            closing: watch::Sender::new(None),
            settings,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock runs foreign code, so a poisoned state is still in order.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to do about a line.
    pub(crate) fn handle<'a>(&self, line: Line<'a>) -> Verdicts<'a, oneshot::Sender<Answer>> {
        self.state().channel.handle(line)
    }

    /// The legacy session, once its handshake was accepted.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.session.get()
    }

    /// The handshake was accepted, and this is what the server declared.
    pub(crate) fn open_session(&self, client: Handshake, declared: ServerCapabilities) {
        // The channel accepts one handshake for each connection.
        let _ = self.session.set(Session::new(client, declared));
    }

    /// The handshake is complete: what was held back may go.
    pub(crate) fn release(&self) {
        let mut state = self.state();
        let held = std::mem::take(&mut state.held);
        held.into_iter().for_each(|message| state.queue.push(message));
        drop(state);
        self.written.notify_one();
    }

    /// Queues a message that is owed to the peer.
    pub(crate) fn send(&self, text: Vec<u8>) {
        self.state().queue.push(Outgoing { text, class: Class::Owed });
        self.written.notify_one();
    }

    /// A call begins: gives the signal that ends it.
    pub(crate) fn begin(&self, call: CallId, revision: Revision) -> Arc<Stop> {
        let stop = Arc::new(Stop::default());
        self.state().calls.insert(call, Live { revision, stop: Arc::clone(&stop) });
        stop
    }

    /// The client does not want the call any more.
    pub(crate) fn cancel(&self, call: CallId) {
        let live = {
            let mut state = self.state();
            state.queue.drop_notes_of(call);
            state.calls.remove(&call)
        };
        if let Some(live) = live {
            live.stop.stop();
        }
    }

    /// A call has its outcome. Queues the response, unless the call is over already.
    pub(crate) fn settle(&self, call: CallId, response: Vec<u8>) {
        let live = {
            let mut state = self.state();
            if let Settled::Send(text) = state.channel.settle(call, response) {
                state.queue.push(Outgoing { text, class: Class::Owed });
            }
            state.calls.remove(&call)
        };
        self.written.notify_one();
        self.ended.notify_one();
        // Tasks that the handler left behind may wait for it.
        if let Some(live) = live {
            live.stop.stop();
        }
    }

    /// Queues progress or a log message of a call, unless the call is over.
    pub(crate) fn note<P: Encode>(&self, call: CallId, revision: Revision, method: Method, params: &P) {
        let Some(text) = notification(revision, method, params) else { return };
        let mut state = self.state();
        if state.channel.running().contains(call) {
            state.queue.push(Outgoing { text, class: Class::Note(call) });
            drop(state);
            self.written.notify_one();
        }
    }

    /// Sends a request to the client and waits for its answer (legacy era only).
    ///
    /// Until the session's handshake is complete the request waits. When the future is dropped first, or
    /// patience ends, the client is told that the answer is not wanted any more.
    pub(crate) async fn request(
        &self,
        method: Method,
        params: Option<&RawJson>,
        patience: Option<Duration>,
    ) -> Result<RawJson, AskError> {
        let (sender, answer) = oneshot::channel();
        let asked = {
            let mut state = self.state();
            if state.finished || self.closing.borrow().is_some() {
                return Err(AskError::Closed);
            }
            let id = state.channel.ask(method, sender);
            let message = OutgoingRequest { id: &id, method: method.as_str(), params };
            // Strings and checked JSON always encode.
            let text = serde_json::to_vec(&message).unwrap_or_default();
            state.push_to_session(Outgoing { text, class: Class::Owed });
            Waiting { link: self, id }
        };
        self.written.notify_one();
        let answer = match patience {
            Some(patience) => tokio::time::timeout(patience, answer).await.map_err(|_| AskError::Timeout)?,
            None => answer.await,
        };
        drop(asked);
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(AskError::Refused(error)),
            // The connection closed, and took the sender with it.
            Err(_) => Err(AskError::Closed),
        }
    }

    /// The legacy session wants to hear of a resource.
    pub(crate) fn subscribe(&self, uri: String) -> Result<(), Fault> {
        self.state().channel.subscribe(uri).map_err(too_many)
    }

    /// The legacy session no longer wants to hear of a resource.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.state().channel.unsubscribe(uri);
    }

    /// A call becomes a listen stream. Its acknowledgment is queued first, before any change can be.
    pub(crate) fn listen(
        &self,
        call: CallId,
        filter: Filter,
        acknowledgment: &SubscriptionsAcknowledgedNotificationParams,
    ) -> Result<(), Fault> {
        let mut state = self.state();
        state.channel.listen(call, filter).map_err(too_many)?;
        if let Some(text) = notification(Revision::LATEST, Method::SubscriptionsAcknowledged, acknowledgment)
        {
            state.queue.push(Outgoing { text, class: Class::Owed });
        }
        drop(state);
        self.written.notify_one();
        Ok(())
    }

    /// Ends a listen stream in good order: its result first, then the notification that ends it on byte
    /// streams.
    pub(crate) fn end_listen(&self, call: CallId, id: &RequestId) {
        let mut result = SubscriptionsListenResult::new(id.clone());
        result.meta.server_info = Some(self.settings.info.clone());
        let response = OutgoingResponse { id: Some(id), outcome: Ok(Wire(&result, Revision::LATEST)) };
        // Strings and numbers always encode.
        self.settle(call, serde_json::to_vec(&response).unwrap_or_default());
        let params = CancelledNotificationParams { request_id: Some(id.clone()), ..Default::default() };
        if let Some(text) = notification(Revision::LATEST, Method::Cancelled, &params) {
            self.send(text);
        }
    }

    /// Tells whoever on this connection asked for it of a change.
    pub(crate) fn tell(&self, change: &Change) {
        let mut state = self.state();
        let told = state.channel.tell(change);
        // Of what was not declared the session knows nothing.
        let session = told.session.filter(|_| self.session().is_some_and(|it| it.has_declared(change)));
        if let Some(text) = session.and_then(|revision| news(revision, change, None)) {
            state.push_to_session(Outgoing { text, class: Class::Change });
        }
        for listener in told.listeners {
            if let Some(text) = news(Revision::LATEST, change, Some(listener)) {
                state.queue.push(Outgoing { text, class: Class::Change });
            }
        }
        drop(state);
        self.written.notify_one();
    }

    /// Waits until less than `most` bytes wait to be written.
    pub(crate) async fn has_room(&self, most: usize) {
        while self.state().queue.bytes() > most {
            self.drained.notified().await;
        }
    }

    /// With as many calls in flight as allowed, gives those that are about to end a moment to do so, before
    /// the next request is refused: a burst of short calls is no overload. Whether that helped.
    pub(crate) async fn has_place(&self, patience: Duration) -> bool {
        if !self.is_full() {
            return true;
        }
        let room = async {
            while self.is_full() {
                self.ended.notified().await;
            }
        };
        tokio::time::timeout(patience, room).await.is_ok()
    }

    fn is_full(&self) -> bool {
        let state = self.state();
        let running = state.channel.running();
        running.len() >= running.limit()
    }

    /// Moves what waits into `buffer`, as lines; waits until there is something. `false` when nothing more
    /// will come.
    pub(crate) async fn next_lines(&self, buffer: &mut Vec<u8>, enough: usize) -> bool {
        loop {
            match self.take_lines(buffer, enough) {
                Taken::Lines => return true,
                Taken::Over => return false,
                Taken::Nothing => self.written.notified().await,
            }
        }
    }

    /// Moves what waits into `buffer`, as lines.
    pub(crate) fn take_lines(&self, buffer: &mut Vec<u8>, enough: usize) -> Taken {
        let (any, dropped, finished) = {
            let mut state = self.state();
            (state.queue.pop_lines(buffer, enough), state.queue.take_dropped(), state.finished)
        };
        if dropped > 0 {
            tracing::warn!(dropped, "the client does not read: progress and log messages were dropped");
        }
        if any {
            self.drained.notify_one();
        }
        match (any, finished) {
            (true, _) => Taken::Lines,
            (false, false) => Taken::Nothing,
            (false, true) => Taken::Over,
        }
    }

    /// Nothing more can be read: whoever waits for an answer learns it, listen streams end, handlers are
    /// told until when they may run.
    pub(crate) fn close(&self, until: Instant) {
        self.closing.send_replace(Some(until));
        let (callers, listens) = {
            let mut state = self.state();
            let listens: Vec<_> = state.channel.listens().map(|(call, id)| (call, id.clone())).collect();
            (state.channel.give_up_all(), listens)
        };
        // Dropping what a caller left tells them.
        drop(callers);
        listens.iter().for_each(|(call, id)| self.end_listen(*call, id));
    }

    /// Waits until the connection closes; gives when that is.
    pub(crate) async fn closing(&self) -> Instant {
        let mut closing = self.closing.subscribe();
        match closing.wait_for(Option::is_some).await.map(|until| *until) {
            Ok(Some(until)) => until,
            // The sender lives as long as `self`.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    /// Refuses every call that has no outcome yet, and stops its handler.
    pub(crate) fn refuse_all(&self, fault: &Fault) {
        let left: Vec<_> = {
            let state = self.state();
            let revision = |call| state.calls.get(&call).map_or(Revision::LATEST, |live| live.revision);
            let calls = state.channel.running().calls();
            calls.map(|(call, is)| (call, refusal(Some(&is.request_id), revision(call), fault))).collect()
        };
        left.into_iter().for_each(|(call, response)| self.settle(call, response));
    }

    /// Nothing more will be queued: the writer ends when it has written what is there.
    pub(crate) fn finish(&self) {
        self.state().finished = true;
        self.written.notify_one();
    }
}

impl State {
    /// Queues a message that belongs to the session, once its handshake is complete.
    fn push_to_session(&mut self, message: Outgoing) {
        if self.channel.is_ready() {
            self.queue.push(message);
        } else if message.class != Class::Change || self.held.iter().all(|held| held.text != message.text) {
            self.held.push(message);
        }
    }
}

/// A request of ours that waits for its answer.
struct Waiting<'a> {
    link: &'a Link,
    id: RequestId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.link.state();
        if state.channel.give_up(&self.id).is_none() {
            return;
        }
        let Some(revision) = state.channel.session() else { return };
        let params = CancelledNotificationParams { request_id: Some(self.id.clone()), ..Default::default() };
        if let Some(text) = notification(revision, Method::Cancelled, &params) {
            state.push_to_session(Outgoing { text, class: Class::Owed });
        }
        drop(state);
        self.link.written.notify_one();
    }
}

fn too_many(error: TooManySubscriptions) -> Fault {
    Fault::new(FaultKind::Overloaded, error.to_string())
}
