//! Tools: functions that a model may call.

use std::collections::BTreeMap;

use crate::wire::Extra;
use crate::{CacheScope, ContentBlock, Icon, Meta, MetaObject, RawJson, ResultType, TaskMetadata};

wire! {
    /// A tool.
    ///
    /// Its schemas are kept as their text: a `$ref`, a keyword or a number that nobody here knows arrives
    /// as it was sent.
    ///
    /// Source: `server/tools#tool`, 2026-07-28.
    pub struct Tool {
        /// The name to call it by.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title", since V2025_06_18;
        /// What it does, for the model.
        description: Option<String> = "description";
        /// The JSON Schema of its arguments; the root is an object.
        input_schema: RawJson = "inputSchema";
        /// The JSON Schema of its structured results.
        output_schema: Option<RawJson> = "outputSchema", since V2025_06_18;
        /// Hints about what it does, not to be trusted.
        annotations: Option<ToolAnnotations> = "annotations", since V2025_03_26;
        /// How it may be executed.
        execution: Option<ToolExecution> = "execution", since V2025_11_25, until V2025_11_25;
        /// Its icons.
        icons: Option<Vec<Icon>> = "icons", since V2025_11_25;
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl Tool {
    /// A tool with the JSON Schema of its arguments.
    #[must_use]
    pub fn new(name: impl Into<String>, input_schema: RawJson) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            execution: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The name to show to a person: `title`, else the annotations' title, else the name.
    ///
    /// Source: `schema#basemetadata`, 2026-07-28.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.title.as_deref().or_else(|| self.annotations.as_ref()?.title.as_deref()).unwrap_or(&self.name)
    }
}

setters! { Tool {
    /// Sets the name to show.
    with_title => title: String;
    /// Says what it does.
    with_description => description: String;
    /// Sets the JSON Schema of its structured results.
    with_output_schema => output_schema: RawJson;
    /// Sets the hints about what it does.
    with_annotations => annotations: ToolAnnotations;
    /// Sets its icons.
    with_icons => icons: Vec<Icon>;
    /// Adds anything else.
    with_meta => meta: MetaObject;
} }

wire! {
    /// Hints about what a tool does. They come from the server and prove nothing.
    ///
    /// Source: `schema#toolannotations`, 2026-07-28.
    #[derive(Default)]
    pub struct ToolAnnotations since V2025_03_26 {
        /// The name to show.
        title: Option<String> = "title";
        /// It changes nothing; `false` when missing.
        read_only_hint: Option<bool> = "readOnlyHint";
        /// It may destroy something; `true` when missing.
        destructive_hint: Option<bool> = "destructiveHint";
        /// Doing it twice is doing it once; `false` when missing.
        idempotent_hint: Option<bool> = "idempotentHint";
        /// It reaches beyond the server's own world; `true` when missing.
        open_world_hint: Option<bool> = "openWorldHint";
    }
}

setters! { ToolAnnotations {
    /// Sets the name to show.
    with_title => title: String;
    /// Says whether it changes nothing.
    with_read_only => read_only_hint: bool;
    /// Says whether it may destroy something.
    with_destructive => destructive_hint: bool;
    /// Says whether doing it twice is doing it once.
    with_idempotent => idempotent_hint: bool;
    /// Says whether it reaches beyond the server's own world.
    with_open_world => open_world_hint: bool;
} }

wire! {
    /// How a tool may be executed.
    ///
    /// Source: `basic/utilities/tasks#tool-level-negotiation`, 2025-11-25.
    #[derive(Default)]
    pub struct ToolExecution since V2025_11_25 until V2025_11_25 {
        /// Whether a call may become a task; `forbidden` when missing.
        task_support: Option<TaskSupport> = "taskSupport";
    }
}

words! {
    /// Whether a call of a tool may become a task.
    ///
    /// Source: `schema#toolexecution`, 2025-11-25.
    pub enum TaskSupport {
        /// It may not.
        Forbidden = "forbidden",
        /// It may.
        Optional = "optional",
        /// It has to.
        Required = "required",
    }
}

wire! {
    /// A page of tools.
    ///
    /// Source: `server/tools#listing-tools`, 2026-07-28.
    pub struct ListToolsResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// The tools.
        tools: Vec<Tool> = "tools";
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

impl ListToolsResult {
    /// A page, stale at once.
    #[must_use]
    pub fn new(tools: Vec<Tool>) -> Self {
        Self {
            result_type: ResultType::Complete,
            tools,
            next_cursor: None,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The parameters of `tools/call`.
    ///
    /// Source: `server/tools#calling-tools`, 2026-07-28.
    pub struct CallToolRequestParams {
        /// The tool.
        name: String = "name";
        /// Its arguments, an object.
        arguments: Option<RawJson> = "arguments";
        /// Asks for a task instead of the result.
        task: Option<TaskMetadata> = "task", since V2025_11_25, until V2025_11_25;
        /// Answers to the questions of the result before.
        input_responses: Option<BTreeMap<String, RawJson>> = "inputResponses", since V2026_07_28;
        /// The state of the result before, byte for byte.
        request_state: Option<String> = "requestState", since V2026_07_28;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl CallToolRequestParams {
    /// A call without arguments.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            task: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { CallToolRequestParams {
    /// Sets the arguments, an object.
    with_arguments => arguments: RawJson;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }

wire! {
    /// The result of a tool.
    ///
    /// ```
    /// use hermes_types::{CallToolResult, Revision, Wire};
    ///
    /// let result = CallToolResult::text("12");
    /// let text = serde_json::to_string(&Wire(&result, Revision::V2025_11_25))?;
    /// assert_eq!(text, r#"{"content":[{"type":"text","text":"12"}]}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// Source: `server/tools#tool-result`, 2026-07-28.
    pub struct CallToolResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// What the model gets to read.
        content: Vec<ContentBlock> = "content", or Vec::new();
        /// What a program gets to read: an object up to 2025-11-25, any JSON since.
        structured_content: Option<RawJson> = "structuredContent", since V2025_06_18;
        /// The tool failed, and the content says why.
        is_error: Option<bool> = "isError";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl CallToolResult {
    /// This content.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self {
            result_type: ResultType::Complete,
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// One text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// A failure, with its reason for the model.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// Structured content, and a copy of its text for those who read no structured content.
    #[must_use]
    pub fn structured(value: RawJson) -> Self {
        let copy = Self::text(value.get());
        Self { structured_content: Some(value), ..copy }
    }

    /// Whether the tool failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error == Some(true)
    }
}

setters! { CallToolResult {
    /// Sets what a program gets to read.
    with_structured_content => structured_content: RawJson;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }
