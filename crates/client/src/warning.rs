//! What went wrong without spoiling anything, as data.

use std::fmt;

use hermes_proto::correlate::Orphan;
use hermes_types::MalformedReason;

/// Something that a server did wrong, and that was put up with.
///
/// Warnings go to the function given to [`ClientBuilder::on_warning`](crate::ClientBuilder::on_warning). Those
/// about a whole list also come with the list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The server declares a capability, and refuses a method that goes with it.
    MethodMissing {
        /// The method.
        method: String,
    },
    /// A line that is no message was skipped. Reported once per kind.
    Noise {
        /// What is wrong with it.
        kind: Noise,
        /// Its beginning.
        sample: String,
    },
    /// Something that needs no answer was not accepted: a notification, or the answer to a question of the server.
    NotDelivered {
        /// The method, or what it is.
        method: String,
        /// Why.
        reason: String,
    },
    /// A list has more pages than a list may have; it ends here.
    PageLimit {
        /// The method.
        method: String,
        /// How many pages were read.
        pages: usize,
    },
    /// What the server says without being asked does not arrive any more: the stream for it is lost. Requests are
    /// answered all the same.
    PushStreamLost {
        /// Why.
        reason: String,
    },
    /// A page names a cursor that was used before; the list ends here.
    RepeatedCursor {
        /// The method.
        method: String,
        /// The cursor.
        cursor: String,
    },
    /// The server sent a request, which the modern era does not have; it was not answered.
    ServerRequest {
        /// The method.
        method: String,
    },
    /// The server has lost the session, and a new one was begun. What the server remembered in the old one is gone,
    /// except for subscriptions and the log level, which were asked for again.
    SessionReplaced,
    /// An entry of a list is not what the list is of; it was left out.
    SkippedEntry {
        /// The method.
        method: String,
        /// Its place in the page, from 0.
        position: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A page names a cursor that is no string; the list ends here.
    StrangeCursor {
        /// The method.
        method: String,
        /// The cursor, as JSON.
        cursor: String,
    },
    /// A response belongs to no request that is waited for. Reported once per kind.
    StrayResponse(Orphan),
    /// Nothing will end the server should this process be killed: no guard could be started.
    Unguarded {
        /// What the system says.
        reason: String,
    },
}

impl Warning {
    /// Its class, for logs: none of a server's own words.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::MethodMissing { .. } => "method_missing",
            Self::Noise { .. } => "noise",
            Self::NotDelivered { .. } => "not_delivered",
            Self::PageLimit { .. } => "page_limit",
            Self::PushStreamLost { .. } => "push_stream_lost",
            Self::RepeatedCursor { .. } => "repeated_cursor",
            Self::ServerRequest { .. } => "server_request",
            Self::SessionReplaced => "session_replaced",
            Self::SkippedEntry { .. } => "skipped_entry",
            Self::StrangeCursor { .. } => "strange_cursor",
            Self::StrayResponse(_) => "stray_response",
            Self::Unguarded { .. } => "unguarded",
        }
    }
}

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Noise {
    /// JSON, or nearly, but no message: why.
    Malformed(MalformedReason),
    /// Text that is no JSON.
    NotJson,
    /// Bytes that are no UTF-8.
    NotUtf8,
    /// Nested more deeply than is read.
    TooDeep,
    /// Longer than is read.
    TooLong {
        /// How long, in bytes.
        bytes: u64,
    },
}

impl Noise {
    pub(crate) fn of(reason: MalformedReason) -> Self {
        match reason {
            MalformedReason::Syntax(_) => Self::NotJson,
            other => Self::Malformed(other),
        }
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => write!(f, "no JSON-RPC message ({reason})"),
            Self::NotJson => f.write_str("not JSON"),
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::TooDeep => f.write_str("nested too deeply"),
            Self::TooLong { bytes } => write!(f, "too long ({bytes} bytes)"),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MethodMissing { method } => {
                write!(f, "the server declares the capability for {method}, but does not know the method")
            }
            Self::Noise { kind, sample } if sample.is_empty() => {
                write!(f, "skipped a line of the server that is {kind}")
            }
            Self::Noise { kind, sample } => {
                write!(f, "skipped a line of the server that is {kind}: {sample}")
            }
            Self::NotDelivered { method, reason } => {
                write!(f, "the server did not accept {method}: {reason}")
            }
            Self::PageLimit { method, pages } => {
                write!(f, "the list ends after {pages} pages of {method}, although there are more")
            }
            Self::PushStreamLost { reason } => {
                write!(f, "the server's own messages do not arrive any more: {reason}")
            }
            Self::RepeatedCursor { method, cursor } => {
                write!(f, "the list ends here: {method} repeats the cursor {cursor:?}")
            }
            Self::ServerRequest { method } => {
                write!(f, "the server sent the request {method}, which the modern era does not have")
            }
            Self::SessionReplaced => f.write_str("the server has lost the session; a new one was begun"),
            Self::SkippedEntry { method, position, reason } => {
                write!(f, "skipped the malformed entry {position} of {method}: {reason}")
            }
            Self::StrangeCursor { method, cursor } => {
                write!(f, "the list ends here: the cursor of {method} is no string: {cursor}")
            }
            Self::StrayResponse(orphan) => write!(f, "ignored {orphan}"),
            Self::Unguarded { reason } => {
                write!(f, "the server may outlive this process if it is killed: no guard ({reason})")
            }
        }
    }
}
