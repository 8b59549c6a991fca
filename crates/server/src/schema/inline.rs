//! A schema without references, for clients that cannot follow them.

use hermes_types::RawJson;
use serde_json::{Map, Value};

/// How many parts the result may have: references to references grow fast.
const MAX_PARTS: usize = 10_000;
/// How deep references may lead into each other.
const MAX_DEPTH: usize = 64;

/// Members that hold a value, and no schema.
const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];
/// Members that hold schemas by name.
const BY_NAME: [&str; 3] = ["dependentSchemas", "patternProperties", "properties"];
/// Where schemas are kept to be referred to.
const KEPT: [&str; 2] = ["$defs", "definitions"];

/// Puts what references refer to into their places.
///
/// What refers to itself cannot be written out: such a reference stays, with the definitions that it needs. So does the
/// whole schema when writing it out would make it too large.
pub(crate) fn inlined(schema: &RawJson) -> RawJson {
    let written = || {
        let root: Value = schema.decode().ok()?;
        let mut inlining = Inlining { root: &root, open: Vec::new(), parts: 0, is_recursive: false };
        let mut written = inlining.schema(&root)?;
        if !inlining.is_recursive
            && let Some(object) = written.as_object_mut()
        {
            object.retain(|name, _| !KEPT.contains(&name.as_str()));
        }
        RawJson::encode(&written).ok()
    };
    written().unwrap_or_else(|| schema.clone())
}

struct Inlining<'r> {
    root: &'r Value,
    /// The references that are being written out.
    open: Vec<&'r str>,
    parts: usize,
    /// Whether a reference had to stay.
    is_recursive: bool,
}

impl<'r> Inlining<'r> {
    /// `None` when it is too much.
    fn schema(&mut self, schema: &'r Value) -> Option<Value> {
        self.parts += 1;
        if self.parts > MAX_PARTS || self.open.len() > MAX_DEPTH {
            return None;
        }
        let Value::Object(members) = schema else { return Some(schema.clone()) };
        let mut written = Map::new();
        for (name, value) in members {
            let value = match name.as_str() {
                "$ref" => continue,
                name if VALUES.contains(&name) || KEPT.contains(&name) => value.clone(),
                name if BY_NAME.contains(&name) => self.each_member(value)?,
                _ => self.any(value)?,
            };
            written.insert(name.clone(), value);
        }
        let Some(Value::String(reference)) = members.get("$ref") else { return Some(Value::Object(written)) };
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(target) = target.filter(|_| !self.open.contains(&reference.as_str())) else {
            self.is_recursive = true;
            written.insert("$ref".to_owned(), reference.clone().into());
            return Some(Value::Object(written));
        };
        self.open.push(reference);
        let target = self.schema(target);
        self.open.pop();
        Some(joined(target?, written))
    }

    fn any(&mut self, value: &'r Value) -> Option<Value> {
        match value {
            Value::Array(all) => all.iter().map(|one| self.any(one)).collect::<Option<_>>().map(Value::Array),
            other => self.schema(other),
        }
    }

    fn each_member(&mut self, value: &'r Value) -> Option<Value> {
        let Value::Object(all) = value else { return Some(value.clone()) };
        let written = all.iter().map(|(name, one)| Some((name.clone(), self.schema(one)?)));
        written.collect::<Option<Map<_, _>>>().map(Value::Object)
    }
}

/// What was referred to, and what stood beside the reference.
fn joined(target: Value, beside: Map<String, Value>) -> Value {
    if beside.is_empty() {
        return target;
    }
    let says_only = |name: &String| matches!(name.as_str(), "title" | "description" | "default" | "examples");
    match target {
        // What is said at the place counts before what is said of the type.
        Value::Object(mut target)
            if beside.keys().all(|name| says_only(name) || !target.contains_key(name)) =>
        {
            target.extend(beside);
            Value::Object(target)
        }
        target => {
            let mut both = beside;
            let all = both.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(all) = all {
                all.push(target);
            }
            Value::Object(both)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(schema: &Value) -> Value {
        inlined(&RawJson::encode(schema).expect("JSON")).decode().expect("JSON")
    }

    #[test]
    fn what_is_referred_to_stands_in_its_place_with_what_is_said_there() {
        let schema = json!({
            "type": "object",
            "properties": {
                "from": { "$ref": "#/$defs/place", "description": "Where it begins" },
                "via": { "type": "array", "items": { "$ref": "#/$defs/place" } },
                "$ref": { "type": "string" },
                "default": { "$ref": "#/$defs/name" },
            },
            "default": { "$ref": "#/$defs/name" },
            "$defs": {
                "place": { "type": "object", "description": "A place", "properties": { "name": { "$ref": "#/$defs/name" } } },
                "name": { "type": "string", "minLength": 1 },
            },
        });
        let name = json!({ "type": "string", "minLength": 1 });
        let place = |description: &str| json!({ "type": "object", "description": description, "properties": { "name": name } });
        assert_eq!(
            of(&schema),
            json!({
                "type": "object",
                "properties": {
                    "from": place("Where it begins"),
                    "via": { "type": "array", "items": place("A place") },
                    "$ref": { "type": "string" },
                    "default": name,
                },
                "default": { "$ref": "#/$defs/name" },
            })
        );
    }

    #[test]
    fn what_stands_beside_a_reference_and_limits_it_holds_too() {
        let schema = json!({
            "properties": { "a": { "$ref": "#/definitions/n", "minimum": 5 }, "b": { "maximum": 9, "$ref": "#/definitions/n" } },
            "definitions": { "n": { "type": "integer", "minimum": 1 } },
        });
        let n = json!({ "type": "integer", "minimum": 1 });
        assert_eq!(
            of(&schema)["properties"],
            json!({
                "a": { "minimum": 5, "allOf": [n] },
                "b": { "type": "integer", "minimum": 1, "maximum": 9 },
            })
        );
    }

    #[test]
    fn what_refers_to_itself_keeps_its_definition() {
        let tree = json!({ "type": "object", "properties": { "children": { "items": { "$ref": "#/$defs/tree" } } } });
        let schema =
            json!({ "properties": { "root": { "$ref": "#/$defs/tree" } }, "$defs": { "tree": tree } });
        let written = of(&schema);
        assert_eq!(written["properties"]["root"], tree);
        assert_eq!(written["$defs"]["tree"], tree);
        let far = json!({ "properties": { "a": { "$ref": "https://example.org/a.json" } } });
        assert_eq!(of(&far), far);
    }

    #[test]
    fn a_schema_that_would_grow_beyond_bounds_stays_as_it_was() {
        let twice = |n: u32| {
            let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
            (format!("d{n}"), json!({ "properties": { "a": next, "b": next } }))
        };
        let mut definitions: Map<String, Value> = (0..40).map(twice).collect();
        definitions.insert("d40".to_owned(), json!({}));
        let schema = json!({ "$ref": "#/$defs/d0", "$defs": definitions });
        assert_eq!(of(&schema), schema);
    }
}
