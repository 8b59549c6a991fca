//! What clients tell of themselves.

use std::time::{Duration, Instant};

use hermes_types::{Method, RequestId, Revision};
use tracing::Span;
use tracing::field::{Empty, display};

use crate::carried::Carried;
use crate::contents;
use crate::export::{self, Export, Measured};
use crate::names::{self, attribute as at, category};
use crate::tell::tell;
use crate::timings::OTHER;

/// What an operation is about: what the host has named, so it may be anything.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A prompt.
    Prompt(String),
    /// A resource.
    Resource(String),
    /// A tool.
    Tool(String),
}

/// What became of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// The class of the error: a word.
    pub word: &'a str,
    /// The code of the JSON-RPC error.
    pub code: Option<i64>,
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
            { at::OTEL_NAME } = known.map_or(OTHER, Method::as_str),
            { at::OTEL_KIND } = "client",
            { at::OTEL_STATUS } = Empty,
            { at::METHOD } = method,
            { at::TOOL } = Empty,
            { at::PROMPT } = Empty,
            { at::OPERATION } = Empty,
            { at::RESOURCE } = Empty,
            { at::REVISION } = Empty,
            { at::REQUEST_ID } = Empty,
            { at::ERROR } = Empty,
            { at::STATUS_CODE } = Empty,
            { at::TRANSPORT } = Empty,
            { at::ARGUMENTS } = Empty,
            { at::RESULT } = Empty,
        );
        let is_wanted = !span.is_disabled() || Export::installed().is_some();
        let subject = if is_wanted { subject() } else { None };
        match &subject {
            Some(Subject::Tool(name)) => {
                span.record(at::TOOL, name);
                span.record(at::OPERATION, "execute_tool");
                span.record(at::OTEL_NAME, display(format_args!("{method} {name}")));
            }
            Some(Subject::Prompt(name)) => {
                span.record(at::PROMPT, name);
                span.record(at::OTEL_NAME, display(format_args!("{method} {name}")));
            }
            Some(Subject::Resource(uri)) => {
                span.record(at::RESOURCE, &*contents::outline(uri));
            }
            None => {}
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

    /// The operation has ended, over a connection of this kind. `result` is shown only if contents are.
    pub fn end(
        &self,
        over: Option<(Revision, &'static str)>,
        failure: Option<Failure<'_>>,
        result: Option<&str>,
    ) {
        if let Some(export) = Export::installed() {
            let number = failure.and_then(|failure| failure.code).map(|code| code.to_string());
            let mut measured = Measured::new(names::CLIENT_OPERATION_DURATION, self.began.elapsed());
            measured.method = Some(self.method.map_or(OTHER, Method::as_str));
            match &self.subject {
                Some(Subject::Tool(name)) => measured.tool = Some(name),
                Some(Subject::Prompt(name)) => measured.prompt = Some(name),
                Some(Subject::Resource(_)) | None => {}
            }
            measured.revision = over.map(|(revision, _)| revision.as_str());
            measured.transport = over.map(|(_, transport)| transport);
            measured.error = number.as_deref().or_else(|| failure.map(|failure| failure.word));
            measured.code = failure.and_then(|failure| failure.code);
            (export.measured)(&measured);
        }
        if self.span.is_disabled() {
            return;
        }
        if let Some((revision, transport)) = over {
            self.span.record(at::REVISION, revision.as_str());
            self.span.record(at::TRANSPORT, transport);
        }
        if let Some(Failure { word, code }) = failure {
            self.span.record(at::OTEL_STATUS, "error");
            match code {
                Some(code) => {
                    self.span.record(at::ERROR, display(code));
                    self.span.record(at::STATUS_CODE, display(code));
                }
                None => {
                    self.span.record(at::ERROR, word);
                }
            }
        }
        if let Some(result) =
            result.filter(|_| contents::are_shown() && self.method == Some(Method::ToolsCall))
        {
            self.span.record(at::RESULT, result);
        }
    }
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
