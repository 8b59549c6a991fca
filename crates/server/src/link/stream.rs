//! One byte stream: its channel, what waits to be written, and who waits for what.
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
use hermes_proto::queue::{Class, Outgoing, Queue};
use hermes_types::{
    CancelledNotificationParams, Fault, FaultKind, Method, OutgoingRequest, RawJson, RequestId, Revision,
    SubscriptionsAcknowledgedNotificationParams,
};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use super::{Answer, Link};
use crate::ask::AskError;
use crate::facts::Facts;
use crate::news::{end_of_listen, news, notification};
use crate::session::{Session, Stop};
use crate::settings::Settings;

/// What a writer finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Lines to be written.
    Lines,
    /// Nothing, yet.
    Nothing,
    /// Nothing, and nothing more will come.
    Over,
}

/// One byte stream.
pub(crate) struct StreamLink {
    settings: Arc<Settings>,
    facts: Facts,
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
    held: Vec<Held>,
    calls: HashMap<CallId, Live>,
    finished: bool,
}

/// What waits until the session's handshake is complete, and the request that it is.
struct Held {
    request: Option<RequestId>,
    message: Outgoing,
}

/// A call in flight, as far as the channel does not know it.
struct Live {
    revision: Revision,
    stop: Arc<Stop>,
}

impl StreamLink {
    pub(crate) fn new(settings: Arc<Settings>, facts: Facts) -> Self {
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
            facts,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock runs foreign code, so a poisoned state is still in order.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What carries the messages, as traces call it.
    pub(crate) const fn transport(&self) -> &'static str {
        self.facts.transport()
    }

    /// What to do about a line.
    pub(crate) fn handle<'a>(&self, line: Line<'a>) -> Verdicts<'a, oneshot::Sender<Answer>> {
        self.state().channel.handle(line)
    }

    /// The handshake is complete: what was held back may go.
    pub(crate) fn release(&self) {
        let mut state = self.state();
        let held = std::mem::take(&mut state.held);
        held.into_iter().for_each(|held| state.queue.push(held.message));
        drop(state);
        self.written.notify_one();
    }

    /// Queues a message that is owed to the peer.
    pub(crate) fn send(&self, text: Vec<u8>) {
        self.state().queue.push(Outgoing { text, class: Class::Owed });
        self.written.notify_one();
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

    /// Waits until at most `most` bytes wait to be written.
    pub(crate) async fn has_room(&self, most: usize) {
        while !self.is_roomy(most) {
            self.drained.notified().await;
        }
    }

    /// Whether at most `most` bytes wait to be written.
    pub(crate) fn is_roomy(&self, most: usize) -> bool {
        self.state().queue.bytes() <= most
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

    /// Refuses every call that has no outcome yet, and stops its handler.
    pub(crate) fn refuse_all(&self, fault: &Fault) {
        let left: Vec<_> = {
            let state = self.state();
            let revision = |call| state.calls.get(&call).map_or(Revision::LATEST, |live| live.revision);
            let calls = state.channel.running().calls();
            calls.map(|(call, is)| (call, refusal(Some(&is.request_id), revision(call), fault))).collect()
        };
        left.into_iter().for_each(|(call, response)| self.settle(call, response, None));
    }

    /// Nothing more will be queued: the writer ends when it has written what is there.
    pub(crate) fn finish(&self) {
        self.state().finished = true;
        self.written.notify_one();
    }
}

impl Link for StreamLink {
    fn principal(&self) -> Option<&str> {
        self.facts.principal.as_deref()
    }

    fn facts(&self) -> Option<&Facts> {
        Some(&self.facts)
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn session(&self) -> Option<&Session> {
        self.session.get()
    }

    fn is_open(&self) -> bool {
        !self.state().finished
    }

    fn open_session(&self, session: Session) {
        // The channel accepts one handshake for each connection.
        let _ = self.session.set(session);
    }

    fn begin(&self, call: CallId, revision: Revision) -> Arc<Stop> {
        let stop = Arc::new(Stop::default());
        self.state().calls.insert(call, Live { revision, stop: Arc::clone(&stop) });
        stop
    }

    fn settle(&self, call: CallId, response: Vec<u8>, _: Option<FaultKind>) {
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

    fn note(&self, call: CallId, text: Vec<u8>) {
        let mut state = self.state();
        if state.channel.running().contains(call) {
            state.queue.push(Outgoing { text, class: Class::Note(Some(call)) });
            drop(state);
            self.written.notify_one();
        }
    }

    /// Until the session's handshake is complete the request waits.
    fn ask(
        &self,
        _: CallId,
        method: Method,
        params: Option<&RawJson>,
        caller: oneshot::Sender<Answer>,
    ) -> Result<RequestId, AskError> {
        let mut state = self.state();
        if state.finished || self.closing.borrow().is_some() {
            return Err(AskError::Closed);
        }
        let id = state.channel.ask(method, caller);
        let message = OutgoingRequest { id: &id, method: method.as_str(), params };
        // Strings and checked JSON always encode.
        let text = serde_json::to_vec(&message).unwrap_or_default();
        state.push_to_session(Some(&id), Outgoing { text, class: Class::Owed });
        drop(state);
        self.written.notify_one();
        Ok(id)
    }

    fn give_up(&self, _: CallId, id: &RequestId) {
        let mut state = self.state();
        if state.channel.give_up(id).is_none() {
            return;
        }
        let before = state.held.len();
        state.held.retain(|held| held.request.as_ref() != Some(id));
        if state.held.len() < before {
            // It was never sent: there is nothing to take back.
            return;
        }
        let Some(revision) = state.channel.session() else { return };
        let params = CancelledNotificationParams { request_id: Some(id.clone()), ..Default::default() };
        if let Some(text) = notification(revision, Method::Cancelled, &params) {
            state.push_to_session(None, Outgoing { text, class: Class::Owed });
        }
        drop(state);
        self.written.notify_one();
    }

    fn subscribe(&self, uri: String) -> Result<(), Fault> {
        self.state().channel.subscribe(uri).map_err(too_many)
    }

    fn unsubscribe(&self, uri: &str) {
        self.state().channel.unsubscribe(uri);
    }

    fn listen(
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

    /// Its result first, then the notification that ends it on byte streams.
    fn end_listen(&self, call: CallId, id: &RequestId) {
        self.settle(call, end_of_listen(&self.settings, id), None);
        let params = CancelledNotificationParams { request_id: Some(id.clone()), ..Default::default() };
        if let Some(text) = notification(Revision::LATEST, Method::Cancelled, &params) {
            self.send(text);
        }
    }

    fn tell_session(&self, change: &Change) {
        // Of what was not declared the session knows nothing.
        if !self.session().is_some_and(|it| it.has_declared(change)) {
            return;
        }
        let mut state = self.state();
        let wants = state.channel.tell(change).session;
        if let Some(text) = wants.and_then(|revision| news(revision, change, None)) {
            state.push_to_session(None, Outgoing { text, class: Class::Change });
            drop(state);
            self.written.notify_one();
        }
    }

    fn tell_listeners(&self, change: &Change) {
        let mut state = self.state();
        for listener in state.channel.tell(change).listeners {
            if let Some(text) = news(Revision::LATEST, change, Some(listener)) {
                state.queue.push(Outgoing { text, class: Class::Change });
            }
        }
        drop(state);
        self.written.notify_one();
    }

    fn note_session(&self, text: Vec<u8>) {
        let mut state = self.state();
        if state.channel.is_ready() && !state.finished {
            state.queue.push(Outgoing { text, class: Class::Note(None) });
            drop(state);
            self.written.notify_one();
        }
    }

    fn closing(&self) -> watch::Receiver<Option<Instant>> {
        self.closing.subscribe()
    }
}

impl State {
    /// Queues a message that belongs to the session, once its handshake is complete.
    fn push_to_session(&mut self, request: Option<&RequestId>, message: Outgoing) {
        if self.channel.is_ready() {
            self.queue.push(message);
        } else if message.class != Class::Change
            || self.held.iter().all(|held| held.message.text != message.text)
        {
            self.held.push(Held { request: request.cloned(), message });
        }
    }
}

pub(crate) fn too_many(error: TooManySubscriptions) -> Fault {
    Fault::new(FaultKind::Overloaded, error.to_string())
}
