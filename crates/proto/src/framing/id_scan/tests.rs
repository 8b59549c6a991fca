use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn head(text: &str) -> Head {
    IdScan::head_of(text.as_bytes())
}

#[test]
fn only_a_top_level_id_counts() {
    let request = |id: RequestId| Head::Request(id);
    for (text, expected) in [
        (r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#, request(7.into())),
        (r#" { "method" : "x" , "params" : { "id" : 1 } , "id" : "a" } "#, request("a".into())),
        (r#"{"params":{"id":1},"method":"x"}"#, Head::Notification),
        (r#"{"params":["id",{"id":1}],"method":"x"}"#, Head::Notification),
        (r#"{"method":"\",\"id\":5,\"","id":6}"#, request(6.into())),
        (r#"{"method":"x","text":"\\","id":6}"#, request(6.into())),
        (r#"{"\u0069\u0064":"\u0069\"]","m\u0065thod":1}"#, request("i\"]".into())),
        (r#"{"\u006d\u0065\u0074\u0068\u006f\u0064":"x","i":"d","id":-0}"#, request(0.into())),
        (r#"{"a":[[[{"b":"}]"}]]],"id":1,"method":""}"#, request(1.into())),
        (r#"{"id":18446744073709551616,"method":""}"#, request(big("18446744073709551616"))),
    ] {
        assert_eq!(head(text), expected, "{text}");
    }
}

fn big(digits: &str) -> RequestId {
    serde_json::from_str(digits).expect("an integer")
}

// spec: R003
#[test]
fn b025_what_is_no_id_is_never_read_as_one() {
    let long = format!("\"{}\"", "x".repeat(MAX_ID_BYTES));
    for id in ["null", "1.5", "1e3", "true", "{\"a\":[]}", "[]", "[1]", "01", "+1", "tru", &long] {
        assert_eq!(head(&format!(r#"{{"method":"x","id":{id}}}"#)), Head::Unknown, "{id}");
    }
    let longest = "x".repeat(MAX_ID_BYTES - 2);
    let text = format!(r#"{{"method":"x","id":"{longest}"}}"#);
    assert_eq!(head(&text), Head::Request(longest.into()));
}

#[test]
fn a_doubled_member_makes_the_head_unknown() {
    assert_eq!(head(r#"{"id":1,"method":"x","id":1}"#), Head::Unknown);
    assert_eq!(head(r#"{"id":1,"method":"x","\u0069d":2}"#), Head::Unknown);
    assert_eq!(head(r#"{"id":1,"method":"x","method":"y"}"#), Head::Unknown);
}

#[test]
fn a_byte_order_mark_stands_in_front_whole_or_not_at_all() {
    let head = |text: &[u8]| IdScan::head_of(text);
    let request = Head::Request(1.into());
    assert_eq!(head(b"\xEF\xBB\xBF {\"id\":1,\"method\":\"x\"}"), request);
    for mark in [&b"\xEF"[..], b"\xBB\xBF", b"\xEF\xBB\xBF\xEF\xBB\xBF", b" \xEF\xBB\xBF", b"\xEF \xBB\xBF"] {
        assert_eq!(head(&[mark, b"{\"id\":1,\"method\":\"x\"}"].concat()), Head::Unknown, "{mark:?}");
    }
}

#[test]
fn responses_are_told_from_requests() {
    assert_eq!(head(r#"{"id":1,"result":{"method":"x"}}"#), Head::Response(Some(1.into())));
    assert_eq!(head(r#"{"error":{},"id":"a"}"#), Head::Response(Some("a".into())));
    assert_eq!(head(r#"{"error":{},"id":null}"#), Head::Response(None));
    assert_eq!(head(r#"{"error":{}}"#), Head::Response(None));
    assert_eq!(head(r#"{"id":1}"#), Head::Unknown);
    assert_eq!(Head::Response(Some(1.into())).into_request_id(), None);
    assert!(!Head::Response(None).wants_answer());
}

// spec: R009
#[test]
fn b026_a_text_that_is_cut_or_goes_on_has_no_id() {
    for text in [
        "",
        "  ",
        "7",
        "[]",
        r#"[{"id":1,"method":"x"}]"#,
        r#"{"jsonrpc":"2.0","id":"#,
        r#"{"id":1,"method":"x""#,
        r#"{"id":1,"method":"x"}}"#,
        r#"{"id":1,"method":"x"} {"#,
        r#"{"id":1 2,"method":"x"}"#,
        r#"{"id" 1,"method":"x"}"#,
        r#"{"id":1,,"method":"x"}"#,
        r#"{"id":1,"method":"x",}"#,
        r#"{id:1,"method":"x"}"#,
        r#"x{"id":1,"method":"x"}"#,
    ] {
        assert_eq!(head(text), Head::Unknown, "{text}");
    }
}

#[test]
fn depth_and_length_cost_no_memory() {
    let mut scan = IdScan::new();
    scan.feed(br#"{"method":"x","params":"#);
    for _ in 0..1000 {
        scan.feed(&[b'['; 1000]);
    }
    for _ in 0..1000 {
        scan.feed(&[b']'; 1000]);
    }
    scan.feed(br#","text":""#);
    for _ in 0..1000 {
        scan.feed(&[b'x'; 1000]);
    }
    assert!(scan.captured.bytes.capacity() <= 2 * MAX_ID_BYTES);
    scan.feed(br#"","id":"#);
    scan.feed(b"3}");
    assert_eq!(scan.finish(), Head::Request(3.into()));
}

fn json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("id".to_owned()),
        Just("method".to_owned()),
        Just("error".to_owned()),
        "[a-z\"\\\\{}\\[\\]:,\u{e9}\u{1f980}]{0,4}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z\"\\\\{}\\[\\]:,\u{e9}\u{1f980}\u{0}\n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// The same, by a parser that keeps everything.
fn reference(value: &Value) -> Head {
    let Some(object) = value.as_object() else { return Head::Unknown };
    let id = object.get("id").map(|id| serde_json::from_value::<RequestId>(id.clone()));
    match (object.contains_key("method"), id, object.contains_key("result") || object.contains_key("error")) {
        (true, Some(Ok(id)), _) => Head::Request(id),
        (true, None, _) => Head::Notification,
        (false, Some(Ok(id)), true) => Head::Response(Some(id)),
        (false, _, true) => Head::Response(None),
        _ => Head::Unknown,
    }
}

/// Cuts bytes into pieces of these lengths, over and over.
fn pieces<'b>(bytes: &'b [u8], lengths: &'b [usize]) -> impl Iterator<Item = &'b [u8]> {
    let mut rest = bytes;
    lengths.iter().cycle().map_while(move |length| {
        let (piece, behind) = rest.split_at((*length).min(rest.len()));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_object_cut_anywhere_reads_as_a_full_parser_reads_it(
        value in json(),
        pretty in any::<bool>(),
        lengths in prop::collection::vec(1_usize..9, 1..5),
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("encodes");
        let mut scan = IdScan::new();
        for piece in pieces(text.as_bytes(), &lengths) {
            scan.feed(piece);
        }
        prop_assert_eq!(scan.finish(), reference(&value), "{}", text);
    }

    #[test]
    fn no_bytes_break_the_scan(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let whole = IdScan::head_of(&bytes);
        let mut scan = IdScan::new();
        for byte in &bytes {
            scan.feed(std::slice::from_ref(byte));
        }
        prop_assert_eq!(scan.finish(), whole);
    }
}
