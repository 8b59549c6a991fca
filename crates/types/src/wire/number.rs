//! Numbers: read as peers write them, written as one would by hand.

use std::fmt;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

use super::Encode;
use crate::{RawJson, Revision};

/// A count. Some peers write every number as a float, so `30.0` and `3e1` are 30; `30.5` and `-1` are
/// refused.
impl Encode for u64 {
    fn encode<S: Serializer>(&self, _: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(*self)
    }

    fn decode_member<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        Ok(Option::<Count>::deserialize(deserializer)?.map(|count| count.0))
    }
}

/// A number. A whole one is written without a fraction: `1.0` as `1`.
impl Encode for f64 {
    fn encode<S: Serializer>(&self, _: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        /// Up to here, every whole number is a float and the conversion is exact.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !self.is_finite() {
            return Err(serde::ser::Error::custom("JSON has no number that is infinite or not a number"));
        }
        if self.fract() == 0.0 && self.abs() <= EXACT {
            return serializer.serialize_i64(*self as i64);
        }
        serializer.serialize_f64(*self)
    }

    /// Reads the text itself: the JSON parser is allowed to miss the last bit.
    fn decode_member<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        match raw.get().parse::<Self>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ if raw.is_null() => Ok(None),
            _ => Err(D::Error::custom("expected a number")),
        }
    }
}

/// Reads a count that may be written as a float.
struct Count(u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number that is not negative")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Count, E> {
                Ok(Count(number))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Count, E> {
                u64::try_from(number)
                    .map(Count)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Count, E> {
                if number.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&number) {
                    return Ok(Count(number as u64));
                }
                Err(E::invalid_value(serde::de::Unexpected::Float(number), &self))
            }
        }
        deserializer.deserialize_any(Whole)
    }
}

/// A time to live in milliseconds: what is negative or no number counts as zero, and nothing overflows.
pub(crate) fn millis(raw: &RawJson) -> u64 {
    let text = raw.get();
    // The conversion saturates, which is what is wanted at both ends.
    text.parse().unwrap_or_else(|_| text.parse::<f64>().map_or(0, |number| number as u64))
}
