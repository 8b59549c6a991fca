//! The JSON-RPC 2.0 envelope, decoded first and without a copy.
//!
//! Decoding is method-directed: this module finds out *what* a message is and borrows its `params`,
//! `result` or `error` as raw text. Only then does the caller decode the one type that the method names.
//! Nothing is guessed from the shape of the contents.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{BadId, RawJson, RequestId, Walk};

/// One message, borrowed from the text it was read from.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// Something that wants a response.
    Request(Request<'a>),
    /// Something that wants none and gets none.
    Notification(Notification<'a>),
    /// The outcome of a request of ours.
    Response(Response<'a>),
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The id that the response has to carry.
    pub id: RequestId,
    /// The method's name, known or not.
    pub method: Cow<'a, str>,
    /// The `params` object, if there was one.
    pub params: Option<&'a RawValue>,
}

/// A notification.
#[derive(Clone, Debug)]
pub struct Notification<'a> {
    /// The method's name, known or not.
    pub method: Cow<'a, str>,
    /// The `params` object, if there was one.
    pub params: Option<&'a RawValue>,
}

/// A response: the result or the error of an earlier request.
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// The request's id; absent only in an error about a request whose id the peer could not read.
    pub id: Option<RequestId>,
    /// What became of the request.
    pub outcome: Result<&'a RawValue, ErrorObject>,
}

/// The `error` member of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// The code; see [`crate::code`] for the ones with a meaning.
    pub code: i64,
    /// One short sentence.
    #[serde(default)]
    pub message: String,
    /// Anything more the sender wants to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<RawJson>,
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

/// What was read is JSON, or was meant to be, but no JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The id of the message when it could be read; an answer carries it, and no other.
    pub id: Option<RequestId>,
    /// What is wrong.
    pub reason: MalformedReason,
}

/// Why a text is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedReason {
    /// An array; only 2025-03-26 has batches.
    Batch,
    /// The `id` member is neither a string nor an integer, or too long.
    Id(BadId),
    /// `jsonrpc` is missing or not `"2.0"`.
    JsonRpc,
    /// `method` is there but no string.
    Method,
    /// It has none of `method`, `result` and `error`, or is no object at all.
    NoMessage,
    /// `params` is there but no object.
    Params,
    /// A response with both or with a broken `error`; never answered.
    Response,
    /// Not JSON: what the parser says, and where.
    Syntax(String),
    /// A member stands twice.
    Twice(String),
}

impl fmt::Display for MalformedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Batch => f.write_str("a batch where a single message is expected"),
            Self::Id(bad) => write!(f, "bad id: {bad}"),
            Self::JsonRpc => f.write_str("the member `jsonrpc` has to be \"2.0\""),
            Self::Method => f.write_str("the member `method` has to be a string"),
            Self::NoMessage => f.write_str("not a request, a notification or a response"),
            Self::Params => f.write_str("the member `params` has to be an object"),
            Self::Response => f.write_str("a response has either a result or an error with code and message"),
            Self::Syntax(detail) => write!(f, "not JSON: {detail}"),
            Self::Twice(detail) => f.write_str(detail),
        }
    }
}

/// The members of a message, before anything is concluded from them.
#[derive(Default, Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from absence: a request with `"id": null` is malformed, not a notification.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> Members<'a> {
    /// Reads them on a walk, if they are plain. `params` passes that member's value.
    fn walk(
        mut walk: Walk<'a>,
        mut params: impl FnMut(&mut Walk<'a>) -> Option<&'a RawValue>,
    ) -> Option<Self> {
        let mut members = Self::default();
        walk.object(|walk, name| {
            let (place, value) = match name {
                "jsonrpc" => (&mut members.jsonrpc, walk.value()?),
                "id" => (&mut members.id, walk.value()?),
                "method" => (&mut members.method, walk.value()?),
                "params" => (&mut members.params, params(walk)?),
                "result" => (&mut members.result, walk.value()?),
                "error" => (&mut members.error, walk.value()?),
                _ => return walk.value().map(drop),
            };
            // Which of two is meant is not for a walk to say.
            place.replace(value).is_none().then_some(())
        })?;
        walk.is_over().then_some(members)
    }
}

impl<'a> Message<'a> {
    /// Reads one message in one [`Walk`] of at most so many levels, while somebody looks into its params: `params` passes
    /// that member's value, and gives it.
    ///
    /// `None` says nothing about the text, except that it is not as plain as most messages are: [`decode`](Self::decode) tells
    /// what it is.
    ///
    /// ```
    /// use hermes_types::Message;
    ///
    /// let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add"}}"#;
    /// let mut names = Vec::new();
    /// let message = Message::walk(text, 128, |params| {
    ///     params.object(|params, name| {
    ///         names.push(name);
    ///         params.value().map(drop)
    ///     })
    /// });
    /// assert!(matches!(message, Some(Message::Request(_))));
    /// assert_eq!(names, ["name"]);
    /// ```
    pub fn walk(
        text: &'a str,
        levels: usize,
        params: impl FnMut(&mut Walk<'a>) -> Option<&'a RawValue>,
    ) -> Option<Self> {
        Self::of(&Members::walk(Walk::new(text, levels), params)?).ok()
    }

    /// Reads one message.
    ///
    /// ```
    /// use hermes_types::Message;
    ///
    /// let text = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    /// let Ok(Message::Request(request)) = Message::decode(text) else { panic!("a request") };
    /// assert_eq!((request.id, &*request.method), (7.into(), "ping"));
    /// ```
    ///
    /// # Errors
    /// [`Malformed`] with the id, where one could be read, and the reason.
    pub fn decode(text: &'a str) -> Result<Self, Malformed> {
        if let Some(members) = Members::walk(Walk::new(text, usize::MAX), Walk::value) {
            return Self::of(&members);
        }
        if text.trim_start().starts_with('[') {
            // The derived decoder would take an array for a list of the members.
            return Err(Malformed::undecodable(text, "an array"));
        }
        match serde_json::from_str(text) {
            Ok(members) => Self::of(&members),
            Err(error) => Err(Malformed::undecodable(text, error)),
        }
    }

    fn of(members: &Members<'a>) -> Result<Self, Malformed> {
        let id = match members.id.map(RequestId::from_raw).transpose() {
            Ok(id) => id,
            // An error about a message whose id was unreadable may say `"id": null`.
            Err(_) if members.error.is_some() && members.method.is_none() => None,
            Err(bad) => return Err(Malformed { id: None, reason: MalformedReason::Id(bad) }),
        };
        match members.jsonrpc {
            Some(version) if version.get() == "\"2.0\"" => {}
            _ => return Err(Malformed { id, reason: MalformedReason::JsonRpc }),
        }
        match members.method {
            Some(method) => Self::call(id, method, members.params),
            None => Self::response(id, members.result, members.error),
        }
    }

    fn call(
        id: Option<RequestId>,
        method: &'a RawValue,
        params: Option<&'a RawValue>,
    ) -> Result<Self, Malformed> {
        let Some(method) = text_of(method) else {
            return Err(Malformed { id, reason: MalformedReason::Method });
        };
        let params = params.filter(|params| params.get() != "null");
        if params.is_some_and(|params| !params.get().starts_with('{')) {
            return Err(Malformed { id, reason: MalformedReason::Params });
        }
        Ok(match id {
            Some(id) => Self::Request(Request { id, method, params }),
            None => Self::Notification(Notification { method, params }),
        })
    }

    fn response(
        id: Option<RequestId>,
        result: Option<&'a RawValue>,
        error: Option<&'a RawValue>,
    ) -> Result<Self, Malformed> {
        match (result, error) {
            (Some(result), None) if id.is_some() => Ok(Self::Response(Response { id, outcome: Ok(result) })),
            // The derived decoder would take an array for the members of an error.
            (None, Some(error)) if error.get().starts_with('{') => match serde_json::from_str(error.get()) {
                Ok(error) => Ok(Self::Response(Response { id, outcome: Err(error) })),
                Err(_) => Err(Malformed { id, reason: MalformedReason::Response }),
            },
            (None, None) => Err(Malformed { id, reason: MalformedReason::NoMessage }),
            (Some(_), _) | (None, Some(_)) => Err(Malformed { id, reason: MalformedReason::Response }),
        }
    }
}

/// The text that a JSON string stands for, borrowed unless it holds escapes; nothing if the JSON is no string.
///
/// ```
/// use hermes_types::text_of;
/// use serde_json::value::RawValue;
///
/// let raw: &RawValue = serde_json::from_str(r#""tools\/call""#)?;
/// assert_eq!(text_of(raw).as_deref(), Some("tools/call"));
/// assert_eq!(text_of(RawValue::NULL), None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    /// A plain `Cow` would always be copied.
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let inside = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr(b'\\', inside.as_bytes()).is_none() {
        // It is valid JSON, so without escapes it says what it spells.
        return Some(Cow::Borrowed(inside));
    }
    serde_json::from_str(raw.get()).ok().map(|Text(text)| text)
}

impl Malformed {
    fn undecodable(text: &str, why: impl fmt::Display) -> Self {
        // The decoder stops at the first thing that does not fit, be the rest JSON or not.
        let reason = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
            Err(error) => MalformedReason::Syntax(error.to_string()),
            // All members are raw, so the only thing wrong with an object's data is a second `id` or so.
            Ok(_) if text.trim_start().starts_with('{') => MalformedReason::Twice(why.to_string()),
            Ok(_) if text.trim_start().starts_with('[') => MalformedReason::Batch,
            Ok(_) => MalformedReason::NoMessage,
        };
        Self { id: None, reason }
    }

    /// Whether nothing may be sent back: a response is never answered.
    #[must_use]
    pub const fn is_response(&self) -> bool {
        matches!(self.reason, MalformedReason::Response)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl std::error::Error for Malformed {}

/// Splits a batch (2025-03-26 only) into the texts of its members.
///
/// # Errors
/// [`Malformed`] without an id: the text is no JSON array, or an empty one.
///
/// Source: `basic/index#batching`, 2025-03-26.
pub fn split_batch(text: &str) -> Result<Vec<&RawValue>, Malformed> {
    let members: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|error| Malformed::undecodable(text, error))?;
    if members.is_empty() {
        return Err(Malformed { id: None, reason: MalformedReason::NoMessage });
    }
    Ok(members)
}

/// A request to be sent: `{"jsonrpc":"2.0","id":…,"method":…,"params":…}`.
#[derive(Debug)]
pub struct OutgoingRequest<'a, P> {
    /// The id to be echoed.
    pub id: &'a RequestId,
    /// The method.
    pub method: &'a str,
    /// The parameters.
    pub params: Option<P>,
}

/// A notification to be sent.
#[derive(Debug)]
pub struct OutgoingNotification<'a, P> {
    /// The method.
    pub method: &'a str,
    /// The parameters.
    pub params: Option<P>,
}

/// A response to be sent. An error may lack the id, when it answers something whose id was unreadable.
#[derive(Debug)]
pub struct OutgoingResponse<'a, R> {
    /// The id of the request that is answered.
    pub id: Option<&'a RequestId>,
    /// The result, or the error.
    pub outcome: Result<R, &'a ErrorObject>,
}

impl<P: Serialize> Serialize for OutgoingRequest<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        members(serializer, Some(self.id), |map| {
            map.entry("method", self.method)?;
            self.params.as_ref().map_or(Ok(()), |params| map.entry("params", params))
        })
    }
}

impl<P: Serialize> Serialize for OutgoingNotification<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        members(serializer, None, |map| {
            map.entry("method", self.method)?;
            self.params.as_ref().map_or(Ok(()), |params| map.entry("params", params))
        })
    }
}

impl<R: Serialize> Serialize for OutgoingResponse<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        members(serializer, self.id, |map| match &self.outcome {
            Ok(result) => map.entry("result", result),
            Err(error) => map.entry("error", error),
        })
    }
}

/// The map of one message, so that all three kinds begin alike.
struct MessageMap<M>(M);

impl<M: serde::ser::SerializeMap> MessageMap<M> {
    fn entry<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), M::Error> {
        self.0.serialize_entry(key, value)
    }
}

fn members<S: Serializer>(
    serializer: S,
    id: Option<&RequestId>,
    rest: impl FnOnce(&mut MessageMap<S::SerializeMap>) -> Result<(), S::Error>,
) -> Result<S::Ok, S::Error> {
    let mut map = MessageMap(serializer.serialize_map(None)?);
    map.entry("jsonrpc", "2.0")?;
    if let Some(id) = id {
        map.entry("id", id)?;
    }
    rest(&mut map)?;
    serde::ser::SerializeMap::end(map.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> (Option<RequestId>, MalformedReason) {
        let malformed = Message::decode(text).expect_err(text);
        (malformed.id, malformed.reason)
    }

    // spec: R001, R012
    #[test]
    fn the_three_kinds_are_told_apart_by_their_members() {
        let request = Message::decode(r#"{"jsonrpc":"2.0","id":"a","method":"x/y","params":{"n":1},"z":0}"#);
        assert!(matches!(request, Ok(Message::Request(r)) if r.id == "a".into() && r.method == "x/y"
            && r.params.is_some_and(|p| p.get() == "{\"n\":1}")));
        let notification = Message::decode(r#"{"method":"n\u0061","jsonrpc":"2.0","params":null}"#);
        assert!(
            matches!(notification, Ok(Message::Notification(n)) if n.method == "na" && n.params.is_none())
        );
        let result = Message::decode(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert!(matches!(result, Ok(Message::Response(r)) if r.id == Some(1.into()) && r.outcome.is_ok()));
        let error = Message::decode(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#);
        assert!(matches!(error, Ok(Message::Response(r)) if r.id.is_none() && r.outcome.is_err()));
    }

    // spec: R003, R007, R008
    #[test]
    fn what_is_no_message_says_why_and_keeps_a_readable_id() {
        use MalformedReason as Why;
        assert_eq!(reason(r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#), (Some(3.into()), Why::JsonRpc));
        assert_eq!(reason(r#"{"id":3,"method":"ping"}"#), (Some(3.into()), Why::JsonRpc));
        assert_eq!(reason(r#"{"jsonrpc":"2.0","id":3,"method":5}"#), (Some(3.into()), Why::Method));
        assert_eq!(
            reason(r#"{"jsonrpc":"2.0","id":3,"method":"a","params":[]}"#),
            (Some(3.into()), Why::Params)
        );
        assert_eq!(reason(r#"{"jsonrpc":"2.0","id":3}"#), (Some(3.into()), Why::NoMessage));
        assert_eq!(reason(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#), (None, Why::Id(BadId::Kind)));
        assert_eq!(
            reason(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#).1,
            Why::Response
        );
        assert_eq!(
            reason(r#"{"jsonrpc":"2.0","id":1,"error":[-32600,"m"]}"#),
            (Some(1.into()), Why::Response),
            "an array is no error, however well its members fit"
        );
        assert_eq!(reason("[]"), (None, Why::Batch));
        assert_eq!(reason("5"), (None, Why::NoMessage));
        assert!(matches!(reason("{"), (None, Why::Syntax(_))));
        assert!(matches!(reason("\"id\": 9"), (None, Why::Syntax(_))));
        assert!(matches!(reason(r#"{"id":1,"id":2,"#), (None, Why::Syntax(_))));
        assert!(matches!(reason("[1,"), (None, Why::Syntax(_))));
        assert!(matches!(reason(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#), (None, Why::Twice(_))));
    }

    // spec: R001, R009
    #[test]
    fn outgoing_messages_are_compact_and_in_order() -> Result<(), serde_json::Error> {
        let id = RequestId::from(1);
        let request = OutgoingRequest { id: &id, method: "ping", params: None::<()> };
        assert_eq!(serde_json::to_string(&request)?, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        let error = ErrorObject { code: -32700, message: "parse error".into(), data: None };
        let response = OutgoingResponse::<()> { id: None, outcome: Err(&error) };
        assert_eq!(
            serde_json::to_string(&response)?,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}"#
        );
        Ok(())
    }

    #[test]
    fn b032_a_batch_splits_into_its_members() -> Result<(), Malformed> {
        let members = split_batch(r#"[{"a":1}, 2]"#)?;
        assert_eq!(members.iter().map(|m| m.get()).collect::<Vec<_>>(), ["{\"a\":1}", "2"]);
        assert!(matches!(split_batch("[]"), Err(Malformed { reason: MalformedReason::NoMessage, .. })));
        Ok(())
    }
}
