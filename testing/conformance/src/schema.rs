//! Tools that bring their own JSON Schema.

use hermes::types::{RawJson, Tool};
use hermes::{Context, Server};

/// Keywords of JSON Schema 2020-12 that no type makes: clients must get them as they stand here.
const SCHEMA: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
}"##;

/// Adds the tool.
///
/// # Errors
/// The schema is no JSON.
pub(crate) fn register(server: Server) -> serde_json::Result<Server> {
    let mut tool = Tool::new("json_schema_2020_12_tool", RawJson::parse(SCHEMA)?);
    tool.description = Some("Has a schema with the keywords of JSON Schema 2020-12".to_owned());
    Ok(server.raw_tool(tool, |arguments: RawJson, _: Context| async move { arguments.get().to_owned() }))
}
