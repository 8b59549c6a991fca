//! Questions to the client from inside a handler, in both eras.
//!
//! The seam to the rest of the crate:
//!
//! * The dispatcher makes an [`Asked`] for every call: `Asked::fresh()` for a first request and for every
//!   legacy one, `Asked::from_retry(input_responses, opened_state)` for a modern retry. It lives in the
//!   call's state and is reached by `Context::asked`.
//! * In the modern era, for `tools/call`, `prompts/get` and `resources/read`, the dispatcher awaits
//!   `drive(handler, &asked)` instead of the handler. `Outcome::Finished` is the handler's own output.
//!   `Outcome::InputRequired` means: the handler was dropped while it waited for answers; the dispatcher
//!   answers `input_required` with the questions and the sealed state.
//! * `Seal::open` and `Seal::seal` turn `requestState` into the kept state and back; the dispatcher calls
//!   both with the `Origin` of the request.
//! * `Asked::unmet` names the capability that the client lacked when a question could not be put. When the
//!   handler then fails, the dispatcher answers with that fault in the modern era.
//! * In the legacy era questions travel through `Context::request_from_client`.

use std::future::Future;

use hermes_types::{ErrorObject, Fault, RawJson};

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The connection ended before the client answered.
    #[error("the client went away before it answered")]
    Closed,
    /// The client answered with an error.
    #[error("the client refused: {0}")]
    Refused(ErrorObject),
    /// The client did not answer in time.
    #[error("the client did not answer in time")]
    Timeout,
}

/// What a call has asked and been answered so far.
#[derive(Debug, Default)]
pub(crate) struct Asked {}

impl Asked {
    /// The state of a call that has asked nothing yet.
    pub(crate) fn fresh() -> Self {
        Self {}
    }

    /// The capability that was missing when a question could not be put.
    pub(crate) fn unmet(&self) -> Option<Fault> {
        None
    }
}

/// What became of a handler that may ask.
#[derive(Debug)]
pub(crate) enum Outcome<T> {
    /// It ended.
    Finished(T),
    /// It waits for answers; it was dropped and will be entered again.
    InputRequired(Vec<Question>),
}

/// One question, as it is embedded in an `input_required` result.
#[derive(Debug)]
pub(crate) struct Question {
    /// The key, unique within the result.
    pub(crate) key: String,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub(crate) method: &'static str,
    /// The parameters.
    pub(crate) params: Option<RawJson>,
}

/// Runs a handler until it ends or waits for answers only.
pub(crate) async fn drive<F: Future>(handler: F, _asked: &Asked) -> Outcome<F::Output> {
    Outcome::Finished(handler.await)
}
