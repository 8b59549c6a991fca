//! Answers: what the user said, and whether an answer is one at all.

use hermes_types::{CreateMessageResult, ElicitAction, ElicitResult, ListRootsResult, Method, RawJson};
use serde::de::DeserializeOwned;

use super::error::AskError;
use crate::schema::{self, Invalid};

/// What a user did with a question. All three are ordinary outcomes.
///
/// Source: `client/elicitation#response-actions`, 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elicited<T> {
    /// Filled in the form, or agreed to open the page.
    Accepted(T),
    /// Said no.
    Declined,
    /// Dismissed the question without deciding.
    Cancelled,
}

impl<T> Elicited<T> {
    /// What was accepted, if it was.
    #[must_use]
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(value) => Some(value),
            Self::Declined | Self::Cancelled => None,
        }
    }

    /// Changes what was accepted.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Elicited<U> {
        match self {
            Self::Accepted(value) => Elicited::Accepted(change(value)),
            Self::Declined => Elicited::Declined,
            Self::Cancelled => Elicited::Cancelled,
        }
    }
}

/// Reads the answer to an elicitation: what the user did, and what came with it.
pub(super) fn elicited(answer: &RawJson) -> Result<Elicited<Option<RawJson>>, Invalid> {
    let result: ElicitResult = read(answer)?;
    match result.action {
        ElicitAction::Accept => match result.content {
            Some(content) if !content.is_object() && !content.is_null() => {
                Err(Invalid::at("/content", "is not an object"))
            }
            content => Ok(Elicited::Accepted(content.filter(|content| !content.is_null()))),
        },
        ElicitAction::Decline => Ok(Elicited::Declined),
        ElicitAction::Cancel => Ok(Elicited::Cancelled),
        unknown => {
            let message = format_args!("\"{unknown}\" is none of accept, decline, cancel");
            Err(Invalid::at("/action", message))
        }
    }
}

/// Reads an answer as what its kind of question is answered with.
pub(super) fn read<T: DeserializeOwned>(answer: &RawJson) -> Result<T, Invalid> {
    schema::read(answer.get())
}

/// [`read`] for the end of a question.
pub(super) fn read_or_blame<T: DeserializeOwned>(answer: &RawJson) -> Result<T, AskError> {
    read(answer).map_err(AskError::BadAnswer)
}

/// Whether an answer is one of its kind at all; what a form asks for is checked by who asked.
pub(super) fn check_shape(method: Method, answer: &RawJson) -> Result<(), Invalid> {
    match method {
        Method::ElicitationCreate => elicited(answer).map(drop),
        Method::SamplingCreateMessage => read::<CreateMessageResult>(answer).map(drop),
        Method::RootsList => read::<ListRootsResult>(answer).map(drop),
        _ => Ok(()),
    }
}
