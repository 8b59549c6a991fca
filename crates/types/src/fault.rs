//! What went wrong, in words; the numbers are chosen per revision, at one place.
//!
//! | kind | 2024-11-05 … 2025-11-25 | 2026-07-28 | HTTP status, legacy | HTTP status, modern |
//! |---|---|---|---|---|
//! | `parse_error` | −32700 | −32700 | 400 | 400 |
//! | `invalid_request` | −32600 | −32600 | 400 | 400 |
//! | `method_not_found` | −32601 | −32601 | 200 | 404 |
//! | `invalid_params` | −32602 | −32602 | 200 | 200 |
//! | `missing_meta` | −32602 | −32602 | 400 | 400 |
//! | `internal_error` | −32603 | −32603 | 200 | 200 |
//! | `resource_not_found` | −32002 | −32602 | 200 | 200 |
//! | `session_expired` | −32001 | −32603 | 404 | 500 |
//! | `not_initialized` | −32600 | −32600 | 400 | 400 |
//! | `server_error` | −32000 | −32603 | 200 | 200 |
//! | `overloaded` | −32000 | −32603 | 503 | 503 |
//! | `header_mismatch` | −32600 | −32020 | 400 | 400 |
//! | `missing_client_capability` | −32602 | −32021 | 200 | 400 |
//! | `unsupported_revision` | −32602 | −32022 | 400 | 400 |
//! | `url_elicitation_required` | −32042 (2025-11-25; −32602 before) | −32603 | 200 | 200 |
//!
//! A response to a request always has status 200 in the legacy era unless the table says otherwise: a 404
//! there would end the session. The modern statuses are those of `basic/transports/streamable-http`.

use std::borrow::Cow;
use std::fmt;

use crate::{ErrorObject, RawJson, Revision};

/// The codes that have a meaning, for reading what a peer sent.
pub mod code {
    /// The text was not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON was no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// No such method, or its capability was not declared.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// Whatever a server has no better code for; legacy revisions only.
    pub const SERVER_ERROR: i64 = -32000;
    /// The session is gone; legacy revisions only, and never decided upon without the HTTP status.
    pub const SESSION_EXPIRED: i64 = -32001;
    /// No such resource; legacy revisions only.
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// Headers and body disagree (2026-07-28).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a capability that the client did not declare (2026-07-28).
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// The revision named by the request is not served (2026-07-28).
    pub const UNSUPPORTED_REVISION: i64 = -32022;
    /// The user has to open a URL first (2025-11-25).
    pub const URL_ELICITATION_REQUIRED: i64 = -32042;
}

/// The semantic kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Headers and body disagree.
    HeaderMismatch,
    /// The receiver failed; not the sender's doing.
    InternalError,
    /// The parameters do not fit the method.
    InvalidParams,
    /// JSON, but no request.
    InvalidRequest,
    /// No such method, or its capability was not declared.
    MethodNotFound,
    /// The request needs a capability that the client did not declare.
    MissingClientCapability,
    /// `params._meta` lacks a required member.
    MissingMeta,
    /// The handshake is not complete.
    NotInitialized,
    /// Too much at once; try again later.
    Overloaded,
    /// Not JSON.
    ParseError,
    /// No such resource.
    ResourceNotFound,
    /// Whatever a server has no better word for.
    ServerError,
    /// The session is gone.
    SessionExpired,
    /// The revision is not served.
    UnsupportedRevision,
    /// The user has to open a URL first.
    UrlElicitationRequired,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 15] = [
        Self::HeaderMismatch,
        Self::InternalError,
        Self::InvalidParams,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::MissingClientCapability,
        Self::MissingMeta,
        Self::NotInitialized,
        Self::Overloaded,
        Self::ParseError,
        Self::ResourceNotFound,
        Self::ServerError,
        Self::SessionExpired,
        Self::UnsupportedRevision,
        Self::UrlElicitationRequired,
    ];

    /// The name in the catalogue, such as `parse_error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HeaderMismatch => "header_mismatch",
            Self::InternalError => "internal_error",
            Self::InvalidParams => "invalid_params",
            Self::InvalidRequest => "invalid_request",
            Self::MethodNotFound => "method_not_found",
            Self::MissingClientCapability => "missing_client_capability",
            Self::MissingMeta => "missing_meta",
            Self::NotInitialized => "not_initialized",
            Self::Overloaded => "overloaded",
            Self::ParseError => "parse_error",
            Self::ResourceNotFound => "resource_not_found",
            Self::ServerError => "server_error",
            Self::SessionExpired => "session_expired",
            Self::UnsupportedRevision => "unsupported_revision",
            Self::UrlElicitationRequired => "url_elicitation_required",
        }
    }

    /// The JSON-RPC code under a revision.
    #[must_use]
    pub fn code(self, revision: Revision) -> i64 {
        let modern = revision.is_modern();
        match self {
            Self::ParseError => code::PARSE_ERROR,
            Self::InvalidRequest | Self::NotInitialized => code::INVALID_REQUEST,
            Self::MethodNotFound => code::METHOD_NOT_FOUND,
            Self::InvalidParams | Self::MissingMeta => code::INVALID_PARAMS,
            Self::InternalError => code::INTERNAL_ERROR,
            Self::ResourceNotFound if modern => code::INVALID_PARAMS,
            Self::ResourceNotFound => code::RESOURCE_NOT_FOUND,
            // 2026-07-28 allocates nothing in -32000..-32019.
            Self::SessionExpired | Self::ServerError | Self::Overloaded if modern => code::INTERNAL_ERROR,
            Self::SessionExpired => code::SESSION_EXPIRED,
            Self::ServerError | Self::Overloaded => code::SERVER_ERROR,
            Self::HeaderMismatch if modern => code::HEADER_MISMATCH,
            Self::HeaderMismatch => code::INVALID_REQUEST,
            Self::MissingClientCapability if modern => code::MISSING_CLIENT_CAPABILITY,
            Self::UnsupportedRevision if modern => code::UNSUPPORTED_REVISION,
            Self::MissingClientCapability | Self::UnsupportedRevision => code::INVALID_PARAMS,
            Self::UrlElicitationRequired if modern => code::INTERNAL_ERROR,
            Self::UrlElicitationRequired if revision == Revision::V2025_11_25 => {
                code::URL_ELICITATION_REQUIRED
            }
            Self::UrlElicitationRequired => code::INVALID_PARAMS,
        }
    }

    /// The HTTP status that goes with it under a revision.
    #[must_use]
    pub const fn http_status(self, revision: Revision) -> u16 {
        let modern = revision.is_modern();
        match self {
            Self::ParseError
            | Self::InvalidRequest
            | Self::NotInitialized
            | Self::MissingMeta
            | Self::HeaderMismatch
            | Self::UnsupportedRevision => 400,
            Self::MethodNotFound if modern => 404,
            Self::MissingClientCapability if modern => 400,
            Self::SessionExpired if modern => 500,
            Self::SessionExpired => 404,
            Self::Overloaded => 503,
            Self::MethodNotFound
            | Self::MissingClientCapability
            | Self::InvalidParams
            | Self::InternalError
            | Self::ResourceNotFound
            | Self::ServerError
            | Self::UrlElicitationRequired => 200,
        }
    }
}

/// A semantic protocol error: what it is, one sentence about it, and perhaps data.
///
/// A fault has no id of its own. Whoever answers with it adds the id of the very request it answers, or
/// none when that could not be read.
///
/// ```
/// use hermes_types::{Fault, Revision};
///
/// let fault = Fault::resource_not_found("demo://nothing");
/// assert_eq!(fault.to_error(Revision::V2025_11_25).code, -32002);
/// assert_eq!(fault.to_error(Revision::V2026_07_28).code, -32602);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    message: Cow<'static, str>,
    data: Option<RawJson>,
}

impl Fault {
    /// A fault of this kind with one sentence for its reader.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into(), data: None }
    }

    /// Adds the `data` member. Values that are no JSON leave it out.
    #[must_use]
    pub fn with_data<T: serde::Serialize + ?Sized>(mut self, data: &T) -> Self {
        self.data = RawJson::encode(data).ok();
        self
    }

    /// Not JSON.
    #[must_use]
    pub fn parse_error(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::ParseError, detail)
    }

    /// JSON, but no request.
    #[must_use]
    pub fn invalid_request(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::InvalidRequest, detail)
    }

    /// No such method.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        Self::new(FaultKind::MethodNotFound, format!("method not found: {method}"))
    }

    /// The parameters do not fit the method.
    #[must_use]
    pub fn invalid_params(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::InvalidParams, detail)
    }

    /// The receiver failed.
    #[must_use]
    pub fn internal_error(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::InternalError, detail)
    }

    /// No such resource; the data names it.
    #[must_use]
    pub fn resource_not_found(uri: &str) -> Self {
        let data = std::collections::BTreeMap::from([("uri", uri)]);
        Self::new(FaultKind::ResourceNotFound, format!("resource not found: {uri}")).with_data(&data)
    }

    /// The revision is not served; the data names those that are.
    #[must_use]
    pub fn unsupported_revision(requested: &str, supported: &[Revision]) -> Self {
        let supported: Vec<&str> = supported.iter().map(|revision| revision.as_str()).collect();
        let message = format!("protocol version {requested} is not served here");
        Self::new(FaultKind::UnsupportedRevision, message)
            .with_data(&serde_json::json!({ "requested": requested, "supported": supported }))
    }

    /// What kind of fault it is.
    #[must_use]
    pub const fn kind(&self) -> FaultKind {
        self.kind
    }

    /// The sentence for its reader.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The `data` member.
    #[must_use]
    pub const fn data(&self) -> Option<&RawJson> {
        self.data.as_ref()
    }

    /// The `error` member of a response under a revision.
    #[must_use]
    pub fn to_error(&self, revision: Revision) -> ErrorObject {
        ErrorObject {
            code: self.kind.code(revision),
            message: self.message.clone().into_owned(),
            data: self.data.clone(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl From<&crate::MalformedReason> for Fault {
    fn from(reason: &crate::MalformedReason) -> Self {
        match reason {
            crate::MalformedReason::Syntax(_) => Self::parse_error(reason.to_string()),
            crate::MalformedReason::Params => Self::invalid_params(reason.to_string()),
            crate::MalformedReason::Batch
            | crate::MalformedReason::Id(_)
            | crate::MalformedReason::JsonRpc
            | crate::MalformedReason::Method
            | crate::MalformedReason::NoMessage
            | crate::MalformedReason::Response
            | crate::MalformedReason::Twice(_) => Self::invalid_request(reason.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in the module's documentation, read and compared, so that it cannot drift.
    #[test]
    fn the_documented_table_is_the_table() {
        let source = include_str!("fault.rs");
        let rows: Vec<Vec<&str>> = source
            .lines()
            .filter_map(|line| line.strip_prefix("//! | `"))
            .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
            .collect();
        assert_eq!(rows.len(), FaultKind::ALL.len());
        for kind in FaultKind::ALL {
            let row = rows.iter().find(|row| row[0] == kind.as_str()).expect("a row per kind");
            let number =
                |cell: &str| cell.split(' ').next().and_then(|n| n.replace('−', "-").parse::<i64>().ok());
            assert_eq!(number(row[1]), Some(kind.code(Revision::V2025_11_25)), "{}", kind.as_str());
            assert_eq!(number(row[2]), Some(kind.code(Revision::V2026_07_28)), "{}", kind.as_str());
            assert_eq!(row[3].parse(), Ok(kind.http_status(Revision::V2025_11_25)), "{}", kind.as_str());
            assert_eq!(row[4].parse(), Ok(kind.http_status(Revision::V2026_07_28)), "{}", kind.as_str());
        }
    }

    // spec: R025, R026, R028
    #[test]
    fn the_modern_era_emits_no_legacy_code() {
        for kind in FaultKind::ALL {
            let code = kind.code(Revision::V2026_07_28);
            assert!(!(-32019..=-32000).contains(&code), "{}", kind.as_str());
            assert_ne!(code, code::URL_ELICITATION_REQUIRED);
            let reserved = (-32099..=-32020).contains(&code);
            assert_eq!(reserved, [-32020, -32021, -32022].contains(&code), "{}", kind.as_str());
        }
    }

    // spec: R085
    #[test]
    fn an_unsupported_revision_names_both_sides() {
        let fault = Fault::unsupported_revision("2030-01-01", &Revision::MODERN);
        let data = fault.data().expect("data").get();
        assert_eq!(data, r#"{"requested":"2030-01-01","supported":["2026-07-28"]}"#);
    }

    // spec: R300
    #[test]
    fn a_missing_resource_is_named_in_the_data() {
        let fault = Fault::resource_not_found("a://b");
        assert_eq!(fault.data().map(RawJson::get), Some(r#"{"uri":"a://b"}"#));
    }
}
