//! Faults that were found in other implementations, as far as the table decides them.

use hermes_types::FaultKind;

use super::*;

const SESSION: &str = "s-2025-11-25";

fn posted(headers: &[(&str, &str)], text: &str) -> String {
    outcome(&sessions(), "POST", headers, text.as_bytes())
}

fn status(method: &str, headers: &[(&str, &str)], text: &str) -> String {
    outcome(&sessions(), method, headers, text.as_bytes()).chars().take(3).collect()
}

// spec: R131, R132
#[test]
fn b009_a_session_that_is_not_known_is_404_and_none_at_all_is_400() {
    for id in ["dead-1", "s-expired", "s-terminated"] {
        let headers = [("mcp-session-id", id)];
        let all = [("POST", LIST), ("GET", ""), ("DELETE", "")]
            .map(|(method, text)| status(method, &headers, text));
        assert_eq!(all, ["404", "404", "404"], "{id}");
    }
    assert_eq!(status("POST", &[], LIST), "400");
}

#[test]
fn b010_a_dead_session_is_neither_unauthorized_nor_unavailable() {
    let found = posted(&[("mcp-session-id", "dead-2"), ("authorization", "Bearer valid")], PING);
    assert_eq!(found, r#"404 session_expired -32001 id 7 {"reason":"unknown"}"#);
}

#[test]
fn b014_initialize_with_a_stale_session_header_opens_a_session_of_its_own() {
    assert_eq!(posted(&[("mcp-session-id", "dead-3")], HELLO), "handshake 2025-06-18");
}

#[test]
fn b015_a_request_may_overtake_the_notification_that_the_handshake_is_done() {
    // What the table asks for is the answer to `initialize`, and no more.
    assert_eq!(posted(&[("mcp-session-id", SESSION)], LIST), "in s-2025-11-25");
    assert_eq!(posted(&[("mcp-session-id", SESSION)], NOTE), "in s-2025-11-25");
}

#[test]
fn b020_a_delete_needs_no_body_and_no_content_type() {
    let headers = [("mcp-session-id", SESSION), ("content-type", ABSENT), ("accept", ABSENT)];
    assert_eq!(outcome(&sessions(), "DELETE", &headers, b""), "end s-2025-11-25");
}

// spec: R002, R006
#[test]
fn b023_a_refusal_carries_the_id_with_its_type() {
    for id in ["0", "-7", "42", "\"1\"", "\"\"", "\"req-abc\"", "\"日本\"", "\"a\\\"b\"", "9007199254740993"]
    {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        let refused = body(&text, &lookup(&[]), &sessions(), standing).expect_err(id);
        let said = String::from_utf8(refused.body()).expect("UTF-8");
        assert!(said.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":"#)), "{said}");
    }
}

// spec: R002, R003, R009
#[test]
fn b025_an_illegal_id_is_refused_and_not_echoed() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!("\"{}\"", "x".repeat(1_000_000));
    for id in ["1.5", "true", "null", "{\"a\":[]}", "[]", &deep, &long] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let found = posted(&[("mcp-session-id", SESSION)], &text);
        assert_eq!(found, "400 invalid_request -32600", "{} bytes", text.len());
    }
}

// spec: R009, R016
#[test]
fn b026_a_body_that_is_no_json_is_refused_without_an_id() {
    let headers = [("mcp-session-id", SESSION)];
    for text in ["{", r#"{"jsonrpc":"2.0","id":"#, r#"{"jsonrpc":"2.0","id":4,"method":"ping"}}"#] {
        let refused = body(text, &lookup(&headers), &sessions(), standing).expect_err(text);
        assert_eq!((refused.status, refused.fault.to_error(refused.revision).code), (400, -32700), "{text}");
        assert!(!String::from_utf8(refused.body()).expect("UTF-8").contains("\"id\""), "{text}");
    }
    let refused = utf8(b"\xff{}".to_vec()).expect_err("no UTF-8");
    assert_eq!((refused.status, refused.id, refused.fault.kind().as_str()), (400, None, "parse_error"));
}

// spec: R012, R013
#[test]
fn b027_what_has_no_id_is_never_refused_with_one() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x-unknown","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}"#,
    ] {
        assert_eq!(posted(&[("mcp-session-id", SESSION)], text), "in s-2025-11-25");
        assert_eq!(posted(&[], text), "400 invalid_request -32600");
    }
}

// spec: R189
#[test]
fn b029_an_unknown_method_is_404_in_the_modern_era_and_200_in_a_session() {
    let status = |revision| FaultKind::MethodNotFound.http_status(revision);
    assert_eq!(Revision::LEGACY.map(status), [200; 4], "404 would end the session");
    assert_eq!(Revision::MODERN.map(status), [404]);
    // So the table leaves it to whoever knows the methods.
    let text = r#"{"jsonrpc":"2.0","id":8,"method":"resources/list"}"#;
    assert_eq!(posted(&[("mcp-session-id", SESSION)], text), "in s-2025-11-25");
}

#[test]
fn b030_a_method_without_params_takes_a_meta_and_unknown_members() {
    let text =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"progressToken":0},"x":1}}"#;
    assert_eq!(posted(&[("mcp-session-id", SESSION)], text), "in s-2025-11-25");
    let text = r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{}}}"#;
    assert_eq!(posted(&[("mcp-session-id", SESSION)], text), "in s-2025-11-25");
}

// spec: R014, R015
#[test]
fn b032_a_batch_is_served_where_its_revision_has_batches() {
    let batch =
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#;
    for (headers, expected) in [
        (("mcp-session-id", "s-2025-03-26"), "in s-2025-03-26"),
        (("mcp-session-id", "s-2025-06-18"), "400 invalid_request -32600"),
        (("mcp-session-id", "s-2025-11-25"), "400 invalid_request -32600"),
        (("mcp-protocol-version", "2026-07-28"), "400 invalid_request -32600"),
    ] {
        assert_eq!(posted(&[headers], batch), expected, "{headers:?}");
    }
}

#[test]
fn b061_every_accept_header_that_allows_an_answer_gets_one() {
    let read = |value: &str| {
        let Accept { events, json } = Accept::read(&Field::One(value.as_bytes()));
        (json, events)
    };
    for value in [
        "application/json, text/event-stream",
        "*/*",
        "text/event-stream;q=0.9, application/json",
        "APPLICATION/JSON,Text/Event-Stream",
        "application/*;q=0.1 , text/*",
        "text/html, */*;q=0.01",
        "application/json;x=\"a,b;q=0\",text/event-stream;q=1.000",
        "application/json;q=0, application/json;q=1, text/event-stream",
        "",
        " , ,",
    ] {
        assert_eq!(read(value), (true, true), "{value}");
    }
    for value in ["application/*", "application/json", "application/json; charset=utf-8", "*/*, text/*;q=0"] {
        assert_eq!(read(value), (true, false), "{value}");
    }
    for value in [
        "text/event-stream",
        "application/json;q=0, text/event-stream",
        "*/*, application/json ; Q = 0.000",
        "text/*",
    ] {
        assert_eq!(read(value), (false, true), "{value}");
    }
    for value in ["text/html", "application/jsonl", "*/*;q=0", "json", "*/json", "application/json;q=0."] {
        assert_eq!(read(value), (false, false), "{value}");
    }
    assert_eq!(Accept::read(&Field::Absent), Accept { events: true, json: true });
}

#[test]
fn b062_a_semicolon_for_a_comma_means_json_and_two_lines_mean_both() {
    let read = |value: &str| Accept::read(&Field::One(value.as_bytes()));
    assert_eq!(read("application/json; text/event-stream"), Accept { events: false, json: true });
    assert!(read("garbage").is_neither());
    assert_eq!(read(",,"), Accept { events: true, json: true });
    let lines: [&[u8]; 2] = [b"application/json", b"text/event-stream"];
    assert_eq!(Accept::read(&lines.into_iter().collect()), Accept { events: true, json: true });
    let lines: [&[u8]; 2] = [b"text/html", b"application/json"];
    assert_eq!(Accept::read(&lines.into_iter().collect()), Accept { events: false, json: true });
}

#[test]
fn b063_a_body_of_another_type_is_refused_unread() {
    for value in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "application/json-rpc",
        "text/plain; application/json",
        "application/json, text/plain",
        "",
        ABSENT,
    ] {
        let found = posted(&[("mcp-session-id", SESSION), ("content-type", value)], "not even JSON");
        assert_eq!(found, "415 invalid_request -32600", "{value}");
    }
    let two = [("content-type", "application/json"), ("content-type", "application/json")];
    assert_eq!(posted(&two, LIST), "415 invalid_request -32600");
}

// spec: R120, R121
#[test]
fn b065_an_origin_is_compared_as_a_whole_on_every_method() {
    for method in ["POST", "GET", "DELETE", "OPTIONS", "PUT"] {
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://localhost:1@evil.example",
            "http://localhost:8000@evil.example",
            "file://",
            "http://localhost:80000",
        ] {
            let headers = [("mcp-session-id", SESSION), ("origin", origin)];
            assert_eq!(
                outcome(&sessions(), method, &headers, b"{"),
                "403 invalid_request -32600",
                "{method} {origin}"
            );
        }
    }
    for origin in ["http://localhost:8000", "http://[::1]:8000", ABSENT] {
        assert_eq!(posted(&[("mcp-session-id", SESSION), ("origin", origin)], LIST), "in s-2025-11-25");
    }
}

#[test]
fn b066_a_host_is_compared_as_a_whole_with_and_without_its_port() {
    for (host, expected) in [
        ("evil.example:8000", "403 invalid_request -32600"),
        ("evil.example", "403 invalid_request -32600"),
        ("127.0.0.1.nip.example:8000", "403 invalid_request -32600"),
        ("localhost:8000", "in s-2025-11-25"),
        ("LOCALHOST", "in s-2025-11-25"),
        ("127.0.0.1", "in s-2025-11-25"),
        ("[::1]:8000", "in s-2025-11-25"),
        ("extra.example", "in s-2025-11-25"),
        ("extra.example:8000", "in s-2025-11-25"),
        (ABSENT, "400 invalid_request -32600"),
    ] {
        let policy = Policy { hosts: vec!["extra.example".to_owned()], ..sessions() };
        let headers = [("mcp-session-id", SESSION), ("host", host)];
        assert_eq!(outcome(&policy, "POST", &headers, LIST.as_bytes()), expected, "{host}");
    }
}

#[test]
fn b068_a_body_that_is_too_long_or_too_deep_is_refused() {
    let policy = Policy { body_bytes: 100_000, ..sessions() };
    let headers = [("mcp-session-id", SESSION)];
    let padded = format!("{LIST}{}", " ".repeat(100_000));
    assert_eq!(outcome(&policy, "POST", &headers, padded.as_bytes()), "413 invalid_request -32600");
    let announced = [("mcp-session-id", SESSION), ("content-length", "100001")];
    assert_eq!(outcome(&policy, "POST", &announced, b""), "413 invalid_request -32600");
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    let deep = |members: &str| format!(r#"{{"jsonrpc":"2.0",{members}"params":{{"a":{open}{close}}}}}"#);
    let asked =
        |headers: &[(&str, &str)], members: &str| outcome(&policy, "POST", headers, deep(members).as_bytes());
    assert_eq!(asked(&headers, r#""id":7,"method":"x","#), "400 invalid_request -32600 id 7");
    assert_eq!(asked(&[], r#""id":7,"method":"x","#), "400 invalid_request -32600 id 7");
    assert_eq!(asked(&headers, r#""method":"x","#), "400 invalid_request -32600");
    assert_eq!(asked(&headers, r#""id":7,"result":{},"#), "in s-2025-11-25", "whoever asked has to be told");
    assert_eq!(asked(&[], r#""id":7,"result":{},"#), "400 invalid_request -32600");
    let dead = [("mcp-session-id", "s-expired")];
    let expected = r#"404 session_expired -32001 id 7 {"reason":"expired"}"#;
    assert_eq!(asked(&dead, r#""id":7,"method":"x","#), expected);
    assert_eq!(outcome(&policy, "POST", &headers, open.as_bytes()), "400 invalid_request -32600");
}

#[test]
fn b070_an_unknown_version_in_a_handshake_is_negotiated_and_never_refused() {
    for version in ["2027-01-01", "1999-01-01", "2026-07-28"] {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
        );
        assert_eq!(posted(&[], &text), "handshake 2025-11-25", "{version}");
    }
}

// spec: R134
#[test]
fn b071_a_bad_version_header_is_refused_on_every_method() {
    for version in ["1999-01-01", "x", "2025-11-25, 2025-06-18", ""] {
        let headers = [("mcp-session-id", SESSION), ("mcp-protocol-version", version)];
        let all = [("POST", LIST), ("GET", ""), ("DELETE", "")]
            .map(|(method, text)| status(method, &headers, text));
        assert_eq!(all, ["400", "400", "400"], "{version:?}");
    }
}

#[test]
fn b082_a_tenant_in_a_header_cannot_differ_from_the_one_in_the_body() {
    let schema = serde_json::json!({"properties": {"tenant": {"type": "string", "x-mcp-header": "Tenant"}}});
    let mirrors = Mirror::declared(&schema).expect("a legal schema");
    let arguments = RawJson::parse(r#"{"tenant":"alice"}"#).expect("JSON");
    let check =
        |headers: &[(&str, &str)]| mirrored(&mirrors, Some(arguments.as_raw()), &lookup(headers)).is_ok();
    assert!(check(&[("mcp-param-tenant", "alice")]));
    assert!(!check(&[("mcp-param-tenant", "bob")]));
    assert!(!check(&[]));
}

/// The words of the two faults that tell a client to connect anew.
#[test]
fn a_dead_session_says_what_to_do() {
    for fault in [session_expired(Gone::Unknown), not_initialized()] {
        assert_eq!(fault.message(), "Session expired or not initialized. Please reconnect.");
    }
}
