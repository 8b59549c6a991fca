//! What servers tell of themselves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_types::{FaultKind, Method, RequestId, Revision};
use tracing::Span;
use tracing::field::{Empty, display};

use crate::carried::Carried;
use crate::contents;
use crate::export::{self, Export, Measured};
use crate::names::{self, attribute as at, category};
use crate::operation::{self, Failure, named};
use crate::tell::tell;
use crate::timings::{OTHER, Outcome, Series, Timings};

/// A request as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Its method, as it came.
    pub method: &'a str,
    /// Its id.
    pub id: &'a RequestId,
    /// What it is served under.
    pub revision: Revision,
    /// What carried it.
    pub transport: &'static str,
}

/// What a request is about, once that is found; nothing that does not exist gets a name here, and a resource that of what
/// it was registered with.
pub type Subject<'a> = operation::Subject<&'a str>;

/// What came of a request.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// How it ended.
    pub outcome: Outcome,
    /// The fault, if it was answered with one.
    pub fault: Option<FaultKind>,
    /// The response, as far as it was written for this request.
    pub response: &'a [u8],
    /// How many bytes all of it has.
    pub size: usize,
}

/// Watches over one request, from its arrival to its outcome.
///
/// While nobody listens and nothing is exported, a call costs two looks at the clock, one for its tool, and three additions.
#[derive(Debug)]
pub struct Watch {
    began: Instant,
    method: Option<Method>,
    revision: Revision,
    transport: &'static str,
    subject: Option<Named>,
    span: Span,
}

/// A subject that outlives the request's text.
#[derive(Debug)]
enum Named {
    Prompt(Arc<str>),
    Resource(Arc<str>),
    Tool(Arc<str>, Arc<Series>),
}

impl Named {
    fn as_subject(&self) -> Subject<'_> {
        match self {
            Self::Prompt(name) => Subject::Prompt(name),
            Self::Resource(name) => Subject::Resource(name),
            Self::Tool(name, _) => Subject::Tool(name),
        }
    }
}

impl Watch {
    /// A request has arrived. `session` and `carried` are only looked at if somebody wants to know.
    pub fn begin(
        arrival: &Arrival<'_>,
        session: impl FnOnce() -> Option<String>,
        carried: impl FnOnce() -> Carried,
    ) -> Self {
        let Arrival { method, id, revision, transport } = *arrival;
        let known = Method::parse(method);
        let span = tracing::info_span!(
            target: category::SERVER,
            names::SERVER_OPERATION,
            { at::OTEL_NAME } = named(known),
            { at::OTEL_KIND } = "server",
            { at::OTEL_STATUS } = Empty,
            { at::METHOD } = method,
            { at::TOOL } = Empty,
            { at::PROMPT } = Empty,
            { at::OPERATION } = Empty,
            { at::RESOURCE } = Empty,
            { at::REVISION } = revision.as_str(),
            { at::REQUEST_ID } = display(id),
            { at::SESSION } = Empty,
            { at::ERROR } = Empty,
            { at::STATUS_CODE } = Empty,
            { at::TRANSPORT } = transport,
            { at::ARGUMENTS } = Empty,
            { at::RESULT } = Empty,
        );
        if !span.is_disabled() {
            export::adopt(&span, carried);
            if let Some(session) = session() {
                span.record(at::SESSION, session.as_str());
            }
        }
        tell!(DEBUG SERVER SERVER_REQUEST, parent: &span, { at::METHOD } = method,
            { at::REQUEST_ID } = display(id),);
        Self { began: Instant::now(), method: known, revision, transport, subject: None, span }
    }

    /// The span that the request is served in.
    #[must_use]
    pub const fn span(&self) -> &Span {
        &self.span
    }

    /// What the request is about was found. `arguments` are shown only if contents are.
    pub fn about(&mut self, timings: &Timings, subject: Subject<'_>, arguments: Option<&str>) {
        self.subject = Some(match subject {
            Subject::Prompt(name) => Named::Prompt(Arc::from(name)),
            Subject::Resource(name) => Named::Resource(Arc::from(name)),
            Subject::Tool(name) => {
                let (counted, series) = timings.tool(name);
                Named::Tool(counted, series)
            }
        });
        if self.span.is_disabled() {
            return;
        }
        operation::describe(&self.span, named(self.method), subject);
        if let Some(arguments) = arguments.filter(|_| contents::are_shown()) {
            self.span.record(at::ARGUMENTS, arguments);
        }
    }

    /// The request has its outcome.
    pub fn end(&self, timings: &Timings, id: &RequestId, ending: &Ending<'_>) {
        let duration = self.began.elapsed();
        let Ending { outcome, fault, response, .. } = *ending;
        match &self.subject {
            Some(Named::Tool(_, series)) => series.record(outcome, duration),
            _ => timings.method(self.method).record(outcome, duration),
        }
        self.tell(id, duration, ending);
        let failure = match fault.map(|fault| fault.code(self.revision)) {
            Some(code) => Some(Failure { word: OTHER, code: Some(code) }),
            None => word(outcome).map(|word| Failure { word, code: None }),
        };
        let subject = self.subject.as_ref().map(Named::as_subject);
        let name = names::SERVER_OPERATION_DURATION;
        operation::measure(name, duration, (self.method, subject), failure, |measured| {
            measured.revision = Some(self.revision.as_str());
            measured.transport = Some(self.transport);
        });
        if self.span.is_disabled() {
            return;
        }
        let is_error = matches!(outcome, Outcome::Error | Outcome::ToolError);
        if let Some(failure) = failure {
            operation::failed(&self.span, failure, is_error);
        }
        if contents::are_shown() && self.method == Some(Method::ToolsCall) {
            self.span.record(at::RESULT, display(String::from_utf8_lossy(response)));
        }
    }

    fn tell(&self, id: &RequestId, duration: Duration, ending: &Ending<'_>) {
        let Ending { outcome, fault, size, .. } = *ending;
        let method = named(self.method);
        let seconds = duration.as_secs_f64();
        if let Some(fault) = fault {
            let code = fault.code(self.revision);
            tell!(DEBUG SERVER SERVER_ERROR, parent: &self.span, { at::DURATION } = seconds,
                { at::METHOD } = method,
                { at::REQUEST_ID } = display(id),
                { at::ERROR } = fault.as_str(),
                { at::STATUS_CODE } = code,);
        } else {
            tell!(DEBUG SERVER SERVER_RESPONSE, parent: &self.span, { at::DURATION } = seconds,
                { at::SIZE } = size,
                { at::METHOD } = method,
                { at::REQUEST_ID } = display(id),
                { at::STATUS } = outcome.as_str(),);
        }
        let is_error = matches!(outcome, Outcome::Error | Outcome::ToolError);
        match &self.subject {
            Some(Named::Tool(tool, _)) => {
                tell!(DEBUG SERVER SERVER_TOOL_CALL, parent: &self.span, { at::DURATION } = seconds,
                { at::TOOL } = &**tool,
                { at::IS_ERROR } = is_error,);
            }
            Some(Named::Resource(uri)) => {
                tell!(DEBUG SERVER SERVER_RESOURCE_READ, parent: &self.span, { at::DURATION } = seconds,
                { at::RESOURCE } = &**uri,
                { at::IS_ERROR } = is_error,);
            }
            Some(Named::Prompt(prompt)) => {
                tell!(DEBUG SERVER SERVER_PROMPT_GET, parent: &self.span, { at::DURATION } = seconds,
                { at::PROMPT } = &**prompt,
                { at::IS_ERROR } = is_error,);
            }
            None => {}
        }
    }
}

/// The class of an outcome that is no success and has no code.
const fn word(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::ToolError => Some("tool_error"),
        Outcome::Cancelled => Some("cancelled"),
        Outcome::Error => Some(OTHER),
        Outcome::Success | Outcome::InputRequired => None,
    }
}

/// A server begins to serve over this.
pub fn init(name: &str, version: &str, transport: &'static str) {
    tell!(DEBUG SERVER SERVER_INIT, { at::SERVER_NAME } = name,
        { at::SERVER_VERSION } = version,
        { at::TRANSPORT } = transport,);
}

/// A server serves no more.
pub fn terminate(name: &str, reason: &'static str) {
    tell!(DEBUG SERVER SERVER_TERMINATE, { at::SERVER_NAME } = name,
        { at::REASON } = reason,);
}

/// A notification has come.
pub fn notification(method: &str) {
    tell!(DEBUG SERVER SERVER_NOTIFICATION, { at::METHOD } = method);
}

/// A handler tells how far it is.
pub fn progress(done: f64, total: Option<f64>) {
    tell!(TRACE SERVER SERVER_PROGRESS, { at::DONE } = done,
        { at::TOTAL } = total,);
}

/// A session was opened. `session` tells which, without giving its secret away.
pub fn session_created(session: &str, client: Option<&str>, revision: Revision) {
    tell!(DEBUG SERVER SESSION_CREATED, { at::SESSION } = session,
        { at::CLIENT_NAME } = client,
        { at::REVISION } = revision.as_str(),);
}

/// A session at its end.
#[derive(Clone, Copy, Debug)]
pub struct SessionEnd<'a> {
    /// Which it was, without its secret.
    pub session: &'a str,
    /// What was spoken in it.
    pub revision: Revision,
    /// What carried its messages.
    pub transport: &'static str,
    /// What was spoken over that: `http`, `websocket`, or messages alone.
    pub protocol: Option<&'static str>,
    /// Why it could not go on; nothing if its client or its server wanted it to end.
    pub failure: Option<&'static str>,
}

/// A session has ended that began then.
pub fn session_terminated(timings: &Timings, end: &SessionEnd<'_>, began: Instant) {
    let SessionEnd { session, revision, transport, protocol, failure } = *end;
    let duration = began.elapsed();
    timings.sessions().record(duration);
    tell!(DEBUG SERVER SESSION_TERMINATED, { at::DURATION } = duration.as_secs_f64(),
        { at::SESSION } = session,);
    if let Some(export) = Export::installed() {
        let mut measured = Measured::new(names::SERVER_SESSION_DURATION, duration);
        measured.revision = Some(revision.as_str());
        measured.transport = Some(transport);
        measured.protocol = protocol;
        measured.error = failure;
        (export.measured)(&measured);
    }
}

/// A session is forgotten.
pub fn session_cleanup(session: &str, reason: &'static str) {
    tell!(DEBUG SERVER SESSION_CLEANUP, { at::SESSION } = session,
        { at::REASON } = reason,);
}

/// The span in which a server waits for what it has asked its client.
#[must_use]
pub fn question(method: Method, revision: Revision) -> Span {
    tracing::info_span!(
        target: category::SERVER,
        names::SERVER_QUESTION,
        { at::OTEL_NAME } = method.as_str(),
        { at::OTEL_KIND } = "client",
        { at::OTEL_STATUS } = Empty,
        { at::METHOD } = method.as_str(),
        { at::REVISION } = revision.as_str(),
        { at::ERROR } = Empty,
    )
}

/// What was asked within the current span was not answered.
pub fn question_failed(word: &'static str) {
    let span = Span::current();
    span.record(at::ERROR, word);
    span.record(at::OTEL_STATUS, "error");
}
