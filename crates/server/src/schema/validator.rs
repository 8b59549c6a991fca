//! Checking a value against a schema.

use std::fmt;

use hermes_types::RawJson;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::engine::Engine;
use super::everyday::{self, stranger};
use super::integers;
use super::invalid::Invalid;
use super::plain::Plain;
use super::read::read;
use super::subschemas::Subschemas;

/// The longest schema that is compiled, in bytes.
const MAX_SCHEMA_BYTES: usize = 1024 * 1024;

/// A compiled schema, or why there is none.
///
/// Nothing is ever fetched: a reference out of the schema is a flaw. Nesting is bounded by the JSON parser
/// (128 levels), for schemas and for values.
///
/// Source: `basic/index#json-schema-usage`, 2026-07-28.
pub(crate) struct Validator(Result<Compiled, String>);

struct Compiled {
    /// Who checks; without it, the schema is one of everyday keywords.
    engine: Option<Engine>,
    subschemas: Subschemas,
    /// Whether the schema wants an integer anywhere.
    has_integers: bool,
    /// Knows most values that fit from their text, if the schema asks for little.
    plain: Option<Plain>,
}

impl Validator {
    /// Compiles a schema. Without `$schema` it is read as draft 2020-12; `format` is an annotation.
    pub(crate) fn new(schema: &RawJson) -> Self {
        Self::compile(schema, false)
    }

    /// Compiles a schema whose `format`s are checked too.
    pub(crate) fn with_formats(schema: &RawJson) -> Self {
        Self::compile(schema, true)
    }

    fn compile(schema: &RawJson, formats: bool) -> Self {
        let text = schema.get();
        if text.len() > MAX_SCHEMA_BYTES {
            let bytes = text.len();
            return Self(Err(format!("it has {bytes} bytes; at most {MAX_SCHEMA_BYTES} are compiled")));
        }
        let schema: Value = match schema.decode() {
            Ok(schema) => schema,
            Err(error) => return Self(Err(error.to_string())),
        };
        // What is everyday is in order, and needs nothing to be compiled.
        let engine = stranger(&schema, formats).map(|_| Engine::compile(&schema, formats)).transpose();
        Self(engine.map(|engine| {
            let (has_integers, plain) = (text.contains("integer"), Plain::of(&schema));
            Compiled { engine, subschemas: Subschemas::new(schema), has_integers, plain }
        }))
    }

    /// Why nothing can be checked against this schema.
    pub(crate) fn flaw(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }

    /// Checks a value. Gives the text to read from where that is another than the value's own: the schema wants an
    /// integer and an integral float stands.
    ///
    /// # Errors
    /// What is wrong, with the path of each problem; or that the schema has a flaw.
    pub(crate) fn check(&self, value: &str) -> Result<Option<RawJson>, Invalid> {
        let compiled = match &self.0 {
            Ok(compiled) => compiled,
            Err(flaw) => return Err(Invalid::Schema { flaw: flaw.clone() }),
        };
        if compiled.plain.as_ref().is_some_and(|plain| plain.fits(value)) {
            return Ok(None);
        }
        let parsed: Value = read(value)?;
        match &compiled.engine {
            None => everyday::check(compiled.subschemas.root(), &parsed)?,
            Some(engine) => engine.check(&parsed)?,
        }
        if !compiled.has_integers {
            return Ok(None);
        }
        Ok(integers::rewrite(value, &compiled.subschemas).and_then(|text| RawJson::parse(text).ok()))
    }

    /// Checks a value and reads it into a type. An empty object also stands for the unit type.
    ///
    /// # Errors
    /// As [`check`](Self::check); or the type wants more than the schema says, with the path of where.
    pub(crate) fn decode<T: DeserializeOwned>(&self, value: &str) -> Result<T, Invalid> {
        let rewritten = self.check(value)?;
        let text = rewritten.as_ref().map_or(value, RawJson::get);
        read(text).or_else(|invalid| match serde_json::from_str::<T>("null") {
            Ok(unit) if is_empty_object(text) => Ok(unit),
            _ => Err(invalid),
        })
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("flaw", &self.flaw()).finish_non_exhaustive()
    }
}

fn is_empty_object(text: &str) -> bool {
    let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inside.is_some_and(|inside| inside.trim_ascii().is_empty())
}
