//! A look into raw JSON before it is decoded.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::RawJson;

/// A string, borrowed unless it holds escapes. (A plain `Cow` would always be copied.)
pub(crate) struct Text<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Str;
        impl<'de> Visitor<'de> for Str {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(Str)
    }
}

/// Some members of an object, as they stand there.
///
/// # Errors
/// The JSON is no object, or one of the members stands twice.
pub(crate) fn members_of<'a, E: serde::de::Error, const N: usize>(
    raw: &'a RawValue,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], E> {
    struct Chosen<'n, const N: usize>([&'n str; N]);
    impl<'de, const N: usize> Visitor<'de> for Chosen<'_, N> {
        type Value = [Option<&'de RawValue>; N];

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = [None; N];
            while let Some(Text(key)) = map.next_key()? {
                let value = map.next_value()?;
                let Some((_, place)) = self.0.iter().zip(&mut found).find(|(name, _)| **name == key) else {
                    continue;
                };
                if place.replace(value).is_some() {
                    return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    deserializer.deserialize_map(Chosen(names)).map_err(E::custom)
}

/// The word in one member of an object; nothing where it is missing or no string.
///
/// # Errors
/// As [`members_of`].
pub(crate) fn word_of<'a, E: serde::de::Error>(
    raw: &'a RawJson,
    name: &str,
) -> Result<Option<Cow<'a, str>>, E> {
    let [value] = members_of(raw.as_raw(), [name])?;
    Ok(value.and_then(|value| serde_json::from_str(value.get()).ok()).map(|Text(word)| word))
}
