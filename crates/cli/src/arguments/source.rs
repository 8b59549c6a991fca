//! Where arguments come from: the command line itself, a file, or standard input.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes::types::json_words;
use serde_json::value::RawValue;

use super::object::Object;
use crate::bounded;
use crate::exit::{Failure, Result};

/// How standard input is named in place of a file.
const STDIN: &str = "-";

/// The longest file that is read, in bytes: as long as the longest message that clients take.
const LIMIT: u64 = 64 * 1024 * 1024;

/// The files that are read for one command line. Standard input can be read once.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    stdin: Stdin,
}

/// What is known of standard input.
#[derive(Clone, Copy, Debug, Default)]
enum Stdin {
    #[default]
    Unread,
    Read,
    /// Commands are read from it.
    Script,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    /// The file, for messages.
    place: String,
    bytes: Vec<u8>,
}

impl Sources {
    /// The files of one command among others, which standard input belongs to.
    pub(crate) const fn of_a_script() -> Self {
        Self { stdin: Stdin::Script }
    }

    /// Reads a file, or standard input when it is named `-`.
    ///
    /// # Errors
    /// It cannot be read, is not named, or is standard input for the second time or where commands come from.
    pub(crate) fn read(&mut self, place: &str) -> Result<Contents> {
        if place.is_empty() {
            let hint = match self.stdin {
                Stdin::Script => "@FILE is a file",
                Stdin::Unread | Stdin::Read => "@FILE is a file, @- standard input",
            };
            return Err(Failure::usage("no file is named after the at sign").with_hint(hint.to_owned()));
        }
        let (read, place) = if place == STDIN {
            match self.stdin {
                Stdin::Unread => self.stdin = Stdin::Read,
                Stdin::Read => return Err(Failure::usage("standard input can be read only once")),
                Stdin::Script => {
                    let message =
                        "standard input is where the commands come from; write the arguments, or @FILE";
                    return Err(Failure::usage(message));
                }
            }
            (bounded::all(io::stdin().lock(), LIMIT), "standard input")
        } else {
            (bounded::file(place, LIMIT), place)
        };
        let bytes =
            read.map_err(|error| Failure::usage(format!("cannot read the arguments from {place}: {error}")))?;
        Ok(Contents { place: place.to_owned(), bytes })
    }

    /// Reads the object that `--args` names: `{…}` itself, `@FILE`, or `-` for standard input.
    ///
    /// # Errors
    /// It cannot be read, or what it holds is no JSON object.
    pub(crate) fn object(&mut self, spec: &str) -> Result<Object> {
        match spec.strip_prefix('@') {
            Some(place) => self.read(place)?.object(),
            None if spec == STDIN => self.read(spec)?.object(),
            None => object(spec, "--args"),
        }
    }
}

impl Contents {
    /// The text, without a byte order mark.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn text(&self) -> Result<&str> {
        let text = str::from_utf8(&self.bytes)
            .map_err(|_| Failure::usage(format!("what {} holds is no text (UTF-8)", self.place)))?;
        Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// The bytes as schemas ask for them that say `contentEncoding: base64`.
    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// The JSON for the argument `name`, digit by digit.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn json(&self, name: &str) -> Result<Box<RawValue>> {
        RawValue::from_string(self.text()?.trim().to_owned()).map_err(|error| {
            let place = &self.place;
            Failure::usage(format!("the value of \"{name}\" in {place} is not JSON: {}", json_words(&error)))
                .with_hint(format!("for plain text write {name}=@{place}"))
        })
    }

    fn object(&self) -> Result<Object> {
        object(self.text()?, &self.place)
    }
}

fn object(text: &str, place: &str) -> Result<Object> {
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("the arguments from {place} are no JSON object: {}", json_words(&error)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spec: &str) -> Result<Object> {
        Sources::default().object(spec)
    }

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
        assert_eq!(refused("@"), "no file is named after the at sign");
        assert!(refused("@no/such/file").starts_with("cannot read the arguments from no/such/file: "));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text_and_bytes_are_no_text() {
        let contents = |bytes: &[u8]| Contents { place: "f".to_owned(), bytes: bytes.to_vec() };
        assert_eq!(contents(b"\xef\xbb\xbfa\n").text().ok(), Some("a\n"));
        let failure = contents(b"\xff\x00").text().expect_err("no text");
        assert_eq!(failure.to_string(), "what f holds is no text (UTF-8)");
        assert_eq!(contents(b"\xff\x00").base64(), "/wA=");
    }
}
