//! Checking JSON against a JSON Schema that came from the server.

use hermes_types::{RawJson, schema_weight};
use serde_json::Value;

/// A compiled schema. Nothing is ever fetched: a reference out of the schema makes it unusable.
///
/// Source: `basic/index#json-schema-usage`, 2026-07-28.
#[derive(Debug)]
pub(crate) struct Schema(jsonschema::Validator);

/// What does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfit {
    /// Where: a JSON Pointer, empty for the whole.
    pub(crate) path: String,
    pub(crate) reason: String,
}

impl Schema {
    /// Compiles a schema: draft 2020-12 unless it says otherwise.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub(crate) fn compile(schema: &RawJson) -> Result<Self, String> {
        let schema: Value = schema.decode().map_err(|error| error.to_string())?;
        schema_weight(&schema).map_err(|error| error.to_string())?;
        jsonschema::validator_for(&schema).map(Self).map_err(|error| error.to_string())
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub(crate) fn check(&self, value: &RawJson) -> Result<(), Unfit> {
        let value: Value =
            value.decode().map_err(|error| Unfit { path: String::new(), reason: error.to_string() })?;
        self.0
            .validate(&value)
            .map_err(|error| Unfit { path: error.instance_path().to_string(), reason: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> Result<Schema, String> {
        Schema::compile(&RawJson::parse(text).expect("JSON"))
    }

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text).expect("JSON")
    }

    #[test]
    fn the_path_of_what_does_not_fit_is_named() {
        let schema =
            schema(r#"{"type":"object","properties":{"a":{"items":{"type":"integer"}}},"required":["a"]}"#)
                .expect("a schema");
        assert_eq!(schema.check(&raw(r#"{"a":[1,2.0]}"#)), Ok(()));
        assert_eq!(
            schema.check(&raw(r#"{"a":[1,"x"]}"#)).map_err(|unfit| unfit.path),
            Err("/a/1".to_owned())
        );
        let missing = schema.check(&raw("{}")).expect_err("a is missing");
        assert_eq!(missing.path, "");
        assert!(missing.reason.contains("\"a\""), "{}", missing.reason);
    }

    // spec: R049, R050
    #[test]
    fn a_schema_is_read_in_its_dialect_and_without_one_as_2020_12() {
        let fits = |dialect: &str| {
            let text = format!(r#"{{{dialect}"prefixItems":[{{"type":"integer"}}]}}"#);
            schema(&text).expect("a schema").check(&raw(r#"["x"]"#)).is_ok()
        };
        assert!(!fits(""));
        assert!(!fits(r#""$schema":"https://json-schema.org/draft/2020-12/schema","#));
        assert!(
            fits(r#""$schema":"http://json-schema.org/draft-07/schema#","#),
            "which has another word for it"
        );
    }

    // spec: R051, R054, R055, R057
    #[test]
    fn references_out_of_the_schema_and_unknown_dialects_are_refused_with_a_reason() {
        for text in [
            r#"{"$ref":"https://example.org/schema.json"}"#,
            r#"{"$ref":"file:///etc/passwd"}"#,
            r##"{"$ref":"#/$defs/missing"}"##,
            r#"{"$schema":"https://example.org/my-dialect"}"#,
            r#"{"type":"no such type"}"#,
        ] {
            let reason = schema(text).expect_err(text);
            assert!(!reason.is_empty(), "{text}");
        }
    }
}
