//! `_meta`: what a message says about itself.

use crate::wire::Extra;
use crate::{ClientCapabilities, Implementation, LoggingLevel, ProgressToken, RequestId, Revision};

/// A JSON object without members of its own meaning.
pub type JsonObject = Extra;

/// The `_meta` of a tool, a resource, a content block and so on: an open object, passed through as it is.
pub type MetaObject = JsonObject;

wire! {
    /// The `_meta` of a request, a notification or a result, with the members that some revision reserves.
    ///
    /// ```
    /// use hermes_types::{Meta, Revision, Wire};
    ///
    /// let meta = Meta { progress_token: Some(7.into()), ..Meta::modern(Revision::V2026_07_28) };
    /// let text = serde_json::to_string(&Wire(&meta, Revision::V2025_11_25))?;
    /// assert_eq!(text, r#"{"progressToken":7}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// Source: `basic/index#meta`, 2026-07-28.
    #[derive(Default)]
    pub struct Meta {
        /// Asks for progress notifications with this token; on requests.
        progress_token: Option<ProgressToken> = "progressToken";
        /// The revision of this request; required there.
        protocol_version: Option<String> = "io.modelcontextprotocol/protocolVersion", since V2026_07_28;
        /// What the client can do, for this request; required there.
        client_capabilities: Option<Box<ClientCapabilities>>
            = "io.modelcontextprotocol/clientCapabilities", since V2026_07_28;
        /// Who the client says it is; on requests, for display and logs only.
        client_info: Option<Box<Implementation>> = "io.modelcontextprotocol/clientInfo", since V2026_07_28;
        /// Asks for log messages from this level on; on requests.
        log_level: Option<LoggingLevel> = "io.modelcontextprotocol/logLevel", since V2026_07_28;
        /// Who the server says it is; on results, for display and logs only.
        server_info: Option<Box<Implementation>> = "io.modelcontextprotocol/serverInfo", since V2026_07_28;
        /// The id of the listen request that a notification or the closing result belongs to.
        subscription_id: Option<RequestId> = "io.modelcontextprotocol/subscriptionId", since V2026_07_28;
        /// The task that the message belongs to.
        related_task: Option<RelatedTaskMetadata>
            = "io.modelcontextprotocol/related-task", since V2025_11_25, until V2025_11_25;
        /// A text for the model while a task has only begun; on the result that creates it.
        model_immediate_response: Option<String>
            = "io.modelcontextprotocol/model-immediate-response", since V2025_11_25, until V2025_11_25;
        /// Where the message stands in a distributed trace; W3C Trace Context.
        traceparent: Option<String> = "traceparent";
        /// Vendors' data about the trace; W3C Trace Context.
        tracestate: Option<String> = "tracestate";
        /// Properties that travel with the trace; W3C Baggage.
        baggage: Option<String> = "baggage";
    }
}

impl Meta {
    /// The meta of a modern request by a client that can do nothing special.
    #[must_use]
    pub fn modern(revision: Revision) -> Self {
        Self {
            protocol_version: Some(revision.as_str().to_owned()),
            client_capabilities: Some(Box::default()),
            ..Self::default()
        }
    }

    /// The meta of a message that belongs to the listen request with this id.
    #[must_use]
    pub fn subscription(id: RequestId) -> Self {
        Self { subscription_id: Some(id), ..Self::default() }
    }

    /// The meta of a message that belongs to a task (2025-11-25).
    #[must_use]
    pub fn related_task(task_id: impl Into<String>) -> Self {
        Self { related_task: Some(RelatedTaskMetadata::new(task_id)), ..Self::default() }
    }
}

impl Meta {
    /// Whether a text may be a key of `_meta`: a name, perhaps after a prefix of dotted labels and a slash.
    ///
    /// ```
    /// use hermes_types::Meta;
    ///
    /// assert!(Meta::is_key("com.example/my-key") && Meta::is_key("name"));
    /// assert!(!Meta::is_key("com..example/a") && !Meta::is_key("-a"));
    /// ```
    ///
    /// Source: `basic/index#meta`, 2026-07-28.
    #[must_use]
    pub fn is_key(text: &str) -> bool {
        let (labels, name) = match text.rsplit_once('/') {
            Some((prefix, name)) => (Some(prefix), name),
            None => (None, text),
        };
        let label = |label: &str| {
            label.starts_with(|c: char| c.is_ascii_alphabetic())
                && label.ends_with(|c: char| c.is_ascii_alphanumeric())
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        let is_edge = |c: char| c.is_ascii_alphanumeric();
        let is_inner = |c: char| is_edge(c) || matches!(c, '-' | '_' | '.');
        labels.is_none_or(|prefix| prefix.split('.').all(label))
            && (name.is_empty() || name.starts_with(is_edge) && name.ends_with(is_edge))
            && name.chars().all(is_inner)
    }

    /// Whether a key belongs to the protocol: its prefix has `modelcontextprotocol` or `mcp` as the second
    /// label. (Up to 2025-06-18 it was the label before the last.)
    ///
    /// ```
    /// use hermes_types::Meta;
    ///
    /// assert!(Meta::is_reserved_key("io.modelcontextprotocol/logLevel"));
    /// assert!(!Meta::is_reserved_key("com.example.mcp/a"));
    /// ```
    ///
    /// Source: `basic/index#meta`, 2026-07-28.
    #[must_use]
    pub fn is_reserved_key(key: &str) -> bool {
        let second = key.split_once('/').and_then(|(prefix, _)| prefix.split('.').nth(1));
        matches!(second, Some("modelcontextprotocol" | "mcp"))
            || matches!(key, "progressToken" | "traceparent" | "tracestate" | "baggage")
    }
}

setters! { Meta {
    /// Asks for progress notifications with this token.
    with_progress_token => progress_token: ProgressToken;
    /// Says what the client can do.
    with_client_capabilities => client_capabilities: Box<ClientCapabilities>;
    /// Says who the client is.
    with_client_info => client_info: Box<Implementation>;
    /// Says who the server is.
    with_server_info => server_info: Box<Implementation>;
    /// Asks for log messages from this level on.
    with_log_level => log_level: LoggingLevel;
} }

wire! {
    /// Names the task that a message belongs to.
    ///
    /// Source: `basic/utilities/tasks#related-task-metadata`, 2025-11-25.
    pub struct RelatedTaskMetadata since V2025_11_25 until V2025_11_25 {
        /// The task.
        task_id: String = "taskId";
    }
}

impl RelatedTaskMetadata {
    /// Names a task.
    #[must_use]
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), extra: Extra::new() }
    }
}
