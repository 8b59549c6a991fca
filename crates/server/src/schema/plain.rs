//! Values that fit, told from their text.
//!
//! Most tools ask for a few texts, numbers and switches by name, and most calls give just those. To see that takes one walk
//! along the text. For everything else the text is read into a tree, and the validator goes through it.

use hermes_types::Walk;
use serde_json::{Map, Value};

use super::kinds::Kinds;

/// How many members are told apart: one bit each.
const MOST_MEMBERS: usize = 64;

/// The longest number that is looked at, in bytes: it surely fits whatever numbers are read into.
const MOST_DIGITS: usize = 15;

/// What says nothing about whether a value fits.
const REMARKS: [&str; 8] =
    ["default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly", "x-mcp-header"];

/// A schema that asks for scalars by name.
pub(super) struct Plain {
    members: Vec<Member>,
    /// The bits of the members that have to be there.
    required: u64,
}

struct Member {
    name: Box<str>,
    /// What it may be. Without any, only the validator knows.
    kinds: Kinds,
}

/// What a schema takes that asks for a type, and for nothing else.
fn wanted(schema: &Value) -> Option<Kinds> {
    let schema = schema.as_object()?;
    let asks_for_type = |(keyword, _): (&String, _)| keyword == "type" || REMARKS.contains(&keyword.as_str());
    if !schema.iter().all(asks_for_type) {
        return None;
    }
    Kinds::of_rule(schema.get("type")?)
}

/// What a value is, if it is a scalar with nothing special about it. It is JSON.
fn scalar(value: &str) -> Option<Kinds> {
    match value.as_bytes() {
        // Half a character is spelt so; nobody can read it.
        [b'"', ..] => (!value.contains("\\u")).then_some(Kinds::STRING),
        b"true" | b"false" => Some(Kinds::BOOLEAN),
        b"null" => Some(Kinds::NULL),
        [b'[' | b'{', ..] => None,
        // It is -0 too, which is a whole number of a kind that not everybody reads.
        b"-0" => None,
        number if number.len() > MOST_DIGITS => None,
        [b'-', digits @ ..] | digits if digits.iter().all(u8::is_ascii_digit) => {
            Some(Kinds::INTEGER.with(Kinds::NUMBER))
        }
        number => (!number.iter().any(|byte| matches!(byte, b'e' | b'E'))).then_some(Kinds::NUMBER),
    }
}

impl Plain {
    /// What of a schema can be told from a text; `None` if that is nothing.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let schema = schema.as_object()?;
        let is_known = |keyword: &str| {
            // What else may be there, and what is only referred to, matters to no value that is walked along.
            const OTHERS: [&str; 6] =
                ["$defs", "$schema", "additionalProperties", "properties", "required", "type"];
            OTHERS.contains(&keyword) || REMARKS.contains(&keyword)
        };
        if schema.get("type")? != "object" || !schema.keys().all(|keyword| is_known(keyword)) {
            return None;
        }
        let nothing = Map::new();
        let properties = schema.get("properties").map_or(Some(&nothing), Value::as_object)?;
        if properties.len() > MOST_MEMBERS {
            return None;
        }
        let members: Vec<_> = properties
            .iter()
            .map(|(name, schema)| Member {
                name: name.as_str().into(),
                kinds: wanted(schema).unwrap_or(Kinds::NONE),
            })
            .collect();
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.into_iter().try_fold(0, |required, name| {
            let place = members.iter().position(|member| name == &*member.name)?;
            Some(required | 1 << place)
        })?;
        Some(Self { members, required })
    }

    /// Whether a value fits for sure, and is read by everybody alike. That it does not says nothing.
    pub(super) fn fits(&self, value: &str) -> bool {
        let (mut seen, mut walk) = (0_u64, Walk::new(value, 1));
        let whole = walk.object(|walk, name| {
            let place = self.members.iter().position(|member| *member.name == *name)?;
            let (bit, kind) = (1 << place, scalar(walk.value()?.get())?);
            let fits = seen & bit == 0 && self.members.get(place)?.kinds.has_one_of(kind);
            seen |= bit;
            fits.then_some(())
        });
        whole.is_some() && walk.is_over() && seen & self.required == self.required
    }
}

#[cfg(test)]
mod tests {
    use hermes_types::RawJson;
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::Validator;
    use super::*;

    fn fits(schema: &Value, value: &str) -> bool {
        Plain::of(schema).expect("plain").fits(value)
    }

    #[test]
    fn what_was_asked_for_and_nothing_special_fits() {
        let schema = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string", "description": "Any" },
                "count": { "type": "integer" },
                "share": { "type": ["number", "null"], "default": null },
                "on": { "type": "boolean" },
                "list": { "type": "array" },
            },
            "required": ["text"],
        });
        for value in [
            r#"{"text":""}"#,
            r#" { "on" : true , "text" : "a\nb" , "count" : -3 , "share" : 0.5 } "#,
            r#"{"text":"日本","share":null,"on":false}"#,
            r#"{"text":"x","share":7}"#,
        ] {
            assert!(fits(&schema, value), "{value}");
        }
        for value in [
            "{}",
            "[]",
            r#"{"text":7}"#,
            r#"{"text":null}"#,
            r#"{"text":"a","text":"b"}"#,
            r#"{"text":"\ud800"}"#,
            r#"{"te\u0078t":"x"}"#,
            r#"{"text":"x","more":1}"#,
            r#"{"text":"x","list":[]}"#,
            r#"{"text":"x","count":1.0}"#,
            r#"{"text":"x","count":1e2}"#,
            r#"{"text":"x","count":-0}"#,
            r#"{"text":"x","count":9223372036854775808}"#,
            r#"{"text":"x","share":1e400}"#,
        ] {
            assert!(!fits(&schema, value), "{value}");
        }
        assert!(fits(&json!({ "type": "object" }), "{ }"));
    }

    #[test]
    fn a_schema_that_asks_for_more_is_left_to_the_validator() {
        for schema in [
            json!(true),
            json!({}),
            json!({ "type": "string" }),
            json!({ "type": "object", "minProperties": 1 }),
            json!({ "type": "object", "$ref": "#/$defs/a" }),
            json!({ "type": "object", "required": ["a"] }),
            json!({ "type": "object", "properties": [] }),
        ] {
            assert!(Plain::of(&schema).is_none(), "{schema}");
        }
        let bounded = json!({ "type": "object", "properties": { "a": { "type": "integer", "minimum": 1 } } });
        assert!(!fits(&bounded, r#"{"a":1}"#));
    }

    fn schema() -> impl Strategy<Value = Value> {
        let property = prop::sample::select(vec![
            json!({ "type": "string" }),
            json!({ "type": "integer", "title": "n" }),
            json!({ "type": ["integer", "null"] }),
            json!({ "type": "number" }),
            json!({ "type": ["boolean", "string"] }),
            json!({ "type": "array" }),
            json!({ "type": "string", "maxLength": 1 }),
            json!({}),
        ]);
        let required = prop::sample::subsequence(vec!["a", "b", "c"], 0..3);
        let other = prop::sample::select(vec![
            None,
            Some(("additionalProperties", json!(false))),
            Some(("maxProperties", json!(1))),
        ]);
        ([property.clone(), property.clone(), property], required, other).prop_map(|([a, b, c], required, other)| {
            let mut schema =
                json!({ "type": "object", "properties": { "a": a, "b": b, "c": c }, "required": required });
            if let Some((keyword, value)) = other {
                schema[keyword] = value;
            }
            schema
        })
    }

    fn value() -> impl Strategy<Value = String> {
        let scalar = prop::sample::select(vec![
            "null",
            "true",
            "false",
            "0",
            "-0",
            "7",
            "-7",
            "7.0",
            "7.5",
            "7e2",
            "1e400",
            "123456789012345678901",
            r#""""#,
            r#""ab""#,
            r#""\n""#,
            r#""\u0061""#,
            r#""\ud800""#,
            "[]",
            "{}",
            "[1]",
        ]);
        let name = prop::sample::select(vec!["a", "b", "c", "d", "\\u0061"]);
        let member = (name, scalar).prop_map(|(name, value)| format!("\"{name}\": {value}"));
        prop::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(" , ")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn what_fits_by_its_text_fits_by_the_validator(schema in schema(), value in value()) {
            let is_sure = Plain::of(&schema).is_some_and(|plain| plain.fits(&value));
            if is_sure {
                let tree = serde_json::from_str::<Value>(&value);
                prop_assert!(tree.is_ok_and(|tree| jsonschema::is_valid(&schema, &tree)), "{schema} {value}");
            }
            // And the text that is read from is its own.
            let raw = RawJson::parse(value.as_str()).expect("JSON");
            let validator = Validator::new(&RawJson::encode(&schema).expect("JSON"));
            let is_own = validator.check(raw.get()).is_ok_and(|rewritten| rewritten.is_none());
            prop_assert!(!is_sure || is_own, "{schema} {value}");
        }
    }
}
