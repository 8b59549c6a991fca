//! The keywords that most schemas consist of, checked here.
//!
//! Types, members, elements, choices and bounds say what most tools take and give. A schema that says nothing else is in
//! order when it is [known](stranger), so that nothing has to be compiled before the first call. Every other schema is left
//! to the [engine](super::engine) as a whole, so that no keyword is ever passed over.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

use super::invalid::{Invalid, MAX_PROBLEMS, Problem, excerpt, step};
use super::kinds::Kinds;

/// How many choices are named where one of them is wanted.
const MAX_CHOICES: usize = 3;

/// The dialect that is meant where none is named.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The first keyword of a schema that is not checked here, or says something that it must not say.
///
/// With `formats`, the keyword `format` asks for more than a remark.
pub(super) fn stranger(schema: &Value, formats: bool) -> Option<&str> {
    let Some(object) = schema.as_object() else { return stranger_within(schema, formats) };
    object
        .iter()
        .filter(|(keyword, rule)| !(keyword.as_str() == "$schema" && *rule == DIALECT))
        .find_map(|(keyword, rule)| stranger_of(keyword, rule, formats))
}

fn stranger_within(schema: &Value, formats: bool) -> Option<&str> {
    match schema {
        Value::Bool(_) => None,
        Value::Object(object) => {
            object.iter().find_map(|(keyword, rule)| stranger_of(keyword, rule, formats))
        }
        _ => Some("a schema that is neither an object nor a boolean"),
    }
}

fn stranger_of<'s>(keyword: &'s str, rule: &'s Value, formats: bool) -> Option<&'s str> {
    let is_known = match keyword {
        "additionalProperties" | "items" => return stranger_within(rule, formats),
        "properties" => match rule {
            Value::Object(all) => {
                return all.values().find_map(|schema| stranger_within(schema, formats));
            }
            _ => false,
        },
        "type" => Kinds::of_rule(rule).is_some(),
        "required" => rule.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
        "enum" => rule.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_choice)),
        "const" => is_choice(rule),
        "minimum" | "maximum" => rule.is_i64() || rule.is_u64(),
        "minItems" | "maxItems" | "minLength" | "maxLength" => rule.is_u64(),
        "description" | "title" | "$comment" => rule.is_string(),
        "format" => rule.is_string() && !formats,
        "deprecated" | "readOnly" | "writeOnly" => rule.is_boolean(),
        "examples" => rule.is_array(),
        "default" | "x-mcp-header" => true,
        _ => false,
    };
    (!is_known).then_some(keyword)
}

/// Whether it is equal to nothing but what is written alike. Numbers are not: 1 is 1.0.
const fn is_choice(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::String(_))
}

/// Checks a value against a schema without [strangers](stranger).
///
/// # Errors
/// The first few problems.
pub(super) fn check(schema: &Value, value: &Value) -> Result<(), Invalid> {
    let mut walk = Walk { path: String::new(), problems: Vec::new(), more: false };
    walk.follow(schema, value);
    match walk.problems.is_empty() {
        true => Ok(()),
        false => Err(Invalid::Value { problems: walk.problems, more: walk.more }),
    }
}

/// A walk through a value beside its schema.
struct Walk {
    /// Where it is: a JSON pointer.
    path: String,
    problems: Vec<Problem>,
    more: bool,
}

impl Walk {
    fn follow(&mut self, schema: &Value, value: &Value) {
        match schema {
            Value::Bool(false) => self.tell("is not expected here"),
            Value::Object(rules) => {
                for (keyword, rule) in rules {
                    if self.more {
                        return;
                    }
                    self.apply(rules, keyword, rule, value);
                }
            }
            _ => {}
        }
    }

    fn apply(&mut self, rules: &Map<String, Value>, keyword: &str, rule: &Value, value: &Value) {
        match (keyword, rule, value) {
            ("type", ..) => {
                if let Some(kinds) = Kinds::of_rule(rule).filter(|kinds| !kinds.hold(value)) {
                    self.tell(&format!("{} is not of type {kinds}", excerpt(value)));
                }
            }
            ("const", ..) if rule != value => self.tell(&format!("{} was expected", excerpt(rule))),
            ("enum", Value::Array(choices), _) if !choices.contains(value) => {
                self.tell(&format!("{} is not one of {}", excerpt(value), one_of(choices)));
            }
            ("minimum", Value::Number(least), Value::Number(number)) if is_below(number, least) => {
                self.tell(&format!("{number} is less than the minimum of {least}"));
            }
            ("maximum", Value::Number(most), Value::Number(number)) if is_above(number, most) => {
                self.tell(&format!("{number} is greater than the maximum of {most}"));
            }
            ("minLength" | "maxLength", _, Value::String(text)) => {
                self.count(keyword, rule, value, text.chars().count(), "character");
            }
            ("minItems" | "maxItems", _, Value::Array(elements)) => {
                self.count(keyword, rule, value, elements.len(), "item");
            }
            ("required", Value::Array(names), Value::Object(members)) => {
                for name in names.iter().filter_map(Value::as_str) {
                    if !members.contains_key(name) {
                        self.within(name, |walk| walk.tell("is missing"));
                    }
                }
            }
            ("properties", Value::Object(schemas), Value::Object(members)) => {
                for (name, value) in members {
                    if let Some(schema) = schemas.get(name) {
                        self.within(name, |walk| walk.follow(schema, value));
                    }
                }
            }
            ("additionalProperties", _, Value::Object(members)) => {
                let named = rules.get("properties").and_then(Value::as_object);
                let is_named = |name: &str| named.is_some_and(|named| named.contains_key(name));
                for (name, value) in members.iter().filter(|(name, _)| !is_named(name)) {
                    self.within(name, |walk| walk.follow(rule, value));
                }
            }
            ("items", _, Value::Array(elements)) if *rule != Value::Bool(true) => {
                for (index, element) in elements.iter().enumerate() {
                    if self.more {
                        return;
                    }
                    self.within(&index.to_string(), |walk| walk.follow(rule, element));
                }
            }
            _ => {}
        }
    }

    /// Goes one step deeper and comes back.
    fn within(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        let here = self.path.len();
        step(&mut self.path, name);
        go(self);
        self.path.truncate(here);
    }

    fn count(&mut self, keyword: &str, rule: &Value, value: &Value, there: usize, what: &str) {
        let Some(wanted) = rule.as_u64() else { return };
        let there = u64::try_from(there).unwrap_or(u64::MAX);
        let complaint = match keyword {
            "minLength" if there < wanted => "is shorter than",
            "maxLength" if there > wanted => "is longer than",
            "minItems" if there < wanted => "has less than",
            "maxItems" if there > wanted => "has more than",
            _ => return,
        };
        let plural = if wanted == 1 { "" } else { "s" };
        self.tell(&format!("{} {complaint} {wanted} {what}{plural}", excerpt(value)));
    }

    fn tell(&mut self, message: &str) {
        match self.problems.len() < MAX_PROBLEMS {
            true => self.problems.push(Problem::new(&self.path, message)),
            false => self.more = true,
        }
    }
}

/// The choices in words, of many only the first.
fn one_of(choices: &[Value]) -> String {
    let mut words = String::new();
    let named = if choices.len() > MAX_CHOICES { MAX_CHOICES - 1 } else { choices.len() };
    for (at, choice) in choices.iter().take(named).enumerate() {
        let before = match at {
            0 => "",
            _ if at + 1 == choices.len() => " or ",
            _ => ", ",
        };
        words.push_str(before);
        words.push_str(&excerpt(choice));
    }
    if named < choices.len() {
        let _ = write!(words, " or {} other candidates", choices.len() - named); // It cannot fail.
    }
    words
}

/// The whole numbers around a number; twice itself when it is one. No bound has more than 64 bits, so that it matters
/// to none where a number beyond 128 is cut.
fn around(number: &Number) -> (i128, i128) {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(whole), ..) => (whole.into(), whole.into()),
        (_, Some(whole), _) => (whole.into(), whole.into()),
        (.., float) => {
            let float = float.unwrap_or_default();
            (float.floor() as i128, float.ceil() as i128)
        }
    }
}

fn is_below(number: &Number, least: &Number) -> bool {
    around(number).0 < around(least).0
}

fn is_above(number: &Number, most: &Number) -> bool {
    around(number).1 > around(most).1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn complaint(schema: &Value, value: &Value) -> String {
        assert_eq!(stranger(schema, true), None, "{schema}");
        check(schema, value).expect_err("it does not fit").to_string()
    }

    #[test]
    fn what_does_not_fit_is_told_in_words() {
        for (schema, value, words) in [
            (json!({ "type": ["null", "integer"] }), json!(0.5), "0.5 is not of type integer or null"),
            (json!({ "minimum": 3 }), json!(2.5), "2.5 is less than the minimum of 3"),
            (json!({ "maximum": 3 }), json!(3.5), "3.5 is greater than the maximum of 3"),
            (json!({ "minLength": 2 }), json!("é"), "\"é\" is shorter than 2 characters"),
            (json!({ "maxLength": 1 }), json!("ab"), "\"ab\" is longer than 1 character"),
            (json!({ "minItems": 1 }), json!([]), "[] has less than 1 item"),
            (json!({ "maxItems": 1 }), json!([1, 2]), "[1,2] has more than 1 item"),
            (json!({ "const": "a" }), json!("b"), "\"a\" was expected"),
            (json!({ "enum": ["a"] }), json!("b"), "\"b\" is not one of \"a\""),
            (json!({ "enum": ["a", "b", null] }), json!(1), "1 is not one of \"a\", \"b\" or null"),
            (
                json!({ "enum": ["a", "b", "c", "d"] }),
                json!(1),
                "1 is not one of \"a\", \"b\" or 2 other candidates",
            ),
            (json!({ "properties": { "a": false } }), json!({ "a": 1 }), "`/a`: is not expected here"),
            (
                json!({ "items": { "items": { "type": "null" } } }),
                json!([[], [null, 1]]),
                "`/1/1`: 1 is not of type null",
            ),
        ] {
            assert_eq!(complaint(&schema, &value), words, "{schema}");
        }
    }

    #[test]
    fn bounds_of_64_bits_are_exact() {
        let most = json!({ "maximum": i64::MAX });
        assert_eq!(check(&most, &json!(i64::MAX)), Ok(()));
        for value in [json!(9_223_372_036_854_775_808_u64), json!(9_223_372_036_854_775_808.0), json!(1e300)]
        {
            assert!(check(&most, &value).is_err(), "{value}");
        }
        let least = json!({ "minimum": u64::MAX });
        assert_eq!(check(&least, &json!(u64::MAX)), Ok(()));
        assert!(check(&least, &json!(u64::MAX - 1)).is_err());
    }

    #[test]
    fn what_is_not_known_or_not_in_order_is_named() {
        for (schema, keyword) in [
            (json!({ "oneOf": [] }), "oneOf"),
            (json!({ "$ref": "#" }), "$ref"),
            (json!({ "type": "strange" }), "type"),
            (json!({ "type": ["null", "null"] }), "type"),
            (json!({ "properties": { "a": { "pattern": "a" } } }), "pattern"),
            (json!({ "properties": { "a": { "$schema": DIALECT } } }), "$schema"),
            (json!({ "items": { "not": {} } }), "not"),
            (json!({ "items": [{}] }), "a schema that is neither an object nor a boolean"),
            (json!({ "additionalProperties": { "minimum": 0.5 } }), "minimum"),
            (json!({ "enum": [1] }), "enum"),
            (json!({ "description": 1 }), "description"),
            (json!({ "format": "email" }), "format"),
            (json!({ "$schema": "http://json-schema.org/draft-07/schema#" }), "$schema"),
        ] {
            assert_eq!(stranger(&schema, true), Some(keyword), "{schema}");
        }
        assert_eq!(stranger(&json!({ "$schema": DIALECT, "format": "email" }), false), None);
    }

    fn schema() -> impl Strategy<Value = Value> {
        let rule = prop::sample::select(vec![
            ("type", json!("object")),
            ("type", json!("array")),
            ("type", json!(["integer", "null"])),
            ("type", json!(["number", "string", "boolean"])),
            ("minimum", json!(-1)),
            ("maximum", json!(2)),
            ("maximum", json!(i64::MAX)),
            ("minLength", json!(1)),
            ("maxLength", json!(1)),
            ("minItems", json!(1)),
            ("maxItems", json!(1)),
            ("const", json!("a")),
            ("enum", json!(["a", null, true])),
            ("required", json!(["a"])),
            ("additionalProperties", json!(false)),
            ("items", json!(false)),
            ("title", json!("t")),
            ("format", json!("email")),
            // None of them is in order, or known.
            ("type", json!("strange")),
            ("required", json!([1])),
            ("minLength", json!(-1)),
            ("uniqueItems", json!(true)),
        ]);
        let leaf = prop::collection::vec(rule.clone(), 0..3);
        leaf.prop_map(|rules: Vec<(&str, Value)>| {
            Value::Object(rules.into_iter().map(|(keyword, rule)| (keyword.to_owned(), rule)).collect())
        })
        .prop_recursive(3, 12, 3, move |inner| {
            (inner.clone(), inner.clone(), inner, rule.clone()).prop_map(|(a, b, c, (keyword, rule))| {
                let mut schema = json!({ "properties": { "a": a }, "additionalProperties": b, "items": c });
                schema[keyword] = rule;
                schema
            })
        })
    }

    fn value() -> impl Strategy<Value = Value> {
        let scalar = prop::sample::select(vec![
            json!(null),
            json!(true),
            json!(0),
            json!(-1.0),
            json!(-1.5),
            json!(2.0),
            json!(2.5),
            json!(u64::MAX),
            json!(1e300),
            json!(""),
            json!("a"),
            json!("日本"),
        ]);
        scalar.prop_recursive(3, 12, 3, |inner| {
            let name = prop::sample::select(vec!["a", "b", "/"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((name, inner), 0..3)
                    .prop_map(|all| all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn what_is_known_is_in_order_and_checked_as_the_standard_says(schema in schema(), value in value()) {
            if stranger(&schema, false).is_none() {
                let standard = jsonschema::options().should_validate_formats(false).build(&schema);
                let standard = standard.map_err(|error| TestCaseError::fail(format!("{schema}: {error}")))?;
                prop_assert_eq!(check(&schema, &value).is_ok(), standard.is_valid(&value), "{} {}", schema, value);
            }
        }
    }
}
