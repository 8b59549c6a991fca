//! Encoding under a revision: one table per type says which members a revision has.
//!
//! A type of the model never implements `Serialize`, because its JSON depends on who reads it.
//! [`Wire`] pairs a value with a [`Revision`] and does. The macro `wire!` writes the struct, its lenient
//! decoder and its encoder from one table, so a member cannot exist without saying since when:
//!
//! ```text
//! wire! {
//!     /// A tool that a client may call.
//!     pub struct Tool {
//!         /// The name to call it by.
//!         name: String = "name";
//!         /// The name to show.
//!         title: Option<String> = "title", since V2025_06_18;
//!     }
//! }
//! ```
//!
//! * `since` and `until` bound the revisions that have the member; outside, it is left out.
//! * `or` gives the value of a member that is missing (or `null`) on receipt.
//! * `tagged "type" = "text"` after the name writes a constant member first.
//! * Members that the table does not name are kept in `extra` and written back at the end.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{RawJson, RequestId, Revision};

/// Members that the type does not know, kept so that they survive a round trip.
pub type Extra = BTreeMap<String, RawJson>;

/// One row of a type's table: a member and the revisions that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name on the wire.
    pub name: &'static str,
    /// The first revision that has it.
    pub since: Revision,
    /// The last revision that has it.
    pub until: Revision,
}

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

alike!(bool, f64, i64, u32, u64, String, RequestId);

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

/// Declares a type of the model from its table of members; see the module's documentation.
macro_rules! wire {
    (
        $(#[$attr:meta])*
        pub struct $Name:ident $(tagged $tag:literal = $kind:literal)? {
            $(
                $(#[$doc:meta])*
                $field:ident : $ty:ty = $key:literal
                    $(, since $first:ident)? $(, until $last:ident)? $(, or $default:expr)?;
            )*
        }
    ) => {
        $(#[$attr])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Name {
            $($(#[$doc])* pub $field: $ty,)*
            /// Members that this type does not know.
            pub extra: $crate::wire::Extra,
        }

        impl $Name {
            /// The members and the revisions that have them.
            pub const MEMBERS: &'static [$crate::wire::Member] = &[$(
                $crate::wire::Member {
                    name: $key,
                    since: wire!(@first $($first)?),
                    until: wire!(@last $($last)?),
                },
            )*];
        }

        impl $crate::wire::Encode for $Name {
            fn encode<S: ::serde::Serializer>(
                &self,
                revision: $crate::Revision,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeMap as _;
                let _ = revision; // A table without revisions does not ask for one.
                // No `..`: a member without a row in the table does not compile.
                let Self { $($field,)* extra } = self;
                let mut map = serializer.serialize_map(None)?;
                $(map.serialize_entry($tag, $kind)?;)?
                $(
                    if wire!(@within revision $(since $first)? $(until $last)?)
                        && !$crate::wire::Encode::is_absent($field)
                    {
                        map.serialize_entry($key, &$crate::wire::Wire($field, revision))?;
                    }
                )*
                for (key, value) in extra {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $Name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;
                impl<'de> ::serde::de::Visitor<'de> for Members {
                    type Value = $Name;

                    fn expecting(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        f.write_str(concat!("a ", stringify!($Name), " object"))
                    }

                    fn visit_map<A: ::serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<$Name, A::Error> {
                        $(let mut $field: Option<$ty> = None;)*
                        let mut extra = $crate::wire::Extra::new();
                        while let Some(key) = map.next_key::<::std::borrow::Cow<'de, str>>()? {
                            match &*key {
                                $($key => {
                                    $field = map.next_value_seed($crate::wire::MemberSeed::new())?;
                                })*
                                $($tag => {
                                    map.next_value::<::serde::de::IgnoredAny>()?;
                                })?
                                _ => {
                                    extra.insert(key.into_owned(), map.next_value()?);
                                }
                            }
                        }
                        Ok($Name {
                            $($field: match $field {
                                Some(value) => value,
                                None => wire!(@missing $key, $ty $(, $default)?),
                            },)*
                            extra,
                        })
                    }
                }
                deserializer.deserialize_map(Members)
            }
        }
    };
    (@first $first:ident) => { $crate::Revision::$first };
    (@first) => { $crate::Revision::V2024_11_05 };
    (@last $last:ident) => { $crate::Revision::$last };
    (@last) => { $crate::Revision::LATEST };
    (@within $revision:ident) => { true };
    (@within $revision:ident since $first:ident) => { $revision >= $crate::Revision::$first };
    (@within $revision:ident until $last:ident) => { $revision <= $crate::Revision::$last };
    (@within $revision:ident since $first:ident until $last:ident) => {
        ($crate::Revision::$first..=$crate::Revision::$last).contains(&$revision)
    };
    (@missing $key:literal, $ty:ty, $default:expr) => { $default };
    (@missing $key:literal, $ty:ty) => {
        <$ty as $crate::wire::Encode>::absent()
            .ok_or_else(|| ::serde::de::Error::missing_field($key))?
    };
}

/// Reads one member through [`Encode::decode_member`].
pub(crate) struct MemberSeed<T>(std::marker::PhantomData<T>);

impl<T> MemberSeed<T> {
    pub(crate) const fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<'de, T: Encode> serde::de::DeserializeSeed<'de> for MemberSeed<T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        T::decode_member(deserializer)
    }
}

/// Declares a set of words that may grow: a word nobody here knows is kept as it is.
macro_rules! words {
    (
        $(#[$attr:meta])*
        pub enum $Name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$attr])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Name {
            $($(#[$doc])* $variant,)*
            /// A word that this library does not know.
            Other(String),
        }

        impl $Name {
            /// The word on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self { $(Self::$variant => $word,)* Self::Other(word) => word }
            }
        }

        impl From<&str> for $Name {
            fn from(word: &str) -> Self {
                match word { $($word => Self::$variant,)* _ => Self::Other(word.to_owned()) }
            }
        }

        impl ::std::fmt::Display for $Name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::wire::Encode for $Name {
            fn encode<S: ::serde::Serializer>(
                &self,
                _: $crate::Revision,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $Name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = ::std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                Ok(Self::from(&*word))
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macros declare public types")]
mod tests {
    use crate::RawJson;
    use crate::Revision;
    use crate::wire::Wire;

    wire! {
        /// A made-up type with one member of every sort.
        pub struct Sample tagged "type" = "sample" {
            /// Always there.
            name: String = "name";
            /// Came later.
            title: Option<String> = "title", since V2025_06_18;
            /// Came and went.
            fad: Option<u64> = "fad", since V2025_11_25, until V2025_11_25;
            /// Went.
            old: Option<bool> = "old", until V2025_03_26;
            /// Has a value even when missing.
            ttl_ms: u64 = "ttlMs", since V2026_07_28, or 0;
            /// Any JSON, null included.
            any: Option<RawJson> = "any";
        }
    }

    words! {
        /// Made up.
        pub enum Mood { Good = "good", Bad = "bad", }
    }

    fn full() -> Sample {
        serde_json::from_str(
            r#"{"x":1.50,"any":null,"old":true,"fad":3,"title":"T","name":"n","ttlMs":null,"type":"sample"}"#,
        )
        .expect("decodes")
    }

    #[test]
    fn a_revision_gets_the_members_it_has_and_unknown_ones_come_back() {
        let text = |revision| serde_json::to_string(&Wire(&full(), revision)).expect("encodes");
        assert_eq!(
            text(Revision::V2024_11_05),
            r#"{"type":"sample","name":"n","old":true,"any":null,"x":1.50}"#
        );
        assert_eq!(
            text(Revision::V2025_11_25),
            r#"{"type":"sample","name":"n","title":"T","fad":3,"any":null,"x":1.50}"#
        );
        assert_eq!(
            text(Revision::V2026_07_28),
            r#"{"type":"sample","name":"n","title":"T","ttlMs":0,"any":null,"x":1.50}"#
        );
    }

    #[test]
    fn a_missing_member_is_absent_defaulted_or_an_error_that_names_it() {
        let least: Sample = serde_json::from_str(r#"{"name":"n"}"#).expect("decodes");
        assert_eq!((least.title, least.ttl_ms, least.any), (None, 0, None));
        let error = serde_json::from_str::<Sample>("{}").expect_err("no name");
        assert!(error.to_string().starts_with("missing field `name`"), "{error}");
    }

    #[test]
    fn words_that_nobody_knows_are_kept() {
        let mood: Mood = serde_json::from_str("\"so-so\"").expect("decodes");
        assert_eq!(mood, Mood::Other("so-so".into()));
        let text = serde_json::to_string(&Wire(&mood, Revision::LATEST)).expect("encodes");
        assert_eq!(text, "\"so-so\"");
    }
}
