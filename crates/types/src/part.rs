//! JSON that stands in a longer text.

use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::raw::{RawJson, has_line_breaks};
use crate::walk::lend;

/// A piece of JSON that outlives the message it came in, and is copied only if the text of the message is not kept.
///
/// The parameters of a call may be most of a long text, and its arguments most of the parameters. As parts of one text
/// that all of them keep, they take no place of their own. What has line breaks is copied all the same: as a [`RawJson`] it
/// would be another text.
///
/// ```
/// use std::sync::Arc;
///
/// use hermes_types::{JsonPart, Message};
///
/// let text = Arc::new(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1]}}"#.to_owned());
/// let part = match Message::decode(&text)? {
///     Message::Request(request) => request.params.map(|params| JsonPart::new(params, Some(&text))),
///     _ => None,
/// };
/// drop(text);
/// assert_eq!(part.as_ref().map(JsonPart::get), Some(r#"{"a":[1]}"#));
/// # Ok::<(), hermes_types::Malformed>(())
/// ```
#[derive(Clone, Debug)]
pub struct JsonPart(Place);

#[derive(Clone, Debug)]
enum Place {
    Own(RawJson),
    /// Bytes of the text that are one JSON value.
    Within(Arc<String>, Range<usize>),
}

impl JsonPart {
    /// Keeps what stands in this text; without the text, or if it stands elsewhere, it is copied.
    #[must_use]
    pub fn new(json: &RawValue, text: Option<&Arc<String>>) -> Self {
        let within = text.filter(|_| !has_line_breaks(json)).and_then(|text| {
            let range = range_in(text, json.get())?;
            Some(Place::Within(Arc::clone(text), range))
        });
        Self(within.unwrap_or_else(|| Place::Own(json.into())))
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        match &self.0 {
            Place::Own(json) => json.get(),
            // The range was found in this text.
            Place::Within(text, range) => text.get(range.clone()).unwrap_or_default(),
        }
    }

    /// As JSON with a place of its own.
    #[must_use]
    pub fn into_raw(self) -> RawJson {
        match self.0 {
            Place::Own(json) => json,
            Place::Within(..) => lend(self.get()).map_or_else(RawJson::null, RawJson::from),
        }
    }

    /// The JSON, if it has a place of its own.
    #[must_use]
    pub const fn as_raw(&self) -> Option<&RawJson> {
        match &self.0 {
            Place::Own(json) => Some(json),
            Place::Within(..) => None,
        }
    }
}

impl From<RawJson> for JsonPart {
    fn from(json: RawJson) -> Self {
        Self(Place::Own(json))
    }
}

/// Where the part begins and ends, if it lies in this very text.
fn range_in(text: &str, part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let range = start..start.checked_add(part.len())?;
    text.get(range.clone()).map(|_| range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(text: &str) -> Result<&RawValue, serde_json::Error> {
        serde_json::from_str::<[&RawValue; 1]>(text).map(|[inner]| inner)
    }

    #[test]
    fn what_stands_in_a_kept_text_is_not_copied() -> Result<(), serde_json::Error> {
        let text = Arc::new(r#"[{"é": 1}]"#.to_owned());
        let part = JsonPart::new(inner(&text)?, Some(&text));
        assert_eq!((part.get(), part.get().as_ptr()), (r#"{"é": 1}"#, text[1..].as_ptr()));
        assert!(part.as_raw().is_none());
        assert_eq!(part.into_raw().get(), r#"{"é": 1}"#);
        Ok(())
    }

    #[test]
    fn what_has_line_breaks_is_copied_without_them() -> Result<(), serde_json::Error> {
        let text = Arc::new("[{\"a\":\n 1}]".to_owned());
        let part = JsonPart::new(inner(&text)?, Some(&text));
        assert_eq!((part.get(), part.as_raw().map(RawJson::get)), (r#"{"a":1}"#, Some(r#"{"a":1}"#)));
        Ok(())
    }

    #[test]
    fn what_stands_elsewhere_is_copied() -> Result<(), serde_json::Error> {
        let (text, other) = (Arc::new("[7]".to_owned()), Arc::new("[7]".to_owned()));
        for kept in [None, Some(&other)] {
            let part = JsonPart::new(inner(&text)?, kept);
            assert_eq!((part.get(), part.as_raw().map(RawJson::get)), ("7", Some("7")));
            assert_eq!(part.into_raw().get(), "7");
        }
        Ok(())
    }
}
