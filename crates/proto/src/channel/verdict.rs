//! What a channel says about a line.

use std::borrow::Cow;

use hermes_types::{ErrorObject, FaultKind, Method, RequestId, Revision};
use serde_json::value::RawValue;

use super::CallId;
use crate::correlate::Orphan;
use crate::opening::{Handshake, RequestMeta};

/// What is to be done about a message.
#[derive(Clone, Debug)]
pub enum Verdict<'a, C> {
    /// A running call is no longer wanted: drop its handler. Nothing more is sent for it.
    Cancel {
        /// The call.
        call: CallId,
        /// Why, in the client's words.
        reason: Option<Cow<'a, str>>,
        /// The responses of its batch, if they waited for nothing else: send them where that batch is answered.
        released: Option<Vec<u8>>,
    },
    /// The legacy handshake was accepted: answer it, as any call.
    Handshake {
        /// The call to settle.
        call: CallId,
        /// The id of the request.
        request_id: RequestId,
        /// What was agreed on.
        agreed: Box<Handshake>,
    },
    /// Nothing is to be done, and why.
    Ignore(Ignored),
    /// The client says that something happened.
    Notify(Notified<'a>),
    /// Send this error: the request was not accepted.
    Refuse {
        /// Whose fault it was, which over HTTP chooses the status.
        kind: FaultKind,
        /// The whole message.
        response: Vec<u8>,
    },
    /// Send this message as it is: the response to what needed no call, or those of a batch.
    Reply(Vec<u8>),
    /// Serve this request.
    Run(Call<'a>),
    /// A request of ours has its outcome.
    Settle {
        /// Its id.
        id: RequestId,
        /// What its caller left.
        caller: C,
        /// The result, or the error.
        outcome: Result<&'a RawValue, ErrorObject>,
    },
}

impl<C> Verdict<'_, C> {
    /// The call that it accepts, if it does: one to be run, or the handshake.
    #[must_use]
    pub const fn call(&self) -> Option<CallId> {
        match self {
            Self::Run(call) => Some(call.call),
            Self::Handshake { call, .. } => Some(*call),
            Self::Cancel { .. }
            | Self::Ignore(_)
            | Self::Notify(_)
            | Self::Refuse { .. }
            | Self::Reply(_)
            | Self::Settle { .. } => None,
        }
    }
}

/// A request to be served. Its outcome goes to [`Channel::settle`](super::Channel::settle).
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The call.
    pub call: CallId,
    /// The id that the response carries.
    pub request_id: RequestId,
    /// The revision it is served under.
    pub revision: Revision,
    /// The method's name, known or not.
    pub method: Cow<'a, str>,
    /// The `params` object, if there was one.
    pub params: Option<&'a RawValue>,
    /// What `params._meta` says.
    pub meta: Box<RequestMeta<'a>>,
}

/// A notification that a server may want to know of.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Notified<'a> {
    /// The handshake is complete; the params say nothing.
    Initialized,
    /// Progress of a request of ours.
    Progress(Option<&'a RawValue>),
    /// The client's roots changed.
    RootsChanged,
}

impl Notified<'_> {
    /// Its method.
    #[must_use]
    pub const fn method(&self) -> Method {
        match self {
            Self::Initialized => Method::Initialized,
            Self::Progress(_) => Method::Progress,
            Self::RootsChanged => Method::RootsListChanged,
        }
    }
}

/// Why nothing is to be done about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ignored {
    /// It cancels nothing that runs.
    CancelsNothing,
    /// An error about a request whose id the peer could not read.
    ErrorWithoutId,
    /// A notification or a response that is broken; neither is ever answered.
    Malformed,
    /// A notification that means nothing here.
    UnknownNotification,
    /// A response that nobody waits for.
    Response(Orphan),
}

impl std::fmt::Display for Ignored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Response(orphan) => return orphan.fmt(f),
            Self::CancelsNothing => "a cancellation of nothing that runs",
            Self::ErrorWithoutId => "an error without an id",
            Self::Malformed => "a broken notification or response",
            Self::UnknownNotification => "a notification without a meaning here",
        })
    }
}

/// The verdicts on one line, in order: one for a single message, any number for a batch.
#[derive(Debug)]
pub struct Verdicts<'a, C> {
    first: Option<Verdict<'a, C>>,
    rest: std::vec::IntoIter<Verdict<'a, C>>,
}

impl<'a, C> From<Verdict<'a, C>> for Verdicts<'a, C> {
    fn from(verdict: Verdict<'a, C>) -> Self {
        Self { first: Some(verdict), rest: Vec::new().into_iter() }
    }
}

impl<'a, C> From<Vec<Verdict<'a, C>>> for Verdicts<'a, C> {
    fn from(verdicts: Vec<Verdict<'a, C>>) -> Self {
        Self { first: None, rest: verdicts.into_iter() }
    }
}

impl<'a, C> From<Verdicts<'a, C>> for Vec<Verdict<'a, C>> {
    /// All that are left. A verdict is large, so the one on a single message is moved once.
    fn from(verdicts: Verdicts<'a, C>) -> Self {
        match verdicts.first {
            Some(first) if verdicts.rest.as_slice().is_empty() => vec![first],
            Some(first) => std::iter::once(first).chain(verdicts.rest).collect(),
            None => verdicts.rest.collect(),
        }
    }
}

impl<'a, C> Iterator for Verdicts<'a, C> {
    type Item = Verdict<'a, C>;

    fn next(&mut self) -> Option<Verdict<'a, C>> {
        self.first.take().or_else(|| self.rest.next())
    }
}
