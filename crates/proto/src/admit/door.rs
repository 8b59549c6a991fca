//! What is decided before a body is read.

use super::accept::{Accept, is_json};
use super::field::Field;
use super::origin::Guest;
use super::policy::{Legacy, Policy};
use super::refused::Refused;

/// What a request wants, by its method and headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// It ends a session; see [`delete`](super::delete).
    Delete,
    /// It opens a stream of a session, or resumes one; see [`get`](super::get).
    Get,
    /// It brings a message; read the body, as far as the policy allows, and see [`body`](super::body()).
    Post {
        /// In which forms it takes the answer.
        accept: Accept,
    },
    /// A browser asks what a page of an allowed origin may do: answer 204 with what is permitted. No credentials
    /// come with it, so there is nothing to check.
    Preflight,
}

/// Decides by method and headers what a request wants, before its body is read.
///
/// | method | situation | outcome |
/// |---|---|---|
/// | `POST` | `Content-Type` is not `application/json`, or the body is compressed | 415 |
/// | `POST` | `Accept` has neither `application/json` nor `text/event-stream` | 406 |
/// | `POST` | `Content-Length` above the limit | 413 |
/// | `POST` | otherwise | [`Door::Post`] |
/// | `GET`, `DELETE` | there are no sessions | 405 |
/// | `GET` | `Accept` has no `text/event-stream` | 406 |
/// | `GET`, `DELETE` | otherwise | [`Door::Get`], [`Door::Delete`] |
/// | `OPTIONS` | from an allowed origin | [`Door::Preflight`] |
/// | anything else | | 405 |
///
/// ```
/// use hermes_proto::admit::{Accept, Arrival, Door, Field, Policy, door, guard};
///
/// let policy = Policy::default();
/// let field = |name: &str| match name {
///     "host" => Field::One(&b"localhost:8000"[..]),
///     "content-type" => Field::One(b"application/json; charset=utf-8"),
///     _ => Field::Absent,
/// };
/// let guest = guard(&field, &policy, Arrival::default())?;
/// let both = Accept { events: true, json: true };
/// assert_eq!(door(&guest, "POST", &field, &policy)?, Door::Post { accept: both });
/// assert_eq!(door(&guest, "PUT", &field, &policy).unwrap_err().allow, Some("GET, POST, DELETE"));
/// # Ok::<(), hermes_proto::admit::Refused>(())
/// ```
///
/// # Errors
/// [`Refused`] without an id, as no message was read. Nothing of the body has to be looked at.
///
/// Source: `basic/transports`, 2025-03-26 to 2025-11-25, and `basic/transports/streamable-http`, 2026-07-28.
/// They leave the statuses 405, 406, 413 and 415 open, except that GET and DELETE may be answered with 405.
pub fn door<'a>(
    guest: &Guest<'_>,
    method: &str,
    field: &dyn Fn(&str) -> Field<'a>,
    policy: &Policy,
) -> Result<Door, Refused> {
    match method {
        "POST" => post(field, policy),
        "GET" if policy.legacy == Legacy::Sessions => {
            if Accept::read(&field("accept")).events {
                Ok(Door::Get)
            } else {
                Err(Refused::at(406, "a GET opens a stream: the header Accept needs text/event-stream"))
            }
        }
        "DELETE" if policy.legacy == Legacy::Sessions => Ok(Door::Delete),
        "OPTIONS" if guest.origin().is_some() => Ok(Door::Preflight),
        _ => Err(not_allowed(policy)),
    }
}

/// The method is not served here.
pub(super) fn not_allowed(policy: &Policy) -> Refused {
    let allow = policy.allow();
    Refused { allow: Some(allow), ..Refused::at(405, format!("this endpoint serves {allow}")) }
}

fn post<'a>(field: &dyn Fn(&str) -> Field<'a>, policy: &Policy) -> Result<Door, Refused> {
    if !is_json(&field("content-type").trimmed()) {
        return Err(Refused::at(415, "the header Content-Type has to be application/json"));
    }
    match field("content-encoding").trimmed() {
        Field::Absent => {}
        Field::One(coding) if coding.eq_ignore_ascii_case(b"identity") => {}
        Field::One(_) | Field::Many(_) => {
            return Err(Refused::at(415, "compressed bodies are not read: send it without Content-Encoding"));
        }
    }
    let accept = Accept::read(&field("accept"));
    if accept.is_neither() {
        return Err(Refused::at(406, "the header Accept has to name application/json and text/event-stream"));
    }
    if let Field::One(length) = field("content-length").trimmed()
        && exceeds(length, policy.body_bytes)
    {
        return Err(Refused::too_large(policy.body_bytes));
    }
    Ok(Door::Post { accept })
}

/// Whether a number in decimal digits is above the limit. What is no number is the HTTP parser's business.
fn exceeds(digits: &[u8], limit: usize) -> bool {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<usize>().ok());
    // Too large for the machine is too large.
    number.is_none_or(|number| number > limit)
}
