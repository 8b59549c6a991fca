//! Where a request belongs that does not say so in its body.

use hermes_types::{Fault, FaultKind, Revision};

use super::field::Field;
use super::headers::Version;
use super::policy::{Legacy, Policy};
use super::refused::{Refused, Standing, session_expired};

const SESSION: &str = "mcp-session-id";

/// Where a message belongs whose `_meta` names no revision.
#[derive(Clone, Debug)]
pub(super) enum Place<S> {
    /// Alone, under this legacy revision.
    Alone(Revision),
    /// In the modern era, as far as the header says.
    Modern,
    /// Nowhere: it names no session, and there has to be one.
    Nowhere,
    /// In this session.
    Session { ready: bool, revision: Revision, session: S },
}

/// Finds the place of a message by its headers.
///
/// A live session counts more than the version header, as a session cannot change its revision; the version
/// header counts more than a session that is gone, as the modern era has none.
///
/// | sessions are | session header | version header | place |
/// |---|---|---|---|
/// | used | live | any known or none | that session |
/// | used | live | unknown, twice | 400 |
/// | used | gone | modern | modern |
/// | used | gone | any other | 404 |
/// | used, not used | none, or not used | modern | modern |
/// | used, not used | none, or not used | unknown, twice | 400 |
/// | used | none | legacy or none | nowhere |
/// | not used | not used | legacy or none | alone; without the header under 2025-03-26 |
/// | (legacy era off) | not used | any | modern |
pub(super) fn place<'h, S>(
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
    standing: impl FnOnce(&str) -> Standing<S>,
) -> Result<Place<S>, Refused> {
    let version = Version::read(field);
    let legacy = |fault| Refused::of(fault, Revision::LATEST_LEGACY, None);
    match policy.legacy {
        Legacy::Off => return Ok(Place::Modern),
        Legacy::Sessions => {
            if let Some(id) = session_id(field).map_err(legacy)? {
                return match stands(id, standing) {
                    Standing::Live { ready, revision, session } => {
                        let known = version.known(policy);
                        known.map_err(|fault| Refused::of(fault, revision, None))?;
                        Ok(Place::Session { ready, revision, session })
                    }
                    Standing::Gone(_) if version.names_modern() => Ok(Place::Modern),
                    Standing::Gone(why) => Err(legacy(session_expired(why))),
                };
            }
        }
        Legacy::Stateless => {}
    }
    let named = version.known(policy).map_err(legacy)?;
    match (named, policy.legacy) {
        (Some(revision), _) if revision.is_modern() => Ok(Place::Modern),
        (_, Legacy::Sessions | Legacy::Off) => Ok(Place::Nowhere),
        (named, Legacy::Stateless) => Ok(Place::Alone(named.unwrap_or(UNNAMED))),
    }
}

/// What a request without a version header speaks: the header came with the revision after this one.
const UNNAMED: Revision = Revision::V2025_03_26;

/// The id that the session header holds. An empty one is none.
///
/// # Errors
/// The fault of a header that stands twice.
pub(super) fn session_id<'h>(field: &dyn Fn(&str) -> Field<'h>) -> Result<Option<&'h [u8]>, Fault> {
    match field(SESSION).trimmed() {
        Field::Absent | Field::One([]) => Ok(None),
        Field::One(id) => Ok(Some(id)),
        Field::Many(_) => Err(Fault::invalid_request("the header Mcp-Session-Id stands twice")),
    }
}

/// How a session id stands. What is no text was never given out.
fn stands<S>(id: &[u8], standing: impl FnOnce(&str) -> Standing<S>) -> Standing<S> {
    std::str::from_utf8(id).map_or(Standing::Gone(super::refused::Gone::Unknown), standing)
}

/// The fault of a message that names no session where it has to.
pub(super) fn no_session() -> Fault {
    Fault::new(
        FaultKind::InvalidRequest,
        "the header Mcp-Session-Id is missing: initialize first, or name a protocol version in params._meta",
    )
}
