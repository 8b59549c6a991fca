//! How much work a JSON Schema from a stranger can make.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// How many places a schema may have when its references are written out.
const PLACES: u64 = 100_000;

/// How long a chain of references and subschemas may be.
const DEPTH: usize = 400;

/// A schema that would take for ever to check anything against.
///
/// A few lines can say more than any machine can do: a definition that refers twice to the next, thirty times over,
/// stands for a thousand million checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooHeavy;

impl fmt::Display for TooHeavy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it refers to itself too often to be checked in any time")
    }
}

impl std::error::Error for TooHeavy {}

/// Counts the places of a schema with its references written out. A reference back to where it stands counts once.
///
/// ```
/// use hermes_types::schema_weight;
/// use serde_json::json;
///
/// assert_eq!(schema_weight(&json!({ "type": "string" })), Ok(2));
/// ```
///
/// # Errors
/// [`TooHeavy`]: refuse it, and do not compile it.
pub fn schema_weight(schema: &Value) -> Result<u64, TooHeavy> {
    let mut scale = Scale { root: schema, anchors: BTreeMap::new(), known: BTreeMap::new() };
    scale.gather(schema, 0)?;
    scale.weigh(schema, 0)
}

struct Scale<'a> {
    root: &'a Value,
    /// The places that have a name of their own.
    anchors: BTreeMap<&'a str, &'a Value>,
    /// What references weigh; `None` while that is being found out.
    known: BTreeMap<&'a str, Option<u64>>,
}

impl<'a> Scale<'a> {
    fn gather(&mut self, value: &'a Value, depth: usize) -> Result<(), TooHeavy> {
        if depth > DEPTH {
            return Err(TooHeavy);
        }
        match value {
            Value::Object(members) => {
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = members.get(key).and_then(Value::as_str) {
                        self.anchors.insert(name, value);
                    }
                }
                members.values().try_for_each(|member| self.gather(member, depth + 1))
            }
            Value::Array(entries) => entries.iter().try_for_each(|entry| self.gather(entry, depth + 1)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn weigh(&mut self, value: &'a Value, depth: usize) -> Result<u64, TooHeavy> {
        if depth > DEPTH {
            return Err(TooHeavy);
        }
        let mut weight: u64 = 1;
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let added = match (key.as_str(), member.as_str()) {
                        ("$ref" | "$dynamicRef", Some(reference)) => self.refer(reference, depth)?,
                        // They weigh where they are referred to.
                        ("$defs" | "definitions", None) => 0,
                        _ => self.weigh(member, depth + 1)?,
                    };
                    weight = weight.saturating_add(added);
                }
            }
            Value::Array(entries) => {
                for entry in entries {
                    weight = weight.saturating_add(self.weigh(entry, depth + 1)?);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        if weight > PLACES { Err(TooHeavy) } else { Ok(weight) }
    }

    fn refer(&mut self, reference: &'a str, depth: usize) -> Result<u64, TooHeavy> {
        match self.known.get(reference) {
            Some(known) => return Ok(known.unwrap_or(1)),
            None => self.known.insert(reference, None),
        };
        let target = match reference.strip_prefix('#') {
            Some("") => Some(self.root),
            Some(pointer) if pointer.starts_with('/') => self.root.pointer(pointer),
            Some(name) => self.anchors.get(name).copied(),
            // Out of the schema: it is refused elsewhere.
            None => None,
        };
        let weight = target.map_or(Ok(1), |target| self.weigh(target, depth + 1))?;
        self.known.insert(reference, Some(weight));
        Ok(weight)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Definitions each of which refers to the next in this way.
    fn chain(length: usize, link: impl Fn(&str) -> Value) -> Value {
        let mut definitions = serde_json::Map::new();
        for number in 0..length {
            definitions.insert(format!("d{number}"), link(&format!("#/$defs/d{}", number + 1)));
        }
        definitions.insert(format!("d{length}"), json!({ "type": "string" }));
        json!({ "$ref": "#/$defs/d0", "$defs": definitions })
    }

    #[test]
    fn what_doubles_and_doubles_again_is_refused_at_once() {
        let doubled = |next: &str| json!({ "allOf": [{ "$ref": next }, { "$ref": next }] });
        assert!(schema_weight(&chain(5, doubled)).is_ok());
        assert_eq!(schema_weight(&chain(30, doubled)), Err(TooHeavy));
        assert_eq!(schema_weight(&chain(100_000, doubled)), Err(TooHeavy));
        let named = json!({
            "$defs": { "a": { "$anchor": "a", "anyOf": (0..400).map(|_| json!({ "$ref": "#b" })).collect::<Vec<_>>() },
                       "b": { "$anchor": "b", "anyOf": (0..400).map(|_| json!({ "minLength": 1 })).collect::<Vec<_>>() } },
            "$ref": "#a",
        });
        assert_eq!(schema_weight(&named), Err(TooHeavy));
    }

    #[test]
    fn schemas_as_people_write_them_are_not() {
        let tree = json!({
            "$ref": "#/$defs/node",
            "$defs": { "node": { "type": "object", "properties": {
                "left": { "$ref": "#/$defs/node" }, "right": { "$ref": "#/$defs/node" }, "self": { "$ref": "#" },
            } } },
        });
        assert!(schema_weight(&tree).is_ok());
        assert!(
            schema_weight(&chain(100, |next| json!({ "properties": { "next": { "$ref": next } } }))).is_ok()
        );
        let wide: serde_json::Map<_, _> =
            (0..2000).map(|n| (format!("p{n}"), json!({ "type": "string", "description": "x" }))).collect();
        assert!(schema_weight(&json!({ "type": "object", "properties": wide })).is_ok());
    }
}
