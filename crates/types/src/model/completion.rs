//! Completion of the arguments of prompts and resource templates.

use std::collections::BTreeMap;

use crate::wire::Extra;
use crate::{Meta, ResultType};

/// The most values that a completion may hold.
///
/// Source: `server/utilities/completion`, 2026-07-28.
pub const MAX_COMPLETION_VALUES: usize = 100;

wire! {
    /// The parameters of `completion/complete`.
    ///
    /// Source: `server/utilities/completion`, 2026-07-28.
    pub struct CompleteRequestParams {
        /// What has the argument.
        reference: CompletionReference = "ref";
        /// The argument and what has been typed of it.
        argument: CompletionArgument = "argument";
        /// What is filled in already.
        context: Option<CompletionContext> = "context", since V2025_06_18;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl CompleteRequestParams {
    /// Completes `value` for the argument `name` of `reference`.
    #[must_use]
    pub fn new(
        reference: impl Into<CompletionReference>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self {
            reference: reference.into(),
            argument: CompletionArgument::new(name, value),
            context: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { CompleteRequestParams {
    /// Says what is filled in already.
    with_context => context: CompletionContext;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }

union! {
    /// What has the argument to be completed.
    ///
    /// Source: `server/utilities/completion#reference-types`, 2026-07-28.
    pub enum CompletionReference by "type", else refused {
        /// A prompt.
        Prompt(PromptReference) = "ref/prompt",
        /// A resource or a resource template.
        Resource(ResourceTemplateReference) = "ref/resource",
    }
}

wire! {
    /// A prompt, by name.
    ///
    /// Source: `schema#promptreference`, 2026-07-28.
    pub struct PromptReference tagged "type" = "ref/prompt" {
        /// The name for programs.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title", since V2025_06_18;
    }
}

impl PromptReference {
    /// The prompt with this name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, extra: Extra::new() }
    }
}

wire! {
    /// A resource template, by its pattern (or a resource, by its URI).
    ///
    /// Source: `schema#resourcetemplatereference`, 2026-07-28.
    pub struct ResourceTemplateReference tagged "type" = "ref/resource" {
        /// The pattern.
        uri: String = "uri";
    }
}

impl ResourceTemplateReference {
    /// The template with this pattern.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), extra: Extra::new() }
    }
}

wire! {
    /// An argument and what has been typed of it.
    ///
    /// Source: `schema#completerequestparams`, 2026-07-28.
    pub struct CompletionArgument {
        /// The argument.
        name: String = "name";
        /// What has been typed.
        value: String = "value";
    }
}

impl CompletionArgument {
    /// An argument and what has been typed of it.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), extra: Extra::new() }
    }
}

wire! {
    /// The arguments that are filled in already.
    ///
    /// Source: `schema#completerequestparams`, 2026-07-28.
    #[derive(Default)]
    pub struct CompletionContext since V2025_06_18 {
        /// Their values.
        arguments: Option<BTreeMap<String, String>> = "arguments";
    }
}

wire! {
    /// The result of `completion/complete`.
    ///
    /// Source: `server/utilities/completion`, 2026-07-28.
    pub struct CompleteResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// The proposals.
        completion: Completion = "completion";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl CompleteResult {
    /// These proposals; those beyond the hundredth are left out, and the result says so.
    #[must_use]
    pub fn new(values: Vec<String>) -> Self {
        Self {
            result_type: ResultType::Complete,
            completion: Completion::new(values),
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// Proposals, the best first.
    ///
    /// Source: `schema#completeresult`, 2026-07-28.
    pub struct Completion {
        /// The values, at most [`MAX_COMPLETION_VALUES`].
        values: Vec<String> = "values";
        /// How many there are in all.
        total: Option<u64> = "total";
        /// Whether there are more.
        has_more: Option<bool> = "hasMore";
    }
}

impl Completion {
    /// These proposals; those beyond the hundredth are left out, and `total` and `has_more` say so.
    ///
    /// ```
    /// use hermes_types::Completion;
    ///
    /// let many = Completion::new((0..250).map(|n| n.to_string()).collect());
    /// assert_eq!((many.values.len(), many.total, many.has_more), (100, Some(250), Some(true)));
    /// ```
    #[must_use]
    pub fn new(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(MAX_COMPLETION_VALUES);
        Self {
            has_more: Some(values.len() < total),
            total: u64::try_from(total).ok(),
            values,
            extra: Extra::new(),
        }
    }
}
