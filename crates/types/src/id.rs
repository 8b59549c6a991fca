//! Request ids and progress tokens: strings or integers, echoed exactly.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The longest id that is accepted, in bytes of its JSON text.
pub const MAX_ID_BYTES: usize = 4096;

/// The id of a request: a string or an integer. A string `"1"` is not the integer `1`.
///
/// Integers of any size keep their digits.
///
/// ```
/// use hermes_types::RequestId;
///
/// let big: RequestId = serde_json::from_str("18446744073709551616")?;
/// assert_eq!(serde_json::to_string(&big)?, "18446744073709551616");
/// assert_ne!(RequestId::from(1), RequestId::from("1"));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Source: `basic/index`, 2026-07-28 (`basic/messages` in 2024-11-05).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(Repr);

/// A token that ties progress notifications to a request: a string or an integer.
pub type ProgressToken = RequestId;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Integer(i64),
    /// Canonical digits of an integer outside `i64`.
    Big(Box<str>),
    Text(Box<str>),
}

/// Why a JSON value is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadId {
    /// It is neither a string nor an integer.
    Kind,
    /// It is longer than [`MAX_ID_BYTES`].
    Length,
}

impl fmt::Display for BadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind => f.write_str("an id is a string or an integer"),
            Self::Length => write!(f, "an id has at most {MAX_ID_BYTES} bytes"),
        }
    }
}

impl std::error::Error for BadId {}

impl RequestId {
    /// Reads an id from its JSON text.
    ///
    /// # Errors
    /// [`BadId`] when the text is no string and no integer (`null`, `1.5`, `true`, `{}`), or too long.
    pub fn from_raw(raw: &RawValue) -> Result<Self, BadId> {
        let text = raw.get();
        if text.len() > MAX_ID_BYTES {
            return Err(BadId::Length);
        }
        if text.starts_with('"') {
            let text: String = serde_json::from_str(text).map_err(|_| BadId::Kind)?;
            return Ok(Self(Repr::Text(text.into())));
        }
        // Parsing stops at the digit that is one too many, whatever follows: a fraction or exponent is seen here.
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BadId::Kind);
        }
        Ok(Self(text.parse().map_or_else(|_| Repr::Big(text.into()), Repr::Integer)))
    }

    /// The number, when the id is an integer that fits.
    #[must_use]
    pub const fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Integer(number) => Some(*number),
            Repr::Big(_) | Repr::Text(_) => None,
        }
    }

    /// The text, when the id is a string.
    #[must_use]
    pub const fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Text(text) => Some(text),
            Repr::Integer(_) | Repr::Big(_) => None,
        }
    }
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self(Repr::Integer(number))
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self(Repr::Text(text.into()))
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        Self(Repr::Text(text.into()))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Integer(number) => write!(f, "{number}"),
            Repr::Big(digits) => f.write_str(digits),
            Repr::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Integer(number) => serializer.serialize_i64(*number),
            Repr::Text(text) => serializer.serialize_str(text),
            // The digits are valid JSON, kept as text because no machine integer holds them.
            Repr::Big(digits) => match serde_json::from_str::<&RawValue>(digits) {
                Ok(raw) => raw.serialize(serializer),
                Err(_) => serializer.serialize_str(digits),
            },
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_raw(&raw).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: R002, R006
    #[test]
    fn b023_ids_come_back_with_their_type() {
        for text in ["0", "-7", "42", "\"1\"", "\"\"", "\"req-abc\"", "\"日本\"", "\"a\\\"b\""] {
            let id: RequestId = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&id).expect(text), text);
        }
        assert_ne!(RequestId::from(1), RequestId::from("1"));
    }

    #[test]
    fn b024_integer_ids_of_any_size_keep_their_digits() {
        for text in
            ["9007199254740993", "-9223372036854775808", "18446744073709551616", "-99999999999999999999"]
        {
            let id: RequestId = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&id).expect(text), text);
            assert_eq!(id.to_string(), text);
        }
    }

    // spec: R003
    #[test]
    fn b025_other_kinds_of_value_are_no_ids() {
        for text in [
            "null",
            "1.5",
            "1.0",
            "1e2",
            "true",
            "{\"a\":[]}",
            "[]",
            "99999999999999999999.5",
            "-9999999999999999999e9",
        ] {
            let raw: Box<RawValue> = serde_json::from_str(text).expect(text);
            assert_eq!(RequestId::from_raw(&raw), Err(BadId::Kind), "{text}");
        }
        let long = serde_json::value::to_raw_value(&"x".repeat(MAX_ID_BYTES)).expect("encodes");
        assert_eq!(RequestId::from_raw(&long), Err(BadId::Length));
    }
}
