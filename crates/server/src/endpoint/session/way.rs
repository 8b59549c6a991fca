//! A session as the way to its client.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hermes_proto::channel::{CallId, Change, Filter};
use hermes_proto::outbox::Encoded;
use hermes_types::{
    CancelledNotificationParams, Fault, FaultKind, Method, OutgoingRequest, RawJson, RequestId, Revision,
    SubscriptionsAcknowledgedNotificationParams,
};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::SessionLink;
use crate::ask::AskError;
use crate::endpoint::Stats;
use crate::link::{Answer, Link, too_many};
use crate::news::{news, notification};
use crate::session::{Session, Stop};
use crate::settings::Settings;

impl Link for SessionLink {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn session(&self) -> Option<&Session> {
        self.facts.get()
    }

    fn open_session(&self, session: Session) {
        // The channel accepts one handshake for each session.
        let _ = self.facts.set(session);
        self.promised();
    }

    fn is_open(&self) -> bool {
        self.is_lasting() && !self.state().machine.is_closing()
    }

    fn session_label(&self) -> Option<String> {
        self.id.map(|id| id.to_string().chars().take(8).collect())
    }

    fn principal(&self) -> Option<&str> {
        self.principal.as_deref()
    }

    fn begin(&self, call: CallId, _: Revision) -> Arc<Stop> {
        // It was noted when it came in; if it is not there any more, it was cancelled meanwhile.
        let state = self.state();
        let found = state.calls.binary_search_by_key(&call, |(one, _)| *one);
        match found.ok().and_then(|index| state.calls.get(index)) {
            Some((_, stop)) => Arc::clone(stop),
            None => {
                let stop = Arc::new(Stop::default());
                stop.stop();
                stop
            }
        }
    }

    fn settle(&self, call: CallId, response: Vec<u8>, _: Option<FaultKind>) {
        let stop = self.work(|state, now| {
            let stream = state.machine.settle(call, response, now);
            (state.take_call(call), stream)
        });
        if let Some(stop) = stop {
            self.stats(Stats::finished);
            // Tasks that the handler left behind may wait for it.
            stop.stop();
        }
    }

    fn note(&self, call: CallId, text: Vec<u8>) {
        self.work(|state, now| ((), state.machine.note(call, text.into(), now)));
    }

    fn ask(
        &self,
        call: CallId,
        method: Method,
        params: Option<&RawJson>,
        caller: oneshot::Sender<Answer>,
    ) -> Result<RequestId, AskError> {
        if self.id.is_none() {
            // The answer would come with a POST of its own, which could not find this one.
            return Err(AskError::Unreachable);
        }
        let encode = |id: &RequestId| {
            // Strings and checked JSON always encode.
            serde_json::to_vec(&OutgoingRequest { id, method: method.as_str(), params }).unwrap_or_default()
        };
        self.work(|state, now| match state.machine.ask(call, method, caller, encode, now) {
            Ok(asked) => (Ok(asked.id), asked.wake),
            Err(_) => (Err(AskError::Unreachable), None),
        })
    }

    fn give_up(&self, call: CallId, id: &RequestId) {
        self.work(|state, now| {
            let revision = state.machine.revision();
            let cancelled = || {
                let params =
                    CancelledNotificationParams { request_id: Some(id.clone()), ..Default::default() };
                notification(revision, Method::Cancelled, &params).map(Encoded::from)
            };
            ((), state.machine.give_up(id, call, cancelled, now))
        });
    }

    fn hang_up(&self, call: CallId, retry: Duration) -> bool {
        // Only this revision knows clients that come back for what they did not wait for.
        if self.id.is_none() || self.revision() != Revision::V2025_11_25 {
            return false;
        }
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner) = retry;
        self.work(|state, _| {
            let stream = state.machine.hang_up(call);
            (stream.is_some(), stream)
        })
    }

    fn subscribe(&self, uri: String) -> Result<(), Fault> {
        let mut state = self.state();
        state.machine.subscribe(uri).map_err(too_many)?;
        self.promised();
        Ok(())
    }

    fn unsubscribe(&self, uri: &str) {
        let mut state = self.state();
        state.machine.unsubscribe(uri);
        self.promised();
    }

    fn listen(
        &self,
        _: CallId,
        _: Filter,
        _: &SubscriptionsAcknowledgedNotificationParams,
    ) -> Result<(), Fault> {
        Err(Fault::method_not_found(Method::SubscriptionsListen.as_str()))
    }

    fn end_listen(&self, _: CallId, _: &RequestId) {}

    fn tell_session(&self, change: &Change) {
        if self.id.is_none() || !self.session().is_some_and(|facts| facts.has_declared(change)) {
            return;
        }
        self.work(|state, _| {
            let wanted = state.machine.wants(change);
            let text = if wanted { news(state.machine.revision(), change, None) } else { None };
            ((), text.and_then(|text| state.machine.tell(text.into())))
        });
    }

    fn tell_listeners(&self, _: &Change) {}

    fn note_session(&self, text: Vec<u8>) {
        if self.is_lasting() {
            self.work(|state, _| {
                let ready = state.machine.channel().is_ready();
                ((), if ready { state.machine.remark(text.into()) } else { None })
            });
        }
    }

    fn closing(&self) -> watch::Receiver<Option<Instant>> {
        self.closing.clone()
    }

    fn is_lasting(&self) -> bool {
        self.id.is_some()
    }
}
