//! What a client or a server says it can do. Capability objects are open: unknown members are kept.

use crate::JsonObject;

wire! {
    /// What a client can do.
    ///
    /// Source: `schema#clientcapabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct ClientCapabilities {
        /// It answers `roots/list`.
        roots: Option<RootsCapability> = "roots";
        /// It answers `sampling/createMessage`.
        sampling: Option<SamplingCapability> = "sampling";
        /// It answers `elicitation/create`.
        elicitation: Option<ElicitationCapability> = "elicitation", since V2025_06_18;
        /// It takes task-augmented requests.
        tasks: Option<ClientTasksCapability> = "tasks", since V2025_11_25, until V2025_11_25;
        /// Extensions with their settings, by id. The schema names them from 2026-07-28 on; extensions that
        /// were published for 2025-11-25 are agreed on by the same member.
        extensions: Option<JsonObject> = "extensions", since V2025_11_25;
        /// Whatever the two sides have agreed upon elsewhere.
        experimental: Option<JsonObject> = "experimental";
    }
}

wire! {
    /// What a server can do.
    ///
    /// Source: `schema#servercapabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct ServerCapabilities {
        /// It has tools.
        tools: Option<ToolsCapability> = "tools";
        /// It has resources.
        resources: Option<ResourcesCapability> = "resources";
        /// It has prompts.
        prompts: Option<PromptsCapability> = "prompts";
        /// It completes arguments.
        completions: Option<JsonObject> = "completions", since V2025_03_26;
        /// It sends log messages.
        logging: Option<JsonObject> = "logging";
        /// It takes task-augmented requests.
        tasks: Option<ServerTasksCapability> = "tasks", since V2025_11_25, until V2025_11_25;
        /// Extensions with their settings, by id; see [`ClientCapabilities::extensions`].
        extensions: Option<JsonObject> = "extensions", since V2025_11_25;
        /// Whatever the two sides have agreed upon elsewhere.
        experimental: Option<JsonObject> = "experimental";
    }
}

wire! {
    /// How a client serves roots.
    ///
    /// Source: `client/roots#capabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct RootsCapability {
        /// It says when they change.
        list_changed: Option<bool> = "listChanged", until V2025_11_25;
    }
}

wire! {
    /// How a client samples.
    ///
    /// Source: `client/sampling#capabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct SamplingCapability {
        /// It honours `includeContext`.
        context: Option<JsonObject> = "context", since V2025_11_25;
        /// It lets the model use tools.
        tools: Option<JsonObject> = "tools", since V2025_11_25;
    }
}

wire! {
    /// How a client asks its user. An empty object stands for forms.
    ///
    /// Source: `client/elicitation#capabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct ElicitationCapability since V2025_06_18 {
        /// It shows forms.
        form: Option<JsonObject> = "form", since V2025_11_25;
        /// It opens URLs.
        url: Option<JsonObject> = "url", since V2025_11_25;
    }
}

impl ElicitationCapability {
    /// Whether it shows forms.
    #[must_use]
    pub const fn allows_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether it opens URLs.
    #[must_use]
    pub const fn allows_url(&self) -> bool {
        self.url.is_some()
    }
}

wire! {
    /// How a server serves tools.
    ///
    /// Source: `server/tools#capabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct ToolsCapability {
        /// It says when the list changes.
        list_changed: Option<bool> = "listChanged";
    }
}

wire! {
    /// How a server serves resources.
    ///
    /// Source: `server/resources#capabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct ResourcesCapability {
        /// It says when a resource changes, to those who ask.
        subscribe: Option<bool> = "subscribe";
        /// It says when the list changes.
        list_changed: Option<bool> = "listChanged";
    }
}

wire! {
    /// How a server serves prompts.
    ///
    /// Source: `server/prompts#capabilities`, 2026-07-28.
    #[derive(Default)]
    pub struct PromptsCapability {
        /// It says when the list changes.
        list_changed: Option<bool> = "listChanged";
    }
}

wire! {
    /// Which tasks a client hosts.
    ///
    /// Source: `basic/utilities/tasks#capabilities`, 2025-11-25.
    #[derive(Default)]
    pub struct ClientTasksCapability since V2025_11_25 until V2025_11_25 {
        /// It lists them.
        list: Option<JsonObject> = "list";
        /// It cancels them.
        cancel: Option<JsonObject> = "cancel";
        /// The requests that may become tasks.
        requests: Option<ClientTaskRequests> = "requests";
    }
}

wire! {
    /// The requests to a client that may become tasks.
    ///
    /// Source: `schema#clientcapabilities`, 2025-11-25.
    #[derive(Default)]
    pub struct ClientTaskRequests since V2025_11_25 until V2025_11_25 {
        /// Requests about sampling.
        sampling: Option<SamplingTaskRequests> = "sampling";
        /// Requests about elicitation.
        elicitation: Option<ElicitationTaskRequests> = "elicitation";
    }
}

wire! {
    /// The sampling requests that may become tasks.
    ///
    /// Source: `schema#clientcapabilities`, 2025-11-25.
    #[derive(Default)]
    pub struct SamplingTaskRequests since V2025_11_25 until V2025_11_25 {
        /// `sampling/createMessage`.
        create_message: Option<JsonObject> = "createMessage";
    }
}

wire! {
    /// The elicitation requests that may become tasks.
    ///
    /// Source: `schema#clientcapabilities`, 2025-11-25.
    #[derive(Default)]
    pub struct ElicitationTaskRequests since V2025_11_25 until V2025_11_25 {
        /// `elicitation/create`.
        create: Option<JsonObject> = "create";
    }
}

wire! {
    /// Which tasks a server hosts.
    ///
    /// Source: `basic/utilities/tasks#capabilities`, 2025-11-25.
    #[derive(Default)]
    pub struct ServerTasksCapability since V2025_11_25 until V2025_11_25 {
        /// It lists them.
        list: Option<JsonObject> = "list";
        /// It cancels them.
        cancel: Option<JsonObject> = "cancel";
        /// The requests that may become tasks.
        requests: Option<ServerTaskRequests> = "requests";
    }
}

wire! {
    /// The requests to a server that may become tasks.
    ///
    /// Source: `schema#servercapabilities`, 2025-11-25.
    #[derive(Default)]
    pub struct ServerTaskRequests since V2025_11_25 until V2025_11_25 {
        /// Requests about tools.
        tools: Option<ToolTaskRequests> = "tools";
    }
}

wire! {
    /// The tool requests that may become tasks.
    ///
    /// Source: `schema#servercapabilities`, 2025-11-25.
    #[derive(Default)]
    pub struct ToolTaskRequests since V2025_11_25 until V2025_11_25 {
        /// `tools/call`.
        call: Option<JsonObject> = "call";
    }
}
