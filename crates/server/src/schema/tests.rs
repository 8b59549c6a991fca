//! Values against schemas, as a tool call meets them.

use hermes_types::RawJson;
use serde::Deserialize;
use serde_json::json;

use super::{Invalid, Validator, input_schema};

#[cfg(feature = "json-schema")]
mod every_keyword;

fn json(text: &str) -> RawJson {
    RawJson::parse(text).expect(text)
}

fn validator(schema: &serde_json::Value) -> Validator {
    Validator::new(&RawJson::encode(schema).expect("JSON"))
}

fn complaint(schema: &serde_json::Value, value: &str) -> String {
    validator(schema).check(value).expect_err(value).to_string()
}

#[derive(Debug, PartialEq, Deserialize, schemars::JsonSchema)]
struct Limited {
    limit: i64,
}

fn limit(text: &str) -> Result<i64, String> {
    let schema = input_schema::<Limited>().expect("an object");
    let arguments = format!("{{\"limit\":{text}}}");
    let decoded = Validator::new(&schema).decode::<Limited>(&arguments);
    decoded.map(|limited| limited.limit).map_err(|invalid| invalid.to_string())
}

#[test]
fn b095_whole_number_floats_are_integers() {
    for (text, value) in [("30", 30), ("30.0", 30), ("3e1", 30), ("-0", 0), ("-0.0", 0), ("-3.0E+1", -30)] {
        assert_eq!(limit(text), Ok(value), "{text}");
    }
    assert_eq!(limit("9007199254740993.0"), Ok(9_007_199_254_740_993));
    assert_eq!(limit("9223372036854775807"), Ok(i64::MAX));
}

#[test]
fn b095_other_numbers_and_texts_are_refused_by_name() {
    assert_eq!(limit("30.5"), Err("`/limit`: 30.5 is not of type integer".to_owned()));
    assert_eq!(limit("\"30\""), Err("`/limit`: \"30\" is not of type integer".to_owned()));
    let huge = limit("1e400").expect_err("no number of this kind");
    assert!(huge.starts_with("`/limit`: it has a number that is too large"), "{huge}");
    let wide = limit("9223372036854775808").expect_err("beyond 64 bits");
    assert!(wide.starts_with("`/limit`: "), "{wide}");
    let exponent = limit("1e300").expect_err("beyond 64 bits");
    assert!(exponent.starts_with("`/limit`: "), "{exponent}");
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Mixed {
    count: u64,
    ratio: f64,
    #[schemars(with = "serde_json::Value")]
    raw: RawJson,
}

#[test]
fn numbers_that_are_no_integers_by_the_schema_keep_every_digit() {
    let schema = input_schema::<Mixed>().expect("an object");
    let text =
        r#"{"count":1.8446744073709551615e19,"ratio":1.0,"raw":{"a":1.50,"b":[9007199254740993.0,1e2]}}"#;
    let mixed: Mixed = Validator::new(&schema).decode(text).expect("fits");
    assert_eq!(mixed.count, u64::MAX);
    assert!((mixed.ratio - 1.0).abs() < f64::EPSILON);
    assert_eq!(mixed.raw.get(), r#"{"a":1.50,"b":[9007199254740993.0,1e2]}"#);
}

#[test]
fn a_value_that_needs_no_change_is_not_copied() {
    let validator = Validator::new(&input_schema::<Limited>().expect("an object"));
    assert_eq!(validator.check(r#"{"limit":3}"#), Ok(None));
}

#[test]
fn b096_every_problem_is_told_with_its_path() {
    let echo = json!({
        "type": "object",
        "properties": { "text": { "type": "string" } },
        "required": ["text"],
        "additionalProperties": false,
    });
    assert_eq!(complaint(&echo, "{}"), "`/text`: is missing");
    assert_eq!(complaint(&echo, r#"{"text":5}"#), "`/text`: 5 is not of type string");
    assert_eq!(complaint(&echo, r#"{"text":null}"#), "`/text`: null is not of type string");
    assert_eq!(complaint(&echo, r#"{"text":"a","a/b":1}"#), "`/a~1b`: is not expected here");
    assert_eq!(complaint(&echo, "[1]"), "[1] is not of type object");
}

#[test]
fn only_the_first_few_problems_are_told_and_none_is_long() {
    let list = json!({ "items": { "type": "integer" } });
    let value = format!("[{}]", vec![format!("\"{}\"", "é".repeat(10_000)); 10].join(","));
    let complaint = complaint(&list, &value);
    assert_eq!(complaint.matches("is not of type integer").count(), 3);
    assert!(complaint.ends_with("; and more"), "{complaint}");
    assert!(complaint.chars().count() < 400, "{complaint}");

    let many = json!({ "properties": {}, "additionalProperties": false });
    let value = serde_json::to_string(
        &(0..9).map(|i| (format!("k{i}"), i)).collect::<std::collections::BTreeMap<_, _>>(),
    );
    let Err(Invalid::Value { problems, .. }) = validator(&many).check(&value.expect("JSON")) else {
        panic!("unexpected members")
    };
    assert_eq!(problems.len(), 3);
}

#[test]
fn what_only_the_type_knows_is_told_with_its_path_too() {
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    struct Outer {
        #[serde(rename = "a/b")]
        _list: Vec<Inner>,
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    struct Inner {
        _address: std::net::IpAddr,
    }
    let validator = Validator::new(&input_schema::<Outer>().expect("an object"));
    let invalid = validator.decode::<Outer>(r#"{"a/b":[{"_address":"::1"},{"_address":"x"}]}"#);
    let complaint = invalid.expect_err("no address").to_string();
    assert!(complaint.starts_with("`/a~1b/1/_address`: "), "{complaint}");
}

#[test]
fn no_arguments_are_an_empty_object() {
    let validator = Validator::new(&input_schema::<()>().expect("an object"));
    assert_eq!(validator.decode::<()>("{ }"), Ok(()));
    assert!(validator.decode::<()>("[]").is_err());
}

// spec: R051, R054, R055, R057
#[test]
fn b092_a_schema_that_refers_out_refuses_its_own_calls_and_fetches_nothing() {
    for reference in [
        "#/$defs/None",
        "http://127.0.0.1:9/s.json",
        "https://example.org/s.json",
        "file:///etc/hosts",
        "other.json",
    ] {
        let validator = validator(&json!({ "properties": { "a": { "$ref": reference } } }));
        let flaw = validator.flaw().expect(reference).to_owned();
        let complaint = validator.check("{}").expect_err(reference).to_string();
        assert_eq!(complaint, format!("the schema cannot be used: {flaw}"));
    }
    for dialect in ["https://example.org/my-dialect", "x:y", "http://127.0.0.1:9/s.json"] {
        let validator = validator(&json!({ "$schema": dialect, "type": "object" }));
        assert!(validator.flaw().is_some(), "{dialect:?}");
    }
    assert!(Validator::new(&json("5")).flaw().is_some());
    assert!(Validator::new(&json(r#"{"type":"strange"}"#)).flaw().is_some());
}

// spec: R058
#[test]
fn b092_a_schema_of_any_depth_is_bounded() {
    let deep = format!("{}true{}", "{\"anyOf\":[".repeat(2000), "]}".repeat(2000));
    let validator = Validator::new(&json(&deep));
    assert!(validator.flaw().is_some_and(|flaw| flaw.contains("recursion limit")), "{:?}", validator.flaw());
    let large = format!("{{\"description\":\"{}\"}}", "x".repeat(2 << 20));
    assert!(Validator::new(&json(&large)).flaw().is_some());
}

#[test]
fn b092_references_in_a_circle_come_to_an_end() {
    let circle = validator(&json!({
        "$ref": "#/$defs/a",
        "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "anyOf": [{ "$ref": "#/$defs/a" }] } },
    }));
    // Whatever the verdict is, it is reached.
    assert_eq!(circle.check("1.0").is_ok(), circle.check("1.0").is_ok());
}

#[test]
fn a_value_of_any_depth_is_bounded() {
    let anything = validator(&json!({}));
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let complaint = anything.check(&deep).expect_err("too deep").to_string();
    assert!(complaint.contains("recursion limit"), "{complaint}");
}
