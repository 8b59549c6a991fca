//! The grammar of one argument: `name=value` or `name:=json`, or what is in a file in place of either.

use std::str::FromStr;

use hermes::types::json_words;
use serde_json::value::RawValue;

use super::source::{Contents, Sources};
use crate::exit::{Failure, Result};

/// One argument as it stands on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) name: String,
    pub(crate) given: Given,
}

/// The value of an argument as it stands on the command line.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// After `=`: the schema says what it means.
    Text(String),
    /// After `:=`: this very JSON.
    Json(Box<RawValue>),
    /// After `=@`: the schema says what it means.
    File(Contents),
}

impl Word {
    /// Reads one argument; a value that begins with `@` names a file, or standard input as `-`. `@@` is an at sign.
    ///
    /// # Errors
    /// It is no argument, or what it names cannot be read.
    pub(crate) fn read(word: &str, sources: &mut Sources) -> Result<Self> {
        let (name, mark, value) = match word.split_once('=') {
            Some((name, value)) => match name.strip_suffix(':') {
                Some(name) => (name, ":=", value),
                None => (name, "=", value),
            },
            None => ("", "", word),
        };
        let given = match value.strip_prefix('@') {
            // Without a name it is refused below, like any word that is none.
            _ if name.is_empty() => return word.parse().map_err(|error: String| Failure::usage(error)),
            None => return word.parse().map_err(|error: String| Failure::usage(error)),
            Some(text) if text.starts_with('@') && mark == "=" => Given::Text(text.to_owned()),
            Some(place) => {
                let contents = sources.read(place).map_err(|error| {
                    let literal = format!("{name}=@{value} sends the text {value} itself");
                    error.with_hint((mark == "=").then_some(literal))
                })?;
                if mark == "=" { Given::File(contents) } else { Given::Json(contents.json(name)?) }
            }
        };
        Ok(Self { name: name.to_owned(), given })
    }
}

impl Given {
    /// The value where only text will do: JSON that is no text is taken as it is written.
    ///
    /// # Errors
    /// The file is no text.
    pub(crate) fn text(&self) -> Result<String> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Json(json) => {
                Ok(serde_json::from_str(json.get()).unwrap_or_else(|_| json.get().to_owned()))
            }
            Self::File(contents) => contents.text().map(str::to_owned),
        }
    }
}

impl FromStr for Word {
    type Err = String;

    /// Splits at the first `=`; a colon right before it announces JSON. An `@` is an at sign.
    fn from_str(word: &str) -> Result<Self, String> {
        let Some((name, value)) = word.split_once('=') else {
            return Err(format!("\"{word}\" is not an argument: write NAME=VALUE or NAME:=JSON"));
        };
        let (name, given) = match name.strip_suffix(':') {
            None => (name, Given::Text(value.to_owned())),
            Some(name) => {
                let json = RawValue::from_string(value.trim().to_owned()).map_err(|error| {
                    format!(
                        "the value of \"{name}\" is not JSON: {}; for plain text write {name}=VALUE",
                        json_words(&error)
                    )
                })?;
                (name, Given::Json(json))
            }
        };
        if name.is_empty() {
            return Err(format!("\"{word}\" has no name before the equals sign"));
        }
        Ok(Self { name: name.to_owned(), given })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_at_sign_names_a_file_and_two_are_one() {
        let read = |word: &str| Word::read(word, &mut Sources::default());
        assert!(matches!(read("a=@@x").expect("text").given, Given::Text(text) if text == "@x"));
        assert!(matches!(read("a=b@c").expect("text").given, Given::Text(text) if text == "b@c"));
        let failure = read("a=@no/such").expect_err("no file");
        assert!(failure.to_string().starts_with("cannot read the arguments from no/such: "), "{failure}");
        assert_eq!(failure.hint(), Some("a=@@no/such sends the text @no/such itself"));
        // Where a word stands alone, such as an answer, an at sign is one.
        assert_eq!(text("a=@x"), ("a".into(), "@x".into()));
    }

    fn text(word: &str) -> (String, String) {
        match word.parse::<Word>() {
            Ok(Word { name, given: Given::Text(text) }) => (name, text),
            other => panic!("{word}: {other:?}"),
        }
    }

    fn json(word: &str) -> (String, String) {
        match word.parse::<Word>() {
            Ok(Word { name, given: Given::Json(json) }) => (name, json.get().to_owned()),
            other => panic!("{word}: {other:?}"),
        }
    }

    #[test]
    fn the_first_equals_sign_divides_name_and_text() {
        assert_eq!(text("a=1"), ("a".into(), "1".into()));
        assert_eq!(text("url=http://x/?q:=1"), ("url".into(), "http://x/?q:=1".into()));
        assert_eq!(text("ns:key=v"), ("ns:key".into(), "v".into()));
        assert_eq!(text("empty="), ("empty".into(), String::new()));
        assert_eq!(text("天気= 晴れ"), ("天気".into(), " 晴れ".into()));
    }

    #[test]
    fn a_colon_before_the_equals_sign_announces_json_that_is_kept_as_it_is() {
        assert_eq!(json("a:=9007199254740993"), ("a".into(), "9007199254740993".into()));
        assert_eq!(json("a:=  [1, \"x=y\"] "), ("a".into(), "[1, \"x=y\"]".into()));
        assert_eq!(json("a:=1e400"), ("a".into(), "1e400".into()));
    }

    #[test]
    fn what_is_no_argument_says_why() {
        let refused = |word: &str| word.parse::<Word>().map(|word| word.name).expect_err(word);
        assert_eq!(refused("demo"), "\"demo\" is not an argument: write NAME=VALUE or NAME:=JSON");
        assert_eq!(refused("=1"), "\"=1\" has no name before the equals sign");
        assert_eq!(refused(":=1"), "\":=1\" has no name before the equals sign");
        let error = refused("a:={x");
        assert!(error.starts_with("the value of \"a\" is not JSON: key must be a string"), "{error}");
        assert!(error.ends_with("for plain text write a=VALUE"), "{error}");
    }
}
