//! GET and DELETE: what only the legacy era has.

use hermes_types::{Fault, Revision};

use super::door::not_allowed;
use super::field::Field;
use super::place::{Place, no_session, place};
use super::policy::Policy;
use super::refused::{Refused, Standing, not_initialized};

/// A stream that a client wants to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attach<'a, S> {
    /// The event after which to go on, if a stream is resumed; else it is the session's own stream.
    pub last_event_id: Option<&'a str>,
    /// What the session speaks.
    pub revision: Revision,
    /// The session.
    pub session: S,
}

/// Decides about a GET that came through [`door`](super::door()).
///
/// | situation | outcome |
/// |---|---|
/// | no session header, and no modern version header | 400 |
/// | no live session, and a modern version header | 405: that era has no GET |
/// | the session is gone | 404 |
/// | version header unknown | 400 |
/// | the handshake is not complete | 400 |
/// | `Last-Event-ID` twice, or no text | 400 |
/// | otherwise | [`Attach`] |
///
/// ```
/// use hermes_proto::admit::{Field, Gone, Policy, Standing, get};
///
/// let field = |name: &str| if name == "mcp-session-id" { Field::One(&b"s"[..]) } else { Field::Absent };
/// let refused = get(&field, &Policy::default(), |_| Standing::<()>::Gone(Gone::Terminated));
/// assert!(refused.is_err_and(|refused| refused.status == 404));
/// ```
///
/// # Errors
/// [`Refused`], without an id.
///
/// Source: `basic/transports#listening-for-messages-from-the-server` and `#session-management`, 2025-03-26 to
/// 2025-11-25.
pub fn get<'h, S>(
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
    standing: impl FnOnce(&str) -> Standing<S>,
) -> Result<Attach<'h, S>, Refused> {
    let (session, revision) = session(field, policy, standing)?;
    let refuse = |message| Refused::of(Fault::invalid_request(message), revision, None);
    let last_event_id = match field("last-event-id").trimmed() {
        Field::Absent | Field::One([]) => None,
        Field::One(id) => {
            let text = std::str::from_utf8(id);
            Some(text.map_err(|_| refuse("the header Last-Event-ID holds no id that was given out"))?)
        }
        Field::Many(_) => return Err(refuse("the header Last-Event-ID stands twice")),
    };
    Ok(Attach { last_event_id, revision, session })
}

/// Decides about a DELETE that came through [`door`](super::door()): gives the session to end.
///
/// It is decided as for [`get`], without the last row but one.
///
/// # Errors
/// [`Refused`], without an id.
///
/// Source: `basic/transports#session-management`, 2025-03-26 to 2025-11-25.
pub fn delete<'h, S>(
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
    standing: impl FnOnce(&str) -> Standing<S>,
) -> Result<S, Refused> {
    session(field, policy, standing).map(|(session, _)| session)
}

fn session<'h, S>(
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
    standing: impl FnOnce(&str) -> Standing<S>,
) -> Result<(S, Revision), Refused> {
    match place(field, policy, standing)? {
        Place::Session { ready: true, revision, session } => Ok((session, revision)),
        Place::Session { revision, .. } => Err(Refused::of(not_initialized(), revision, None)),
        Place::Nowhere => Err(Refused::of(no_session(), Revision::LATEST_LEGACY, None)),
        // Without sessions there is nothing to read from and nothing to end.
        Place::Modern | Place::Alone(_) => Err(not_allowed(policy)),
    }
}
