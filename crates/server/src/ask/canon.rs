//! One text for all spellings of a JSON value, so that its digest says whether it is still the same.
//!
//! Peers re-encode what they repeat: members change places, `\u00e9` becomes `é`, blanks go. None of that
//! makes another value. The spelling of numbers does count: they are never read as floats, because then
//! two different 64-bit integers could have the same digest.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::schema::tokens::{Token, Tokens};

/// SHA-256 of a canonical text.
pub(super) type Digest = [u8; 32];

/// The members of `params` that a retry has of its own.
const OF_THE_RETRY: [&str; 3] = ["_meta", "inputResponses", "requestState"];

/// The digest of a request: its method, and every member of its parameters that a retry has to repeat.
///
/// Source: `basic/patterns/mrtr`, 2026-07-28, server requirement 5.
pub(super) fn of_request(method: &str, params: Option<&str>) -> Digest {
    let params = params.unwrap_or("{}");
    let mut text = Vec::with_capacity(params.len() + 64);
    match serde_json::from_str::<BTreeMap<String, &RawValue>>(params) {
        Ok(members) => {
            let repeated = members.iter().filter(|(name, _)| !OF_THE_RETRY.contains(&name.as_str()));
            for (name, value) in repeated {
                text.extend_from_slice(serde_json::Value::from(name.as_str()).to_string().as_bytes());
                text.push(b':');
                write(value.get(), &mut text);
                text.push(b',');
            }
        }
        // No object, hence nothing to leave out.
        Err(_) => write(params, &mut text),
    }
    finish(method, &text)
}

/// The digest of a question: its method and its parameters.
pub(super) fn of_question(method: &str, params: &str) -> Digest {
    let mut text = Vec::with_capacity(params.len());
    write(params, &mut text);
    finish(method, &text)
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // Writing to a string cannot fail.
        text
    })
}

fn finish(method: &str, text: &[u8]) -> Digest {
    // No method holds a zero byte, so the two parts cannot run into each other.
    Sha256::new().chain_update(method).chain_update([0]).chain_update(text).finalize().into()
}

/// An object or an array whose end has not come yet.
enum Frame {
    Array,
    /// The members so far, as ranges of the output: key, and key with value.
    Object {
        start: usize,
        members: Vec<(Range<usize>, Range<usize>)>,
        key: Option<Range<usize>>,
    },
}

/// Appends the canonical text of a JSON text. Every element and member ends with a comma; members stand in
/// the order of their keys, and equal keys in the order they came in, because the last one counts.
///
/// What is no JSON gives some text, and never a panic.
fn write(json: &str, out: &mut Vec<u8>) {
    let mut frames: Vec<Frame> = Vec::new();
    for token in Tokens::new(json) {
        match token {
            Token::ObjectStart => {
                out.push(b'{');
                frames.push(Frame::Object { start: out.len(), members: Vec::new(), key: None });
            }
            Token::ArrayStart => {
                out.push(b'[');
                frames.push(Frame::Array);
            }
            Token::ObjectEnd | Token::ArrayEnd => {
                if let Some(Frame::Object { start, members, .. }) = frames.pop() {
                    sort(out, start, members);
                }
                out.push(if token == Token::ObjectEnd { b'}' } else { b']' });
                end_of_value(&mut frames, out);
            }
            Token::Between => {}
            Token::String(literal) => {
                let at = out.len();
                write_string(literal, out);
                if let Some(Frame::Object { key: key @ None, .. }) = frames.last_mut() {
                    *key = Some(at..out.len());
                    out.push(b':');
                } else {
                    end_of_value(&mut frames, out);
                }
            }
            Token::Scalar(scalar) => {
                out.extend_from_slice(scalar.as_bytes());
                end_of_value(&mut frames, out);
            }
        }
    }
}

/// A value has been written: what it stands in gets its comma.
fn end_of_value(frames: &mut [Frame], out: &mut Vec<u8>) {
    match frames.last_mut() {
        Some(Frame::Object { members, key, .. }) => {
            out.push(b',');
            if let Some(key) = key.take() {
                members.push((key.clone(), key.start..out.len()));
            }
        }
        Some(Frame::Array) => out.push(b','),
        None => {}
    }
}

/// Puts the members that were written from `start` on into the order of their keys.
fn sort(out: &mut Vec<u8>, start: usize, mut members: Vec<(Range<usize>, Range<usize>)>) {
    let text = |range: &Range<usize>| out.get(range.clone()).unwrap_or_default();
    if members.is_sorted_by(|(a, _), (b, _)| text(a) <= text(b)) {
        return;
    }
    members.sort_by(|(a, _), (b, _)| text(a).cmp(text(b)));
    let sorted = members.iter().flat_map(|(_, member)| text(member)).copied().collect::<Vec<u8>>();
    out.truncate(start);
    out.extend(sorted);
}

fn write_string(literal: &str, out: &mut Vec<u8>) {
    if literal.contains('\\')
        && let Ok(string) = serde_json::from_str::<String>(literal)
        && let Ok(spelt) = serde_json::to_string(&string)
    {
        out.extend_from_slice(spelt.as_bytes());
    } else {
        // No escapes, or half a surrogate pair, which only ever equals itself.
        out.extend_from_slice(literal.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn text(json: &str) -> String {
        let mut out = Vec::new();
        write(json, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn order_blanks_and_escapes_do_not_count() {
        let a = r#"{"b":[1,{"y":"é","x":null}],"a":"\u002f"}"#;
        let b = "{ \"a\" : \"/\",\n \"b\" : [ 1 , { \"x\":null , \"y\" : \"\\u00e9\" } ] }";
        assert_eq!(text(a), text(b));
        assert_eq!(text(a), r#"{"a":"/","b":[1,{"x":null,"y":"é",},],}"#);
    }

    #[test]
    fn values_and_the_spelling_of_numbers_do_count() {
        let all = [
            "1",
            "1.0",
            "1e0",
            "9007199254740993",
            "9007199254740992",
            "1e400",
            "\"1\"",
            "true",
            "null",
            "[]",
            "{}",
            "[[]]",
            "[1,2]",
            "[12]",
            "[\"1,2\"]",
            r#"{"a":1}"#,
            r#"{"a":{"a":1}}"#,
            r#"{"a,b":1}"#,
            r#""\ud800""#,
            r#""\ud801""#,
        ];
        for (i, a) in all.iter().enumerate() {
            for b in all.iter().skip(i + 1) {
                assert_ne!(text(a), text(b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn of_two_equal_keys_the_order_counts() {
        assert_ne!(text(r#"{"a":1,"a":2}"#), text(r#"{"a":2,"a":1}"#));
        assert_eq!(text(r#"{"z":0,"a":1,"a":2}"#), text(r#"{"a":1,"z":0,"a":2}"#));
    }

    #[test]
    fn a_request_is_the_same_with_other_meta_answers_and_state() {
        let first = of_request("tools/call", Some(r#"{"name":"t","arguments":{"n":1},"_meta":{"a":1}}"#));
        let retry = r#"{"requestState":"s","inputResponses":{"k":{}},"arguments":{"n":1},"name":"t"}"#;
        assert_eq!(first, of_request("tools/call", Some(retry)));
        assert_ne!(first, of_request("prompts/get", Some(retry)));
        assert_ne!(first, of_request("tools/call", Some(r#"{"name":"t","arguments":{"n":2}}"#)));
        assert_ne!(first, of_request("tools/call", Some(r#"{"name":"t","arguments":{"n":1},"x":0}"#)));
        assert_eq!(of_request("roots/list", None), of_request("roots/list", Some("{}")));
    }

    #[test]
    fn nesting_of_any_depth_needs_no_stack() {
        let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
        // A comma after each element, and none after the whole.
        assert_eq!(text(&deep).len(), deep.len() + 200_000);
    }

    /// The same value with its members in another order, other blanks and other escapes.
    fn respelt(value: &Value) -> String {
        match value {
            Value::String(text) => {
                let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
                format!("\"{escaped}\"")
            }
            Value::Array(all) => {
                format!("[ {} ]", all.iter().map(respelt).collect::<Vec<_>>().join(" , "))
            }
            Value::Object(all) => {
                let member = |(name, value): (&String, &Value)| {
                    format!("{} :\t{}", respelt(&Value::from(name.as_str())), respelt(value))
                };
                format!("{{\n{}}}", all.iter().rev().map(member).collect::<Vec<_>>().join(",\n"))
            }
            other => other.to_string(),
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            // No negative zero: it equals zero, and is spelt differently.
            any::<f64>().prop_map(|n| Value::from(n + 0.0)),
            any::<bool>().prop_map(Value::from),
            ".{0,4}".prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((".{0,3}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_spelling_of_a_value_has_one_text(value in any_json()) {
            prop_assert_eq!(text(&value.to_string()), text(&respelt(&value)));
        }

        #[test]
        fn two_values_have_two_texts(a in any_json(), b in any_json()) {
            let same = text(&a.to_string()) == text(&b.to_string());
            // Two objects are equal in any order of their members.
            prop_assert_eq!(same, a == b, "{} and {}", a, b);
        }
    }

    #[test]
    fn what_is_no_json_gives_some_text() {
        for broken in ["{", "}", "]", "{\"a", "\"\\", "{\"a\":}", "[,,", "é", "{1:2}"] {
            let _ = text(broken).len();
            assert_eq!(text(broken), text(broken));
        }
    }
}
