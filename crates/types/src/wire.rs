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
//! * `since` and `until` bound the revisions that have the member; outside, it is left out. After the
//!   type's name they bound the type.
//! * `then "name" since V…`, after `until`, is the member's later name.
//! * `or` gives the value of a member that is missing (or `null`) on receipt.
//! * `by` names a function that makes a value of whatever JSON is there, where a bad value must not spoil
//!   the message.
//! * `tagged "type" = "text"` after the name writes a constant member first.
//! * Members that the table does not name are kept in `extra` and written back at the end.
//!
//! `union!` declares the types that are told apart by a word in one member, and `words!` the sets of words.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

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

/// A type's table: its name and the revisions that have it and its members.
pub trait Table {
    /// The name of the type.
    const NAME: &'static str;
    /// The first revision that has the type.
    const SINCE: Revision;
    /// The last revision that has the type.
    const UNTIL: Revision;
    /// The members and the revisions that have them.
    const MEMBERS: &'static [Member];
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

alike!(bool, String, RequestId);

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

/// Declares a type of the model from its table of members; see the module's documentation.
macro_rules! wire {
    (
        $(#[$attr:meta])*
        pub struct $Name:ident
            $(since $start:ident)? $(until $end:ident)? $(tagged $tag:literal = $kind:literal)?
        {
            $(
                $(#[$doc:meta])*
                $field:ident : $ty:ty = $key:literal
                    $(, since $first:ident)? $(, until $last:ident)? $(, then $later:literal since $next:ident)?
                    $(, by $read:path)? $(, or $default:expr)?;
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
            pub const MEMBERS: &'static [$crate::wire::Member] = &[
                $(
                    $crate::wire::Member {
                        name: $key,
                        since: wire!(@first $($first)?),
                        until: wire!(@last $($last)?),
                    },
                    $($crate::wire::Member {
                        name: $later,
                        since: $crate::Revision::$next,
                        until: $crate::Revision::LATEST,
                    },)?
                )*
            ];
        }

        impl $crate::wire::Table for $Name {
            const NAME: &'static str = stringify!($Name);
            const SINCE: $crate::Revision = wire!(@first $($start)?);
            const UNTIL: $crate::Revision = wire!(@last $($end)?);
            const MEMBERS: &'static [$crate::wire::Member] = Self::MEMBERS;
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
                    if let Some(key) =
                        wire!(@key revision, $key $(, since $first)? $(, until $last)? $(, then $later since $next)?)
                        && !$crate::wire::Encode::is_absent($field)
                    {
                        map.serialize_entry(key, &$crate::wire::Wire($field, revision))?;
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
                        while let Some($crate::wire::Text(key)) = map.next_key()? {
                            match &*key {
                                $($key $(| $later)? => {
                                    $field = wire!(@read map $(, $read)?);
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
    (@key $revision:ident, $key:literal) => { Some($key) };
    (@key $revision:ident, $key:literal, since $first:ident) => {
        ($revision >= $crate::Revision::$first).then_some($key)
    };
    (@key $revision:ident, $key:literal, until $last:ident) => {
        ($revision <= $crate::Revision::$last).then_some($key)
    };
    (@key $revision:ident, $key:literal, since $first:ident, until $last:ident) => {
        ($crate::Revision::$first..=$crate::Revision::$last).contains(&$revision).then_some($key)
    };
    (@key $revision:ident, $key:literal, until $last:ident, then $later:literal since $next:ident) => {
        if $revision <= $crate::Revision::$last {
            Some($key)
        } else {
            ($revision >= $crate::Revision::$next).then_some($later)
        }
    };
    (@read $map:ident) => { $map.next_value_seed($crate::wire::MemberSeed::new())? };
    (@read $map:ident, $read:path) => { Some($read(&$map.next_value()?)) };
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

/// Declares a type that is one of several, told apart by the word in one member.
///
/// `else kept` keeps a value with a word that nobody here knows as it is; `else refused` reports it.
macro_rules! union {
    (
        $(#[$attr:meta])*
        pub enum $Name:ident by $tag:literal, else kept {
            $($(#[$doc:meta])* $variant:ident($ty:ty) = $word:literal,)*
        }
    ) => {
        $(#[$attr])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $Name {
            $($(#[$doc])* $variant($ty),)*
            /// A kind that this library does not know, as it came.
            Unknown($crate::RawJson),
        }

        union!(@encode $Name { $($variant,)* Unknown });
        union!(@decode $Name, $tag, { $($variant($ty) = $word,)* }, raw, _word, Ok($Name::Unknown(raw)));
        $(union!(@from $Name, $variant, $ty);)*
    };
    (
        $(#[$attr:meta])*
        pub enum $Name:ident by $tag:literal, else refused {
            $($(#[$doc:meta])* $variant:ident($ty:ty) = $word:literal,)*
        }
    ) => {
        $(#[$attr])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $Name {
            $($(#[$doc])* $variant($ty),)*
        }

        union!(@encode $Name { $($variant),* });
        union!(@decode $Name, $tag, { $($variant($ty) = $word,)* }, raw, word, Err(match word {
            Some(word) => ::serde::de::Error::unknown_variant(&word, &[$($word),*]),
            None => ::serde::de::Error::missing_field($tag),
        }));
        $(union!(@from $Name, $variant, $ty);)*
    };
    (@encode $Name:ident { $($variant:ident),* }) => {
        impl $crate::wire::Encode for $Name {
            fn encode<S: ::serde::Serializer>(
                &self,
                revision: $crate::Revision,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match self { $(Self::$variant(value) => value.encode(revision, serializer),)* }
            }
        }
    };
    (@decode $Name:ident, $tag:literal, { $($variant:ident($ty:ty) = $word:literal,)* },
        $raw:ident, $found:ident, $else:expr) => {
        impl<'de> ::serde::Deserialize<'de> for $Name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let $raw = $crate::RawJson::deserialize(deserializer)?;
                let $found = $crate::wire::word_of(&$raw, $tag)?;
                match $found.as_deref() {
                    $(Some($word) => {
                        $raw.decode().map(Self::$variant).map_err(::serde::de::Error::custom)
                    })*
                    _ => $else,
                }
            }
        }
    };
    (@from $Name:ident, $variant:ident, $ty:ty) => {
        impl From<$ty> for $Name {
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        }
    };
}

/// Writes builder methods that fill an optional member.
macro_rules! setters {
    ($Name:ident { $($(#[$doc:meta])* $method:ident => $field:ident : $ty:ty;)* }) => {
        impl $Name {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $method(mut self, $field: impl Into<$ty>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )*
        }
    };
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
                let $crate::wire::Text(word) = ::serde::Deserialize::deserialize(deserializer)?;
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
