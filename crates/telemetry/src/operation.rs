//! What both sides say of an operation: a client of what it asks for, a server of what it serves.

use std::fmt;
use std::time::Duration;

use hermes_types::Method;
use tracing::Span;
use tracing::field::display;

use crate::export::{Export, Measured};
use crate::names::attribute as at;
use crate::timings::OTHER;

/// What an operation is about, by its name.
#[derive(Clone, Copy, Debug)]
pub enum Subject<T> {
    /// A prompt.
    Prompt(T),
    /// A resource.
    Resource(T),
    /// A tool.
    Tool(T),
}

/// How an operation failed.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// The class of the error: a word.
    pub word: &'a str,
    /// The code of the JSON-RPC error.
    pub code: Option<i64>,
}

/// The code, or else the word.
impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => code.fmt(f),
            None => f.write_str(self.word),
        }
    }
}

/// The name of an operation of this method: few words, whatever was asked for.
pub(crate) fn named(method: Option<Method>) -> &'static str {
    method.map_or(OTHER, Method::as_str)
}

/// Notes on a span what its operation is about.
pub(crate) fn describe(span: &Span, method: &str, subject: Subject<&str>) {
    let (label, name) = match subject {
        Subject::Prompt(name) => (at::PROMPT, name),
        Subject::Resource(name) => (at::RESOURCE, name),
        Subject::Tool(name) => (at::TOOL, name),
    };
    span.record(label, name);
    if matches!(subject, Subject::Tool(_)) {
        span.record(at::OPERATION, "execute_tool");
    }
    if !matches!(subject, Subject::Resource(_)) {
        span.record(at::OTEL_NAME, display(format_args!("{method} {name}")));
    }
}

/// Notes on a span how its operation failed. Not everything that is no success is an error.
pub(crate) fn failed(span: &Span, failure: Failure<'_>, is_error: bool) {
    span.record(at::ERROR, display(failure));
    if let Some(code) = failure.code {
        span.record(at::STATUS_CODE, display(code));
    }
    if is_error {
        span.record(at::OTEL_STATUS, "error");
    }
}

/// Exports how long an operation took, if anybody exports. `more` says what one side alone knows.
pub(crate) fn measure<'a>(
    name: &'static str,
    duration: Duration,
    (method, subject): (Option<Method>, Option<Subject<&'a str>>),
    failure: Option<Failure<'a>>,
    more: impl FnOnce(&mut Measured<'a>),
) {
    let Some(export) = Export::installed() else { return };
    let mut measured = Measured::new(name, duration);
    measured.method = Some(named(method));
    match subject {
        Some(Subject::Tool(name)) => measured.tool = Some(name),
        Some(Subject::Prompt(name)) => measured.prompt = Some(name),
        Some(Subject::Resource(_)) | None => {}
    }
    more(&mut measured);
    conclude(export, measured, failure);
}

/// Exports a measurement of something that may have failed.
pub(crate) fn conclude(export: &Export, mut measured: Measured<'_>, failure: Option<Failure<'_>>) {
    measured.code = failure.and_then(|failure| failure.code);
    let class = failure.map(|failure| failure.to_string());
    (export.measured)(&Measured { error: class.as_deref(), ..measured });
}
