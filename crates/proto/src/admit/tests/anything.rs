//! What holds for anything that comes in.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const NAMES: [&str; 12] = [
    "host",
    "origin",
    "accept",
    "content-type",
    "content-length",
    "content-encoding",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "last-event-id",
    "mcp-param-a",
];

/// A value: something that means something, or anything.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "localhost:8000",
        "http://localhost:8000",
        "https://app.example",
        "application/json",
        "text/event-stream",
        "*/*;q=0.5",
        "s-2025-03-26",
        "s-2025-11-25",
        "s-opening",
        "s-expired",
        "2025-03-26",
        "2026-07-28",
        "tools/call",
        "=?base64?YQ==?=",
        "1e999",
        "[::1]:",
    ]);
    prop_oneof![3 => known.prop_map(|text| text.as_bytes().to_vec()), 1 => vec(any::<u8>(), 0..12)]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        LIST,
        PING,
        NOTE,
        ANSWER,
        HELLO,
        modern!("tools/call", r#""name":"a","arguments":{"a":1},"#),
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":5}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
        "{",
    ]);
    // A text with a piece cut out is nearly a message.
    let cut = (known.clone(), any::<prop::sample::Index>(), 0..9_usize).prop_map(|(text, at, length)| {
        let (mut bytes, at) = (text.as_bytes().to_vec(), at.index(text.len()));
        bytes.drain(at..(at + length).min(text.len()));
        bytes
    });
    prop_oneof![3 => known.prop_map(|text| text.as_bytes().to_vec()), 3 => cut, 1 => vec(any::<u8>(), 0..40)]
}

fn policy() -> impl Strategy<Value = Policy> {
    prop::sample::select(vec![
        sessions(),
        stateless(),
        modern_only(),
        Policy { depth: 1, body_bytes: 50, ..sessions() },
    ])
}

fn method() -> impl Strategy<Value = String> {
    prop_oneof![4 => prop::sample::select(vec!["POST", "GET", "DELETE", "OPTIONS", "HEAD"]).prop_map(str::to_owned), 1 => ".{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every request has an outcome; a refusal is one to clients too, and carries no id but the request's own.
    #[test]
    fn whatever_comes_in_is_admitted_or_refused_in_order(
        policy in policy(),
        method in method(),
        headers in vec((prop::sample::select(NAMES.to_vec()), value()), 0..8),
        text in text(),
    ) {
        let field = |name: &str| -> Field<'_> {
            let said = headers.iter().filter(|(header, _)| *header == name).map(|(_, value)| value.as_slice());
            let usual = USUAL.iter().filter(|(header, _)| *header == name && !headers.iter().any(|(said, _)| said == header));
            said.chain(usual.map(|(_, value)| value.as_bytes())).collect()
        };
        let refused = match guard(&field, &policy, arrival()) {
            Err(refused) => Some(refused),
            Ok(guest) => match door(&guest, &method, &field, &policy) {
                Err(refused) => Some(refused),
                Ok(Door::Preflight) => None,
                Ok(Door::Get) => get(&field, &policy, standing).err(),
                Ok(Door::Delete) => delete(&field, &policy, standing).err(),
                Ok(Door::Post { .. }) => None,
            },
        };
        // The body is decided upon for itself, too: it does not rely on what was asked before.
        let posted = utf8(text).and_then(|text| body(&text, &field, &policy, standing).map(drop));
        for refused in [refused, posted.err()].into_iter().flatten() {
            prop_assert!((400..600).contains(&refused.status));
            prop_assert_eq!(refused.allow.is_some(), refused.status == 405);
            prop_assert!(refused.id.is_none() || refused.id == Some(7.into()) || refused.id == Some(1.into()));
            let said: serde_json::Value = serde_json::from_slice(&refused.body()).expect("JSON");
            prop_assert_eq!(said.get("id").is_some(), refused.id.is_some());
        }
        let arguments = RawJson::parse(r#"{"a":1}"#).expect("JSON");
        let schema = serde_json::json!({"properties": {"a": {"type": "integer", "x-mcp-header": "A"}}});
        let mirrors = Mirror::declared(&schema).expect("legal");
        let _: Result<(), _> = mirrored(&mirrors, Some(arguments.as_raw()), &field);
    }

    /// Whatever a client encodes, a server reads.
    // spec: R186, R212
    #[test]
    fn every_text_survives_its_header(text in any::<String>()) {
        let header = encode_sentinel(&text);
        prop_assert!(header.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        let decoded = decode_sentinel(header.as_bytes());
        prop_assert_eq!(decoded.as_deref(), Ok(&*text));
    }

    #[test]
    fn no_value_and_no_list_is_too_strange_to_be_read(bytes in vec(any::<u8>(), 0..40)) {
        let _: Accept = Accept::read(&Field::One(&bytes));
        if let Ok(text) = decode_sentinel(&bytes) {
            prop_assert!(text.len() <= bytes.len());
        }
    }
}
