//! Taking a schema at its word: what it does not list is not there.

use serde_json::{Map, Value, json};

/// What JSON Schemas and metadata hold is not for the protocol's schemas to list.
const OPEN: [&str; 3] = ["_meta", "inputSchema", "outputSchema"];

/// Closes every object of the definitions that lists its members and does not say that it has others.
///
/// The official schemas allow unknown members nearly everywhere, so that newer peers can be understood. A message
/// with a member that its revision lacks would pass unseen.
pub(crate) fn close(definitions: &mut Map<String, Value>) {
    // The oldest schemas describe messages without their envelope.
    let bare =
        definitions.get("CancelledNotification").is_some_and(|it| it["properties"]["jsonrpc"].is_null());
    for (name, definition) in definitions {
        if !name.contains("Meta") {
            close_in(definition, bare);
        }
    }
}

fn close_in(schema: &mut Value, bare: bool) {
    let Value::Object(schema) = schema else {
        if let Value::Array(schemas) = schema {
            schemas.iter_mut().for_each(|schema| close_in(schema, bare));
        }
        return;
    };
    if let Some(Value::Object(members)) = schema.get_mut("properties") {
        let open = |name: &str| OPEN.contains(&name);
        members.iter_mut().filter(|(name, _)| !open(name)).for_each(|(_, schema)| close_in(schema, bare));
        if bare && members.contains_key("method") {
            members.insert("jsonrpc".to_owned(), json!({ "const": "2.0" }));
            members.insert("id".to_owned(), json!(true));
        }
        // Every message has metadata in its parameters; the schemas do not say so each time.
        if members.contains_key("method")
            && let Some(Value::Object(params)) =
                members.get_mut("params").and_then(|it| it.get_mut("properties"))
        {
            params.entry("_meta").or_insert(json!(true));
        }
        schema.entry("additionalProperties").or_insert(json!(false));
    }
    for keyword in ["additionalProperties", "anyOf", "items", "oneOf"] {
        if let Some(schema) = schema.get_mut(keyword) {
            close_in(schema, bare);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(schema: &Value) -> Value {
        let Value::Object(mut definitions) = json!({ "X": schema }) else { return Value::Null };
        close(&mut definitions);
        definitions.remove("X").unwrap_or_default()
    }

    #[test]
    fn a_list_of_members_is_all_of_them_unless_the_schema_says_otherwise() {
        let object = json!({ "properties": { "a": {} } });
        assert_eq!(closed(&object)["additionalProperties"], false);
        assert_eq!(closed(&json!({ "items": object }))["items"]["additionalProperties"], false);
        assert_eq!(
            closed(&json!({ "properties": {}, "additionalProperties": {} }))["additionalProperties"],
            json!({})
        );
        assert_eq!(closed(&json!({ "type": "object" })).get("additionalProperties"), None);
    }

    #[test]
    fn the_parameters_of_every_message_have_metadata() {
        let message = json!({ "properties": { "method": {}, "params": { "properties": { "a": {} } } } });
        let params = &closed(&message)["properties"]["params"];
        assert_eq!(
            params,
            &json!({ "properties": { "a": {}, "_meta": true }, "additionalProperties": false })
        );
    }

    #[test]
    fn metadata_schemas_and_joined_objects_stay_open() {
        let inner = json!({ "properties": { "a": {} } });
        for schema in [
            json!({ "properties": { "_meta": inner }, "additionalProperties": {} }),
            json!({ "properties": { "inputSchema": inner }, "additionalProperties": {} }),
            json!({ "allOf": [inner] }),
        ] {
            assert_eq!(closed(&schema), schema);
        }
    }
}
