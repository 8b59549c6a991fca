//! Which parts of a schema apply to which part of a value.

use std::collections::HashMap;

use serde_json::Value;

use super::engine::Engine;

/// How many subschemas one place of a value is followed into. Real schemas have a handful.
const MAX_PER_PLACE: usize = 256;

/// All schemas that may apply to one place of a value: the one that stands there, and whatever it refers
/// to or combines. `not` is left out: what stands there does not hold.
pub(super) type Place<'s> = Vec<&'s Value>;

/// A schema and how to follow it.
pub(super) struct Subschemas {
    root: Value,
    /// One validator for each pattern in `patternProperties`; it has the dialect of the real ones.
    patterns: HashMap<String, Engine>,
}

impl Subschemas {
    pub(super) fn new(root: Value) -> Self {
        let mut patterns = HashMap::new();
        collect_patterns(&root, &mut patterns);
        Self { root, patterns }
    }

    /// The schema itself.
    pub(super) const fn root(&self) -> &Value {
        &self.root
    }

    /// What applies to the whole value.
    pub(super) fn whole(&self) -> Place<'_> {
        self.expand([&self.root])
    }

    /// What applies to a member of an object.
    pub(super) fn member<'s>(&'s self, object: &[&'s Value], name: &str) -> Place<'s> {
        let mut place = Vec::new();
        for schema in object {
            let listed = schema.get("properties").and_then(|all| all.get(name));
            place.extend(listed);
            let mut known = listed.is_some();
            if let Some(Value::Object(by_pattern)) = schema.get("patternProperties") {
                for (pattern, schema) in by_pattern {
                    let matches = |one: &Engine| one.fits(&Value::from(name));
                    if self.patterns.get(pattern).is_some_and(matches) {
                        place.push(schema);
                        known = true;
                    }
                }
            }
            if !known {
                place.extend(schema.get("additionalProperties"));
                place.extend(schema.get("unevaluatedProperties"));
            }
        }
        self.expand(place)
    }

    /// What applies to an element of an array.
    pub(super) fn element<'s>(&'s self, array: &[&'s Value], index: usize) -> Place<'s> {
        let mut place = Vec::new();
        for schema in array {
            // Before 2020-12, `items` was the list and `additionalItems` the rest.
            let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
                (None, Some(first @ Value::Array(_))) => (Some(first), schema.get("additionalItems")),
                (first, rest) => (first, rest),
            };
            let first = first.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            match first.get(index) {
                Some(schema) => place.push(schema),
                None => place.extend(rest.or_else(|| schema.get("unevaluatedItems"))),
            }
        }
        self.expand(place)
    }

    /// Follows references and combinations, each schema once.
    fn expand<'s>(&'s self, schemas: impl IntoIterator<Item = &'s Value>) -> Place<'s> {
        let mut place: Place<'s> = Vec::new();
        let mut waiting: Vec<&Value> = schemas.into_iter().collect();
        while let Some(schema) = waiting.pop() {
            let is_known = place.iter().any(|known| std::ptr::eq(*known, schema));
            if is_known || !schema.is_object() || place.len() >= MAX_PER_PLACE {
                continue;
            }
            place.push(schema);
            if let Some(Value::String(reference)) = schema.get("$ref") {
                waiting.extend(reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)));
            }
            for list in ["allOf", "anyOf", "oneOf"] {
                waiting.extend(schema.get(list).and_then(Value::as_array).into_iter().flatten());
            }
            for one in ["if", "then", "else"] {
                waiting.extend(schema.get(one));
            }
            if let Some(Value::Object(dependent)) = schema.get("dependentSchemas") {
                waiting.extend(dependent.values());
            }
        }
        place
    }
}

fn collect_patterns(root: &Value, patterns: &mut HashMap<String, Engine>) {
    let mut waiting = vec![root];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(all) => waiting.extend(all),
            Value::Object(all) => {
                if let Some(Value::Object(by_pattern)) = all.get("patternProperties") {
                    for pattern in by_pattern.keys() {
                        let schema = serde_json::json!({ "pattern": pattern });
                        if let Ok(engine) = Engine::compile(&schema, false) {
                            patterns.insert(pattern.clone(), engine);
                        }
                    }
                }
                waiting.extend(all.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
