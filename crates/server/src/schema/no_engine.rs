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
