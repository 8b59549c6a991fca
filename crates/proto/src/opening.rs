//! Which era does a request start, and under which revision is it served?
//!
//! One server serves both eras on one byte stream or endpoint. What a request carries decides, together
//! with the one fact that a legacy session is open here:
//!
//! | request | no session | session open |
//! |---|---|---|
//! | `_meta` names a modern revision that is served | modern | modern |
//! | `_meta` names any other revision | `unsupported_revision` | `unsupported_revision` |
//! | `_meta` lacks or spoils one of the two required members | `missing_meta` | `missing_meta` |
//! | `initialize` | handshake | `invalid_request`; the session goes on |
//! | `ping` | served | served in the session |
//! | `server/discover`, `subscriptions/listen` without `_meta` | `missing_meta` | served in the session, where they are unknown |
//! | anything else | `not_initialized` | served in the session |
//!
//! A modern request never reads the session, and never changes it. Whether
//! `notifications/initialized` has arrived plays no part: requests may overtake it.
//!
//! Sources: `basic/versioning` and `basic/index` (2026-07-28), `basic/lifecycle` (up to 2025-11-25).

mod members;

use std::borrow::Cow;

use hermes_types::{
    ClientCapabilities, Fault, FaultKind, Implementation, LoggingLevel, Method, ProgressToken, RawJson,
    Request, Revision, text_of,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use members::is_object;
pub(crate) use members::{Members, names_no_revision};

/// What a request opens.
#[derive(Clone, Debug)]
pub enum Opening<'a> {
    /// It asks for a legacy session; this is what both sides agree on.
    Handshake(Box<Handshake>),
    /// It is served under this revision.
    Serve {
        /// The revision in force for this request.
        revision: Revision,
        /// What its `_meta` says.
        meta: Box<RequestMeta<'a>>,
    },
}

/// A legacy handshake: the revision agreed on, and who the client says it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Handshake {
    /// The revision that the session speaks: the one asked for when it is served, else the newest legacy one.
    pub revision: Revision,
    /// What the client can do.
    pub client_capabilities: ClientCapabilities,
    /// Who the client says it is, if it said so in an orderly way.
    pub client_info: Option<Implementation>,
    /// What the `_meta` of the request says, as it came.
    pub meta: Option<RawJson>,
}

/// What `params._meta` says that matters to every request.
#[derive(Clone, Debug, Default)]
pub struct RequestMeta<'a> {
    /// The object as it came.
    pub raw: Option<&'a RawValue>,
    /// The token to report progress under.
    pub progress_token: Option<ProgressToken>,
    /// What a modern request says about its sender; `None` on legacy requests.
    pub modern: Option<Box<ModernMeta>>,
    /// What stands beside it.
    pub beside: Beside<'a>,
}

/// Members of `params` that are asked for again and again, found while `_meta` was looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// Of a call.
    pub arguments: Member<'a>,
    /// Answers to what an earlier round asked.
    pub input_responses: Member<'a>,
    /// What is meant, in most methods.
    pub name: Member<'a>,
    /// What an earlier round left with the client.
    pub request_state: Member<'a>,
    /// What is meant, if that is a task.
    pub task_id: Member<'a>,
    /// What is meant, if that is a resource.
    pub uri: Member<'a>,
}

/// A member of an object, as it was found. That it stands twice matters only to whoever asks for it.
///
/// ```
/// use hermes_proto::opening::{Member, Opening};
/// use hermes_types::{Message, Revision};
///
/// let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"arguments":{}}}"#;
/// let Ok(Message::Request(request)) = Message::decode(line) else { panic!("a request") };
/// let opening = Opening::classify(&request, Some(Revision::V2025_11_25)).unwrap();
/// let Opening::Serve { meta, .. } = opening else { panic!("served in the session") };
/// assert_eq!(meta.beside.name.text().as_deref(), Some("echo"));
/// assert!(matches!(meta.beside.arguments, Member::Twice));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub enum Member<'a> {
    /// It is not there.
    #[default]
    Absent,
    /// It is there; `null` is a value too.
    One(&'a RawValue),
    /// It stands twice, or more often.
    Twice,
}

impl<'a> Member<'a> {
    /// The text that it is, if it is one.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::One(value) => text_of(value),
            Self::Absent | Self::Twice => None,
        }
    }

    /// Whether it is absent, or `null`, which says as much.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        match self {
            Self::Absent => true,
            Self::One(value) => value.get() == "null",
            Self::Twice => false,
        }
    }
}

/// What every request of the modern era says about its sender.
#[derive(Clone, Debug)]
pub struct ModernMeta {
    /// What the client can do.
    pub client_capabilities: ClientCapabilities,
    /// Who the client says it is.
    pub client_info: Option<Implementation>,
    /// The level from which on log messages are wanted.
    pub log_level: Option<LoggingLevel>,
}

/// Why a request is not served, and under which revision that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The revision that chooses the fault's code.
    pub revision: Revision,
    /// What is wrong.
    pub fault: Fault,
}

impl<'a> Opening<'a> {
    /// Decides what a request opens, given the revision of the legacy session that is open here, if any.
    ///
    /// ```
    /// use hermes_proto::opening::Opening;
    /// use hermes_types::{FaultKind, Message};
    ///
    /// let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    /// let Ok(Message::Request(request)) = Message::decode(line) else { panic!("a request") };
    /// let refusal = Opening::classify(&request, None).unwrap_err();
    /// assert_eq!(refusal.fault.kind(), FaultKind::NotInitialized);
    /// ```
    ///
    /// # Errors
    /// [`Refusal`]: the fault to answer the request with. Nothing is opened and nothing changes.
    pub fn classify(request: &Request<'a>, session: Option<Revision>) -> Result<Self, Refusal> {
        // Where nothing else is known, the newest legacy revision speaks: it has no code of its own here.
        let in_force = session.unwrap_or(Revision::LATEST_LEGACY);
        let legacy = |fault| Refusal { revision: in_force, fault };
        let members = Members::read(request.params).map_err(legacy)?;
        Self::of(request, members, session)
    }

    /// The same, when the members of the request's `_meta` are known.
    ///
    /// # Errors
    /// As [`classify`](Self::classify).
    pub(crate) fn of(
        request: &Request<'a>,
        members: Members<'a>,
        session: Option<Revision>,
    ) -> Result<Self, Refusal> {
        let in_force = session.unwrap_or(Revision::LATEST_LEGACY);
        let legacy = |fault| Refusal { revision: in_force, fault };
        let modern = |fault| Refusal { revision: Revision::LATEST, fault };
        if members.is_modern() {
            let (revision, meta) = members.modern().map_err(modern)?;
            return Ok(Self::Serve { revision, meta });
        }
        match (Method::parse(&request.method), session) {
            (Some(Method::Initialize), None) => {
                Handshake::negotiate(request.params).map(Box::new).map(Self::Handshake).map_err(legacy)
            }
            (Some(Method::Initialize), Some(_)) => {
                Err(legacy(Fault::invalid_request("the session is initialized already")))
            }
            (Some(Method::Ping), None) | (_, Some(_)) => {
                let meta = members.legacy().map_err(legacy)?;
                Ok(Self::Serve { revision: in_force, meta })
            }
            (Some(Method::ServerDiscover | Method::SubscriptionsListen), None) => {
                Err(modern(names_no_revision()))
            }
            (_, None) => Err(legacy(Fault::new(
                FaultKind::NotInitialized,
                "initialize first, or name a protocol version in params._meta",
            ))),
        }
    }
}

impl Handshake {
    pub(crate) fn negotiate(params: Option<&RawValue>) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params<'a> {
            #[serde(borrow)]
            protocol_version: Cow<'a, str>,
            #[serde(borrow, default)]
            capabilities: Option<&'a RawValue>,
            #[serde(borrow, default)]
            client_info: Option<&'a RawValue>,
            #[serde(borrow, default, rename = "_meta")]
            meta: Option<&'a RawValue>,
        }
        let Some(params) = params else {
            return Err(Fault::invalid_params("initialize needs params with protocolVersion"));
        };
        let params: Params<'_> = serde_json::from_str(params.get())
            .map_err(|error| Fault::invalid_params(format!("params of initialize: {error}")))?;
        if params.protocol_version.is_empty() {
            return Err(Fault::invalid_params("params of initialize: protocolVersion is empty"));
        }
        let client_capabilities = match params.capabilities {
            Some(capabilities) => serde_json::from_str(capabilities.get()).map_err(|error| {
                Fault::invalid_params(format!("params of initialize: capabilities: {error}"))
            })?,
            None => ClientCapabilities::default(),
        };
        if params.client_info.is_some_and(|info| !is_object(info)) {
            return Err(Fault::invalid_params("params of initialize: clientInfo has to be an object"));
        }
        // A modern revision cannot be agreed on here, however well it is known.
        let revision = Revision::LEGACY.into_iter().find(|known| known.as_str() == params.protocol_version);
        Ok(Self {
            revision: revision.unwrap_or(Revision::LATEST_LEGACY),
            client_capabilities,
            // For display only; a client that forgets its version is served all the same.
            client_info: params.client_info.and_then(|info| serde_json::from_str(info.get()).ok()),
            meta: params.meta.and_then(|meta| RawJson::parse(meta.get()).ok()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_types::{Message, RequestId};

    const MODERN: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    const CAPS: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;

    /// What a request with this method and these params opens, in one word and a revision or a code.
    fn opens(method: &str, params: &str, session: Option<Revision>) -> String {
        let line = if params.is_empty() {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#)
        } else {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
        };
        let Ok(Message::Request(request)) = Message::decode(&line) else { panic!("no request: {line}") };
        match Opening::classify(&request, session) {
            Ok(Opening::Handshake(handshake)) => format!("handshake {}", handshake.revision),
            Ok(Opening::Serve { revision, .. }) => format!("serve {revision}"),
            Err(Refusal { revision, fault }) => {
                format!("{} {}", fault.kind().as_str(), fault.to_error(revision).code)
            }
        }
    }

    fn meta(members: &[&str]) -> String {
        format!(r#"{{"_meta":{{{}}}}}"#, members.join(","))
    }

    // spec: R031, R036, R085
    #[test]
    fn what_a_request_carries_decides_its_era_with_and_without_a_session() {
        let modern = meta(&[MODERN, CAPS]);
        let legacy_named = meta(&[r#""io.modelcontextprotocol/protocolVersion":"2025-11-25""#, CAPS]);
        for session in [None, Some(Revision::V2025_03_26)] {
            for method in ["tools/list", "initialize", "ping", "server/discover", "x/unknown"] {
                assert_eq!(opens(method, &modern, session), "serve 2026-07-28", "{method}");
                assert_eq!(opens(method, &legacy_named, session), "unsupported_revision -32022", "{method}");
            }
        }
        for method in ["tools/list", "x/unknown", "logging/setLevel"] {
            assert_eq!(opens(method, "", None), "not_initialized -32600", "{method}");
            assert_eq!(opens(method, "", Some(Revision::V2025_03_26)), "serve 2025-03-26", "{method}");
        }
        assert_eq!(opens("ping", "", None), "serve 2025-11-25");
        assert_eq!(opens("ping", "", Some(Revision::V2024_11_05)), "serve 2024-11-05");
    }

    // spec: R064
    #[test]
    fn b078_a_request_before_the_handshake_is_told_to_initialize_first() {
        assert_eq!(opens("tools/list", "{}", None), "not_initialized -32600");
        assert_eq!(opens("server/discover", "", None), "missing_meta -32602");
        assert_eq!(opens("server/discover", "", Some(Revision::V2025_11_25)), "serve 2025-11-25");
    }

    // spec: R038, R039, R329
    #[test]
    fn b080_a_modern_request_without_its_metadata_is_refused() {
        for spoilt in [
            meta(&[MODERN]),
            meta(&[CAPS]),
            meta(&[MODERN, r#""io.modelcontextprotocol/clientCapabilities":true"#]),
            meta(&[CAPS, r#""io.modelcontextprotocol/protocolVersion":null"#]),
            meta(&[CAPS, r#""io.modelcontextprotocol/protocolVersion":20260728"#]),
            meta(&[MODERN, CAPS, r#""io.modelcontextprotocol/clientInfo":{"name":"n"}"#]),
            r#"{"_meta":[]}"#.to_owned(),
        ] {
            assert_eq!(opens("tools/list", &spoilt, None), "missing_meta -32602", "{spoilt}");
        }
        for wrong in [r#""progressToken":1.5"#, r#""io.modelcontextprotocol/logLevel":"loud""#] {
            let params = meta(&[MODERN, CAPS, wrong]);
            assert_eq!(opens("tools/list", &params, None), "invalid_params -32602", "{wrong}");
        }
        let named =
            meta(&[MODERN, CAPS, r#""io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"}"#]);
        assert_eq!(opens("tools/list", &named, None), "serve 2026-07-28");
    }

    // spec: R068, R069, R070
    #[test]
    fn b069_a_served_revision_is_echoed_and_any_other_gets_the_newest_legacy_one() {
        for revision in Revision::LEGACY {
            let params = format!(r#"{{"protocolVersion":"{revision}","capabilities":{{}}}}"#);
            assert_eq!(opens("initialize", &params, None), format!("handshake {revision}"));
        }
        for other in ["1999-01-01", "2027-01-01", "2026-07-28", "banana"] {
            let params = format!(r#"{{"protocolVersion":"{other}"}}"#);
            assert_eq!(opens("initialize", &params, None), "handshake 2025-11-25", "{other}");
        }
    }

    #[test]
    fn b073_a_modern_revision_cannot_be_agreed_on_by_handshake() {
        let params =
            r#"{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
        assert_eq!(opens("initialize", params, None), "handshake 2025-11-25");
    }

    // spec: R065
    #[test]
    fn a_handshake_without_a_version_or_with_spoilt_members_is_refused() {
        for params in [
            "",
            "{}",
            r#"{"protocolVersion":""}"#,
            r#"{"protocolVersion":5}"#,
            r#"{"protocolVersion":"2025-11-25","capabilities":true}"#,
            r#"{"protocolVersion":"2025-11-25","clientInfo":"me"}"#,
        ] {
            assert_eq!(opens("initialize", params, None), "invalid_params -32602", "{params}");
        }
    }

    #[test]
    fn a_second_handshake_is_refused_in_a_session() {
        let params = r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#;
        let opened = opens("initialize", params, Some(Revision::V2025_11_25));
        assert_eq!(opened, "invalid_request -32600");
    }

    // spec: R236
    #[test]
    fn b038_progress_tokens_of_zero_and_nothing_are_tokens() {
        for (text, token) in [("0", RequestId::from(0)), ("7", 7.into()), ("\"\"", "".into())] {
            let params = format!(r#"{{"_meta":{{"progressToken":{text}}}}}"#);
            let line = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{params}}}"#);
            let Ok(Message::Request(request)) = Message::decode(&line) else { panic!("no request") };
            let Ok(Opening::Serve { meta, .. }) = Opening::classify(&request, Some(Revision::V2025_06_18))
            else {
                panic!("not served")
            };
            assert_eq!(meta.progress_token, Some(token));
        }
    }
}
