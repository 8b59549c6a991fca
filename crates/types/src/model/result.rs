//! What all requests, notifications and results have in common.

use crate::Meta;
use crate::wire::Extra;

words! {
    /// What kind of result a result is. A missing word stands for `complete`; an unknown one is invalid.
    ///
    /// Source: `basic/index#resulttype`, 2026-07-28.
    #[derive(Default)]
    pub enum ResultType {
        /// The request is done.
        #[default]
        Complete = "complete",
        /// The server has questions; see [`crate::InputRequiredResult`].
        InputRequired = "input_required",
        /// The work goes on as a task (extension `io.modelcontextprotocol/tasks`).
        Task = "task",
    }
}

words! {
    /// Who may be given a kept copy of a result.
    ///
    /// Source: `server/utilities/caching`, 2026-07-28.
    pub enum CacheScope {
        /// Anybody.
        Public = "public",
        /// Only the one who asked.
        Private = "private",
    }
}

wire! {
    /// The parameters of a request that has none of its own, such as `ping` and `server/discover`.
    ///
    /// Source: `schema#requestparams`, 2026-07-28.
    #[derive(Default)]
    pub struct RequestParams {
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

wire! {
    /// The parameters of a notification that has none of its own, such as the `list_changed` ones.
    ///
    /// Source: `schema#notificationparams`, 2026-07-28.
    #[derive(Default)]
    pub struct NotificationParams {
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

wire! {
    /// The parameters of a request for one page of a list.
    ///
    /// Source: `server/utilities/pagination`, 2026-07-28.
    #[derive(Default)]
    pub struct PaginatedRequestParams {
        /// Where the page begins; the first page without.
        cursor: Option<String> = "cursor";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

setters! { PaginatedRequestParams {
    /// Sets where the page begins.
    with_cursor => cursor: String;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }

wire! {
    /// A result that says nothing but "done".
    ///
    /// Source: `schema#emptyresult`, 2026-07-28.
    #[derive(Default)]
    pub struct EmptyResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

wire! {
    /// Any result, looked at only for its kind.
    ///
    /// ```
    /// use hermes_types::{AnyResult, RawJson, ResultType};
    ///
    /// let raw = RawJson::parse(r#"{"resultType":"input_required","requestState":"s"}"#)?;
    /// assert_eq!(raw.decode::<AnyResult>()?.result_type, ResultType::InputRequired);
    /// assert_eq!(RawJson::parse("{}")?.decode::<AnyResult>()?.result_type, ResultType::Complete);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// Source: `schema#result`, 2026-07-28.
    #[derive(Default)]
    pub struct AnyResult {
        /// What kind it is.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl EmptyResult {
    /// Done.
    #[must_use]
    pub fn new() -> Self {
        Self { result_type: ResultType::Complete, meta: None, extra: Extra::new() }
    }
}
