//! Requests that are not admitted, and how that is said.

use hermes_types::{Fault, FaultKind, Method, RequestId, Revision};

use crate::channel::refusal;

/// A request that is not admitted: nothing was opened, run or changed.
///
/// ```
/// use hermes_proto::admit::{Gone, Refused, session_expired};
/// use hermes_types::Revision;
///
/// let refused = Refused::of(session_expired(Gone::Expired), Revision::V2025_11_25, Some(7.into()));
/// assert_eq!(refused.status, 404);
/// let body = String::from_utf8(refused.body()).unwrap_or_default();
/// assert!(body.contains("\"id\":7") && body.contains("\"reason\":\"expired\""));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Refused {
    /// The methods that are served here, for the `Allow` header of a 405.
    pub allow: Option<&'static str>,
    /// What is wrong.
    pub fault: Fault,
    /// The id of the request, where there was one and it could be read.
    pub id: Option<RequestId>,
    /// The revision that chooses the fault's code.
    pub revision: Revision,
    /// The HTTP status, 400 to 599.
    pub status: u16,
}

impl Refused {
    /// A refusal with the status that goes with its fault; 400 where the fault would go with 200.
    pub fn of(fault: Fault, revision: Revision, id: Option<RequestId>) -> Self {
        let status = fault.kind().http_status(revision).max(400);
        Self { allow: None, fault, id, revision, status }
    }

    /// The body is longer than allowed; its id is not looked for.
    pub fn too_large(limit: usize) -> Self {
        Self::at(413, format!("the body has more than {limit} bytes, which is the limit"))
    }

    /// A refusal of the request as HTTP, before any message was read.
    pub(super) fn at(status: u16, message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self {
            allow: None,
            fault: Fault::invalid_request(message),
            id: None,
            revision: Revision::LATEST_LEGACY,
            status,
        }
    }

    /// The same, for the request with this id.
    pub(super) fn with_id(self, id: Option<RequestId>) -> Self {
        Self { id, ..self }
    }

    /// The body, `application/json`: a JSON-RPC error, without the member `id` when no id could be read.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        refusal(self.id.as_ref(), self.revision, &self.fault)
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.fault, self.status)
    }
}

impl std::error::Error for Refused {}

/// How a session id stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<S> {
    /// Its session goes on.
    Live {
        /// Whether the answer to `initialize` was produced. `notifications/initialized` plays no part: requests
        /// may overtake it.
        ready: bool,
        /// What was agreed on.
        revision: Revision,
        /// The session.
        session: S,
    },
    /// There is no such session, or none that the caller may use.
    Gone(Gone),
}

/// Why there is no such session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gone {
    /// Nothing happened in it for too long, or it had to make room.
    Expired,
    /// Its client or its server ended it.
    Terminated,
    /// There never was one, it was forgotten, or it is somebody else's.
    Unknown,
}

impl Gone {
    /// The word for it on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Terminated => "terminated",
            Self::Unknown => "unknown",
        }
    }
}

/// The fault for a session that is gone: `session_expired`, with the reason in its data.
#[must_use]
pub fn session_expired(why: Gone) -> Fault {
    reconnect(FaultKind::SessionExpired, why.as_str())
}

/// The fault for a request that comes before the answer to `initialize`: `not_initialized`.
#[must_use]
pub fn not_initialized() -> Fault {
    reconnect(FaultKind::NotInitialized, "not_initialized")
}

fn reconnect(kind: FaultKind, reason: &'static str) -> Fault {
    let data = std::collections::BTreeMap::from([("reason", reason)]);
    Fault::new(kind, "Session expired or not initialized. Please reconnect.").with_data(&data)
}

/// Whether a method may be asked for before the answer to `initialize`.
pub(super) fn is_ping(method: &str) -> bool {
    Method::parse(method) == Some(Method::Ping)
}
