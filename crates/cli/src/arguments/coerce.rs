//! From text to the JSON that a schema asks for.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// How many references may lead on to further ones.
const MAX_HOPS: u8 = 16;

/// A sort of JSON value, in the order in which text is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    Array,
    Object,
    String,
}

/// Reads `text` as the JSON that `schema` asks for. `root` is the document that its references point into.
///
/// Text stays a string wherever the schema allows one, or says nothing. Otherwise it has to be the JSON of
/// one of the allowed sorts, which is then taken over digit by digit.
///
/// # Errors
/// What the schema wants instead, as half a sentence: `an integer, not "x"`.
pub(crate) fn coerce(text: &str, schema: &Value, root: &Value) -> Result<Box<RawValue>, String> {
    let kinds = kinds(schema, root, MAX_HOPS).unwrap_or_else(|| BTreeSet::from([Kind::String]));
    // A list of choices may mix strings with other values; then the text that is no choice is JSON.
    let text_is_a_choice = choices(schema).is_none_or(|choices| choices.contains(&Value::from(text)));
    if kinds.contains(&Kind::String) && (text_is_a_choice || kinds.len() == 1) {
        return string(text);
    }
    let parsed = RawValue::from_string(text.trim().to_owned()).ok();
    match parsed {
        Some(raw) if kinds.iter().any(|kind| kind.admits(raw.get())) => Ok(raw),
        _ if kinds.contains(&Kind::String) => string(text),
        _ => {
            let wanted: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            Err(format!("{}, not {}", wanted.join(" or "), Value::from(text)))
        }
    }
}

fn string(text: &str) -> Result<Box<RawValue>, String> {
    to_raw_value(text).map_err(|error| error.to_string())
}

fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum")?.as_array()
}

/// The sorts of value that the schema allows; `None` if it does not say.
fn kinds(schema: &Value, root: &Value, hops: u8) -> Option<BTreeSet<Kind>> {
    match schema.get("type") {
        Some(Value::String(name)) => return Some(Kind::parse(name).into_iter().collect()),
        Some(Value::Array(names)) => {
            return Some(names.iter().filter_map(|name| Kind::parse(name.as_str()?)).collect());
        }
        _ => {}
    }
    if let Some(choices) = choices(schema) {
        return Some(choices.iter().map(Kind::of).collect());
    }
    if let Some(only) = schema.get("const") {
        return Some(BTreeSet::from([Kind::of(only)]));
    }
    let hops = hops.checked_sub(1)?;
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = reference.strip_prefix('#')?;
        return kinds(root.pointer(pointer)?, root, hops);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
            let each: Option<Vec<_>> = branches.iter().map(|branch| kinds(branch, root, hops)).collect();
            return Some(each?.into_iter().flatten().collect());
        }
    }
    schema.get("allOf").and_then(Value::as_array)?.iter().find_map(|part| kinds(part, root, hops))
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "array" => Self::Array,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }

    const fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
            Value::String(_) => Self::String,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "true or false",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Array => "a JSON array",
            Self::Object => "a JSON object",
            Self::String => "text",
        }
    }

    /// Whether this JSON is of that sort.
    fn admits(self, json: &str) -> bool {
        let Some(first) = json.bytes().next() else { return false };
        match self {
            Self::Null => first == b'n',
            Self::Boolean => matches!(first, b't' | b'f'),
            Self::Integer => matches!(first, b'-' | b'0'..=b'9') && is_integral(json),
            Self::Number => matches!(first, b'-' | b'0'..=b'9'),
            Self::Array => first == b'[',
            Self::Object => first == b'{',
            Self::String => first == b'"',
        }
    }
}

/// Whether a JSON number has no fraction: `30`, `30.0` and `3e1` have none.
fn is_integral(number: &str) -> bool {
    !number.contains(['.', 'e', 'E'])
        || number.parse::<f64>().is_ok_and(|value| value.is_finite() && value.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str, schema: &Value) -> Result<String, String> {
        coerce(text, schema, schema).map(|raw| raw.get().to_owned())
    }

    #[test]
    fn a_string_stays_a_string() {
        for schema in [
            json!({"type": "string"}),
            json!({}),
            json!(true),
            json!({"type": ["string", "null"]}),
            json!({"type": ["integer", "string"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
            json!({"enum": ["5", "6"]}),
            json!({"const": "5"}),
        ] {
            assert_eq!(read("5", &schema).as_deref(), Ok("\"5\""), "{schema}");
        }
        assert_eq!(read(" \"x\"\n", &json!({"type": "string"})).as_deref(), Ok(r#"" \"x\"\n""#));
    }

    #[test]
    fn integers_are_exact_whatever_their_size() {
        let schema = json!({"type": "integer"});
        for text in
            ["0", "-1", "9007199254740993", "-9223372036854775808", "18446744073709551616", "30.0", "3e1"]
        {
            assert_eq!(read(text, &schema).as_deref(), Ok(text));
        }
        for text in ["30.5", "x", "", "1e400", "true", "[1]", "0x10", "1_000", "NaN"] {
            assert_eq!(read(text, &schema), Err(format!("an integer, not \"{text}\"")));
        }
    }

    #[test]
    fn numbers_and_booleans_and_null_are_read_by_the_schema() {
        assert_eq!(read("3.50", &json!({"type": "number"})).as_deref(), Ok("3.50"));
        assert_eq!(read("true", &json!({"type": "boolean"})).as_deref(), Ok("true"));
        assert_eq!(read("yes", &json!({"type": "boolean"})), Err("true or false, not \"yes\"".into()));
        assert_eq!(read("null", &json!({"type": ["null", "integer"]})).as_deref(), Ok("null"));
        assert_eq!(
            read("x", &json!({"type": ["integer", "null"]})),
            Err("null or an integer, not \"x\"".into())
        );
    }

    #[test]
    fn arrays_and_objects_are_read_as_json_where_the_schema_asks_for_them() {
        assert_eq!(read("[1, 2]", &json!({"type": "array"})).as_deref(), Ok("[1, 2]"));
        assert_eq!(read("{\"a\":1}", &json!({"type": "object"})).as_deref(), Ok("{\"a\":1}"));
        assert_eq!(read("1,2", &json!({"type": "array"})), Err("a JSON array, not \"1,2\"".into()));
        assert_eq!(read("[1]", &json!({"type": "object"})), Err("a JSON object, not \"[1]\"".into()));
    }

    #[test]
    fn choices_are_matched_as_text_first_and_as_json_then() {
        let schema = json!({"enum": ["a", 1, true]});
        assert_eq!(read("a", &schema).as_deref(), Ok("\"a\""));
        assert_eq!(read("1", &schema).as_deref(), Ok("1"));
        assert_eq!(read("true", &schema).as_deref(), Ok("true"));
        assert_eq!(read("b", &schema).as_deref(), Ok("\"b\""));
        assert_eq!(read("2", &json!({"enum": [1, 2]})).as_deref(), Ok("2"));
    }

    #[test]
    fn references_and_branches_are_followed() {
        let root = json!({"$defs": {"n": {"$ref": "#/$defs/m"}, "m": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}}});
        let read = |schema: Value| coerce("7", &schema, &root).map(|raw| raw.get().to_owned());
        assert_eq!(read(json!({"$ref": "#/$defs/n"})).as_deref(), Ok("7"));
        assert_eq!(read(json!({"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]})).as_deref(), Ok("7"));
        assert_eq!(read(json!({"allOf": [{"description": "x"}, {"type": "number"}]})).as_deref(), Ok("7"));
        assert_eq!(read(json!({"$ref": "#/$defs/loop"})).as_deref(), Ok("\"7\""));
        assert_eq!(read(json!({"$ref": "https://example.org/x"})).as_deref(), Ok("\"7\""));
    }
}
