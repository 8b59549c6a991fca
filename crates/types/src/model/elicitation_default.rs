//! What a form holds before the user has touched it.

use crate::wire::Extra;
use crate::{ElicitSchema, JsonObject, NumberKind, PrimitiveSchemaDefinition, RawJson};

impl ElicitSchema {
    /// What the form is filled in with before the user has touched it: the fields that have a default, each with it.
    ///
    /// ```
    /// use hermes_types::{ElicitSchema, RawJson};
    ///
    /// let asked = r#"{"type":"object","properties":{
    ///     "seats":{"type":"integer","default":2},"name":{"type":"string"}}}"#;
    /// let form: ElicitSchema = serde_json::from_str(asked)?;
    /// let content = RawJson::encode(&form.defaults())?;
    /// assert_eq!(content.get(), r#"{"seats":2}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// Source: `client/elicitation#supported-schema-types`, 2026-07-28.
    #[must_use]
    pub fn defaults(&self) -> JsonObject {
        let defaults = self.properties.iter();
        defaults.filter_map(|(name, field)| Some((name.to_owned(), field.default_value()?))).collect()
    }
}

impl PrimitiveSchemaDefinition {
    /// What the field holds until the user changes it. A whole number is written as one.
    ///
    /// Source: `client/elicitation#supported-schema-types`, 2026-07-28.
    #[must_use]
    pub fn default_value(&self) -> Option<RawJson> {
        let default = match self {
            Self::String(schema) => RawJson::encode(schema.default.as_ref()?),
            Self::Number(schema) => match schema.default? {
                whole if schema.kind == NumberKind::Integer && whole.fract() == 0.0 => {
                    RawJson::parse(format!("{whole:.0}"))
                }
                number => RawJson::encode(&number),
            },
            Self::Boolean(schema) => RawJson::encode(&schema.default?),
            Self::SingleSelect(schema) => RawJson::encode(schema.default.as_ref()?),
            Self::TitledSingleSelect(schema) => RawJson::encode(schema.default.as_ref()?),
            Self::MultiSelect(schema) => RawJson::encode(schema.default.as_ref()?),
            Self::TitledMultiSelect(schema) => RawJson::encode(schema.default.as_ref()?),
            Self::LegacyTitled(schema) => RawJson::encode(schema.default.as_ref()?),
            Self::Unknown(raw) => return raw.decode::<Extra>().ok()?.remove("default"),
        };
        default.ok()
    }
}
