//! What clients tell of themselves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_types::{Method, RequestId, Revision};
use tracing::Span;
use tracing::field::{Empty, display};

use crate::carried::Carried;
use crate::contents;
use crate::export::{self, Export, Measured};
use crate::names::{self, attribute as at, category};
pub use crate::operation::Failure;
use crate::operation::{self, named};
use crate::tell::tell;
use crate::timings::OTHER;
use crate::transport::Place;

/// What an operation is about: what the host has named, so it may be anything.
pub type Subject = operation::Subject<String>;

/// What an operation went over.
#[derive(Clone, Debug)]
pub struct Over {
    /// What is spoken; `None` before that is agreed.
    pub revision: Option<Revision>,
    /// Where the server is.
    pub place: Arc<Place>,
    /// Which session it was in, without giving its secret away.
    pub session: Option<Arc<str>>,
}

impl Over {
    fn fill<'a>(&'a self, measured: &mut Measured<'a>) {
        measured.revision = self.revision.map(Revision::as_str);
        measured.transport = Some(self.place.transport);
        measured.server_address = self.place.address.as_deref();
        measured.server_port = self.place.port;
    }
}

/// Watches over one operation of a client.
#[derive(Debug)]
pub struct Watch {
    began: Instant,
    method: Option<Method>,
    subject: Option<Subject>,
    span: Span,
}

impl Watch {
    /// An operation begins. `subject` and `arguments` are only looked at if somebody wants to know.
    pub fn begin(
        method: &str,
        subject: impl FnOnce() -> Option<Subject>,
        arguments: impl FnOnce() -> Option<String>,
    ) -> Self {
        let known = Method::parse(method);
        let span = tracing::info_span!(
            target: category::CLIENT,
            names::CLIENT_OPERATION,
            { at::OTEL_NAME } = named(known),
            { at::OTEL_KIND } = "client",
            { at::OTEL_STATUS } = Empty,
            { at::METHOD } = method,
            { at::TOOL } = Empty,
            { at::PROMPT } = Empty,
            { at::OPERATION } = Empty,
            { at::RESOURCE } = Empty,
            { at::REVISION } = Empty,
            { at::REQUEST_ID } = Empty,
            { at::SESSION } = Empty,
            { at::ERROR } = Empty,
            { at::STATUS_CODE } = Empty,
            { at::TRANSPORT } = Empty,
            { at::SERVER_ADDRESS } = Empty,
            { at::SERVER_PORT } = Empty,
            { at::ARGUMENTS } = Empty,
            { at::RESULT } = Empty,
        );
        let is_wanted = !span.is_disabled() || Export::installed().is_some();
        let subject = if is_wanted { subject() } else { None };
        if let Some(subject) = subject.as_ref().filter(|_| !span.is_disabled()) {
            let outline;
            let shown = match subject {
                Subject::Prompt(name) => operation::Subject::Prompt(name.as_str()),
                Subject::Resource(uri) => {
                    outline = contents::outline(uri);
                    operation::Subject::Resource(&*outline)
                }
                Subject::Tool(name) => operation::Subject::Tool(name.as_str()),
            };
            operation::describe(&span, method, shown);
        }
        if contents::are_shown()
            && !span.is_disabled()
            && let Some(arguments) = arguments()
        {
            span.record(at::ARGUMENTS, arguments);
        }
        Self { began: Instant::now(), method: known, subject, span }
    }

    /// The span that the operation runs in.
    #[must_use]
    pub const fn span(&self) -> &Span {
        &self.span
    }

    /// The operation has ended. `over` is only looked at if somebody wants to know, `result` is shown only if contents are.
    pub fn end(&self, over: impl FnOnce() -> Over, failure: Option<Failure<'_>>, result: Option<&str>) {
        if self.span.is_disabled() && Export::installed().is_none() {
            return;
        }
        let over = over();
        let subject = self.subject.as_ref().map(|subject| match subject {
            Subject::Prompt(name) => operation::Subject::Prompt(name.as_str()),
            Subject::Resource(uri) => operation::Subject::Resource(uri.as_str()),
            Subject::Tool(name) => operation::Subject::Tool(name.as_str()),
        });
        let about = (self.method, subject);
        let name = names::CLIENT_OPERATION_DURATION;
        operation::measure(name, self.began.elapsed(), about, failure, |measured| over.fill(measured));
        let Over { revision, place, session } = &over;
        if let Some(revision) = revision {
            self.span.record(at::REVISION, revision.as_str());
        }
        self.span.record(at::TRANSPORT, place.transport);
        if let Some(address) = &place.address {
            self.span.record(at::SERVER_ADDRESS, address.as_str());
        }
        if let Some(port) = place.port {
            self.span.record(at::SERVER_PORT, port);
        }
        if let Some(session) = session {
            self.span.record(at::SESSION, &**session);
        }
        if let Some(failure) = failure {
            operation::failed(&self.span, failure, true);
        }
        if let Some(result) =
            result.filter(|_| contents::are_shown() && self.method == Some(Method::ToolsCall))
        {
            self.span.record(at::RESULT, result);
        }
    }
}

/// What was agreed with a server has ended, however many sessions it took. `word` says how, if the client did not end it.
pub fn session_ended(over: &Over, duration: Duration, word: Option<&str>) {
    let Some(export) = Export::installed() else { return };
    let mut measured = Measured::new(names::CLIENT_SESSION_DURATION, duration);
    over.fill(&mut measured);
    operation::conclude(export, measured, word.map(|word| Failure { word, code: None }));
}

/// A client has agreed with its server.
#[derive(Clone, Copy, Debug)]
pub struct Agreed<'a> {
    /// Who the client says it is.
    pub client: &'a str,
    /// Who the server says it is: its name and its version.
    pub server: Option<(&'a str, &'a str)>,
    /// What carries the messages.
    pub transport: &'static str,
    /// What is spoken.
    pub revision: Revision,
    /// What the client has declared: names, with spaces between them.
    pub capabilities: &'a str,
    /// How long it took.
    pub duration: Duration,
}

/// A client has agreed with its server.
pub fn init(agreed: &Agreed<'_>) {
    tell!(DEBUG CLIENT CLIENT_INIT, { at::DURATION } = agreed.duration.as_secs_f64(),
        { at::CLIENT_NAME } = agreed.client,
        { at::SERVER_NAME } = agreed.server.map(|(name, _)| name),
        { at::SERVER_VERSION } = agreed.server.map(|(_, version)| version),
        { at::TRANSPORT } = agreed.transport,
        { at::REVISION } = agreed.revision.as_str(),
        { at::CAPABILITIES } = agreed.capabilities,);
}

/// A request was sent. Its id is noted on the current span.
pub fn request(method: &str, id: &RequestId) {
    Span::current().record(at::REQUEST_ID, display(id));
    tell!(DEBUG CLIENT CLIENT_REQUEST, { at::METHOD } = method,
        { at::REQUEST_ID } = display(id),);
}

/// A result has come.
pub fn response(method: &str, id: &RequestId, duration: Duration) {
    tell!(DEBUG CLIENT CLIENT_RESPONSE, { at::DURATION } = duration.as_secs_f64(),
        { at::METHOD } = method,
        { at::REQUEST_ID } = display(id),
        { at::STATUS } = "success",);
}

/// A request has failed.
pub fn error(method: &str, id: &RequestId, duration: Duration, failure: Failure<'_>) {
    let (word, code) = (failure.word, failure.code.map(|code| code.to_string()));
    tell!(DEBUG CLIENT CLIENT_ERROR, { at::DURATION } = duration.as_secs_f64(),
        { at::METHOD } = method,
        { at::REQUEST_ID } = display(id),
        { at::ERROR } = code.as_deref().unwrap_or(word),);
}

/// A notification has come.
pub fn notification(method: &str) {
    tell!(DEBUG CLIENT CLIENT_NOTIFICATION, { at::METHOD } = method);
}

/// The roots were listed, or have changed.
pub fn roots(action: &'static str, count: Option<usize>) {
    tell!(DEBUG CLIENT CLIENT_ROOTS, { at::COUNT } = count,
        { at::ACTION } = action,);
}

/// Something became of the connection.
pub fn connection(status: &'static str, attempt: Option<u32>, reason: Option<&'static str>) {
    tell!(DEBUG CLIENT CLIENT_CONNECTION, { at::ATTEMPT } = attempt,
        { at::STATUS } = status,
        { at::REASON } = reason,);
}

/// The client is at its end.
pub fn terminate(reason: &'static str, pending: usize) {
    tell!(DEBUG CLIENT CLIENT_TERMINATE, { at::PENDING } = pending,
        { at::REASON } = reason,);
}

/// The span of what a person has asked a program for, as part of the trace that the environment names (`TRACEPARENT`).
#[must_use]
pub fn command() -> Span {
    let span = tracing::info_span!(target: category::CLIENT, names::COMMAND, { at::OTEL_KIND } = "internal");
    export::adopt(&span, Carried::in_environment);
    span
}

/// The span in which a client answers what its server asks. `carried` is only looked at if somebody wants to know; in the
/// modern era questions come within an operation and carry nothing.
pub fn answer(
    method: &str,
    id: Option<&RequestId>,
    revision: Revision,
    carried: impl FnOnce() -> Carried,
) -> Span {
    let span = tracing::info_span!(
        target: category::CLIENT,
        names::CLIENT_ANSWER,
        { at::OTEL_NAME } = Method::parse(method).map_or(OTHER, Method::as_str),
        { at::OTEL_KIND } = "server",
        { at::OTEL_STATUS } = Empty,
        { at::METHOD } = method,
        { at::REVISION } = revision.as_str(),
        { at::REQUEST_ID } = id.map(display),
        { at::ERROR } = Empty,
    );
    export::adopt(&span, carried);
    span
}

/// What was asked within the current span was refused.
pub fn answer_refused(word: &'static str) {
    let span = Span::current();
    span.record(at::ERROR, word);
    span.record(at::OTEL_STATUS, "error");
}
