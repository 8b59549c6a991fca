//! Why an operation has no result.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::negotiate::Failure;
use hermes_types::{ErrorObject, code, json_words};

use super::{Closed, HttpAnswer, OutputProblem, Refusal, Unsupported, Violation};

/// Why an operation has no result.
///
/// | kind | whose fault | what to do |
/// |---|---|---|
/// | [`Rpc`](Self::Rpc) | the server says: the caller's | read the message |
/// | [`Timeout`](Self::Timeout) | the server's, or the limit is too short | it may have run; ask for more time |
/// | [`Closed`](Self::Closed) | the server has gone, or the client was closed | read the tail of its stderr; connect again |
/// | [`Spawn`](Self::Spawn), [`Address`](Self::Address) | the command's, the address's | correct it |
/// | [`Unreachable`](Self::Unreachable), [`Unavailable`](Self::Unavailable) | the network's, or the server is not there | nothing was sent; try again |
/// | [`StreamEnded`](Self::StreamEnded), [`SessionExpired`](Self::SessionExpired) | the server's, or the network's | it may have run; ask anew if that does no harm |
/// | [`Unauthorized`](Self::Unauthorized) | the caller's | bring other credentials |
/// | [`Http`](Self::Http), [`Redirect`](Self::Redirect) | the server's, or the address is another's | correct the address |
/// | [`Negotiation`](Self::Negotiation) | neither | choose another era, or another server |
/// | [`Protocol`](Self::Protocol), [`Decode`](Self::Decode) | the server's | report it there |
/// | [`Output`](Self::Output) | the tool's | report it there, or switch the check off |
/// | [`Tool`](Self::Tool) | the tool says: it could not | read the message |
/// | [`Input`](Self::Input), [`TooManyRounds`](Self::TooManyRounds) | the server asks what is not answered | add a handler |
/// | [`Unsupported`](Self::Unsupported), [`Arguments`](Self::Arguments), [`Root`](Self::Root) | the caller's | nothing was sent |
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address, or a header that goes with it, cannot be used. Nothing was sent.
    #[error("cannot use {what}: {reason}")]
    Address {
        /// The address, or the header's name.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The arguments are no JSON object, or cannot be written as JSON. Nothing was sent.
    #[error("the parameters of {method} are no JSON object")]
    Arguments {
        /// The method.
        method: String,
        /// What cannot be written; `None` when it is JSON of another kind.
        source: Option<serde_json::Error>,
    },
    /// The connection is no more. If the request was sent, whether it was carried out is unknown.
    #[error(transparent)]
    Closed(Arc<Closed>),
    /// The result does not fit its method.
    #[error("the result of {method} does not fit at `{path}`: {}", json_words(source))]
    Decode {
        /// The method.
        method: String,
        /// Where in the result.
        path: String,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// The server answered over HTTP with something that is no answer.
    #[error(transparent)]
    Http(Box<HttpAnswer>),
    /// The server wanted input that was not given. The request was not repeated.
    #[error("the server wants the input {key:?} ({method}): {reason}")]
    Input {
        /// The server's name for the question.
        key: String,
        /// What it asks for: `elicitation/create`, `sampling/createMessage` or `roots/list`.
        method: String,
        /// Why it was not given.
        reason: Refusal,
    },
    /// The two sides found nothing to speak.
    #[error(transparent)]
    Negotiation(Failure),
    /// A tool's structured result does not fit the schema that the tool declares.
    #[error("the result of the tool `{tool}` breaks its own output schema: {problem}")]
    Output {
        /// The tool.
        tool: String,
        /// What is wrong.
        problem: OutputProblem,
    },
    /// The server broke the protocol in its answer.
    #[error("the server broke the protocol in its answer to {method}: {violation}")]
    Protocol {
        /// The method.
        method: String,
        /// How.
        violation: Violation,
    },
    /// The server sends the client elsewhere. Only redirects with 307 or 308 to the same origin are followed, as
    /// the request, and the credentials in it, are for this server alone.
    #[error("{url} answered {method} with HTTP {status}, a redirect to {}, which is not followed", .location.as_deref().unwrap_or("nowhere"))]
    Redirect {
        /// The method.
        method: String,
        /// The address, without credentials.
        url: String,
        /// The status.
        status: u16,
        /// Where to, if it says so.
        location: Option<String>,
    },
    /// A root is no `file://` URI.
    #[error("a root has to be a file:// URI: {uri}")]
    Root {
        /// The URI.
        uri: String,
    },
    /// The server answered with an error.
    #[error("{method} failed: {error}")]
    Rpc {
        /// The method.
        method: String,
        /// What the server says.
        error: ErrorObject,
    },
    /// The session is no more, and the request went with it. The next request begins a new session.
    #[error("the session at {url} is lost; {method} has no result{}", Because(.reason.as_deref()))]
    SessionExpired {
        /// The method.
        method: String,
        /// The address, without credentials.
        url: String,
        /// Why there is no new session; `None` when there is one, or the server has refused that as well.
        reason: Option<String>,
        /// Whether the request was refused, because of the session, and not carried out. Otherwise it may have been.
        is_refused: bool,
    },
    /// The server could not be started.
    #[error("the server could not be started")]
    Spawn(#[from] crate::child::SpawnError),
    /// The answer ended, or broke, before its result came. Whether the request was carried out is unknown.
    #[error("the answer of {url} to {method} {} before its result", if .source.is_some() { "broke" } else { "ended" })]
    StreamEnded {
        /// The method.
        method: String,
        /// The address, without credentials.
        url: String,
        /// What broke; `None` when the server ended it.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The tool itself reports that it failed, in the words that its model reads.
    #[error("the tool failed: {message}")]
    Tool {
        /// What the tool says.
        message: String,
    },
    /// The answer did not come in time. The server was told, and the answer will be ignored.
    #[error("{method} was not answered within {}", Shown(*after))]
    Timeout {
        /// The method.
        method: String,
        /// The limit that was reached.
        after: Duration,
    },
    /// The server asked for input again and again.
    #[error("{method} wanted input {rounds} times without coming to an end")]
    TooManyRounds {
        /// The method.
        method: String,
        /// How often the request was repeated.
        rounds: u32,
    },
    /// The server wants other credentials: 401, or 403.
    #[error("{url} answered {method} with HTTP {status}: {}{}", Challenged(.challenge.as_deref()), Excerpt(.excerpt))]
    Unauthorized {
        /// The method.
        method: String,
        /// The address, without credentials.
        url: String,
        /// The status.
        status: u16,
        /// The `WWW-Authenticate` header: which credentials it wants.
        challenge: Option<String>,
        /// The beginning of the body, for people.
        excerpt: String,
    },
    /// The server is being brought back and was not there in time, or is not brought back any more. Nothing was sent.
    #[error("the server is not there{}: {reason}", Within(*.after))]
    Unavailable {
        /// How long it was waited for; `None`: it is not brought back any more.
        after: Option<Duration>,
        /// Why it is not there.
        reason: Arc<Self>,
    },
    /// The server cannot be reached. Nothing was sent.
    #[error("cannot reach {url}")]
    Unreachable {
        /// The address, without credentials.
        url: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It cannot be asked of this server. Nothing was sent.
    #[error("{method} is not possible here: {reason}")]
    Unsupported {
        /// The method.
        method: String,
        /// Why.
        reason: Unsupported,
    },
}

impl ClientError {
    /// Whether an answer did not come in time.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::Negotiation(Failure::Silent))
    }

    /// The same about a result of which only this member was read.
    pub(crate) fn within(mut self, member: &str) -> Self {
        if let Self::Decode { path, .. } = &mut self {
            // The decoder calls the whole of what it reads a dot.
            *path = if path == "." { member.to_owned() } else { format!("{member}{path}") };
        }
        self
    }

    /// Whether the connection is gone, or never was.
    #[must_use]
    pub const fn is_transport(&self) -> bool {
        matches!(
            self,
            Self::Closed(_)
                | Self::Negotiation(Failure::Exited)
                | Self::Spawn(_)
                | Self::StreamEnded { source: Some(_), .. }
                | Self::Unavailable { .. }
                | Self::Unreachable { .. }
        )
    }

    /// Whether the server answered with an error.
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        self.rpc().is_some()
    }

    /// Whether the request may have been carried out although there is no result.
    #[must_use]
    pub const fn is_outcome_unknown(&self) -> bool {
        if let Self::Http(answer) = self {
            // A client error is a refusal.
            return !matches!(answer.status, 400..=499);
        }
        matches!(
            self,
            Self::Closed(_)
                | Self::SessionExpired { is_refused: false, .. }
                | Self::StreamEnded { .. }
                | Self::Timeout { .. }
                | Self::Protocol { .. }
                | Self::Decode { .. }
                | Self::Output { .. }
        )
    }

    /// Whether the resource does not exist. Legacy servers say so with −32002, modern ones with −32602 and the
    /// URI in the data.
    ///
    /// Source: `server/resources#error-handling`, 2026-07-28.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        #[derive(serde::Deserialize)]
        struct Data {
            #[serde(rename = "uri")]
            _uri: String,
        }
        self.rpc().is_some_and(|error| match error.code {
            code::RESOURCE_NOT_FOUND => true,
            code::INVALID_PARAMS => error.data.as_ref().is_some_and(|data| data.decode::<Data>().is_ok()),
            _ => false,
        })
    }

    /// The server's error.
    #[must_use]
    pub const fn rpc(&self) -> Option<&ErrorObject> {
        match self {
            Self::Rpc { error, .. }
            | Self::Negotiation(
                Failure::InitializeRefused(error)
                | Failure::Refused(error)
                | Failure::NotModern(Some(error))
                | Failure::Status { error: Some(error), .. },
            ) => Some(error),
            _ => None,
        }
    }
}

/// Which credentials are wanted.
struct Challenged<'a>(Option<&'a str>);

impl fmt::Display for Challenged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(challenge) => write!(f, "it wants other credentials ({challenge})"),
            None => f.write_str("it wants other credentials, and does not say which"),
        }
    }
}

/// The beginning of a body.
struct Excerpt<'a>(&'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "; the body begins with: {}", self.0) }
    }
}

/// A reason, if there is one.
struct Because<'a>(Option<&'a str>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

/// How long something was waited for.
struct Within(Option<Duration>);

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(after) => write!(f, ", after {}", Shown(after)),
            None => f.write_str(" any more"),
        }
    }
}

/// A duration as people write it.
struct Shown(Duration);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.subsec_millis() {
            0 => write!(f, "{} s", self.0.as_secs()),
            _ => write!(f, "{} ms", self.0.as_millis()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_types::RawJson;

    fn rpc(code: i64, data: Option<&str>) -> ClientError {
        let data = data.map(|data| RawJson::parse(data).expect("JSON"));
        let error = ErrorObject { code, message: "m".to_owned(), data };
        ClientError::Rpc { method: "resources/read".to_owned(), error }
    }

    // spec: R027
    #[test]
    fn b089_a_missing_resource_is_recognised_in_both_eras() {
        assert!(rpc(-32002, None).is_not_found());
        assert!(rpc(-32602, Some(r#"{"uri":"res://none"}"#)).is_not_found());
        assert!(!rpc(-32602, None).is_not_found());
        assert!(!rpc(-32602, Some(r#"{"uri":7}"#)).is_not_found());
        assert!(!rpc(-32601, Some(r#"{"uri":"res://none"}"#)).is_not_found());
    }

    // spec: R029
    #[test]
    fn codes_without_a_meaning_get_none() {
        for code in [-32000, -32001, -32003, -32019] {
            let error = rpc(code, None);
            assert!(error.is_remote());
            assert!(!error.is_timeout() && !error.is_transport() && !error.is_not_found(), "{code}");
        }
    }

    #[test]
    fn errors_are_fragments_that_say_what_happened() {
        let timeout = |after| ClientError::Timeout { method: "tools/call".to_owned(), after };
        assert_eq!(
            timeout(Duration::from_millis(700)).to_string(),
            "tools/call was not answered within 700 ms"
        );
        assert_eq!(timeout(Duration::from_secs(60)).to_string(), "tools/call was not answered within 60 s");
        assert_eq!(rpc(-32601, None).to_string(), "resources/read failed: m (-32601)");
    }
}
