//! The macro `words!`: sets of words that may grow.

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
            /// The words that this library knows, in the order of their declaration.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant,)*];

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
    use crate::Revision;
    use crate::wire::Wire;

    words! {
        /// Made up.
        pub enum Mood { Good = "good", Bad = "bad", }
    }

    #[test]
    fn words_that_nobody_knows_are_kept() {
        let mood: Mood = serde_json::from_str("\"so-so\"").expect("decodes");
        assert_eq!(mood, Mood::Other("so-so".into()));
        let text = serde_json::to_string(&Wire(&mood, Revision::LATEST)).expect("encodes");
        assert_eq!(text, "\"so-so\"");
        assert_eq!(Mood::KNOWN, [Mood::Good, Mood::Bad]);
    }
}
