//! Whole numbers that are spelt as floats.
//!
//! In JSON Schema `30.0`, `3e1` and `-0` are integers (draft 2020-12, validation 6.1.1); serde reads none of
//! them into an integer field. So the text is rewritten, there where the schema wants an integer, and
//! nowhere else: other numbers keep their digits, and a text that needs nothing is not even copied.

use std::fmt::Write as _;

use serde_json::Value;

use super::subschemas::{Place, Subschemas};
use super::tokens::{Token, Tokens};

/// The longest integer that an exponent may make, in digits: what a 64-bit float can hold.
const MAX_DIGITS: usize = 309;

/// An object or an array that is being gone through.
enum Frame<'s> {
    Array { place: Place<'s>, index: usize },
    Object { place: Place<'s>, member: Option<String> },
}

/// The text with integral floats written as integers, where the schema wants an integer. `None` when there
/// is nothing to change. The text is valid JSON.
pub(super) fn rewrite(json: &str, schema: &Subschemas) -> Option<String> {
    if !Tokens::new(json).any(|token| matches!(token, Token::Scalar(scalar) if is_spelt_as_float(scalar))) {
        return None;
    }
    let mut out: Option<String> = None;
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut copied = 0;
    let mut tokens = Tokens::new(json);
    while let Some(token) = tokens.next() {
        match token {
            Token::ObjectStart => {
                let place = next_place(schema, &mut frames);
                frames.push(Frame::Object { place, member: None });
            }
            Token::ArrayStart => {
                let place = next_place(schema, &mut frames);
                frames.push(Frame::Array { place, index: 0 });
            }
            Token::ObjectEnd | Token::ArrayEnd => drop(frames.pop()),
            Token::Between => {}
            Token::String(literal) => match frames.last_mut() {
                Some(Frame::Object { member: member @ None, .. }) => {
                    *member = Some(serde_json::from_str(literal).unwrap_or_default());
                }
                _ => pass_value(&mut frames),
            },
            Token::Scalar(scalar) if is_spelt_as_float(scalar) => {
                if wants_integer(&next_place(schema, &mut frames))
                    && let Some(integer) = integral(scalar)
                {
                    let out = out.get_or_insert_with(|| String::with_capacity(json.len()));
                    let end = tokens.position();
                    out.push_str(json.get(copied..end - scalar.len()).unwrap_or_default());
                    out.push_str(&integer);
                    copied = end;
                }
            }
            Token::Scalar(_) => pass_value(&mut frames),
        }
    }
    out.map(|mut out| {
        out.push_str(json.get(copied..).unwrap_or_default());
        out
    })
}

/// A value comes here: what applies to it, and on to the next place.
fn next_place<'s>(schema: &'s Subschemas, frames: &mut [Frame<'s>]) -> Place<'s> {
    match frames.last_mut() {
        None => schema.whole(),
        Some(Frame::Array { place, index }) => {
            let at = *index;
            *index += 1;
            if place.is_empty() { Place::new() } else { schema.element(place, at) }
        }
        Some(Frame::Object { place, member }) => {
            let name = member.take().unwrap_or_default();
            if place.is_empty() { Place::new() } else { schema.member(place, &name) }
        }
    }
}

/// A value comes here that nothing has to be known about.
fn pass_value(frames: &mut [Frame<'_>]) {
    match frames.last_mut() {
        Some(Frame::Array { index, .. }) => *index += 1,
        Some(Frame::Object { member, .. }) => *member = None,
        None => {}
    }
}

/// Whether some schema at this place wants an integer, and none takes any number.
fn wants_integer(place: &[&Value]) -> bool {
    let says = |kind: &str| {
        place.iter().any(|schema| match schema.get("type") {
            Some(Value::String(one)) => one == kind,
            Some(Value::Array(all)) => all.iter().any(|one| one == kind),
            _ => false,
        })
    };
    says("integer") && !says("number")
}

fn is_spelt_as_float(scalar: &str) -> bool {
    scalar.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && (scalar == "-0" || scalar.contains(['.', 'e', 'E']))
}

/// The number as an integer, exactly, if it is one.
fn integral(scalar: &str) -> Option<String> {
    let (sign, number) = scalar.strip_prefix('-').map_or(("", scalar), |number| ("-", number));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    // Where the point stands, counted from the start of the digits.
    let leading = whole.len() + fraction.len() - digits.len();
    let point = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?;
    let point = usize::try_from(point.checked_add(exponent.parse().ok()?)?).ok()?;
    let significant = digits.trim_end_matches('0');
    if significant.len() > point || point > MAX_DIGITS {
        return None;
    }
    let mut out = String::with_capacity(point + 1);
    let _ = write!(out, "{sign}{significant:0<point$}"); // Writing to a string cannot fail.
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_is_integral_when_its_digits_say_so() {
        for (text, integer) in [
            ("30.0", Some("30")),
            ("3e1", Some("30")),
            ("3E+1", Some("30")),
            ("-0", Some("0")),
            ("-0.0e7", Some("0")),
            ("30.5", None),
            ("30.5e1", Some("305")),
            ("-1200e-2", Some("-12")),
            ("1200e-3", None),
            ("0.0012e4", Some("12")),
            ("9007199254740993.0", Some("9007199254740993")),
            ("1e400", None),
            ("1e99999999999999999999", None),
            ("1e-99999999999999999999", None),
            ("1e-9223372036854775808", None),
            ("1e18446744073709551615", None),
        ] {
            assert_eq!(integral(text).as_deref(), integer, "{text}");
        }
    }

    fn rewritten(schema: Value, text: &str) -> String {
        rewrite(text, &Subschemas::new(schema)).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn integers_are_found_wherever_the_schema_hides_them() {
        let schema = json!({
            "type": "object",
            "properties": {
                "plain": { "type": "integer" },
                "maybe": { "type": ["integer", "null"] },
                "list": { "type": "array", "items": { "type": "integer" } },
                "pair": { "prefixItems": [{ "type": "number" }, { "type": "integer" }], "items": false },
                "map": { "additionalProperties": { "type": "integer" } },
                "choice": { "anyOf": [{ "type": "object", "properties": { "n": { "type": "integer" } } }, { "type": "null" }] },
                "ref": { "$ref": "#/$defs/Tree" },
            },
            "$defs": { "Tree": { "properties": {
                "n": { "type": "integer" }, "kids": { "items": { "$ref": "#/$defs/Tree" } },
            } } },
        });
        let text = concat!(
            r#"{"plain":1.0,"maybe":2e0,"list":[3.0,4],"pair":[5.0,6.0],"map":{"a":7.0,"\u0062":8.0},"#,
            r#""choice":{"n":11.0},"ref":{"n":12.0,"kids":[{"n":1.3e1}]}}"#,
        );
        let expected = concat!(
            r#"{"plain":1,"maybe":2,"list":[3,4],"pair":[5.0,6],"map":{"a":7,"\u0062":8},"#,
            r#""choice":{"n":11},"ref":{"n":12,"kids":[{"n":13}]}}"#,
        );
        assert_eq!(rewritten(schema, text), expected);
    }

    #[test]
    fn where_no_integer_is_wanted_not_a_digit_changes() {
        let schema = json!({ "properties": {
            "float": { "type": "number" },
            "both": { "anyOf": [{ "type": "integer" }, { "type": "number" }] },
            "raw": true,
            "none": { "not": { "type": "integer" } },
            "n": { "type": "integer" },
        } });
        let text =
            r#"{ "float" : 1.0, "both":2.0, "raw":{"n":3.0,"x":[1e2]}, "none":4.0, "new":5.0, "n":30.5 }"#;
        assert_eq!(rewrite(text, &Subschemas::new(schema.clone())), None);
        let big = r#"{"n":18446744073709551615,"raw":9007199254740993}"#;
        assert_eq!(rewrite(big, &Subschemas::new(schema)), None);
    }

    /// Any JSON, spelt by serde, floats among it.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            (-1e6..1e6_f64).prop_map(|n| Value::from(n.trunc())),
            any::<f64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            ".{0,5}".prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((".{0,3}", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// The same tokens, and the same numbers whatever their spelling.
    fn is_same(a: &str, b: &str) -> bool {
        // Not by reading both with serde, which may be off by the last bit of a float.
        let is_same = |(a, b): (Token<'_>, Token<'_>)| match (a, b) {
            (Token::Scalar(a), Token::Scalar(b)) => {
                a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
            }
            (a, b) => a == b,
        };
        Tokens::new(a).count() == Tokens::new(b).count() && Tokens::new(a).zip(Tokens::new(b)).all(is_same)
    }

    proptest! {
        #[test]
        fn a_rewritten_text_is_the_same_json_without_integral_floats(value in any_json()) {
            let integers = Subschemas::new(json!({
                "type": ["integer", "object", "array", "string", "boolean", "null"],
                "additionalProperties": { "$ref": "#" },
                "items": { "$ref": "#" },
            }));
            let text = value.to_string();
            let rewritten = rewrite(&text, &integers).unwrap_or_else(|| text.clone());
            prop_assert!(is_same(&text, &rewritten), "{text} became {rewritten}");
            prop_assert_eq!(rewrite(&rewritten, &integers), None);
            prop_assert_eq!(rewrite(&text, &Subschemas::new(json!({ "type": "number" }))), None);
        }

        #[test]
        fn an_integral_float_becomes_the_integer_it_is(n in any::<i64>(), zeros in 0..20_usize, shift in 0..25_u32) {
            let expected = n.to_string();
            prop_assert_eq!(integral(&format!("{n}.{}", "0".repeat(zeros))), Some(expected.clone()));
            let scaled = format!("{n}{}e-{shift}", "0".repeat(shift as usize));
            prop_assert_eq!(integral(&scaled), Some(expected));
        }

        #[test]
        fn what_is_rewritten_is_the_same_value(n in -1_000_000..1_000_000_i64, e in 0..9_u32) {
            let text = format!("{n}e{e}");
            let integer: f64 = integral(&text).expect("integral").parse().expect("a number");
            prop_assert_eq!(integer, text.parse::<f64>().expect("a number"));
        }
    }
}
