//! Results that ask back (2026-07-28): the client answers and tries again.

use std::collections::BTreeMap;

use crate::wire::{Encode, Extra, Wire};
use crate::{CreateMessageRequestParams, ElicitRequestParams, Meta, Method, RawJson, ResultType, Revision};

wire! {
    /// A result that asks for input before the request can be done.
    ///
    /// At least one of the two members is there. Only `tools/call`, `prompts/get` and `resources/read` may
    /// be answered so.
    ///
    /// Source: `basic/patterns/mrtr`, 2026-07-28.
    pub struct InputRequiredResult since V2026_07_28 {
        /// Always `input_required`.
        result_type: ResultType = "resultType", or ResultType::InputRequired;
        /// The questions, by keys that come back with the answers.
        input_requests: Option<BTreeMap<String, InputRequest>> = "inputRequests";
        /// What the server wants back unchanged. Nobody else looks inside.
        request_state: Option<String> = "requestState";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl InputRequiredResult {
    /// Asks these questions.
    #[must_use]
    pub const fn new(input_requests: BTreeMap<String, InputRequest>) -> Self {
        Self {
            result_type: ResultType::InputRequired,
            input_requests: Some(input_requests),
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { InputRequiredResult {
    /// Sets what the server wants back unchanged.
    with_request_state => request_state: String;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }

wire! {
    /// One question: a request without envelope. Its parameters stay raw until its method is looked at, so
    /// a kind that nobody here knows spoils no other.
    ///
    /// Source: `basic/patterns/mrtr`, 2026-07-28.
    pub struct InputRequest since V2026_07_28 {
        /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
        method: String = "method";
        /// The parameters of the method.
        params: Option<RawJson> = "params";
    }
}

impl InputRequest {
    /// A question of any kind.
    #[must_use]
    pub fn new(method: impl Into<String>, params: Option<RawJson>) -> Self {
        Self { method: method.into(), params, extra: Extra::new() }
    }

    /// Asks the user.
    ///
    /// # Errors
    /// The parameters hold a number that JSON has not.
    pub fn elicit(params: &ElicitRequestParams) -> Result<Self, serde_json::Error> {
        Self::typed(Method::ElicitationCreate, params)
    }

    /// Asks the client's model.
    ///
    /// # Errors
    /// The parameters hold a number that JSON has not.
    pub fn sample(params: &CreateMessageRequestParams) -> Result<Self, serde_json::Error> {
        Self::typed(Method::SamplingCreateMessage, params)
    }

    /// Asks for the client's roots.
    #[must_use]
    pub fn list_roots() -> Self {
        Self::new(Method::RootsList.as_str(), None)
    }

    fn typed<T: Encode>(method: Method, params: &T) -> Result<Self, serde_json::Error> {
        // Embedded questions exist in the modern era only, so its spelling is the one to use.
        Ok(Self::new(method.as_str(), Some(RawJson::encode(&Wire(params, Revision::V2026_07_28))?)))
    }
}
