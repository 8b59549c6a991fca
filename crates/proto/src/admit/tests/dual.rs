//! Rows about both eras on one endpoint, and about endpoints that serve less.

use super::{ABSENT, ANSWER, HELLO, LIST, NO_SESSION, NOTE, Row, modern};

const LIVE: (&str, &str) = ("mcp-session-id", "s-2025-11-25");
const MODERN: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
const LEGACY: (&str, &str) = ("mcp-protocol-version", "2025-06-18");
const BATCH: &str = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#;
const NO_META: &str = "400 missing_meta -32602 id 7";
const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":7,"method":"server/discover"}"#;
const HELLO_MODERN: &str = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{}}}"#;
const POST_ONLY: &str = "405 invalid_request -32600 allow POST";

macro_rules! row {
    ($name:literal, $method:literal, [$($header:expr),*], $body:expr, $expected:expr) => {
        Row { name: $name, method: $method, headers: &[$($header),*], body: $body, expected: $expected }
    };
}

/// Both eras, legacy clients in sessions.
pub(super) const SESSIONS: &[Row] = &[
    row!(
        "_meta decides, whatever the session",
        "POST",
        [LIVE, MODERN, ("mcp-method", "ping")],
        modern!("ping", ""),
        "modern ping 2026-07-28"
    ),
    row!("modern header without _meta", "POST", [MODERN], LIST, NO_META),
    row!(
        "modern header without _meta, dead session",
        "POST",
        [MODERN, ("mcp-session-id", "dead")],
        LIST,
        NO_META
    ),
    row!("modern header without _meta, live session", "POST", [MODERN, LIVE], LIST, "in s-2025-11-25"),
    row!("handshake for the modern revision", "POST", [], HELLO_MODERN, "handshake 2025-11-25"),
    row!(
        "handshake with modern headers",
        "POST",
        [MODERN, ("mcp-method", "initialize")],
        HELLO,
        "handshake 2025-06-18"
    ),
    row!("live session", "POST", [LIVE], LIST, "in s-2025-11-25"),
    row!("legacy header, no session", "POST", [LEGACY], LIST, NO_SESSION),
    row!("no header, no session", "POST", [], LIST, NO_SESSION),
    row!(
        "unknown header, no session",
        "POST",
        [("mcp-protocol-version", "x")],
        LIST,
        r#"400 unsupported_revision -32602 id 7 {"requested":"x","supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}"#
    ),
    row!("discover without _meta", "POST", [], DISCOVER, NO_META),
    row!(
        "GET, modern header, no session",
        "GET",
        [MODERN],
        "",
        "405 invalid_request -32600 allow GET, POST, DELETE"
    ),
    row!("GET, modern header, live session", "GET", [MODERN, LIVE], "", "read s-2025-11-25 2025-11-25"),
    row!(
        "DELETE, modern header, dead session",
        "DELETE",
        [MODERN, ("mcp-session-id", "dead")],
        "",
        "405 invalid_request -32600 allow GET, POST, DELETE"
    ),
    row!(
        "a legacy revision in _meta",
        "POST",
        [LEGACY, ("mcp-method", "ping")],
        modern!("2025-06-18", "ping", ""),
        r#"400 unsupported_revision -32022 id 7 {"requested":"2025-06-18","supported":["2026-07-28"]}"#
    ),
];

/// Both eras, every legacy message alone.
pub(super) const STATELESS: &[Row] = &[
    row!("modern", "POST", [MODERN, ("mcp-method", "ping")], modern!("ping", ""), "modern ping 2026-07-28"),
    row!("handshake", "POST", [("mcp-session-id", "dead")], HELLO, "handshake 2025-06-18"),
    row!("no version header", "POST", [], LIST, "alone 2025-03-26"),
    row!("version header", "POST", [LEGACY], LIST, "alone 2025-06-18"),
    row!(
        "unknown version header",
        "POST",
        [("mcp-protocol-version", "x")],
        NOTE,
        r#"400 unsupported_revision -32602 {"requested":"x","supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}"#
    ),
    row!("modern header without _meta", "POST", [MODERN], LIST, NO_META),
    row!(
        "a session id means nothing",
        "POST",
        [LEGACY, ("mcp-session-id", "dead")],
        LIST,
        "alone 2025-06-18"
    ),
    row!("batch without a version header", "POST", [], BATCH, "alone 2025-03-26"),
    row!("batch under a later version", "POST", [LEGACY], BATCH, "400 invalid_request -32600"),
    row!("notification", "POST", [LEGACY], NOTE, "notification notifications/initialized"),
    row!("response", "POST", [LEGACY], ANSWER, "alone 2025-06-18"),
    row!("too deep and so on", "POST", [LEGACY], r#"{"jsonrpc":"2.0","id":7}"#, NO_SESSION),
    row!("GET", "GET", [LIVE], "", POST_ONLY),
    row!("DELETE", "DELETE", [LIVE], "", POST_ONLY),
];

/// The modern era alone.
pub(super) const MODERN_ONLY: &[Row] = &[
    row!("modern", "POST", [MODERN, ("mcp-method", "ping")], modern!("ping", ""), "modern ping 2026-07-28"),
    row!(
        "no version header",
        "POST",
        [("mcp-method", "ping")],
        modern!("ping", ""),
        "400 header_mismatch -32020 id 7"
    ),
    row!(
        "initialize",
        "POST",
        [],
        HELLO,
        r#"400 unsupported_revision -32022 id 7 {"requested":"2025-06-18","supported":["2026-07-28"]}"#
    ),
    row!(
        "initialize without params",
        "POST",
        [],
        r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#,
        r#"400 unsupported_revision -32022 id 7 {"requested":"","supported":["2026-07-28"]}"#
    ),
    row!("no _meta, legacy header", "POST", [LEGACY], LIST, NO_META),
    row!("no _meta, live session", "POST", [LIVE], LIST, NO_META),
    row!("notification without headers", "POST", [], NOTE, "notification notifications/initialized"),
    row!("response", "POST", [], ANSWER, "400 invalid_request -32600"),
    row!("batch", "POST", [], BATCH, "400 invalid_request -32600"),
    row!("GET", "GET", [LIVE], "", POST_ONLY),
    row!("DELETE", "DELETE", [LIVE, ("accept", ABSENT)], "", POST_ONLY),
];
