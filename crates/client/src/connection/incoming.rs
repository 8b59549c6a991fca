//! What a line of the server leads to.

use std::sync::Arc;

use hermes_proto::correlate::Orphan;
use hermes_proto::framing::{Head, IdScan, Line};
use hermes_telemetry::carried::Carried;
use hermes_telemetry::{Instrument as _, client, transport};
use hermes_types::{
    CancelledNotificationParams, Fault, Malformed, MalformedReason, Message, Method, Notification,
    ProgressToken, RawJson, Request, RequestId, Response, Revision, split_batch,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;

use super::shared::Shared;
use super::slot::Answer;
use crate::cache::Change;
use crate::error::Violation;
use crate::hooks::Direction;
use crate::notice::{Notice, Progress};
use crate::{Noise, Warning};

impl Shared {
    /// Takes in one line. Never waits, whatever is in it.
    pub(super) fn receive(self: &Arc<Self>, line: Line<'_>) {
        match line {
            Line::Text(text) => {
                self.wire(Direction::Received, text);
                match self.limits.too_deep(text) {
                    Some(head) => self.unreadable(&head, Noise::TooDeep),
                    None => self.message(text, None),
                }
            }
            Line::NotUtf8 { head } => self.unreadable(&head, Noise::NotUtf8),
            Line::TooLong { head, bytes } => self.unreadable(&head, Noise::TooLong { bytes }),
        }
    }

    /// A message that will not be decoded. If it answers a request, its caller should not wait for another.
    pub(crate) fn unreadable(&self, head: &Head, noise: Noise) {
        if let Head::Response(Some(id)) = head
            && self.broken(id, &noise)
        {
            return;
        }
        self.noise(noise, "");
    }

    /// Settles a request whose answer cannot be read; `false` when none waits for it.
    fn broken(&self, id: &RequestId, noise: &Noise) -> bool {
        let waits = self.lock().pending.contains(id);
        if waits {
            self.settle(id, Answer::Broken(Violation::Malformed(noise.clone())));
        }
        waits
    }

    /// `exchange` is the request that an answer without an id is for.
    pub(super) fn message(self: &Arc<Self>, text: &str, exchange: Option<&RequestId>) {
        match Message::decode(text) {
            Ok(Message::Response(response)) => self.response(response, exchange),
            Ok(Message::Notification(notification)) => self.notification(&notification),
            Ok(Message::Request(request)) => self.request(&request),
            Err(Malformed { reason: MalformedReason::Batch, .. }) if self.takes_batches() => {
                // It is an array, so it splits, unless it is empty: then there is nothing in it.
                for member in split_batch(text).unwrap_or_default() {
                    self.message(member.get(), exchange);
                }
            }
            Err(Malformed { id, reason }) => {
                let id = match IdScan::head_of(text.as_bytes()) {
                    Head::Response(id) => id,
                    // Nothing but an id: what else should it be than an answer.
                    _ if reason == MalformedReason::NoMessage => id,
                    _ => None,
                };
                let noise = Noise::of(reason);
                if !id.is_some_and(|id| self.broken(&id, &noise)) {
                    self.noise(noise, text);
                }
            }
        }
    }

    /// Only 2025-03-26 has batches.
    fn takes_batches(&self) -> bool {
        self.lock().revision == Some(Revision::V2025_03_26)
    }

    fn response(&self, response: Response<'_>, exchange: Option<&RequestId>) {
        transport::decoded("response", None);
        let answer = match response.outcome {
            Ok(result) => Answer::Result(result.into()),
            Err(error) => Answer::Error(error),
        };
        // Legacy servers answer what they do not understand without an id. While an unknown server is probed,
        // only the probe can be meant.
        match response.id.or_else(|| exchange.cloned()).or_else(|| self.lock().probe.take()) {
            Some(id) => self.settle(&id, answer),
            None => self.stray(Orphan::Unknown),
        }
    }

    fn notification(self: &Arc<Self>, notification: &Notification<'_>) {
        let notice = Notice {
            method: notification.method.as_ref().to_owned(),
            params: notification.params.map(RawJson::from),
        };
        transport::decoded("notification", Some(&notice.method));
        client::notification(&notice.method);
        match Method::parse(&notice.method) {
            Some(Method::Cancelled) => return self.cancelled(&notice),
            Some(Method::Progress) if self.progress(&notice) => return,
            Some(Method::ToolsListChanged) => {
                self.schemas.forget();
                self.repeatable.forget();
            }
            _ => {}
        }
        if let Some(change) = Change::told_by(&notice) {
            self.lasting.cache.forget(&change);
        }
        match subscription(&notice) {
            Some(id) => self.published(&id, notice),
            None => self.lasting.spread(&notice),
        }
    }

    /// Leaves progress with the request that it is about; `false` when there is none.
    fn progress(&self, notice: &Notice) -> bool {
        #[derive(Deserialize)]
        struct Params {
            #[serde(rename = "progressToken")]
            token: ProgressToken,
        }
        let Some(Params { token }) = decode(notice) else { return false };
        let Some(progress) = decode::<Progress>(notice) else { return false };
        let slot = self.lock().pending.progressing(&token).map(|slot| Arc::clone(slot));
        match slot {
            Some(slot) => {
                slot.progress(progress);
                true
            }
            None => false,
        }
    }

    /// Leaves a notification with the listen stream that it belongs to. One that has ended has no reader.
    fn published(&self, id: &RequestId, notice: Notice) {
        let slot = self.lock().pending.progressing(id).map(|slot| Arc::clone(slot));
        if let Some(inbox) = slot.as_ref().and_then(|slot| slot.inbox.as_ref()) {
            inbox.push(notice);
        }
    }

    /// The server takes back a request of its own, or ends a listen stream of ours. Anything else is ignored.
    fn cancelled(&self, notice: &Notice) {
        let Some(params) = decode::<CancelledNotificationParams>(notice) else { return };
        let Some(id) = params.request_id else { return };
        tracing::debug!(%id, reason = params.reason.as_deref().unwrap_or("none"), "cancelled by the server");
        let (served, listens) = {
            let mut state = self.lock();
            let served = state.served.remove(&id);
            (served, state.pending.progressing(&id).is_some_and(|slot| slot.inbox.is_some()))
        };
        if let Some(task) = served {
            task.abort();
        } else if listens {
            // On a byte stream this may stand for the closing result, or follow it.
            self.settle(&id, Answer::Result(RawJson::empty_object()));
        }
    }

    fn request(self: &Arc<Self>, request: &Request<'_>) {
        transport::decoded("request", Some(&request.method));
        let revision = self.lock().revision;
        if revision.is_some_and(Revision::is_modern) {
            let method = request.method.as_ref().to_owned();
            return self.hooks.warn(&Warning::ServerRequest { method });
        }
        let revision = revision.unwrap_or(Revision::LATEST_LEGACY);
        // When there is no room, the answer is given all the same, and reading stops until it is written.
        let room = Arc::clone(&self.room).try_acquire_owned().ok();
        match Method::parse(&request.method) {
            Some(Method::Ping) => self.respond(&request.id, &Ok(RawJson::empty_object()), room),
            Some(
                method @ (Method::RootsList | Method::SamplingCreateMessage | Method::ElicitationCreate),
            ) if method.is_defined(revision) => {
                self.serve(request.id.clone(), method, request.params.map(RawJson::from), revision, room);
            }
            _ => {
                let fault = Fault::method_not_found(&request.method);
                self.respond(&request.id, &Err(fault.to_error(revision)), room);
            }
        }
    }

    /// Has a handler work on a request of the server, on a task of its own.
    fn serve(
        self: &Arc<Self>,
        id: RequestId,
        method: Method,
        params: Option<RawJson>,
        revision: Revision,
        room: Option<OwnedSemaphorePermit>,
    ) {
        let shared = Arc::clone(self);
        let asked = self.asked();
        let mut state = self.lock();
        if state.lost.is_some() {
            return;
        }
        if state.served.contains_key(&id) {
            drop(state);
            let fault = Fault::invalid_request("a request with this id is being worked on");
            return self.respond(&id, &Err(fault.to_error(revision)), room);
        }
        let served = id.clone();
        let carried = || Carried::in_params(params.as_ref().map(RawJson::get));
        let span = client::answer(method.as_str(), Some(&id), revision, carried);
        let work = async move {
            let outcome = shared.handlers.answer(method.as_str(), params, revision).await;
            drop(asked);
            let outcome = outcome.map_err(|refusal| refusal.to_error(method, revision));
            // A request that was cancelled is not answered any more.
            let due = shared.lock().served.remove(&served).is_some();
            if due {
                shared.respond(&served, &outcome, room);
            }
        };
        let task = tokio::spawn(work.instrument(span));
        // The lock is held: the task cannot have ended, and looked for itself, before this.
        state.served.insert(id, task.abort_handle());
    }
}

/// The listen stream that a notification belongs to.
fn subscription(notice: &Notice) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Tagged {
        #[serde(rename = "_meta")]
        meta: Tag,
    }
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        subscription: RequestId,
    }
    decode::<Tagged>(notice).map(|tagged| tagged.meta.subscription)
}

fn decode<T: DeserializeOwned>(notice: &Notice) -> Option<T> {
    notice.params.as_ref()?.decode().ok()
}
