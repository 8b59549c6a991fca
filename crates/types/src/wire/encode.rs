//! How a value is written under a revision.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{ErrorObject, RawJson, RequestId, Revision};

/// Members that the type does not know, kept so that they survive a round trip.
pub type Extra = BTreeMap<String, RawJson>;

/// A value that can stand in a message: how it is written under a revision, and what its absence means.
pub trait Encode: DeserializeOwned {
    /// Writes the value as `revision` spells it.
    ///
    /// # Errors
    /// Whatever the serializer reports.
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error>;

    /// Whether a member with this value is left out.
    fn is_absent(&self) -> bool {
        false
    }

    /// The value that a missing member stands for, if absence is allowed.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// Reads a member that is there; `None` when it is `null` and `null` means absence.
    ///
    /// # Errors
    /// The value does not fit the type.
    fn decode_member<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        Option::<Self>::deserialize(deserializer)
    }
}

/// A value together with the revision it is to be written in.
///
/// ```
/// use hermes_types::{Revision, Wire};
///
/// let text = serde_json::to_string(&Wire(&vec![1_u64, 2], Revision::LATEST))?;
/// assert_eq!(text, "[1,2]");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub struct Wire<'a, T>(pub &'a T, pub Revision);

impl<T> fmt::Debug for Wire<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wire({})", self.1)
    }
}

impl<T: Encode> Serialize for Wire<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encode(self.1, serializer)
    }
}

/// Values that all revisions write alike.
macro_rules! alike {
    ($($ty:ty),*) => {$(
        impl Encode for $ty {
            fn encode<S: Serializer>(&self, _: Revision, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(serializer)
            }
        }
    )*};
}

alike!(bool, String, RequestId, ErrorObject);

impl Encode for RawJson {
    fn encode<S: Serializer>(&self, _: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }

    /// `null` is a value like any other where raw JSON is asked for.
    fn decode_member<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        Self::deserialize(deserializer).map(Some)
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.encode(revision, serializer),
            None => serializer.serialize_none(),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn decode_member<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        T::decode_member(deserializer).map(Some)
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.len()))?;
        for value in self {
            seq.serialize_element(&Wire(value, revision))?;
        }
        seq.end()
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().encode(revision, serializer)
    }
}

impl<T: Encode> Encode for BTreeMap<String, T> {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, &Wire(value, revision))?;
        }
        map.end()
    }
}
