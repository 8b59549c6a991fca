//! The fields of a form: the few JSON Schemas that elicitation allows.

use serde::{Deserialize, Deserializer, Serializer};
use serde_json::value::RawValue;

use crate::wire::{Encode, Extra, members_of};
use crate::{RawJson, Revision};

/// One field of a form.
///
/// The kind follows from `type` and from the member that lists the choices; a schema that fits none of
/// them stays as it came.
///
/// Source: `client/elicitation#supported-schema-types`, 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchemaDefinition {
    /// A text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of several values.
    SingleSelect(UntitledSingleSelectEnumSchema),
    /// One of several values with titles; since 2025-11-25.
    TitledSingleSelect(TitledSingleSelectEnumSchema),
    /// Some of several values; since 2025-11-25.
    MultiSelect(UntitledMultiSelectEnumSchema),
    /// Some of several values with titles; since 2025-11-25.
    TitledMultiSelect(TitledMultiSelectEnumSchema),
    /// One of several values with titles, in the spelling of 2025-06-18.
    LegacyTitled(LegacyTitledEnumSchema),
    /// Something else, as it came.
    Unknown(RawJson),
}

impl Encode for PrimitiveSchemaDefinition {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(schema) => schema.encode(revision, serializer),
            Self::Number(schema) => schema.encode(revision, serializer),
            Self::Boolean(schema) => schema.encode(revision, serializer),
            Self::SingleSelect(schema) => schema.encode(revision, serializer),
            Self::TitledSingleSelect(schema) => schema.encode(revision, serializer),
            Self::MultiSelect(schema) => schema.encode(revision, serializer),
            Self::TitledMultiSelect(schema) => schema.encode(revision, serializer),
            Self::LegacyTitled(schema) => schema.encode(revision, serializer),
            Self::Unknown(raw) => raw.encode(revision, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PrimitiveSchemaDefinition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let [kind, choices, names, titled, items] =
            members_of(raw.as_raw(), ["type", "enum", "enumNames", "oneOf", "items"])?;
        let kind = kind.map_or("", RawValue::get);
        let schema = match (kind, choices, titled, items) {
            ("\"boolean\"", ..) => raw.decode().map(Self::Boolean),
            ("\"number\"" | "\"integer\"", ..) => raw.decode().map(Self::Number),
            ("\"string\"", Some(_), ..) if names.is_some() => raw.decode().map(Self::LegacyTitled),
            ("\"string\"", Some(_), ..) => raw.decode().map(Self::SingleSelect),
            ("\"string\"", None, Some(_), _) => raw.decode().map(Self::TitledSingleSelect),
            ("\"string\"", None, None, _) => raw.decode().map(Self::String),
            ("\"array\"", _, _, Some(items)) => match members_of(items, ["enum", "anyOf"])? {
                [Some(_), _] => raw.decode().map(Self::MultiSelect),
                [None, Some(_)] => raw.decode().map(Self::TitledMultiSelect),
                [None, None] => return Ok(Self::Unknown(raw)),
            },
            _ => return Ok(Self::Unknown(raw)),
        };
        schema.map_err(serde::de::Error::custom)
    }
}

/// Lets the schemas stand where a field is asked for.
macro_rules! field {
    ($($variant:ident($Name:ident)),*) => {$(
        impl From<$Name> for PrimitiveSchemaDefinition {
            fn from(schema: $Name) -> Self {
                Self::$variant(schema)
            }
        }

        setters! { $Name {
            /// Sets the label.
            with_title => title: String;
            /// Says what to fill in.
            with_description => description: String;
        } }
    )*};
}

field! {
    String(StringSchema),
    Number(NumberSchema),
    Boolean(BooleanSchema),
    SingleSelect(UntitledSingleSelectEnumSchema),
    TitledSingleSelect(TitledSingleSelectEnumSchema),
    MultiSelect(UntitledMultiSelectEnumSchema),
    TitledMultiSelect(TitledMultiSelectEnumSchema),
    LegacyTitled(LegacyTitledEnumSchema)
}

wire! {
    /// A text.
    ///
    /// Source: `schema#stringschema`, 2026-07-28.
    #[derive(Default)]
    pub struct StringSchema since V2025_06_18 tagged "type" = "string" {
        /// The label.
        title: Option<String> = "title";
        /// What to fill in.
        description: Option<String> = "description";
        /// The fewest characters.
        min_length: Option<u64> = "minLength";
        /// The most characters.
        max_length: Option<u64> = "maxLength";
        /// What it has to look like.
        format: Option<StringFormat> = "format";
        /// What is filled in at first.
        default: Option<String> = "default", since V2025_11_25;
    }
}

words! {
    /// What a text has to look like.
    ///
    /// Source: `schema#stringschema`, 2026-07-28.
    pub enum StringFormat {
        /// A mail address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date.
        Date = "date",
        /// A date with a time.
        DateTime = "date-time",
    }
}

wire! {
    /// A number.
    ///
    /// Source: `schema#numberschema`, 2026-07-28.
    pub struct NumberSchema since V2025_06_18 {
        /// With or without fractions.
        kind: NumberKind = "type";
        /// The label.
        title: Option<String> = "title";
        /// What to fill in.
        description: Option<String> = "description";
        /// The least value.
        minimum: Option<f64> = "minimum";
        /// The greatest value.
        maximum: Option<f64> = "maximum";
        /// What is filled in at first.
        default: Option<f64> = "default", since V2025_11_25;
    }
}

impl NumberSchema {
    /// A number.
    #[must_use]
    pub const fn new(kind: NumberKind) -> Self {
        Self {
            kind,
            title: None,
            description: None,
            minimum: None,
            maximum: None,
            default: None,
            extra: Extra::new(),
        }
    }
}

words! {
    /// With or without fractions.
    ///
    /// Source: `schema#numberschema`, 2026-07-28.
    pub enum NumberKind {
        /// With.
        Number = "number",
        /// Without.
        Integer = "integer",
    }
}

wire! {
    /// Yes or no.
    ///
    /// Source: `schema#booleanschema`, 2026-07-28.
    #[derive(Default)]
    pub struct BooleanSchema since V2025_06_18 tagged "type" = "boolean" {
        /// The label.
        title: Option<String> = "title";
        /// What to say yes or no to.
        description: Option<String> = "description";
        /// What is chosen at first.
        default: Option<bool> = "default";
    }
}

wire! {
    /// One of several values.
    ///
    /// Source: `schema#untitledsingleselectenumschema`, 2026-07-28.
    pub struct UntitledSingleSelectEnumSchema since V2025_06_18 tagged "type" = "string" {
        /// The label.
        title: Option<String> = "title";
        /// What to choose.
        description: Option<String> = "description";
        /// The values.
        values: Vec<String> = "enum";
        /// What is chosen at first.
        default: Option<String> = "default", since V2025_11_25;
    }
}

impl UntitledSingleSelectEnumSchema {
    /// One of these.
    #[must_use]
    pub const fn new(values: Vec<String>) -> Self {
        Self { title: None, description: None, values, default: None, extra: Extra::new() }
    }
}

wire! {
    /// One of several values with titles.
    ///
    /// Source: `schema#titledsingleselectenumschema`, 2026-07-28.
    pub struct TitledSingleSelectEnumSchema since V2025_11_25 tagged "type" = "string" {
        /// The label.
        title: Option<String> = "title";
        /// What to choose.
        description: Option<String> = "description";
        /// The values and what is shown for them.
        one_of: Vec<EnumOption> = "oneOf";
        /// What is chosen at first.
        default: Option<String> = "default";
    }
}

impl TitledSingleSelectEnumSchema {
    /// One of these.
    #[must_use]
    pub const fn new(one_of: Vec<EnumOption>) -> Self {
        Self { title: None, description: None, one_of, default: None, extra: Extra::new() }
    }
}

wire! {
    /// A value to choose and what is shown for it.
    ///
    /// Source: `schema#titledsingleselectenumschema`, 2026-07-28.
    pub struct EnumOption since V2025_11_25 {
        /// The value.
        value: String = "const";
        /// What is shown.
        title: String = "title";
    }
}

impl EnumOption {
    /// A value and what is shown for it.
    #[must_use]
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self { value: value.into(), title: title.into(), extra: Extra::new() }
    }
}

wire! {
    /// Some of several values.
    ///
    /// Source: `schema#untitledmultiselectenumschema`, 2026-07-28.
    pub struct UntitledMultiSelectEnumSchema since V2025_11_25 tagged "type" = "array" {
        /// The label.
        title: Option<String> = "title";
        /// What to choose.
        description: Option<String> = "description";
        /// The fewest values.
        min_items: Option<u64> = "minItems";
        /// The most values.
        max_items: Option<u64> = "maxItems";
        /// The values.
        items: UntitledItems = "items";
        /// What is chosen at first.
        default: Option<Vec<String>> = "default";
    }
}

impl UntitledMultiSelectEnumSchema {
    /// Some of these.
    #[must_use]
    pub const fn new(values: Vec<String>) -> Self {
        Self {
            title: None,
            description: None,
            min_items: None,
            max_items: None,
            items: UntitledItems { values, extra: Extra::new() },
            default: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The values to choose from.
    ///
    /// Source: `schema#untitledmultiselectenumschema`, 2026-07-28.
    pub struct UntitledItems since V2025_11_25 tagged "type" = "string" {
        /// The values.
        values: Vec<String> = "enum";
    }
}

wire! {
    /// Some of several values with titles.
    ///
    /// Source: `schema#titledmultiselectenumschema`, 2026-07-28.
    pub struct TitledMultiSelectEnumSchema since V2025_11_25 tagged "type" = "array" {
        /// The label.
        title: Option<String> = "title";
        /// What to choose.
        description: Option<String> = "description";
        /// The fewest values.
        min_items: Option<u64> = "minItems";
        /// The most values.
        max_items: Option<u64> = "maxItems";
        /// The values and what is shown for them.
        items: TitledItems = "items";
        /// What is chosen at first.
        default: Option<Vec<String>> = "default";
    }
}

impl TitledMultiSelectEnumSchema {
    /// Some of these.
    #[must_use]
    pub const fn new(any_of: Vec<EnumOption>) -> Self {
        Self {
            title: None,
            description: None,
            min_items: None,
            max_items: None,
            items: TitledItems { any_of, extra: Extra::new() },
            default: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The values to choose from, with their titles.
    ///
    /// Source: `schema#titledmultiselectenumschema`, 2026-07-28.
    pub struct TitledItems since V2025_11_25 {
        /// The values and what is shown for them.
        any_of: Vec<EnumOption> = "anyOf";
    }
}

wire! {
    /// One of several values with titles, in the spelling that 2025-06-18 has.
    ///
    /// Source: `schema#legacytitledenumschema`, 2026-07-28 (`enumschema` in 2025-06-18).
    pub struct LegacyTitledEnumSchema since V2025_06_18 tagged "type" = "string" {
        /// The label.
        title: Option<String> = "title";
        /// What to choose.
        description: Option<String> = "description";
        /// The values.
        values: Vec<String> = "enum";
        /// What is shown for them, in the same order.
        names: Option<Vec<String>> = "enumNames";
        /// What is chosen at first.
        default: Option<String> = "default", since V2025_11_25;
    }
}

impl LegacyTitledEnumSchema {
    /// One of these, shown by these names.
    #[must_use]
    pub const fn new(values: Vec<String>, names: Vec<String>) -> Self {
        Self {
            title: None,
            description: None,
            values,
            names: Some(names),
            default: None,
            extra: Extra::new(),
        }
    }
}
