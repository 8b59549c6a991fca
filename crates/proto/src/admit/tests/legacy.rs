//! Rows of the legacy era.

use super::{ABSENT, ANSWER, HELLO, LIST, NO_SESSION, NOTE, PING, Row};

const OLD: (&str, &str) = ("mcp-session-id", "s-2025-03-26");
const NEW: (&str, &str) = ("mcp-session-id", "s-2025-11-25");
const UNKNOWN: &str = r#"404 session_expired -32001 id 7 {"reason":"unknown"}"#;
const NOBODY: &str = r#"404 session_expired -32001 {"reason":"unknown"}"#;
const BAD_VERSION: &str = r#"400 unsupported_revision -32602 id 7 {"requested":"1999-01-01","supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}"#;
const BAD_VERSION_NO_ID: &str = r#"400 unsupported_revision -32602 {"requested":"1999-01-01","supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}"#;
const ALL: &str = "405 invalid_request -32600 allow GET, POST, DELETE";
const BATCH: &str =
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#;

macro_rules! row {
    ($name:literal, $method:literal, [$($header:expr),*], $body:expr, $expected:expr) => {
        Row { name: $name, method: $method, headers: &[$($header),*], body: $body, expected: $expected }
    };
}

/// What is decided for the endpoint as a whole.
pub(super) const ENDPOINT: &[Row] = &[
    row!(
        "POST, foreign origin",
        "POST",
        [NEW, ("origin", "http://evil.example")],
        LIST,
        "403 invalid_request -32600"
    ),
    row!(
        "GET, foreign origin",
        "GET",
        [NEW, ("origin", "http://evil.example")],
        "",
        "403 invalid_request -32600"
    ),
    row!("DELETE, foreign origin", "DELETE", [NEW, ("origin", "null")], "", "403 invalid_request -32600"),
    row!(
        "OPTIONS, foreign origin",
        "OPTIONS",
        [("origin", "http://evil.example")],
        "",
        "403 invalid_request -32600"
    ),
    row!("no origin", "POST", [NEW], LIST, "in s-2025-11-25"),
    row!("allowed origin", "POST", [NEW, ("origin", "https://app.example")], LIST, "in s-2025-11-25"),
    row!("own origin", "POST", [NEW, ("origin", "http://localhost:8000")], LIST, "in s-2025-11-25"),
    row!(
        "two origins",
        "POST",
        [NEW, ("origin", "https://app.example"), ("origin", "https://app.example")],
        LIST,
        "400 invalid_request -32600"
    ),
    row!("foreign host", "POST", [NEW, ("host", "evil.example:8000")], LIST, "403 invalid_request -32600"),
    row!("no host", "POST", [NEW, ("host", ABSENT)], LIST, "400 invalid_request -32600"),
    row!(
        "two hosts",
        "GET",
        [NEW, ("host", "localhost"), ("host", "localhost")],
        "",
        "400 invalid_request -32600"
    ),
    row!("POST, unknown version", "POST", [NEW, ("mcp-protocol-version", "1999-01-01")], LIST, BAD_VERSION),
    row!("GET, unknown version", "GET", [NEW, ("mcp-protocol-version", "1999-01-01")], "", BAD_VERSION_NO_ID),
    row!(
        "DELETE, unknown version",
        "DELETE",
        [NEW, ("mcp-protocol-version", "1999-01-01")],
        "",
        BAD_VERSION_NO_ID
    ),
    row!(
        "two versions",
        "POST",
        [NEW, ("mcp-protocol-version", "2025-11-25"), ("mcp-protocol-version", "2025-11-25")],
        LIST,
        "400 header_mismatch -32600 id 7"
    ),
    row!("no version: the session's", "POST", [OLD], LIST, "in s-2025-03-26"),
    row!(
        "another version than the session's",
        "POST",
        [NEW, ("mcp-protocol-version", "2025-03-26")],
        LIST,
        "in s-2025-11-25"
    ),
    row!(
        "GET, another version than the session's",
        "GET",
        [NEW, ("mcp-protocol-version", "2025-06-18")],
        "",
        "read s-2025-11-25 2025-11-25"
    ),
    row!("POST without a session", "POST", [], LIST, NO_SESSION),
    row!("POST with an empty session", "POST", [("mcp-session-id", " ")], LIST, NO_SESSION),
    row!("POST without a session, notification", "POST", [], NOTE, "400 invalid_request -32600"),
    row!("POST without a session, response", "POST", [], ANSWER, "400 invalid_request -32600"),
    row!("POST without a session, ping", "POST", [], PING, NO_SESSION),
    row!("GET without a session", "GET", [], "", "400 invalid_request -32600"),
    row!("DELETE without a session", "DELETE", [], "", "400 invalid_request -32600"),
    row!("two sessions", "POST", [OLD, NEW], LIST, NO_SESSION),
    row!(
        "POST, expired",
        "POST",
        [("mcp-session-id", "s-expired")],
        LIST,
        r#"404 session_expired -32001 id 7 {"reason":"expired"}"#
    ),
    row!(
        "POST, terminated",
        "POST",
        [("mcp-session-id", "s-terminated")],
        LIST,
        r#"404 session_expired -32001 id 7 {"reason":"terminated"}"#
    ),
    row!("POST, never issued", "POST", [("mcp-session-id", "dead")], LIST, UNKNOWN),
    row!("POST, session id is no text", "POST", [("mcp-session-id", "é")], LIST, UNKNOWN),
    row!("POST, never issued, notification", "POST", [("mcp-session-id", "dead")], NOTE, NOBODY),
    row!("POST, never issued, response", "POST", [("mcp-session-id", "dead")], ANSWER, NOBODY),
    row!("POST, never issued, batch", "POST", [("mcp-session-id", "dead")], BATCH, NOBODY),
    row!("POST, never issued, no JSON", "POST", [("mcp-session-id", "dead")], "{", NOBODY),
    row!(
        "POST, never issued, no message",
        "POST",
        [("mcp-session-id", "dead")],
        r#"{"id":7,"method":"x"}"#,
        UNKNOWN
    ),
    row!("POST, never issued, ping", "POST", [("mcp-session-id", "dead")], PING, UNKNOWN),
    row!(
        "POST, never issued, unknown version",
        "POST",
        [("mcp-session-id", "dead"), ("mcp-protocol-version", "1999-01-01")],
        LIST,
        UNKNOWN
    ),
    row!("GET, never issued", "GET", [("mcp-session-id", "dead")], "", NOBODY),
    row!(
        "DELETE, terminated",
        "DELETE",
        [("mcp-session-id", "s-terminated")],
        "",
        r#"404 session_expired -32001 {"reason":"terminated"}"#
    ),
    row!("PUT", "PUT", [NEW], LIST, ALL),
    row!("PATCH", "PATCH", [NEW], LIST, ALL),
    row!("HEAD", "HEAD", [NEW], "", ALL),
    row!("a method in lower case", "post", [NEW], LIST, ALL),
    row!("OPTIONS", "OPTIONS", [], "", ALL),
    row!("OPTIONS, allowed origin", "OPTIONS", [("origin", "https://app.example")], "", "preflight"),
];

/// What is decided for single messages.
pub(super) const MESSAGES: &[Row] = &[
    row!("initialize", "POST", [], HELLO, "handshake 2025-06-18"),
    row!(
        "initialize, unknown version",
        "POST",
        [],
        r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2031-01-01","capabilities":{}}}"#,
        "handshake 2025-11-25"
    ),
    row!(
        "initialize, no version",
        "POST",
        [],
        r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}"#,
        "400 invalid_params -32602 id 7"
    ),
    row!("initialize, dead session", "POST", [("mcp-session-id", "dead")], HELLO, "handshake 2025-06-18"),
    row!("initialize, live session", "POST", [NEW], HELLO, "handshake 2025-06-18"),
    row!("initialize, two sessions", "POST", [OLD, NEW], HELLO, NO_SESSION),
    row!(
        "initialize, unknown version header",
        "POST",
        [("mcp-protocol-version", "1999-01-01")],
        HELLO,
        "handshake 2025-06-18"
    ),
    row!(
        "initialize in a batch",
        "POST",
        [OLD],
        r#"[{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]"#,
        "400 invalid_request -32600"
    ),
    row!("request", "POST", [NEW], LIST, "in s-2025-11-25"),
    row!(
        "unknown method",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":7,"method":"no/such"}"#,
        "in s-2025-11-25"
    ),
    row!(
        "a modern method in a session",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":7,"method":"server/discover"}"#,
        "in s-2025-11-25"
    ),
    row!(
        "_meta with a progress token only",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":0},"x":1}}"#,
        "in s-2025-11-25"
    ),
    row!("notification", "POST", [NEW], NOTE, "in s-2025-11-25"),
    row!(
        "broken notification",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","method":"x","params":[]}"#,
        "400 invalid_params -32602"
    ),
    row!("response", "POST", [NEW], ANSWER, "in s-2025-11-25"),
    row!(
        "broken response",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
        "in s-2025-11-25"
    ),
    row!(
        "broken response, no session",
        "POST",
        [],
        r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
        "400 invalid_request -32600"
    ),
    row!(
        "broken response without an id",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","result":{}}"#,
        "400 invalid_request -32600"
    ),
    row!("batch, 2025-03-26", "POST", [OLD], BATCH, "in s-2025-03-26"),
    row!(
        "batch of notifications, 2025-03-26",
        "POST",
        [OLD],
        r#"[{"jsonrpc":"2.0","method":"x"}]"#,
        "in s-2025-03-26"
    ),
    row!(
        "batch of responses, 2025-03-26",
        "POST",
        [OLD],
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        "in s-2025-03-26"
    ),
    row!(
        "batch with a broken member, 2025-03-26",
        "POST",
        [OLD],
        r#"[1,{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        "in s-2025-03-26"
    ),
    row!("empty batch, 2025-03-26", "POST", [OLD], "[]", "400 invalid_request -32600"),
    row!(
        "mixed batch, 2025-03-26",
        "POST",
        [OLD],
        r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        "400 invalid_request -32600"
    ),
    row!("broken batch, 2025-03-26", "POST", [OLD], "[{", "400 parse_error -32700"),
    row!(
        "batch, 2024-11-05",
        "POST",
        [("mcp-session-id", "s-2024-11-05")],
        BATCH,
        "400 invalid_request -32600"
    ),
    row!(
        "batch, 2025-06-18",
        "POST",
        [("mcp-session-id", "s-2025-06-18")],
        BATCH,
        "400 invalid_request -32600"
    ),
    row!("batch, 2025-11-25", "POST", [NEW], BATCH, "400 invalid_request -32600"),
    row!("batch, no session", "POST", [], BATCH, "400 invalid_request -32600"),
    row!(
        "batch, version header says 2025-03-26 and session 2025-11-25",
        "POST",
        [NEW, ("mcp-protocol-version", "2025-03-26")],
        BATCH,
        "400 invalid_request -32600"
    ),
    row!("no JSON", "POST", [NEW], "{", "400 parse_error -32700"),
    row!(
        "no JSON that begins like a request",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":7,"method":"x",}"#,
        "400 parse_error -32700"
    ),
    row!("no JSON, no session", "POST", [], "nonsense", "400 parse_error -32700"),
    row!("empty body", "POST", [NEW], "", "400 parse_error -32700"),
    row!("no request", "POST", [NEW], r#"{"jsonrpc":"2.0","id":7}"#, NO_SESSION),
    row!("wrong jsonrpc", "POST", [NEW], r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, NO_SESSION),
    row!(
        "id of null",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        "400 invalid_request -32600"
    ),
    row!(
        "id twice",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#,
        "400 invalid_request -32600"
    ),
    row!(
        "params is an array",
        "POST",
        [NEW],
        r#"{"jsonrpc":"2.0","id":7,"method":"x","params":[]}"#,
        "400 invalid_params -32602 id 7"
    ),
    row!(
        "handshake not complete, request",
        "POST",
        [("mcp-session-id", "s-opening")],
        LIST,
        r#"400 not_initialized -32600 id 7 {"reason":"not_initialized"}"#
    ),
    row!("handshake not complete, ping", "POST", [("mcp-session-id", "s-opening")], PING, "in s-opening"),
    row!(
        "handshake not complete, notification",
        "POST",
        [("mcp-session-id", "s-opening")],
        NOTE,
        "in s-opening"
    ),
    row!(
        "handshake not complete, batch",
        "POST",
        [("mcp-session-id", "s-opening")],
        BATCH,
        r#"400 not_initialized -32600 {"reason":"not_initialized"}"#
    ),
    row!(
        "handshake not complete, GET",
        "GET",
        [("mcp-session-id", "s-opening")],
        "",
        r#"400 not_initialized -32600 {"reason":"not_initialized"}"#
    ),
    row!("Accept lacks both", "POST", [NEW, ("accept", "text/html")], LIST, "406 invalid_request -32600"),
    row!("Accept has JSON only", "POST", [NEW, ("accept", "application/json")], LIST, "in s-2025-11-25"),
    row!("Accept has a wildcard", "POST", [NEW, ("accept", "*/*")], LIST, "in s-2025-11-25"),
    row!("no Accept", "POST", [NEW, ("accept", ABSENT)], LIST, "in s-2025-11-25"),
    row!(
        "Content-Type of text",
        "POST",
        [NEW, ("content-type", "text/plain")],
        LIST,
        "415 invalid_request -32600"
    ),
    row!("no Content-Type", "POST", [NEW, ("content-type", ABSENT)], LIST, "415 invalid_request -32600"),
    row!(
        "Content-Type with a charset",
        "POST",
        [NEW, ("content-type", "Application/JSON; charset=\"utf-8\"")],
        LIST,
        "in s-2025-11-25"
    ),
    row!("compressed", "POST", [NEW, ("content-encoding", "gzip")], LIST, "415 invalid_request -32600"),
    row!("too long", "POST", [NEW, ("content-length", "4194305")], LIST, "413 invalid_request -32600"),
    row!("as long as allowed", "POST", [NEW, ("content-length", "4194304")], LIST, "in s-2025-11-25"),
    row!(
        "longer than any number",
        "POST",
        [NEW, ("content-length", "99999999999999999999999999")],
        LIST,
        "413 invalid_request -32600"
    ),
    row!("GET", "GET", [NEW, ("accept", "text/event-stream")], "", "read s-2025-11-25 2025-11-25"),
    row!("GET for JSON", "GET", [NEW, ("accept", "application/json")], "", "406 invalid_request -32600"),
    row!(
        "GET, resumed",
        "GET",
        [NEW, ("last-event-id", "0-5")],
        "",
        "read s-2025-11-25 2025-11-25 after 0-5"
    ),
    row!(
        "GET, resumed after nothing",
        "GET",
        [NEW, ("last-event-id", "")],
        "",
        "read s-2025-11-25 2025-11-25"
    ),
    row!(
        "GET, resumed twice",
        "GET",
        [NEW, ("last-event-id", "1"), ("last-event-id", "2")],
        "",
        "400 invalid_request -32600"
    ),
    row!("DELETE", "DELETE", [NEW, ("content-type", ABSENT), ("accept", ABSENT)], "", "end s-2025-11-25"),
];
