//! The kinds of fault and their numbers, chosen per revision at one place.

use crate::Revision;

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
    /// The user refused a sampling request; in the examples of the legacy revisions.
    pub const USER_REJECTED: i64 = -1;
}

/// The semantic kinds of fault.
///
/// | kind | 2024-11-05 … 2025-11-25 | 2026-07-28 | HTTP status, legacy | HTTP status, modern |
/// |---|---|---|---|---|
/// | `parse_error` | −32700 | −32700 | 400 | 400 |
/// | `invalid_request` | −32600 | −32600 | 400 | 400 |
/// | `method_not_found` | −32601 | −32601 | 200 | 404 |
/// | `invalid_params` | −32602 | −32602 | 200 | 200 |
/// | `missing_meta` | −32602 | −32602 | 400 | 400 |
/// | `internal_error` | −32603 | −32603 | 200 | 200 |
/// | `resource_not_found` | −32002 | −32602 | 200 | 200 |
/// | `session_expired` | −32001 | −32603 | 404 | 500 |
/// | `not_initialized` | −32600 | −32600 | 400 | 400 |
/// | `server_error` | −32000 | −32603 | 200 | 200 |
/// | `overloaded` | −32000 | −32603 | 503 | 503 |
/// | `header_mismatch` | −32600 | −32020 | 400 | 400 |
/// | `missing_client_capability` | −32602 | −32021 | 200 | 400 |
/// | `unsupported_revision` | −32602 | −32022 | 400 | 400 |
/// | `url_elicitation_required` | −32042 (2025-11-25; −32602 before) | −32603 | 200 | 200 |
///
/// A response to a request always has status 200 in the legacy era unless the table says otherwise: a 404
/// there would end the session. The modern statuses are those of `basic/transports/streamable-http`.
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

    /// What a peer means by a code; nothing where the revision gives it no meaning.
    ///
    /// ```
    /// use hermes_types::{FaultKind, Revision};
    ///
    /// let read = |code| FaultKind::read(code, Revision::V2026_07_28);
    /// assert_eq!(read(-32002), Some(FaultKind::ResourceNotFound)); // From servers that were late to learn.
    /// assert_eq!(read(-32000), None);
    /// ```
    #[must_use]
    pub fn read(code: i64, revision: Revision) -> Option<Self> {
        let modern = revision.is_modern();
        match code {
            code::PARSE_ERROR => Some(Self::ParseError),
            code::INVALID_REQUEST => Some(Self::InvalidRequest),
            code::METHOD_NOT_FOUND => Some(Self::MethodNotFound),
            code::INVALID_PARAMS => Some(Self::InvalidParams),
            code::INTERNAL_ERROR => Some(Self::InternalError),
            code::RESOURCE_NOT_FOUND => Some(Self::ResourceNotFound),
            code::HEADER_MISMATCH if modern => Some(Self::HeaderMismatch),
            code::MISSING_CLIENT_CAPABILITY if modern => Some(Self::MissingClientCapability),
            code::UNSUPPORTED_REVISION if modern => Some(Self::UnsupportedRevision),
            code::URL_ELICITATION_REQUIRED if revision == Revision::V2025_11_25 => {
                Some(Self::UrlElicitationRequired)
            }
            _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in the type's documentation, read and compared, so that it cannot drift.
    #[test]
    fn the_documented_table_is_the_table() {
        let source = include_str!("fault_kind.rs");
        let rows: Vec<Vec<&str>> = source
            .lines()
            .filter_map(|line| line.strip_prefix("/// | `"))
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

    // spec: R027, R029
    #[test]
    fn a_code_means_what_its_revision_says() {
        for revision in Revision::ALL {
            let read = |code| FaultKind::read(code, revision);
            assert_eq!(read(-32002), Some(FaultKind::ResourceNotFound));
            assert_eq!([-32000, -32001, -32003, -32004, -32019].map(read), [None; 5]);
            assert_eq!(read(-32021).is_some(), revision.is_modern());
            assert_eq!(read(-32042).is_some(), revision == Revision::V2025_11_25);
        }
    }
}
