//! Why a question has no answer, and why an effect has no value.

use std::fmt;

use hermes_types::{ClientCapabilities, ErrorObject, JsonObject, Revision, RootsCapability};

use crate::schema::Invalid;

/// Why a question has no answer.
///
/// Declining and dismissing are answers, not errors: see [`Elicited`](super::Elicited).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The client answered, but not what was asked for.
    #[error("the client's answer does not fit the question: {0}")]
    BadAnswer(Invalid),
    /// The question itself cannot be put; the author of the handler has to change it.
    #[error("the question cannot be put: {0}")]
    BadQuestion(#[from] QuestionError),
    /// The call ended, or the connection did, before the client answered.
    #[error("the call ended before the client answered")]
    Closed,
    /// The client was asked, but lost its connection and did not come back for it. Whether it saw the question
    /// is unknown.
    #[error("the client was asked, but its connection was lost: whether it saw the question is unknown")]
    OutcomeUnknown,
    /// The client answered with an error.
    #[error("the client refused: {0}")]
    Refused(ErrorObject),
    /// The client did not answer in time.
    #[error("the client did not answer in time")]
    Timeout,
    /// The client has no connection open on which it could be asked, and did not open one in time.
    #[error("the client has no connection open on which it can be asked")]
    Unreachable,
    /// The client cannot be asked this: it did not declare the capability, or its revision has none.
    #[error("the client does not support {capability}")]
    Unsupported {
        /// What the client would have to support.
        capability: Capability,
    },
}

impl AskError {
    /// Its class, for traces.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::BadAnswer(_) => "bad_answer",
            Self::BadQuestion(_) => "bad_question",
            Self::Closed => "closed",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Refused(_) => "refused",
            Self::Timeout => "timeout",
            Self::Unreachable => "unreachable",
            Self::Unsupported { .. } => "unsupported",
        }
    }
}

/// Why a question cannot be put at all, to no client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The name given to the question is empty or too long.
    #[error("the name of a question has 1 to {at_most} bytes, not {bytes}")]
    BadKey {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        at_most: usize,
    },
    /// Inside an effect of `once` a question would wait for the effect and the effect for the question.
    #[error("a question inside `once` would never be answered")]
    InsideOnce,
    /// The form's type is no struct, or no map of fields.
    #[error("a form is a struct with named fields, not {found}")]
    NoForm {
        /// What the type is instead.
        found: String,
    },
    /// Nothing can be checked against the schema of the form's type.
    #[error("the answers to the form cannot be checked: {flaw}")]
    NoCheck {
        /// What is wrong with the schema.
        flaw: String,
    },
    /// A field of the form is no string, number, boolean, choice or list of choices.
    #[error("the field `{field}` cannot stand in a form: {found}")]
    NoFormField {
        /// The field.
        field: String,
        /// What it is instead.
        found: String,
    },
    /// What should be opened is no URL.
    #[error("{url:?} is not an absolute URL")]
    NoUrl {
        /// The text.
        url: String,
    },
    /// The method that is being served cannot ask in 2026-07-28; only `tools/call`, `prompts/get` and
    /// `resources/read` can.
    #[error("this method cannot ask the client in 2026-07-28")]
    NotFromHere,
    /// The messages to sample from break a rule that every client is entitled to.
    #[error("message {message} cannot be sampled from: {rule}")]
    NoSampling {
        /// Which message, from 0.
        message: usize,
        /// The rule.
        rule: &'static str,
    },
    /// The parameters cannot be written as JSON.
    #[error("the parameters are no JSON: {reason}")]
    NoJson {
        /// What the encoder says.
        reason: String,
    },
}

/// Why an effect has no value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnceError {
    /// The call had ended before the effect began; it did not run.
    #[error("the call ended before the effect `{key}` began")]
    Closed {
        /// The effect's key.
        key: String,
    },
    /// The effect ran, but its value cannot be written as JSON and is not kept. It does not run again, and
    /// the call cannot be suspended any more.
    #[error("the effect `{key}` ran, but its value cannot be kept: {reason}")]
    Unkept {
        /// The effect's key.
        key: String,
        /// What the encoder says.
        reason: String,
    },
    /// The value that was kept under this key is of another type.
    #[error("what was kept of the effect `{key}` is of another type")]
    WrongType {
        /// The effect's key.
        key: String,
        /// What the decoder says.
        source: serde_json::Error,
    },
}

/// What a client has to support to be asked something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// Forms for the user: [`Context::elicit`](crate::Context::elicit).
    ElicitationForm,
    /// URLs for the user: [`Context::elicit_url`](crate::Context::elicit_url).
    ElicitationUrl,
    /// The roots: [`Context::roots`](crate::Context::roots).
    Roots,
    /// The model: [`Context::sample`](crate::Context::sample).
    Sampling,
    /// Adding context of other servers to what the model sees.
    SamplingContext,
    /// Tools that the model may use.
    SamplingTools,
}

impl Capability {
    /// The name as in the specification's prose, such as `elicitation.form`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ElicitationForm => "elicitation.form",
            Self::ElicitationUrl => "elicitation.url",
            Self::Roots => "roots",
            Self::Sampling => "sampling",
            Self::SamplingContext => "sampling.context",
            Self::SamplingTools => "sampling.tools",
        }
    }

    /// What a client has to declare: what `data.requiredCapabilities` of −32021 says.
    #[must_use]
    pub fn required(self) -> ClientCapabilities {
        let mut required = ClientCapabilities::default();
        self.add_to(&mut required);
        required
    }

    /// Adds this capability to what a client has to declare.
    pub(super) fn add_to(self, required: &mut ClientCapabilities) {
        match self {
            Self::Roots => required.roots = Some(RootsCapability::default()),
            Self::ElicitationForm | Self::ElicitationUrl => {
                let elicitation = required.elicitation.get_or_insert_default();
                let mode = match self {
                    Self::ElicitationForm => &mut elicitation.form,
                    _ => &mut elicitation.url,
                };
                *mode = Some(JsonObject::default());
            }
            Self::Sampling => drop(required.sampling.get_or_insert_default()),
            Self::SamplingContext => {
                required.sampling.get_or_insert_default().context = Some(JsonObject::default());
            }
            Self::SamplingTools => {
                required.sampling.get_or_insert_default().tools = Some(JsonObject::default());
            }
        }
    }

    /// Whether a client with these capabilities can be asked under this revision.
    ///
    /// An empty `elicitation` object means forms (`client/elicitation`, 2025-11-25 and 2026-07-28); in
    /// 2025-06-18 there is nothing else, and before it nothing at all.
    pub(crate) fn is_met(self, declared: &ClientCapabilities, revision: Revision) -> bool {
        let has_modes = revision >= Revision::V2025_11_25;
        let elicitation = declared.elicitation.as_ref();
        let sampling = declared.sampling.as_ref();
        match self {
            Self::ElicitationForm => elicitation
                .is_some_and(|modes| revision == Revision::V2025_06_18 || (has_modes && modes.allows_form())),
            Self::ElicitationUrl => has_modes && elicitation.is_some_and(|modes| modes.allows_url()),
            Self::Roots => declared.roots.is_some(),
            Self::Sampling => sampling.is_some(),
            // Before 2025-11-25 adding context came with sampling itself.
            Self::SamplingContext => {
                sampling.is_some_and(|sampling| !has_modes || sampling.context.is_some())
            }
            Self::SamplingTools => has_modes && sampling.is_some_and(|sampling| sampling.tools.is_some()),
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use hermes_types::Wire;

    use super::*;
    use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

    fn met(capability: Capability, capabilities: &str, revision: Revision) -> bool {
        capability.is_met(&serde_json::from_str(capabilities).expect(capabilities), revision)
    }

    // spec: R360, R361, R393
    #[test]
    fn an_elicitation_mode_counts_only_when_declared_and_defined() {
        use Capability::{ElicitationForm as Form, ElicitationUrl as Url};
        for (declared, form, url) in [
            ("{}", false, false),
            (r#"{"elicitation":{}}"#, true, false),
            (r#"{"elicitation":{"form":{}}}"#, true, false),
            (r#"{"elicitation":{"url":{}}}"#, false, true),
            (r#"{"elicitation":{"form":{},"url":{},"x":1},"y":2}"#, true, true),
            (r#"{"elicitation":null}"#, false, false),
        ] {
            for revision in [V2025_11_25, V2026_07_28] {
                assert_eq!(met(Form, declared, revision), form, "{declared}");
                assert_eq!(met(Url, declared, revision), url, "{declared}");
            }
            assert!(!met(Form, declared, V2025_03_26) && !met(Form, declared, V2024_11_05));
            assert!(!met(Url, declared, V2025_06_18));
        }
        assert!(met(Form, r#"{"elicitation":{"x":{}}}"#, V2025_06_18));
    }

    // spec: R345, R347
    #[test]
    fn sampling_with_tools_or_context_has_its_own_capability() {
        use Capability::{Sampling, SamplingContext, SamplingTools};
        let plain = r#"{"sampling":{}}"#;
        assert!(met(Sampling, plain, V2024_11_05) && met(Sampling, plain, V2026_07_28));
        assert!(!met(SamplingTools, plain, V2025_11_25) && !met(SamplingContext, plain, V2025_11_25));
        assert!(met(SamplingContext, plain, V2025_06_18) && !met(SamplingTools, plain, V2025_06_18));
        let rich = r#"{"sampling":{"tools":{},"context":{}}}"#;
        assert!(met(SamplingTools, rich, V2026_07_28) && met(SamplingContext, rich, V2026_07_28));
        assert!(!met(Sampling, "{}", V2025_11_25));
    }

    #[test]
    fn what_is_required_is_an_object_like_the_capabilities() {
        let mut required = Capability::Sampling.required();
        Capability::SamplingTools.add_to(&mut required);
        Capability::ElicitationForm.add_to(&mut required);
        let text = serde_json::to_string(&Wire(&required, V2026_07_28)).expect("encodes");
        assert_eq!(text, r#"{"sampling":{"tools":{}},"elicitation":{"form":{}}}"#);
        for capability in [
            Capability::ElicitationForm,
            Capability::ElicitationUrl,
            Capability::Roots,
            Capability::Sampling,
            Capability::SamplingContext,
            Capability::SamplingTools,
        ] {
            let text = serde_json::to_string(&Wire(&capability.required(), V2026_07_28)).expect("encodes");
            assert!(met(capability, &text, V2026_07_28), "{capability}");
        }
    }
}
