//! What is decided about the body of a POST.

use std::borrow::Cow;

use hermes_types::{Fault, MalformedReason, Message, Method, Notification, Request, Revision, split_batch};

use super::field::Field;
use super::headers::compare;
use super::place::{Place, no_session, place, session_id};
use super::policy::{Legacy, Policy};
use super::refused::{Refused, Standing, is_ping, not_initialized};
use crate::channel::Posted;
use crate::framing::{Head, IdScan};
use crate::limits::Limits;
use crate::opening::{Handshake, Members, RequestMeta, names_no_revision};

/// What to do with the body of a POST.
#[derive(Clone, Debug)]
pub enum Admission<'a, S> {
    /// It opens a legacy session; without sessions it is answered all the same. A session that its headers name
    /// plays no part.
    Handshake {
        /// What both sides agree on.
        agreed: Box<Handshake>,
        /// The body.
        body: &'a str,
    },
    /// A modern request, whose headers agree with it. It is served alone.
    Modern {
        /// What its `_meta` says.
        meta: Box<RequestMeta<'a>>,
        /// The request. Its method may be one that nobody serves.
        request: Request<'a>,
        /// The revision it is served under.
        revision: Revision,
    },
    /// A notification that belongs to no session: 202. No revision knows one that has a meaning here.
    Notification(Notification<'a>),
    /// One message, or a batch where the revision has them, for this session. A response may be broken: whoever
    /// waits for it has to be told.
    Session {
        /// The body, and what was decoded of it.
        body: Posted<'a>,
        /// The session.
        session: S,
    },
    /// A legacy request, response or batch that is served alone.
    Stateless {
        /// The body.
        body: &'a str,
        /// The revision it is served under.
        revision: Revision,
    },
}

/// The text of a body.
///
/// # Errors
/// It is not UTF-8: 400 `parse_error`.
pub fn utf8(body: Vec<u8>) -> Result<String, Refused> {
    String::from_utf8(body).map_err(|_| {
        let fault = Fault::parse_error("the body is not UTF-8");
        Refused::of(fault, Revision::LATEST_LEGACY, None)
    })
}

/// Decides what to do with the body of a POST that came through [`door`](super::door()); [`utf8`] gives its text.
///
/// `standing` says how a session id stands, and for whom: a session of somebody else is `Unknown`. It is asked
/// at most once, and not at all for modern requests, handshakes, and without sessions.
///
/// By kind of message:
///
/// | body | outcome |
/// |---|---|
/// | too long | 413 |
/// | a request or notification whose `_meta` names a revision or capabilities | modern, see below |
/// | `initialize` | [`Admission::Handshake`], or 400 with the revisions where there is no legacy era |
/// | session gone | 404 `session_expired` |
/// | session or version header twice, version unknown | 400 |
/// | no JSON, too deep, no message | 400 |
/// | a batch, in a session of 2025-03-26 or alone under it | as one message; 400 if it is empty, mixes requests and responses, or opens a session |
/// | a batch anywhere else | 400 `invalid_request` |
/// | in a live session: anything | [`Admission::Session`] |
/// | in a session without a complete handshake: a request other than `ping` | 400 `not_initialized` |
/// | version header modern: a request | 400 `missing_meta` |
/// | version header modern: a notification | [`Admission::Notification`] |
/// | version header modern: a response | 400 `invalid_request` |
/// | no session: `server/discover`, `subscriptions/listen` | 400 `missing_meta` |
/// | no session: anything else | 400 `invalid_request`, or [`Admission::Stateless`] where there are no sessions |
///
/// A modern request, in this order:
///
/// | check | fault, 400 |
/// |---|---|
/// | both required members of `_meta` are there | `missing_meta` |
/// | `MCP-Protocol-Version`, `Mcp-Method`, and `Mcp-Name` where the method names something, are there | `header_mismatch` |
/// | they say what the body says | `header_mismatch` |
/// | the revision is served | `unsupported_revision` |
/// | `_meta` is in order | `missing_meta`, `invalid_params` |
///
/// Methods, `Mcp-Param-*` headers ([`mirrored`](super::mirrored)), capabilities and parameters come later.
///
/// ```
/// use hermes_proto::admit::{Admission, Field, Gone, Policy, Standing, body};
///
/// let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
/// let no_session = |_: &str| Standing::<()>::Gone(Gone::Unknown);
/// let admission = body(hello, &|_| Field::Absent, &Policy::default(), no_session)?;
/// assert!(matches!(admission, Admission::Handshake { agreed, .. } if agreed.revision.as_str() == "2025-06-18"));
/// # Ok::<(), hermes_proto::admit::Refused>(())
/// ```
///
/// # Errors
/// [`Refused`] with the request's id, where there is one and it can be read.
///
/// Source: `basic/transports`, 2025-03-26 to 2025-11-25; `basic/transports/streamable-http`, `basic/index` and
/// `basic/versioning`, 2026-07-28. They give no order of the checks; this one keeps what they say of pairs.
pub fn body<'a, 'h, S>(
    text: &'a str,
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
    standing: impl FnOnce(&str) -> Standing<S>,
) -> Result<Admission<'a, S>, Refused> {
    if text.len() > policy.body_bytes {
        return Err(Refused::too_large(policy.body_bytes));
    }
    if let Some((Message::Request(request), members)) = Members::with_message(text, policy.depth) {
        return self::request(text, request, Ok(members), field, policy, standing);
    }
    let limits = Limits { line_bytes: policy.body_bytes, depth: policy.depth };
    if let Some(head) = limits.too_deep(text) {
        let fault =
            Fault::invalid_request(format!("the message is nested deeper than {} levels", policy.depth));
        return unreadable(text, head, fault, place(field, policy, standing));
    }
    if text.trim_start().starts_with('[') {
        return batch(text, place(field, policy, standing)?);
    }
    match Message::decode(text) {
        Ok(Message::Request(request)) => {
            let members = Members::read(request.params);
            self::request(text, request, members, field, policy, standing)
        }
        Ok(Message::Notification(notification)) => {
            self::notification(text, notification, field, policy, standing)
        }
        Ok(Message::Response(_)) => response(text, place(field, policy, standing)?),
        Err(malformed) => {
            let fault = Fault::from(&malformed.reason);
            // What is no JSON is nothing, however it begins.
            let is_json = !matches!(malformed.reason, MalformedReason::Syntax(_));
            let head = match IdScan::head_of(text.as_bytes()) {
                head @ Head::Response(_) if is_json => head,
                Head::Request(_) | Head::Notification | Head::Response(_) | Head::Unknown => {
                    malformed.id.map_or(Head::Unknown, Head::Request)
                }
            };
            unreadable(text, head, fault, place(field, policy, standing))
        }
    }
}

fn request<'a, 'h, S>(
    text: &'a str,
    request: Request<'a>,
    members: Result<Members<'a>, Fault>,
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
    standing: impl FnOnce(&str) -> Standing<S>,
) -> Result<Admission<'a, S>, Refused> {
    let id = request.id.clone();
    let refuse = |fault, revision| Refused::of(fault, revision, Some(id.clone()));
    let (members, spoilt) = match members {
        Ok(members) if members.is_modern() => {
            return modern(request, members, field).map_err(|fault| refuse(fault, Revision::LATEST));
        }
        Ok(members) => (Some(members), None),
        Err(fault) => (None, Some(fault)),
    };
    let method = Method::parse(&request.method);
    if method == Some(Method::Initialize) {
        return handshake(text, &request, field, policy)
            .map_err(|Refused { fault, revision, .. }| refuse(fault, revision));
    }
    let place = place(field, policy, standing).map_err(|refused| refused.with_id(Some(id.clone())))?;
    match place {
        Place::Session { ready, session, .. } if ready || is_ping(&request.method) => {
            let posted = members.map(|members| Posted::decoded(text, request, members));
            Ok(Admission::Session { body: posted.unwrap_or_else(|| text.into()), session })
        }
        Place::Session { revision, .. } => Err(refuse(not_initialized(), revision)),
        Place::Alone(revision) => Ok(Admission::Stateless { body: text, revision }),
        Place::Modern => Err(refuse(spoilt.unwrap_or_else(names_no_revision), Revision::LATEST)),
        Place::Nowhere => match method {
            Some(Method::ServerDiscover | Method::SubscriptionsListen) => {
                Err(refuse(spoilt.unwrap_or_else(names_no_revision), Revision::LATEST))
            }
            _ => Err(refuse(no_session(), Revision::LATEST_LEGACY)),
        },
    }
}

fn modern<'a, 'h, S>(
    request: Request<'a>,
    members: Members<'a>,
    field: &dyn Fn(&str) -> Field<'h>,
) -> Result<Admission<'a, S>, Fault> {
    compare(&request, &members.requested()?, members.beside(), field)?;
    let (revision, meta) = members.modern()?;
    Ok(Admission::Modern { meta, request, revision })
}

fn handshake<'a, 'h, S>(
    text: &'a str,
    request: &Request<'a>,
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
) -> Result<Admission<'a, S>, Refused> {
    let refuse = |fault| Refused::of(fault, Revision::LATEST_LEGACY, None);
    if policy.legacy == Legacy::Off {
        #[derive(serde::Deserialize)]
        struct Params<'a> {
            #[serde(borrow, rename = "protocolVersion")]
            version: Cow<'a, str>,
        }
        let asked = request.params.and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok());
        let asked = asked.map_or(Cow::Borrowed(""), |params| params.version);
        return Err(Refused::of(
            Fault::unsupported_revision(&asked, policy.revisions()),
            Revision::LATEST,
            None,
        ));
    }
    // Which of two it means cannot be known, even if neither plays a part.
    session_id(field).map_err(refuse)?;
    let agreed = Handshake::negotiate(request.params).map_err(refuse)?;
    Ok(Admission::Handshake { agreed: Box::new(agreed), body: text })
}

fn notification<'a, 'h, S>(
    text: &'a str,
    notification: Notification<'a>,
    field: &dyn Fn(&str) -> Field<'h>,
    policy: &Policy,
    standing: impl FnOnce(&str) -> Standing<S>,
) -> Result<Admission<'a, S>, Refused> {
    if let Ok(members) = Members::read(notification.params)
        && members.is_modern()
    {
        // Nothing says which headers a notification needs, so none is asked for.
        return match members.modern() {
            Ok(_) => Ok(Admission::Notification(notification)),
            Err(fault) => Err(Refused::of(fault, Revision::LATEST, None)),
        };
    }
    match place(field, policy, standing)? {
        Place::Session { session, .. } => Ok(Admission::Session { body: text.into(), session }),
        Place::Modern | Place::Alone(_) => Ok(Admission::Notification(notification)),
        Place::Nowhere => Err(Refused::of(no_session(), Revision::LATEST_LEGACY, None)),
    }
}

fn response<S>(text: &str, place: Place<S>) -> Result<Admission<'_, S>, Refused> {
    match place {
        Place::Session { session, .. } => Ok(Admission::Session { body: text.into(), session }),
        Place::Alone(revision) => Ok(Admission::Stateless { body: text, revision }),
        Place::Modern => {
            let fault = Fault::invalid_request("a response, but this revision asks nothing of a client");
            Err(Refused::of(fault, Revision::LATEST, None))
        }
        Place::Nowhere => Err(Refused::of(no_session(), Revision::LATEST_LEGACY, None)),
    }
}

/// A text that is no message, or is too deep to be read as one. A refusal of its place comes first: to a client,
/// a dead session matters more.
fn unreadable<S>(
    text: &str,
    head: Head,
    fault: Fault,
    place: Result<Place<S>, Refused>,
) -> Result<Admission<'_, S>, Refused> {
    let id = |head: Head| head.into_request_id();
    match (place, head) {
        (Err(refused), head) => Err(refused.with_id(id(head))),
        (Ok(Place::Session { session, .. }), Head::Response(Some(_))) => {
            Ok(Admission::Session { body: text.into(), session })
        }
        (Ok(Place::Session { revision, .. } | Place::Alone(revision)), head) => {
            Err(Refused::of(fault, revision, id(head)))
        }
        (Ok(Place::Modern), head) => Err(Refused::of(fault, Revision::LATEST, id(head))),
        (Ok(Place::Nowhere), head) => Err(Refused::of(fault, Revision::LATEST_LEGACY, id(head))),
    }
}

/// A text that begins as an array.
fn batch<S>(text: &str, place: Place<S>) -> Result<Admission<'_, S>, Refused> {
    let (revision, ready) = match &place {
        Place::Session { ready, revision, .. } => (*revision, *ready),
        Place::Alone(revision) => (*revision, true),
        Place::Modern => (Revision::LATEST, true),
        Place::Nowhere => (Revision::LATEST_LEGACY, true),
    };
    let refuse = |fault| Err(Refused::of(fault, revision, None));
    let members = match split_batch(text) {
        Ok(members) => members,
        Err(malformed) => return refuse(Fault::from(&malformed.reason)),
    };
    if revision != Revision::V2025_03_26 {
        return refuse(Fault::from(&MalformedReason::Batch));
    }
    let (mut requests, mut responses, mut opens, mut waits) = (false, false, false, false);
    for member in members {
        match Message::decode(member.get()) {
            Ok(Message::Request(request)) => {
                requests = true;
                opens |= Method::parse(&request.method) == Some(Method::Initialize);
                waits |= !ready && !is_ping(&request.method);
            }
            Ok(Message::Response(_)) => responses = true,
            // What is no message is answered in its place.
            Ok(Message::Notification(_)) | Err(_) => {}
        }
    }
    if opens {
        return refuse(Fault::invalid_request("initialize stands alone, not in a batch"));
    }
    if requests && responses {
        return refuse(Fault::invalid_request("a batch has requests or responses, not both"));
    }
    if waits {
        return refuse(not_initialized());
    }
    match place {
        Place::Session { session, .. } => Ok(Admission::Session { body: text.into(), session }),
        Place::Alone(revision) => Ok(Admission::Stateless { body: text, revision }),
        Place::Modern | Place::Nowhere => refuse(Fault::from(&MalformedReason::Batch)),
    }
}
