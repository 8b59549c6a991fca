//! The headers that say what a body says.

use hermes_types::{Fault, FaultKind, Method, Request, Revision};

use super::field::Field;
use super::policy::Policy;
use super::sentinel::decode_sentinel;
use crate::opening::{Beside, Member};

/// What `MCP-Protocol-Version` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Absent,
    /// A revision that some version of the protocol has.
    Known(Revision),
    Unknown(String),
    Twice,
}

pub(super) const VERSION: &str = "mcp-protocol-version";

impl Version {
    pub(super) fn read<'h>(field: &dyn Fn(&str) -> Field<'h>) -> Self {
        match field(VERSION).trimmed() {
            Field::Absent => Self::Absent,
            Field::One(value) => {
                let text = String::from_utf8_lossy(value);
                text.parse().map_or_else(|_| Self::Unknown(text.into_owned()), Self::Known)
            }
            Field::Many(_) => Self::Twice,
        }
    }

    pub(super) fn names_modern(&self) -> bool {
        matches!(self, Self::Known(revision) if revision.is_modern())
    }

    /// The revision that it names, if it names one.
    ///
    /// # Errors
    /// The fault of a header that names none.
    pub(super) fn known(&self, policy: &Policy) -> Result<Option<Revision>, Fault> {
        match self {
            Self::Absent => Ok(None),
            Self::Known(revision) => Ok(Some(*revision)),
            Self::Unknown(version) => Err(Fault::unsupported_revision(version, policy.revisions())),
            Self::Twice => Err(mismatch("the header MCP-Protocol-Version stands twice")),
        }
    }
}

fn mismatch(message: impl Into<std::borrow::Cow<'static, str>>) -> Fault {
    Fault::new(FaultKind::HeaderMismatch, message)
}

/// Compares the headers of a modern request with its body: the version with the one in `_meta`, `Mcp-Method` with
/// the method, and `Mcp-Name` with whatever the method names.
///
/// Source: `basic/transports/streamable-http#server-validation`, 2026-07-28.
pub(super) fn compare<'h>(
    request: &Request<'_>,
    version: &str,
    beside: &Beside<'_>,
    field: &dyn Fn(&str) -> Field<'h>,
) -> Result<(), Fault> {
    let said_version = required("MCP-Protocol-Version", field(VERSION))?;
    let said_method = required("Mcp-Method", field("mcp-method"))?;
    let named = names(&request.method);
    let said_name = named.map(|_| required("Mcp-Name", field("mcp-name"))).transpose()?;
    if said_version != version.as_bytes() {
        return Err(mismatch("the header MCP-Protocol-Version differs from params._meta"));
    }
    if said_method != request.method.as_bytes() {
        return Err(mismatch("the header Mcp-Method differs from the method"));
    }
    let (Some(member), Some(said)) = (named, said_name) else { return Ok(()) };
    let said = decode_sentinel(said)
        .map_err(|bad| mismatch(format!("the header Mcp-Name cannot be read: {bad}")))?;
    if member.of(beside).text().is_some_and(|name| name == said) {
        Ok(())
    } else {
        Err(mismatch(format!("the header Mcp-Name differs from params.{}", member.as_str())))
    }
}

fn required<'h>(name: &str, found: Field<'h>) -> Result<&'h [u8], Fault> {
    match found.trimmed() {
        Field::One(value) => Ok(value),
        Field::Absent => Err(mismatch(format!("the header {name} is missing"))),
        Field::Many(_) => Err(mismatch(format!("the header {name} stands twice"))),
    }
}

/// The member of `params` that `Mcp-Name` repeats.
#[derive(Clone, Copy)]
enum Named {
    Name,
    TaskId,
    Uri,
}

fn names(method: &str) -> Option<Named> {
    match Method::parse(method) {
        Some(Method::ToolsCall | Method::PromptsGet) => Some(Named::Name),
        Some(Method::ResourcesRead) => Some(Named::Uri),
        Some(Method::TasksGet | Method::TasksUpdate | Method::TasksCancel) => Some(Named::TaskId),
        _ => None,
    }
}

impl Named {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::TaskId => "taskId",
            Self::Uri => "uri",
        }
    }

    /// The member.
    const fn of<'a>(self, beside: &Beside<'a>) -> Member<'a> {
        match self {
            Self::Name => beside.name,
            Self::TaskId => beside.task_id,
            Self::Uri => beside.uri,
        }
    }
}
