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
