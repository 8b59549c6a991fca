//! JSON Schemas: made from Rust types, and checked against.
//!
//! The seam to the rest of the crate:
//!
//! * `input_schema::<T>()` and `output_schema::<T>()` make a schema once, at registration (draft 2020-12,
//!   subschemas inlined, the input's root always `type: object`).
//! * `Validator::new(&schema)` compiles once and never fails: a schema that cannot be compiled (an
//!   unresolved or remote `$ref`, an unknown dialect) makes a validator whose every check is refused with
//!   the reason, so that one bad tool does not spoil the others.
//! * `validator.check(&arguments)` gives the text to decode from, with integral floats written as integers
//!   where the schema wants an integer, or what is wrong, each with its path.

use hermes_types::RawJson;
use schemars::JsonSchema;

/// The schema of a tool's arguments.
pub(crate) fn input_schema<T: JsonSchema>() -> RawJson {
    let schema =
        schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    RawJson::encode(&schema).unwrap_or_else(|_| RawJson::empty_object())
}

/// The schema of a tool's structured result.
pub(crate) fn output_schema<T: JsonSchema>() -> RawJson {
    input_schema::<T>()
}

/// A compiled schema.
pub(crate) struct Validator(Result<jsonschema::Validator, String>);

impl Validator {
    /// Compiles a schema.
    pub(crate) fn new(schema: &RawJson) -> Self {
        Self(
            schema
                .decode::<serde_json::Value>()
                .map_err(|error| error.to_string())
                .and_then(|value| jsonschema::validator_for(&value).map_err(|error| error.to_string())),
        )
    }

    /// Checks a value; gives the text to decode from.
    ///
    /// # Errors
    /// What is wrong, with the path of each fault.
    pub(crate) fn check(&self, value: &RawJson) -> Result<RawJson, String> {
        let validator = self.0.as_ref().map_err(Clone::clone)?;
        let parsed: serde_json::Value = value.decode().map_err(|error| error.to_string())?;
        validator
            .validate(&parsed)
            .map(|()| value.clone())
            .map_err(|error| format!("{}: {error}", error.instance_path()))
    }
}
