//! The macro `union!`: types that are told apart by a word.

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
