//! The arguments of a tool as fields of a form.

use serde_json::{Map, Value};

use crate::questions::Form;

/// How many references are followed.
const MAX_HOPS: u8 = 16;

/// The schema with its first level spelt out: references are followed, and a value that may also be missing is what it is
/// when it is there. What they refer to further down stays beside each of them.
pub(crate) fn spelt_out(schema: &Value) -> Value {
    let mut fields = Map::new();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let mut field = followed(property, schema, MAX_HOPS);
        for place in ["$defs", "definitions"] {
            if let (Some(field), Some(definitions)) = (field.as_object_mut(), schema.get(place)) {
                field.entry(place).or_insert_with(|| definitions.clone());
            }
        }
        fields.insert(name.clone(), field);
    }
    let mut whole = Map::new();
    whole.insert("type".to_owned(), Value::from("object"));
    whole.insert("properties".to_owned(), Value::Object(fields));
    if let Some(required) = schema.get("required") {
        whole.insert("required".to_owned(), required.clone());
    }
    Value::Object(whole)
}

fn followed(property: &Value, root: &Value, hops: u8) -> Value {
    let Some(hops) = hops.checked_sub(1) else { return property.clone() };
    let Some(members) = property.as_object() else { return property.clone() };
    let target = match members.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#')) {
        Some(pointer) => root.pointer(pointer),
        None => the_one_that_is_there(members),
    };
    let Some(Value::Object(mut found)) = target.map(|target| followed(target, root, hops)) else {
        return property.clone();
    };
    // What is said beside the reference counts more than what is said there: a description, a default.
    for (name, value) in
        members.iter().filter(|(name, _)| !["$ref", "anyOf", "oneOf", "allOf"].contains(&name.as_str()))
    {
        found.insert(name.clone(), value.clone());
    }
    Value::Object(found)
}

/// The only branch that is not null.
fn the_one_that_is_there(members: &Map<String, Value>) -> Option<&Value> {
    let branches =
        ["anyOf", "oneOf", "allOf"].iter().find_map(|keyword| members.get(*keyword)?.as_array())?;
    let mut there = branches.iter().filter(|branch| branch.get("type") != Some(&Value::from("null")));
    let first = there.next()?;
    there.next().is_none().then_some(first)
}

/// What an argument may be, where the schema names it.
pub(crate) fn choices(schema: &Value, name: &str) -> Vec<String> {
    let schema = spelt_out(schema);
    let property = schema.pointer("/properties").and_then(|fields| fields.get(name));
    let has_type = |kind: &str| property.and_then(|field| field.get("type")) == Some(&Value::from(kind));
    if has_type("boolean") {
        return vec!["false".to_owned(), "true".to_owned()];
    }
    let form = Form::new(&schema);
    let field = form.fields.iter().find(|field| field.name == name && !field.is_multiple());
    field.map(|field| field.choices().into_iter().map(|choice| choice.value).collect()).unwrap_or_default()
}

/// The form of the arguments that are not there yet, as a schema.
pub(crate) fn missing(schema: &Value, given: &[&str]) -> Value {
    let mut schema = spelt_out(schema);
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.retain(|name, _| !given.contains(&name.as_str()));
    }
    schema
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "level": {"$ref": "#/$defs/Level", "description": "How severe"},
                "mode": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]},
                "on": {"type": "boolean"},
                "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
                "text": {"type": ["string", "null"]},
            },
            "required": ["level"],
            "$defs": {"Level": {"type": "string", "enum": ["low", "high"], "description": "A level"}},
        })
    }

    #[test]
    fn references_are_followed_and_what_is_said_beside_them_counts() {
        let spelt = spelt_out(&schema());
        assert_eq!(spelt["properties"]["level"]["enum"], json!(["low", "high"]));
        assert_eq!(spelt["properties"]["level"]["description"], "How severe");
        assert_eq!(spelt["properties"]["mode"]["type"], "string");
        assert_eq!(spelt["required"], json!(["level"]));
        let endless =
            json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}}});
        assert!(spelt_out(&endless)["properties"]["a"].is_object());
    }

    #[test]
    fn an_argument_has_the_choices_that_its_schema_names() {
        assert_eq!(choices(&schema(), "level"), ["low", "high"]);
        assert_eq!(choices(&schema(), "mode"), ["low", "high"]);
        assert_eq!(choices(&schema(), "on"), ["false", "true"]);
        for name in ["tags", "text", "nothing"] {
            assert_eq!(choices(&schema(), name), [""; 0], "{name}");
        }
    }

    #[test]
    fn a_form_asks_for_what_is_missing() {
        let form = missing(&schema(), &["level", "tags"]);
        assert_eq!(Form::new(&form).names(), "mode, on, text");
    }
}
