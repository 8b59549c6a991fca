//! A JSON object whose members keep their order and their text.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON object; each value stays as it was written, so that no number is rounded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    /// Sets a member; a later value takes the place of an earlier one.
    pub(crate) fn insert(&mut self, name: String, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Sets all members of another object.
    pub(crate) fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|(name, value)| self.insert(name, value));
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// The members in order.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), &**value))
    }

    /// The object as a value to look at; numbers beyond 64 bits lose digits here.
    pub(crate) fn to_value(&self) -> Value {
        let value = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or(Value::Null);
        Value::Object(self.0.iter().map(|(name, raw)| (name.clone(), value(raw))).collect())
    }
}

/// JSON that is a text as that text, and any other as it is written.
pub(crate) fn plain(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut object = Object::default();
                while let Some((name, value)) = map.next_entry()? {
                    object.insert(name, value);
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_order_and_text() -> serde_json::Result<()> {
        let text = r#"{"z":18446744073709551616,"a":1.50,"m":{"x": 1}}"#;
        let object: Object = serde_json::from_str(text)?;
        assert_eq!(serde_json::to_string(&object)?, text);
        Ok(())
    }

    #[test]
    fn the_last_of_two_members_with_one_name_counts() -> serde_json::Result<()> {
        let object: Object = serde_json::from_str(r#"{"a":1,"b":2,"a":3}"#)?;
        assert_eq!(serde_json::to_string(&object)?, r#"{"a":3,"b":2}"#);
        Ok(())
    }

    #[test]
    fn only_an_object_is_an_object() {
        for text in ["[]", "1", "null", "\"x\"", ""] {
            assert!(serde_json::from_str::<Object>(text).is_err(), "{text}");
        }
    }
}
