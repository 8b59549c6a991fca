//! What stands in for the engine in a build without it: no schema that wants one can be checked.

use serde_json::Value;

use super::everyday::stranger;
use super::invalid::Invalid;

/// Whether there is no schema that this build cannot check.
pub(crate) const IS_COMPLETE: bool = false;

/// A compiled schema: there is none.
pub(super) enum Engine {}

impl Engine {
    /// Says what an engine is wanted for.
    ///
    /// # Errors
    /// Always.
    pub(super) fn compile(schema: &Value, formats: bool) -> Result<Self, String> {
        let keyword = stranger(schema, formats).unwrap_or("pattern");
        Err(format!(
            "it has `{keyword}`, or has it so, as only the feature `json-schema` can check: switch it on"
        ))
    }

    /// Whether a value fits.
    pub(super) fn fits(&self, _: &Value) -> bool {
        match *self {}
    }

    /// Checks a value.
    ///
    /// # Errors
    /// None: there is nothing to check with.
    pub(super) fn check(&self, _: &Value) -> Result<(), Invalid> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use hermes_types::{RawJson, Tool};
    use serde_json::json;

    use crate::server::Server;

    fn server(schema: &serde_json::Value) -> Server {
        let schema = RawJson::encode(schema).expect("JSON");
        Server::new("demo", "0.1.0").raw_tool(Tool::new("take", schema), |_: RawJson, _| async { "taken" })
    }

    #[test]
    fn a_schema_that_cannot_be_checked_is_a_flaw_of_the_server() {
        let flaws = server(&json!({ "type": "object", "minProperties": 1 })).check().expect_err("unchecked");
        let said = flaws.to_string();
        assert!(said.contains("`minProperties`") && said.contains("`json-schema`"), "{said}");
    }

    #[test]
    fn a_schema_of_everyday_keywords_needs_no_engine() {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "items": {} } } });
        assert_eq!(server(&schema).check(), Ok(()));
    }
}
