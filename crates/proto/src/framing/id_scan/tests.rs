use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn head(text: &str) -> Head {
    IdScan::head_of(text.as_bytes())
}

#[test]
fn only_members_of_the_outermost_object_count() {
    for (text, expected) in [
        (r#"{"id":7,"method":"x"}"#, Head::Request(7.into())),
        (r#"{"method":"x","params":{"id":1,"method":2},"id":"a"}"#, Head::Request("a".into())),
        (r#"{"method":"x","params":["\"id\":5",{"id":5}]}"#, Head::Notification),
        (r#"{"method":"\",\"id\":5,\"","id":-3}"#, Head::Request((-3).into())),
        (r#"{"id":1,"result":{}}"#, Head::Response(Some(1.into()))),
        (r#"{"error":{"code":1}}"#, Head::Response(None)),
        (" {\t\"id\" : \"a\\\"b\" ,\n\"method\" : null } ", Head::Request("a\"b".into())),
        (r#"{"\u0069d":9,"\u006dethod":"x"}"#, Head::Request(9.into())),
    ] {
        assert_eq!(head(text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_told_is_unknown() {
    for text in [
        "",
        "5",
        "[]",
        "{}",
        r#"{"id":1,"id":2,"method":"x"}"#,
        r#"{"id":1.5,"method":"x"}"#,
        r#"{"id":null,"method":"x"}"#,
        r#"{"id":{"a":1},"method":"x"}"#,
        r#"{"id":1}"#,
    ] {
        assert_eq!(head(text), Head::Unknown, "{text}");
    }
}

#[test]
fn a_very_long_id_is_none_and_costs_nothing() {
    let text = format!(r#"{{"id":"{}","method":"x"}}"#, "a".repeat(1 << 20));
    assert_eq!(head(&text), Head::Unknown);
}

/// Any JSON, a few levels deep, with many an `id` and `method` in wrong places.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z\"\\\\{}\\[\\]:,日 ]{0,8}".prop_map(Value::from),
    ];
    let key = prop_oneof![Just("id".to_owned()), Just("method".to_owned()), "[a-z\"\\\\]{0,4}".boxed()];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_scan_finds_what_the_parser_finds_for_every_cut(
        id in prop_oneof![any::<i64>().prop_map(Value::from), "[a-z\"\\\\日]{0,9}".prop_map(Value::from)],
        params in any_json(),
        id_last in any::<bool>(),
        cuts in prop::collection::vec(1usize..7, 0..60),
    ) {
        let text = if id_last {
            format!(r#"{{"jsonrpc":"2.0","params":{params},"method":"m","id":{id}}}"#)
        } else {
            format!(r#"{{"id":{id},"method":"m","params":{params}}}"#)
        };
        let expected: RequestId = serde_json::from_value(json!(id)).expect("an id");
        let mut scan = IdScan::new();
        let mut rest = text.as_bytes();
        for cut in cuts {
            let (chunk, behind) = rest.split_at(cut.min(rest.len()));
            scan.feed(chunk);
            rest = behind;
        }
        scan.feed(rest);
        prop_assert_eq!(scan.finish(), Head::Request(expected));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = IdScan::head_of(&bytes);
    }
}
