//! JSON text that passes through unchanged.

use std::fmt;

use memchr::memchr2;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A piece of JSON kept as its text, so that nothing in it is rounded, reordered or lost.
///
/// Arguments, structured results, schemas and unknown members travel as `RawJson`: a 64-bit integer, a
/// `30.0` or a member that nobody here knows comes out as it went in. White space between tokens is
/// not kept where it contains a line break, because one message is one line on byte-stream transports.
///
/// ```
/// use hermes_types::RawJson;
///
/// let raw: RawJson = serde_json::from_str("{\"n\": 9007199254740993}")?;
/// assert_eq!(raw.get(), "{\"n\": 9007199254740993}");
/// assert_eq!(RawJson::parse("[1,\n 2]")?.get(), "[1,2]");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Takes over JSON text after checking that it is one valid JSON value.
    ///
    /// # Errors
    /// The text is not valid JSON; the error says where.
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self::from)
    }

    /// Encodes a value.
    ///
    /// # Errors
    /// The value cannot be written as JSON, for example a map whose keys are not strings.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::from)
    }

    /// The empty object, `{}`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self(RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// The value `null`.
    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The JSON as `serde_json` knows it.
    #[must_use]
    pub const fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// Decodes the text into a type.
    ///
    /// # Errors
    /// The text does not fit the type.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Whether the text is a JSON object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }

    /// Whether the text is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.get() == "null"
    }
}

/// Whether there are any; in a valid text they stand between tokens.
pub(crate) fn has_line_breaks(json: &RawValue) -> bool {
    memchr2(b'\n', b'\r', json.get().as_bytes()).is_some()
}

/// Drops white space outside strings; the text is known to be valid JSON.
fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
    out
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        if !has_line_breaks(&raw) {
            return Self(raw);
        }
        // Compacting valid JSON leaves valid JSON; should that ever fail, the original is still right.
        Self(RawValue::from_string(compact(raw.get())).unwrap_or(raw))
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self::from(raw.to_owned())
    }
}

impl TryFrom<&serde_json::Value> for RawJson {
    type Error = serde_json::Error;

    fn try_from(value: &serde_json::Value) -> Result<Self, serde_json::Error> {
        Self::encode(value)
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJson {}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_unknown_escapes_keep_their_text() -> Result<(), serde_json::Error> {
        for text in [
            "9007199254740993",
            "-7108510333361982070",
            "18446744073709551615",
            "30.0",
            "1e400",
            "\"\\u00e9\"",
        ] {
            let raw: RawJson = serde_json::from_str(text)?;
            assert_eq!(serde_json::to_string(&raw)?, text);
        }
        Ok(())
    }

    #[test]
    fn no_line_break_survives_outside_strings() -> Result<(), serde_json::Error> {
        let raw: RawJson = serde_json::from_str("{\n \"a\\\"\\n\" :\r\n [ 1 , \"x y\" ]\n}")?;
        assert_eq!(raw.get(), "{\"a\\\"\\n\":[1,\"x y\"]}");
        Ok(())
    }

    #[test]
    fn text_that_is_not_json_is_refused() {
        assert!(RawJson::parse("{").is_err());
        assert!(RawJson::parse("1 2").is_err());
    }
}
