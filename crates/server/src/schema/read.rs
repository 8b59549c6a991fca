//! Reading a JSON text into a type.

use hermes_types::json_words;
use serde::Deserialize;

use super::invalid::Invalid;

/// Reads a text into a type.
///
/// # Errors
/// What does not fit, in JSON's words, and where.
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Invalid> {
    serde_json::from_str(text).map_err(|error| {
        // Only who has something to tell reads once more with an eye on the path.
        let mut json = serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, T>(&mut json) {
            Err(placed) => Invalid::at(pointer(placed.path()), json_words(placed.inner())),
            // It is what stands behind the value that does not fit.
            Ok(_) => Invalid::at("", json_words(&error)),
        }
    })
}

/// A path of the decoder as a JSON pointer.
fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |mut pointer, segment| {
        pointer.push('/');
        match segment {
            Segment::Seq { index } => pointer.push_str(&index.to_string()),
            Segment::Map { key } => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
            Segment::Enum { variant } => pointer.push_str(variant),
            Segment::Unknown => pointer.push('?'),
        }
        pointer
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    fn told<T: for<'a> Deserialize<'a> + std::fmt::Debug>(text: &str) -> String {
        read::<T>(text).expect_err(text).to_string()
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        type Numbers = BTreeMap<String, Vec<u8>>;
        assert_eq!(told::<Numbers>("7"), "it is the number 7, and has to be an object");
        assert_eq!(
            told::<Numbers>(r#"{"a":[1,"x"]}"#),
            r#"`/a/1`: it is the text "x", and has to be an integer from 0 on"#
        );
        assert_eq!(
            told::<Value>(r#"{"a":1e400}"#),
            "`/a`: it has a number that is too large to be read (line 1 column 10)"
        );
        let half = told::<Value>(r#"{"a/b":"\ud800"}"#);
        assert!(half.starts_with("`/a~1b`: it has half a character in it"), "{half}");
        assert_eq!(told::<Value>("1 2"), "trailing characters (line 1 column 3)");
    }
}
