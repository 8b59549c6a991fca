//! Objects whose members keep their order.

use std::fmt;

use serde::de::Visitor;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serializer};

use super::{Encode, Wire};
use crate::Revision;

/// An object whose members keep their order, for where the order is shown to somebody.
///
/// A name that stands twice keeps its first place and its last value.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordered<T>(Vec<(String, T)>);

impl<T> Ordered<T> {
    /// No members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Adds a member at the end, or replaces its value where it stands.
    pub fn insert(&mut self, name: impl Into<String>, value: T) {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| *key == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many members there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> IntoIterator for Ordered<T> {
    type Item = (String, T);
    type IntoIter = std::vec::IntoIter<(String, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<N: Into<String>, T> FromIterator<(N, T)> for Ordered<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(members: I) -> Self {
        let mut ordered = Self::new();
        for (name, value) in members {
            ordered.insert(name, value);
        }
        ordered
    }
}

impl<T: Encode> Encode for Ordered<T> {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, &Wire(value, revision))?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut ordered = Ordered::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    ordered.insert(name, value);
                }
                Ok(ordered)
            }
        }
        deserializer.deserialize_map(Object(std::marker::PhantomData))
    }
}
