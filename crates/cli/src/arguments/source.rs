//! `--args`: an object as JSON, from a file, or from standard input.

use std::fs;
use std::io::{self, Read as _};

use hermes::types::json_words;

use super::object::Object;
use crate::exit::{Failure, Result};

/// Reads the object that `--args` names: `{…}` itself, `@FILE`, or `-` for standard input.
///
/// # Errors
/// The file cannot be read, or what it holds is no JSON object.
pub(crate) fn read(spec: &str) -> Result<Object> {
    let (text, place) = match spec.strip_prefix('@') {
        Some(path) => (fs::read_to_string(path), path),
        None if spec == "-" => {
            let mut text = String::new();
            (io::stdin().read_to_string(&mut text).map(|_| text), "standard input")
        }
        None => (Ok(spec.to_owned()), "--args"),
    };
    let text =
        text.map_err(|error| Failure::usage(format!("cannot read the arguments from {place}: {error}")))?;
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("the arguments from {place} are no JSON object: {}", json_words(&error)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_itself_is_taken_as_it_stands() -> Result<()> {
        let object = read(r#"{"b":18446744073709551616,"a":[1]}"#)?;
        assert_eq!(
            serde_json::to_string(&object).ok().as_deref(),
            Some(r#"{"b":18446744073709551616,"a":[1]}"#)
        );
        Ok(())
    }

    #[test]
    fn what_cannot_be_read_names_its_place() {
        let refused = |spec: &str| read(spec).expect_err(spec).to_string();
        assert_eq!(
            refused("[1]"),
            "the arguments from --args are no JSON object: it is an array, and has to be an object"
        );
        assert!(refused("@no/such/file").starts_with("cannot read the arguments from no/such/file: "));
    }
}
