//! Which lost requests are sent once more.
//!
//! | request | sent once more |
//! |---|---|
//! | any, when it never left | yes |
//! | one that only reads, or says the same twice | yes |
//! | a call of a tool | if the caller says so, or if the client trusts the tool's own word that it does no harm |
//! | anything else | if the caller says so |
//!
//! At most once, under a new id, within the time that is left, and never after the server has said anything to it.
//!
//! Source: `changelog`, 2026-07-28: a stream that breaks loses its request, which is issued anew under a new id.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_types::{Method, Tool};

use crate::error::ClientError;

/// A server that has just gone is rarely back at once.
const PAUSE: Duration = Duration::from_millis(250);

/// How a request got lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// It never left: nothing can have been done.
    Unsent,
    /// It may have been carried out.
    Unknown,
}

impl Loss {
    /// `None` when it was not lost: then there is an outcome, or nobody wants one any more.
    pub(crate) const fn of(error: &ClientError) -> Option<Self> {
        match error {
            ClientError::Unreachable { .. } => Some(Self::Unsent),
            // A new session was tried already.
            ClientError::SessionExpired { is_refused: true, .. } => None,
            ClientError::Closed(_) | ClientError::SessionExpired { .. } | ClientError::StreamEnded { .. } => {
                Some(Self::Unknown)
            }
            _ => None,
        }
    }

    /// How long to wait before the request is sent once more.
    pub(crate) const fn pause(error: &ClientError) -> Duration {
        match error {
            // The new session is there, and a new connection is waited for anyway.
            ClientError::SessionExpired { .. } | ClientError::Closed(_) => Duration::ZERO,
            _ => PAUSE,
        }
    }
}

/// Whether a request does no harm when it is carried out twice, whatever the server.
pub(crate) fn is_harmless(method: &str) -> bool {
    matches!(
        Method::parse(method),
        Some(
            Method::CompletionComplete
                | Method::LoggingSetLevel
                | Method::Ping
                | Method::PromptsGet
                | Method::PromptsList
                | Method::ResourcesList
                | Method::ResourcesRead
                | Method::ResourcesSubscribe
                | Method::ResourcesTemplatesList
                | Method::ResourcesUnsubscribe
                | Method::ServerDiscover
                | Method::ToolsList
        )
    )
}

/// The tools that were listed and say that they do no harm when they are called twice. It is their own word.
///
/// Source: `server/tools#tool`, 2026-07-28: annotations are untrusted unless the server is trusted.
#[derive(Debug, Default)]
pub(crate) struct Repeatable(Mutex<BTreeSet<String>>);

impl Repeatable {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a tool that was listed.
    pub(crate) fn learn(&self, tool: &Tool) {
        let says_so = tool.annotations.as_ref().is_some_and(|annotations| {
            annotations.read_only_hint == Some(true) || annotations.idempotent_hint == Some(true)
        });
        let mut repeatable = self.lock();
        if says_so {
            repeatable.insert(tool.name.clone());
        } else {
            repeatable.remove(&tool.name);
        }
    }

    /// The list of tools has changed: what they said may not hold any more.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    pub(crate) fn contains(&self, tool: &str) -> bool {
        self.lock().contains(tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{CloseReason, Closed};
    use hermes_types::{RawJson, ToolAnnotations};

    #[test]
    fn a_request_is_lost_when_nobody_will_say_what_became_of_it() {
        let url = || "http://a".to_owned();
        let method = || "m".to_owned();
        let expired = |is_refused| ClientError::SessionExpired {
            method: method(),
            url: url(),
            reason: None,
            is_refused,
        };
        let closed = Closed { reason: CloseReason::Remote, exit: None, stderr: String::new() };
        for (error, loss) in [
            (ClientError::Closed(closed.into()), Some(Loss::Unknown)),
            (expired(false), Some(Loss::Unknown)),
            (expired(true), None),
            (ClientError::StreamEnded { method: method(), url: url(), source: None }, Some(Loss::Unknown)),
            (ClientError::Unreachable { url: url(), source: "no".into() }, Some(Loss::Unsent)),
            (ClientError::Timeout { method: method(), after: PAUSE }, None),
            (ClientError::Tool { message: method() }, None),
        ] {
            assert_eq!(Loss::of(&error), loss, "{error}");
        }
    }

    #[test]
    fn a_tool_is_repeatable_only_while_it_says_so() {
        let tool = |annotations: Option<ToolAnnotations>| {
            let mut tool = Tool::new("t", RawJson::empty_object());
            tool.annotations = annotations;
            tool
        };
        let repeatable = Repeatable::default();
        for (annotations, expected) in [
            (Some(ToolAnnotations::default().with_idempotent(true)), true),
            (Some(ToolAnnotations::default().with_idempotent(false)), false),
            (Some(ToolAnnotations::default().with_read_only(true)), true),
            (None, false),
            (Some(ToolAnnotations::default().with_destructive(false)), false),
        ] {
            repeatable.learn(&tool(annotations.clone()));
            assert_eq!(repeatable.contains("t"), expected, "{annotations:?}");
        }
        repeatable.learn(&tool(Some(ToolAnnotations::default().with_read_only(true))));
        repeatable.forget();
        assert!(!repeatable.contains("t"));
    }

    #[test]
    fn calls_and_what_nobody_knows_are_not_harmless() {
        assert!(is_harmless("resources/read") && is_harmless("server/discover"));
        for method in ["tools/call", "tasks/cancel", "subscriptions/listen", "initialize", "x/y"] {
            assert!(!is_harmless(method), "{method}");
        }
    }
}
