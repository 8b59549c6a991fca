//! Taking the marks for headers away from a schema that has them wrong.

use serde_json::Value;

const MARK: &str = "x-mcp-header";

/// Members that hold schemas by names which their author chose.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Members that hold values, which are no schemas.
const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

/// A schema without its marks, wherever they stand; nothing else changes.
pub(crate) fn unmarked(mut schema: Value) -> Value {
    take_away(&mut schema);
    schema
}

fn take_away(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.shift_remove(MARK);
            for (name, member) in members {
                match (NAMED.contains(&name.as_str()), member) {
                    (true, Value::Object(named)) => named.values_mut().for_each(take_away),
                    (_, member) if !VALUES.contains(&name.as_str()) => take_away(member),
                    _ => {}
                }
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(take_away),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_go_wherever_they_stand_and_names_and_values_that_look_like_them_stay() {
        let schema = json!({
            "x-mcp-header": "Top",
            "type": "object",
            "properties": {
                "x-mcp-header": { "type": "string", "x-mcp-header": "A" },
                "list": { "items": [{ "x-mcp-header": "B" }] },
                "fixed": { "const": { "x-mcp-header": "a value" } },
            },
            "anyOf": [{ "$defs": { "n": { "x-mcp-header": 5 } } }],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "x-mcp-header": { "type": "string" },
                "list": { "items": [{}] },
                "fixed": { "const": { "x-mcp-header": "a value" } },
            },
            "anyOf": [{ "$defs": { "n": {} } }],
        });
        assert_eq!(unmarked(schema), expected);
    }
}
