//! A form: the fields that a server wants filled in, and how text becomes their values.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::arguments::{coerce, problems};

/// The fields of a requested schema, in their order.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) fields: Vec<Field>,
}

/// One field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) required: bool,
    schema: Value,
}

/// One of the values that a field may have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) title: String,
}

impl Form {
    pub(crate) fn new(schema: &Value) -> Self {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|it| it == name));
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let field = |(name, schema): (&String, &Value)| Field {
            name: name.clone(),
            required: is_required(name),
            schema: schema.clone(),
        };
        Self { fields: properties.map(field).collect() }
    }

    /// The names of all fields, for messages.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        names.join(", ")
    }
}

impl Field {
    fn text(&self, keyword: &str) -> Option<&str> {
        self.schema.get(keyword)?.as_str()
    }

    /// The name to show.
    pub(crate) fn title(&self) -> &str {
        self.text("title").unwrap_or(&self.name)
    }

    pub(crate) fn description(&self) -> Option<&str> {
        self.text("description")
    }

    /// The value that the server proposes.
    pub(crate) fn default_value(&self) -> Option<Box<RawValue>> {
        to_raw_value(self.schema.get("default")?).ok()
    }

    /// The default as someone would type it.
    pub(crate) fn default_text(&self) -> Option<String> {
        Some(match self.schema.get("default")? {
            Value::String(text) => text.clone(),
            Value::Bool(yes) => (if *yes { "yes" } else { "no" }).to_owned(),
            Value::Array(items) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                items.join(", ")
            }
            other => other.to_string(),
        })
    }

    /// Whether several choices may be taken.
    pub(crate) fn is_multiple(&self) -> bool {
        self.text("type") == Some("array")
    }

    /// The values to choose from; empty if the field is free.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        let schema =
            if self.is_multiple() { self.schema.get("items").unwrap_or(&Value::Null) } else { &self.schema };
        let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
        if let Some(values) = list("enum") {
            let titles = list("enumNames");
            let title = |index: usize| titles?.get(index)?.as_str();
            return values
                .iter()
                .filter_map(Value::as_str)
                .enumerate()
                .map(|(index, value)| Choice {
                    value: value.to_owned(),
                    title: title(index).unwrap_or(value).to_owned(),
                })
                .collect();
        }
        let described = list("oneOf").or_else(|| list("anyOf")).into_iter().flatten();
        described
            .filter_map(|choice| {
                let value = choice.get("const")?.as_str()?.to_owned();
                let title = choice.get("title").and_then(Value::as_str).unwrap_or(&value).to_owned();
                Some(Choice { value, title })
            })
            .collect()
    }

    /// What the field takes, in short: `integer, 1 to 10`.
    pub(crate) fn kind(&self) -> String {
        let number = |keyword: &str| self.schema.get(keyword).map(Value::to_string);
        let mut kind = match self.text("type") {
            Some("boolean") => "yes or no".to_owned(),
            Some("string") if !self.choices().is_empty() => "one of these".to_owned(),
            Some("array") => "some of these".to_owned(),
            Some("string") => self.text("format").unwrap_or("text").to_owned(),
            other => other.unwrap_or("JSON").to_owned(),
        };
        for (least, most, unit) in [
            ("minimum", "maximum", ""),
            ("minLength", "maxLength", " characters"),
            ("minItems", "maxItems", " items"),
        ] {
            match (number(least), number(most)) {
                (Some(least), Some(most)) => kind.push_str(&format!(", {least} to {most}{unit}")),
                (Some(least), None) => kind.push_str(&format!(", at least {least}{unit}")),
                (None, Some(most)) => kind.push_str(&format!(", at most {most}{unit}")),
                (None, None) => {}
            }
        }
        kind
    }

    /// Reads what someone typed: a choice by number, value or title; yes or no; otherwise by the schema.
    ///
    /// # Errors
    /// Why the text is no value of this field, as half a sentence.
    pub(crate) fn read(&self, text: &str) -> Result<Box<RawValue>, String> {
        let choices = self.choices();
        let json = |value: Value| to_raw_value(&value).map_err(|error| error.to_string());
        let raw = if choices.is_empty() {
            match (self.text("type"), text.trim().to_lowercase().as_str()) {
                (Some("boolean"), "y" | "yes" | "true") => json(Value::Bool(true))?,
                (Some("boolean"), "n" | "no" | "false") => json(Value::Bool(false))?,
                _ => {
                    coerce(text, &self.schema, &self.schema).map_err(|wanted| format!("it takes {wanted}"))?
                }
            }
        } else if self.is_multiple() {
            let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
            let values = texts.map(|text| choose(&choices, text).map(Value::from));
            json(Value::Array(values.collect::<Result<_, _>>()?))?
        } else {
            json(choose(&choices, text.trim())?.into())?
        };
        self.check(&raw)?;
        Ok(raw)
    }

    /// Checks a value against the field's schema.
    ///
    /// # Errors
    /// What does not fit.
    pub(crate) fn check(&self, raw: &RawValue) -> Result<(), String> {
        let value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
        let problems = problems(&self.schema, &value)?;
        if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
    }
}

fn choose<'a>(choices: &'a [Choice], text: &str) -> Result<&'a str, String> {
    let named = choices
        .iter()
        .find(|choice| choice.value == text)
        .or_else(|| choices.iter().find(|choice| choice.title.eq_ignore_ascii_case(text)));
    let numbered = || choices.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    match named.or_else(numbered) {
        Some(choice) => Ok(&choice.value),
        None => {
            let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
            Err(format!("\"{text}\" is none of: {}", values.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(schema: Value) -> Field {
        Field { name: "x".into(), required: true, schema }
    }

    fn read(schema: Value, text: &str) -> Result<String, String> {
        field(schema).read(text).map(|raw| raw.get().to_owned())
    }

    #[test]
    fn a_form_keeps_the_order_of_its_fields() {
        let schema = json!({
            "type": "object",
            "properties": {"z": {"type": "string", "title": "Zed"}, "a": {"type": "integer", "default": 3}},
            "required": ["a"],
        });
        let form = Form::new(&schema);
        assert_eq!(form.names(), "z, a");
        let seen: Vec<_> =
            form.fields.iter().map(|it| (it.title(), it.required, it.default_text())).collect();
        assert_eq!(seen, [("Zed", false, None), ("a", true, Some("3".into()))]);
    }

    #[test]
    fn text_becomes_what_the_field_wants() {
        assert_eq!(read(json!({"type": "string"}), "7").as_deref(), Ok("\"7\""));
        assert_eq!(read(json!({"type": "integer"}), "9007199254740993").as_deref(), Ok("9007199254740993"));
        assert_eq!(read(json!({"type": "integer"}), "x"), Err("it takes an integer, not \"x\"".into()));
        assert_eq!(read(json!({"type": "boolean"}), "Yes").as_deref(), Ok("true"));
        assert_eq!(read(json!({"type": "boolean"}), "n").as_deref(), Ok("false"));
        assert!(read(json!({"type": "boolean"}), "maybe").is_err());
    }

    #[test]
    fn bounds_and_formats_are_checked() {
        assert!(read(json!({"type": "integer", "maximum": 5}), "6").is_err());
        assert!(read(json!({"type": "string", "minLength": 2}), "x").is_err());
        let email = json!({"type": "string", "format": "email"});
        assert_eq!(read(email.clone(), "ada@example.org").as_deref(), Ok("\"ada@example.org\""));
        assert!(read(email, "ada").is_err());
        assert!(read(json!({"type": "string", "format": "date"}), "yesterday").is_err());
    }

    #[test]
    fn a_choice_is_named_or_numbered() {
        for schema in [
            json!({"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]}),
            json!({"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]}),
        ] {
            for text in ["g", "2", "green", " g "] {
                assert_eq!(read(schema.clone(), text).as_deref(), Ok("\"g\""), "{schema} {text}");
            }
            assert_eq!(read(schema, "3"), Err("\"3\" is none of: r, g".into()));
        }
        assert_eq!(read(json!({"type": "string", "enum": ["2", "1"]}), "1").as_deref(), Ok("\"1\""));
    }

    #[test]
    fn several_choices_are_divided_by_commas() {
        for schema in [
            json!({"type": "array", "items": {"type": "string", "enum": ["r", "g", "b"]}, "minItems": 1}),
            json!({"type": "array", "items": {"anyOf": [{"const": "r"}, {"const": "g"}, {"const": "b"}]}, "minItems": 1}),
        ] {
            assert_eq!(read(schema.clone(), "b, 1").as_deref(), Ok("[\"b\",\"r\"]"));
            assert!(read(schema.clone(), " ,").is_err());
            assert!(read(schema, "r,x").is_err());
        }
    }

    #[test]
    fn a_field_says_what_it_takes() {
        for (schema, kind) in [
            (json!({"type": "string"}), "text"),
            (json!({"type": "string", "format": "email"}), "email"),
            (json!({"type": "string", "enum": ["a"]}), "one of these"),
            (json!({"type": "integer", "minimum": 1, "maximum": 10}), "integer, 1 to 10"),
            (json!({"type": "string", "minLength": 2}), "text, at least 2 characters"),
            (json!({"type": "boolean"}), "yes or no"),
            (
                json!({"type": "array", "items": {"enum": ["a"]}, "maxItems": 2}),
                "some of these, at most 2 items",
            ),
        ] {
            assert_eq!(field(schema).kind(), kind);
        }
    }
}
