//! Streams of chosen notifications (2026-07-28).

use crate::wire::Extra;
use crate::{Meta, RequestId, ResultType};

wire! {
    /// The notifications that a client wants, or that a server will send.
    ///
    /// Source: `basic/patterns/subscriptions`, 2026-07-28.
    #[derive(Default)]
    pub struct SubscriptionFilter since V2026_07_28 {
        /// When the list of tools changes.
        tools_list_changed: Option<bool> = "toolsListChanged";
        /// When the list of prompts changes.
        prompts_list_changed: Option<bool> = "promptsListChanged";
        /// When the list of resources changes.
        resources_list_changed: Option<bool> = "resourcesListChanged";
        /// When one of these resources changes.
        resource_subscriptions: Option<Vec<String>> = "resourceSubscriptions";
        /// When one of these tasks changes (extension `io.modelcontextprotocol/tasks`).
        task_ids: Option<Vec<String>> = "taskIds";
    }
}

impl SubscriptionFilter {
    /// Whether it names nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let lists = [self.tools_list_changed, self.prompts_list_changed, self.resources_list_changed];
        !lists.contains(&Some(true))
            && self.resource_subscriptions.as_ref().is_none_or(Vec::is_empty)
            && self.task_ids.as_ref().is_none_or(Vec::is_empty)
    }
}

wire! {
    /// The parameters of `subscriptions/listen`.
    ///
    /// Source: `basic/patterns/subscriptions`, 2026-07-28.
    pub struct SubscriptionsListenRequestParams since V2026_07_28 {
        /// What the client wants to hear of.
        notifications: SubscriptionFilter = "notifications";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl SubscriptionsListenRequestParams {
    /// Asks to hear of these.
    #[must_use]
    pub const fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// The parameters of `notifications/subscriptions/acknowledged`.
    ///
    /// Source: `basic/patterns/subscriptions`, 2026-07-28.
    pub struct SubscriptionsAcknowledgedNotificationParams since V2026_07_28 {
        /// What the client will hear of.
        notifications: SubscriptionFilter = "notifications";
        /// About the message; names the listen request.
        meta: Option<Meta> = "_meta";
    }
}

impl SubscriptionsAcknowledgedNotificationParams {
    /// Promises these to the listen request with this id.
    #[must_use]
    pub fn new(subscription: RequestId, notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: Some(Meta::subscription(subscription)), extra: Extra::new() }
    }
}

wire! {
    /// The result of `subscriptions/listen`, sent when the stream ends in good order.
    ///
    /// Source: `basic/patterns/subscriptions`, 2026-07-28.
    pub struct SubscriptionsListenResult since V2026_07_28 {
        /// Always `complete`.
        result_type: ResultType = "resultType", or ResultType::Complete;
        /// About the message; names the listen request.
        meta: Meta = "_meta";
    }
}

impl SubscriptionsListenResult {
    /// Ends the stream of the listen request with this id.
    #[must_use]
    pub fn new(subscription: RequestId) -> Self {
        Self {
            result_type: ResultType::Complete,
            meta: Meta::subscription(subscription),
            extra: Extra::new(),
        }
    }
}
