//! What the two loops and all calls of a connection share.

use std::collections::{BTreeMap, VecDeque};
use std::mem::{Discriminant, discriminant};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_proto::correlate::{Orphan, Pending};
use hermes_proto::limits::Limits;
use hermes_telemetry::client::{Over, session_ended};
use hermes_telemetry::transport::{self, Place};
use hermes_types::{
    CancelledNotificationParams, Encode, ErrorObject, Method, OutgoingNotification, OutgoingResponse,
    RawJson, RequestId, Revision, Wire,
};
use serde::Serialize;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::slot::{Answer, Slot};
use crate::callbacks::Handlers;
use crate::error::{CloseReason, Closed};
use crate::headers::Headers;
use crate::hooks::{Direction, Hooks};
use crate::lasting::Lasting;
use crate::mirrors::Mirrors;
use crate::open::Config;
use crate::output::OutputSchemas;
use crate::retry::Repeatable;
use crate::target::Dial;
use crate::{Noise, Warning};

/// How many requests of the server may wait for their answers to be written before no more is read.
const SERVED_AT_ONCE: usize = 1024;

#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Wakes the write loop.
    pub(super) to_write: Notify,
    /// The write loop could not write: the read loop concludes.
    pub(super) write_broke: Notify,
    /// Nothing more will be added to what is to be written.
    pub(crate) finishing: watch::Sender<bool>,
    /// How the connection ended, for whoever watches over it.
    pub(crate) ended: watch::Sender<Option<Arc<Closed>>>,
    /// The server has shown that it does not speak any more what it spoke.
    unfit: AtomicBool,
    /// The server has no way to say anything beside its answers.
    is_deaf: AtomicBool,
    /// What outlives this connection.
    pub(crate) lasting: Arc<Lasting>,
    /// One permit per request of the server that was not answered yet.
    pub(crate) room: Arc<Semaphore>,
    carrier: Carrier,
    /// Where the server is, as traces say it.
    pub(crate) place: Arc<Place>,
    pub(crate) limits: Limits,
    pub(crate) hooks: Hooks,
    pub(crate) handlers: Handlers,
    /// What the tools promise about their results.
    pub(crate) schemas: OutputSchemas,
    /// Which arguments the tools want in headers.
    pub(crate) mirrors: Mirrors,
    /// Which tools say that they may be called twice.
    pub(crate) repeatable: Repeatable,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) pending: Pending<Arc<Slot>>,
    pub(super) unwritten: VecDeque<Unwritten>,
    /// The exchanges under way, by the request that each was begun for.
    pub(super) exchanges: BTreeMap<RequestId, AbortHandle>,
    /// The server's requests that handlers work on.
    pub(super) served: BTreeMap<RequestId, AbortHandle>,
    /// The request that an error without an id answers: the probe of an unknown server.
    pub(super) probe: Option<RequestId>,
    /// `None` while nothing is agreed.
    pub(super) revision: Option<Revision>,
    /// Since when something is.
    agreed: Option<Instant>,
    /// Which session of the server it is, for traces.
    session: Option<Arc<str>>,
    pub(super) lost: Option<Arc<Closed>>,
    /// How many questions of the server are being answered.
    asked: usize,
    noise: Vec<Discriminant<Noise>>,
    strays: Vec<Orphan>,
}

/// How much of a session's id is shown: never more than a quarter, as the whole of it is a secret.
fn label(id: &str) -> &str {
    let length = (id.len() / 4).min(8);
    // A session's id is visible ASCII; another one is not shown.
    id.get(..length).unwrap_or_default()
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// One byte stream.
    Stream,
    /// An exchange for each of our messages.
    Exchanges,
    /// An exchange for each of our messages, and one stream with what the server says.
    Events,
}

impl Carrier {
    /// Whether every message of ours has an exchange of its own.
    pub(crate) const fn is_exchanges(self) -> bool {
        !matches!(self, Self::Stream)
    }
}

/// A message that waits to be sent.
#[derive(Debug)]
pub(crate) struct Unwritten {
    /// Its text, and a line feed.
    pub(crate) line: String,
    pub(crate) kind: Kind,
    /// The server's request that it answers counts until it is written.
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

/// What a message of ours is.
#[derive(Debug)]
pub(crate) enum Kind {
    Request {
        /// So that one that was given up before it was sent is not sent.
        id: RequestId,
        /// What the host wants sent with it.
        headers: Headers,
    },
    Notification,
    Response,
}

impl Shared {
    pub(crate) fn new(way: &dyn Dial, config: &Config, lasting: Arc<Lasting>) -> Self {
        Self {
            carrier: way.carrier(),
            place: Arc::new(way.place()),
            state: Mutex::default(),
            to_write: Notify::new(),
            write_broke: Notify::new(),
            finishing: watch::Sender::new(false),
            ended: watch::Sender::new(None),
            unfit: AtomicBool::new(false),
            is_deaf: AtomicBool::new(false),
            lasting,
            room: Arc::new(Semaphore::new(SERVED_AT_ONCE)),
            limits: config.limits,
            hooks: config.hooks.clone(),
            handlers: config.handlers.clone(),
            schemas: OutputSchemas::default(),
            mirrors: Mirrors::default(),
            repeatable: Repeatable::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message goes over the wire.
    pub(super) fn wire(&self, direction: Direction, text: &str) {
        let over = self.place.transport;
        match direction {
            Direction::Sent => transport::sent(over, text.len()),
            Direction::Received => transport::received(over, text.len()),
        }
        self.hooks.wire(direction, text);
    }

    /// How many requests wait for their answers.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().pending.len()
    }

    /// Queues a line.
    pub(super) fn write(&self, unwritten: Unwritten) {
        let mut state = self.lock();
        if state.lost.is_none() {
            state.unwritten.push_back(unwritten);
        }
        drop(state);
        self.to_write.notify_one();
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The parameters cannot be written as JSON, or the connection is lost.
    pub(crate) fn notify<P: Encode>(&self, method: &str, params: &P) -> Result<(), Arc<Closed>> {
        let revision = {
            let state = self.lock();
            match &state.lost {
                Some(closed) => return Err(Arc::clone(closed)),
                None => state.revision.unwrap_or(Revision::LATEST_LEGACY),
            }
        };
        let message = OutgoingNotification { method, params: Some(Wire(params, revision)) };
        if let Some(line) = line(&message) {
            self.write(Unwritten { line, kind: Kind::Notification, room: None });
        }
        Ok(())
    }

    /// Answers a request of the server.
    pub(super) fn respond(
        &self,
        id: &RequestId,
        outcome: &Result<RawJson, ErrorObject>,
        room: Option<OwnedSemaphorePermit>,
    ) {
        let message = OutgoingResponse { id: Some(id), outcome: outcome.as_ref() };
        if let Some(line) = line(&message) {
            self.write(Unwritten { line, kind: Kind::Response, room });
        }
    }

    /// A response has come.
    pub(super) fn settle(&self, id: &RequestId, answer: Answer) {
        let settled = self.lock().pending.settle(id);
        match settled {
            Ok(asked) => asked.caller.settle(answer),
            Err(orphan) => self.stray(orphan),
        }
    }

    /// Nobody waits for this request any more: forgets it, and tells the server if it was sent and `reason` says
    /// why it should know.
    pub(super) fn give_up(&self, id: &RequestId, reason: Option<&str>) {
        let cancel = {
            let mut state = self.lock();
            let Some(given_up) = state.pending.give_up(id) else { return };
            let is_it =
                |unwritten: &Unwritten| matches!(&unwritten.kind, Kind::Request { id: own, .. } if own == id);
            let unsent = state.unwritten.iter().position(is_it);
            if let Some(position) = unsent {
                state.unwritten.remove(position);
            }
            if let Some(exchange) = state.exchanges.remove(id) {
                exchange.abort();
            }
            // In the modern era the end of an exchange is what takes its request back.
            let is_told = self.carrier.is_exchanges() && state.revision.is_some_and(Revision::is_modern);
            given_up.cancel && unsent.is_none() && !is_told
        };
        if let (true, Some(reason)) = (cancel, reason) {
            let params = CancelledNotificationParams::new(id.clone()).with_reason(reason);
            // A lost connection has nobody to be told.
            let _ = self.notify(Method::Cancelled.as_str(), &params);
        }
    }

    /// The connection is no more: every request that waits is told why, now.
    pub(crate) fn lose(&self, closed: Closed) {
        let closed = Arc::new(closed);
        let (waiting, tasks, agreed) = {
            let mut state = self.lock();
            if state.lost.is_some() {
                return;
            }
            state.lost = Some(Arc::clone(&closed));
            let mut tasks = std::mem::take(&mut state.served);
            tasks.append(&mut state.exchanges);
            (state.pending.drain(), tasks, state.agreed)
        };
        for (_, asked) in waiting {
            asked.caller.settle(Answer::Lost(Arc::clone(&closed)));
        }
        if let Some(agreed) = agreed {
            let word = Some(closed.word()).filter(|_| !matches!(closed.reason, CloseReason::Local));
            session_ended(&self.over(), agreed.elapsed(), word);
        }
        tasks.into_values().for_each(|task| task.abort());
        self.ended.send_replace(Some(closed));
    }

    /// Says no more: what waits to be written is written, then the stream is closed.
    pub(crate) fn finish(&self) {
        self.lose(Closed { reason: CloseReason::Local, exit: None, stderr: String::new() });
        self.finishing.send_replace(true);
        self.to_write.notify_one();
    }

    pub(crate) fn agree(&self, revision: Revision) {
        let mut state = self.lock();
        state.revision = Some(revision);
        state.agreed = Some(Instant::now());
    }

    /// The server knows the client by the session with this id from now on.
    pub(crate) fn in_session(&self, id: Option<&str>) {
        self.lock().session = id.map(|id| label(id).into());
    }

    /// What an operation goes over, for traces.
    pub(crate) fn over(&self) -> Over {
        let state = self.lock();
        Over { revision: state.revision, place: Arc::clone(&self.place), session: state.session.clone() }
    }

    /// Makes an error without an id count as the answer to this request, or to none.
    pub(crate) fn probing(&self, probe: Option<RequestId>) {
        self.lock().probe = probe;
    }

    pub(crate) const fn carrier(&self) -> Carrier {
        self.carrier
    }

    /// How the connection ended, if it has.
    pub(crate) fn closed(&self) -> Option<Arc<Closed>> {
        self.lock().lost.clone()
    }

    pub(crate) fn pending(&self) -> usize {
        self.lock().pending.len()
    }

    /// The server has shown that it does not speak any more what it spoke: it is asked anew before the next call.
    pub(crate) fn mark_unfit(&self) {
        self.unfit.store(true, SeqCst);
    }

    /// Whether nothing is heard of the server beside its answers.
    pub(crate) fn is_deaf(&self) -> bool {
        self.is_deaf.load(SeqCst)
    }

    /// The server has no stream for what it says beside its answers.
    pub(crate) fn hears_nothing(&self) {
        tracing::debug!("the server has no standalone stream");
        self.is_deaf.store(true, SeqCst);
    }

    pub(crate) fn is_unfit(&self) -> bool {
        self.unfit.load(SeqCst)
    }

    /// Whether a question of the server is being answered: then the server waits for us, not we for it.
    pub(super) fn is_asked(&self) -> bool {
        self.lock().asked > 0
    }

    /// Counts a question for as long as the value lives.
    pub(crate) fn asked(self: &Arc<Self>) -> Asked {
        self.lock().asked += 1;
        Asked(Arc::clone(self))
    }

    /// Reports a line that is no message, the first of its kind.
    pub(super) fn noise(&self, kind: Noise, text: &str) {
        let key = discriminant(&kind);
        {
            let mut state = self.lock();
            if state.lost.is_some() || state.noise.contains(&key) {
                return;
            }
            state.noise.push(key);
        }
        let mut sample: String = text.chars().take(200).collect();
        if sample.len() < text.len() {
            sample.push('…');
        }
        self.hooks.warn(&Warning::Noise { kind, sample });
    }

    /// Reports a response that nobody waits for, the first of its kind. One that is merely late is no fault.
    pub(super) fn stray(&self, orphan: Orphan) {
        if orphan == Orphan::Late {
            return;
        }
        {
            let mut state = self.lock();
            if state.lost.is_some() || state.strays.contains(&orphan) {
                return;
            }
            state.strays.push(orphan);
        }
        self.hooks.warn(&Warning::StrayResponse(orphan));
    }
}

/// A question of the server that is being answered.
pub(crate) struct Asked(Arc<Shared>);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.lock().asked -= 1;
    }
}

/// A message as a line. Messages made here are always JSON: maps have text keys and numbers are finite.
pub(super) fn line<T: Serialize>(message: &T) -> Option<String> {
    let mut line = serde_json::to_string(message).ok()?;
    line.push('\n');
    Some(line)
}
