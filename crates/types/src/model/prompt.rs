//! Prompts: messages that a server has prepared for a person to use.

use std::collections::BTreeMap;

use crate::wire::Extra;
use crate::{CacheScope, ContentBlock, Icon, Meta, MetaObject, RawJson, ResultType, Role};

wire! {
    /// A prompt.
    ///
    /// Source: `server/prompts#prompt`, 2026-07-28.
    pub struct Prompt {
        /// The name for programs.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title", since V2025_06_18;
        /// What it is for.
        description: Option<String> = "description";
        /// What can be filled in.
        arguments: Option<Vec<PromptArgument>> = "arguments";
        /// Its icons.
        icons: Option<Vec<Icon>> = "icons", since V2025_11_25;
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl Prompt {
    /// A prompt without arguments.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { Prompt {
    /// Sets the name to show.
    with_title => title: String;
    /// Says what it is for.
    with_description => description: String;
    /// Sets what can be filled in.
    with_arguments => arguments: Vec<PromptArgument>;
    /// Sets its icons.
    with_icons => icons: Vec<Icon>;
    /// Adds anything else.
    with_meta => meta: MetaObject;
} }

wire! {
    /// Something to fill in.
    ///
    /// Source: `schema#promptargument`, 2026-07-28.
    pub struct PromptArgument {
        /// The name for programs.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title", since V2025_06_18;
        /// What it is.
        description: Option<String> = "description";
        /// Whether it has to be there; no, when missing.
        required: Option<bool> = "required";
    }
}

impl PromptArgument {
    /// An argument that may be left out.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, required: None, extra: Extra::new() }
    }
}

setters! { PromptArgument {
    /// Sets the name to show.
    with_title => title: String;
    /// Says what it is.
    with_description => description: String;
    /// Says whether it has to be there.
    with_required => required: bool;
} }

wire! {
    /// One message of a prompt.
    ///
    /// Source: `server/prompts#promptmessage`, 2026-07-28.
    pub struct PromptMessage {
        /// Who says it.
        role: Role = "role";
        /// What is said.
        content: ContentBlock = "content";
    }
}

impl PromptMessage {
    /// A message.
    #[must_use]
    pub fn new(role: Role, content: impl Into<ContentBlock>) -> Self {
        Self { role, content: content.into(), extra: Extra::new() }
    }

    /// Something that the person says.
    #[must_use]
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::User, content)
    }

    /// Something that the model says.
    #[must_use]
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

wire! {
    /// A page of prompts.
    ///
    /// Source: `server/prompts#listing-prompts`, 2026-07-28.
    pub struct ListPromptsResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// The prompts.
        prompts: Vec<Prompt> = "prompts";
        /// Where the next page begins, if there is one. An empty string is a cursor too.
        next_cursor: Option<String> = "nextCursor";
        /// How long the page may be kept, in milliseconds.
        ttl_ms: u64 = "ttlMs", since V2026_07_28, by crate::wire::millis, or 0;
        /// Who may be given a kept copy.
        cache_scope: CacheScope = "cacheScope", since V2026_07_28, or CacheScope::Private;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ListPromptsResult {
    /// A page, stale at once.
    #[must_use]
    pub fn new(prompts: Vec<Prompt>) -> Self {
        Self {
            result_type: ResultType::Complete,
            prompts,
            next_cursor: None,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The parameters of `prompts/get`.
    ///
    /// Source: `server/prompts#getting-a-prompt`, 2026-07-28.
    pub struct GetPromptRequestParams {
        /// The prompt.
        name: String = "name";
        /// What is filled in.
        arguments: Option<BTreeMap<String, String>> = "arguments";
        /// Answers to the questions of the result before.
        input_responses: Option<BTreeMap<String, RawJson>> = "inputResponses", since V2026_07_28;
        /// The state of the result before, byte for byte.
        request_state: Option<String> = "requestState", since V2026_07_28;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl GetPromptRequestParams {
    /// Gets a prompt with nothing filled in.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { GetPromptRequestParams {
    /// Sets what is filled in.
    with_arguments => arguments: BTreeMap<String, String>;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }

wire! {
    /// A prompt, filled in.
    ///
    /// Source: `server/prompts#getting-a-prompt`, 2026-07-28.
    pub struct GetPromptResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// What it is for.
        description: Option<String> = "description";
        /// The messages.
        messages: Vec<PromptMessage> = "messages";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl GetPromptResult {
    /// These messages.
    #[must_use]
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self {
            result_type: ResultType::Complete,
            description: None,
            messages,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { GetPromptResult {
    /// Says what it is for.
    with_description => description: String;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }
