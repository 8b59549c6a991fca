//! From one message to its reply.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::task::Poll;
use std::time::Duration;

use hermes_proto::admit::{Accept, Field, Gone, session_expired};
use hermes_proto::channel::{Call, Channel, Notified, Posted, Verdict, refusal};
use hermes_proto::exchange::Exchange;
use hermes_proto::framing::{Head, IdScan};
use hermes_proto::opening::RequestMeta;
use hermes_proto::outbox::Lease;
use hermes_telemetry::server::notification;
use hermes_types::{Fault, FaultKind, Method, RawJson, Request, Revision};

use super::SessionEvent;
use super::exchange::{ExchangeLink, Exchanging, Progress};
use super::reader::{EventStream, Text};
use super::session::SessionLink;
use super::shared::{Endpoint, SessionRef};
use crate::ask::AskError;
use crate::dispatch::{Carriage, dispatch, handshake};
use crate::link::Link;
use crate::tool::BoxFuture;

/// What to answer a message with.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reply {
    /// There is nothing to say: it was no request.
    Accepted,
    /// The client has cancelled its request: there is nothing to say.
    Cancelled,
    /// These events.
    Events(EventStream),
    /// This JSON text.
    Json {
        /// The message, or its beginning.
        text: Text,
        /// Its end, where many are sent the same: it follows as it is.
        rest: Option<Arc<[u8]>>,
        /// The fault that it is, if it is one: it chooses the status.
        fault: Option<FaultKind>,
    },
}

impl Reply {
    /// A JSON text of one part.
    pub(super) const fn json(text: Text, fault: Option<FaultKind>) -> Self {
        Self::Json { text, rest: None, fault }
    }
}

impl Endpoint {
    /// Serves one modern request, which was decoded from `text`: who runs its handler keeps the text. `principal` is whom
    /// the client was authenticated as; `field` looks up the headers that have to agree with the arguments.
    ///
    /// # Cancel safety
    /// Dropping the future, or the stream it gives, cancels the request: its handler is dropped.
    pub fn exchange<'h>(
        &self,
        (request, revision, meta): (Request<'_>, Revision, Box<RequestMeta<'_>>),
        text: &'h Arc<String>,
        accept: Accept,
        principal: Option<Arc<str>>,
        field: &'h dyn Fn(&str) -> Field<'h>,
    ) -> impl Future<Output = Reply> + Send + use<> {
        let accept = self.shared.forms(accept);
        let link = Arc::new(ExchangeLink::new(Arc::clone(&self.shared), principal, request.id.clone()));
        self.shared.stats.accepted();
        let is_full = self.shared.is_full();
        self.shared.entered();
        let listens = request.method == Method::SubscriptionsListen.as_str();
        let way: Arc<dyn Link> = Arc::clone(&link) as _;
        if listens {
            self.shared.server.hub.join(&way);
        }
        let call = Call {
            call: Exchange::CALL,
            request_id: request.id,
            revision,
            method: request.method,
            params: request.params,
            meta,
        };
        let handler = if is_full {
            link.refuse(&too_many());
            None
        } else if listens && !accept.events {
            link.refuse(&Fault::invalid_request(
                "what is listened to comes as events, which the client does not accept",
            ));
            None
        } else {
            dispatch(
                &self.shared.server,
                &way,
                call,
                Carriage { head: self.head.clone(), headers: Some(field), text: Some(text) },
            )
        };
        reply(Exchanging::new(link, handler, listens), accept, self.shared.options.json_grace)
    }

    /// Opens a session with the `initialize` request in `body`, and answers it. The id of the session goes
    /// with the reply.
    ///
    /// # Errors
    /// [`AtCapacity`](super::AtCapacity): as many sessions as allowed are in use; try later.
    ///
    /// # Cancel safety
    /// When the future is dropped before it has answered, the session is there although nobody knows its id;
    /// it makes room for others first.
    pub async fn initialize(
        &self,
        body: &str,
        accept: Accept,
        principal: Option<Arc<str>>,
    ) -> Result<(Reply, Option<String>), super::AtCapacity> {
        let settings = &self.shared.server.settings;
        let channel = Channel::new(settings.limits, settings.in_flight);
        if self.shared.options.stateless {
            let link = self.shared.lone_session(principal, channel);
            return Ok((self.deliver(&SessionRef(link), body.into(), accept).await, None));
        }
        let refused = |fault: &Fault| {
            self.shared.stats.refused();
            let id = IdScan::head_of(body.as_bytes()).into_request_id();
            let text = refusal(id.as_ref(), Revision::LATEST_LEGACY, fault);
            Ok((Reply::json(Text::Once(text), Some(FaultKind::Overloaded)), None))
        };
        // Nobody would come for a session that is opened now.
        if self.shared.is_full() {
            return refused(&too_many());
        }
        if self.shared.is_store_failing() {
            return refused(&cannot_keep());
        }
        let session = SessionRef(self.shared.open_session(principal, channel)?);
        let id = session.0.id().map(|id| id.to_string());
        let reply = tokio::select! {
            biased;
            reply = self.deliver(&session, body.into(), accept) => reply,
            // Nobody knows this session yet, so nothing is lost with it.
            () = self.shared.store_failing() => {
                if let Some(id) = session.0.id() {
                    self.shared.end(id, Gone::Terminated);
                }
                return refused(&cannot_keep());
            }
        };
        self.shared.options.on_session.tell(SessionEvent::Opened, || session.0.listing());
        Ok((reply, id))
    }

    /// Serves a legacy message that belongs to no session, under this revision.
    ///
    /// # Cancel safety
    /// Dropping the future does not stop the handler.
    pub fn alone(
        &self,
        body: &str,
        revision: Revision,
        accept: Accept,
        principal: Option<Arc<str>>,
    ) -> impl Future<Output = Reply> + Send + use<> {
        let settings = &self.shared.server.settings;
        let channel = Channel::resumed(settings.limits, settings.in_flight, revision);
        let link = self.shared.lone_session(principal, channel);
        self.deliver(&SessionRef(link), body.into(), accept)
    }

    /// Serves a legacy message in its session: at once, and not only when the future is polled that gives the reply.
    ///
    /// The stream that answers a request is there before its handler runs, in a task of its own. A handler that is
    /// ready when it is polled for the first time, and has said nothing before, is answered with JSON; else the answer
    /// is a stream, if the client reads one.
    ///
    /// # Cancel safety
    /// Dropping the future does not stop the handler: a lost connection is no cancellation
    /// (`basic/transports`, 2025-03-26 to 2025-11-25).
    pub fn deliver(
        &self,
        session: &SessionRef,
        body: Posted<'_>,
        accept: Accept,
    ) -> impl Future<Output = Reply> + Send + use<> {
        // Of the message nothing is kept until there is an answer.
        let mut begun = self.begin(&session.0, body, self.shared.forms(accept));
        async move {
            match &mut begun {
                Begun::Running(running) => running.answer().await,
                Begun::Said(reply) => std::mem::replace(reply, Reply::Accepted),
                Begun::Ready(link) => {
                    link.kept_promises().await;
                    Reply::Accepted
                }
            }
        }
    }

    /// Takes in a legacy message and starts what it asks for.
    fn begin(&self, link: &Arc<SessionLink>, body: Posted<'_>, accept: Accept) -> Begun {
        let source = body.text();
        let too_much = if self.shared.is_full() || link.bytes_held() > self.shared.options.max_session_bytes {
            Some(too_many())
        } else if link.is_kept() && self.shared.is_store_failing() {
            Some(cannot_keep())
        } else {
            None
        };
        if let Some(fault) = too_much
            && let Head::Request(id) = IdScan::head_of(source.as_bytes())
        {
            self.shared.stats.refused();
            let text = refusal(Some(&id), link.revision(), &fault);
            return Begun::Said(Reply::json(Text::Once(text), Some(FaultKind::Overloaded)));
        }
        let Some((verdicts, lease)) = link.receive(body, accept.events) else {
            // The session ended between the look at its id and here.
            let id = IdScan::head_of(source.as_bytes()).into_request_id();
            let fault = session_expired(self.shared.fate(link));
            let text = refusal(id.as_ref(), link.revision(), &fault);
            return Begun::Said(Reply::json(Text::Once(text), Some(fault.kind())));
        };
        let running = lease.map(|lease| {
            let calls = verdicts.iter().filter(|verdict| verdict.call().is_some()).count();
            let first = First { left: AtomicUsize::new(calls), is_late: AtomicBool::new(false) };
            let attached = Attached { link: Arc::clone(link), lease, is_kept: false };
            RunningPost { attached, first: Arc::new(first), accept }
        });
        let mut reply = Reply::Accepted;
        let mut is_ready = false;
        for verdict in verdicts {
            match (verdict, &running) {
                (Verdict::Run(call), Some(post)) => self.start(call, post),
                (Verdict::Handshake { call, request_id, agreed }, Some(post)) => {
                    let way: Arc<dyn Link> = Arc::clone(link) as _;
                    handshake(&self.shared.server, &way, call, request_id, *agreed);
                    post.first.left.fetch_sub(1, Relaxed);
                }
                // Where there are calls, there is the stream that answers them.
                (
                    Verdict::Run(Call { call, request_id, .. }) | Verdict::Handshake { call, request_id, .. },
                    None,
                ) => {
                    let fault = Fault::internal_error("there is no stream for the answer");
                    let text = refusal(Some(&request_id), link.revision(), &fault);
                    link.settle(call, text.clone(), Some(fault.kind()));
                    reply = Reply::json(Text::Once(text), Some(fault.kind()));
                }
                (Verdict::Refuse { kind, response }, _) => {
                    self.shared.stats.refused();
                    reply = Reply::json(Text::Once(response), Some(kind));
                }
                (Verdict::Reply(text), _) => reply = Reply::json(Text::Once(text), None),
                (Verdict::Settle { caller, outcome, .. }, _) => {
                    // Whoever asked may be gone; then nobody wants the answer.
                    let _ = caller.send(outcome.map(RawJson::from).map_err(AskError::Refused));
                }
                (Verdict::Cancel { call, reason, .. }, _) => {
                    notification(Method::Cancelled.as_str());
                    tracing::debug!(?call, reason = reason.as_deref(), "cancelled");
                }
                (Verdict::Notify(notified), _) => {
                    is_ready |= matches!(notified, Notified::Initialized);
                    notification(notified.method().as_str());
                }
                (Verdict::Ignore(why), _) => tracing::debug!(%why, "ignored"),
            }
        }
        match running {
            Some(post) => Begun::Running(post),
            None if is_ready => Begun::Ready(Arc::clone(link)),
            None => Begun::Said(reply),
        }
    }

    /// Runs a call of a POST.
    fn start(&self, call: Call<'_>, post: &RunningPost) {
        let way: Arc<dyn Link> = Arc::clone(&post.attached.link) as _;
        let carriage = Carriage { head: self.head.clone(), ..Carriage::default() };
        match dispatch(&self.shared.server, &way, call, carriage) {
            Some(handler) => self.spawn(handler, post),
            None => drop(post.first.left.fetch_sub(1, Relaxed)),
        }
    }

    /// Runs a handler in a task of its own: one that keeps its thread, waiting for what its client is to answer, must
    /// not be what keeps the question from being written. The last of its POST that was polled for the first time
    /// says so to the reader of the stream.
    fn spawn(&self, mut handler: BoxFuture<()>, post: &RunningPost) {
        let stream = post.attached.lease.stream();
        let (link, first) = (Arc::clone(&post.attached.link), Arc::clone(&post.first));
        self.shared.entered();
        let running = Running(Arc::clone(&self.shared));
        tokio::spawn(async move {
            let _running = running;
            let mut to_tell = Some((link, first));
            poll_fn(|cx| {
                let polled = handler.as_mut().poll(cx);
                if let Some((link, first)) = to_tell.take() {
                    if polled.is_pending() {
                        first.is_late.store(true, Release);
                    }
                    if first.left.fetch_sub(1, AcqRel) == 1 {
                        link.wake(stream);
                    }
                }
                polled
            })
            .await;
        });
    }
}

/// Runs a modern request until it is known in which form it is answered.
async fn reply(mut exchange: Exchanging, accept: Accept, grace: Duration) -> Reply {
    let mut patience = None;
    let is_stream = poll_fn(|cx| {
        let Progress { answered, refused, talking } = exchange.poll_progress(cx);
        match (answered, talking && accept.events) {
            // A fault has a status, so whoever reads the status before the body has to see it.
            (true, false) => Poll::Ready(!accept.json && !refused),
            (_, true) => Poll::Ready(true),
            (false, false) if !accept.json => Poll::Ready(true),
            (false, false) if !accept.events => Poll::Pending,
            (false, false) => {
                let patience = patience.get_or_insert_with(|| Box::pin(tokio::time::sleep(grace)));
                patience.as_mut().poll(cx).map(|()| true)
            }
        }
    });
    if is_stream.await {
        return Reply::Events(EventStream::of_exchange(exchange));
    }
    exchange.take_response()
}

fn too_many() -> Fault {
    Fault::new(FaultKind::Overloaded, "as many requests run as may; try again later")
}

fn cannot_keep() -> Fault {
    Fault::new(FaultKind::Overloaded, "the store of sessions cannot be written; try again later")
}

/// The first polls of the handlers of one POST.
struct First {
    /// So many are still to come.
    left: AtomicUsize,
    /// Whether a handler was not ready then: its client can come back for what it says.
    is_late: AtomicBool,
}

/// A call that runs in a task of its own; shutting down waits for it.
struct Running(Arc<super::Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.left();
    }
}

/// What became of a legacy message at once.
enum Begun {
    /// Its calls run.
    Running(RunningPost),
    /// This is its answer.
    Said(Reply),
    /// The handshake is complete, as soon as that is kept.
    Ready(Arc<SessionLink>),
}

/// A POST whose calls run.
struct RunningPost {
    attached: Attached,
    first: Arc<First>,
    accept: Accept,
}

impl RunningPost {
    /// Waits until it is known in which form it is answered.
    async fn answer(&mut self) -> Reply {
        let Self { attached, first, accept } = self;
        let (link, lease) = (&attached.link, &attached.lease);
        poll_fn(|cx| {
            // Looked at again once the reader is noted: the last handler may not have found it.
            let is_polled = || first.left.load(Acquire) == 0;
            if is_polled() || link.poll_said(lease, cx).is_ready() || is_polled() {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await;
        if accept.json
            && !(accept.events && first.is_late.load(Acquire))
            && let Some(text) = link.take_only_response(lease)
        {
            link.kept_promises().await;
            return Reply::json(Text::Kept(text), None);
        }
        if accept.events {
            let priming = link.revision() == Revision::V2025_11_25 && link.id().is_some();
            attached.is_kept = true;
            return Reply::Events(EventStream::of_log(Arc::clone(link), lease.clone(), priming));
        }
        let answered = poll_fn(|cx| link.poll_answered(lease, cx)).await;
        link.kept_promises().await;
        match answered {
            Some(text) => Reply::json(Text::Kept(text), None),
            None => Reply::Cancelled,
        }
    }
}

/// A lease that ends when nobody takes it over.
struct Attached {
    link: Arc<SessionLink>,
    lease: Lease,
    is_kept: bool,
}

impl Drop for Attached {
    fn drop(&mut self) {
        if !self.is_kept {
            self.link.detach(&self.lease);
        }
    }
}
