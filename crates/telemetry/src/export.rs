//! The way out for whoever takes traces and measurements somewhere else.

use std::sync::OnceLock;
use std::time::Duration;

use tracing::Span;

use crate::carried::Carried;

/// What takes traces and measurements out of the process. `otel::Exporting` installs one; another can be made for what is no
/// OpenTelemetry.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// The span was caused by what a message carries.
    pub adopt: fn(&Span, Carried),
    /// What a message carries that this span causes.
    pub carry: fn(&Span) -> Carried,
    /// Something took so long.
    pub measured: fn(&Measured<'_>),
}

/// How long something took, and what is said of it. Every text is one of few: names of tools are those of tools that exist.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Measured<'a> {
    /// The measurement: a name of [`names`](crate::names).
    pub name: &'static str,
    /// How long it took.
    pub duration: Duration,
    /// The method of the protocol; `_OTHER` if it is none.
    pub method: Option<&'static str>,
    /// The name of the tool.
    pub tool: Option<&'a str>,
    /// The name of the prompt.
    pub prompt: Option<&'a str>,
    /// What was spoken.
    pub revision: Option<&'static str>,
    /// The class of the error.
    pub error: Option<&'a str>,
    /// The code of the JSON-RPC error.
    pub code: Option<i64>,
    /// What carried the messages.
    pub transport: Option<&'static str>,
    /// What is spoken over that, if a server measured a session.
    pub protocol: Option<&'static str>,
    /// Where the server is, if a client measured.
    pub server_address: Option<&'a str>,
    /// The port of the server, if a client measured.
    pub server_port: Option<u16>,
}

impl Measured<'_> {
    pub(crate) const fn new(name: &'static str, duration: Duration) -> Self {
        Self {
            name,
            duration,
            method: None,
            tool: None,
            prompt: None,
            revision: None,
            error: None,
            code: None,
            transport: None,
            protocol: None,
            server_address: None,
            server_port: None,
        }
    }
}

static EXPORT: OnceLock<Export> = OnceLock::new();

impl Export {
    /// Installs it for the whole process. Whether it was the first: only that one counts.
    pub fn install(self) -> bool {
        EXPORT.set(self).is_ok()
    }

    pub(crate) fn installed() -> Option<&'static Self> {
        EXPORT.get()
    }
}

/// What a message carries that is sent within the current span. Nothing without an [`Export`].
#[must_use]
pub fn carried_now() -> Option<Carried> {
    let export = Export::installed()?;
    Some((export.carry)(&Span::current())).filter(|carried| !carried.is_empty())
}

/// Says that this span was caused by what a message carries. `carried` is only looked at if somebody wants to know.
pub fn adopt(span: &Span, carried: impl FnOnce() -> Carried) {
    if let Some(export) = Export::installed()
        && !span.is_disabled()
    {
        let carried = carried();
        if !carried.is_empty() {
            (export.adopt)(span, carried);
        }
    }
}
