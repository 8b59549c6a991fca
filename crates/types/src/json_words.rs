//! What is wrong with a JSON text, in JSON's words.

/// Says in JSON's words why a text does not fit a type: `it is the number 7, and has to be an object` instead of
/// what `serde` calls the types of the program.
///
/// ```
/// use hermes_types::json_words;
///
/// let error = serde_json::from_str::<bool>("[]").unwrap_err();
/// assert_eq!(json_words(&error), "it is an array, and has to be true or false");
/// ```
#[must_use]
pub fn json_words(error: &serde_json::Error) -> String {
    let told = error.to_string();
    let place = format!("{} column {}", error.line(), error.column());
    let (reason, place) = match told.strip_suffix(&format!(" at line {place}")) {
        Some(reason) => (reason, Some(place.as_str())),
        None => (told.as_str(), None),
    };
    if error.is_syntax() || error.is_eof() {
        return syntax(reason, place);
    }
    for beginning in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) =
            reason.strip_prefix(beginning).and_then(|it| it.split_once(", expected "))
        {
            return format!("it is {}, and has to be {}", kind(found), wanted(expected));
        }
    }
    for (beginning, end) in [("missing field `", "is missing"), ("duplicate field `", "is there twice")] {
        if let Some(name) = reason.strip_prefix(beginning).and_then(|it| it.strip_suffix('`')) {
            return format!("the member `{name}` {end}");
        }
    }
    if let Some((found, expected)) =
        reason.strip_prefix("unknown variant `").and_then(|it| it.split_once("`, expected "))
    {
        return format!("it is \"{found}\", and has to be {}", expected.replace('`', "\""));
    }
    reason.to_owned()
}

fn syntax(reason: &str, place: Option<&str>) -> String {
    let reason = match reason {
        "number out of range" => "it has a number that is too large to be read",
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "it has half a character in it (a surrogate without its other half)"
        }
        "EOF while parsing a value"
        | "EOF while parsing a list"
        | "EOF while parsing an object"
        | "EOF while parsing a string" => "it ends too early",
        other => other,
    };
    place.map_or_else(|| reason.to_owned(), |place| format!("{reason} (line {place})"))
}

/// What was found.
fn kind(found: &str) -> String {
    let sorts = [
        ("floating point `", "the number "),
        ("integer `", "the number "),
        ("boolean `", ""),
        ("string ", "the text "),
    ];
    for (beginning, word) in sorts {
        if let Some(value) = found.strip_prefix(beginning) {
            return format!("{word}{}", value.trim_end_matches('`'));
        }
    }
    match found {
        "sequence" => "an array".to_owned(),
        "map" => "an object".to_owned(),
        "null" | "unit" | "unit value" | "Option value" => "null".to_owned(),
        other => other.to_owned(),
    }
}

/// What would have fitted.
fn wanted(expected: &str) -> String {
    let word = match expected {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "an integer",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "an integer from 0 on",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a map" | "map" => "an object",
        "a sequence" | "sequence" => "an array",
        "unit" | "null" => "null",
        "string" | "a borrowed string" | "a character" => "a string",
        struct_ if struct_.starts_with("struct ") || struct_.starts_with("internally tagged enum ") => {
            "an object"
        }
        // The types of the protocol say it so.
        type_ if type_.starts_with("a ") && type_.ends_with(" object") => "an object",
        enum_ if enum_.starts_with("enum ") || enum_.starts_with("variant identifier") => {
            "one of the known words"
        }
        other => other,
    };
    let word = match expected {
        "i64" => "an integer of 64 bits",
        "u64" => "an integer of 64 bits from 0 on",
        _ => word,
    };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Point {
        #[serde(rename = "x")]
        _x: i64,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Mood {
        Good,
        Bad,
    }

    fn told<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        json_words(&serde_json::from_str::<T>(text).expect_err(text))
    }

    #[test]
    fn values_of_another_sort_are_told_in_the_words_of_json() {
        assert_eq!(told::<Point>("7"), "it is the number 7, and has to be an object");
        assert_eq!(told::<Point>("{}"), "the member `x` is missing");
        assert_eq!(
            told::<Point>(r#"{"x":"1"}"#),
            "it is the text \"1\", and has to be an integer of 64 bits"
        );
        assert_eq!(
            told::<Point>(r#"{"x":9223372036854775808}"#),
            "it is the number 9223372036854775808, and has to be an integer of 64 bits"
        );
        assert_eq!(told::<Vec<u8>>("null"), "it is null, and has to be an array");
        assert_eq!(told::<String>("true"), "it is true, and has to be a string");
        assert_eq!(told::<BTreeMap<String, bool>>("[]"), "it is an array, and has to be an object");
        assert_eq!(told::<f64>("{}"), "it is an object, and has to be a number");
        assert_eq!(told::<Mood>("\"fine\""), "it is \"fine\", and has to be \"good\" or \"bad\"");
        assert_eq!(told::<crate::ElicitResult>("7"), "it is the number 7, and has to be an object");
        assert_eq!(
            told::<Mood>("\"off at line 3\""),
            "it is \"off at line 3\", and has to be \"good\" or \"bad\""
        );
        assert_eq!(told::<Point>(r#"{"x":1,"x":2}"#), "the member `x` is there twice");
        assert!(matches!(
            (serde_json::from_str("\"good\""), serde_json::from_str("\"bad\"")),
            (Ok(Mood::Good), Ok(Mood::Bad))
        ));
    }

    #[test]
    fn texts_that_are_no_json_are_told_with_their_place() {
        assert_eq!(told::<f64>("1e400"), "it has a number that is too large to be read (line 1 column 5)");
        assert!(told::<String>(r#""\ud800""#).starts_with("it has half a character in it"));
        assert_eq!(told::<Vec<u8>>("[1"), "it ends too early (line 1 column 2)");
    }
}
