//! Values that arrive as texts: the arguments of prompts and the variables of URI templates.
//!
//! A handler takes them in a struct of its own. A text that is asked for as a number or a boolean is read
//! as one; everything else stays text.

use std::collections::BTreeMap;

use hermes_types::json_words;
use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Why texts do not fit a type.
pub(crate) type Misfit = serde::de::value::Error;

/// Reads texts into a struct, a map, or the unit type.
///
/// # Errors
/// A field is missing, or its text is no number or no boolean where one is wanted.
pub(crate) fn read<T: DeserializeOwned>(texts: BTreeMap<String, String>) -> Result<T, Misfit> {
    T::deserialize(Texts(texts)).map_err(|misfit| words(&misfit))
}

/// The same in the words that a client knows.
fn words(misfit: &Misfit) -> Misfit {
    Misfit::custom(json_words(&serde_json::Error::custom(misfit)))
}

struct Texts(BTreeMap<String, String>);

impl<'de> Deserializer<'de> for Texts {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let texts = self.0.into_iter().map(|(name, text)| (name.clone(), Text { name, text }));
        visitor.visit_map(MapDeserializer::new(texts))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// One text, with its name for the error.
struct Text {
    name: String,
    text: String,
}

impl IntoDeserializer<'_, Misfit> for Text {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident $ty:ty, $what:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
            match self.text.trim().parse::<$ty>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(Misfit::custom(format!("`{}`: {:?} is not {}", self.name, self.text, $what))),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Text {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_string(self.text)
    }

    parsed! {
        deserialize_bool visit_bool bool, "true or false";
        deserialize_i8 visit_i8 i8, "an integer that fits";
        deserialize_i16 visit_i16 i16, "an integer that fits";
        deserialize_i32 visit_i32 i32, "an integer that fits";
        deserialize_i64 visit_i64 i64, "an integer that fits";
        deserialize_i128 visit_i128 i128, "an integer that fits";
        deserialize_u8 visit_u8 u8, "an integer that fits";
        deserialize_u16 visit_u16 u16, "an integer that fits";
        deserialize_u32 visit_u32 u32, "an integer that fits";
        deserialize_u64 visit_u64 u64, "an integer that fits";
        deserialize_u128 visit_u128 u128, "an integer that fits";
        deserialize_f32 visit_f32 f32, "a number";
        deserialize_f64 visit_f64 f64, "a number";
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let text: StrDeserializer<'_, Misfit> = self.text.as_str().into_deserializer();
        text.deserialize_enum(name, variants, visitor)
            .map_err(|error| Misfit::custom(format!("`{}`: {}", self.name, words(&error))))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Size {
        Small,
        Large,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Packing {
        city: String,
        days: Option<u8>,
        warm: Option<bool>,
        size: Option<Size>,
    }

    fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn texts_are_read_as_what_the_field_wants() {
        let packing: Packing =
            read(texts(&[("city", "42"), ("days", " 3"), ("warm", "true"), ("size", "large"), ("x", "y")]))
                .expect("fits");
        let expected =
            Packing { city: "42".into(), days: Some(3), warm: Some(true), size: Some(Size::Large) };
        assert_eq!(packing, expected);
        assert_eq!(read::<()>(texts(&[("x", "y")])), Ok(()));
    }

    #[test]
    fn a_text_that_does_not_fit_is_named() {
        let misfit =
            |pairs: &[(&str, &str)]| read::<Packing>(texts(pairs)).expect_err("does not fit").to_string();
        assert_eq!(misfit(&[]), "the member `city` is missing");
        assert_eq!(misfit(&[("city", "x"), ("days", "300")]), "`days`: \"300\" is not an integer that fits");
        assert_eq!(
            misfit(&[("city", "x"), ("size", "huge")]),
            "`size`: it is \"huge\", and has to be \"small\" or \"large\""
        );
    }
}
