//! The channel itself.

use std::borrow::Cow;

use hermes_types::{
    EmptyResult, ErrorObject, Fault, FaultKind, Malformed, MalformedReason, Message, Method, Notification,
    OutgoingResponse, Request, RequestId, Response, Revision, Wire, split_batch,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::batch::{BatchId, Batches};
use super::posted::Posted;
use super::running::{CallId, InFlight, NotAccepted, Running};
use super::subscription::{Change, Filter, Subscriptions, TooManySubscriptions};
use super::verdict::{Call, Ignored, Notified, Verdict, Verdicts};
use crate::correlate::Pending;
use crate::framing::{Head, IdScan, Line};
use crate::limits::Limits;
use crate::opening::{Members, Opening, Refusal};

mod kept;

pub use kept::KeptChannel;
pub(super) use kept::{KeptBatch, KeptCall};

/// The server's side of one two-way byte stream, in both eras at once.
///
/// A request that is accepted becomes a call with exactly one outcome:
///
/// ```text
///                  +--> Refuse, at once
///                  |
///  request --------+--> running --- settle -----> Send (or Held, for a batch)
///                          |
///                          +------- cancelled --> nothing is sent; a later settle is Late
/// ```
///
/// | call | input | output | next |
/// |---|---|---|---|
/// | running | `settle` | `Settled::Send`, or `Held` until its batch is complete | ended |
/// | running | `notifications/cancelled` | `Verdict::Cancel` | ended |
/// | running | a request with the same id | `Verdict::Refuse` with `invalid_request` | running |
/// | ended | `settle` | `Settled::Late` | ended |
/// | ended | `notifications/cancelled` | `Verdict::Ignore` | ended |
///
/// And the legacy session of the stream:
///
/// | session | input | output | next |
/// |---|---|---|---|
/// | none | `initialize` | `Verdict::Handshake` | open |
/// | open | `notifications/initialized` | `Verdict::Notify` | ready |
/// | open or ready | `initialize` | `Verdict::Refuse` with `invalid_request` | unchanged |
///
/// Modern requests are served in every state and change none. Notifications are never answered.
///
/// Sources: `basic/index`, `basic/lifecycle`, `basic/transports` (up to 2025-11-25), `basic/versioning`,
/// `basic/transports/stdio`, `basic/patterns/cancellation` (2026-07-28).
///
/// `C` is whatever a caller leaves with a request to the client, and is told by; see [`Channel::ask`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel<C> {
    limits: Limits,
    session: Option<Session>,
    running: Running,
    batches: Batches,
    subscriptions: Subscriptions,
    asked: Pending<C>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Session {
    revision: Revision,
    ready: bool,
}

/// What became of a call's response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Settled {
    /// It waits for the rest of its batch.
    Held,
    /// The call has ended before, or was cancelled: nothing is sent.
    Late,
    /// Send this.
    Send(Vec<u8>),
}

/// Who is to be told of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The legacy session, and what it speaks.
    pub session: Option<Revision>,
    /// The listen streams, by the id of their request, which goes into the notification.
    pub listeners: Vec<RequestId>,
}

/// A response that refuses a request, as text. Without an id where that was unreadable.
#[must_use]
pub fn refusal(id: Option<&RequestId>, revision: Revision, fault: &Fault) -> Vec<u8> {
    let error = fault.to_error(revision);
    // Strings, numbers and checked JSON always encode.
    serde_json::to_vec(&OutgoingResponse::<()> { id, outcome: Err(&error) }).unwrap_or_default()
}

/// The verdict that refuses a request.
fn refuse<'a, C>(id: Option<&RequestId>, revision: Revision, fault: &Fault) -> Verdict<'a, C> {
    Verdict::Refuse { kind: fault.kind(), response: refusal(id, revision, fault) }
}

fn is_ping(request: &Request<'_>, revision: Revision) -> bool {
    Method::parse(&request.method) == Some(Method::Ping) && Method::Ping.is_defined(revision)
}

/// The response to a ping, as text.
fn sign_of_life(id: &RequestId) -> Vec<u8> {
    let result = EmptyResult::new();
    let response = OutgoingResponse { id: Some(id), outcome: Ok(Wire(&result, Revision::LATEST_LEGACY)) };
    serde_json::to_vec(&response).unwrap_or_default()
}

impl<C> Channel<C> {
    /// A channel with no session, and room for `in_flight` requests.
    #[must_use]
    pub const fn new(limits: Limits, in_flight: usize) -> Self {
        Self {
            limits,
            session: None,
            running: Running::new(in_flight),
            batches: Batches::new(),
            subscriptions: Subscriptions::new(),
            asked: Pending::new(),
        }
    }

    /// A channel whose handshake was done elsewhere: requests are served under this revision at once, and
    /// `initialize` is refused.
    #[must_use]
    pub fn resumed(limits: Limits, in_flight: usize, revision: Revision) -> Self {
        Self { session: Some(Session { revision, ready: true }), ..Self::new(limits, in_flight) }
    }

    /// Says what to do about a line.
    ///
    /// ```
    /// use hermes_proto::channel::{Channel, Verdict};
    /// use hermes_proto::framing::Line;
    /// use hermes_proto::limits::Limits;
    ///
    /// let mut channel = Channel::<()>::new(Limits::SERVER, 16);
    /// let line = Line::Text(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    /// let verdict = channel.handle(line).next();
    /// assert!(matches!(verdict, Some(Verdict::Run(call)) if call.method == "ping"));
    /// ```
    pub fn handle<'a>(&mut self, line: Line<'a>) -> Verdicts<'a, C> {
        let text = match line {
            Line::Text(text) => text,
            Line::NotUtf8 { head } => {
                return self.unreadable(head, &Fault::parse_error("the line is not UTF-8"));
            }
            Line::TooLong { head, bytes } => {
                let limit = self.limits.line_bytes;
                let message = format!("the line has {bytes} bytes, and {limit} are allowed");
                return self.unreadable(head, &Fault::invalid_request(message));
            }
        };
        if let Some(head) = self.limits.too_deep(text) {
            let message = format!("the message is nested deeper than {} levels", self.limits.depth);
            return self.unreadable(head, &Fault::invalid_request(message));
        }
        if text.trim_start().starts_with('[') && self.has_batches() {
            return self.batch(text);
        }
        self.message(text, None)
    }

    /// Says what to do about a message of which more may be known than its text. Its nesting was looked at then.
    pub fn handle_posted<'a>(&mut self, posted: Posted<'a>) -> Verdicts<'a, C> {
        match posted.request {
            Some(decoded) => {
                let (request, members) = *decoded;
                self.request(request, Ok(members), None).into()
            }
            None => self.handle(Line::Text(posted.text())),
        }
    }

    /// A call has its outcome: `response` is the whole message.
    pub fn settle(&mut self, call: CallId, response: Vec<u8>) -> Settled {
        match self.end(call) {
            None => Settled::Late,
            Some(InFlight { batch: None, .. }) => Settled::Send(response),
            Some(InFlight { batch: Some(batch), .. }) => {
                self.batches.settle(batch, &response).map_or(Settled::Held, Settled::Send)
            }
        }
    }

    /// The calls in flight. Only those may send anything.
    #[must_use]
    pub const fn running(&self) -> &Running {
        &self.running
    }

    /// The revision of the legacy session, if one is open.
    #[must_use]
    pub fn session(&self) -> Option<Revision> {
        self.session.as_ref().map(|session| session.revision)
    }

    /// Whether the session's handshake is complete. Until then a server sends responses and what belongs to
    /// running calls, and holds everything else back.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.ready)
    }

    /// Mints the id of a request to the client; its response comes back with `caller`, once.
    pub fn ask(&mut self, method: Method, caller: C) -> RequestId {
        self.asked.open(method.as_str(), caller)
    }

    /// Nobody waits for the answer any more. Gives the caller back, if there was no answer yet: then the
    /// client is to be told.
    pub fn give_up(&mut self, id: &RequestId) -> Option<C> {
        self.asked.give_up(id).map(|given_up| given_up.request.caller)
    }

    /// No answer will ever come: takes out all callers.
    pub fn give_up_all(&mut self) -> Vec<C> {
        self.asked.drain().into_iter().map(|(_, request)| request.caller).collect()
    }

    /// The legacy session wants to hear of this resource.
    ///
    /// # Errors
    /// [`TooManySubscriptions`]; nothing changes.
    pub fn subscribe(&mut self, uri: String) -> Result<(), TooManySubscriptions> {
        self.subscriptions.subscribe(uri)
    }

    /// The legacy session no longer wants to hear of this resource. Unknown ones do no harm.
    pub fn unsubscribe(&mut self, uri: &str) {
        self.subscriptions.unsubscribe(uri);
    }

    /// A running call becomes a listen stream, until it ends. A call that is over becomes nothing.
    ///
    /// # Errors
    /// [`TooManySubscriptions`]; nothing changes.
    pub fn listen(&mut self, call: CallId, filter: Filter) -> Result<(), TooManySubscriptions> {
        match self.running.id_of(call) {
            Some(id) => self.subscriptions.listen(call, id.clone(), filter),
            None => Ok(()),
        }
    }

    /// The listen streams that are open, with the ids of their requests.
    pub fn listens(&self) -> impl Iterator<Item = (CallId, &RequestId)> {
        self.subscriptions.listens()
    }

    /// Who on this channel is to be told of a change.
    #[must_use]
    pub fn tell(&self, change: &Change) -> Told {
        Told {
            session: self.session().filter(|_| self.subscriptions.session_wants(change)),
            listeners: self.subscriptions.listeners(change).cloned().collect(),
        }
    }

    fn has_batches(&self) -> bool {
        self.session() == Some(Revision::V2025_03_26)
    }

    /// The revision that speaks where a message names none.
    fn in_force(&self) -> Revision {
        self.session().unwrap_or(Revision::LATEST_LEGACY)
    }

    fn end(&mut self, call: CallId) -> Option<InFlight> {
        self.subscriptions.end(call);
        self.running.end(call)
    }

    /// A message that cannot be decoded; `head` is what can be known of it.
    fn unreadable<'a>(&mut self, head: Head, fault: &Fault) -> Verdicts<'a, C> {
        let revision = self.in_force();
        if let Head::Response(Some(id)) = head {
            // Whoever waits learns that the answer was lost.
            return self.response(&id, Err(fault.to_error(revision))).into();
        }
        if !head.wants_answer() {
            return Verdict::Ignore(Ignored::Malformed).into();
        }
        refuse(head.into_request_id().as_ref(), revision, fault).into()
    }

    /// A text that is JSON or was meant to be, but no message.
    fn malformed<'a>(&mut self, text: &str, malformed: &Malformed) -> Verdict<'a, C> {
        let fault = Fault::from(&malformed.reason);
        let revision = self.in_force();
        // What is no JSON is nothing, however it begins.
        let is_json = !matches!(malformed.reason, MalformedReason::Syntax(_));
        let head = IdScan::head_of(text.as_bytes());
        match &head {
            // Its id is one of ours: no answer may carry it, and whoever waits learns that theirs was lost.
            Head::Response(Some(id)) if is_json => return self.response(id, Err(fault.to_error(revision))),
            Head::Response(None) | Head::Notification if is_json => {
                return Verdict::Ignore(Ignored::Malformed);
            }
            Head::Response(_) | Head::Notification | Head::Request(_) | Head::Unknown => {}
        }
        if let (MalformedReason::NoMessage, Some(id)) = (&malformed.reason, &malformed.id) {
            // Nothing but an id, which may be one of ours or one of theirs: whoever waits for ours learns that
            // theirs was lost, and nothing is said under an id that is to be answered yet.
            if self.asked.contains(id) {
                return self.response(id, Err(fault.to_error(revision)));
            }
            if self.running.find(id).is_some() {
                return Verdict::Ignore(Ignored::Malformed);
            }
        }
        refuse(malformed.id.as_ref(), revision, &fault)
    }

    fn batch<'a>(&mut self, text: &'a str) -> Verdicts<'a, C> {
        let members = match split_batch(text) {
            Ok(members) => members,
            Err(malformed) => return self.malformed(text, &malformed).into(),
        };
        let most = self.running.limit();
        if members.len() > most {
            let message = format!("the batch has {} messages, and {most} are allowed", members.len());
            let fault = Fault::invalid_request(message);
            return refuse(None, self.in_force(), &fault).into();
        }
        let batch = self.batches.open();
        let mut verdicts = Vec::with_capacity(members.len() + 1);
        for member in members {
            for verdict in self.message(member.get(), Some(batch)) {
                match verdict {
                    Verdict::Refuse { response, .. } | Verdict::Reply(response) => {
                        self.batches.add(batch, &response);
                    }
                    verdict @ (Verdict::Cancel { .. }
                    | Verdict::Handshake { .. }
                    | Verdict::Ignore(_)
                    | Verdict::Notify(_)
                    | Verdict::Run(_)
                    | Verdict::Settle { .. }) => verdicts.push(verdict),
                }
            }
        }
        verdicts.extend(self.batches.withdraw(batch).map(Verdict::Reply));
        verdicts.into()
    }

    fn message<'a>(&mut self, text: &'a str, batch: Option<BatchId>) -> Verdicts<'a, C> {
        // One walk finds both, if all is plain. The nesting was looked at.
        let (message, members) = match Members::with_message(text, usize::MAX) {
            Some((message, members)) => (message, Some(members)),
            None => match Message::decode(text) {
                Ok(message) => (message, None),
                Err(malformed) => return self.malformed(text, &malformed).into(),
            },
        };
        match message {
            Message::Request(request) => {
                let members = members.map_or_else(|| Members::read(request.params), Ok);
                self.request(request, members, batch).into()
            }
            Message::Notification(notification) => self.notification(&notification),
            Message::Response(Response { id: Some(id), outcome }) => self.response(&id, outcome).into(),
            Message::Response(Response { id: None, .. }) => Verdict::Ignore(Ignored::ErrorWithoutId).into(),
        }
    }

    fn request<'a>(
        &mut self,
        request: Request<'a>,
        members: Result<Members<'a>, Fault>,
        batch: Option<BatchId>,
    ) -> Verdict<'a, C> {
        let id = request.id.clone();
        self.accept(request, members, batch)
            .unwrap_or_else(|Refusal { revision, fault }| refuse(Some(&id), revision, &fault))
    }

    fn accept<'a>(
        &mut self,
        request: Request<'a>,
        members: Result<Members<'a>, Fault>,
        batch: Option<BatchId>,
    ) -> Result<Verdict<'a, C>, Refusal> {
        let members = members.map_err(|fault| Refusal { revision: self.in_force(), fault })?;
        let opening = Opening::of(&request, members, self.session())?;
        let revision = match &opening {
            Opening::Handshake(agreed) => agreed.revision,
            Opening::Serve { revision, .. } => *revision,
        };
        let refuse = |fault| Refusal { revision, fault };
        if batch.is_some() && revision.is_modern() {
            return Err(refuse(Fault::invalid_request("this revision has no batches")));
        }
        let call = match self.running.begin(&request.id, batch) {
            Ok(call) => call,
            // A sign of life needs no room, least of all when there is none.
            Err(NotAccepted::Full) if is_ping(&request, revision) => {
                return Ok(Verdict::Reply(sign_of_life(&request.id)));
            }
            Err(NotAccepted::Full) => {
                return Err(refuse(Fault::new(FaultKind::Overloaded, "too many requests in flight")));
            }
            Err(NotAccepted::Duplicate) => {
                return Err(refuse(Fault::invalid_request("a request with this id is in flight")));
            }
        };
        if let Some(batch) = batch {
            self.batches.expect(batch);
        }
        Ok(match opening {
            Opening::Handshake(agreed) => {
                self.session = Some(Session { revision, ready: false });
                Verdict::Handshake { call, request_id: request.id, agreed }
            }
            Opening::Serve { revision, meta } => Verdict::Run(Call {
                call,
                request_id: request.id,
                revision,
                method: request.method,
                params: request.params,
                meta,
            }),
        })
    }

    fn notification<'a>(&mut self, notification: &Notification<'a>) -> Verdicts<'a, C> {
        match Method::parse(&notification.method) {
            Some(Method::Cancelled) => self.cancel(notification.params),
            Some(Method::Initialized) => match &mut self.session {
                Some(session) => {
                    session.ready = true;
                    Verdict::Notify(Notified::Initialized).into()
                }
                None => Verdict::Ignore(Ignored::UnknownNotification).into(),
            },
            Some(Method::Progress) => Verdict::Notify(Notified::Progress(notification.params)).into(),
            Some(Method::RootsListChanged) => Verdict::Notify(Notified::RootsChanged).into(),
            _ => Verdict::Ignore(Ignored::UnknownNotification).into(),
        }
    }

    fn cancel<'a>(&mut self, params: Option<&'a RawValue>) -> Verdicts<'a, C> {
        #[derive(Deserialize)]
        struct Cancelled<'a> {
            #[serde(rename = "requestId")]
            request_id: RequestId,
            #[serde(borrow, default)]
            reason: Option<Cow<'a, str>>,
        }
        let cancelled = params.and_then(|params| serde_json::from_str::<Cancelled<'a>>(params.get()).ok());
        let Some(Cancelled { request_id, reason }) = cancelled else {
            return Verdict::Ignore(Ignored::CancelsNothing).into();
        };
        let Some(call) = self.running.find(&request_id) else {
            return Verdict::Ignore(Ignored::CancelsNothing).into();
        };
        let batch = self.end(call).and_then(|ended| ended.batch);
        // The cancelled call may have been the last that its batch waited for.
        let released = batch.and_then(|batch| self.batches.withdraw(batch));
        Verdict::Cancel { call, reason, released }.into()
    }

    fn response<'a>(&mut self, id: &RequestId, outcome: Result<&'a RawValue, ErrorObject>) -> Verdict<'a, C> {
        match self.asked.settle(id) {
            Ok(request) => Verdict::Settle { id: id.clone(), caller: request.caller, outcome },
            Err(orphan) => Verdict::Ignore(Ignored::Response(orphan)),
        }
    }
}
