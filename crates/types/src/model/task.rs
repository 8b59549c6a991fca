//! Tasks: work that outlives its request.
//!
//! 2025-11-25 has them as an experiment, 2026-07-28 as the extension [`TASKS_EXTENSION`]. The two agree on
//! what a task is and differ in where it stands on the wire:
//!
//! | what | 2025-11-25 | extension |
//! |---|---|---|
//! | who decides | the request carries [`TaskMetadata`] | the server |
//! | in place of the result | [`CreateTaskResult`] | [`TaskResult`] with `resultType: "task"` |
//! | `tasks/get` | [`TaskResult`] | [`TaskResult`] with the questions, the result or the error |
//! | `tasks/result` | the result of the request | no such method |
//! | `tasks/list` | [`ListTasksResult`] | no such method |
//! | `tasks/update` | no such method | [`UpdateTaskRequestParams`], answered empty |
//! | `tasks/cancel` | [`TaskResult`] | answered empty |
//! | notification | `notifications/tasks/status` | `notifications/tasks` |
//! | lifetime, pace | `ttl`, `pollInterval` | `ttlMs`, `pollIntervalMs` |

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serializer};

use crate::wire::{Encode, Extra};
use crate::{ErrorObject, InputRequest, Meta, RawJson, ResultType, Revision};

/// The id of the extension that gives 2026-07-28 its tasks.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

wire! {
    /// Asks for a task instead of the result.
    ///
    /// Source: `basic/utilities/tasks#creating-tasks`, 2025-11-25.
    #[derive(Default)]
    pub struct TaskMetadata since V2025_11_25 until V2025_11_25 {
        /// How long the task should be kept, in milliseconds.
        ttl: Option<u64> = "ttl";
    }
}

impl TaskMetadata {
    /// A task to be kept for so many milliseconds.
    #[must_use]
    pub const fn new(ttl: Option<u64>) -> Self {
        Self { ttl, extra: Extra::new() }
    }
}

words! {
    /// How a task stands. From the last three there is no way back.
    ///
    /// ```text
    /// working <──> input_required
    ///    │               │
    ///    └───────┬───────┘
    ///            v
    /// completed │ failed │ cancelled
    /// ```
    ///
    /// Source: `basic/utilities/tasks#task-status-lifecycle`, 2025-11-25.
    pub enum TaskStatus {
        /// It runs.
        Working = "working",
        /// It waits for answers.
        InputRequired = "input_required",
        /// It is done, and the result is there. In the extension also when a tool reports its failure.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether nothing will change any more.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// How long a task is kept, counted from its creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskTtl {
    /// So many milliseconds.
    Millis(u64),
    /// Without end; `null` on the wire.
    Unlimited,
}

impl Encode for TaskTtl {
    fn encode<S: Serializer>(&self, _: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Millis(millis) => serializer.serialize_u64(*millis),
            Self::Unlimited => serializer.serialize_none(),
        }
    }

    fn absent() -> Option<Self> {
        Some(Self::Unlimited)
    }
}

impl<'de> Deserialize<'de> for TaskTtl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(u64::decode_member(deserializer)?.map_or(Self::Unlimited, Self::Millis))
    }
}

wire! {
    /// A task.
    ///
    /// Source: `basic/utilities/tasks#task`, 2025-11-25; extension `io.modelcontextprotocol/tasks`.
    pub struct Task since V2025_11_25 {
        /// Its name.
        task_id: String = "taskId";
        /// How it stands.
        status: TaskStatus = "status";
        /// How it stands, for people.
        status_message: Option<String> = "statusMessage";
        /// When it was created; ISO 8601.
        created_at: String = "createdAt";
        /// When it last changed; ISO 8601.
        last_updated_at: String = "lastUpdatedAt";
        /// How long it is kept.
        ttl: TaskTtl = "ttl", until V2025_11_25, then "ttlMs" since V2026_07_28;
        /// How long to wait between two questions about it, in milliseconds.
        poll_interval: Option<u64>
            = "pollInterval", until V2025_11_25, then "pollIntervalMs" since V2026_07_28;
    }
}

impl Task {
    /// A task that has just begun; the time is ISO 8601.
    #[must_use]
    pub fn new(task_id: impl Into<String>, created_at: impl Into<String>, ttl: TaskTtl) -> Self {
        let created_at = created_at.into();
        Self {
            task_id: task_id.into(),
            status: TaskStatus::Working,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl,
            poll_interval: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// Stands in place of the result of a request that became a task.
    ///
    /// Source: `basic/utilities/tasks#creating-tasks`, 2025-11-25.
    pub struct CreateTaskResult since V2025_11_25 until V2025_11_25 {
        /// The task.
        task: Task = "task";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl CreateTaskResult {
    /// The request became this task.
    #[must_use]
    pub const fn new(task: Task) -> Self {
        Self { task, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// A task as a result: of `tasks/get`, of `tasks/cancel` in 2025-11-25, and in the extension in place of
    /// the result of a request that became a task.
    ///
    /// Source: `basic/utilities/tasks#getting-tasks`, 2025-11-25; extension `io.modelcontextprotocol/tasks`.
    pub struct TaskResult since V2025_11_25 {
        /// `complete`; `task` where it stands in place of another result.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// The name of the task.
        task_id: String = "taskId";
        /// How it stands.
        status: TaskStatus = "status";
        /// How it stands, for people.
        status_message: Option<String> = "statusMessage";
        /// When it was created; ISO 8601.
        created_at: String = "createdAt";
        /// When it last changed; ISO 8601.
        last_updated_at: String = "lastUpdatedAt";
        /// How long it is kept.
        ttl: TaskTtl = "ttl", until V2025_11_25, then "ttlMs" since V2026_07_28;
        /// How long to wait between two questions about it, in milliseconds.
        poll_interval: Option<u64>
            = "pollInterval", until V2025_11_25, then "pollIntervalMs" since V2026_07_28;
        /// The questions it waits for; with `input_required`.
        input_requests: Option<BTreeMap<String, InputRequest>> = "inputRequests", since V2026_07_28;
        /// The result of the request; with `completed`.
        result: Option<RawJson> = "result", since V2026_07_28;
        /// The error of the request; with `failed`.
        error: Option<ErrorObject> = "error", since V2026_07_28;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

/// The result of `tasks/get`.
pub type GetTaskResult = TaskResult;

/// The result of `tasks/cancel` in 2025-11-25; the extension answers with [`crate::EmptyResult`].
pub type CancelTaskResult = TaskResult;

impl TaskResult {
    /// How a task stands.
    #[must_use]
    pub fn new(task: Task) -> Self {
        let Task { task_id, status, status_message, created_at, last_updated_at, ttl, poll_interval, extra } =
            task;
        Self {
            result_type: ResultType::Complete,
            task_id,
            status,
            status_message,
            created_at,
            last_updated_at,
            ttl,
            poll_interval,
            input_requests: None,
            result: None,
            error: None,
            meta: None,
            extra,
        }
    }

    /// The request became this task (extension).
    #[must_use]
    pub fn handle(task: Task) -> Self {
        Self { result_type: ResultType::Task, ..Self::new(task) }
    }
}

wire! {
    /// The parameters of `tasks/get` and `tasks/cancel`, and in 2025-11-25 of `tasks/result`.
    ///
    /// Source: `basic/utilities/tasks#protocol-messages`, 2025-11-25; extension
    /// `io.modelcontextprotocol/tasks`.
    pub struct GetTaskRequestParams since V2025_11_25 {
        /// The task.
        task_id: String = "taskId";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

/// The parameters of `tasks/result`.
pub type GetTaskPayloadRequestParams = GetTaskRequestParams;

/// The parameters of `tasks/cancel`.
pub type CancelTaskRequestParams = GetTaskRequestParams;

impl GetTaskRequestParams {
    /// Names a task.
    #[must_use]
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), meta: None, extra: Extra::new() }
    }
}

wire! {
    /// The parameters of `tasks/update`.
    ///
    /// Source: extension `io.modelcontextprotocol/tasks`.
    pub struct UpdateTaskRequestParams since V2026_07_28 {
        /// The task.
        task_id: String = "taskId";
        /// Answers to its questions, by their keys; they need not be all.
        input_responses: BTreeMap<String, RawJson> = "inputResponses";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl UpdateTaskRequestParams {
    /// Answers a task's questions.
    #[must_use]
    pub fn new(task_id: impl Into<String>, input_responses: BTreeMap<String, RawJson>) -> Self {
        Self { task_id: task_id.into(), input_responses, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// A page of tasks.
    ///
    /// Source: `basic/utilities/tasks#listing-tasks`, 2025-11-25.
    pub struct ListTasksResult since V2025_11_25 until V2025_11_25 {
        /// The tasks.
        tasks: Vec<Task> = "tasks";
        /// Where the next page begins, if there is one. An empty string is a cursor too.
        next_cursor: Option<String> = "nextCursor";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ListTasksResult {
    /// A page.
    #[must_use]
    pub const fn new(tasks: Vec<Task>) -> Self {
        Self { tasks, next_cursor: None, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// The parameters of `notifications/tasks/status` (2025-11-25) and `notifications/tasks` (extension).
    ///
    /// Source: `basic/utilities/tasks#task-status-notification`, 2025-11-25; extension
    /// `io.modelcontextprotocol/tasks`.
    pub struct TaskStatusNotificationParams since V2025_11_25 {
        /// The name of the task.
        task_id: String = "taskId";
        /// How it stands.
        status: TaskStatus = "status";
        /// How it stands, for people.
        status_message: Option<String> = "statusMessage";
        /// When it was created; ISO 8601.
        created_at: String = "createdAt";
        /// When it last changed; ISO 8601.
        last_updated_at: String = "lastUpdatedAt";
        /// How long it is kept.
        ttl: TaskTtl = "ttl", until V2025_11_25, then "ttlMs" since V2026_07_28;
        /// How long to wait between two questions about it, in milliseconds.
        poll_interval: Option<u64>
            = "pollInterval", until V2025_11_25, then "pollIntervalMs" since V2026_07_28;
        /// The questions it waits for; with `input_required`.
        input_requests: Option<BTreeMap<String, InputRequest>> = "inputRequests", since V2026_07_28;
        /// The result of the request; with `completed`.
        result: Option<RawJson> = "result", since V2026_07_28;
        /// The error of the request; with `failed`.
        error: Option<ErrorObject> = "error", since V2026_07_28;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl From<TaskResult> for TaskStatusNotificationParams {
    /// Says to all what `tasks/get` says to one.
    fn from(result: TaskResult) -> Self {
        Self {
            task_id: result.task_id,
            status: result.status,
            status_message: result.status_message,
            created_at: result.created_at,
            last_updated_at: result.last_updated_at,
            ttl: result.ttl,
            poll_interval: result.poll_interval,
            input_requests: result.input_requests,
            result: result.result,
            error: result.error,
            meta: result.meta,
            extra: result.extra,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wire;

    fn text<T: Encode>(value: &T, revision: Revision) -> String {
        serde_json::to_string(&Wire(value, revision)).expect("encodes")
    }

    // spec: R442
    #[test]
    fn a_task_has_the_names_of_its_revision() {
        let task =
            Task { poll_interval: Some(500), ..Task::new("t", "2026-01-01T00:00:00Z", TaskTtl::Unlimited) };
        assert_eq!(
            text(&CreateTaskResult::new(task.clone()), Revision::V2025_11_25),
            r#"{"task":{"taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null,"pollInterval":500}}"#
        );
        assert_eq!(
            text(&TaskResult::handle(Task { ttl: TaskTtl::Millis(9), ..task }), Revision::V2026_07_28),
            r#"{"resultType":"task","taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":9,"pollIntervalMs":500}"#
        );
    }

    #[test]
    fn both_spellings_of_a_task_decode_to_the_same() -> Result<(), serde_json::Error> {
        let old = r#"{"taskId":"t","status":"failed","createdAt":"a","lastUpdatedAt":"b","ttl":5,"pollInterval":1}"#;
        let new = r#"{"taskId":"t","status":"failed","createdAt":"a","lastUpdatedAt":"b","ttlMs":5,"pollIntervalMs":1}"#;
        let task: Task = serde_json::from_str(old)?;
        assert_eq!(task, serde_json::from_str(new)?);
        assert!(task.status.is_terminal());
        Ok(())
    }
}
