//! Rows of the modern era.

use super::{ANSWER, LIST, NOTE, Row, modern};

const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
const TOOLS: (&str, &str) = ("mcp-method", "tools/list");
const CALL: (&str, &str) = ("mcp-method", "tools/call");
const MISMATCH: &str = "400 header_mismatch -32020 id 7";
const NO_META: &str = "400 missing_meta -32602 id 7";

macro_rules! post {
    ($name:literal, [$($header:expr),*], $body:expr, $expected:expr) => {
        Row { name: $name, method: "POST", headers: &[$($header),*], body: $body, expected: $expected }
    };
}

/// What is decided for modern messages.
pub(super) const REQUESTS: &[Row] = &[
    post!("request", [VERSION, TOOLS], modern!("tools/list", ""), "modern tools/list 2026-07-28"),
    post!(
        "foreign origin",
        [VERSION, TOOLS, ("origin", "null")],
        modern!("tools/list", ""),
        "403 invalid_request -32600"
    ),
    post!(
        "dead session and last event ignored",
        [VERSION, TOOLS, ("mcp-session-id", "dead"), ("last-event-id", "5")],
        modern!("tools/list", ""),
        "modern tools/list 2026-07-28"
    ),
    post!(
        "live session ignored",
        [VERSION, TOOLS, ("mcp-session-id", "s-2025-11-25")],
        modern!("tools/list", ""),
        "modern tools/list 2026-07-28"
    ),
    post!(
        "two sessions ignored",
        [VERSION, TOOLS, ("mcp-session-id", "a"), ("mcp-session-id", "b")],
        modern!("tools/list", ""),
        "modern tools/list 2026-07-28"
    ),
    post!("no JSON", [VERSION, TOOLS], "{", "400 parse_error -32700"),
    post!(
        "no JSON, dead session",
        [VERSION, TOOLS, ("mcp-session-id", "dead")],
        "{",
        "400 parse_error -32700"
    ),
    post!("array", [VERSION, TOOLS], "[{}]", "400 invalid_request -32600"),
    post!("response", [VERSION], ANSWER, "400 invalid_request -32600"),
    post!("notification", [VERSION], NOTE, "notification notifications/initialized"),
    post!(
        "notification by its _meta, without headers",
        [],
        r#"{"jsonrpc":"2.0","method":"x/y","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        "notification x/y"
    ),
    post!(
        "notification of an unknown revision",
        [],
        r#"{"jsonrpc":"2.0","method":"x/y","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        r#"400 unsupported_revision -32022 {"requested":"2031-01-01","supported":["2026-07-28"]}"#
    ),
    post!("no version header", [TOOLS], modern!("tools/list", ""), MISMATCH),
    post!("no method header", [VERSION], modern!("tools/list", ""), MISMATCH),
    post!(
        "no name header, tools/call",
        [VERSION, CALL],
        modern!("tools/call", r#""name":"echo","#),
        MISMATCH
    ),
    post!(
        "no name header, resources/read",
        [VERSION, ("mcp-method", "resources/read")],
        modern!("resources/read", r#""uri":"a://b","#),
        MISMATCH
    ),
    post!(
        "no name header, prompts/get",
        [VERSION, ("mcp-method", "prompts/get")],
        modern!("prompts/get", r#""name":"p","#),
        MISMATCH
    ),
    post!(
        "no name header, tasks/get",
        [VERSION, ("mcp-method", "tasks/get")],
        modern!("tasks/get", r#""taskId":"t","#),
        MISMATCH
    ),
    post!("no _meta", [VERSION, TOOLS], LIST, NO_META),
    post!(
        "_meta without a version",
        [VERSION, TOOLS],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        NO_META
    ),
    post!(
        "_meta without capabilities",
        [VERSION, TOOLS],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        NO_META
    ),
    post!(
        "_meta without capabilities comes before missing headers",
        [],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        NO_META
    ),
    post!(
        "_meta without capabilities comes before the version",
        [("mcp-protocol-version", "2031-01-01"), TOOLS],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#,
        NO_META
    ),
    post!(
        "_meta is no object",
        [VERSION, TOOLS],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":[]}}"#,
        NO_META
    ),
    post!(
        "the capabilities are no object",
        [VERSION, TOOLS],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":true}}}"#,
        NO_META
    ),
    post!(
        "bad log level",
        [VERSION, TOOLS],
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}}}"#,
        "400 invalid_params -32602 id 7"
    ),
    post!(
        "version header differs",
        [("mcp-protocol-version", "2025-11-25"), TOOLS],
        modern!("tools/list", ""),
        MISMATCH
    ),
    post!(
        "version header differs from an unknown version",
        [VERSION, TOOLS],
        modern!("v999.0.0", "tools/list", ""),
        MISMATCH
    ),
    post!("version header twice", [VERSION, VERSION, TOOLS], modern!("tools/list", ""), MISMATCH),
    post!(
        "unknown version in both",
        [("mcp-protocol-version", "v999.0.0"), TOOLS],
        modern!("v999.0.0", "tools/list", ""),
        r#"400 unsupported_revision -32022 id 7 {"requested":"v999.0.0","supported":["2026-07-28"]}"#
    ),
    post!(
        "unknown version in both, no method header",
        [("mcp-protocol-version", "v999.0.0")],
        modern!("v999.0.0", "tools/list", ""),
        MISMATCH
    ),
    post!("method header differs", [VERSION, CALL], modern!("tools/list", ""), MISMATCH),
    post!(
        "method header in another case",
        [VERSION, ("mcp-method", "Tools/list")],
        modern!("tools/list", ""),
        MISMATCH
    ),
    post!("method header twice", [VERSION, TOOLS, TOOLS], modern!("tools/list", ""), MISMATCH),
    post!(
        "method header is never Base64",
        [VERSION, ("mcp-method", "=?base64?dG9vbHMvbGlzdA==?=")],
        modern!("tools/list", ""),
        MISMATCH
    ),
    post!(
        "name",
        [VERSION, CALL, ("mcp-name", "echo")],
        modern!("tools/call", r#""name":"echo","#),
        "modern tools/call 2026-07-28"
    ),
    post!(
        "name differs",
        [VERSION, CALL, ("mcp-name", "other")],
        modern!("tools/call", r#""name":"echo","#),
        MISMATCH
    ),
    post!(
        "name in another case",
        [VERSION, CALL, ("mcp-name", "Echo")],
        modern!("tools/call", r#""name":"echo","#),
        MISMATCH
    ),
    post!(
        "name twice",
        [VERSION, CALL, ("mcp-name", "echo"), ("mcp-name", "echo")],
        modern!("tools/call", r#""name":"echo","#),
        MISMATCH
    ),
    post!(
        "name in Base64",
        [VERSION, CALL, ("mcp-name", "=?base64?5aSp5rCX?=")],
        modern!("tools/call", r#""name":"天気","#),
        "modern tools/call 2026-07-28"
    ),
    post!(
        "name in Base64 without need",
        [VERSION, CALL, ("mcp-name", "=?base64?ZWNobw==?=")],
        modern!("tools/call", r#""name":"echo","#),
        "modern tools/call 2026-07-28"
    ),
    post!(
        "name in broken Base64",
        [VERSION, CALL, ("mcp-name", "=?base64?###?=")],
        modern!("tools/call", r#""name":"=?base64?###?=","#),
        MISMATCH
    ),
    post!(
        "name not encoded",
        [VERSION, CALL, ("mcp-name", "天気")],
        modern!("tools/call", r#""name":"天気","#),
        MISMATCH
    ),
    post!(
        "name that the body lacks",
        [VERSION, CALL, ("mcp-name", "echo")],
        modern!("tools/call", ""),
        MISMATCH
    ),
    post!(
        "name that is no string",
        [VERSION, CALL, ("mcp-name", "5")],
        modern!("tools/call", r#""name":5,"#),
        MISMATCH
    ),
    post!(
        "name of a method that names nothing",
        [VERSION, TOOLS, ("mcp-name", "x")],
        modern!("tools/list", ""),
        "modern tools/list 2026-07-28"
    ),
    post!(
        "uri",
        [VERSION, ("mcp-method", "resources/read"), ("mcp-name", "file:///a%20b")],
        modern!("resources/read", r#""uri":"file:\/\/\/a%20b","#),
        "modern resources/read 2026-07-28"
    ),
    post!(
        "uri differs",
        [VERSION, ("mcp-method", "resources/read"), ("mcp-name", "file:///a b")],
        modern!("resources/read", r#""uri":"file:///a%20b","#),
        MISMATCH
    ),
    post!(
        "task",
        [VERSION, ("mcp-method", "tasks/cancel"), ("mcp-name", "t")],
        modern!("tasks/cancel", r#""taskId":"t","#),
        "modern tasks/cancel 2026-07-28"
    ),
    post!(
        "spaces and tabs around the values",
        [
            ("mcp-protocol-version", " 2026-07-28\t"),
            ("mcp-method", "  tools/call "),
            ("mcp-name", "\techo  ")
        ],
        modern!("tools/call", r#""name":"echo","#),
        "modern tools/call 2026-07-28"
    ),
    post!(
        "unknown method",
        [VERSION, ("mcp-method", "no/such")],
        modern!("no/such", ""),
        "modern no/such 2026-07-28"
    ),
    post!(
        "removed method",
        [VERSION, ("mcp-method", "initialize")],
        modern!("initialize", ""),
        "modern initialize 2026-07-28"
    ),
    post!(
        "a legacy revision in both",
        [("mcp-protocol-version", "2025-11-25"), TOOLS],
        modern!("2025-11-25", "tools/list", ""),
        r#"400 unsupported_revision -32022 id 7 {"requested":"2025-11-25","supported":["2026-07-28"]}"#
    ),
    post!(
        "Accept lacks both",
        [VERSION, TOOLS, ("accept", "text/html")],
        modern!("tools/list", ""),
        "406 invalid_request -32600"
    ),
];
