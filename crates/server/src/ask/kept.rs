//! What outlives a round: the contents of the sealed state.

use std::collections::BTreeMap;

use hermes_types::{Fault, Method, RawJson};
use serde::{Deserialize, Serialize};

use super::answer;

/// What a call knows from its earlier rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// When the first round ended, in seconds since 1970; the state expires counted from here.
    #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
    pub(super) born: Option<u64>,
    /// The call's own token.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
    /// Answers, by key.
    #[serde(rename = "a", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) answers: BTreeMap<String, Answer>,
    /// Values of effects, by key.
    #[serde(rename = "e", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) effects: BTreeMap<String, RawJson>,
    /// Questions that were sent at the end of the last round.
    #[serde(rename = "o", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) open: BTreeMap<String, Opened>,
}

/// An answer, and which question it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    #[serde(rename = "d")]
    pub(super) digest: String,
    #[serde(rename = "v")]
    pub(super) value: RawJson,
}

/// A question that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Opened {
    #[serde(rename = "d")]
    pub(super) digest: String,
    #[serde(rename = "m")]
    pub(super) method: String,
}

impl Kept {
    /// Takes in the answers of a retry: those to questions that were sent. Others are ignored, and what is
    /// missing will be asked again.
    ///
    /// # Errors
    /// −32602 when an answer is no answer of that kind.
    ///
    /// Source: `basic/patterns/mrtr#error-handling`, 2026-07-28.
    pub(super) fn absorb(&mut self, responses: &BTreeMap<String, RawJson>) -> Result<(), Fault> {
        for (key, Opened { digest, method }) in std::mem::take(&mut self.open) {
            let Some(value) = responses.get(&key) else { continue };
            if let Some(method) = Method::parse(&method) {
                answer::check_shape(method, value)
                    .map_err(|problem| Fault::invalid_params(format!("inputResponses: {key}: {problem}")))?;
            }
            self.answers.insert(key, Answer { digest, value: value.clone() });
        }
        Ok(())
    }
}
