//! The ways to a client, as a call sees them.

use std::sync::Arc;
use std::time::Duration;

use hermes_proto::channel::{CallId, Change, Filter};
use hermes_telemetry::Instrument as _;
use hermes_telemetry::export::carried_now;
use hermes_telemetry::server::{question, question_failed};
use hermes_types::{
    Fault, FaultKind, Method, RawJson, RequestId, Revision, SubscriptionsAcknowledgedNotificationParams,
};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::carrying;
use crate::ask::AskError;
use crate::facts::Facts;
use crate::session::{Session, Stop};
use crate::settings::Settings;

/// What a client answered to a request of ours, or why it did not.
pub(crate) type Answer = Result<RawJson, AskError>;

/// A way to one client: a byte stream, a session over HTTP, or one modern request over HTTP.
///
/// They differ in where a message goes and in what outlives a connection. All of them keep one rule: nothing
/// of a call is sent after its response or its cancellation.
pub(crate) trait Link: Send + Sync {
    /// How the server behaves.
    fn settings(&self) -> &Settings;

    /// The legacy session, once its handshake was accepted.
    fn session(&self) -> Option<&Session>;

    /// The handshake was accepted.
    fn open_session(&self, session: Session);

    /// Whether the client can still be told something outside of its requests.
    fn is_open(&self) -> bool;

    /// What traces and logs call the session: the beginning of its id, which is a secret of its client.
    fn session_label(&self) -> Option<String> {
        None
    }

    /// Whom the client was authenticated as, where something does that.
    fn principal(&self) -> Option<&str> {
        None
    }

    /// What is known of the whole connection, where a connection carries many calls.
    fn facts(&self) -> Option<&Facts> {
        None
    }

    /// A call begins: gives the signal that ends it.
    fn begin(&self, call: CallId, revision: Revision) -> Arc<Stop>;

    /// A call has its outcome: this response, and the fault if it is one. Nothing happens if the call is over
    /// already.
    fn settle(&self, call: CallId, response: Vec<u8>, fault: Option<FaultKind>);

    /// The same with a response that ends in what many are sent. It is put together here unless the way can carry both
    /// parts.
    fn settle_shared(&self, call: CallId, mut response: Vec<u8>, shared: Arc<[u8]>) {
        response.reserve_exact(shared.len());
        response.extend_from_slice(&shared);
        self.settle(call, response, None);
    }

    /// Progress or a log message of a call. Nothing happens if the call is over.
    fn note(&self, call: CallId, text: Vec<u8>);

    /// Asks the client something on behalf of a call (legacy era only); the answer goes to `caller`. Gives the
    /// id of the request.
    fn ask(
        &self,
        call: CallId,
        method: Method,
        params: Option<&RawJson>,
        caller: oneshot::Sender<Answer>,
    ) -> Result<RequestId, AskError>;

    /// Nobody waits for that answer any more.
    fn give_up(&self, call: CallId, id: &RequestId);

    /// Closes the connection that a call's events go to; its client comes back for the rest after so long.
    /// Whether there was one that could be closed.
    fn hang_up(&self, _: CallId, _: Duration) -> bool {
        false
    }

    /// The legacy session wants to hear of a resource.
    fn subscribe(&self, uri: String) -> Result<(), Fault>;

    /// The legacy session no longer wants to hear of a resource.
    fn unsubscribe(&self, uri: &str);

    /// A call becomes a listen stream. Its acknowledgment comes first, before any change can.
    fn listen(
        &self,
        call: CallId,
        filter: Filter,
        acknowledgment: &SubscriptionsAcknowledgedNotificationParams,
    ) -> Result<(), Fault>;

    /// Ends a listen stream in good order.
    fn end_listen(&self, call: CallId, id: &RequestId);

    /// Tells the legacy session of a change, if it wants to hear of such changes.
    fn tell_session(&self, change: &Change);

    /// Tells the listen streams that asked for it of a change.
    fn tell_listeners(&self, change: &Change);

    /// Says something that belongs to no call to the legacy session, once its handshake is complete.
    fn note_session(&self, text: Vec<u8>);

    /// Whether something can be remembered for the client, and told to it outside of its requests.
    fn is_lasting(&self) -> bool {
        true
    }

    /// When the way closes, once that is known.
    fn closing(&self) -> watch::Receiver<Option<Instant>>;
}

/// Asks the client something and waits for its answer.
///
/// When the future is dropped first, or patience ends, the client is told that the answer is not wanted any
/// more.
pub(crate) async fn request(
    link: &dyn Link,
    call: CallId,
    method: Method,
    params: Option<&RawJson>,
    patience: Option<Duration>,
) -> Answer {
    let revision = link.session().map_or(Revision::LATEST_LEGACY, |session| session.handle.revision());
    let asking = async {
        // What is asked belongs to the trace of the call that asks.
        let traced = carried_now().and_then(|carried| carrying(params, &carried));
        let answer = ask(link, call, method, traced.as_ref().or(params), patience).await;
        if let Err(error) = &answer {
            question_failed(error.word());
        }
        answer
    };
    asking.instrument(question(method, revision)).await
}

async fn ask(
    link: &dyn Link,
    call: CallId,
    method: Method,
    params: Option<&RawJson>,
    patience: Option<Duration>,
) -> Answer {
    struct Asked<'a> {
        link: &'a dyn Link,
        call: CallId,
        id: RequestId,
    }
    impl Drop for Asked<'_> {
        fn drop(&mut self) {
            self.link.give_up(self.call, &self.id);
        }
    }
    let (caller, answer) = oneshot::channel();
    let id = link.ask(call, method, params, caller)?;
    let _asked = Asked { link, call, id };
    let answer = match patience {
        Some(patience) => tokio::time::timeout(patience, answer).await.map_err(|_| AskError::Timeout)?,
        None => answer.await,
    };
    // Without an answer the connection closed, and took the sender with it.
    answer.unwrap_or(Err(AskError::Closed))
}
