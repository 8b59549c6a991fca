//! Headers that repeat arguments, and their encoding.

use serde_json::{Value, json};

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N"},
            "b": {"type": ["boolean", "null"], "x-mcp-header": "B"},
            "deep": {"type": "object", "properties": {"o": {"properties": {"p": {"type": "string", "x-mcp-header": "P"}}}}},
            "plain": {"type": "string", "default": {"x-mcp-header": "not an annotation"}},
            "x-mcp-header": {"type": "number"}
        }
    })
}

/// How a call with these arguments and headers fares.
fn checked(arguments: &str, headers: &[(&str, &str)]) -> Result<(), String> {
    let mirrors = Mirror::declared(&schema()).expect("a legal schema");
    let arguments = RawJson::parse(arguments).expect("JSON");
    let given = (!arguments.is_null()).then(|| arguments.as_raw());
    mirrored(&mirrors, given, &lookup(headers)).map_err(|fault| {
        assert_eq!(fault.to_error(Revision::LATEST).code, -32020);
        fault.to_string()
    })
}

#[test]
fn annotated_arguments_are_found_at_their_paths() {
    let mirrors = Mirror::declared(&schema()).expect("a legal schema");
    let found: Vec<_> = mirrors.iter().map(|mirror| (mirror.header(), mirror.path().join("."))).collect();
    let expected = [("Region", "region"), ("N", "n"), ("B", "b"), ("P", "deep.o.p")];
    assert_eq!(found, expected.map(|(name, path)| (format!("Mcp-Param-{name}"), path.to_owned())));
    assert_eq!(Mirror::declared(&json!(true)), Ok(Vec::new()));
    assert_eq!(Mirror::declared(&json!({"type": "object"})), Ok(Vec::new()));
}

// spec: R213
#[test]
fn an_illegal_annotation_makes_the_tool_illegal_and_says_why() {
    let property = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    let header = |kind: &str, name: &str| property(json!({"type": kind, "x-mcp-header": name}));
    for name in ["", "a b", "a:b", "é", "a\r", "a\u{0}b", "a/b"] {
        assert_eq!(
            Mirror::declared(&header("string", name)),
            Err(BadMirror::Name(name.to_owned())),
            "{name:?}"
        );
    }
    let no_text = property(json!({"type": "string", "x-mcp-header": 5}));
    assert_eq!(Mirror::declared(&no_text), Err(BadMirror::Name("5".to_owned())));
    for kind in ["number", "object", "array", "null"] {
        assert_eq!(Mirror::declared(&header(kind, "A")), Err(BadMirror::Type("A".to_owned())), "{kind}");
    }
    for kind in [json!(["string", "number"]), json!(["null"]), json!([])] {
        let schema = property(json!({"type": kind, "x-mcp-header": "A"}));
        assert_eq!(Mirror::declared(&schema), Err(BadMirror::Type("A".to_owned())), "{schema}");
    }
    assert_eq!(
        Mirror::declared(&property(json!({"x-mcp-header": "A"}))),
        Err(BadMirror::Type("A".to_owned()))
    );
    let twice = json!({"properties": {
        "a": {"type": "string", "x-mcp-header": "Same"},
        "b": {"properties": {"c": {"type": "string", "x-mcp-header": "sAME"}}}
    }});
    assert_eq!(Mirror::declared(&twice), Err(BadMirror::Twice("sAME".to_owned())));
    let annotated = json!({"type": "string", "x-mcp-header": "A"});
    for place in [
        annotated.clone(),
        property(json!({"type": "array", "items": annotated})),
        json!({"oneOf": [{"properties": {"a": annotated}}]}),
        json!({"allOf": [annotated]}),
        json!({"not": annotated}),
        json!({"if": {"properties": {"a": annotated}}}),
        json!({"$defs": {"x": annotated}}),
        json!({"patternProperties": {"x": annotated}}),
        json!({"additionalProperties": annotated}),
    ] {
        assert_eq!(Mirror::declared(&place), Err(BadMirror::Place), "{place}");
    }
    assert!(Mirror::declared(&header("string", "Method")).is_ok(), "the prefix keeps it apart");
}

// spec: R190, R191, R192, R193
#[test]
fn a_header_repeats_its_argument_or_the_call_is_refused() {
    for (arguments, headers) in [
        ("{}", &[][..]),
        ("null", &[]),
        (r#"{"region":null,"deep":{"o":{}}}"#, &[]),
        (r#"{"region":"us-west1"}"#, &[("mcp-param-region", " us-west1 ")]),
        (r#"{"region":""}"#, &[("mcp-param-region", "")]),
        (r#"{"region":"日本語"}"#, &[("mcp-param-region", "=?base64?5pel5pys6Kqe?=")]),
        (r#"{"region":"\u0041"}"#, &[("mcp-param-region", "A")]),
        (r#"{"r\u0065gion":"A"}"#, &[("mcp-param-region", "A")]),
        (r#"{"n":42}"#, &[("mcp-param-n", "42.0")]),
        (r#"{"n":42.0}"#, &[("mcp-param-n", "42")]),
        (r#"{"n":9007199254740993}"#, &[("mcp-param-n", "9007199254740993")]),
        (r#"{"b":true}"#, &[("mcp-param-b", "true")]),
        (r#"{"deep":{"o":{"p":"é"}}}"#, &[("mcp-param-p", "=?base64?w6k=?=")]),
        (r#"{"deep":5}"#, &[]),
        (r#"{"region":["a"]}"#, &[]),
        (r#"{"region":"SGVsbG8="}"#, &[("mcp-param-region", "SGVsbG8=")]),
        (r#"{"region":"=?base64?SGVsbG8="}"#, &[("mcp-param-region", "=?base64?SGVsbG8=")]),
        (r#"{"region":"=?BASE64?SGVsbG8=?="}"#, &[("mcp-param-region", "=?BASE64?SGVsbG8=?=")]),
        (r#"{"plain":"x"}"#, &[("mcp-param-plain", "y"), ("mcp-param-zzz", "é")]),
    ] {
        assert_eq!(checked(arguments, headers), Ok(()), "{arguments} {headers:?}");
    }
    for (arguments, headers, why) in [
        (r#"{"region":"alice"}"#, &[][..], "is missing, but the argument is there"),
        (r#"{"region":""}"#, &[], "is missing, but the argument is there"),
        (r#"{"region":"alice"}"#, &[("mcp-param-region", "bob")], "differs from the argument"),
        (r#"{"region":"alice"}"#, &[("mcp-param-region", "Alice")], "differs from the argument"),
        ("{}", &[("mcp-param-region", "bob")], "differs from the argument"),
        ("null", &[("mcp-param-region", "bob")], "differs from the argument"),
        (r#"{"region":null}"#, &[("mcp-param-region", "null")], "differs from the argument"),
        (r#"{"region":["a"]}"#, &[("mcp-param-region", "a")], "differs from the argument"),
        (r#"{"region":"a"}"#, &[("mcp-param-region", "a"), ("mcp-param-region", "a")], "stands twice"),
        (
            r#"{"region":"é"}"#,
            &[("mcp-param-region", "é")],
            "cannot be read: it has characters that have to be sent as Base64",
        ),
        (
            r#"{"region":"a"}"#,
            &[("mcp-param-region", "a\u{7f}")],
            "cannot be read: it has characters that have to be sent as Base64",
        ),
        (
            r#"{"region":"Hello"}"#,
            &[("mcp-param-region", "=?base64?SGVsbG8?=")],
            "cannot be read: its Base64 cannot be read",
        ),
        (
            r#"{"region":"Hello"}"#,
            &[("mcp-param-region", "=?base64?SGVs!!!bG8=?=")],
            "cannot be read: its Base64 cannot be read",
        ),
        (
            r#"{"region":"a"}"#,
            &[("mcp-param-region", "=?base64?/w==?=")],
            "cannot be read: its Base64 cannot be read",
        ),
    ] {
        let expected = Err(format!("the header Mcp-Param-Region {why}"));
        assert_eq!(checked(arguments, headers), expected, "{arguments} {headers:?}");
    }
    for header in ["43", "0x2A", "042", ""] {
        assert!(checked(r#"{"n":42}"#, &[("mcp-param-n", header)]).is_err(), "{header}");
    }
    assert!(checked(r#"{"b":true}"#, &[("mcp-param-b", "True")]).is_err());
    assert!(checked(r#"{"b":true}"#, &[("mcp-param-b", "1")]).is_err());
}

// spec: R186, R198, R199, R208, R212
#[test]
fn b079_the_base64_form_is_used_where_it_must_be_and_read_only_as_it_is_spelt() {
    for (text, header) in [
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("", ""),
        (" us-west1", "=?base64?IHVzLXdlc3Qx?="),
        ("us-west1 ", "=?base64?dXMtd2VzdDEg?="),
        (" pad", "=?base64?IHBhZA==?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("in\tside", "=?base64?aW4Jc2lkZQ==?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("日本語", "=?base64?5pel5pys6Kqe?="),
        ("天気", "=?base64?5aSp5rCX?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?aGk=?=", "=?base64?PT9iYXNlNjQ/YUdrPT89?="),
        ("=?BASE64?aGk=?=", "=?BASE64?aGk=?="),
    ] {
        assert_eq!(encode_sentinel(text), header, "{text:?}");
        assert_eq!(decode_sentinel(header.as_bytes()).as_deref(), Ok(text), "{header:?}");
    }
    assert_eq!(decode_sentinel(b"=?base64??=").as_deref(), Ok(""));
    assert_eq!(decode_sentinel(b"=?base64?=").as_deref(), Ok("=?base64?="));
    assert_eq!(decode_sentinel(b"=?base64?###?="), Err(BadSentinel::Base64));
    assert_eq!(decode_sentinel(b"\xff"), Err(BadSentinel::Characters));
}

// spec: R209, R210, R211
#[test]
fn b081_the_client_gives_each_argument_the_header_that_the_server_expects() {
    let mirrors = Mirror::declared(&schema()).expect("a legal schema");
    let values = |arguments: &str| -> Vec<Option<String>> {
        let arguments = RawJson::parse(arguments).expect("JSON");
        mirrors.iter().map(|mirror| mirror.value(Some(arguments.as_raw()))).collect()
    };
    let all = values(r#"{"region":"us-west1","n":42,"b":true,"deep":{"o":{"p":"é"}}}"#);
    let expected = ["us-west1", "42", "true", "=?base64?w6k=?="];
    assert_eq!(all, expected.map(|value| Some(value.to_owned())));
    assert_eq!(values(r#"{"region":null,"deep":{"o":[]}}"#), [None, None, None, None]);
    assert_eq!(values(r#"{"region":""}"#)[0].as_deref(), Some(""));
}
