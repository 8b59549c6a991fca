//! What was decoded already to find out where a message belongs.

use hermes_types::Request;

use crate::opening::Members;

/// The text of a message, and the request that it is, where somebody had to know: it is not decoded twice.
///
/// A text alone will do: `Posted::from(text)`.
#[derive(Clone, Debug)]
pub struct Posted<'a> {
    text: &'a str,
    /// It is large, and what is posted passes through many hands.
    pub(super) request: Option<Box<(Request<'a>, Members<'a>)>>,
}

impl<'a> Posted<'a> {
    /// The text, and what was decoded from it.
    pub(crate) fn decoded(text: &'a str, request: Request<'a>, members: Members<'a>) -> Self {
        Self { text, request: Some(Box::new((request, members))) }
    }

    /// The text.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }
}

impl<'a> From<&'a str> for Posted<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, request: None }
    }
}

impl<'a> From<&'a String> for Posted<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}
