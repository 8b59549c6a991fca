//! The checks before sending: names first, because a slip there has a better answer than the schema gives.

use hermes::types::schema_weight;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::coerce::coerce;
use super::object::Object;
use super::readable::unreadable;
use super::word::{Given, Word};
use crate::exit::{Exit, Failure, Result};
use crate::hint;

/// The schema of the arguments that something takes.
#[derive(Debug)]
pub(crate) struct Shape<'a> {
    /// What takes them, for messages: `tool "echo"`.
    owner: String,
    schema: &'a Value,
}

impl<'a> Shape<'a> {
    pub(crate) fn new(owner: String, schema: &'a Value) -> Self {
        Self { owner, schema }
    }

    /// Adds words to the members that are there already, each with the type that the schema gives it.
    ///
    /// # Errors
    /// A name that is not known or given twice, or a value that does not fit.
    pub(crate) fn fill(&self, mut object: Object, words: Vec<Word>) -> Result<Object> {
        let mut seen: Vec<String> = Vec::with_capacity(words.len());
        for word in words {
            if seen.contains(&word.name) {
                return Err(Failure::usage(format!("the argument \"{}\" is given twice", word.name)));
            }
            let property = self.property(&word.name)?;
            let read = |text: &str| {
                coerce(text, property, self.schema).map_err(|wanted| {
                    Failure::usage(format!("the argument \"{}\" wants {wanted}", word.name))
                        .with_hint(self.usage())
                })
            };
            let value = match word.given {
                Given::Json(json) => json,
                Given::Text(text) => read(&text)?,
                Given::File(contents) if wants_base64(property) => read(&contents.base64())?,
                Given::File(contents) => read(contents.text()?)?,
            };
            seen.push(word.name.clone());
            object.insert(word.name, value);
        }
        Ok(object)
    }

    /// Checks all members against the schema.
    ///
    /// # Errors
    /// What is missing or does not fit; or that the schema itself cannot be used, which is the server's fault.
    pub(crate) fn check(&self, object: &Object) -> Result<()> {
        let required = self.schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing: Vec<&str> =
            required.filter_map(Value::as_str).filter(|name| !object.contains(name)).collect();
        if !missing.is_empty() {
            let plural = if missing.len() == 1 { "" } else { "s" };
            let message = format!("{} needs the argument{plural} {}", self.owner, missing.join(", "));
            return Err(Failure::usage(message).with_hint(self.usage()));
        }
        if let Some(problem) = unreadable(object) {
            return Err(Failure::usage(format!("the arguments of {} cannot be read: {problem}", self.owner)));
        }
        // A schema that cannot be read permits nothing: that it permits everything would be a guess.
        let problems = problems(self.schema, &object.to_value()).map_err(|flaw| {
            let message = format!("the server's schema of {} cannot be used: {flaw}", self.owner);
            Failure::new(Exit::Protocol, message)
                .with_hint("--no-check sends the arguments unchecked".to_owned())
        })?;
        if problems.is_empty() {
            return Ok(());
        }
        let message = format!("the arguments do not fit {}: {}", self.owner, problems.join("; "));
        Err(Failure::usage(message).with_hint(self.usage()))
    }

    /// The schema of one argument.
    fn property(&self, name: &str) -> Result<&Value> {
        const ANYTHING: &Value = &Value::Bool(true);
        let Some(properties) = self.schema.get("properties").and_then(Value::as_object) else {
            return Ok(ANYTHING);
        };
        if let Some(property) = properties.get(name) {
            return Ok(property);
        }
        // These keywords allow or describe names that stand elsewhere.
        let open = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if"];
        let said = self.schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
        if said || open.iter().any(|keyword| self.schema.get(keyword).is_some()) {
            return Ok(ANYTHING);
        }
        Err(Failure::usage(format!("{} has no argument \"{name}\"", self.owner))
            .with_hint(hint::offer(name, properties.keys().map(String::as_str))))
    }

    /// The arguments in short: `it takes: text, ms (integer, optional)`.
    fn usage(&self) -> Option<String> {
        let takes = summary(self.schema);
        (!takes.is_empty()).then(|| format!("it takes: {}", takes.join(", ")))
    }
}

/// Whether an argument is bytes, written as base64.
fn wants_base64(property: &Value) -> bool {
    let says = |keyword: &str, word: &str| property.get(keyword).and_then(Value::as_str) == Some(word);
    says("contentEncoding", "base64") || says("format", "byte")
}

/// The arguments that a schema describes, one a string: `a integer`, `[limit integer]` when it is optional.
pub(crate) fn summary(schema: &Value) -> Vec<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|it| it == name));
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .map(|(name, property)| {
            let kind = property.get("type").and_then(Value::as_str).map(|kind| format!(" {kind}"));
            let kind = kind.unwrap_or_default();
            if is_required(name) { format!("{name}{kind}") } else { format!("[{name}{kind}]") }
        })
        .collect()
}

/// What is wrong with a value, each with its place.
///
/// # Errors
/// The schema cannot be used, for example because it refers to another document.
pub(crate) fn problems(schema: &Value, value: &Value) -> std::result::Result<Vec<String>, String> {
    schema_weight(schema).map_err(|error| error.to_string())?;
    let validator = jsonschema::options()
        .offline()
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| error.to_string())?;
    let place = |path: String| if path.is_empty() { String::new() } else { format!("{path}: ") };
    Ok(validator
        .iter_errors(value)
        .map(|error| format!("{}{}", place(error.instance_path().to_string()), in_words(&error)))
        .collect())
}

/// What an error says; of choices, all are named.
fn in_words(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().into_iter().flatten();
            let names: Vec<String> = options
                .map(|option| option.as_str().map_or_else(|| option.to_string(), str::to_owned))
                .collect();
            format!("{} is none of: {}", error.instance(), names.join(", "))
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer", "minimum": 0},
                "interval_ms": {"type": "integer"},
                "label": {"type": "string"},
            },
            "required": ["n"],
        })
    }

    fn filled(schema: &Value, words: &[&str]) -> Result<String> {
        let words = words.iter().map(|word| word.parse().expect(word)).collect();
        let shape = Shape::new("tool \"progress\"".to_owned(), schema);
        let object = shape.fill(Object::default(), words)?;
        shape.check(&object)?;
        Ok(serde_json::to_string(&object).expect("an object of raw values"))
    }

    fn refused(schema: &Value, words: &[&str]) -> (String, Option<String>) {
        let failure = filled(schema, words).expect_err("refused");
        (failure.to_string(), failure.hint().map(str::to_owned))
    }

    #[test]
    fn of_a_value_that_is_no_choice_all_choices_are_named() {
        let levels = json!({ "enum": ["debug", "info", "notice", "warning", 5, null] });
        let words = "\"x\" is none of: debug, info, notice, warning, 5, null";
        assert_eq!(problems(&levels, &json!("x")), Ok(vec![words.to_owned()]));
        let within = json!({ "properties": { "level": levels } });
        assert_eq!(problems(&within, &json!({ "level": "x" })), Ok(vec![format!("/level: {words}")]));
    }

    #[test]
    fn words_take_the_types_of_the_schema() {
        let text = filled(&schema(), &["n=9223372036854775807", "label=7", "interval_ms:=20"]);
        assert_eq!(text.ok().as_deref(), Some(r#"{"n":9223372036854775807,"label":"7","interval_ms":20}"#));
    }

    #[test]
    fn a_misspelt_name_is_refused_with_a_hint() {
        assert_eq!(
            refused(&schema(), &["n=1", "interval=5"]),
            (
                "tool \"progress\" has no argument \"interval\"".into(),
                Some("did you mean \"interval_ms\"?".into())
            )
        );
        assert_eq!(refused(&schema(), &["colour=5"]).1.as_deref(), Some("there is: n, interval_ms, label"),);
    }

    #[test]
    fn other_names_pass_where_the_schema_says_so() {
        for more in [json!({"additionalProperties": {"type": "string"}}), json!({"allOf": [true]})] {
            let mut open = schema();
            let more = more.as_object().expect("an object").clone();
            open.as_object_mut().expect("an object").extend(more);
            assert_eq!(filled(&open, &["n=1", "x=2"]).ok().as_deref(), Some(r#"{"n":1,"x":"2"}"#));
        }
        assert_eq!(filled(&json!({"type": "object"}), &["x=2"]).ok().as_deref(), Some(r#"{"x":"2"}"#));
    }

    #[test]
    fn what_is_missing_is_named_with_what_it_takes() {
        assert_eq!(
            refused(&schema(), &["label=x"]),
            (
                "tool \"progress\" needs the argument n".into(),
                Some("it takes: n integer, [interval_ms integer], [label string]".into())
            )
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_named_with_its_place() {
        assert_eq!(refused(&schema(), &["n=x"]).0, "the argument \"n\" wants an integer, not \"x\"");
        let (message, _) = refused(&schema(), &["n=-1"]);
        assert_eq!(
            message,
            "the arguments do not fit tool \"progress\": /n: -1 is less than the minimum of 0"
        );
        let (message, _) = refused(&schema(), &["n:=\"1\""]);
        assert!(message.contains("/n: \"1\" is not of type \"integer\""), "{message}");
    }

    #[test]
    fn a_name_that_is_given_twice_is_refused() {
        assert_eq!(refused(&schema(), &["n=1", "n=2"]).0, "the argument \"n\" is given twice");
    }

    // spec: R057
    #[test]
    fn a_schema_that_nobody_can_read_permits_nothing_and_is_the_servers_fault() {
        let remote = json!({"properties": {"n": {"$ref": "https://example.org/n.json"}}});
        let failure = filled(&remote, &["n=1"]).expect_err("refused");
        assert_eq!(failure.exit(), Exit::Protocol);
        assert!(failure.to_string().starts_with("the server's schema of tool \"progress\" cannot be used: "));
        assert_eq!(failure.hint(), Some("--no-check sends the arguments unchecked"));
    }
}
