//! From a Rust type to the form that a user fills in.
//!
//! A form is a flat object: texts, numbers, yes or no, one of several choices, several of several choices.
//! What the wire cannot say (a pattern, a number's exclusive bound) is left out there and still checked when
//! the answer comes.

use hermes_types::{
    BooleanSchema, ElicitSchema, EnumOption, LegacyTitledEnumSchema, NumberKind, NumberSchema,
    PrimitiveSchemaDefinition as Field, RawJson, StringFormat, StringSchema, TitledMultiSelectEnumSchema,
    TitledSingleSelectEnumSchema, UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answer::{Elicited, elicited};
use super::error::{AskError, QuestionError};
use crate::schema::{Validator, clean};

/// A form and the check of what comes back.
pub(super) struct Form {
    pub(super) schema: ElicitSchema,
    validator: Validator,
    /// The fields that are lists.
    lists: Vec<String>,
}

impl Form {
    /// The form for a type: a struct whose fields are flat, or the unit type for a plain yes or no.
    pub(super) fn of<T: JsonSchema>() -> Result<Self, QuestionError> {
        let full = clean::<T>(SchemaSettings::draft2020_12().for_deserialize());
        let full = full.as_object().cloned().unwrap_or_default();
        let no_form = |found: &str| QuestionError::NoForm { found: found.to_owned() };
        match full.get("type").and_then(Value::as_str) {
            Some("object") => {}
            Some("null") => return Ok(Self::confirmation()),
            other => return Err(no_form(other.unwrap_or("a choice between types"))),
        }
        if let Some(keyword) =
            ["allOf", "anyOf", "oneOf", "$ref"].into_iter().find(|key| full.contains_key(*key))
        {
            return Err(no_form(&format!("an object with `{keyword}`")));
        }
        let Some(Value::Object(fields)) = full.get("properties") else {
            return match full.get("additionalProperties") {
                Some(Value::Object(_) | Value::Bool(true)) => Err(no_form("a map")),
                _ => Ok(Self { schema: ElicitSchema::new(), validator: compile(&full)?, lists: Vec::new() }),
            };
        };
        let required = full.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut schema = ElicitSchema::new();
        let mut lists = Vec::new();
        for (name, field) in fields {
            let field = field_of(name, field)?;
            if matches!(field, Field::MultiSelect(_) | Field::TitledMultiSelect(_)) {
                lists.push(name.clone());
            }
            schema = match required.iter().any(|one| one == name) {
                true => schema.with_required(name, field),
                false => schema.with_field(name, field),
            };
        }
        Ok(Self { schema, validator: compile(&full)?, lists })
    }

    /// No fields: all that can be said is yes or no.
    fn confirmation() -> Self {
        let validator = Validator::new(&RawJson::empty_object());
        Self { schema: ElicitSchema::new(), validator, lists: Vec::new() }
    }

    /// Reads the answer. `content` that is missing counts as a form without any field filled in.
    pub(super) fn read<T: DeserializeOwned>(&self, answer: &RawJson) -> Result<Elicited<T>, AskError> {
        Ok(match elicited(answer).map_err(AskError::BadAnswer)? {
            Elicited::Accepted(content) => {
                let content = self.listed(content.unwrap_or_else(RawJson::empty_object));
                Elicited::Accepted(self.validator.decode(content.get()).map_err(AskError::BadAnswer)?)
            }
            Elicited::Declined => Elicited::Declined,
            Elicited::Cancelled => Elicited::Cancelled,
        })
    }
}

impl Form {
    /// Makes a list of a single text, where the type has a list: a client of 2025-06-18, which has no lists,
    /// was asked to choose one.
    fn listed(&self, content: RawJson) -> RawJson {
        if self.lists.is_empty() {
            return content;
        }
        let Ok(mut fields) = content.decode::<Map<String, Value>>() else { return content };
        for name in &self.lists {
            if let Some(value @ Value::String(_)) = fields.get_mut(name) {
                *value = Value::Array(vec![value.take()]);
            }
        }
        RawJson::encode(&fields).unwrap_or(content)
    }
}

fn compile(full: &Map<String, Value>) -> Result<Validator, QuestionError> {
    let schema = RawJson::encode(full).unwrap_or_else(|_| RawJson::empty_object());
    let validator = Validator::with_formats(&schema);
    match validator.flaw().map(str::to_owned) {
        Some(flaw) => Err(QuestionError::NoCheck { flaw }),
        None => Ok(validator),
    }
}

/// One field, as the newest revision says it; older ones are spoken down to when the question is written.
fn field_of(name: &str, schema: &Value) -> Result<Field, QuestionError> {
    let no_field = |found: String| QuestionError::NoFormField { field: name.to_owned(), found };
    let Some(schema) = schema.as_object().map(without_null) else {
        return Err(no_field("anything".to_owned()));
    };
    if let Some(choices) = choices_of(&schema) {
        return Ok(single_choice(&schema, choices));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Ok(text_field(&schema).into()),
        Some("number") => Ok(number_field(&schema, NumberKind::Number).into()),
        Some("integer") => Ok(number_field(&schema, NumberKind::Integer).into()),
        Some("boolean") => {
            let default = schema.get("default").and_then(Value::as_bool);
            let (title, description) = (text(&schema, "title"), text(&schema, "description"));
            Ok(BooleanSchema { title, description, default, ..BooleanSchema::default() }.into())
        }
        Some("array") => {
            let items = schema.get("items").and_then(Value::as_object);
            match items.and_then(choices_of) {
                Some(choices) => Ok(multiple_choice(&schema, choices)),
                None => Err(no_field("a list of something other than choices".to_owned())),
            }
        }
        Some("object") => Err(no_field("an object; forms are flat".to_owned())),
        Some(other) => Err(no_field(other.to_owned())),
        None if schema.is_empty() => Err(no_field("anything".to_owned())),
        None => Err(no_field("a choice between types".to_owned())),
    }
}

fn text_field(schema: &Map<String, Value>) -> StringSchema {
    // The protocol knows four formats; any other stays a matter of the check.
    let format = match text(schema, "format").as_deref().map(StringFormat::from) {
        None | Some(StringFormat::Other(_)) => None,
        known => known,
    };
    StringSchema {
        title: text(schema, "title"),
        description: text(schema, "description"),
        min_length: schema.get("minLength").and_then(Value::as_u64),
        max_length: schema.get("maxLength").and_then(Value::as_u64),
        format,
        default: text(schema, "default"),
        ..StringSchema::default()
    }
}

fn number_field(schema: &Map<String, Value>, kind: NumberKind) -> NumberSchema {
    let number = |name: &str| schema.get(name).and_then(Value::as_f64);
    NumberSchema {
        title: text(schema, "title"),
        description: text(schema, "description"),
        minimum: number("minimum"),
        maximum: number("maximum"),
        default: number("default"),
        ..NumberSchema::new(kind)
    }
}

/// A value to choose, and what is shown for it.
struct Choice {
    value: String,
    title: Option<String>,
}

/// The values that a schema allows, if it lists them and they are texts: an `enum`, a `const`, or
/// alternatives of these.
fn choices_of(schema: &Map<String, Value>) -> Option<Vec<Choice>> {
    let plain = |value: &Value| Some(Choice { value: value.as_str()?.to_owned(), title: None });
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().filter(|value| !value.is_null()).map(plain).collect();
    }
    if let Some(value) = schema.get("const") {
        let title = text(schema, "title").or_else(|| text(schema, "description"));
        return Some(vec![Choice { title, ..plain(value)? }]);
    }
    let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let choices: Option<Vec<Vec<Choice>>> =
        alternatives.iter().map(|alternative| choices_of(alternative.as_object()?)).collect();
    Some(choices?.into_iter().flatten().collect())
}

fn single_choice(schema: &Map<String, Value>, choices: Vec<Choice>) -> Field {
    let (title, description) = (text(schema, "title"), text(schema, "description"));
    let default = text(schema, "default");
    match titled(&choices) {
        Some(options) => TitledSingleSelectEnumSchema {
            title,
            description,
            default,
            ..TitledSingleSelectEnumSchema::new(options)
        }
        .into(),
        None => {
            let values = values(choices);
            // The way of naming choices that 2025-11-25 keeps for the sake of older clients.
            let names = schema.get("enumNames").and_then(Value::as_array);
            let names: Option<Vec<_>> =
                names.and_then(|all| all.iter().map(|name| name.as_str().map(str::to_owned)).collect());
            if let Some(names) = names.filter(|names| names.len() == values.len()) {
                let plain = LegacyTitledEnumSchema::new(values, names);
                return LegacyTitledEnumSchema { title, description, default, ..plain }.into();
            }
            let plain = UntitledSingleSelectEnumSchema::new(values);
            UntitledSingleSelectEnumSchema { title, description, default, ..plain }.into()
        }
    }
}

fn multiple_choice(schema: &Map<String, Value>, choices: Vec<Choice>) -> Field {
    let (title, description) = (text(schema, "title"), text(schema, "description"));
    let count = |name: &str| schema.get(name).and_then(Value::as_u64);
    let (min_items, max_items) = (count("minItems"), count("maxItems"));
    let default = schema
        .get("default")
        .and_then(Value::as_array)
        .and_then(|all| all.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>());
    match titled(&choices) {
        Some(options) => {
            let plain = TitledMultiSelectEnumSchema::new(options);
            TitledMultiSelectEnumSchema { title, description, min_items, max_items, default, ..plain }.into()
        }
        None => {
            let plain = UntitledMultiSelectEnumSchema::new(values(choices));
            UntitledMultiSelectEnumSchema { title, description, min_items, max_items, default, ..plain }
                .into()
        }
    }
}

/// The choices with their titles, if at least one has a title; a choice without one shows its value.
fn titled(choices: &[Choice]) -> Option<Vec<EnumOption>> {
    choices.iter().any(|choice| choice.title.is_some()).then(|| {
        let option =
            |choice: &Choice| EnumOption::new(&choice.value, choice.title.as_ref().unwrap_or(&choice.value));
        choices.iter().map(option).collect()
    })
}

fn values(choices: Vec<Choice>) -> Vec<String> {
    choices.into_iter().map(|choice| choice.value).collect()
}

/// What an optional field holds when it holds something: the schema without its alternative `null`.
fn without_null(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = schema.clone();
    if let Some(Value::Array(types)) = schema.get("type") {
        let mut others = types.iter().filter(|one| *one != "null");
        if let (Some(only), None) = (others.next().cloned(), others.next()) {
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(alternatives)) = schema.get("anyOf") {
        let is_null = |one: &&Value| one.get("type").is_some_and(|kind| kind == "null");
        let mut others = alternatives.iter().filter(|one| !is_null(one));
        if let (Some(Value::Object(only)), None) = (others.next().cloned(), others.next()) {
            schema.remove("anyOf");
            // What was said about the field as a whole is nearer to it than what its type says.
            for (keyword, value) in only {
                schema.entry(keyword).or_insert(value);
            }
        }
    }
    schema
}

fn text(schema: &Map<String, Value>, name: &str) -> Option<String> {
    schema.get(name).and_then(Value::as_str).map(str::to_owned)
}
