//! One question to the client: what is sent, and the digest that tells it from others.

use hermes_types::{Method, RawJson};

use super::canon;
use super::error::QuestionError;

/// The longest name that a handler may give a question, in bytes.
const MAX_KEY_BYTES: usize = 128;

/// A question, ready to be put.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The name the handler gave it, or one made of its digest.
    pub(super) key: String,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub(crate) method: Method,
    /// The parameters, as the revision in force spells them.
    pub(crate) params: RawJson,
    /// Tells it from every other question; hexadecimal.
    pub(super) digest: String,
}

impl Question {
    pub(super) fn new(method: Method, params: RawJson) -> Self {
        let digest = canon::of_question(method.as_str(), params.get());
        // Half of it is plenty to tell the questions of one call apart, and the state stays short.
        let digest = canon::hex(digest.first_chunk::<16>().map_or(&digest[..], |half| &half[..]));
        let kind = method.as_str().split('/').next().unwrap_or_default();
        let key = format!("{kind}-{}", digest.get(..8).unwrap_or_default());
        Self { key, method, params, digest }
    }

    /// Gives it the name that the handler chose.
    pub(super) fn named(mut self, name: Option<String>) -> Result<Self, QuestionError> {
        match name {
            Some(name) if name.is_empty() || name.len() > MAX_KEY_BYTES => {
                Err(QuestionError::BadKey { bytes: name.len(), at_most: MAX_KEY_BYTES })
            }
            Some(name) => {
                self.key = name;
                Ok(self)
            }
            None => Ok(self),
        }
    }
}
