//! The macro `wire!`: a type, its decoder and its encoder from one table.

use serde::Deserializer;

use super::Encode;
use crate::Revision;

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
    /// The constant member that tells the type from others, and its value.
    const TAG: Option<(&'static str, &'static str)>;
    /// The members and the revisions that have them.
    const MEMBERS: &'static [Member];
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
            const TAG: Option<(&'static str, &'static str)> = wire!(@tag $($tag = $kind)?);
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
                                    if $field.is_some() {
                                        return Err(::serde::de::Error::duplicate_field($key));
                                    }
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
    (@tag $tag:literal = $kind:literal) => { Some(($tag, $kind)) };
    (@tag) => { None };
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
    fn a_member_that_stands_twice_is_an_error() {
        let error = serde_json::from_str::<Sample>(r#"{"name":"a","name":"b"}"#).expect_err("twice");
        assert!(error.to_string().starts_with("duplicate field `name`"), "{error}");
    }
}
