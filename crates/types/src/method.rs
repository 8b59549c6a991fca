//! The table of methods: who sends them, in which revisions, and what they need.

use crate::Revision;
use crate::Revision::{V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28};

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// Either side.
    Both,
    /// The client.
    Client,
    /// The server. In the modern era such a request is embedded in an `input_required` result.
    Server,
}

macro_rules! methods {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal, $kind:ident, $sender:ident, $first:ident ..= $last:ident;)*) => {
        /// A method that some revision defines. Methods that none defines stay strings.
        ///
        /// ```
        /// use hermes_types::{Method, Revision};
        ///
        /// let ping = Method::parse("ping").ok_or("unknown")?;
        /// assert!(ping.is_defined(Revision::V2025_11_25));
        /// assert!(!ping.is_defined(Revision::V2026_07_28));
        /// # Ok::<(), &str>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Method { $($(#[doc = $doc])* $variant,)* }

        impl Method {
            /// All methods.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Finds the method with this name.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// Whether it is a notification.
            #[must_use]
            pub const fn is_notification(self) -> bool {
                match self { $(Self::$variant => methods!(@notification $kind),)* }
            }

            /// Who sends it.
            #[must_use]
            pub const fn sender(self) -> Sender {
                match self { $(Self::$variant => Sender::$sender,)* }
            }

            /// Whether the revision defines it.
            #[must_use]
            pub fn is_defined(self, revision: Revision) -> bool {
                match self { $(Self::$variant => ($first..=$last).contains(&revision),)* }
            }
        }
    };
    (@notification request) => { false };
    (@notification notification) => { true };
}

methods! {
    /// Opens a legacy session.
    Initialize = "initialize", request, Client, V2024_11_05..=V2025_11_25;
    /// Asks for a sign of life.
    Ping = "ping", request, Both, V2024_11_05..=V2025_11_25;
    /// Asks what a server can do, without a session.
    ServerDiscover = "server/discover", request, Client, V2026_07_28..=V2026_07_28;
    /// Lists tools.
    ToolsList = "tools/list", request, Client, V2024_11_05..=V2026_07_28;
    /// Calls a tool.
    ToolsCall = "tools/call", request, Client, V2024_11_05..=V2026_07_28;
    /// Lists resources.
    ResourcesList = "resources/list", request, Client, V2024_11_05..=V2026_07_28;
    /// Lists resource templates.
    ResourcesTemplatesList = "resources/templates/list", request, Client, V2024_11_05..=V2026_07_28;
    /// Reads a resource.
    ResourcesRead = "resources/read", request, Client, V2024_11_05..=V2026_07_28;
    /// Asks to hear of changes of a resource.
    ResourcesSubscribe = "resources/subscribe", request, Client, V2024_11_05..=V2025_11_25;
    /// Takes that back.
    ResourcesUnsubscribe = "resources/unsubscribe", request, Client, V2024_11_05..=V2025_11_25;
    /// Opens a stream of chosen notifications.
    SubscriptionsListen = "subscriptions/listen", request, Client, V2026_07_28..=V2026_07_28;
    /// Lists prompts.
    PromptsList = "prompts/list", request, Client, V2024_11_05..=V2026_07_28;
    /// Fills in a prompt.
    PromptsGet = "prompts/get", request, Client, V2024_11_05..=V2026_07_28;
    /// Completes an argument.
    CompletionComplete = "completion/complete", request, Client, V2024_11_05..=V2026_07_28;
    /// Sets the level of log messages for the session.
    LoggingSetLevel = "logging/setLevel", request, Client, V2024_11_05..=V2025_11_25;
    /// Reads the state of a task.
    TasksGet = "tasks/get", request, Both, V2025_11_25..=V2026_07_28;
    /// Waits for the result of a task.
    TasksResult = "tasks/result", request, Both, V2025_11_25..=V2025_11_25;
    /// Lists tasks.
    TasksList = "tasks/list", request, Both, V2025_11_25..=V2025_11_25;
    /// Cancels a task.
    TasksCancel = "tasks/cancel", request, Both, V2025_11_25..=V2026_07_28;
    /// Answers a task's questions.
    TasksUpdate = "tasks/update", request, Client, V2026_07_28..=V2026_07_28;
    /// Asks the client for its roots.
    RootsList = "roots/list", request, Server, V2024_11_05..=V2026_07_28;
    /// Asks the client's model.
    SamplingCreateMessage = "sampling/createMessage", request, Server, V2024_11_05..=V2026_07_28;
    /// Asks the user.
    ElicitationCreate = "elicitation/create", request, Server, V2025_06_18..=V2026_07_28;
    /// Says that the handshake is done.
    Initialized = "notifications/initialized", notification, Client, V2024_11_05..=V2025_11_25;
    /// Cancels a request.
    Cancelled = "notifications/cancelled", notification, Both, V2024_11_05..=V2026_07_28;
    /// Reports progress of a request.
    Progress = "notifications/progress", notification, Both, V2024_11_05..=V2026_07_28;
    /// Says that the client's roots changed.
    RootsListChanged = "notifications/roots/list_changed", notification, Client, V2024_11_05..=V2025_11_25;
    /// Carries a log message.
    LogMessage = "notifications/message", notification, Server, V2024_11_05..=V2026_07_28;
    /// Says that a resource changed.
    ResourcesUpdated = "notifications/resources/updated", notification, Server, V2024_11_05..=V2026_07_28;
    /// Says that the list of resources changed.
    ResourcesListChanged = "notifications/resources/list_changed", notification, Server, V2024_11_05..=V2026_07_28;
    /// Says that the list of tools changed.
    ToolsListChanged = "notifications/tools/list_changed", notification, Server, V2024_11_05..=V2026_07_28;
    /// Says that the list of prompts changed.
    PromptsListChanged = "notifications/prompts/list_changed", notification, Server, V2024_11_05..=V2026_07_28;
    /// Says that a URL elicitation was completed.
    ElicitationComplete = "notifications/elicitation/complete", notification, Server, V2025_11_25..=V2025_11_25;
    /// Reports the state of a task.
    TasksStatus = "notifications/tasks/status", notification, Both, V2025_11_25..=V2025_11_25;
    /// Says which notifications a listen stream will carry.
    SubscriptionsAcknowledged = "notifications/subscriptions/acknowledged", notification, Server, V2026_07_28..=V2026_07_28;
    /// Reports the state of a task, on a listen stream.
    Tasks = "notifications/tasks", notification, Server, V2026_07_28..=V2026_07_28;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_reads_back_from_its_name() {
        for method in Method::ALL {
            assert_eq!(Method::parse(method.as_str()), Some(*method));
            assert_eq!(method.is_notification(), method.as_str().starts_with("notifications/"), "{method:?}");
        }
        assert_eq!(Method::parse("tools/Call"), None);
    }

    #[test]
    fn the_handshake_is_legacy_and_discovery_is_modern() {
        for revision in Revision::ALL {
            assert_eq!(Method::Initialize.is_defined(revision), !revision.is_modern());
            assert_eq!(Method::ServerDiscover.is_defined(revision), revision.is_modern());
            assert!(Method::ToolsCall.is_defined(revision));
        }
        assert!(!Method::ElicitationCreate.is_defined(V2024_11_05));
    }
}
