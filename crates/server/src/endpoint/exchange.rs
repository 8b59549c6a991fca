//! One modern request over HTTP: its handler, its messages and its response live and end together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use hermes_proto::channel::{CallId, Change, Filter};
use hermes_proto::exchange::{Due, Exchange};
use hermes_types::{
    Fault, FaultKind, Method, RawJson, RequestId, Revision, SubscriptionsAcknowledgedNotificationParams,
};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::Shared;
use super::post::Reply;
use super::reader::Text;
use crate::ask::AskError;
use crate::link::{Answer, Link};
use crate::news::{end_of_listen, news, notification};
use crate::session::{Session, Stop};
use crate::settings::Settings;
use crate::tool::BoxFuture;

/// The way to the client of one modern request.
pub(crate) struct ExchangeLink {
    shared: Arc<Shared>,
    principal: Option<Arc<str>>,
    request_id: RequestId,
    stop: Arc<Stop>,
    state: Mutex<State>,
}

struct State {
    exchange: Exchange,
    /// The fault that the response is, if it is one: over HTTP it chooses the status.
    fault: Option<FaultKind>,
    /// What the response ends in, if many are sent the same.
    shared: Option<Arc<[u8]>>,
    /// Whoever reads.
    reader: Option<Waker>,
}

impl ExchangeLink {
    pub(super) fn new(shared: Arc<Shared>, principal: Option<Arc<str>>, request_id: RequestId) -> Self {
        let exchange = Exchange::new(shared.server.settings.notes);
        Self {
            shared,
            principal,
            request_id,
            stop: Arc::default(),
            state: Mutex::new(State { exchange, fault: None, shared: None, reader: None }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock runs foreign code, so a poisoned state is still in order.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the exchange, and wakes whoever reads it if that changed anything.
    fn change(&self, change: impl FnOnce(&mut Exchange) -> bool) {
        let reader = {
            let mut state = self.state();
            if change(&mut state.exchange) { state.reader.take() } else { None }
        };
        reader.into_iter().for_each(Waker::wake);
    }

    /// The request has its outcome.
    fn conclude(&self, response: Vec<u8>, shared: Option<Arc<[u8]>>, fault: Option<FaultKind>) {
        let reader = {
            let mut state = self.state();
            if !state.exchange.settle(response) {
                return;
            }
            (state.fault, state.shared) = (fault, shared);
            state.reader.take()
        };
        self.shared.stats.finished();
        self.stop.stop();
        reader.into_iter().for_each(Waker::wake);
    }

    /// Ends the request in good order, before its handler does.
    pub(super) fn refuse(&self, fault: &Fault) {
        let text = hermes_proto::channel::refusal(Some(&self.request_id), Revision::LATEST, fault);
        self.settle(Exchange::CALL, text, Some(fault.kind()));
    }
}

impl Link for ExchangeLink {
    fn settings(&self) -> &Settings {
        &self.shared.server.settings
    }

    fn session(&self) -> Option<&Session> {
        None
    }

    fn open_session(&self, _: Session) {}

    fn is_open(&self) -> bool {
        self.state().exchange.is_running()
    }

    fn principal(&self) -> Option<&str> {
        self.principal.as_deref()
    }

    fn begin(&self, _: CallId, _: Revision) -> Arc<Stop> {
        Arc::clone(&self.stop)
    }

    fn settle(&self, _: CallId, response: Vec<u8>, fault: Option<FaultKind>) {
        self.conclude(response, None, fault);
    }

    fn settle_shared(&self, _: CallId, response: Vec<u8>, shared: Arc<[u8]>) {
        self.conclude(response, Some(shared), None);
    }

    fn note(&self, _: CallId, text: Vec<u8>) {
        self.change(|exchange| exchange.note(text));
    }

    fn ask(
        &self,
        _: CallId,
        _: Method,
        _: Option<&RawJson>,
        _: oneshot::Sender<Answer>,
    ) -> Result<RequestId, AskError> {
        // A server of the modern era sends no requests; questions end the round instead.
        Err(AskError::Closed)
    }

    fn give_up(&self, _: CallId, _: &RequestId) {}

    fn subscribe(&self, _: String) -> Result<(), Fault> {
        Err(Fault::method_not_found(Method::ResourcesSubscribe.as_str()))
    }

    fn unsubscribe(&self, _: &str) {}

    fn listen(
        &self,
        _: CallId,
        filter: Filter,
        acknowledgment: &SubscriptionsAcknowledgedNotificationParams,
    ) -> Result<(), Fault> {
        let text = notification(Revision::LATEST, Method::SubscriptionsAcknowledged, acknowledgment);
        self.change(|exchange| exchange.listen(filter, text.unwrap_or_default()));
        Ok(())
    }

    fn end_listen(&self, call: CallId, id: &RequestId) {
        self.settle(call, end_of_listen(self.settings(), id), None);
    }

    fn tell_session(&self, _: &Change) {}

    fn tell_listeners(&self, change: &Change) {
        self.change(|exchange| {
            exchange.wants(change)
                && news(Revision::LATEST, change, Some(self.request_id.clone()))
                    .is_some_and(|text| exchange.tell(text))
        });
    }

    fn note_session(&self, _: Vec<u8>) {}

    fn closing(&self) -> watch::Receiver<Option<Instant>> {
        self.shared.closing.subscribe()
    }
}

/// A modern request under way. Whoever holds it runs the handler by polling; dropping it cancels the request.
pub(super) struct Exchanging {
    link: Arc<ExchangeLink>,
    handler: Option<BoxFuture<()>>,
    /// Resolves when the server has waited long enough for its handlers.
    closing: Option<BoxFuture<()>>,
    is_listening: bool,
}

/// What a request under way has come to.
#[derive(Clone, Copy)]
pub(super) struct Progress {
    /// It has its response.
    pub(super) answered: bool,
    /// The response is a fault, which has an HTTP status of its own.
    pub(super) refused: bool,
    /// Something waits to be sent before the response.
    pub(super) talking: bool,
}

impl Exchanging {
    pub(super) fn new(link: Arc<ExchangeLink>, handler: Option<BoxFuture<()>>, is_listening: bool) -> Self {
        Self { link, handler, closing: None, is_listening }
    }

    /// Runs the handler as far as it goes now.
    fn run(&mut self, cx: &mut Context<'_>) {
        // First the waker: what the handler says from another thread must not be missed.
        let mut state = self.link.state();
        if !state.reader.as_ref().is_some_and(|reader| reader.will_wake(cx.waker())) {
            state.reader = Some(cx.waker().clone());
        }
        drop(state);
        if let Some(handler) = &mut self.handler
            && handler.as_mut().poll(cx).is_ready()
        {
            self.handler = None;
        }
        if !self.link.state().exchange.is_running() {
            // Answered from elsewhere: whatever the handler still does is not wanted.
            self.handler = None;
            return;
        }
        let (link, listens) = (&self.link, self.is_listening);
        let closing = self.closing.get_or_insert_with(|| Box::pin(patience(Arc::clone(link), listens)));
        if closing.as_mut().poll(cx).is_ready() {
            if self.is_listening {
                self.link.end_listen(Exchange::CALL, &self.link.request_id);
            } else {
                self.link.refuse(&Fault::new(FaultKind::ServerError, "the server is shutting down"));
            }
            self.handler = None;
        }
    }

    /// Runs the handler, and says how it stands.
    pub(super) fn poll_progress(&mut self, cx: &mut Context<'_>) -> Progress {
        self.run(cx);
        let state = self.link.state();
        Progress {
            answered: !state.exchange.is_running(),
            refused: state.fault.is_some_and(|fault| fault.http_status(Revision::LATEST) != 200),
            talking: state.exchange.has_messages(),
        }
    }

    /// Runs the handler, and gives what is to be sent next: a message, or the response, which is the last.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        self.run(cx);
        let mut state = self.link.state();
        let dropped = state.exchange.take_dropped();
        self.link.shared.stats.notes_dropped(dropped);
        match state.exchange.take_due() {
            Due::Message(text) => Poll::Ready(Some(text)),
            Due::Response(mut text) => {
                text.extend_from_slice(state.shared.take().as_deref().unwrap_or_default());
                Poll::Ready(Some(text))
            }
            Due::Idle => Poll::Pending,
            Due::Ended => Poll::Ready(None),
        }
    }

    /// Takes the response out, without what was said before it.
    pub(super) fn take_response(&self) -> Reply {
        let mut state = self.link.state();
        loop {
            match state.exchange.take_due() {
                Due::Response(text) => {
                    let rest = state.shared.take();
                    return Reply::Json { text: Text::Once(text), rest, fault: state.fault };
                }
                Due::Message(_) => self.link.shared.stats.notes_dropped(1),
                Due::Idle | Due::Ended => {
                    return Reply::json(Text::Once(Vec::new()), Some(FaultKind::InternalError));
                }
            }
        }
    }
}

impl Drop for Exchanging {
    fn drop(&mut self) {
        let (cancelled, unread) = {
            let mut state = self.link.state();
            let running = state.exchange.is_running();
            (running, state.exchange.cancel())
        };
        if cancelled {
            tracing::debug!(id = %self.link.request_id, "the client closed the stream: cancelled");
            self.link.shared.stats.cancelled();
            self.link.stop.stop();
        } else if unread {
            self.link.shared.stats.undelivered();
        }
        self.link.shared.left();
    }
}

/// Waits until the server shuts down and, unless the request only listens, until its handlers' time is over.
async fn patience(link: Arc<ExchangeLink>, listens: bool) {
    let mut closing = link.shared.closing.subscribe();
    drop(link);
    match closing.wait_for(Option::is_some).await.map(|until| *until) {
        Ok(Some(until)) if !listens => tokio::time::sleep_until(until).await,
        Ok(_) | Err(_) => {}
    }
}
